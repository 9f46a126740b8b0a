# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Three brokers of 3.9, whose coordinator passes on what its log says, and which are upgraded one by one.

A replica that does not answer keeps commits from being acknowledged until it goes on: the coordinator answers
REQUEST_TIMED_OUT of what it has appended, and calls the group's offsets unstable meanwhile.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

from tests.live.accounting import UNKNOWN
from tests.live.task import Outcome, run
from tests.support import absentees, commits, coordinators, offsets_topic, topics, truth
from tests.support.broker import Cluster
from tests.support.clients import properties
from tests.support.jars import DEFAULT_VERSION
from tests.support.repeating import repeatedly
from tests.support.wire import Wire

pytestmark = pytest.mark.live

TOPIC, GROUP = "older", "older-group"
BEFORE, AFTER = {(TOPIC, 0): (1, "", -1)}, {(TOPIC, 0): (4, "set", -1)}
COMMIT_SECONDS = 1
OFFSET_COMMIT, OFFSET_FETCH = 8, 9
# short enough that no broker is taken for dead meanwhile
SILENT_SECONDS = 5


SCALA, JAVA = "classic", "classic,consumer"


@pytest.fixture(scope="module", params=[SCALA, JAVA], ids=["scala", "java"])
def aged(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """Three brokers with the coordinator of each language: that of Java has KIP-848 groups, and is not unstable."""
    config = {
        "group.coordinator.rebalance.protocols": request.param,
        "offsets.commit.timeout.ms": str(COMMIT_SECONDS * 1000),
        "broker.session.timeout.ms": "60000",
        "replica.lag.time.max.ms": "60000",
        "group.consumer.session.timeout.ms": "3600000",
    }
    with Cluster.start("three", "3.9.2", config=config, proxied=True) as started:
        topics.create(started.client(), TOPIC, 1, records=5)
        yield started


@pytest.fixture
def silent(aged: Cluster) -> Iterator[int]:
    """A broker that neither coordinates GROUP nor leads the topic, until the test ends."""
    client = aged.client()
    partition = offsets_topic.partition_of(GROUP, 10)
    deadline = time.monotonic() + 60
    # after a move a broker may tell the old one for a moment
    while (coordinator := _coordinators(aged, [GROUP])[GROUP]) != coordinators.replicas(client)[partition][0]:
        assert time.monotonic() < deadline, coordinator
        time.sleep(0.5)
    leader = AdminClient(properties(client)).list_topics(TOPIC, timeout=20).topics[TOPIC].partitions[0].leader
    follower = min({1, 2, 3} - {coordinator, leader})
    yield follower
    for proxy in aged.proxies.values():
        proxy.reset()
    aged.resume(follower)
    coordinators.prefer(aged.client())


def _coordinators(cluster: Cluster, names: list[str]) -> dict[str, int]:
    with Wire(cluster.client()) as wire:
        return wire.coordinators(names)


@contextlib.contextmanager
def resumed_after(cluster: Cluster, silent: int, api_key: int, resumed: threading.Event) -> Iterator[None]:
    """Pause a broker until some time after another one has answered a request of that kind for the first time."""

    def resume() -> None:
        cluster.resume(silent)
        resumed.set()

    timer = threading.Timer(SILENT_SECONDS, resume)
    for proxy in cluster.proxies.values():
        proxy.after(api_key, 1, timer.start)
    cluster.pause(silent)
    yield
    timer.join()


def bootstrap(cluster: Cluster, silent: int) -> str:
    """The brokers that answer: a task that starts at the silent one loses time."""
    return ",".join(proxy.address for node, proxy in cluster.proxies.items() if node != silent)


def set_offset(brokers: str, **connect: Any) -> Outcome:
    wanted = [{"topic": TOPIC, "partition": 0, "offset": 4, "metadata": "set", "leader_epoch": None}]
    return run("consumer_group_offsets", brokers, group=GROUP, offsets=wanted, connect=connect)


def test_a_commit_without_acknowledgements_is_in_doubt(aged: Cluster, silent: int) -> None:
    """Its record is in the log, and the next coordinator finds it there."""
    client = aged.client()
    commits.commit(client, GROUP, BEFORE)
    aged.pause(silent)
    # long enough on a slow machine for the request to be sent, and its record to be fetched
    outcome = set_offset(bootstrap(aged, silent), timeout=10.0)
    aged.resume(silent)
    assert outcome.errors == {GROUP: "REQUEST_TIMED_OUT"}
    (error,) = [item.error for item in outcome.items if item.error]
    assert UNKNOWN in error.message
    partition = offsets_topic.partition_of(GROUP, 10)
    before = coordinators.replicas(client)[partition][0]
    # the one that was silent may not have fetched the record yet
    (fetched,) = {1, 2, 3} - {before, silent}
    coordinators.assign(client, {partition: [fetched, silent, before]})
    deadline = time.monotonic() + 60
    # the one before may answer for a moment
    while (found := truth.offsets(client, GROUP)) != AFTER:
        assert time.monotonic() < deadline, found
        time.sleep(0.5)


def test_a_commit_is_made_once_replicas_acknowledge(aged: Cluster, silent: int) -> None:
    commits.commit(aged.client(), GROUP, BEFORE)
    with resumed_after(aged, silent, OFFSET_COMMIT, threading.Event()):
        outcome = set_offset(bootstrap(aged, silent), timeout=60.0)
    assert (outcome.changed, outcome.errors) == (1, {})
    # before, of what became of the first commit, and not at once
    assert outcome.requests["OffsetFetch"] > 1
    assert truth.offsets(aged.client(), GROUP) == AFTER


@pytest.mark.parametrize("aged", [SCALA], indirect=True)
def test_a_busy_group_is_read_between_two_commits(aged: Cluster, silent: int, tmp_path: Path) -> None:
    client = aged.client()
    commits.commit(client, GROUP, BEFORE)
    backup = str(tmp_path / "backup.json")
    committer = Consumer({**properties(client), "group.id": GROUP})
    resumed = threading.Event()

    def commit() -> None:
        with contextlib.suppress(KafkaException):
            committer.commit(offsets=[TopicPartition(TOPIC, 0, 1)], asynchronous=False)
        # always one pending while nothing is acknowledged, and time to read between two afterwards
        if resumed.is_set():
            time.sleep(0.2)

    commit()
    with repeatedly(commit, 0.001), resumed_after(aged, silent, OFFSET_FETCH, resumed):
        outcome = run("consumer_group", bootstrap(aged, silent), check=True, names=GROUP, backup=backup)
    committer.close()
    assert (outcome.changed, outcome.errors) == (1, {})
    assert outcome.requests["OffsetFetch"] > 1


@pytest.mark.parametrize("aged", [JAVA], indirect=True)
def test_an_older_broker_refuses_only_the_groups_that_it_coordinates(aged: Cluster) -> None:
    """Comes last: broker 3 is upgraded, and the others, which coordinate groups of both kinds, are not."""
    client = aged.client()
    names = [f"older-{number}" for number in range(12)]
    for name in names[:6]:
        absentees.leave_crowd_behind(client, name, TOPIC, 1)
    absentees.leave_behind(client, names[6:], TOPIC)
    aged.restart(3, DEFAULT_VERSION)
    coordinators.prefer(client)
    deadline = time.monotonic() + 60
    # a broker may tell the old coordinators for a moment
    while set((found_at := _coordinators(aged, names)).values()) != {1, 2, 3}:
        assert time.monotonic() < deadline, found_at
        time.sleep(0.5)
    refused = {name for name in names[:6] if found_at[name] != 3}
    assert 0 < len(refused) < 6
    forced = run("consumer_group", aged.bootstrap, check=True, names=names, force=True)
    outcome = run("consumer_group_members", aged.bootstrap, names=names, remove_all=True)
    assert forced.errors == outcome.errors == dict.fromkeys(names[:6], "UNSUPPORTED_VERSION")
    assert {item.target.group for item in outcome.items if item.changed} == set(names[6:])
    # a newer broker describes no KIP-848 groups before the last one is upgraded: they are not absent
    told = {item.target.group: item.error.message for item in outcome.items if item.error}
    assert {name for name, message in told.items() if "it exists" in message} == set(names[:6]) - refused
    shown = run("consumer_group_info", aged.bootstrap, match=["older-*"], gather=["members"])
    assert {problem["group"] for problem in shown.given["errors"]} == set(names[:6]) - refused
