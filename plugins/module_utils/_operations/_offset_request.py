# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What C(consumer_group_offsets) is asked for: its options, checked and put into values. Others share some of them."""

from __future__ import annotations

import collections
import collections.abc as c
import datetime
import time
import typing as t

from .. import _input as inputs
from .._errors import InvalidOption
from .._kafka.model import TopicPartition
from ._names import group_name

Topics = dict[str, tuple[int, ...] | None]  # pylint: disable=unsupported-binary-operation
"""Partitions by topic; None stands for the whole topic."""

TO_EARLIEST = "to_earliest"
TO_LATEST = "to_latest"
TO_DATETIME = "to_datetime"
TO_OFFSET = "to_offset"
SHIFT_BY = "shift_by"
_BY_DURATION = "by_duration"
# a shorter number of ms is before 1973, and rather a year or a date
_MS_DIGITS = 12
# more than any time or duration takes
_LONGEST_TEXT = 100
_SOURCES = ("offsets", "reset", "restore", "copy_from")
_NO_GROUP = "group or groups is missing."


TOPICS_SPEC: dict[str, t.Any] = {
    "type": "list",
    "elements": "dict",
    "options": {
        "name": {"type": "raw", "required": True},
        "partitions": {"type": "list", "elements": "int"},
    },
}
OFFSETS_SPEC: dict[str, t.Any] = {
    "type": "list",
    "elements": "dict",
    "options": {
        "topic": {"type": "raw", "required": True},
        "partition": {"type": "int", "required": True},
        "offset": {"type": "int", "required": True},
        "metadata": {"type": "str"},
        "leader_epoch": {"type": "int"},
        "log_start": {"type": "int"},
        "log_end": {"type": "int"},
        "lag": {"type": "int"},
    },
}
_RESETS: dict[str, dict[str, t.Any]] = {
    TO_EARLIEST: {"type": "bool", "choices": [True]},
    TO_LATEST: {"type": "bool", "choices": [True]},
    TO_DATETIME: {"type": "str"},
    _BY_DURATION: {"type": "str"},
    TO_OFFSET: {"type": "int"},
    SHIFT_BY: {"type": "int"},
}


def reset_spec(*without: str) -> dict[str, t.Any]:
    """Return the spec of C(reset), without some of its suboptions."""
    options = {to: spec for to, spec in _RESETS.items() if to not in without}
    names = tuple(options)
    return {"type": "dict", "options": options, "mutually_exclusive": [names], "required_one_of": [names]}


class Wanted(t.NamedTuple):
    """An offset as the user gives it; without metadata, that of an equal committed offset is kept."""

    offset: int
    metadata: str | None
    leader_epoch: int | None


class Reset(t.NamedTuple):
    """Where to reset to; the value of C(to_datetime) is in ms since the epoch."""

    to: str
    value: int = 0


Renames = dict[str, str]
"""The topics to select, and the name of each one to set the offsets on."""


class Copy(t.NamedTuple):
    """The group to copy the offsets of, and on which topics; None for all."""

    group: str
    topics: Renames | None


class Restore(t.NamedTuple):
    """The back-up to restore, on which topics (None for all), and what to do where the cluster has changed since."""

    path: str
    topics: Renames | None
    any_cluster: bool
    missing_only: bool
    clamp: bool


class Request(t.NamedTuple):
    """The task: which groups and partitions, named or in a plan file, and what to do with them."""

    state: str
    plan: str | None
    groups: dict[str, Topics]
    unsubscribed: bool
    all_topics: bool
    offsets: dict[TopicPartition, Wanted] | None
    reset: Reset | None
    restore: Restore | None
    copy_from: Copy | None
    backup: str | None
    max_changes: int | None


def parse(params: dict[str, t.Any]) -> Request:
    """Return what C(consumer_group_offsets) asks for.

    Raises:
        TaskError: the options do not go together, or one of them cannot be.
    """
    groups = _groups(params)
    if params["state"] == "absent":
        _check_absent(params, groups)
    else:
        _check_present(params, groups)
    return Request(
        state=params["state"],
        plan=inputs.optional_path(params["plan"], "plan"),
        groups=groups,
        unsubscribed=params["unsubscribed"],
        all_topics=params["all_topics"],
        offsets=None if params["offsets"] is None else offsets_of(params["offsets"]),
        reset=None if params["reset"] is None else reset_of(params["reset"]),
        restore=None if params["restore"] is None else _restore(params["restore"]),
        copy_from=None if params["copy_from"] is None else _copy(params["copy_from"], groups),
        backup=inputs.optional_path(params["backup"], "backup"),
        max_changes=inputs.optional_natural(params["max_changes"], "max_changes"),
    )


def _groups(params: dict[str, t.Any]) -> dict[str, Topics]:
    if params["group"] is not None:
        return {group_name(params["group"], "group"): topics_of(params["topics"], "topics")}
    if params["groups"] is None:
        return {}
    inputs.not_empty(params["groups"], "groups")
    groups: dict[str, Topics] = {}
    for index, entry in enumerate(params["groups"]):
        name = group_name(entry["name"], f"groups[{index}].name")
        if name in groups:
            raise InvalidOption(f"groups[{index}] contains '{name}' more than once.")
        groups[name] = topics_of(entry["topics"], f"groups[{index}].topics")
    return groups


def topics_of(value: list[dict[str, t.Any]] | None, option: str) -> Topics:
    """Return the partitions of each topic of C(TOPICS_SPEC)."""
    inputs.not_empty(value, option)
    topics: Topics = {}
    for index, entry in enumerate(value or ()):
        where = f"{option}[{index}]"
        name = inputs.topic_name(entry["name"], f"{where}.name")
        if name in topics:
            raise InvalidOption(f"{where} contains '{name}' more than once.")
        partitions = entry["partitions"]
        inputs.not_empty(partitions, f"{where}.partitions")
        if partitions is not None:
            partitions = tuple(sorted({inputs.natural(each, f"{where}.partitions") for each in partitions}))
        topics[name] = partitions
    return topics


def _check_absent(params: dict[str, t.Any], groups: dict[str, Topics]) -> None:
    for option in _SOURCES:
        if params[option] is not None:
            raise InvalidOption(f"{option} requires state present.")
    if params["all_topics"]:
        raise InvalidOption("all_topics requires reset.")
    if params["plan"] is not None:
        return
    if not params["unsubscribed"]:
        _need_topics(groups)
    else:
        _need_no_topics(groups, "unsubscribed")


def _check_present(params: dict[str, t.Any], groups: dict[str, Topics]) -> None:
    if params["unsubscribed"]:
        raise InvalidOption("unsubscribed requires state absent.")
    if params["all_topics"] and params["reset"] is None:
        raise InvalidOption("all_topics requires reset.")
    if params["all_topics"]:
        _need_no_topics(groups, "all_topics")
    elif params["reset"] is not None:
        _need_topics(groups)
    elif params["restore"] is not None:
        if any(groups.values()):
            raise InvalidOption("topics and restore are mutually exclusive: set one of them.")
    elif params["offsets"] is None and params["copy_from"] is None:
        raise InvalidOption("state present needs one of offsets, reset, restore and copy_from.")


def _need_no_topics(groups: dict[str, Topics], option: str) -> None:
    if not groups:
        raise InvalidOption(_NO_GROUP)
    if any(groups.values()):
        raise InvalidOption(f"{option} and topics are mutually exclusive: set one of them.")


def _need_topics(groups: dict[str, Topics]) -> None:
    if not groups:
        raise InvalidOption(_NO_GROUP)
    for name, topics in groups.items():
        if not topics:
            raise InvalidOption(f"topics is missing for group '{name}'.")


def offsets_of(value: list[dict[str, t.Any]]) -> dict[TopicPartition, Wanted]:
    """Return what is given for each partition of C(OFFSETS_SPEC)."""
    inputs.not_empty(value, "offsets")
    offsets: dict[TopicPartition, Wanted] = {}
    for index, entry in enumerate(value):
        option = f"offsets[{index}]"
        where = TopicPartition(
            inputs.topic_name(entry["topic"], f"{option}.topic"),
            inputs.natural(entry["partition"], f"{option}.partition"),
        )
        if where in offsets:
            raise InvalidOption(f"{option} contains partition {where} more than once.")
        # -1 is none, as consumer_group_info returns it
        if entry["leader_epoch"] not in (None, -1):
            inputs.natural(entry["leader_epoch"], f"{option}.leader_epoch")
        offsets[where] = Wanted(
            inputs.natural(entry["offset"], f"{option}.offset", inputs.INT64_MAX),
            inputs.metadata(entry["metadata"], f"{option}.metadata"),
            entry["leader_epoch"],
        )
    return offsets


def reset_of(given: dict[str, t.Any]) -> Reset:
    """Return where C(reset_spec) leads to."""
    for to, value in given.items():
        if value is not None:
            return Reset(TO_DATETIME if to == _BY_DURATION else to, _READ[to](value, f"reset.{to}"))
    raise InvalidOption("reset contains only null: set one of its options.")


def _moment(value: str, option: str) -> int:
    """Return ms since the epoch of a number of ms, or of an ISO 8601 time (UTC where it names no zone)."""
    _short(value, option)
    if value.isdecimal() and len(value) >= _MS_DIGITS:
        return _since_epoch(int(value), value, option)
    try:
        if value.isdecimal():
            raise ValueError(value)
        moment = datetime.datetime.fromisoformat(value)
    except ValueError:
        raise InvalidOption(
            f"{option} is {value!r}: a time is ISO 8601, as 2026-01-31T12:00:00Z, or ms since the epoch."
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return _since_epoch(int(moment.timestamp() * 1000), value, option)


def _ago(value: str, option: str) -> int:
    _short(value, option)
    return _since_epoch(int(time.time() * 1000) - inputs.duration(value, option), value, option)


def _short(value: str, option: str) -> None:
    if len(value) > _LONGEST_TEXT:
        raise InvalidOption(f"{option} is longer than {_LONGEST_TEXT} characters.")


def _since_epoch(ms: int, value: str, option: str) -> int:
    if abs(ms) > inputs.INT64_MAX:
        raise InvalidOption(f"{option} is {value!r}, which is too large.")
    # before 1970 there is no record, and negative timestamps mean something else to brokers
    return max(0, ms)


_READ: dict[str, c.Callable[[t.Any, str], int]] = {
    TO_EARLIEST: lambda _value, _option: 0,
    TO_LATEST: lambda _value, _option: 0,
    TO_DATETIME: _moment,
    _BY_DURATION: _ago,
    TO_OFFSET: lambda value, option: inputs.natural(value, option, inputs.INT64_MAX),
    SHIFT_BY: lambda value, option: inputs.whole(value, option, -inputs.INT64_MAX, inputs.INT64_MAX),
}


def _restore(given: dict[str, t.Any]) -> Restore:
    path = inputs.path(given["path"], "restore.path")
    topics = _renames(given["topics"], "restore.topics")
    return Restore(path, topics, given["any_cluster"], given["missing_only"], given["recreated"] == "clamp")


def _copy(given: dict[str, t.Any], groups: dict[str, Topics]) -> Copy:
    source = group_name(given["group"], "copy_from.group")
    if source in groups:
        raise InvalidOption(f"copy_from.group is '{source}', the group itself: set another one.")
    return Copy(source, _renames(given["topics"], "copy_from.topics"))


def _renames(given: dict[t.Any, t.Any] | None, option: str) -> Renames | None:
    if given is None:
        return None
    inputs.not_empty(list(given), option)
    topics = {inputs.topic_name(old, option): inputs.topic_name(new, f"{option}.{old}") for old, new in given.items()}
    for new, count in collections.Counter(topics.values()).items():
        if count > 1:
            raise InvalidOption(f"{option} contains '{new}' more than once as a new name.")
    return topics
