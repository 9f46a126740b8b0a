# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Since when groups are idle, from snapshots: each earlier value is compared with the current one, then aggregated.

A snapshot shows use if the group has members or is not Empty. A difference to the current snapshot shows that the group
was in use until the next snapshot, which is the first one with the current value. A snapshot in which a group is not
known is no evidence of an idle group, but a value in it that differs is evidence of a change.
"""

from __future__ import annotations

import datetime
import typing as t

from ..libraries import Column, DataFrame, F
from .frames import EMPTY

_NEVER = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_KEY = ("group", "topic", "partition")
_VALUES = ("offset", "leader_epoch", "metadata")


class Observation(t.NamedTuple):
    """The snapshots that an audit uses.

    Attributes:
        number: how many there are.
        since: when the first of them was taken.
    """

    number: int
    since: datetime.datetime


class Snapshots(t.NamedTuple):
    """The snapshots of a cluster up to the current one, each with C(taken_at).

    Attributes:
        groups: the tables C(groups), as `snapshot.Taken` has them.
        offsets: the tables C(offsets), with C(topic_id).
        taken: C(taken_at), and whether all groups were listed (C(complete)).
        now_groups, now_offsets: the tables of the current snapshot.
        small: whether the tables of the current snapshot may be broadcast.
    """

    groups: DataFrame
    offsets: DataFrame
    taken: DataFrame
    now_groups: DataFrame
    now_offsets: DataFrame
    small: bool


class Observed(t.NamedTuple):
    """What snapshots show of the groups and the offsets in the current snapshot.

    Attributes:
        groups: C(group), C(idle_since), C(unchanged_since), C(snapshots), C(longest_gap) (seconds); null of a group
            that the current snapshot does not know.
        offsets: the committed offsets, with C(unchanged_since) and C(snapshots).
    """

    groups: DataFrame
    offsets: DataFrame


def observed(snapshots: Snapshots) -> Observed:
    """Return since when groups and offsets are unchanged."""
    changed = _changed_offsets(snapshots).persist()
    groups = _groups(snapshots, changed).persist()
    return Observed(_of_groups(groups), _of_offsets(snapshots, groups, changed))


def _changed_offsets(snapshots: Snapshots) -> DataFrame:
    """Return C(other_at) of each current offset that was different before: the last time when it was."""
    now = snapshots.now_offsets.select(*_KEY, F.struct(*_VALUES).alias("now"), F.col("topic_id").alias("now_topic_id"))
    # an unknown topic ID is not another one, unless it is unknown now
    other_topic = F.col("topic_id").isNotNull() & ~F.col("topic_id").eqNullSafe(F.col("now_topic_id"))
    differs = ~F.struct(*_VALUES).eqNullSafe(F.col("now")) | other_topic
    earlier = snapshots.offsets.select(*_KEY, *_VALUES, "topic_id", "taken_at")
    return (
        earlier.join(_hinted(now, snapshots.small), list(_KEY))
        .filter(differs)
        .groupBy(*_KEY)
        .agg(F.max("taken_at").alias("other_at"))
    )


def _groups(snapshots: Snapshots, changed: DataFrame) -> DataFrame:
    """Return of each current group when snapshots knew it (C(seen), sorted), and the last signs of use and change.

    C(used_at): the last snapshot with members, or of a state that is not Empty. C(other_at): the last snapshot before
    the group existed without interruption, or with other committed partitions; C(changed_at): the same, or with another
    committed offset; C(any_change_at): the same, or with another type.
    """
    now = snapshots.now_groups.filter("known").select(
        "group",
        *(F.col(name).alias(f"now_{name}") for name in ("type", "protocol_type", "partition_set")),
    )
    complete = snapshots.taken.filter("complete").agg(F.collect_list("taken_at").alias("complete"))
    in_use = (F.col("state") != EMPTY) | (F.col("members") > 0)
    other_type = _differs("type") | _differs("protocol_type")
    other_set = F.col("known") & ~F.col("partition_set").eqNullSafe(F.col("now_partition_set"))
    of_groups = (
        snapshots.groups.join(_hinted(now, snapshots.small), "group")
        .groupBy("group")
        .agg(
            F.collect_list("taken_at").alias("present"),
            F.array_sort(F.collect_list(F.when(F.col("known"), F.col("taken_at")))).alias("seen"),
            F.max(F.when(in_use, F.col("taken_at"))).alias("used_at"),
            F.max(F.when(other_type, F.col("taken_at"))).alias("other_type_at"),
            F.max(F.when(other_set, F.col("taken_at"))).alias("other_set_at"),
        )
        .crossJoin(F.broadcast(complete))
        .withColumn("absent_at", F.array_max(F.array_except("complete", "present")))
    )
    moved = changed.groupBy("group").agg(F.max("other_at").alias("moved_at"))
    other_at = F.greatest("other_set_at", "absent_at")
    # columns of their own, so that they are not computed again for each snapshot
    return of_groups.join(moved, "group", "left").select(
        "group",
        "seen",
        "used_at",
        _or_never(other_at).alias("other_at"),
        _or_never(F.greatest(other_at, F.col("moved_at"))).alias("changed_at"),
        _or_never(F.greatest(other_at, F.col("moved_at"), F.col("other_type_at"))).alias("any_change_at"),
    )


def _of_groups(groups: DataFrame) -> DataFrame:
    # it may have been in use until the snapshot after the last one that shows use, if there is one
    unused_since = F.coalesce(F.array_min(_after("used_at")), "used_at")
    return (
        groups.withColumn("unchanged_since", F.array_min(_after("changed_at")))
        .withColumn("idle_since", F.greatest(unused_since, F.array_min(_after("any_change_at"))))
        .withColumn("since", F.filter("seen", lambda at: at >= F.col("idle_since")))
        .select(
            "group",
            "idle_since",
            "unchanged_since",
            F.size("since").alias("snapshots"),
            _longest_gap(F.col("since")).alias("longest_gap"),
        )
    )


def _of_offsets(snapshots: Snapshots, groups: DataFrame, changed: DataFrame) -> DataFrame:
    offsets = (
        snapshots.now_offsets.join(changed.withColumnRenamed("other_at", "own_at"), list(_KEY), "left")
        # nothing is known about the offsets of a group that is not known
        .join(groups.select("group", F.col("other_at").alias("group_at")), "group", "left")
        .withColumn("changed_at", F.greatest("own_at", "group_at"))
    )
    # many offsets of a group change together
    since = (
        offsets.select("group", "changed_at")
        .distinct()
        .join(groups.select("group", "seen"), "group")
        .withColumn("since", _after("changed_at"))
        .select(
            "group", "changed_at", F.array_min("since").alias("unchanged_since"), F.size("since").alias("snapshots")
        )
    )
    return offsets.join(since, ["group", "changed_at"], "left").select(
        *snapshots.now_offsets.columns, "unchanged_since", "snapshots"
    )


def _differs(column: str) -> Column:
    """Whether a value is not the current one; null if one of them is unknown."""
    return F.col(column) != F.col(f"now_{column}")


def _or_never(time: Column) -> Column:
    """Return a time, or one before all snapshots if it is null."""
    return F.coalesce(time, F.lit(_NEVER))


def _after(column: str) -> Column:
    """Return the snapshots after a time that know the group."""
    return F.filter("seen", lambda at: at > F.col(column))


def _longest_gap(times: Column) -> Column:
    """Return the longest time between two snapshots, in seconds; null of one snapshot."""
    later = F.slice(times, F.lit(2), F.greatest(F.size(times), F.lit(0)))
    gaps = F.zip_with(times, later, lambda at, after: F.unix_micros(after) - F.unix_micros(at))
    return (F.array_max(gaps) / 1_000_000).cast("bigint")


def _hinted(frame: DataFrame, small: bool) -> DataFrame:
    return F.broadcast(frame) if small else frame
