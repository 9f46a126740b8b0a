# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan from the findings: what consumer_group and consumer_group_offsets may delete, with the expected state."""

from __future__ import annotations

import collections
import typing as t

from ..._files.plan import Judged, PlannedGroup, PlannedOffset
from ..._kafka.model import TopicPartition
from ..libraries import pa, pc
from .findings import STALE_GROUP
from .owners import Rule

Row = dict[str, t.Any]


def delete_groups(found: list[Row], groups: dict[str, Row], offsets: pa.Table) -> list[PlannedGroup]:
    """Return the planned stale groups, each with its committed offsets as the cluster returns them.

    Args:
        found: the table C(findings).
        groups: the table C(groups), by name.
        offsets: the table C(offsets).
    """
    evidence = {row["group"]: row["evidence"] for row in _planned(found) if row["kind"] == STALE_GROUP}
    committed: dict[str, dict[TopicPartition, int]] = collections.defaultdict(dict)
    for row in _offsets_of(evidence, offsets):
        # brokers do not return negative offsets, and a plan contains what brokers return
        if row["offset"] < 0:
            continue
        committed[row["group"]][TopicPartition(row["topic"], row["partition"])] = row["offset"]
    return [
        PlannedGroup(
            name,
            groups[name]["type"],
            groups[name]["state"],
            evidence[name],
            committed[name],
            groups[name]["owner"],
        )
        for name in sorted(evidence)
    ]


def delete_offsets(found: list[Row], groups: dict[str, Row], offsets: pa.Table) -> list[PlannedOffset]:
    """Return the planned offsets of groups that are not deleted; arguments as for `delete_groups`."""
    # an offset can have two findings
    evidence = {
        (row["group"], row["topic"], row["partition"]): row["evidence"]
        for row in _planned(found)
        if row["kind"] != STALE_GROUP
    }
    planned = []
    for row in _offsets_of({group for group, _topic, _partition in evidence}, offsets):
        where = (row["group"], row["topic"], row["partition"])
        if where in evidence:
            group = groups[row["group"]]
            place = TopicPartition(row["topic"], row["partition"])
            planned.append(
                PlannedOffset(
                    row["group"], group["type"], group["state"], place, row["offset"], evidence[where], group["owner"]
                )
            )
    return sorted(planned, key=lambda each: (each.group, each.where))


def judged(groups: t.Collection[Row]) -> Judged:
    """Return how many groups there are, and how many offsets they hold."""
    return Judged(len(groups), sum(row["partitions"] for row in groups))


def judged_by_owner(groups: t.Iterable[Row], rules: t.Iterable[Rule]) -> dict[str, Judged] | None:
    """Return the same for each owner, also for those without a group; None if the audit knows no owners."""
    owned: dict[str, list[Row]] = {rule.owner: [] for rule in rules}
    for row in groups:
        if row["owner"] is not None:
            owned[row["owner"]].append(row)
    return {owner: judged(mine) for owner, mine in sorted(owned.items())} or None


def _planned(found: list[Row]) -> list[Row]:
    return [row for row in found if row["planned"]]


def _offsets_of(names: t.Iterable[str], offsets: pa.Table) -> list[Row]:
    """Return the rows of some groups; only these rows are converted to Python values."""
    mine = pc.is_in(offsets["group"], value_set=pa.array(sorted(names), pa.string()))
    rows: list[Row] = offsets.select(["group", "topic", "partition", "offset"]).filter(mine).to_pylist()
    return rows
