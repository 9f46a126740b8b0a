# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From rows of the scan and what the cluster says to tables and findings: real Spark, made-up rows."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import pipeline
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.facts import Facts
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.publish import publish
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.store import TABLES_VERSION, Store
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.tables import NAMES
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge import caveats
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge import plan as judge_plan
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge.owners import Rule
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.report import charts
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.report import rows as report_rows
from ansible_collections.kafkaops.groups.plugins.module_utils._files import plan as plan_file
from ansible_collections.kafkaops.groups.plugins.module_utils._files.plan import Plan
from pyspark.sql import DataFrame, SparkSession

from tests.live.task import audit_settings
from tests.support import audits, tables
from tests.support.spark import local_session
from tests.support.worlds import DAY, NOW, Row, World, active, commit, group_record, ms, undecodable

# a partition of the offsets topic that was not read completely
UNREAD = 9
MOST = 2**63 - 1
# of the columns, for each version of the tables
FINGERPRINTS = {1: "c76d89c1e7293e5f"}


class Judged(NamedTuple):
    """The groups whose offsets were fetched, what the audit returned, its tables, and its plan."""

    asked: set[str]
    answer: Row
    offsets: list[Row]
    groups: list[Row]
    findings: list[Row]
    plan: Plan
    counts: Row
    shown: report_rows.Groups
    first_findings: list[Row]
    ages: charts.Buckets
    owners: list[Row]
    first_of_owners: dict[str | None, list[Row]]
    by_owner: dict[str, plan_file.Judged]
    columns: tables.Columns


OWNERS = [("g", "team-a"), ("share", "team-b"), ("of no table", "team-c")]
OWNER_NAMES = ("team-a", "team-b", "team-c")
AT_WORK = {"state": "Stable", "members": 1}
NOT_READ: Row = {"topics": ["u"], "subscription_known": True}
READ: Row = {"topics": ["t", "u"], "subscription_known": True}
UNKNOWN: Row = {"topics": ["u"], "subscription_known": False}
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
    # not stale: it has committed since the scan, and also what the scan does not have
    (World([commit("g", 31)], {"g": {}}, live_offsets={"g": 6}), []),
    (World([commit("g", 31)], {"g": {}}, since=[{**commit("g", 0, "new"), "live_offset": 1}]), []),
    (World([group_record("g", 31)], {"g": {}}, since=[{**commit("g", 0), "live_offset": 1}]), []),
    (
        World([commit("g", 31, offset=-1)], {"g": {}}, since=[{**commit("g", 0, "new"), "live_offset": 1}]),
        [("negative_offset", False)],
    ),
    # its offsets cannot be fetched
    (World([commit("g", 31)], {"g": {}}, refused=True), [("stale_group", False)]),
    (World([group_record("g", 31)], {"g": {}}, refused=True), [("stale_group", False)]),
    (
        World([commit("g", 31), commit("g", 1, "u")], {"g": AT_WORK}, subscription=NOT_READ, refused=True),
        [("unsubscribed", False)],
    ),
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
        World([commit("g", 31, commit_time=2**62, timestamp=-5)], {"g": AT_WORK}, subscription=NOT_READ),
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
            subscription=NOT_READ,
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
        World([commit("g", 31), commit("g", 1, "u")], {"g": AT_WORK}, subscription=NOT_READ),
        [("unsubscribed", True)],
    ),
    (World([commit("g", 29)], {"g": AT_WORK}, subscription=NOT_READ), [("unsubscribed", False)]),
    (World([commit("g", 29)], {"g": AT_WORK}, subscription=READ), []),
    (World([commit("g", 29)], {"g": AT_WORK}, subscription=UNKNOWN), []),
    (
        World([commit("g", 31), commit("g", 1, "u")], {"g": {**AT_WORK, "included": False}}, subscription=NOT_READ),
        [],
    ),
    # the offset has changed, or is gone, since the scan
    (
        World([commit("g", 31), commit("g", 1, "u")], {"g": AT_WORK}, subscription=NOT_READ, live_offsets={"g": 6}),
        [("unsubscribed", False)],
    ),
    (
        World([commit("g", 31), commit("g", 1, "u")], {"g": AT_WORK}, subscription=NOT_READ, live_offsets={"g": None}),
        [("unsubscribed", False)],
    ),
    # a pattern subscribes to the topic, or to others
    (
        World(
            [commit("g", 31), commit("g", 1, "u")],
            {"g": AT_WORK},
            subscription={"topics": [], "patterns": ["x", "[tu]"], "subscription_known": True},
            patterns={"[tu]": ["u", "t"], "x": []},
        ),
        [],
    ),
    (
        World(
            [commit("g", 31), commit("g", 1, "u")],
            {"g": AT_WORK},
            subscription={"topics": [], "patterns": ["u"], "subscription_known": True},
            patterns={"u": ["u"]},
        ),
        [("unsubscribed", True)],
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
            subscription=READ,
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
EXPIRY: list[tuple[Row, Row, Row, float | None]] = [
    # a classic group: since it is Empty, else since the commit (KIP-211)
    (commit("g", 3), {}, {}, 2),
    (commit("g", 3), {"protocol_type": ""}, {}, 3),
    (commit("g", 3), {"type": "consumer"}, {}, 3),
    # at work: only topics without a subscription (KIP-496)
    (commit("g", 3), AT_WORK, READ, None),
    (commit("g", 3), AT_WORK, NOT_READ, 3),
    (commit("g", 3), AT_WORK, UNKNOWN, None),
    (commit("g", 3), {**AT_WORK, "state": "PreparingRebalance"}, NOT_READ, None),
    (commit("g", 3), {**AT_WORK, "protocol_type": "connect"}, NOT_READ, None),
    (commit("g", 3), {**AT_WORK, "type": "consumer", "state": "Reconciling"}, NOT_READ, 3),
    # an explicit time comes first
    (commit("g", 3, expire_time=ms(-1)), AT_WORK, READ, 6),
    (commit("g", 3, expire_time=-1), {"protocol_type": ""}, {}, 3),
    # a time that no calendar has, explicit or in the sum
    (commit("g", 3, expire_time=2**63 - 1), {"protocol_type": ""}, {}, None),
    (commit("g", 3, expire_time=-(2**63)), {"protocol_type": ""}, {}, None),
    (commit("g", 3, commit_time=253_402_300_799_999), {"protocol_type": ""}, {}, None),
    (commit("g", 3, commit_time=2**63 - 1), {"protocol_type": ""}, {}, None),
    (commit("g", 3, commit_time=-(2**63)), {"protocol_type": ""}, {}, None),
    (commit("g", 3), {"state": None}, {}, None),
]


COUNTED = World(
    [
        commit("g", 3),
        commit("g", 2, "u", offset=7),
        group_record("g", 1),
        {**active("g", 4, commits=4), "tombstones": 1},
        {**active("g", 2, commits=2), "tombstones": 0, "rebalances": 3},
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
    partitions=[],
)
# of what a commit may hold; and two logs that nobody has, whose sum does not fit
LAGS = {"start": 10, "end": 0, "beyond": 0, "negative": None, "least": None, "sum": None}
LAGGING = World(
    [
        *(commit(name, 1, offset=offset) for name, offset in zip(LAGS, (0, 10, MOST, -1, -MOST - 1), strict=False)),
        *(commit("sum", 1, topic, offset=0) for topic in ("long", "longer")),
    ],
    {name: {} for name in LAGS},
    partitions=[{}, *({"topic": topic, "log_end": MOST} for topic in ("long", "longer"))],
)


AGES = [
    (-1.0, "none"),
    (-1 / 24, "<1h"),
    (0.0, "<1h"),
    (0.0416, "<1h"),
    (1 / 24, "<1d"),
    (0.99, "<1d"),
    (1.0, "<7d"),
    (7.0, "<30d"),
    (30.0, "<90d"),
    (90.0, "<1y"),
    (364.9, "<1y"),
    (365.0, "older"),
    (20000.0, "older"),
    (None, "none"),
]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """All cases in one audit: the groups and topics of case 3 are called C(g-3) and C(t-3)."""
    world = World([], {}, partitions=[])
    for number, (case, _found) in enumerate(FINDINGS):
        world.add(case, number)
    for number, (row, said, subscription, _days) in enumerate(EXPIRY, len(FINDINGS)):
        world.add(World([row, group_record("g", 2)], {"g": said}, subscription=subscription), number)
    world.add(COUNTED)
    world.owners = [{"group": name, "owner": owner} for name, owner in OWNERS]
    world.add(LAGGING)
    settings = audit_settings(tmp_path_factory.mktemp("judged"))
    facts = Facts("none", NOW, 0.0, len(world.rows), {UNREAD: "an open transaction"}, [], None)
    with local_session() as spark:
        compared = pipeline.compare(settings, facts, world.scan(spark), world.frames(spark), world.fetch)
        answer = publish(settings, facts, compared, Store.of(spark, settings))
        frames = {name: spark.read.parquet(path) for name, path in answer["tables"].items()}
        aggregates = [*caveats.counts(facts.criteria(settings), NOW), *report_rows.group_counts(NOW)]
        (counts,) = frames["groups"].agg(*aggregates).toArrow().to_pylist()
        (found,) = frames["findings"].agg(*report_rows.finding_counts()).toArrow().to_pylist()
        shown = report_rows.groups(frames["groups"], NOW)
        with mock.patch.object(report_rows, "MOST", 30):
            first = report_rows.findings(frames["findings"], report_rows.kinds(found))
        columns = {name: frame.dtypes for name, frame in frames.items()}
        owned = report_rows.owners(frames["groups"], frames["findings"])
        with mock.patch.multiple(report_rows, OWNERS=2, OWNED=2):
            first_owned = report_rows.of_owners(owned, frames["findings"])
        of_owners = judge_plan.judged_by_owner(frames["groups"], [Rule(["*"], name) for name in OWNER_NAMES])
        (bucketed,) = _aged(spark).agg(*report_rows.group_counts(NOW)).toArrow().to_pylist()
    offsets, groups, findings = (
        pq.read_table(answer["tables"][name]).to_pylist() for name in ("offsets", "groups", "findings")
    )
    plan = plan_file.read(answer["plan"], "none")
    return Judged(
        set(world.asked),
        answer,
        offsets,
        groups,
        findings,
        plan,
        counts,
        shown,
        first,
        report_rows.ages(bucketed),
        owned,
        first_owned,
        of_owners,
        columns,
    )


def _aged(spark: SparkSession) -> DataFrame:
    """Groups of each age of AGES, fresh and stale."""
    since = [None if days is None else NOW - days * DAY for days, _label in AGES]
    rows = [{"idle_since": at, "stale": stale, "lag": 0} for at in since for stale in (False, True)]
    columns: dict[str, pa.DataType] = {
        "idle_since": pa.timestamp("us", "UTC"),
        "stale": pa.bool_(),
        "lag": pa.int64(),
    }
    return spark.createDataFrame(pa.Table.from_pylist(rows, schema=pa.schema(columns)))


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


def test_the_plan_has_what_is_planned(judged: Judged) -> None:
    planned = [row for row in judged.findings if row["planned"]]
    groups = [row["group"] for row in planned if row["kind"] == "stale_group"]
    assert [planned.group for planned in judged.plan.delete_groups] == sorted(groups)
    offsets = {(row["group"], row["topic"], row["partition"]) for row in planned if row["kind"] != "stale_group"}
    assert [(each.group, *each.where) for each in judged.plan.delete_offsets] == sorted(offsets)
    evidence = {row["group"]: row["evidence"] for row in planned}
    assert all(evidence[each.group] == each.evidence for each in judged.plan.delete_groups)
    live = {(row["group"], row["topic"], row["partition"]): row["live_offset"] for row in judged.offsets}
    assert all(live[each.group, *each.where] == each.offset for each in judged.plan.delete_offsets)
    for each in judged.plan.delete_groups:
        shown = {key[1:]: offset for key, offset in live.items() if key[0] == each.group and offset is not None}
        assert {tuple(where): offset for where, offset in each.offsets.items()} == shown
    summary = judged.answer["summary"]
    assert (summary["delete_groups"], summary["delete_offsets"]) == (len(groups), len(offsets))
    assert judged.answer["stale_groups"] == sorted(row["group"] for row in judged.groups if row["stale"])


def test_only_the_offsets_that_decide_are_fetched(judged: Judged) -> None:
    """Those of groups that are idle in the topic, or with an offset that could be planned; others are unknown."""
    could = {row["group"] for row in judged.groups if row["stale"]} | {
        row["group"] for row in judged.findings if row["planned"]
    }
    moved = {row["group"] for row in judged.groups if (row["committed_since"] or 0) > 0}
    assert could | moved <= judged.asked
    assert len(judged.asked) < len(judged.groups) / 2
    unknown = {row["group"] for row in judged.groups if row["hidden"] is None}
    assert unknown == {row["group"] for row in judged.groups if row["committed_since"] is None}
    assert {row["group"] for row in judged.groups} - judged.asked <= unknown
    assert not [row for row in judged.offsets if row["group"] in unknown and row["live_offset"] is not None]
    assert not [row for row in judged.findings if row["group"] in unknown and row["planned"]]


def test_groups(judged: Judged) -> None:
    assert [(row["kind"], row["owner"]) for row in judged.findings if row["group"] is None] == [("undecodable", None)]
    groups = {
        row["group"]: row
        for row in judged.groups
        if row["group"] in ("g", "hidden", "no request", "new", "share", "half")
    }
    assert len(groups) == 6
    assert {name for name, row in groups.items() if not row["regular"]} == {"no request"}
    assert {name: row["owner"] for name, row in groups.items() if row["owner"]} == dict(OWNERS[:2])
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
        assert groups[name].items() >= shown.items()


def test_the_guide_has_all_columns(judged: Judged) -> None:
    guide, columns = tables.described("audit_tables.rst", NAMES)
    assert f"version {TABLES_VERSION} of the tables" in guide
    assert columns == judged.columns


def test_a_change_of_the_columns_is_another_version(judged: Judged) -> None:
    """A new column is not: only then, replace the fingerprint of the version."""
    assert FINGERPRINTS[TABLES_VERSION] == tables.fingerprint(judged.columns)


def test_owners(judged: Judged) -> None:
    assert judged.owners == audits.owners(judged.groups, judged.findings)
    assert [row["owner"] for row in judged.owners] == [None, "team-a", "team-b"]
    of_owners = {
        name: [row["partitions"] for row in judged.groups if row["owner"] == name and row["included"]]
        for name in OWNER_NAMES
    }
    assert judged.by_owner == {name: (len(mine), sum(mine)) for name, mine in of_owners.items()}
    assert judged.by_owner["team-c"] == (0, 0)
    # those without an owner, and the owner with most findings
    findings = {name: [row for row in judged.findings if row["owner"] == name] for name in (None, "team-a", "team-b")}
    assert list(judged.first_of_owners) == [None, max(("team-a", "team-b"), key=lambda name: len(findings[name]))]
    for name, first in judged.first_of_owners.items():
        assert len(first) == min(2, len(findings[name]))
        assert [row["planned"] for row in first] == sorted((row["planned"] for row in findings[name]), reverse=True)[:2]
    assert judged.by_owner["team-a"].offsets > 0


def test_lag(judged: Judged) -> None:
    lags = {row["group"]: (row["lag"], row["known_lag"]) for row in judged.groups if row["group"] in LAGS}
    assert lags == {name: (lag, lag) for name, lag in LAGS.items()}
    assert sorted(row["lag"] for row in judged.offsets if row["group"] == "sum") == [MOST, MOST]


def test_what_the_report_counts(judged: Judged) -> None:
    groups = judged.groups
    idle = [
        row for row in groups if row["committed_since"] is not None and (row["stale"] or row["committed_since"] > 0)
    ]
    committed = [row for row in groups if row["partitions"]]
    future = sorted(row["group"] for row in groups if row["idle_since"] and row["idle_since"] > NOW + DAY)
    expected = caveats.Counts(
        len(committed),
        sum(row["state"] is None for row in committed),
        len(future),
        future[0],
        sum(row["group"] in judged.asked and row["state"] == "Empty" for row in idle),
        sum(row["committed_since"] > 0 and row["state"] == "Empty" for row in idle),
    )
    assert {name: judged.counts[name] for name in caveats.Counts._fields} == expected._asdict()
    assert expected.moved == 5
    assert judged.counts["unknown_lags"] == sum(row["lag"] is None for row in groups)
    numbers = Counter(label for _days, label in AGES)
    assert judged.ages == {label: (numbers[label], numbers[label]) for label in charts.LABELS}


def test_what_the_report_lists(judged: Judged) -> None:
    by_name = sorted(judged.groups, key=lambda row: str(row["group"]))
    for listed, column in ((judged.shown.lags, "known_lag"), (judged.shown.unneeded, "unneeded_offsets")):
        most = sorted((row for row in by_name if (row[column] or 0) > 0), key=lambda row: -row[column])[: charts.TOP]
        assert [(row["group"], row[column]) for row in listed] == [(row["group"], row[column]) for row in most]
    assert len(judged.shown.listed) == len(judged.groups)
    stale = [row["stale"] for row in judged.shown.listed]
    assert stale == sorted(stale, reverse=True)
    # few of each kind, and all of the rare kinds
    all_kinds = Counter(row["kind"] for row in judged.findings)
    kinds = Counter(row["kind"] for row in judged.first_findings)
    assert kinds == report_rows.shares(all_kinds, 30)
    assert kinds.keys() == all_kinds.keys()
    assert {row["group"]: row["unneeded_offsets"] for row in judged.groups if row["stale"]} == {
        row["group"]: row["partitions"] for row in judged.groups if row["stale"]
    }
