# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The formats of names, numbers and times in the report, and the texts for each kind of finding."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import datetime
import typing as t

EMPTY = "(empty name)"
UNKNOWN = "unknown"
NO_OWNER = "(no owner)"


@dataclasses.dataclass(frozen=True)
class Advice:
    """The title of a kind of finding, its meaning, and the recommended action."""

    title: str
    meaning: str
    action: str


KINDS = {
    "stale_group": Advice(
        "Stale group",
        "The group has no members, and has neither committed nor changed for longer than stale_after.",
        "Ask the owner, then delete the group with consumer_group and the plan. This also deletes all of its offsets.",
    ),
    "unsubscribed": Advice(
        "Offsets of a topic without a subscription",
        "The group has members, but none of them subscribes to the topic. The lag of the topic keeps growing.",
        "Delete the offsets with consumer_group_offsets and the plan. The group and its other offsets are not deleted. "
        "Recently committed offsets are not in the plan: check which client commits them.",
    ),
    "topic_gone": Advice(
        "Offsets of a deleted topic",
        "The topic or partition was deleted, but the group still has committed offsets for it.",
        "No action is possible: brokers reject the deletion of offsets of a topic that does not exist. The offsets "
        "expire, or are deleted with the group.",
    ),
    "topic_recreated": Advice(
        "Offsets of a recreated topic",
        "The topic was deleted and recreated after the commit. The offset belongs to the deleted topic.",
        "Old, unused offsets are in the plan: delete them with consumer_group_offsets. For a group in use, decide "
        "where the group must start in the new topic, and set this offset with consumer_group_offsets: reset.",
    ),
    "negative_offset": Advice(
        "Negative offset",
        "The group has committed an offset below 0. Brokers store negative offsets, but consumers ignore them and use "
        "auto.offset.reset.",
        "Find the client that commits the offset, then set the offset with consumer_group_offsets: reset.",
    ),
    "before_log_start": Advice(
        "Offset before the log start",
        "Retention deleted records before the group read them. The consumers of the group use auto.offset.reset.",
        "Check whether the group is stopped or too slow, or the retention is too short. Then set the offset with "
        "consumer_group_offsets: reset.to_earliest.",
    ),
    "after_log_end": Advice(
        "Offset after the log end",
        "The committed offset is higher than the log end offset: the topic was recreated, or records were lost.",
        "Find out what happened to the topic before the consumers continue, then set the offset with "
        "consumer_group_offsets: reset.",
    ),
    "no_commits": Advice(
        "Members without commits",
        "The group has members, but has not committed for longer than stale_after.",
        "Check the application: it may be stuck, have no records to read, or store its offsets outside of Kafka. The "
        "group is not in the plan.",
    ),
    "orphaned_config": Advice(
        "Settings of a group that does not exist",
        "The group was deleted, or never existed. Brokers keep its settings, and a new group of the same name uses "
        "them.",
        "Remove the settings with group_config, state: absent and remove_all, unless the group is still to come.",
    ),
    "undecodable": Advice(
        "Record that cannot be decoded",
        "This release does not support the format of the record. The key of the record is never in the plan.",
        "Check whether a newer release of the collection can decode the record. If not, report a bug.",
    ),
}


_OBSERVED = {
    "stale_group": "No snapshot since then shows members of the group, or a change of its committed offsets. A commit "
    "of an equal offset is not visible.",
    "no_commits": "The group has members, but its committed offsets have not changed for longer than stale_after.",
}


def kinds(observed: bool) -> dict[str, Advice]:
    """Return the texts for each kind of finding, of an audit of snapshots or of the topic."""
    changes = _OBSERVED if observed else {}
    return {
        kind: dataclasses.replace(advice, meaning=changes.get(kind, advice.meaning)) for kind, advice in KINDS.items()
    }


def printable(text: str, empty: str = EMPTY) -> str:
    """Return `text` with characters escaped that are invisible or reorder text (controls, U+202E, zero width)."""
    if text.isprintable():
        return text or empty
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def shorten(text: str, most: int) -> str:
    """Return `text`, or its start and end if it is longer than `most` characters."""
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[-end:]}"


def format_number(number: int) -> str:
    """Return 12345 as 12,345."""
    return f"{number:,}"


def pluralize(number: int, noun: str) -> str:
    """Return "1 group", "2 groups"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def format_time(time: datetime.datetime) -> str:
    """Return a time as UTC, in minutes."""
    return f"{time.astimezone(datetime.UTC):%Y-%m-%d %H:%M} UTC"


def criteria(given: c.Mapping[str, t.Any]) -> list[str]:
    """Return the criteria of the plan as sentences."""
    include, exclude = (", ".join(printable(pattern) for pattern in given[key]) for key in ("include", "exclude"))
    groups = "Included groups: all" if include == "*" else f"Included groups: {include}"
    stale = f"A group is stale if it is Empty and has neither committed nor changed for {given['stale_after']}."
    source = "the topic does"
    if given.get("source") == "snapshots":
        stale = (
            f"A group is stale if it is Empty, and was observed for {given['stale_after']} without members or changes "
            f"of its offsets, in at least {given['min_snapshots']} snapshots."
        )
        source = "snapshots do"
    return [
        stale,
        f"{groups}. Excluded: {exclude}." if exclude else f"{groups}.",
        f"Share groups are never stale: {source} not show when their consumers acknowledge records.",
    ]
