# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan from the tables: what consumer_group and consumer_group_offsets may delete, with the expected state."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import typing as t

from ..._files.plan import Judged, PlannedGroup, PlannedOffset
from ..._kafka.model import TopicPartition
from ..libraries import DataFrame, F, pa, pc
from . import findings
from .findings import STALE_GROUP, Criteria
from .owners import Rule

# rows whose values exist as Python objects at the same time
_ROWS = 500
_T = t.TypeVar("_T")


def entries(groups: DataFrame, offsets: DataFrame, found: DataFrame, criteria: Criteria) -> DataFrame:
    """Return the stale groups, and the groups with planned offsets, each with its planned or expected offsets.

    Columns: C(group), C(type), C(state), C(owner), C(stale), C(planned), C(evidence) of a stale group, and C(offsets):
    a sorted list of C(topic), C(partition), C(offset) and, of a group that is not stale, C(evidence). The rows are
    sorted: stale groups first, of these the planned ones first.

    Args:
        groups, offsets, found: the tables C(groups), C(offsets) and C(findings).
    """
    stale = groups.filter("stale").select(
        "group",
        findings.stale_group(criteria)["evidence"].alias("evidence"),
        findings.stale_group(criteria)["planned"].alias("planned"),
    )
    # brokers do not return negative offsets, and a plan contains what brokers return
    expected = (
        offsets.filter("offset >= 0")
        .join(stale.filter("planned").select("group"), "group", "left_semi")
        .select("group", "topic", "partition", "offset", F.lit(None).cast("string").alias("evidence"))
    )
    # an offset can have two findings
    unneeded = (
        found.filter(F.col("planned") & (F.col("kind") != STALE_GROUP))
        .groupBy("group", "topic", "partition")
        .agg(F.min_by("evidence", "kind").alias("evidence"))
        .join(offsets.select("group", "topic", "partition", "offset"), ["group", "topic", "partition"])
        .select("group", "topic", "partition", "offset", "evidence")
    )
    of_groups = (
        expected.unionByName(unneeded)
        .groupBy("group")
        .agg(F.sort_array(F.collect_list(F.struct("topic", "partition", "offset", "evidence"))).alias("offsets"))
    )
    return (
        groups.select("group", "type", "state", "owner", "stale")
        .join(stale, "group", "left")
        .join(of_groups, "group", "left")
        .filter("stale or offsets is not null")
        .select("group", "type", "state", "owner", "stale", "planned", "evidence", "offsets")
        .orderBy(F.desc("stale"), F.desc("planned"), "group")
    )


@dataclasses.dataclass(frozen=True)
class Entries(c.Collection[_T]):
    """Entries of a plan, which exist one after the other: all of them may not fit into memory.

    Attributes:
        size: their number.
        rows: rows of `entries`.
        make: returns the entries of a row.
    """

    size: int
    rows: pa.Table
    make: c.Callable[[dict[str, t.Any]], c.Iterable[_T]]

    def __len__(self) -> int:
        return self.size

    def __contains__(self, entry: object) -> bool:
        return any(entry == other for other in self)

    def __iter__(self) -> c.Iterator[_T]:
        for batch in self.rows.to_batches(max_chunksize=_ROWS):
            for row in batch.to_pylist():
                yield from self.make(row)


class Planned(t.NamedTuple):
    """The names of the stale groups, and the entries of the plan."""

    stale: list[str]
    groups: c.Collection[PlannedGroup]
    offsets: c.Collection[PlannedOffset]


def planned(rows: pa.Table) -> Planned:
    """Return the plan of the rows of `entries`."""
    stale, certain = (pc.sum(rows[name]).as_py() or 0 for name in ("stale", "planned"))
    others = rows.slice(stale)
    names: list[t.Any] = rows["group"].slice(0, stale).to_pylist()
    return Planned(
        sorted(names),
        Entries(certain, rows.slice(0, certain), _group),
        Entries(pc.sum(pc.list_value_length(others["offsets"])).as_py() or 0, others, _offsets),
    )


def _group(row: dict[str, t.Any]) -> list[PlannedGroup]:
    committed = {TopicPartition(each["topic"], each["partition"]): each["offset"] for each in row["offsets"] or ()}
    return [PlannedGroup(row["group"], row["type"], row["state"], row["evidence"], committed, row["owner"])]


def _offsets(row: dict[str, t.Any]) -> c.Iterator[PlannedOffset]:
    for each in row["offsets"]:
        where = TopicPartition(each["topic"], each["partition"])
        yield PlannedOffset(
            row["group"], row["type"], row["state"], where, each["offset"], each["evidence"], row["owner"]
        )


def judged_by_owner(groups: DataFrame, rules: c.Iterable[Rule]) -> dict[str, Judged]:
    """Return how many groups and offsets were classified of each owner, also of those without a group.

    Args:
        groups: the table C(groups).
    """
    counted = (
        groups.filter("included and owner is not null")
        .groupBy("owner")
        .agg(F.count(F.lit(1)).alias("groups"), F.sum("partitions").alias("offsets"))
    )
    found = {row["owner"]: Judged(row["groups"], row["offsets"]) for row in counted.toArrow().to_pylist()}
    return {owner: found.get(owner, Judged(0, 0)) for owner in sorted({rule.owner for rule in rules})}
