# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Transformations from the rows of the scan to the tables C(offsets), C(groups) and C(activity).

C(offsets) and C(groups) are made in two passes: without the offsets in the cluster, and then, for the groups whose
offsets were fetched, with them.
"""

from __future__ import annotations

import collections.abc as c
import dataclasses
import functools

from ... import _input as inputs
from ..ingest import records as kinds
from ..libraries import Column, DataFrame, F

EMPTY = "Empty"
# protocol types of groups whose members are consumers; empty for a simple group
CONSUMERS = ("", "consumer", "streams")
# end of the year 9999, the last year that readers of the tables support
_LAST_TIME = 253_402_300_799_999
_LAST_DAY = _LAST_TIME // 86_400_000
# means that no time is set
_NO_TIME = -1
_METERS = ("commits", "tombstones", "rebalances")
_OFFSETS = (
    "group",
    "topic",
    "partition",
    "offset",
    "leader_epoch",
    "metadata",
    "commit_time",
    "record_time",
    "expire_time",
    "unchanged_since",
    "snapshots",
    "log_start",
    "log_end",
    "lag",
    "subscribed",
    "topic_exists",
    "topic_id",
    "current_topic_id",
    "live_offset",
    "source_partition",
    "source_offset",
)
# columns that only snapshots have, and their types; the first two are also those of offsets
_OF_SNAPSHOTS = [("unchanged_since", "timestamp"), ("snapshots", "int"), ("longest_gap", "bigint")]
_TYPES = {
    "group_metadata": "classic",
    "consumer_group_metadata": "consumer",
    "share_group_metadata": "share",
    "streams_group_metadata": "streams",
}


@dataclasses.dataclass(frozen=True)
class LiveFrames:
    """The state of the cluster and the owners of groups as DataFrames, the names of those small enough to broadcast,
    and the retention in ms.

    C(groups) has the columns of `live_state.Live`, and C(matched): the topics that match the patterns of the group.
    """

    groups: DataFrame
    start_offsets: DataFrame
    partitions: DataFrame
    orphaned_configs: DataFrame
    small: frozenset[str]
    retention: int | None
    owners: DataFrame | None = None

    def for_join(self, name: str) -> DataFrame:
        """Return a table for a join with a large one: with a broadcast hint if the table is small."""
        frame: DataFrame = getattr(self, name)
        return F.broadcast(frame) if name in self.small else frame


def commits(records: DataFrame) -> DataFrame:
    """Return the latest commit of each group and partition, without deleted offsets."""
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
        *_nulls(_OF_SNAPSHOTS[:2]),
    )


def observed_commits(offsets: DataFrame) -> DataFrame:
    """Return the committed offsets that snapshots show, in the schema of `commits`.

    Args:
        offsets: see `observed.Observed`.
    """
    times = [
        ("commit_time", "timestamp"),
        ("record_time", "timestamp"),
        ("commit_ms", "bigint"),
        ("expire_ms", "bigint"),
    ]
    # the topic ID is that of the topic, and not of the commit
    place = [("topic_id", "string"), ("source_partition", "int"), ("source_offset", "bigint")]
    return offsets.select(
        "group",
        "topic",
        "partition",
        *("offset", "leader_epoch", "metadata"),
        *_nulls(times),
        *_nulls(place),
        "unchanged_since",
        "snapshots",
    )


def activity(records: DataFrame) -> DataFrame:
    """Return commits, tombstones and completed rebalances per group and day (KIP-496), of records still in the log."""
    of_day = (F.col("kind") == kinds.ACTIVITY) & F.col("day").between(0, _LAST_DAY)
    day = F.date_from_unix_date("day").alias("day")
    return records.filter(of_day).select("group", day, *_METERS, _time("timestamp").alias("last_commit"))


def metadata(records: DataFrame) -> DataFrame:
    """Return the metadata of each group in the log.

    Columns: C(log_type); C(empty_ms): the time since which a classic group has no members, in ms since the epoch;
    C(last_record): the time of the last record of the group or its members, including tombstones; and C(in_log):
    whether the log contains a record of the group that is not a tombstone.
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
    """Return the records that cannot be decoded, with the decoded part of their keys."""
    return records.filter(F.col("kind") == kinds.UNDECODABLE).select(
        "group", "topic", "partition", "source_partition", "source_offset", "problem"
    )


def with_matched_topics(groups: DataFrame, patterns: DataFrame) -> DataFrame:
    """Add C(matched) to groups.

    Args:
        groups: the table C(groups) of `live_state.Live`.
        patterns: the result of `live_state.subscribed_topics`.
    """
    each = groups.select("group", F.explode("patterns").alias("pattern")).join(patterns, "pattern")
    matched = each.groupBy("group").agg(F.flatten(F.collect_list("topics")).alias("matched"))
    return groups.join(matched, "group", "left")


def offsets(committed: DataFrame, log_groups: DataFrame, live: LiveFrames) -> DataFrame:
    """Return the table C(offsets), without C(live_offset): each latest commit, joined with its log, topic and group.

    C(state) is that of the group, and not a column of the table.

    Args:
        committed: the result of `commits`.
        log_groups: the result of `metadata`.
    """
    # greatest() ignores nulls; consumers ignore negative offsets, and the difference could overflow
    known = F.col("log_end").isNotNull() & (F.col("offset") >= 0)
    lag = F.when(known, F.greatest(F.lit(0), F.col("log_end") - F.col("offset")))
    of_group = ("type", "protocol_type", "state", "topics", "matched", "subscription_known")
    return (
        committed.join(live.for_join("partitions"), ["topic", "partition"], "left")
        .join(live.for_join("groups").select("group", *of_group), "group", "left")
        .join(log_groups.select("group", "empty_ms"), "group", "left")
        .withColumn("subscribed", _subscribed())
        .withColumns({"expire_time": _expire_time(live.retention), "lag": lag, "topic_exists": F.col("exists")})
        .select(*(name for name in _OFFSETS if name != "live_offset"), "state")
    )


def _subscribed() -> Column:
    """Whether a member subscribes to the topic; null if unknown, and for a group without members."""
    named = [F.coalesce(F.array_contains(topics, F.col("topic")), F.lit(False)) for topics in ("topics", "matched")]
    return F.when(named[0] | named[1], F.lit(True)).when(F.col("subscription_known"), F.lit(False))


def with_live_offsets(offset_table: DataFrame, fetched: DataFrame) -> DataFrame:
    """Return the table C(offsets), with C(live_offset): null of a group whose offsets were not fetched.

    Args:
        offset_table: the result of `offsets`.
        fetched: the result of `live_state.committed`.
    """
    live = fetched.select("group", F.explode("offsets").alias("live")).select("group", "live.*")
    return offset_table.join(live, ["group", "topic", "partition"], "left").select(*_OFFSETS)


def with_changes(group_table: DataFrame, offset_table: DataFrame, fetched: DataFrame) -> DataFrame:
    """Add C(committed_since) and C(hidden) to groups: null of a group whose offsets were not fetched.

    C(committed_since) counts the offsets that differ from the scan. C(hidden) counts the offsets in the log that the
    cluster does not return, without negative offsets, which brokers never return.

    Args:
        group_table: the result of `groups`.
        offset_table: the result of `with_live_offsets`.
        fetched: the result of `live_state.committed`.
    """
    shown = F.count("live_offset")
    moved = F.count_if(F.col("live_offset") != F.col("offset"))
    unseen = F.count_if((F.col("offset") >= 0) & F.col("live_offset").isNull())
    compared = (
        offset_table.join(fetched.select("group"), "group", "left_semi")
        .groupBy("group")
        .agg((moved - shown).alias("less"), unseen.alias("unseen"))
    )
    changes = fetched.join(compared, "group", "left").select(
        "group",
        (F.size("offsets") + F.coalesce("less", F.lit(0))).alias("committed_since"),
        F.coalesce("unseen", F.lit(0)).alias("hidden"),
    )
    return group_table.join(changes, "group", "left")


def _expire_time(retention: int | None) -> Column:
    """When the coordinator may expire an offset (KIP-211, KIP-496; offsetExpirationCondition of the broker's groups).

    Null if the offset does not expire because a member subscribes to the topic, if the time is unknown, or if the time
    is after the year 9999.
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
    """Return one row for each group in the log or the cluster, without `with_changes`.

    C(idle_since) is the time of the last commit, including commits of deleted offsets, or of the last record of the
    group itself if that is later. C(regular) is false if the name of the group or of one of its topics is not valid in
    requests, or if its records are in two partitions. C(lag) is null unless the lag of each committed partition is
    known, or of each partition that a share group has a state of; C(known_lag) is the sum of the known lags, null if
    none is known. C(unneeded) counts the offsets that the group does not need, and C(removable) is whether one of them
    may be deleted, see `findings.with_needs`.

    Args:
        offset_table: the result of `findings.with_needs`.
    """
    committed = (
        "topic",
        "partition",
        "lag",
        "commit_time",
        "record_time",
        "expire_time",
        "source_partition",
        "unneeded",
        "removable",
    )
    one = F.lit(1)
    parts = [
        offset_table.select("group", *committed, one.alias("committed")),
        live.start_offsets.select("group", one.alias("shared"), F.col("lag").alias("share_lag")),
        live.groups.select("group", "type", "state", "protocol_type", "members", "included"),
        log_groups,
        activity_table.select("group", *_METERS, F.col("last_commit").alias("committed_at")),
        undecoded.select("group", one.alias("undecodable")),
    ]
    # one shuffle for all tables, instead of one per join
    every = functools.reduce(lambda some, more: some.unionByName(more, allowMissingColumns=True), parts)
    partitions = F.count("committed")
    included = F.bool_or("included")
    idle_since = F.max(F.greatest("commit_time", "record_time", "last_record", "committed_at"))
    source = F.coalesce("source_partition", "metadata_partition")
    place = F.col("topic").rlike(rf"\A{inputs.TOPIC.pattern}\z") & (F.col("partition") >= 0)
    nameable = F.octet_length("group").between(1, inputs.MAX_BYTES) & F.coalesce(F.bool_and(place), F.lit(True))
    # null if there are no values, or if the sum overflows
    known_lag, share_lag = F.try_sum("lag"), F.try_sum("share_lag")
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
            F.when(F.count("shared") > 0, F.when(F.count("share_lag") == F.count("shared"), share_lag))
            .when(F.count("lag") == partitions, known_lag)
            .alias("lag"),
            F.coalesce(known_lag, share_lag).alias("known_lag"),
            F.max("commit_time").alias("last_commit"),
            idle_since.alias("idle_since"),
            *_nulls(_OF_SNAPSHOTS),
            F.min("expire_time").alias("expires"),
            *totals,
            F.count("undecodable").alias("undecodable"),
            F.count_if("unneeded").alias("unneeded"),
            F.coalesce(F.bool_or("removable"), F.lit(False)).alias("removable"),
            F.coalesce(included, F.lit(False)).alias("included"),
            F.max(source).alias("source_partition"),
            (nameable & F.coalesce(F.min(source) == F.max(source), F.lit(True))).alias("regular"),
            (included.isNotNull() | (partitions > 0) | F.coalesce(F.bool_or("in_log"), F.lit(False))).alias("known"),
        )
        .filter("known")
        .drop("known")
    )


def with_observations(group_table: DataFrame, observed: DataFrame) -> DataFrame:
    """Return the result of `groups` with what snapshots show; what only the topic shows is null.

    Args:
        observed: the groups of `observed.Observed`.
    """
    known = dict(group_table.dtypes)
    of_topic = (*_METERS, "undecodable")
    shown = group_table.drop("idle_since", *(name for name, _type in _OF_SNAPSHOTS), *of_topic)
    nulls = _nulls([(name, known[name]) for name in of_topic])
    return shown.join(observed, "group", "left").select("*", *nulls).select(*group_table.columns)


def with_owner(rows: DataFrame, live: LiveFrames) -> DataFrame:
    """Add C(owner) to rows with a C(group); null if nobody is known to own the group."""
    if live.owners is None:
        return rows.withColumn("owner", F.lit(None).cast("string"))
    return rows.join(live.for_join("owners"), "group", "left").select(*rows.columns, "owner")


def _nulls(columns: c.Iterable[tuple[str, str]]) -> list[Column]:
    """Return columns without values, of these names and types."""
    return [F.lit(None).cast(of).alias(name) for name, of in columns]


def _time(ms: Column | str) -> Column:
    """Return the timestamp of ms since the epoch, null if not set (-1) or after the year 9999."""
    return F.when(_in_calendar(ms), F.timestamp_millis(ms))


def _in_calendar(ms: Column | str) -> Column:
    return (F.col(ms) if isinstance(ms, str) else ms).between(0, _LAST_TIME)
