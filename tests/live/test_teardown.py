# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role teardown, where something still uses what it deletes."""

from __future__ import annotations

from contextlib import suppress

import pytest
from confluent_kafka import KafkaException

from tests.live.playbook import play
from tests.live.task import run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.consumers import Consumer, start_many, streams_app
from tests.support.repeating import repeatedly

NAME = "undead-orders"
VARIABLES = {"teardown_groups": "undead-*", "teardown_topics": "undead-*", "teardown_settle_time": 3}


@pytest.fixture
def world(cluster: Cluster) -> None:
    """A topic and a group of the environment, and one of another."""
    if NAME not in truth.topics(cluster.bootstrap):
        topics.create(cluster.bootstrap, NAME)
    if "alive-orders" not in truth.topics(cluster.bootstrap):
        topics.create(cluster.bootstrap, "alive-orders")
    for group in ("undead-group", "alive-group"):
        commits.commit(cluster.bootstrap, group, {(NAME, 0): (0, "", -1)})


def test_a_group_that_comes_back_is_seen(cluster: Cluster, world: None) -> None:
    """A simple group is always empty, so that only its next commit shows that it is in use."""
    offset = {("alive-orders", 0): (0, "", -1)}
    with repeatedly(lambda: commits.commit(cluster.bootstrap, "undead-group", offset), 0.2):
        done = play("teardown", cluster.bootstrap, VARIABLES, tags="groups")
    assert done.code == 2
    assert "1 of the deleted groups came back: undead-group" in done.words
    assert done.changed == ["Delete the groups"]
    assert NAME in truth.topics(cluster.bootstrap)


def test_a_topic_that_comes_back_is_seen(cluster: Cluster, world: None) -> None:
    """The tests' brokers do not create topics on demand, as those of others may."""

    def create() -> None:
        with suppress(KafkaException):
            topics.create(cluster.bootstrap, NAME)

    with repeatedly(create, 0.2):
        done = play("teardown", cluster.bootstrap, VARIABLES)
    assert done.code == 2
    assert f"1 of the deleted topics came back: {NAME}" in done.words
    assert done.changed == ["Delete the groups", "Delete the topics"]


@pytest.mark.parametrize(
    ("variables", "skip_tags"),
    [
        pytest.param({"teardown_topics": ""}, "", id="a question without an answer"),
        pytest.param({}, "topics", id="topics skipped"),
    ],
)
def test_topics_that_are_not_asked_for(
    cluster: Cluster, world: None, variables: dict[str, str], skip_tags: str
) -> None:
    done = play("teardown", cluster.bootstrap, VARIABLES | variables, check=True, skip_tags=skip_tags)
    assert (done.code, done.words, done.changed) == (0, "", ["Delete the groups"])


def test_who_skips_the_checks_deletes_nothing(cluster: Cluster, world: None) -> None:
    """With a pattern that they would refuse."""
    variables = VARIABLES | {"teardown_groups": "[t-v]*"}
    done = play("teardown", cluster.bootstrap, variables, check=True, skip_tags="always")
    assert (done.code, done.changed) == (2, [])


def test_a_topic_that_another_application_reads_is_kept(cluster: Cluster, world: None) -> None:
    """One of the streams protocol, whose members are assigned tasks, not partitions. It reads one alike, too."""
    topics.create(cluster.bootstrap, NAME.upper())
    with streams_app(cluster.bootstrap, "alive-streams", [NAME.upper(), NAME]):
        done = play("teardown", cluster.bootstrap, VARIABLES)
    assert (done.code, done.changed) == (2, [])
    assert f"Members of groups that stay read {NAME}" in done.words
    assert NAME in truth.topics(cluster.bootstrap)


def test_a_changelog_of_another_application_is_kept(cluster: Cluster, world: None) -> None:
    """Nobody subscribes to it. That of the environment's own application goes, though its name begins alike."""
    theirs, own = "undead-app-2-counts-changelog", "undead-app-2-test-counts-changelog"
    for topic in (theirs, own):
        topics.create(cluster.bootstrap, topic)
    commits.commit(cluster.bootstrap, "undead-app-2-test", {(NAME, 0): (0, "", -1)})
    variables = VARIABLES | {"teardown_groups": "undead-app-2-*"}
    with streams_app(cluster.bootstrap, "undead-app-2", ["alive-orders"]):
        refused = play("teardown", cluster.bootstrap, variables | {"teardown_topics": "undead-app-*"})
        done = play("teardown", cluster.bootstrap, variables | {"teardown_topics": "undead-app-2-test-*"})
    assert (refused.code, refused.changed) == (2, [])
    assert f"Members of groups that stay read {theirs}:" in refused.words
    assert (done.code, done.changed) == (0, ["Delete the groups", "Delete the topics"])
    assert {theirs, own} & truth.topics(cluster.bootstrap).keys() == {theirs}


@pytest.mark.parametrize(
    ("tags", "skip_tags"), [pytest.param("topics", "", id="chosen"), pytest.param("", "groups", id="left")]
)
def test_a_topic_that_the_environment_reads_is_kept_if_its_groups_are(
    cluster: Cluster, world: None, tags: str, skip_tags: str
) -> None:
    with Consumer(cluster.bootstrap, "undead-alive", [NAME]):
        truth.wait_stable(cluster.bootstrap, "undead-alive")
        done = play("teardown", cluster.bootstrap, VARIABLES, tags=tags, skip_tags=skip_tags)
    assert (done.code, done.changed) == (2, [])
    assert f"Members of groups that stay read {NAME}" in done.words
    assert NAME in truth.topics(cluster.bootstrap)


def test_a_topic_that_a_rebalancing_group_may_read_is_kept(cluster: Cluster, world: None) -> None:
    """One of two members that were left behind is removed, and the other never rejoins."""
    name, long = "alive-torn", 300_000
    chosen = {"member_id": None, "group_instance_id": "a"}
    made = [Consumer(cluster.bootstrap, name, [NAME], instance_id=one, session_timeout_ms=long) for one in "ab"]
    for member in start_many(made):
        member.kill()
    removed = run("consumer_group_members", cluster.bootstrap, names=name, members=[chosen])
    assert (removed.changed, truth.groups(cluster.bootstrap)[name].state) == (1, "PreparingRebalance")
    done = play("teardown", cluster.bootstrap, VARIABLES)
    assert (done.code, done.changed) == (2, [])
    assert f"Whether other groups read the topics is not known: group {name} rebalances." in done.words
    assert NAME in truth.topics(cluster.bootstrap)
    assert run("consumer_group_members", cluster.bootstrap, names=name, remove_all=True).errors == {}


def test_what_rests_in_peace(cluster: Cluster, world: None) -> None:
    predicted = play("teardown", cluster.bootstrap, VARIABLES, check=True)
    done = play("teardown", cluster.bootstrap, VARIABLES)
    assert (predicted.code, done.code, done.words) == (0, 0, "")
    assert predicted.changed == done.changed == ["Delete the groups", "Delete the topics"]
    for task in done.changed:
        assert predicted.tasks[task]["results"] == done.tasks[task]["results"]
    left = truth.topics(cluster.bootstrap).keys() | truth.groups(cluster.bootstrap).keys()
    assert left >= {"alive-orders", "alive-group"}
    assert not any(name.startswith("undead-") for name in left)
    assert play("teardown", cluster.bootstrap, VARIABLES).changed == []
