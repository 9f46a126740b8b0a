# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From rows of the scan and what the cluster says to tables and findings: real Spark, made-up rows."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit import findings, records, transforms
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.findings import Criteria
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.transforms import LiveFrames
from pyspark.sql import DataFrame, SparkSession

from tests.support.spark import local_session

Row = dict[str, Any]

NOW = datetime.datetime(2026, 6, 1, 12, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)
RETENTION = 7 * 86_400_000
CRITERIA = Criteria(NOW - 30 * DAY, "30d", unread=(9,))


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with local_session() as session:
        yield session


def ms(days_ago: float) -> int:
    """A time so many days before NOW."""
    return int((NOW - days_ago * DAY).timestamp() * 1000)


def commit(group: str, days_ago: float, topic: str = "t", offset: int = 5, **more: Any) -> Row:
    time = ms(days_ago)
    record = {"kind": "offset_commit", "source_partition": 0, "source_offset": 1, "timestamp": time, "tombstone": False}
    key = {"group": group, "topic": topic, "partition": 0}
    return record | key | {"offset": offset, "leader_epoch": -1, "metadata": "", "commit_time": time} | more


def group_record(group: str, days_ago: float, kind: str = "group_metadata", members: int = 0, **more: Any) -> Row:
    time = ms(days_ago)
    member = {"member_id": "m", "client_id": "c", "client_host": "h"}
    record = {"kind": kind, "source_partition": 0, "source_offset": 2, "timestamp": time, "tombstone": False}
    return (
        record | {"group": group, "protocol_type": "consumer", "state_time": time, "members": [member] * members} | more
    )


def active(group: str, days_ago: float, commits: int = 1) -> Row:
    meters = {"commits": commits, "tombstones": 1, "rebalances": 0}
    day = {"day": ms(days_ago) // 86_400_000, "timestamp": ms(days_ago) if commits else None}
    return {"kind": "activity", "source_partition": 0, "group": group, **day, **meters}


def undecodable(**known: Any) -> Row:
    return {"kind": "undecodable", "source_partition": 0, "source_offset": 3, "problem": "it is too short", **known}


class World:
    """What the topic holds, and what the cluster says; by default every commit is live, of topic C(t), 0 to 10."""

    def __init__(self, rows: list[Row], live: Mapping[str, Row], **more: Any) -> None:
        self.rows = rows
        listed = {"type": "classic", "state": "Empty", "protocol_type": "consumer", "members": 0, "included": True}
        self.groups = [{"group": name, **listed, **said} for name, said in live.items()]
        moved = more.get("live_offsets", {})
        self.offsets = [
            {
                "group": row["group"],
                "topic": row["topic"],
                "partition": 0,
                "live_offset": moved.get(row["group"], row["offset"]),
            }
            for row in rows
            if row["kind"] == "offset_commit" and not row["tombstone"] and moved.get(row["group"], 0) is not None
        ]
        self.subscriptions = more.get("subscriptions", [])
        topic = {"topic": "t", "partition": 0, "exists": True, "current_topic_id": "A", "log_start": 0, "log_end": 10}
        self.partitions = [{**topic, **each} for each in more.get("partitions", [{}])]

    def add(self, other: World, number: int) -> None:
        """Add another world, with names of its own for groups and topics."""
        for mine, others in zip(self._parts(), other._parts(), strict=True):
            mine += [
                {key: f"{value}-{number}" if key in ("group", "topic") else value for key, value in row.items()}
                for row in others
            ]

    def _parts(self) -> list[list[Row]]:
        return [self.rows, self.groups, self.offsets, self.subscriptions, self.partitions]

    def frames(self, spark: SparkSession) -> LiveFrames:
        """The tables that the cluster gives."""
        string, int32, int64, boolean = pa.string(), pa.int32(), pa.int64(), pa.bool_()
        group: dict[str, pa.DataType] = {
            "group": string,
            "type": string,
            "state": string,
            "protocol_type": string,
            "members": int32,
        }
        partition: dict[str, pa.DataType] = {
            "topic": string,
            "partition": int32,
            "exists": boolean,
            "current_topic_id": string,
        }

        def frame(rows: list[Row], columns: Mapping[str, pa.DataType]) -> DataFrame:
            return spark.createDataFrame(pa.Table.from_pylist(rows, schema=pa.schema(list(columns.items()))))

        return LiveFrames(
            groups=frame(self.groups, {**group, "included": boolean}),
            offsets=frame(self.offsets, {"group": string, "topic": string, "partition": int32, "live_offset": int64}),
            subscriptions=frame(self.subscriptions, {"group": string, "topic": string, "subscribed": boolean}),
            partitions=frame(self.partitions, {**partition, "log_start": int64, "log_end": int64}),
            small=frozenset(),
            retention=RETENTION,
        )


class Judged(NamedTuple):
    """The tables."""

    offsets: list[Row]
    groups: list[Row]
    findings: list[Row]


def judge(spark: SparkSession, world: World) -> Judged:
    """Run the pipeline on a world."""
    scan = spark.createDataFrame(pa.Table.from_pylist(world.rows, schema=records.schema()))
    live = world.frames(spark)
    log_groups, undecoded = transforms.metadata(scan), transforms.undecodable(scan)
    offsets = transforms.offsets(transforms.commits(scan), log_groups, live)
    groups = findings.judged(
        transforms.groups(offsets, log_groups, transforms.activity(scan), undecoded, live), CRITERIA
    )
    found = findings.findings(groups, offsets, undecoded, CRITERIA)
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
    # times that no calendar has
    (World([commit("g", 31, expire_time=2**62)], {"g": {}}), [("stale_group", True)]),
    (World([commit("g", 31, commit_time=2**62)], {"g": {}}), [("stale_group", True)]),
    (World([commit("g", 31, commit_time=2**62, timestamp=2**62)], {"g": {}}), []),
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
            undecodable(),
        ],
        {"g": {}, "new": {"type": "share", "protocol_type": "share"}},
    )
    judged = judge(spark, world)
    assert [(row["kind"], row["group"]) for row in judged.findings] == [("undecodable", None)]
    groups = {row["group"]: row for row in judged.groups}
    assert sorted(groups) == ["g", "hidden", "new"]
    counted = {"topics": 2, "partitions": 2, "commits": 6, "tombstones": 1, "rebalances": 3, "undecodable": 0}
    assert groups["g"].items() >= counted.items()
    assert groups["g"]["last_commit"] == NOW - 2 * DAY
    assert groups["g"]["idle_since"] == NOW - DAY
    # the log of topic u is not known, and half a sum would look like a group that has caught up
    assert groups["g"]["lag"] is None
    assert groups["hidden"].items() >= {"lag": 5, "state": None, "stale": False}.items()
    assert groups["new"].items() >= {"lag": 0, "partitions": 0, "last_commit": None, "type": "share"}.items()
