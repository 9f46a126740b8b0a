# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lag of groups: a number where it is known, and null where it is not."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from tests.live.task import run
from tests.support import commits, consumers, topics, truth
from tests.support.broker import Cluster
from tests.support.clients import properties
from tests.support.consumers import Member

#: Partitions 0 and 1 have ten records each, partition 2 has none.
TOPIC = "lag"
SHARED = "lag-shared"
LIST_OFFSETS = 2

Committed = dict[int, int]

#: What each group has committed, its kind of member, and its lag with the part that is known.
GROUPS: dict[str, tuple[Committed, str | None, int | None, int | None]] = {
    "lag-committed": ({0: 4, 1: 10}, "classic", 6, 6),
    "lag-committed-848": ({0: 4, 1: 10, 2: 0}, "consumer", 6, 6),
    "lag-partly": ({0: 4}, "classic", None, 6),
    "lag-partly-848": ({0: 4}, "consumer", None, 6),
    "lag-never": ({}, "classic", None, None),
    "lag-never-848": ({}, "consumer", None, None),
    "lag-streams": ({}, "streams", 0, 0),
    "lag-share": ({}, "share", 0, 0),
    "lag-share-behind": ({}, "share", 5, 5),
    "lag-at-rest": ({0: 4}, None, 6, 6),
    "lag-beyond": ({0: 4, 1: 99}, None, 6, 6),
}


@pytest.fixture(scope="module")
def bootstrap(cluster: Cluster) -> Iterator[str]:
    client = cluster.client()
    topics.create(client, TOPIC, 3)
    topics.produce(client, TOPIC, 20, partitions=2)
    topics.create(client, SHARED, records=5)
    for group, (committed, _kind, _lag, _known) in GROUPS.items():
        if committed:
            commits.commit(client, group, {(TOPIC, number): (offset, "", -1) for number, offset in committed.items()})
    for group in ("lag-share", "lag-share-behind"):
        topics.configure_group(client, group, {"share.auto.offset.reset": "earliest"})
    with contextlib.ExitStack() as stack:
        started = [_member(cluster, group, kind) for group, (_committed, kind, _lag, _known) in GROUPS.items() if kind]
        for member in started:
            stack.callback(member.close)
        consumers.start_many(started, timeout=120)
        _wait_committed(cluster, "lag-streams", {(TOPIC, 0): 10, (TOPIC, 1): 10})
        _wait_read(cluster, ["lag-share", "lag-share-behind"])
        (behind,) = [member for member in started if member.group == "lag-share-behind"]
        behind.close()
        topics.produce(client, SHARED, 5)
        _wait_read(cluster, ["lag-share"])
        yield cluster.bootstrap


def _member(cluster: Cluster, group: str, kind: str) -> Member:
    if kind == "share":
        return consumers.share_consumer(cluster.client(), group, SHARED)
    if kind == "streams":
        return consumers.streams_app(cluster.client(), group, [TOPIC])
    return consumers.Consumer(cluster.client(), group, [TOPIC], protocol=kind)  # type: ignore[arg-type]


def _wait_committed(cluster: Cluster, group: str, wanted: dict[tuple[str, int], int]) -> None:
    deadline = time.monotonic() + 90
    while (
        not wanted.items() <= {where: at.offset for where, at in truth.offsets(cluster.client(), group).items()}.items()
    ):
        assert time.monotonic() < deadline, truth.offsets(cluster.client(), group)
        time.sleep(0.2)


def _wait_read(cluster: Cluster, groups: list[str]) -> None:
    """Wait until share groups have processed all records."""
    deadline = time.monotonic() + 90
    while not all(at and at[0].endswith("lag 0") for at in truth.start_offsets(cluster.client(), groups).values()):
        assert time.monotonic() < deadline, groups


def shown(answer: dict[str, Any]) -> dict[str, tuple[int | None, int | None]]:
    return {group["name"]: (group["lag"], group["known_lag"]) for group in answer["groups"]}


@pytest.mark.parametrize("gather", [["lag"], ["lag", "members", "offsets"]])
@pytest.mark.parametrize("asked", [{"names": list(GROUPS)}, {"match": "lag-*"}], ids=["named", "listed"])
def test_lag(bootstrap: str, asked: dict[str, Any], gather: list[str]) -> None:
    answer = run("consumer_group_info", bootstrap, gather=gather, **asked).given
    assert answer["errors"] == []
    assert shown(answer) == {group: (lag, known) for group, (_committed, _kind, lag, known) in GROUPS.items()}
    offsets = {group["name"]: group["offsets"] for group in answer["groups"] if "offsets" in group}
    if "offsets" not in gather:
        assert not offsets
        return
    assert [(at["topic"], at["lag"]) for at in offsets["lag-share-behind"]] == [(SHARED, 5)]
    assert offsets["lag-never"] == []


def test_the_first_groups_of_many(cluster: Cluster, bootstrap: str) -> None:
    names = [f"first-{number}" for number in range(5)]
    commits.commit_many(cluster.client(), {name: {(TOPIC, 0): (at, "", -1)} for at, name in enumerate(names)})
    asked: dict[str, Any] = {"match": "first-*", "gather": ["lag"]}
    first = run("consumer_group_info", bootstrap, max_results=2, **asked)
    assert shown(first.given) == {"first-0": (10, 10), "first-1": (9, 9)}
    assert (first.given["total"], first.given["truncated"]) == (5, True)
    assert first.warnings == ["max_results is 2, but 3 more groups match"]
    selected = run("consumer_group_info", bootstrap, max_results=2, max_lag=8, **asked)
    assert (list(shown(selected.given)), selected.given["total"]) == (["first-2", "first-3"], 3)
    everything = run("consumer_group_info", bootstrap, max_results=5, **asked)
    assert (everything.given["total"], everything.given["truncated"], everything.warnings) == (5, False, [])


def test_only_groups_in_use_are_described(cluster: Cluster, bootstrap: str) -> None:
    names = [f"at-rest-{number}" for number in range(20)]
    commits.commit_many(cluster.client(), {name: {(TOPIC, 0): (1, "", -1)} for name in names})
    at_rest = run("consumer_group_info", bootstrap, match="at-rest-*", gather=["lag"])
    assert {group["lag"] for group in at_rest.given["groups"]} == {9}
    assert not [name for name in at_rest.requests if "Describe" in name]
    in_use = run("consumer_group_info", bootstrap, match=["at-rest-*", "~lag-(committed|partly|never)"], gather=["lag"])
    assert {name: sent for name, sent in in_use.requests.items() if "Describe" in name} == {"DescribeGroups": 1}


def test_a_leader_that_does_not_answer(three: Cluster) -> None:
    topics.create(three.client(), TOPIC, 3, records=30)
    commits.commit(three.client(), "lag", {(TOPIC, number): (4, "", -1) for number in range(3)})
    leaders = {
        number: one.leader
        for number, one in AdminClient(properties(three.client()))
        .list_topics(TOPIC, 20)
        .topics[TOPIC]
        .partitions.items()
    }
    assert len(set(leaders.values())) == 3
    silent = three.proxies[leaders[0]]
    silent.drop_answers(LIST_OFFSETS, 100_000)
    try:
        answer = run(
            "consumer_group_info",
            three.listeners["PROXIED"],
            connect={"timeout": 15.0},
            names="lag",
            gather=["lag", "offsets"],
        ).given
    finally:
        silent.reset()
    assert shown(answer) == {"lag": (None, 12)}
    assert [offset["lag"] for offset in answer["groups"][0]["offsets"]] == [None, 6, 6]
    assert [(problem["topic"], problem["partition"]) for problem in answer["errors"]] == [(TOPIC, 0)]


@pytest.mark.parametrize(("isolation", "lag"), [("read_uncommitted", 6), ("read_committed", 3)])
def test_an_open_transaction(cluster: Cluster, isolation: str, lag: int) -> None:
    """A consumer that reads committed records only cannot read past its first record."""
    client, topic, group = cluster.client(), f"transaction-{isolation}", f"transaction-{isolation}"
    topics.create(client, topic, records=5)
    commits.commit(client, group, {(topic, 0): (2, "", -1)})
    producer = Producer({**properties(client), "transactional.id": group})
    producer.init_transactions(30)
    producer.begin_transaction()
    for _ in range(3):
        producer.produce(topic, b"not committed yet")
    producer.flush(30)
    asked: dict[str, Any] = {"names": group, "gather": ["lag", "offsets"], "isolation_level": isolation}
    (found,) = run("consumer_group_info", cluster.bootstrap, **asked).given["groups"]
    producer.abort_transaction(30)
    assert found["lag"] == lag
    assert [one["log_end"] for one in found["offsets"]] == [lag + 2]
