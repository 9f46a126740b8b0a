# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The findings: one function per kind, whose column is null without a finding, and the table of all findings."""

from __future__ import annotations

import dataclasses
import datetime

from ..._files.plan import TYPES
from ..libraries import Column, DataFrame, F
from .frames import CONSUMERS, EMPTY

STALE_GROUP = "stale_group"
UNSUBSCRIBED = "unsubscribed"
TOPIC_GONE = "topic_gone"
TOPIC_RECREATED = "topic_recreated"
NEGATIVE_OFFSET = "negative_offset"
BEFORE_LOG_START = "before_log_start"
AFTER_LOG_END = "after_log_end"
NO_COMMITS = "no_commits"
UNDECODABLE = "undecodable"
ORPHANED_CONFIG = "orphaned_config"

# kinds of findings whose offsets the group does not need
UNNEEDED = (UNSUBSCRIBED, TOPIC_GONE, TOPIC_RECREATED)
_IN_PLAN = "It is in the plan."
_SET_OFFSET = "Stop the consumers of the group, then set the offset with consumer_group_offsets: reset."
_UNKNOWN_OFFSETS = "its committed offsets in the cluster are unknown"
_IRREGULAR = (
    "the name of the group or of one of its topics is not valid in requests, or its records are in two partitions of "
    "the offsets topic"
)


@dataclasses.dataclass(frozen=True)
class Criteria:
    """The criteria for stale groups and offsets.

    Attributes:
        limit: groups whose last commit is before this time are stale.
        stale_after: the duration as the user wrote it.
        unread: partitions of the topic that were not read completely; their groups are excluded from the plan.
        min_snapshots: how many snapshots must show a group idle; 0 if the topic was read.
    """

    limit: datetime.datetime
    stale_after: str
    unread: tuple[int, ...]
    min_snapshots: int = 0


def with_needs(offset_table: DataFrame, criteria: Criteria) -> DataFrame:
    """Add C(unneeded) to the result of `frames.offsets`: whether no consumer of the group needs the offset.

    And C(removable): whether nothing in the offset itself keeps it from the plan, before `frames.with_live_offsets`.
    """
    wanted = _is_unsubscribed() | _is_recreated()
    removable = wanted & _unused() & _old(criteria) & (F.col("offset") >= 0) & ~_is_observed()
    return offset_table.withColumns(
        {"unneeded": F.coalesce(wanted | _is_gone(), F.lit(False)), "removable": F.coalesce(removable, F.lit(False))}
    )


def candidates(group_table: DataFrame, criteria: Criteria) -> DataFrame:
    """Return the names of the groups whose committed offsets decide about the plan.

    Args:
        group_table: the result of `frames.groups`.
    """
    wanted = is_idle(criteria) | (F.col("included") & F.col("removable") & _consumers() & _complete(criteria))
    return group_table.filter(wanted).select("group")


def classify_groups(group_table: DataFrame, criteria: Criteria) -> DataFrame:
    """Return the table C(groups), with C(stale), C(unneeded_offsets) and C(certain).

    A group is stale if it is idle, and has not committed since. C(certain) is whether the group may be in the plan,
    null if its committed offsets are unknown.

    Args:
        group_table: the result of `frames.with_changes`.
    """
    # whether a group has committed since is unknown if its offsets cannot be fetched, and the group is not in the plan
    stale = F.coalesce(is_idle(criteria) & (F.coalesce("committed_since", F.lit(0)) == 0), F.lit(False))
    unneeded = F.when(stale, F.col("partitions")).when(F.col("included"), F.col("unneeded")).otherwise(0)
    certain = _complete(criteria) & (F.col("hidden") == 0)
    return group_table.withColumns({"stale": stale, "unneeded_offsets": unneeded, "certain": certain}).drop(
        "unneeded", "removable"
    )


def is_idle(criteria: Criteria) -> Column:
    """Whether a group is Empty, is a group of consumers, and has neither committed nor changed since the limit.

    The records of the group itself also count, because a consumer without anything to commit was active nevertheless.
    """
    idle = (F.col("state") == EMPTY) & (F.col("idle_since") < F.lit(criteria.limit))
    return F.col("included") & _consumers() & idle & _observed(criteria)


def stale_group(criteria: Criteria) -> Column:
    """A group that is not in use."""
    committed = F.concat(F.lit("last commit at "), _time_text("last_commit"))
    last_commit = F.when(F.col("partitions") > 0, committed).otherwise("no commit")
    in_topic = F.concat(last_commit, F.lit(", last change at "), _time_text("idle_since"))
    gap = F.concat(F.lit(", at most "), _duration_text("longest_gap"), F.lit(" apart"))
    in_snapshots = F.concat(
        F.lit("without use, observed since "), _time_text("idle_since"), _snapshots_text(), F.coalesce(gap, F.lit(""))
    )
    evidence = F.concat(
        F.lit("Empty; "),
        F.when(_is_observed(), in_snapshots).otherwise(in_topic),
        F.lit(f" (stale_after is {criteria.stale_after})."),
    )
    action = (
        F.when(F.col("certain"), f"Delete the group. {_IN_PLAN}")
        .when(F.col("hidden").isNull(), f"Not in the plan: {_UNKNOWN_OFFSETS}.")
        .when(
            F.col("hidden") > 0,
            "Not in the plan: some of its offsets are not visible in the cluster. Check DESCRIBE on the topics.",
        )
        .when(F.col("undecodable") > 0, "Not in the plan: a record of the group cannot be decoded.")
        .when(~F.col("regular"), f"Not in the plan: {_IRREGULAR}.")
        .otherwise("Not in the plan: its partition of the offsets topic was not read completely.")
    )
    return _finding(STALE_GROUP, F.col("stale"), evidence, action, F.coalesce("certain", F.lit(False)))


def no_commits(criteria: Criteria) -> Column:
    """A group with members that has not committed since the limit, or never."""
    last = F.coalesce("last_commit", "unchanged_since", "idle_since")
    found = F.col("included") & (F.col("members") > 0) & _consumers() & (last < F.lit(criteria.limit))
    evidence = F.concat(
        F.format_string("The group is %s with %d member(s), ", "state", "members"),
        F.when(
            _is_observed(),
            F.concat(F.lit("and its committed offsets are unchanged, observed since "), _time_text("unchanged_since")),
        )
        .when(F.col("last_commit").isNull(), F.concat(F.lit("and has not committed since "), _time_text("idle_since")))
        .otherwise(F.concat(F.lit("and its last commit was at "), _time_text("last_commit"))),
        F.lit("."),
    )
    action = F.lit(
        "Check the application: it may be stuck, have no records to read, or store its offsets outside of Kafka."
    )
    return _finding(NO_COMMITS, found, evidence, action)


def unsubscribed(criteria: Criteria) -> Column:
    """An offset of a topic that no member of the group subscribes to."""
    evidence = F.concat(
        F.lit("The group has members, but none of them subscribes to the topic; "), _commit_text(), F.lit(".")
    )
    return _unneeded(UNSUBSCRIBED, _is_unsubscribed(), evidence, criteria)


def topic_gone() -> Column:
    """An offset of a topic or partition that does not exist."""
    evidence = F.concat(F.lit("The topic or partition does not exist; "), _commit_text(), F.lit("."))
    action = F.lit(
        "No action is possible: brokers reject the deletion of offsets of a topic that does not exist. The offsets "
        "expire, or are deleted with the group."
    )
    return _finding(TOPIC_GONE, _is_gone(), evidence, action)


def topic_recreated(criteria: Criteria) -> Column:
    """An offset of a deleted topic of the same name; Kafka 4.1 and newer store the topic ID in commits."""
    evidence = F.format_string(
        "The offset belongs to topic ID %s, but the current topic ID is %s; committed at %s.",
        "topic_id",
        "current_topic_id",
        _time_text("commit_time"),
    )
    return _unneeded(TOPIC_RECREATED, _is_recreated(), evidence, criteria)


def negative_offset() -> Column:
    """An offset below 0: brokers accept and store such offsets, but consumers ignore them."""
    evidence = F.format_string("The committed offset is %d. Consumers ignore negative offsets.", "offset")
    return _finding(NEGATIVE_OFFSET, _is_negative(), evidence, F.lit(_SET_OFFSET))


def before_log_start() -> Column:
    """An offset before the log start: records were deleted before the group read them."""
    return _outside(BEFORE_LOG_START, _is_before_log())


def after_log_end() -> Column:
    """An offset after the log end."""
    return _outside(AFTER_LOG_END, _is_after_log())


def undecodable() -> Column:
    """A record that cannot be decoded."""
    evidence = F.format_string(
        "The record at offset %d of partition %d: %s.", "source_offset", "source_partition", "problem"
    )
    action = F.lit(
        "Check whether a newer release of the collection can decode the record. The key of the record is never in "
        "the plan."
    )
    return _finding(UNDECODABLE, F.lit(True), evidence, action)


def orphaned_config() -> Column:
    """Settings of a group that does not exist (KIP-1142)."""
    evidence = F.concat(F.lit("The group does not exist, but overrides "), "configs", F.lit("."))
    action = F.lit(
        "Not in the plan: remove the settings with group_config, state: absent and remove_all, unless the group is "
        "still to come."
    )
    return _finding(ORPHANED_CONFIG, F.lit(True), evidence, action)


def findings(
    groups: DataFrame, offsets: DataFrame, undecoded: DataFrame, orphaned_configs: DataFrame, criteria: Criteria
) -> DataFrame:
    """Return the table C(findings).

    Args:
        groups: the result of `classify_groups`.
        offsets: the result of `frames.with_live_offsets`.
        undecoded: the result of `frames.undecodable`.
        orphaned_configs: the table of `live_state.Live`.
    """
    # a stale group is one finding; its offsets are not reported again
    chosen = (
        groups.filter("included and not stale")
        .withColumn("complete", _complete(criteria))
        .select("group", "complete", "certain", "hidden", "state", "type", "protocol_type")
    )
    # most offsets have no finding, and are not joined
    found = _is_unsubscribed() | _is_gone() | _is_recreated() | _is_negative() | _is_before_log() | _is_after_log()
    offsets_in_use = offsets.filter(found).join(chosen, "group")
    of_offsets = [
        unsubscribed(criteria),
        topic_gone(),
        topic_recreated(criteria),
        negative_offset(),
        before_log_start(),
        after_log_end(),
    ]
    return (
        _table(groups, [stale_group(criteria), no_commits(criteria)])
        .unionByName(_table(offsets_in_use, of_offsets))
        .unionByName(_table(undecoded, [undecodable()]))
        .unionByName(_table(orphaned_configs, [orphaned_config()]))
    )


def _finding(kind: str, found: Column, evidence: Column, action: Column, planned: Column | None = None) -> Column:
    """Return the finding where the condition is true, otherwise null."""
    fields = {
        "kind": F.lit(kind),
        "evidence": evidence,
        "action": action,
        "planned": F.lit(False) if planned is None else planned,
    }
    return F.when(found, F.struct(*(column.alias(name) for name, column in fields.items())))


def _is_unsubscribed() -> Column:
    return ~F.col("subscribed") & F.col("topic_exists")


def _is_gone() -> Column:
    return ~F.col("topic_exists")


def _is_recreated() -> Column:
    return F.col("topic_id") != F.col("current_topic_id")


def _is_negative() -> Column:
    return F.col("offset") < 0


def _is_before_log() -> Column:
    return F.col("offset").between(0, F.col("log_start") - 1)


def _is_after_log() -> Column:
    return F.col("offset") > F.col("log_end")


def _unused() -> Column:
    """Whether no member subscribes to the topic of an offset; null if unknown."""
    return ~F.col("subscribed") | (F.col("state") == EMPTY)


def _old(criteria: Criteria) -> Column:
    return F.greatest("commit_time", "record_time") < F.lit(criteria.limit)


def _observed(criteria: Criteria) -> Column:
    """Whether enough snapshots show that nothing changed; true if the topic was read."""
    return F.coalesce("snapshots", F.lit(0)) >= criteria.min_snapshots


def _is_observed() -> Column:
    """Whether snapshots show a group or an offset, and not the topic."""
    return F.col("snapshots").isNotNull()


def _complete(criteria: Criteria) -> Column:
    """Whether all records of a group were read and decoded, and its names are valid in requests."""
    # null without the topic
    complete = F.col("regular") & (F.coalesce("undecodable", F.lit(0)) == 0)
    if criteria.unread:
        complete = complete & F.coalesce(~F.col("source_partition").isin(*criteria.unread), F.lit(False))
    return complete


def _unneeded(kind: str, found: Column, evidence: Column, criteria: Criteria) -> Column:
    """Plan an offset if it is old, unchanged since the scan, and no member subscribes to its topic."""
    unused, old, consumers = _unused(), _old(criteria), _consumers()
    planned = F.coalesce(
        unused & old & consumers & F.col("certain") & (F.col("live_offset") == F.col("offset")) & ~_is_observed(),
        F.lit(False),
    )
    action = (
        F.when(planned, f"Delete the offset. {_IN_PLAN}")
        .when(
            F.col("offset") < 0,
            "Not in the plan: brokers do not return negative offsets, so the offset cannot be verified.",
        )
        .when(
            _is_observed(),
            "Not in the plan: snapshots do not show how long no member has subscribed to the topic.",
        )
        .when(old.isNull(), "Not in the plan: the time of the commit is unknown.")
        .when(~old, f"Not in the plan: committed less than {criteria.stale_after} ago. Check which client commits it.")
        .when(
            ~unused,
            "Not in the plan: the group subscribes to the topic. Stop the consumers of the group, then set the offset.",
        )
        .when(unused.isNull(), "Not in the plan: the subscriptions of the group are unknown.")
        .when(
            ~F.col("complete") | (F.col("hidden") > 0),
            "Not in the plan: the data of the group is incomplete, cannot be decoded, or is not valid in requests.",
        )
        .when(~consumers, "Not in the plan: the group is not a group of consumers.")
        .when(F.col("hidden").isNull(), f"Not in the plan: {_UNKNOWN_OFFSETS}.")
        .otherwise("Not in the plan: the offset in the cluster differs from the offset in the topic.")
    )
    return _finding(kind, found, evidence, action, planned)


def _outside(kind: str, found: Column) -> Column:
    evidence = F.format_string(
        "The committed offset is %d, but the log contains offsets %d to %d.", "offset", "log_start", "log_end"
    )
    return _finding(kind, found, evidence, F.lit(_SET_OFFSET))


def _table(rows: DataFrame, found: list[Column]) -> DataFrame:
    """Return one row per finding."""
    where = {"topic": "string", "partition": "int"}
    place = [F.col(name) if name in rows.columns else F.lit(None).cast(of).alias(name) for name, of in where.items()]
    each = rows.select("group", *place, F.explode(F.array_compact(F.array(*found))).alias("found"))
    return each.select("found.kind", "group", "topic", "partition", "found.evidence", "found.action", "found.planned")


def _consumers() -> Column:
    """Whether a group is a group of consumers, of a type that plans support."""
    return F.col("type").isin(*TYPES) & F.col("protocol_type").isin(*CONSUMERS)


def _commit_text() -> Column:
    """When an offset was committed, or since when snapshots show it."""
    unchanged = F.concat(F.lit("unchanged, observed since "), _time_text("unchanged_since"), _snapshots_text())
    return F.when(_is_observed(), unchanged).otherwise(F.concat(F.lit("committed at "), _time_text("commit_time")))


def _snapshots_text() -> Column:
    return F.concat(F.lit(" in "), F.col("snapshots").cast("string"), F.lit(" snapshots"))


def _duration_text(column: str) -> Column:
    """Return seconds as days, hours, minutes or seconds, rounded up to one decimal: never less than they are."""
    text = F.lit("")
    for unit, seconds in (("s", 1), ("min", 60), ("h", 3_600), ("d", 86_400)):
        number = (F.ceil(F.col(column) * 10 / seconds) / 10).cast("decimal(20,1)").cast("string")
        shown = F.concat(F.regexp_replace(number, r"\.0$", ""), F.lit(f" {unit}"))
        text = shown if unit == "s" else F.when(F.col(column) >= seconds, shown).otherwise(text)
    return text


def _time_text(column: str) -> Column:
    return F.coalesce(F.date_format(column, "yyyy-MM-dd'T'HH:mm:ss'Z'"), F.lit("an unknown time"))
