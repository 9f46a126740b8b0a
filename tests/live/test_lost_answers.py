# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A request whose answer is lost: its outcome is read, reported as it is, and nothing is sent twice."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from tests.live.task import run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.consumers import Consumer, start_many
from tests.support.proxy import Proxy

pytestmark = pytest.mark.live

METADATA, DELETE_TOPICS, DELETE_GROUPS, OFFSET_DELETE, LEAVE_GROUP, OFFSET_COMMIT = 3, 20, 42, 47, 13, 8
ALTER_CONFIGS = 44
TOPIC = "lost-answers"
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def proxy(cluster: Cluster) -> Iterator[Proxy]:
    """The proxy before the cluster, and a topic behind it."""
    topics.create(cluster.client(), TOPIC, 1, records=5)
    assert cluster.proxy is not None
    yield cluster.proxy
    cluster.proxy.reset()


@pytest.fixture
def group(cluster: Cluster) -> str:
    """An Empty group with a committed offset."""
    name = f"lost-{next(NUMBERS)}"
    commits.commit(cluster.client(), name, {(TOPIC, 0): (1, "m", -1)})
    return name


@pytest.mark.parametrize(
    ("api_key", "module", "args"),
    [
        (DELETE_GROUPS, "consumer_group", {"names": "GROUP"}),
        (
            OFFSET_DELETE,
            "consumer_group_offsets",
            {"group": "GROUP", "state": "absent", "topics": [{"name": TOPIC, "partitions": None}]},
        ),
        (
            OFFSET_COMMIT,
            "consumer_group_offsets",
            {
                "group": "GROUP",
                "offsets": [{"topic": TOPIC, "partition": 0, "offset": 4, "metadata": "n", "leader_epoch": None}],
            },
        ),
    ],
)
def test_a_lost_answer(
    cluster: Cluster, proxy: Proxy, group: str, api_key: int, module: str, args: dict[str, Any]
) -> None:
    proxy.clear()
    proxy.drop_answers(api_key)
    named: dict[str, Any] = {key: group if value == "GROUP" else value for key, value in args.items()}
    outcome = run(module, proxy.address, **named)
    assert proxy.count()[api_key] == 1
    assert outcome.errors == {}
    assert outcome.changed == 1
    offsets = truth.offsets(cluster.client(), group) if group in truth.groups(cluster.client()) else {}
    expected = {(TOPIC, 0): (4, "n", -1)} if api_key == OFFSET_COMMIT else {}
    assert offsets == expected


@pytest.mark.parametrize(
    ("api_key", "args"),
    [
        (OFFSET_DELETE, {"state": "absent", "topics": [{"name": TOPIC, "partitions": None}]}),
        (
            OFFSET_COMMIT,
            {"offsets": [{"topic": TOPIC, "partition": 0, "offset": 4, "metadata": "", "leader_epoch": None}]},
        ),
    ],
)
def test_what_is_committed_after_a_lost_answer_is_kept(
    cluster: Cluster, proxy: Proxy, group: str, api_key: int, args: dict[str, Any]
) -> None:
    """To send it once more would undo what nobody has looked at."""
    newer = {(TOPIC, 0): (5, "newer", -1)}
    proxy.clear()
    proxy.drop_answers(api_key)
    proxy.after(api_key, 1, lambda: commits.commit(cluster.client(), group, newer))
    outcome = run("consumer_group_offsets", proxy.address, group=group, **args)
    assert (proxy.count()[api_key], outcome.changed) == (1, 0)
    assert set(outcome.errors.values()) == {"POLICY_VIOLATION"}
    assert truth.offsets(cluster.client(), group) == newer


def test_a_lost_answer_about_members(cluster: Cluster, proxy: Proxy) -> None:
    name = f"lost-{next(NUMBERS)}"
    (member,) = start_many([Consumer(cluster.client(), name, [TOPIC], instance_id="i", session_timeout_ms=300_000)])
    member.kill()
    proxy.clear()
    proxy.drop_answers(LEAVE_GROUP)
    outcome = run("consumer_group_members", proxy.address, names=name, remove_all=True)
    assert (proxy.count()[LEAVE_GROUP], outcome.changed, outcome.errors) == (1, 1, {})
    assert truth.members(cluster.client(), name) == []


def test_answers_that_never_come_end_with_the_deadline(proxy: Proxy, group: str, cluster: Cluster) -> None:
    proxy.drop_answers(DELETE_GROUPS, 1)
    proxy.drop_answers(10, 1000)
    outcome = run("consumer_group", proxy.address, names=group, connect={"timeout": 4.0})
    proxy.reset()
    assert outcome.errors == {group: "REQUEST_TIMED_OUT"}
    assert group in truth.groups(cluster.client())


def test_a_lost_answer_about_settings(cluster: Cluster, proxy: Proxy) -> None:
    name = f"lost-settings-{next(NUMBERS)}"
    proxy.clear()
    proxy.drop_answers(ALTER_CONFIGS)
    outcome = run("group_config", proxy.address, names=name, config={"consumer.session.timeout.ms": 50000})
    assert (proxy.count()[ALTER_CONFIGS], outcome.changed, outcome.errors) == (1, 1, {})
    assert truth.group_configs(cluster.client(), [name]) == {name: {"consumer.session.timeout.ms": "50000"}}


def test_a_lost_answer_about_a_topic(cluster: Cluster, proxy: Proxy) -> None:
    name = f"lost-topic-{next(NUMBERS)}"
    topics.create(cluster.client(), name)
    proxy.clear()
    proxy.drop_answers(DELETE_TOPICS)
    outcome = run("topic", proxy.address, names=name, connect={"request_timeout": 5.0})
    assert (proxy.count()[DELETE_TOPICS], outcome.changed, outcome.given.items[0].error) == (1, 1, None)
    assert name not in truth.topics(cluster.client())


def test_a_topic_that_was_created_anew_meanwhile_is_kept(cluster: Cluster, proxy: Proxy) -> None:
    """It is deleted by the id that was looked at, and not by its name."""
    name = f"lost-topic-{next(NUMBERS)}"
    client = cluster.client()
    topics.create(client, name)

    def recreate() -> None:
        topics.delete(client, name)
        topics.create(client, name, 3)

    proxy.clear()
    proxy.before(DELETE_TOPICS, 1, recreate)
    (item,) = run("topic", proxy.address, names=name).items
    proxy.reset()
    assert (item.changed, item.error and item.error.name) == (False, "UNKNOWN_TOPIC_ID")
    assert truth.topics(client)[name] == 3


@pytest.mark.parametrize(("lost", "problem"), [(0, None), (1, "REQUEST_TIMED_OUT")])
def test_brokers_that_do_not_say_whether_a_topic_is_left(
    cluster: Cluster, proxy: Proxy, lost: int, problem: str | None
) -> None:
    """What they have said of its deletion is reported all the same."""
    name = f"lost-topic-{next(NUMBERS)}"
    topics.create(cluster.client(), name)
    proxy.clear()
    proxy.drop_answers(DELETE_TOPICS, lost)
    proxy.before(DELETE_TOPICS, 1, lambda: proxy.drop_answers(METADATA, 1000))
    outcome = run("topic", proxy.address, names=name, connect={"timeout": 6.0})
    sent = proxy.count()[DELETE_TOPICS]
    proxy.reset()
    (item,) = outcome.items
    assert (sent, item.changed, item.error and item.error.name) == (1, not problem, problem)
    assert name not in truth.topics(cluster.client())
