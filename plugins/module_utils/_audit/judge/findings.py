# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is wrong: one function a kind, whose column is null where nothing is; and the table of all of them."""

from __future__ import annotations

import dataclasses
import datetime

from ..._files.plan import TYPES
from ..libraries import Column, DataFrame, F
from .transforms import CONSUMERS, EMPTY

STALE_GROUP = "stale_group"
UNSUBSCRIBED = "unsubscribed"
TOPIC_GONE = "topic_gone"
TOPIC_RECREATED = "topic_recreated"
NEGATIVE_OFFSET = "negative_offset"
BEFORE_LOG_START = "before_log_start"
AFTER_LOG_END = "after_log_end"
NO_COMMITS = "no_commits"
UNDECODABLE = "undecodable"

# offsets of these findings are of no use to the group
WASTE = (UNSUBSCRIBED, TOPIC_GONE, TOPIC_RECREATED)
_IN_PLAN = "It is in the plan."
_SET_OFFSET = "Set the offset with reset of consumer_group_offsets, once the group's consumers are stopped."
_IRREGULAR = "no request can name the group or one of its topics, or its records stand in two partitions of the topic"


@dataclasses.dataclass(frozen=True)
class Criteria:
    """What counts as stale.

    Attributes:
        limit: the time before which a last commit is stale.
        stale_after: the duration as the user wrote it.
        unread: partitions of the topic that could not be read to their end: their groups never enter the plan.
    """

    limit: datetime.datetime
    stale_after: str
    unread: tuple[int, ...]


def judged(groups: DataFrame, criteria: Criteria) -> DataFrame:
    """Add C(stale) to the table of groups, and C(certain): whether the group may enter the plan at all.

    Stale is a group that is Empty, whose members are consumers, and that has neither committed nor changed since the
    limit. What a group's own records say counts too: a consumer that had nothing to commit was alive all the same.
    """
    stale = (
        F.col("included")
        & _consumers()
        & (F.col("state") == EMPTY)
        & (F.col("idle_since") < F.lit(criteria.limit))
        & (F.col("committed_since") == 0)
    )
    certain = F.col("regular") & (F.col("hidden") == 0) & (F.col("undecodable") == 0)
    if criteria.unread:
        certain = certain & ~F.col("source_partition").isin(*criteria.unread)
    return groups.withColumns({"stale": F.coalesce(stale, F.lit(False)), "certain": F.coalesce(certain, F.lit(False))})


def stale_group(criteria: Criteria) -> Column:
    """A group that nobody uses any more."""
    committed = F.concat(F.lit("last commit at "), _words("last_commit"))
    last_commit = F.when(F.col("partitions") > 0, committed).otherwise("no commit")
    evidence = F.concat(
        F.lit("Empty; "),
        last_commit,
        F.lit(", last change at "),
        _words("idle_since"),
        F.lit(f" (stale_after is {criteria.stale_after})."),
    )
    action = (
        F.when(F.col("certain"), f"Delete the group. {_IN_PLAN}")
        .when(
            F.col("hidden") > 0, "Not in the plan: the cluster does not show all of its offsets (DESCRIBE on topics)."
        )
        .when(F.col("undecodable") > 0, "Not in the plan: the topic holds a record of the group that is undecodable.")
        .when(~F.col("regular"), f"Not in the plan: {_IRREGULAR}.")
        .otherwise("Not in the plan: its partition of the topic could not be read to the end.")
    )
    return _finding(STALE_GROUP, F.col("stale"), evidence, action, F.col("certain"))


def no_commits(criteria: Criteria) -> Column:
    """A group with members that have not committed for long, or never."""
    last = F.coalesce("last_commit", "idle_since")
    found = F.col("included") & (F.col("members") > 0) & _consumers() & (last < F.lit(criteria.limit))
    evidence = F.concat(
        F.format_string("The group is %s with %d member(s), ", "state", "members"),
        F.when(
            F.col("last_commit").isNull(), F.concat(F.lit("and has committed nothing since "), _words("idle_since"))
        ).otherwise(F.concat(F.lit("and its last commit was at "), _words("last_commit"))),
        F.lit("."),
    )
    action = F.lit("Look at the application: it may be stuck, have nothing to read, or keep its offsets elsewhere.")
    return _finding(NO_COMMITS, found, evidence, action)


def unsubscribed(criteria: Criteria) -> Column:
    """An offset of a group with members, none of which subscribes to the topic."""
    evidence = F.concat(
        F.lit("The group has members, and none subscribes to the topic; committed at "),
        _words("commit_time"),
        F.lit("."),
    )
    return _useless(UNSUBSCRIBED, ~F.col("subscribed") & F.col("topic_exists"), evidence, criteria)


def topic_gone() -> Column:
    """An offset of a topic or a partition that does not exist any more."""
    evidence = F.concat(
        F.lit("The topic or the partition does not exist; committed at "), _words("commit_time"), F.lit(".")
    )
    action = F.lit(
        "Nothing to do: brokers refuse to delete offsets of a missing topic. They expire, or go with the group."
    )
    return _finding(TOPIC_GONE, ~F.col("topic_exists"), evidence, action)


def topic_recreated(criteria: Criteria) -> Column:
    """An offset of an earlier topic of the same name (topic ids, which commits hold since Kafka 4.1)."""
    evidence = F.format_string(
        "The offset was committed on topic id %s, and the topic's id is %s now; committed at %s.",
        "topic_id",
        "current_topic_id",
        _words("commit_time"),
    )
    return _useless(TOPIC_RECREATED, F.col("topic_id") != F.col("current_topic_id"), evidence, criteria)


def negative_offset() -> Column:
    """An offset below 0, which any client may commit: brokers store it, and consumers take it for none."""
    evidence = F.format_string("Offset %d is committed, which consumers take for no offset.", "offset")
    return _finding(NEGATIVE_OFFSET, F.col("offset") < 0, evidence, F.lit(_SET_OFFSET))


def before_log_start() -> Column:
    """An offset of a record that the log has lost before it was read."""
    return _outside(BEFORE_LOG_START, F.col("offset").between(0, F.col("log_start") - 1))


def after_log_end() -> Column:
    """An offset of a record that the log does not have yet, or has no more."""
    return _outside(AFTER_LOG_END, F.col("offset") > F.col("log_end"))


def undecodable() -> Column:
    """A record that cannot be decoded."""
    evidence = F.format_string(
        "The record at offset %d of partition %d: %s.", "source_offset", "source_partition", "problem"
    )
    action = F.lit("Look whether a newer release of the collection knows the record. Its key never enters the plan.")
    return _finding(UNDECODABLE, F.lit(True), evidence, action)


def findings(groups: DataFrame, offsets: DataFrame, undecoded: DataFrame, criteria: Criteria) -> DataFrame:
    """Return the table C(findings).

    Args:
        groups: as `judged` gives it.
        offsets: as `transforms.offsets` gives it.
        undecoded: as `transforms.undecodable` gives it.
    """
    # a stale group is one finding, whatever else is wrong with its offsets
    chosen = groups.filter("included and not stale").select("group", "certain", "state", "type", "protocol_type")
    judged_offsets = offsets.join(F.broadcast(chosen), "group")
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
        .unionByName(_table(judged_offsets, of_offsets))
        .unionByName(_table(undecoded, [undecodable()]))
    )


def _finding(kind: str, found: Column, evidence: Column, action: Column, planned: Column | None = None) -> Column:
    """Return the finding where it is one, else null."""
    fields = {
        "kind": F.lit(kind),
        "evidence": evidence,
        "action": action,
        "planned": F.lit(False) if planned is None else planned,
    }
    return F.when(found, F.struct(*(column.alias(name) for name, column in fields.items())))


def _useless(kind: str, found: Column, evidence: Column, criteria: Criteria) -> Column:
    """Offsets go into the plan if they are old, and still live as they were scanned, and nobody subscribes to them."""
    unused = ~F.col("subscribed") | (F.col("state") == EMPTY)
    old = F.greatest("commit_time", "record_time") < F.lit(criteria.limit)
    consumers = _consumers()
    planned = F.coalesce(
        unused & old & consumers & F.col("certain") & (F.col("live_offset") == F.col("offset")), F.lit(False)
    )
    action = (
        F.when(planned, f"Delete the offset. {_IN_PLAN}")
        .when(F.col("offset") < 0, "Not in the plan: the cluster shows no negative offsets to compare with.")
        .when(old.isNull(), "Not in the plan: the time of the commit is unknown.")
        .when(~old, f"Not in the plan: it was committed less than {criteria.stale_after} ago, so look who commits it.")
        .when(
            ~unused,
            "Not in the plan: the group subscribes to the topic. Set the offset, once its consumers are stopped.",
        )
        .when(unused.isNull(), "Not in the plan: nothing tells whether the group subscribes to the topic.")
        .when(~F.col("certain"), "Not in the plan: something of the group is hidden, undecodable, unread or irregular.")
        .when(~consumers, "Not in the plan: the members of the group are no consumers.")
        .otherwise("Not in the plan: the cluster does not show the offset as the topic holds it.")
    )
    return _finding(kind, found, evidence, action, planned)


def _outside(kind: str, found: Column) -> Column:
    evidence = F.format_string(
        "Offset %d is committed, and the log has offsets %d to %d.", "offset", "log_start", "log_end"
    )
    return _finding(kind, found, evidence, F.lit(_SET_OFFSET))


def _table(rows: DataFrame, found: list[Column]) -> DataFrame:
    """Return one row for each finding of each row."""
    where = {"topic": "string", "partition": "int"}
    place = [F.col(name) if name in rows.columns else F.lit(None).cast(of).alias(name) for name, of in where.items()]
    each = rows.select("group", *place, F.explode(F.array_compact(F.array(*found))).alias("found"))
    return each.select("found.kind", "group", "topic", "partition", "found.evidence", "found.action", "found.planned")


def _consumers() -> Column:
    """Whether a group is one of consumers, and of a type that a plan can hold."""
    return F.col("type").isin(*TYPES) & F.col("protocol_type").isin(*CONSUMERS)


def _words(column: str) -> Column:
    return F.coalesce(F.date_format(column, "yyyy-MM-dd'T'HH:mm:ss'Z'"), F.lit("an unknown time"))
