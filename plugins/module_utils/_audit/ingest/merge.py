# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Combine the rows of a partial scan, in which a partition has several rows for a key, or for a group and day.

Spark takes the latest record of each key by its offset in the topic. Its aggregations write to disk what exceeds the
memory.
"""

from __future__ import annotations

import functools

from ..libraries import Column, DataFrame, F, Window
from . import records

_SUMS = ("commits", "tombstones", "rebalances")
_OF_DAY = ("source_partition", "group", "day")


def merged(scan: DataFrame) -> DataFrame:
    """Return one row for each key, and one for each group and day; other rows are unchanged.

    The result has no rows of the kind `records.GENERATIONS`.
    """
    kind = F.col("kind")
    parts = [
        scan.filter(~kind.isin(records.ACTIVITY, records.GENERATIONS) & F.col("key").isNull()),
        _latest(scan.filter((kind != records.GENERATIONS) & F.col("key").isNotNull())),
        _activity(scan),
    ]
    return functools.reduce(lambda some, more: some.unionByName(more, allowMissingColumns=True), parts).select(
        *scan.columns
    )


def _latest(keyed: DataFrame) -> DataFrame:
    """Return the latest record of each key; all records of a key are in one partition of the topic."""
    row = F.struct(*[F.col(name) for name in keyed.columns if name not in ("source_partition", "key")])
    latest = F.max_by(row, "source_offset").alias("row")
    return keyed.groupBy("source_partition", "key").agg(latest).select("source_partition", "key", "row.*")


def _activity(scan: DataFrame) -> DataFrame:
    """Return the sums of each group and day, without rebalances that were counted twice."""
    counts = scan.filter(F.col("kind") == records.ACTIVITY).select(*_OF_DAY, "timestamp", *_SUMS)
    sums: list[Column] = [F.sum(name).alias(name) for name in _SUMS]
    return (
        counts.unionByName(_counted_twice(scan), allowMissingColumns=True)
        .groupBy(*_OF_DAY)
        .agg(F.max("timestamp").alias("timestamp"), *sums)
        # a day of nothing but a rebalance that was counted twice
        .filter(functools.reduce(lambda some, more: some | more, [F.col(name) > 0 for name in _SUMS]))
        .withColumn("kind", F.lit(records.ACTIVITY))
    )


def _counted_twice(scan: DataFrame) -> DataFrame:
    """Return -1 for each first rebalance of consecutive records whose generation the records before already had."""
    before = Window.partitionBy("source_partition", "key").orderBy("source_offset")
    return (
        scan.filter(F.col("kind") == records.GENERATIONS)
        .withColumn("before", F.lag("last_generation").over(before))
        .filter(F.col("before") == F.col("first_generation"))
        .select(*_OF_DAY, F.lit(-1).cast("bigint").alias("rebalances"))
    )
