# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From rows of the scan and what the cluster says to tables and findings: real Spark, made-up rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge import findings, frames
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge.findings import Criteria
from pyspark.sql import SparkSession

from tests.support.spark import local_session
from tests.support.worlds import DAY, NOW, Row, World, active, commit, group_record, ms, undecodable

CRITERIA = Criteria(NOW - 30 * DAY, "30d", unread=(9,))


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with local_session() as session:
        yield session


class Judged(NamedTuple):
    """The tables."""

    offsets: list[Row]
    groups: list[Row]
    findings: list[Row]


def judge(spark: SparkSession, world: World) -> Judged:
    """Run the pipeline on a world."""
    scan, live = world.scan(spark), world.frames(spark)
    log_groups, undecoded = frames.metadata(scan), frames.undecodable(scan)
    offsets = frames.offsets(frames.commits(scan), log_groups, live)
    described = frames.groups(offsets, log_groups, frames.activity(scan), undecoded, live)
    groups = findings.classify_groups(frames.with_owner(described, live), CRITERIA)
    found = frames.with_owner(findings.findings(groups, offsets, undecoded, live.orphaned_configs, CRITERIA), live)
    return Judged(*(frame.toArrow().to_pylist() for frame in (offsets, groups, found)))


AT_WORK = {"state": "Stable", "members": 1}
NOT_READ = [{"group": "g", "topic": "t", "subscribed": False}]
READ = [{"group": "g", "topic": "t", "subscribed": True}]
UNKNOWN = [{"group": "g", "topic": "t", "subscribed": None}]
RECREATED = [{"current_topic_id": "B"}]
SHORT = [{"log_start": 6}]
LOST = [{"log_end": 4}]
GONE = [{"exists": False, "current_topic_id": None, "log_start": None, "log_end": None}]
HIDDEN = [{"exists": None, "current_topic_id": None, "log_start": None, "log_end": None}]


FINDINGS: list[tuple[World, list[tuple[str, bool]]]] = [
    # stale: Empty, consumers, idle for longer than 30 days
    (World([commit("g", 31)], {"g": {}}), [("stale_group", True)]),
    (World([commit("g", 31)], {"g": {"protocol_type": ""}}), [("stale_group", True)]),
    (World([commit("g", 31)], {"g": {"type": "consumer"}}), [("stale_group", True)]),
    (World([group_record("g", 31)], {"g": {}}), [("stale_group", True)]),
    (World([commit("g", 29)], {"g": {}}), []),
    (World([commit("g", 31), group_record("g", 1)], {"g": {}}), []),
    (World([commit("g", 31), {**commit("g", 1, "u"), "tombstone": True}], {"g": {}}), [("stale_group", True)]),
    (World([commit("g", 31), active("g", 1), {**commit("g", 1, "u"), "tombstone": True}], {"g": {}}), []),
    (World([commit("g", 33), active("g", 32)], {"g": {}}), [("stale_group", True)]),
    # on the day of the limit, before and after it
    (World([commit("g", 33), active("g", 30.01)], {"g": {}}), [("stale_group", True)]),
    (World([commit("g", 33), active("g", 29.99)], {"g": {}}), []),
    (World([commit("g", 31), active("g", 1, commits=0)], {"g": {}}), [("stale_group", True)]),
    (World([commit("g", 31)], {"g": {"included": False}}), []),
    (World([commit("g", 31)], {"g": {"protocol_type": "connect"}}), []),
    (World([commit("g", 31)], {"g": {"state": None}}), []),
    (World([commit("g", 31)], {}), []),
    (World([commit("g", 31)], {"g": {"type": "share", "protocol_type": "share"}}), []),
    (World([], {"g": {}}), []),
    # not stale: it has committed since the scan
    (World([commit("g", 31)], {"g": {}}, live_offsets={"g": 6}), []),
    # stale, and not certain enough for the plan
    (World([commit("g", 31)], {"g": {}}, live_offsets={"g": None}), [("stale_group", False)]),
    (World([commit("g", 31, source_partition=9)], {"g": {}}), [("stale_group", False)]),
    (
        World([commit("g", 31), undecodable(group="g", topic="t", partition=1)], {"g": {}}),
        [("stale_group", False), ("undecodable", False)],
    ),
    (World([commit("g", 31), commit("g", 31, "u", source_partition=1)], {"g": {}}), [("stale_group", False)]),
    (World([commit("g", 31, "no/name")], {"g": {}}), [("stale_group", False)]),
    # a time that the committer gave, and the broker's own
    (World([commit("g", 31, timestamp=ms(1))], {"g": {}}), []),
    # times that no calendar has, or that are still to come
    (World([commit("g", 31, expire_time=2**62)], {"g": {}}), [("stale_group", True)]),
    (World([commit("g", 31, commit_time=2**62)], {"g": {}}), [("stale_group", True)]),
    (World([commit("g", 31, commit_time=2**62, timestamp=2**62)], {"g": {}}), []),
    (World([commit("g", 31, commit_time=-(2**63), timestamp=-(2**63))], {"g": {}}), []),
    (World([commit("g", 31, commit_time=253_402_300_799_999)], {"g": {}}), []),
    (World([commit("g", -400)], {"g": {}}), []),
    (
        World([commit("g", 31, commit_time=2**62, timestamp=-5)], {"g": AT_WORK}, subscriptions=NOT_READ),
        [("unsubscribed", False)],
    ),
    # negative offsets, which the cluster does not show: nothing to expect, and nothing that is hidden
    (World([commit("g", 31, offset=-1)], {"g": {}}, live_offsets={"g": None}), [("stale_group", True)]),
    (World([commit("g", 31, offset=-(2**63))], {"g": {}}, live_offsets={"g": None}), [("stale_group", True)]),
    (World([commit("g", 31, offset=-1)], {"g": {}}, live_offsets={"g": 4}), [("negative_offset", False)]),
    (World([commit("g", 1, offset=-(2**63))], {"g": {}}, live_offsets={"g": None}), [("negative_offset", False)]),
    (
        World(
            [commit("g", 31, offset=-1), commit("g", 1, "u")],
            {"g": AT_WORK},
            live_offsets={"g": None},
            subscriptions=NOT_READ,
        ),
        [("negative_offset", False), ("unsubscribed", False)],
    ),
    (World([commit("g", 1, offset=2**63 - 1)], {"g": {}}), [("after_log_end", False)]),
    (World([commit("g", 31, leader_epoch=2**31 - 1)], {"g": {}}), [("stale_group", True)]),
    # what a plan could not hold
    (World([commit("g", 31) | {"partition": -1}], {"g": {}}), [("stale_group", False)]),
    # settings without a group
    (World([], {}, orphans=[("g", "share.auto.offset.reset=earliest")]), [("orphaned_config", False)]),
    # members, but no commits
    (World([commit("g", 31)], {"g": AT_WORK}), [("no_commits", False)]),
    (World([commit("g", 29)], {"g": AT_WORK}), []),
    (World([group_record("g", 31, members=1)], {"g": AT_WORK}), [("no_commits", False)]),
    (World([group_record("g", 29, members=1)], {"g": AT_WORK}), []),
    (World([commit("g", 31)], {"g": {**AT_WORK, "protocol_type": "connect"}}), []),
    # nobody subscribes
    (
        World([commit("g", 31), commit("g", 1, "u")], {"g": AT_WORK}, subscriptions=NOT_READ),
        [("unsubscribed", True)],
    ),
    (World([commit("g", 29)], {"g": AT_WORK}, subscriptions=NOT_READ), [("unsubscribed", False)]),
    (World([commit("g", 29)], {"g": AT_WORK}, subscriptions=READ), []),
    (World([commit("g", 29)], {"g": AT_WORK}, subscriptions=UNKNOWN), []),
    (
        World([commit("g", 31), commit("g", 1, "u")], {"g": {**AT_WORK, "included": False}}, subscriptions=NOT_READ),
        [],
    ),
    # the topic is another one, or none
    (
        World([commit("g", 31, topic_id="A"), commit("g", 1, "u")], {"g": {}}, partitions=RECREATED),
        [("topic_recreated", True)],
    ),
    (
        World(
            [commit("g", 31, topic_id="A"), commit("g", 1, "u")],
            {"g": AT_WORK},
            partitions=RECREATED,
            subscriptions=READ,
        ),
        [("topic_recreated", False)],
    ),
    (World([commit("g", 1, topic_id="A")], {"g": {}}, partitions=RECREATED), [("topic_recreated", False)]),
    (World([commit("g", 1, topic_id="A")], {"g": {}}), []),
    (World([commit("g", 1)], {"g": {}}, partitions=GONE), [("topic_gone", False)]),
    (World([commit("g", 1)], {"g": {}}, partitions=HIDDEN), []),
    (World([commit("g", 1)], {"g": {}}, partitions=[]), []),
    # outside the log
    (World([commit("g", 1)], {"g": {}}, partitions=SHORT), [("before_log_start", False)]),
    (World([commit("g", 1)], {"g": {}}, partitions=LOST), [("after_log_end", False)]),
    (World([commit("g", 1, offset=0)], {"g": {}}), []),
    (World([commit("g", 1, offset=10)], {"g": {}}), []),
    # one finding for a stale group, whatever its offsets
    (World([commit("g", 31)], {"g": {}}, partitions=SHORT), [("stale_group", True)]),
    (World([commit("g", 31)], {"g": {}}, partitions=GONE), [("stale_group", True)]),
]

# the last number: the offset expires 7 days (the retention) after so many days ago
EXPIRY: list[tuple[Row, Row, list[Row], float | None]] = [
    # a classic group: since it is Empty, else since the commit (KIP-211)
    (commit("g", 3), {}, [], 2),
    (commit("g", 3), {"protocol_type": ""}, [], 3),
    (commit("g", 3), {"type": "consumer"}, [], 3),
    # at work: only topics without a subscription (KIP-496)
    (commit("g", 3), AT_WORK, READ, None),
    (commit("g", 3), AT_WORK, NOT_READ, 3),
    (commit("g", 3), AT_WORK, UNKNOWN, None),
    (commit("g", 3), {**AT_WORK, "state": "PreparingRebalance"}, NOT_READ, None),
    (commit("g", 3), {**AT_WORK, "protocol_type": "connect"}, NOT_READ, None),
    (commit("g", 3), {**AT_WORK, "type": "consumer", "state": "Reconciling"}, NOT_READ, 3),
    # an explicit time comes first
    (commit("g", 3, expire_time=ms(-1)), AT_WORK, READ, 6),
    (commit("g", 3, expire_time=-1), {"protocol_type": ""}, [], 3),
    # a time that no calendar has, explicit or in the sum
    (commit("g", 3, expire_time=2**63 - 1), {"protocol_type": ""}, [], None),
    (commit("g", 3, expire_time=-(2**63)), {"protocol_type": ""}, [], None),
    (commit("g", 3, commit_time=253_402_300_799_999), {"protocol_type": ""}, [], None),
    (commit("g", 3, commit_time=2**63 - 1), {"protocol_type": ""}, [], None),
    (commit("g", 3, commit_time=-(2**63)), {"protocol_type": ""}, [], None),
    (commit("g", 3), {"state": None}, [], None),
]


@pytest.fixture(scope="module")
def judged(spark: SparkSession) -> Judged:
    """All cases in one run: the groups and topics of case 3 are called C(g-3) and C(t-3)."""
    world = World([], {}, partitions=[])
    for number, (case, _found) in enumerate(FINDINGS):
        world.add(case, number)
    for number, (row, said, subscriptions, _days) in enumerate(EXPIRY, len(FINDINGS)):
        world.add(World([row, group_record("g", 2)], {"g": said}, subscriptions=subscriptions), number)
    return judge(spark, world)


@pytest.mark.parametrize("number", range(len(FINDINGS)))
def test_findings(judged: Judged, number: int) -> None:
    rows = [row for row in judged.findings if row["group"] == f"g-{number}"]
    assert sorted((row["kind"], row["planned"]) for row in rows) == FINDINGS[number][1]
    assert all(row["evidence"] and row["action"] for row in rows)


@pytest.mark.parametrize("number", range(len(EXPIRY)))
def test_expiry(judged: Judged, number: int) -> None:
    days = EXPIRY[number][3]
    expires = [row["expire_time"] for row in judged.offsets if row["group"] == f"g-{len(FINDINGS) + number}"]
    assert expires == [None if days is None else NOW + (7 - days) * DAY]


def test_groups(spark: SparkSession) -> None:
    day = {"kind": "activity", "source_partition": 0, "group": "g", "rebalances": 0}
    world = World(
        [
            commit("g", 3),
            commit("g", 2, "u", offset=7),
            group_record("g", 1),
            {**day, "day": 20_000, "commits": 4, "tombstones": 1},
            {**day, "day": 20_001, "commits": 2, "tombstones": 0, "rebalances": 3, "timestamp": 20_001 * 86_400_000},
            commit("hidden", 3, source_partition=1),
            commit("no request", 3, "t\n"),
            undecodable(),
        ],
        {"g": {}, **{name: {"type": "share", "protocol_type": "share"} for name in ("new", "share", "half")}},
        start_offsets=[
            {"group": "share", "topic": "t", "partition": 0, "start_offset": 5, "lag": 3},
            {"group": "share", "topic": "t", "partition": 1, "start_offset": 0, "lag": 0},
            {"group": "half", "topic": "t", "partition": 0, "start_offset": 5, "lag": 3},
            {"group": "half", "topic": "u", "partition": 0, "start_offset": None, "lag": None},
        ],
        owners=[("g", "team-a"), ("share", "team-b"), ("of no table", "team-c")],
    )
    judged = judge(spark, world)
    assert [(row["kind"], row["group"], row["owner"]) for row in judged.findings] == [("undecodable", None, None)]
    groups = {row["group"]: row for row in judged.groups}
    assert sorted(groups) == ["g", "half", "hidden", "new", "no request", "share"]
    assert {name for name, row in groups.items() if not row["regular"]} == {"no request"}
    assert {name: row["owner"] for name, row in groups.items() if row["owner"]} == {"g": "team-a", "share": "team-b"}
    counted = {"topics": 2, "partitions": 2, "commits": 6, "tombstones": 1, "rebalances": 3, "undecodable": 0}
    assert groups["g"].items() >= counted.items()
    assert groups["g"]["last_commit"] == NOW - 2 * DAY
    assert groups["g"]["idle_since"] == NOW - DAY
    # the log of topic u is not known, and half a sum would look like a group that has caught up
    assert groups["g"].items() >= {"lag": None, "known_lag": 5}.items()
    assert groups["hidden"].items() >= {"lag": 5, "known_lag": 5, "state": None, "stale": False}.items()
    # a share group keeps its positions elsewhere
    for name, lag, known in (("new", None, None), ("share", 3, 3), ("half", None, 3)):
        shown = {"lag": lag, "known_lag": known, "partitions": 0, "last_commit": None, "type": "share", "stale": False}
        assert groups[name].items() >= {**shown, "committed_since": 0}.items()


def test_lag(spark: SparkSession) -> None:
    """Of what a commit may hold; two logs that nobody has, whose sum does not fit."""
    most = 2**63 - 1
    offsets = {"start": 0, "end": 10, "beyond": most, "negative": -1, "least": -most - 1}
    rows = [commit(name, 1, offset=offset) for name, offset in offsets.items()]
    rows += [commit("sum", 1, topic, offset=0) for topic in ("long", "longer")]
    logs = [{"topic": topic, "log_end": most} for topic in ("long", "longer")]
    judged = judge(spark, World(rows, {row["group"]: {} for row in rows}, partitions=[{}, *logs]))
    lags = {row["group"]: (row["lag"], row["known_lag"]) for row in judged.groups}
    known = {"start": 10, "end": 0, "beyond": 0, "negative": None, "least": None, "sum": None}
    assert lags == {name: (lag, lag) for name, lag in known.items()}
    assert sorted(row["lag"] for row in judged.offsets if row["group"] == "sum") == [most, most]
