# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows that the report shows, from the tables of the audit."""

from __future__ import annotations

import collections
import datetime
import typing as t

from ..judge import findings
from ..judge.caveats import AHEAD
from ..libraries import pa

Row = dict[str, t.Any]


def groups(table: list[Row], found: list[Row], now: datetime.datetime) -> list[Row]:
    """Return the groups as the report shows them: with their age in days, and how many offsets are of no use."""
    wasted = collections.Counter(row["group"] for row in found if row["kind"] in findings.WASTE)
    return [
        {
            **row,
            "age_days": _age(row["idle_since"], now),
            "wasted_partitions": row["partitions"] if row["stale"] else wasted[row["group"]],
        }
        for row in table
    ]


def _age(since: datetime.datetime | None, now: datetime.datetime) -> float | None:
    """Return an age in days, None if it cannot be told; a group may have committed while the audit ran."""
    if since is None or since > now + AHEAD:
        return None
    return max(0.0, (now - since).total_seconds() / 86_400)


def activity(table: pa.Table) -> list[Row]:
    """Return commits, tombstones and rebalances of all groups together, by day."""
    meters = ("commits", "tombstones", "rebalances")
    summed = table.group_by("day").aggregate([(name, "sum") for name in meters]).sort_by("day")
    return summed.rename_columns({f"{name}_sum": name for name in meters}).to_pylist()
