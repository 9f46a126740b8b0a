# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Since when snapshots show a group and an offset idle, and the audit of it: real Spark, made-up snapshots."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import from_snapshots, pipeline
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.facts import Facts
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.folders import LocalFolder
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.publish import publish
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.snapshots import (
    GROUPS,
    OFFSETS,
    PARTITIONS,
    VERSION,
    Snapshots,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.store import Store
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import records
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge import snapshot
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge.observed import Observation
from ansible_collections.kafkaops.groups.plugins.module_utils._files import plan as plan_file
from ansible_collections.kafkaops.groups.plugins.module_utils._files.plan import Plan
from pyspark.sql import SparkSession

from tests.live.task import audit_settings
from tests.support import tables
from tests.support.spark import local_session
from tests.support.worlds import DAY, NOW, Row, World, commit

#: When snapshots were taken, in days before the last one. Of the fourth, a broker did not list its groups.
DAYS = (40, 35, 31, 20, 15, 10, 5, 0)
INCOMPLETE = 3
LEAST = 4
#: Of the columns, for each version of the tables of snapshots.
FINGERPRINTS = {1: "08f3780e74cb8697"}


@dataclasses.dataclass(frozen=True)
class Seen:
    """What a snapshot shows of a group; `offsets` has the offset of each topic, None if they were not fetched."""

    offsets: dict[str, int] | None = dataclasses.field(default_factory=lambda: {"t": 5})
    state: str | None = "Empty"
    members: int | None = 0
    type: str | None = "classic"
    protocol_type: str | None = "consumer"
    topic_id: str | None = "A"
    leader_epoch: int = -1
    metadata: str = ""

    def but(self, **changes: Any) -> Seen:
        return dataclasses.replace(self, **changes)


IDLE = Seen()
USED = Seen(state="Stable", members=1)
#: Its coordinator does not respond, to one of the requests or to both.
UNKNOWN = Seen(state=None, members=None, offsets=None)
UNFETCHED = IDLE.but(offsets=None)
OTHER = IDLE.but(offsets={"t": 4})
#: The snapshots do not have the group.
NO = None


class Case(NamedTuple):
    """What the snapshots show of a group, oldest first, and what is known from this.

    The numbers are those of snapshots: since when the group is idle and its offsets are unchanged, and how many
    snapshots show it idle.
    """

    seen: Sequence[Seen | None]
    idle: int | None
    unchanged: int | None
    snapshots: int | None
    stale: bool = False
    planned: bool = False


STALE = {"stale": True, "planned": True}
CASES: dict[str, Case] = {
    "idle": Case([IDLE] * 8, 0, 0, 8, **STALE),
    "commits-each-time": Case([IDLE.but(offsets={"t": n}) for n in range(8)], 7, 7, 1),
    "committed-before-the-limit": Case([OTHER, OTHER] + [IDLE] * 6, 2, 2, 6, **STALE),
    "committed-after-the-limit": Case([OTHER] * 3 + [IDLE] * 5, 3, 3, 5),
    # the value of today is not the only one that counts
    "went-back-to-an-earlier-offset": Case([IDLE] * 3 + [OTHER] + [IDLE] * 4, 4, 4, 4),
    "another-epoch": Case([IDLE.but(leader_epoch=3)] * 5 + [IDLE] * 3, 5, 5, 3),
    "another-metadata": Case([IDLE.but(metadata="x")] * 5 + [IDLE] * 3, 5, 5, 3),
    # use without a commit
    "members-now": Case([IDLE] * 7 + [USED], 7, 0, 1),
    "members-once": Case([IDLE] * 4 + [USED] + [IDLE] * 3, 5, 0, 3),
    "members-before-the-limit": Case([USED] * 2 + [IDLE] * 6, 2, 0, 6, **STALE),
    "members-until-the-limit": Case([USED] * 3 + [IDLE] * 5, 3, 0, 5),
    "not-empty": Case([IDLE] * 6 + [IDLE.but(state="PreparingRebalance"), IDLE], 7, 0, 1),
    # a snapshot with members counts, also if the offsets could not be fetched
    "members-but-no-offsets": Case([IDLE] * 4 + [USED.but(offsets=None)] + [IDLE] * 3, 5, 0, 3),
    # unknown is no evidence: neither of use, nor of an idle group
    "unknown-once": Case([IDLE] * 4 + [UNKNOWN] + [IDLE] * 3, 0, 0, 7, **STALE),
    "unknown-most-times": Case([IDLE, UNKNOWN, UNFETCHED, UNKNOWN, UNKNOWN, UNKNOWN, IDLE, IDLE], 0, 0, 3),
    "unknown-at-first": Case([UNKNOWN] * 3 + [IDLE] * 5, 3, 3, 5),
    "unknown-when-it-changed": Case([OTHER] * 2 + [UNKNOWN] + [IDLE] * 5, 3, 3, 5),
    "unknown-now": Case([IDLE] * 7 + [UNKNOWN], None, None, None),
    "unfetched-now": Case([IDLE] * 7 + [UNFETCHED], None, None, None),
    # offsets of a group that could not be described are no less true
    "undescribed-with-another-offset": Case([IDLE] * 3 + [OTHER.but(state=None, members=None)] + [IDLE] * 4, 4, 4, 4),
    # a group that was not there is another group
    "new": Case([NO] * 6 + [IDLE] * 2, 6, 6, 2),
    "created-again": Case([IDLE] * 4 + [NO] + [IDLE] * 3, 5, 5, 3),
    "not-listed-once": Case([IDLE] * 3 + [NO] + [IDLE] * 4, 0, 0, 7, **STALE),
    # offsets that come and go
    "offset-added": Case([IDLE] * 4 + [IDLE.but(offsets={"t": 5, "u": 1})] * 4, 4, 4, 4),
    "offset-removed": Case([IDLE.but(offsets={"t": 5, "u": 1})] * 4 + [IDLE] * 4, 4, 4, 4),
    "offset-removed-and-restored": Case([IDLE] * 4 + [IDLE.but(offsets={})] + [IDLE] * 3, 5, 5, 3),
    "no-offsets": Case([IDLE.but(offsets={})] * 8, 0, 0, 8, stale=True),
    # the topic
    "topic-created-again": Case([IDLE.but(topic_id="B")] * 5 + [IDLE] * 3, 5, 5, 3),
    "topic-unknown-once": Case([IDLE] * 4 + [IDLE.but(topic_id=None)] + [IDLE] * 3, 0, 0, 8, **STALE),
    "topic-unknown-now": Case([IDLE] * 7 + [IDLE.but(topic_id=None)], 7, 7, 1),
    "topic-never-known": Case([IDLE.but(topic_id=None)] * 8, 0, 0, 8, **STALE),
    # the type
    "converted": Case([IDLE.but(type="consumer")] * 5 + [IDLE] * 3, 5, 0, 3),
    "joined-once": Case([IDLE.but(protocol_type="")] * 5 + [IDLE] * 3, 5, 0, 3),
    "type-unknown-once": Case([IDLE] * 4 + [IDLE.but(type=None, protocol_type=None)] + [IDLE] * 3, 0, 0, 8, **STALE),
    # never stale
    "share": Case([IDLE.but(type="share", protocol_type="share", offsets=None)] * 8, 0, 0, 8),
    "connect": Case([IDLE.but(protocol_type="connect")] * 8, 0, 0, 8),
    # members that do not commit, or do not subscribe to the topic of an offset (see `audited`)
    "no-commits": Case([USED] * 8, 7, 0, 1),
    "unsubscribed": Case([USED] * 4 + [USED.but(offsets={"t": 5, "u": 1})] * 4, 7, 4, 1),
    # also in use: no snapshot shows since when the members do not subscribe to the topic
    "unsubscribed-and-equal": Case([USED.but(offsets={"t": 5, "u": 1})] * 8, 7, 0, 1),
    "unsubscribed-for-long": Case([USED.but(offsets={"t": 5, "u": n}) for n in range(8)], 7, 7, 1),
    # between the snapshot and the plan
    "committed-meanwhile": Case([IDLE] * 8, 0, 0, 8),
}
#: Groups that are gone now.
GONE: dict[str, Sequence[Seen | None]] = {"deleted": [IDLE] * 7 + [NO]}


class Audited(NamedTuple):
    answer: Row
    groups: dict[str, Row]
    offsets: list[Row]
    findings: list[Row]
    plan: Plan
    page: str
    columns: tables.Columns


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Audited:
    """All cases in one audit, which follows seven others, in a location with the snapshots of another cluster."""
    output = tmp_path_factory.mktemp("observed")
    settings = audit_settings(output, source="snapshots", stale_after="30d", min_snapshots=LEAST)
    with local_session() as spark:
        snapshots = Snapshots(LocalFolder(str(output), []), "mine")
        stories = {name: case.seen for name, case in CASES.items()} | GONE
        for number in range(len(DAYS)):
            seen = {name: story[number] for name, story in stories.items()}
            _add(spark, snapshots, number, seen)
            _add(spark, Snapshots(LocalFolder(str(output), []), "other"), number, dict.fromkeys(seen, USED))
        known = snapshots.listed()
        assert [(NOW - one.taken_at) / DAY for one in known] == list(DAYS)
        world = _world({name: case.seen[-1] for name, case in CASES.items()})
        facts = Facts("mine", NOW, 0.0, 0, {}, [], None, observation=Observation(len(known), known[0].taken_at))
        nothing = spark.createDataFrame(records.schema().empty_table())
        shown = from_snapshots.observe(spark, snapshots, known, 0)
        compared = pipeline.compare(
            settings,
            facts,
            nothing,
            world.frames(spark),
            lambda names: from_snapshots.visible(world.fetch(names)),
            shown,
        )
        answer = publish(settings, facts, compared, Store.of(spark, settings))
        columns = _written(spark, Snapshots(LocalFolder(str(output), []), "empty"), world)
    rows = {name: pq.read_table(path).to_pylist() for name, path in answer["tables"].items()}
    return Audited(
        answer,
        {row["group"]: row for row in rows["groups"]},
        rows["offsets"],
        rows["findings"],
        plan_file.read(answer["plan"], "mine"),
        Path(answer["report"]).read_text("utf-8"),
        columns,
    )


def _written(spark: SparkSession, snapshots: Snapshots, world: World) -> tables.Columns:
    """The columns of a snapshot without groups, as the audit writes them."""
    groups, offsets = (schema.empty_table() for schema in (snapshot._group_schema(), snapshot._offset_schema()))
    live: Any = SimpleNamespace(complete=True)
    taken = snapshot.Taken(live, groups, offsets, pa.table({}))
    from_snapshots._add(spark, snapshots, NOW, taken, world.frames(spark))
    found = {name: snapshots.table(spark, snapshots.listed(), name) for name in (GROUPS, OFFSETS, PARTITIONS)}
    return {name: [("cluster_id", "string"), *frame.dtypes] for name, frame in found.items()}


def _add(spark: SparkSession, snapshots: Snapshots, number: int, seen: dict[str, Seen | None]) -> None:
    """Write a snapshot."""
    groups, offsets = [], []
    for name, one in seen.items():
        if one is None:
            continue
        found = None if one.offsets is None else snapshot._digest(dict.fromkeys(one.offsets))  # type: ignore[arg-type]
        known = one.state is not None and (found is not None or one.type == "share")
        kept = {"type": one.type, "state": one.state, "protocol_type": one.protocol_type, "members": one.members}
        groups.append({"group": name, **kept, "known": known, "partition_set": found})
        offsets += [
            {
                "group": name,
                "topic": topic,
                "partition": 0,
                "offset": offset,
                "leader_epoch": one.leader_epoch,
                "metadata": one.metadata,
                "topic_id": one.topic_id,
            }
            for topic, offset in (one.offsets or {}).items()
        ]
    columns = snapshot._offset_schema().append(pa.field("topic_id", pa.string()))
    tables = {
        GROUPS: spark.createDataFrame(pa.Table.from_pylist(groups, schema=snapshot._group_schema())),
        OFFSETS: spark.createDataFrame(pa.Table.from_pylist(offsets, schema=columns)),
        PARTITIONS: spark.range(0),
    }
    snapshots.add(NOW - DAYS[number] * DAY, number != INCOMPLETE, tables, len(offsets))


def _world(now: dict[str, Seen | None]) -> World:
    """The cluster after the last snapshot."""
    world = World([], {}, partitions=[{}, {"topic": "u", "current_topic_id": "A"}])
    for name, one in now.items():
        if one is None:
            continue
        moved = {name: 6} if name == "committed-meanwhile" else {}
        said = {"type": one.type, "state": one.state, "protocol_type": one.protocol_type, "members": one.members}
        reads = {"subscription": {"topics": ["t"], "subscription_known": True}} if one.members else {}
        rows = [commit(name, 0, topic, offset) for topic, offset in (one.offsets or {}).items()]
        world.add(World(rows, {name: said}, live_offsets=moved, partitions=[], **reads))
    return world


def at(number: int | None) -> Any:
    return None if number is None else NOW - DAYS[number] * DAY


@pytest.mark.parametrize("name", CASES)
def test_since_when_a_group_is_idle(audited: Audited, name: str) -> None:
    case, row = CASES[name], audited.groups[name]
    shown = (row["idle_since"], row["unchanged_since"], row["snapshots"], row["stale"])
    assert shown == (at(case.idle), at(case.unchanged), case.snapshots, case.stale)
    found = [one for one in audited.findings if one["group"] == name and one["kind"] == "stale_group"]
    assert [one["planned"] for one in found] == ([case.planned] if case.stale else [])


def test_a_group_that_is_gone_is_not_in_the_tables(audited: Audited) -> None:
    assert audited.groups.keys() == CASES.keys()


def test_the_longest_gap(audited: Audited) -> None:
    day = 86_400
    gaps = {name: audited.groups[name]["longest_gap"] for name in ("idle", "unknown-once", "members-once", "new")}
    # without the snapshot that does not know the group
    assert gaps == {"idle": 11 * day, "unknown-once": 11 * day, "members-once": 5 * day, "new": 5 * day}
    assert audited.groups["unknown-most-times"]["longest_gap"] == 35 * day
    assert audited.groups["members-now"]["longest_gap"] is None


def test_offsets_have_times_of_their_own(audited: Audited) -> None:
    found = {
        (row["group"], row["topic"]): (row["unchanged_since"], row["snapshots"])
        for row in audited.offsets
        if row["group"].startswith(("unsubscribed", "unknown-now", "offset-added", "members-now"))
    }
    assert found == {
        ("unsubscribed", "t"): (at(4), 4),
        ("unsubscribed", "u"): (at(4), 4),
        ("unsubscribed-and-equal", "t"): (at(0), 8),
        ("unsubscribed-and-equal", "u"): (at(0), 8),
        ("unsubscribed-for-long", "t"): (at(0), 8),
        ("unsubscribed-for-long", "u"): (at(7), 1),
        ("offset-added", "t"): (at(4), 4),
        ("offset-added", "u"): (at(4), 4),
        ("members-now", "t"): (at(0), 8),
    }


def test_findings(audited: Audited) -> None:
    others = {
        (row["group"], row["kind"], row["topic"], row["planned"])
        for row in audited.findings
        if row["kind"] != "stale_group"
    }
    assert others == {
        ("no-commits", "no_commits", None, False),
        ("members-now", "no_commits", None, False),
        ("unsubscribed", "unsubscribed", "u", False),
        ("unsubscribed-and-equal", "unsubscribed", "u", False),
        ("unsubscribed-and-equal", "no_commits", None, False),
        ("unsubscribed-for-long", "unsubscribed", "u", False),
    }
    evidence = {
        row["group"]: row["evidence"] for row in audited.findings if row["kind"] in ("stale_group", "no_commits")
    }
    assert evidence["unknown-once"] == (
        "Empty; without use, observed since 2026-04-22T12:00:00Z in 7 snapshots, at most 11 d apart "
        "(stale_after is 30d)."
    )
    assert evidence["no-commits"] == (
        "The group is Stable with 1 member(s), and its committed offsets are unchanged, observed since "
        "2026-04-22T12:00:00Z."
    )
    actions = {row["group"]: row["action"] for row in audited.findings}
    assert actions["no-offsets"] == "Not in the plan: its committed offsets in the cluster are unknown."
    assert actions["unsubscribed"] == (
        "Not in the plan: snapshots do not show how long no member has subscribed to the topic."
    )


def test_the_plan_expects_the_offsets_of_the_cluster(audited: Audited) -> None:
    planned = {
        group.group: {tuple(where): offset for where, offset in group.offsets.items()}
        for group in audited.plan.delete_groups
    }
    assert planned == {name: {("t", 0): 5} for name, case in CASES.items() if case.planned}
    assert audited.plan.criteria["source"] == "snapshots"
    assert audited.answer["stale_groups"] == sorted(name for name, case in CASES.items() if case.stale)
    assert audited.answer["snapshots"] == {"count": 8, "since": "2026-04-22T12:00:00+00:00"}


def test_nothing_is_invented(audited: Audited) -> None:
    for name in ("last_commit", "expires", "commits", "tombstones", "rebalances", "undecodable"):
        assert {row[name] for row in audited.groups.values()} == {None}, name
    for name in ("commit_time", "record_time", "expire_time", "topic_id", "source_offset"):
        assert {row[name] for row in audited.offsets} == {None}, name
    for text in ("8 snapshots, observed since 2026-04-22 12:00 UTC", "A commit of an equal offset is not visible"):
        assert text in audited.page
    for text in ("records of", "Records read", "Last commit", "last commit", "Rebalances", "Commits"):
        assert text not in audited.page, text


def test_the_guide_has_all_columns_of_snapshots(audited: Audited) -> None:
    guide, columns = tables.described("audit_snapshots.rst", (GROUPS, OFFSETS, PARTITIONS))
    assert f"version {VERSION} of the tables of snapshots" in " ".join(guide.split())
    assert columns == audited.columns


def test_a_change_of_the_columns_of_snapshots_is_another_version(audited: Audited) -> None:
    """A new column is not: only then, replace the fingerprint of the version."""
    assert FINGERPRINTS[VERSION] == tables.fingerprint(audited.columns)
