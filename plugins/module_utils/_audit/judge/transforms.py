# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From the rows of the scan to the tables C(offsets), C(groups) and C(activity): DataFrame -> DataFrame."""

from __future__ import annotations

import dataclasses
import functools

from ... import _input as inputs
from ..ingest import records as kinds
from ..libraries import Column, DataFrame, F

EMPTY = "Empty"
# protocol types of groups whose members are consumers; empty for a simple group
CONSUMERS = ("", "consumer", "streams")
# of the year 9999, where the calendars of Spark's readers end
_LAST_TIME = 253_402_300_799_999
_LAST_DAY = _LAST_TIME // 86_400_000
# stands for no time
_NO_TIME = -1
_METERS = ("commits", "tombstones", "rebalances")
_TYPES = {
    "group_metadata": "classic",
    "consumer_group_metadata": "consumer",
    "share_group_metadata": "share",
    "streams_group_metadata": "streams",
}


@dataclasses.dataclass(frozen=True)
class LiveFrames:
    """The tables of `live`, as DataFrames; which of them every executor can hold; and the retention in ms."""

    groups: DataFrame
    offsets: DataFrame
    subscriptions: DataFrame
    partitions: DataFrame
    small: frozenset[str]
    retention: int | None

    def beside(self, name: str) -> DataFrame:
        """Return a table to join a large one with."""
        frame: DataFrame = getattr(self, name)
        return F.broadcast(frame) if name in self.small else frame


def commits(records: DataFrame) -> DataFrame:
    """Return the latest commit of each group and partition, without those that were deleted since."""
    live = records.filter((F.col("kind") == kinds.OFFSET_COMMIT) & ~F.col("tombstone"))
    return live.select(
        "group",
        "topic",
        "partition",
        "offset",
        "leader_epoch",
        "metadata",
        _time("commit_time").alias("commit_time"),
        _time("timestamp").alias("record_time"),
        F.col("commit_time").alias("commit_ms"),
        F.col("expire_time").alias("expire_ms"),
        "topic_id",
        "source_partition",
        "source_offset",
    )


def activity(records: DataFrame) -> DataFrame:
    """Return commits, tombstones and completed rebalances by group and day (KIP-496), of what the log still holds."""
    of_day = (F.col("kind") == kinds.ACTIVITY) & F.col("day").between(0, _LAST_DAY)
    day = F.date_from_unix_date("day").alias("day")
    return records.filter(of_day).select("group", day, *_METERS, _time("timestamp").alias("last_commit"))


def metadata(records: DataFrame) -> DataFrame:
    """Return what the log says of each group itself.

    Columns: C(log_type), C(empty_ms) (since when a classic group has no members, ms since the epoch), C(last_record):
    when a record of the group or of its members was written last, deletions included, and C(in_log): whether more is
    left than deletions.
    """
    commit_like = F.col("kind").isin(kinds.OFFSET_COMMIT, kinds.ACTIVITY, kinds.PARTITION, kinds.UNDECODABLE)
    group_record = F.when(F.col("kind").isin(*_TYPES) & ~F.col("tombstone"), F.col("source_offset"))
    latest = F.max_by(F.struct("kind", "state_time", "members"), group_record)
    types = F.create_map(*[F.lit(each) for pair in _TYPES.items() for each in pair])
    classic_empty = (F.col("latest.kind") == "group_metadata") & (F.col("latest.members") == 0)
    return (
        records.filter(~commit_like & F.col("group").isNotNull())
        .groupBy("group")
        .agg(
            latest.alias("latest"),
            F.max(_time("timestamp")).alias("last_record"),
            F.max("source_partition").alias("metadata_partition"),
            (F.count_if(~F.col("tombstone")) > 0).alias("in_log"),
        )
        .select(
            "group",
            types[F.col("latest.kind")].alias("log_type"),
            F.when(classic_empty, F.col("latest.state_time")).alias("empty_ms"),
            "last_record",
            "metadata_partition",
            "in_log",
        )
    )


def undecodable(records: DataFrame) -> DataFrame:
    """Return the records that cannot be decoded, and as much of their keys as can."""
    return records.filter(F.col("kind") == kinds.UNDECODABLE).select(
        "group", "topic", "partition", "source_partition", "source_offset", "problem"
    )


def offsets(committed: DataFrame, log_groups: DataFrame, live: LiveFrames) -> DataFrame:
    """Return the table C(offsets): each latest commit beside its log, its topic, its group and what is live.

    Args:
        committed: as `commits` gives it.
        log_groups: as `metadata` gives it.
    """
    # greatest takes no notice of a null; consumers take a negative offset for none, and the difference may overflow
    known = F.col("log_end").isNotNull() & (F.col("offset") >= 0)
    lag = F.when(known, F.greatest(F.lit(0), F.col("log_end") - F.col("offset")))
    return (
        committed.join(live.beside("offsets"), ["group", "topic", "partition"], "left")
        .join(live.beside("partitions"), ["topic", "partition"], "left")
        .join(live.beside("subscriptions"), ["group", "topic"], "left")
        .join(live.beside("groups").select("group", "type", "protocol_type", "state"), "group", "left")
        .join(log_groups.select("group", "empty_ms"), "group", "left")
        .select(
            "group",
            "topic",
            "partition",
            "offset",
            "leader_epoch",
            "metadata",
            "commit_time",
            "record_time",
            _expire_time(live.retention).alias("expire_time"),
            "log_start",
            "log_end",
            lag.alias("lag"),
            "subscribed",
            F.col("exists").alias("topic_exists"),
            "topic_id",
            "current_topic_id",
            "live_offset",
            "source_partition",
            "source_offset",
        )
    )


def _expire_time(retention: int | None) -> Column:
    """When the coordinator may drop an offset (KIP-211, KIP-496; offsetExpirationCondition of the broker's groups).

    Null where it never does: as long as a member subscribes to the topic, or while nothing can be told; and where no
    calendar has the time.
    """
    explicit = F.when(F.col("expire_ms") != _NO_TIME, F.col("expire_ms"))
    if retention is None:
        return _time(explicit)
    empty = F.col("state") == EMPTY
    joined = empty & (F.col("type") == "classic") & (F.col("protocol_type") != "")
    stable = (F.col("type") == "classic") & (F.col("protocol_type") == "consumer") & (F.col("state") == "Stable")
    dropped = ~F.col("subscribed") & (F.col("type").isin("consumer", "streams") | stable)
    base = F.when(joined, F.coalesce("empty_ms", "commit_ms")).when(empty | dropped, F.col("commit_ms"))
    return _time(F.when(explicit.isNotNull(), explicit).when(_in_calendar(base), base + F.lit(retention)))


def groups(
    offset_table: DataFrame, log_groups: DataFrame, activity_table: DataFrame, undecoded: DataFrame, live: LiveFrames
) -> DataFrame:
    """Return one row for each group that the log or the cluster knows.

    C(idle_since) is the last commit, also of an offset that was deleted since, or the last record of the group itself
    if that is later. C(regular) is false where no request could name the group or one of its topics, or where its
    records stand in two partitions. C(committed_since) counts offsets that are not as the scan saw them, C(hidden)
    those that the cluster does not show, although it has them: it shows no negative ones. C(lag) is null unless it is
    known of each partition that the group has committed; C(known_lag) sums what is known, null where nothing is.
    """
    committed = (
        "topic",
        "partition",
        "lag",
        "commit_time",
        "record_time",
        "expire_time",
        "offset",
        "live_offset",
        "source_partition",
    )
    one = F.lit(1)
    parts = [
        offset_table.select("group", *committed, one.alias("committed")),
        live.offsets.select("group", one.alias("live")),
        live.groups,
        log_groups,
        activity_table.select("group", *_METERS, F.col("last_commit").alias("committed_at")),
        undecoded.select("group", one.alias("undecodable")),
    ]
    # one shuffle for all, in the place of one for each join
    every = functools.reduce(lambda some, more: some.unionByName(more, allowMissingColumns=True), parts)
    partitions, shown = F.count("committed"), F.count("live_offset")
    unseen = F.count_if((F.col("offset") >= 0) & F.col("live_offset").isNull())
    moved = F.count_if(F.col("live_offset") != F.col("offset"))
    included = F.bool_or("included")
    idle_since = F.max(F.greatest("commit_time", "record_time", "last_record", "committed_at"))
    source = F.coalesce("source_partition", "metadata_partition")
    place = F.col("topic").rlike(rf"\A{inputs.TOPIC.pattern}\z") & (F.col("partition") >= 0)
    nameable = F.octet_length("group").between(1, inputs.MAX_BYTES) & F.coalesce(F.bool_and(place), F.lit(True))
    # null if there is nothing to sum, or the sum does not fit
    known_lag = F.try_sum("lag")
    totals = [F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in _METERS]
    return (
        every.filter(F.col("group").isNotNull())
        .groupBy("group")
        .agg(
            F.coalesce(F.max("type"), F.max("log_type")).alias("type"),
            F.max("protocol_type").alias("protocol_type"),
            F.max("state").alias("state"),
            F.max("members").alias("members"),
            F.size(F.collect_set("topic")).alias("topics"),
            partitions.alias("partitions"),
            F.when(F.count("lag") == partitions, known_lag).alias("lag"),
            known_lag.alias("known_lag"),
            F.max("commit_time").alias("last_commit"),
            idle_since.alias("idle_since"),
            F.min("expire_time").alias("expires"),
            *totals,
            F.count("undecodable").alias("undecodable"),
            (moved + F.count("live") - shown).alias("committed_since"),
            unseen.alias("hidden"),
            F.coalesce(included, F.lit(False)).alias("included"),
            F.max(source).alias("source_partition"),
            (nameable & F.coalesce(F.min(source) == F.max(source), F.lit(True))).alias("regular"),
            (included.isNotNull() | (partitions > 0) | F.coalesce(F.bool_or("in_log"), F.lit(False))).alias("known"),
        )
        .filter("known")
        .drop("known")
    )


def _time(ms: Column | str) -> Column:
    """Return a time of ms since the epoch, null where there is none (-1) or where no calendar has it."""
    return F.when(_in_calendar(ms), F.timestamp_millis(ms))


def _in_calendar(ms: Column | str) -> Column:
    return (F.col(ms) if isinstance(ms, str) else ms).between(0, _LAST_TIME)
