# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Combine the rows of a partial scan, in which a partition has several rows for a key, or for a group and day, and the
rows of consecutive scans.

Spark takes the latest record of each key by its offset in the topic. Its aggregations write to disk what exceeds the
memory.
"""

from __future__ import annotations

import functools

from ..libraries import Column, DataFrame, F, Window
from . import records

_DAY_MS = 86_400_000
SUMS = ("commits", "tombstones", "rebalances")
_OF_KEY = ("source_partition", "key")
_OF_GROUP = ("source_partition", "group")
OF_DAY = (*_OF_GROUP, "day")


def merged(scan: DataFrame) -> DataFrame:
    """Return one row for each key, and one for each group and day; other rows are unchanged.

    The result has no rows of the kind `records.GENERATIONS`.
    """
    is_record = F.col("kind") != records.GENERATIONS
    return _union(
        scan.filter(is_record & (F.col("kind") != records.ACTIVITY) & F.col("key").isNull()),
        _latest(scan.filter(is_record & F.col("key").isNotNull()), *_OF_KEY),
        _activity(scan),
    ).select(*scan.columns)


def keyed(scan: DataFrame) -> DataFrame:
    """Return the same as `merged`, with one row of the kind `records.GENERATIONS` for each group that has some."""
    return _union(merged(scan), _generations(scan))


def continued(earlier: DataFrame, later: DataFrame, small: bool) -> DataFrame:
    """Combine the rows of two scans, of which the later one read the records after those of the earlier one.

    Args:
        earlier: the result of `kept`.
        later: one row for each key, as from `keyed`.
        small: whether the keys of the later scan fit into the memory.
    """
    new = _records(later)
    keys = new.select(*_OF_KEY)
    both = earlier.unionByName(later)
    return _union(
        _records(earlier).join(F.broadcast(keys) if small else keys, [*_OF_KEY], "left_anti"),
        new,
        _activity(both),
        _generations(both),
    ).select(*later.columns)


def kept(rows: DataFrame, oldest: int) -> DataFrame:
    """Return the rows that a later scan must be combined with; so few that their number does not grow for ever.

    Deleted offsets are left out, and all but the last of the deleted metadata of a group and its members, of which only
    the time matters. So are days without a commit that is still the latest of its key, if they are before `oldest`.

    Args:
        rows: one row for each key, as from `keyed`.
        oldest: in days since the epoch.
    """
    kind = F.col("kind")
    commit = kind == records.OFFSET_COMMIT
    deleted = F.coalesce("tombstone", F.lit(False)) & (kind != records.UNDECODABLE)
    old_day = (kind == records.ACTIVITY) & (F.col("day") < oldest)
    old_commits = rows.filter(commit & ~deleted & (F.col("timestamp") < oldest * _DAY_MS))
    # a timestamp may be any 64-bit number, so its day may not be an int
    days = old_commits.select(*_OF_GROUP, F.floor(F.col("timestamp") / _DAY_MS).alias("day")).distinct()
    return _union(
        rows.filter(~deleted & ~old_day & (kind != records.PARTITION)),
        rows.filter(old_day).join(days, [*OF_DAY], "left_semi"),
        _latest(rows.filter(deleted & ~commit), *_OF_GROUP),
    ).select(*rows.columns)


def _union(*parts: DataFrame) -> DataFrame:
    return functools.reduce(lambda some, more: some.unionByName(more, allowMissingColumns=True), parts)


def _records(rows: DataFrame) -> DataFrame:
    """Return the rows of records."""
    return rows.filter((F.col("kind") != records.GENERATIONS) & F.col("key").isNotNull())


def _latest(keyed_rows: DataFrame, *of: str) -> DataFrame:
    """Return the latest record of each key, or of what `of` names; all records of a key are in one partition."""
    row = F.struct(*[F.col(name) for name in keyed_rows.columns if name not in of])
    latest = F.max_by(row, "source_offset").alias("row")
    return keyed_rows.groupBy(*of).agg(latest).select(*of, "row.*")


def _activity(scan: DataFrame) -> DataFrame:
    """Return the sums of each group and day, without rebalances that were counted twice."""
    counts = scan.filter(F.col("kind") == records.ACTIVITY).select(*OF_DAY, "timestamp", *SUMS)
    sums: list[Column] = [F.sum(name).alias(name) for name in SUMS]
    return (
        counts.unionByName(_counted_twice(scan), allowMissingColumns=True)
        .groupBy(*OF_DAY)
        .agg(F.max("timestamp").alias("timestamp"), *sums)
        # a day of nothing but a rebalance that was counted twice
        .filter(functools.reduce(lambda some, more: some | more, [F.col(name) > 0 for name in SUMS]))
        .withColumn("kind", F.lit(records.ACTIVITY))
    )


def _counted_twice(scan: DataFrame) -> DataFrame:
    """Return -1 for each first rebalance of consecutive records whose generation the records before already had."""
    before = Window.partitionBy(*_OF_KEY).orderBy("source_offset")
    return (
        scan.filter(F.col("kind") == records.GENERATIONS)
        .withColumn("before", F.lag("last_generation").over(before))
        .filter(F.col("before") == F.col("first_generation"))
        .select(*OF_DAY, F.lit(-1).cast("bigint").alias("rebalances"))
    )


def _generations(scan: DataFrame) -> DataFrame:
    """Return the generations of each group over all of its records."""
    first = F.min_by(F.struct("day", "first_generation"), "source_offset").alias("first")
    last = F.max_by(F.struct("last_generation"), "source_offset").alias("last")
    return (
        scan.filter(F.col("kind") == records.GENERATIONS)
        .groupBy(*_OF_KEY, "kind", "group")
        .agg(F.min("source_offset").alias("source_offset"), first, last)
        .select(*_OF_KEY, "kind", "group", "source_offset", "first.*", "last.*")
    )
