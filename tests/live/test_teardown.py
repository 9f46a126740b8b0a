# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role teardown, where something still uses what it deletes."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaException

from tests.live.playbook import Play, play, play_role, shell
from tests.live.task import run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.consumers import Consumer, start_many, streams_app
from tests.support.repeating import repeatedly

NAME = "undead-orders"
LOOK = {"teardown_groups": "undead-*", "teardown_topics": "undead-*", "teardown_settle_time": 3}
#: The tests share a cluster, on which there may be little else.
VARIABLES = LOOK | {"teardown_apply": True, "teardown_max_share": 100}


@pytest.fixture
def world(cluster: Cluster) -> None:
    fill(cluster)


def fill(cluster: Cluster) -> None:
    """Make a topic and a group of the environment, and one of another."""
    if NAME not in truth.topics(cluster.bootstrap):
        topics.create(cluster.bootstrap, NAME)
    if "alive-orders" not in truth.topics(cluster.bootstrap):
        topics.create(cluster.bootstrap, "alive-orders")
    commits.commit_many(
        cluster.bootstrap,
        {"undead-group": {(NAME, 0): (0, "", -1)}, "alive-group": {("alive-orders", 0): (0, "", -1)}},
    )


def state(cluster: Cluster) -> tuple[dict[str, dict[tuple[str, int], truth.Offset]], set[str]]:
    """What another client sees: the offsets of all groups, and all topics."""
    groups = truth.all_offsets(cluster.bootstrap, truth.groups(cluster.bootstrap))
    return groups, set(truth.topics(cluster.bootstrap))


def test_by_default_it_shows_what_would_go_and_deletes_nothing(cluster: Cluster, world: None, tmp_path: Path) -> None:
    before = state(cluster)
    shown = play(
        "teardown", cluster.bootstrap, LOOK | {"teardown_max_share": 100, "teardown_backup_folder": str(tmp_path)}
    )
    assert (shown.code, shown.words, shown.changed) == (0, "", [])
    found = shown.tasks["Show matching groups and topics"]["msg"]
    assert found["Groups and states"] == ["undead-group: Empty"]
    assert found["Topics and partitions"] == [f"{NAME}: 1"]
    assert "set teardown_apply to true" in shown.tasks["Explain how to delete the groups and topics"]["msg"]
    assert (state(cluster), list(tmp_path.iterdir())) == (before, [])


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "share of groups": ({"teardown_max_share": 0.001}, r"the patterns match 1 of the \d+ groups \("),
    "no share": ({"teardown_max_share": 0}, "teardown_max_share must be above 0"),
    "nothing allowed": ({"teardown_allowed_patterns": []}, "teardown_allowed_patterns is empty"),
    "not allowed": (
        {"teardown_allowed_patterns": "alive-*"},
        f"teardown_allowed_patterns does not allow undead-group, {NAME}:",
    ),
    "the topic is not allowed": ({"teardown_allowed_patterns": ["undead-g*"]}, f"does not allow {NAME}:"),
    "unknown scope": ({"teardown_scope": "topic"}, "must be one or more of: groups, topics"),
    "no scope": ({"teardown_scope": []}, "teardown_scope is empty"),
    "no folder": ({"teardown_backup_folder": "/nowhere"}, "/nowhere is not a folder"),
    "max-changes": ({"teardown_max_changes": 0}, "max_changes is 0"),
    "share of groups in a look": (
        {"teardown_apply": False, "teardown_max_share": 0.001, "teardown_max_changes": 0},
        r"the patterns match 1 of the \d+ groups \(",
    ),
    "max-changes in a look": ({"teardown_apply": False, "teardown_max_changes": 0}, "max_changes is 0"),
}


@pytest.fixture(scope="module")
def refused(cluster: Cluster) -> dict[str, Play]:
    """One run of all rows, after which everything is as before."""
    fill(cluster)
    before = state(cluster)
    done = play_role("teardown", cluster.bootstrap, {name: row[0] for name, row in REFUSED.items()}, VARIABLES)
    assert state(cluster) == before
    return done


@pytest.mark.parametrize("row", REFUSED)
def test_refused(refused: dict[str, Play], row: str) -> None:
    done = refused[row]
    assert (done.code, done.changed) == (2, [])
    assert re.search(REFUSED[row][1], done.words)


def test_by_default_half_of_the_groups_is_the_limit(cluster: Cluster, world: None) -> None:
    before = state(cluster)
    groups = sorted(truth.groups(cluster.bootstrap))
    most = {name: value for name, value in VARIABLES.items() if name != "teardown_max_share"}
    done = play("teardown", cluster.bootstrap, most | {"teardown_groups": groups[: len(groups) // 2 + 1]})
    assert (done.code, state(cluster)) == (2, before)
    assert re.search(r"teardown_max_share is 50, but the patterns match \d+ of the \d+ groups \(", done.words)


def test_the_share_is_of_groups_and_of_topics(cluster: Cluster, world: None) -> None:
    """Whichever is over; half of the cluster is too much unless it is allowed."""
    for number in range(12):
        topics.create(cluster.bootstrap, f"undead-{number}")
    limit = 100 * 12 / len(truth.topics(cluster.bootstrap))
    groups = {f"other-{number}": {("alive-orders", 0): (0, "", -1)} for number in range(40)}
    commits.commit_many(cluster.bootstrap, groups)
    done = play("teardown", cluster.bootstrap, VARIABLES | {"teardown_max_share": limit})
    assert (done.code, done.changed) == (2, [])
    assert re.search(r"the patterns match 13 of the \d+ topics \(", done.words)
    assert run("consumer_group", cluster.bootstrap, names=list(groups)).changed == len(groups)


def test_a_topic_on_which_a_group_that_stays_has_offsets_is_kept(cluster: Cluster, world: None) -> None:
    """It is Empty: only what it has committed shows that it reads the topic."""
    commits.commit(cluster.bootstrap, "alive-group", {(NAME, 0): (0, "", -1)})
    before = state(cluster)
    refused = play("teardown", cluster.bootstrap, VARIABLES)
    assert (refused.code, refused.changed) == (2, [])
    assert f"Remaining groups have committed offsets on these topics: {NAME} (alive-group)." in refused.words
    assert state(cluster) == before
    where = [{"name": NAME, "partitions": None}]
    assert (
        run("consumer_group_offsets", cluster.bootstrap, group="alive-group", state="absent", topics=where).changed == 1
    )


def test_each_run_has_its_own_back_up_and_says_how_to_restore_it(cluster: Cluster, world: None, tmp_path: Path) -> None:
    variables = VARIABLES | {"teardown_scope": ["groups"], "teardown_backup_folder": str(tmp_path)}
    before = truth.offsets(cluster.bootstrap, "undead-group")
    files = []
    for _run in range(2):
        done = play("teardown", cluster.bootstrap, variables)
        assert (done.code, done.words, done.changed) == (0, "", ["Delete the groups"])
        assert "undead-group" not in truth.groups(cluster.bootstrap)
        told, where, command = done.tasks["Report"]["msg"]
        assert told == "Deleted: 1 of the groups, 0 of the topics."
        files += done.artifacts["restore_from"]
        assert files[-1] in where
        shell(command, cluster.bootstrap)
        assert truth.offsets(cluster.bootstrap, "undead-group") == before
    assert sorted(files) == sorted(map(str, tmp_path.iterdir()))
    assert len(files) == 2


def test_a_group_that_comes_back_is_seen(cluster: Cluster, world: None) -> None:
    """A simple group is always empty, so that only its next commit shows that it is in use."""
    offset = {("alive-orders", 0): (0, "", -1)}
    with repeatedly(lambda: commits.commit(cluster.bootstrap, "undead-group", offset), 0.2):
        done = play("teardown", cluster.bootstrap, VARIABLES | {"teardown_scope": "groups"})
    assert done.code == 2
    assert "1 of the deleted groups were recreated: undead-group" in done.words
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
    assert f"1 of the deleted topics were recreated: {NAME}" in done.words
    assert done.changed == ["Delete the groups", "Delete the topics"]


@pytest.mark.parametrize(
    "variables",
    [
        pytest.param({"teardown_topics": ""}, id="a question without an answer"),
        pytest.param({"teardown_scope": ["groups"]}, id="topics out of scope"),
    ],
)
def test_topics_that_are_not_asked_for(cluster: Cluster, world: None, variables: dict[str, Any]) -> None:
    done = play("teardown", cluster.bootstrap, VARIABLES | variables, check=True)
    assert (done.code, done.words, done.changed) == (0, "", ["Delete the groups"])


def test_a_topic_that_another_application_reads_is_kept(cluster: Cluster, world: None) -> None:
    """One of the streams protocol, whose members are assigned tasks, not partitions. It reads one alike, too."""
    topics.create(cluster.bootstrap, NAME.upper())
    with streams_app(cluster.bootstrap, "alive-streams", [NAME.upper(), NAME]):
        done = play("teardown", cluster.bootstrap, VARIABLES)
    assert (done.code, done.changed) == (2, [])
    assert f"Members of remaining groups read {NAME}" in done.words
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
    assert f"Members of remaining groups read {theirs}:" in refused.words
    assert (done.code, done.changed) == (0, ["Delete the groups", "Delete the topics"])
    assert {theirs, own} & truth.topics(cluster.bootstrap).keys() == {theirs}


def test_a_topic_that_the_environment_reads_is_kept_if_its_groups_are(cluster: Cluster, world: None) -> None:
    with Consumer(cluster.bootstrap, "undead-alive", [NAME]):
        truth.wait_stable(cluster.bootstrap, "undead-alive")
        done = play("teardown", cluster.bootstrap, VARIABLES | {"teardown_scope": ["topics"]})
    assert (done.code, done.changed) == (2, [])
    assert f"Members of remaining groups read {NAME}" in done.words
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
    assert f"It is unknown whether the remaining groups read the topics: group {name} is rebalancing." in done.words
    assert NAME in truth.topics(cluster.bootstrap)
    assert run("consumer_group_members", cluster.bootstrap, names=name, remove_all=True).errors == {}


def test_what_rests_in_peace(cluster: Cluster, world: None) -> None:
    setting = {"consumer.session.timeout.ms": "50000"}
    for name in ("undead-group", "alive-group"):
        topics.configure_group(cluster.client(), name, setting)
    variables = VARIABLES | {"teardown_configs": True}
    predicted = play("teardown", cluster.bootstrap, variables, check=True)
    done = play("teardown", cluster.bootstrap, variables)
    assert truth.group_configs(cluster.client(), ["undead-group", "alive-group"]) == {
        "undead-group": {},
        "alive-group": setting,
    }
    assert (predicted.code, done.code, done.words) == (0, 0, "")
    assert predicted.changed == done.changed == ["Delete the groups", "Delete the topics"]
    for task in done.changed:
        assert predicted.tasks[task]["results"] == done.tasks[task]["results"]
    left = truth.topics(cluster.bootstrap).keys() | truth.groups(cluster.bootstrap).keys()
    assert left >= {"alive-orders", "alive-group"}
    assert not any(name.startswith("undead-") for name in left)
    assert play("teardown", cluster.bootstrap, VARIABLES).changed == []
    assert run("group_config", cluster.bootstrap, names="alive-group", state="absent", remove_all=True).changed == 1
