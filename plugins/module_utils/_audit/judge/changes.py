# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What changed since an earlier audit: groups, and findings."""

from __future__ import annotations

import functools
import operator

from ..libraries import Column, DataFrame, F, Window
from .findings import UNDECODABLE

NEW_STALE = "new_stale_groups"
REVIVED = "revived_groups"
DELETED = "deleted_groups"
NEW = "new_groups"
NEW_FINDINGS = "new_findings"
GROUP_CHANGES = (NEW_STALE, REVIVED, DELETED, NEW)
_FINDING = ("kind", "group", "topic", "partition")


def groups(now: DataFrame, earlier: DataFrame) -> DataFrame:
    """Return C(change) and C(group) for each change between two tables C(groups).

    A group is revived if it was stale, and has committed or changed since. Both tables are of the same criteria.
    """
    before = earlier.select(
        "group", F.col("stale").alias("was_stale"), F.col("idle_since").alias("was_idle"), F.lit(1).alias("was_there")
    )
    both = now.select("group", "stale", "idle_since", F.lit(1).alias("is_there")).join(before, "group", "full")
    there, was_stale = F.col("is_there").isNotNull(), F.coalesce("was_stale", F.lit(False))
    changes = {
        NEW_STALE: there & F.col("stale") & ~was_stale,
        REVIVED: there & was_stale & (F.col("idle_since") > F.col("was_idle")),
        DELETED: ~there,
        NEW: F.col("was_there").isNull(),
    }
    found = F.array_compact(F.array(*(F.when(changed, F.lit(name)) for name, changed in changes.items())))
    return both.select(F.explode(found).alias("change"), "group")


def findings(now: DataFrame, earlier: DataFrame) -> DataFrame:
    """Return the findings that an earlier table C(findings) does not have."""
    # records whose key is not known differ only by their position in the topic, which the evidence contains
    record = F.when(F.col("kind") == UNDECODABLE, F.col("evidence")).alias("record")
    before, found = earlier.select(*_FINDING, record).distinct(), now.select(*_FINDING, record)
    same = functools.reduce(operator.and_, (found[name].eqNullSafe(before[name]) for name in found.columns))
    return found.join(before, same, "left_anti").select(*_FINDING, F.lit(NEW_FINDINGS).alias("change"))


def first(rows: DataFrame, most: int) -> DataFrame:
    """Return the first rows of each change by name, each with the number of all rows of the change as C(number)."""
    of_change = Window.partitionBy("change")
    order: list[Column] = [F.col(name) for name in _FINDING if name in rows.columns]
    numbered = rows.withColumn("number", F.count(F.lit(1)).over(of_change))
    placed = numbered.withColumn("place", F.row_number().over(of_change.orderBy(*order)))
    return placed.filter(F.col("place") <= most).drop("place")
