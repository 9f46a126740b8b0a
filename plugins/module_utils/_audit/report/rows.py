# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows of the report, from the tables of the audit."""

from __future__ import annotations

import collections
import datetime
import typing as t

from ..judge import findings
from ..judge.caveats import FUTURE_TOLERANCE
from ..libraries import pa

Row = dict[str, t.Any]


def groups(table: list[Row], found: list[Row], now: datetime.datetime) -> list[Row]:
    """Return the groups with their idle time in days and their number of unneeded offsets."""
    unneeded = collections.Counter(row["group"] for row in found if row["kind"] in findings.UNNEEDED)
    return [
        {
            **row,
            "age_days": _age(row["idle_since"], now),
            "unneeded_offsets": row["partitions"] if row["stale"] else unneeded[row["group"]],
        }
        for row in table
    ]


def owners(table: list[Row], found: list[Row]) -> list[Row]:
    """Return how many groups, stale groups, findings and planned findings each owner has; those without an owner first.

    Args:
        table: the table C(groups).
        found: the table C(findings).
    """
    counted = {
        "groups": collections.Counter(row["owner"] for row in table),
        "stale": collections.Counter(row["owner"] for row in table if row["stale"]),
        "findings": collections.Counter(row["owner"] for row in found),
        "planned": collections.Counter(row["owner"] for row in found if row["planned"]),
    }
    names = {*counted["groups"], *counted["findings"]}
    return [
        {"owner": owner, **{name: numbers[owner] for name, numbers in counted.items()}}
        for owner in sorted(names, key=lambda owner: (owner is not None, owner))
    ]


def _age(since: datetime.datetime | None, now: datetime.datetime) -> float | None:
    """Return an idle time in days, None if unknown; 0 if the group committed during the audit."""
    if since is None or since > now + FUTURE_TOLERANCE:
        return None
    return max(0.0, (now - since).total_seconds() / 86_400)


def activity(table: pa.Table) -> list[Row]:
    """Return the total commits, tombstones and rebalances of all groups per day."""
    meters = ("commits", "tombstones", "rebalances")
    summed = table.group_by("day").aggregate([(name, "sum") for name in meters]).sort_by("day")
    return summed.rename_columns({f"{name}_sum": name for name in meters}).to_pylist()
