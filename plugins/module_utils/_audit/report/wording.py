# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How the report spells names, numbers and times, and what it says of each kind of finding."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import datetime
import typing as t

EMPTY = "(empty name)"
UNKNOWN = "unknown"


@dataclasses.dataclass(frozen=True)
class Advice:
    """What a kind of finding is called, what it means, and what to do about it; `few` words, then sentences."""

    few: str
    meaning: str
    todo: str


KINDS = {
    "stale_group": Advice(
        "Stale group",
        "The group has no members, and has neither committed nor changed for longer than the limit.",
        "Ask the owner, then delete the group with consumer_group and the plan. All of its offsets go with it.",
    ),
    "unsubscribed": Advice(
        "Offsets on a topic without a subscription",
        "The group has members, and none of them subscribes to the topic any more. Its lag there only grows.",
        "Delete the offsets with consumer_group_offsets and the plan. The group and its other offsets stay. Offsets "
        "that were committed lately are not in the plan: look who commits them.",
    ),
    "topic_gone": Advice(
        "Offsets of a topic that is gone",
        "The topic, or the partition, has been deleted, and the group still has offsets of it.",
        "Nothing can be done now: brokers refuse to delete offsets of a topic that does not exist. They expire, or go "
        "with the group.",
    ),
    "topic_recreated": Advice(
        "Offsets of an earlier topic of the same name",
        "The topic was deleted and created anew after the commit. The offset belongs to the earlier topic.",
        "Old offsets that nobody uses are in the plan: delete them with consumer_group_offsets. For a group in use, "
        "decide where it has to begin in the new topic, and set that with consumer_group_offsets: reset.",
    ),
    "negative_offset": Advice(
        "Negative offset",
        "The group has committed an offset below 0. Brokers store it. Consumers take it for no offset, and continue by "
        "auto.offset.reset.",
        "Find out which client commits it. Then set the offset with consumer_group_offsets: reset.",
    ),
    "before_log_start": Advice(
        "Offset before the start of the log",
        "Retention has removed records that the group had not read. Its consumers continue by auto.offset.reset.",
        "Look for a group that is too slow or stopped, or for a retention that is too short. Then set the offset with "
        "consumer_group_offsets: reset.to_earliest.",
    ),
    "after_log_end": Advice(
        "Offset after the end of the log",
        "The log is shorter than what the group says it has read: the topic was recreated, or records were lost.",
        "Find out what happened to the topic before the consumers go on, then set the offset with "
        "consumer_group_offsets: reset.",
    ),
    "no_commits": Advice(
        "Members, but no commits",
        "The group has members that have not committed for longer than the limit.",
        "Look at the application: it may be stuck, have nothing to read, or keep its offsets elsewhere. It is not in "
        "the plan.",
    ),
    "undecodable": Advice(
        "Record that cannot be decoded",
        "A record has a format that this release does not know. What its key names never enters the plan.",
        "Look for a newer release of the collection. If there is none, report the record type to its authors.",
    ),
}


def shown(text: str, empty: str = EMPTY) -> str:
    """Return `text` with all that is invisible or reorders text (controls, U+202E, zero width) as an escape."""
    if text.isprintable():
        return text or empty
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def shorten(text: str, most: int) -> str:
    """Return `text`, or its beginning and its end in `most` characters."""
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[-end:]}"


def count(number: int) -> str:
    """Return 12345 as 12,345."""
    return f"{number:,}"


def counted(number: int, noun: str) -> str:
    """Return "1 group", "2 groups"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def moment(time: datetime.datetime) -> str:
    """Return a time in UTC, to the minute."""
    return f"{time.astimezone(datetime.UTC):%Y-%m-%d %H:%M} UTC"


def criteria(given: c.Mapping[str, t.Any]) -> list[str]:
    """Return the criteria of the plan as sentences."""
    include, exclude = (", ".join(shown(pattern) for pattern in given[key]) for key in ("include", "exclude"))
    groups = "All groups were looked at" if include == "*" else f"Groups that were looked at: {include}"
    return [
        f"A group is stale if it is Empty, and has neither committed nor changed for {given['stale_after']}.",
        f"{groups}, without {exclude}." if exclude else f"{groups}.",
    ]
