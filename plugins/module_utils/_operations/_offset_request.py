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
from ._plan_changes import owners

Matches = c.Callable[[str], bool]
"""Whether a pattern of the task matches a name."""

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
_SELECTING_TOPICS = ("all_topics", "match_topics")
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
        "timestamp": {"type": "int"},
    },
}
GROUPS_SPEC: dict[str, t.Any] = {
    "type": "list",
    "elements": "dict",
    "options": {"name": {"type": "raw", "required": True}, "topics": TOPICS_SPEC},
}
RESTORE_SPEC: dict[str, t.Any] = {
    "type": "dict",
    "options": {
        "path": {"type": "path", "required": True},
        "topics": {"type": "dict"},
        "any_cluster": {"type": "bool", "default": False},
        "missing_only": {"type": "bool", "default": False},
        "recreated": {"type": "str", "choices": ["fail", "clamp"], "default": "fail"},
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
    """An offset as the user gives it; without metadata, that of an equal committed offset is kept.

    Attributes:
        timestamp: in ms since the epoch; None if the offset is to be set.
    """

    offset: int
    metadata: str | None
    leader_epoch: int | None
    timestamp: int | None = None


class Reset(t.NamedTuple):
    """Where to reset to; the value of C(to_datetime) is in ms since the epoch."""

    to: str
    value: int = 0


Renames = dict[str, str]
"""The topics to select, and the name of each one to set the offsets on."""


class Copy(t.NamedTuple):
    """The group to copy the offsets of, on which topics (None for all), and whether by time."""

    group: str
    topics: Renames | None
    use_timestamps: bool


class Restore(t.NamedTuple):
    """The back-up to restore, on which topics (None for all), and what to do where the cluster has changed since."""

    path: str
    topics: Renames | None
    any_cluster: bool
    missing_only: bool
    clamp: bool


class Request(t.NamedTuple):
    """The task: which groups and partitions, named or in a plan file, and what to do with them.

    Attributes:
        owners: selects entries of the plan, None for all.
        match: selects groups, instead of `groups`.
        committed_topics: selects topics with committed offsets, instead of the topics of `groups`.
    """

    state: str
    plan: str | None
    owners: list[str] | None
    groups: dict[str, Topics]
    match: Matches | None
    unsubscribed: bool
    committed_topics: Matches | None
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
    groups = groups_of(params)
    _check_timestamps(params)
    if params["state"] == "absent":
        _check_absent(params, groups)
    else:
        _check_present(params, groups)
    return Request(
        state=params["state"],
        plan=inputs.optional_path(params["plan"], "plan"),
        owners=owners(params, "plan"),
        groups=groups,
        match=groups_matching(params),
        unsubscribed=params["unsubscribed"],
        committed_topics=topics_matching(params),
        offsets=None if params["offsets"] is None else offsets_of(params["offsets"], params["use_timestamps"]),
        reset=None if params["reset"] is None else reset_of(params["reset"]),
        restore=None if params["restore"] is None else restore_of(params["restore"]),
        copy_from=None if params["copy_from"] is None else _copy(params["copy_from"], groups),
        backup=inputs.optional_path(params["backup"], "backup"),
        max_changes=inputs.optional_natural(params["max_changes"], "max_changes"),
    )


def groups_of(params: dict[str, t.Any]) -> dict[str, Topics]:
    """Return the groups of C(group) or C(groups), with their topics."""
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


def groups_matching(params: dict[str, t.Any]) -> Matches | None:
    """Return what C(match) selects; None if it is not given."""
    return None if params["match"] is None else inputs.patterns(params["match"], "match")


def topics_matching(params: dict[str, t.Any]) -> Matches | None:
    """Return what C(all_topics) or C(match_topics) selects; None if neither is given."""
    if params["all_topics"]:
        return lambda _name: True
    return None if params["match_topics"] is None else inputs.patterns(params["match_topics"], "match_topics")


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


def _check_timestamps(params: dict[str, t.Any]) -> None:
    if params["use_timestamps"] and params["offsets"] is None:
        raise InvalidOption("use_timestamps requires offsets.")


def _check_absent(params: dict[str, t.Any], groups: dict[str, Topics]) -> None:
    check_no_source(params, _SOURCES)
    if params["plan"] is not None:
        return
    if not params["unsubscribed"]:
        need_topics(groups)
    else:
        _need_no_topics(groups, "unsubscribed")


def _check_present(params: dict[str, t.Any], groups: dict[str, Topics]) -> None:
    if params["unsubscribed"]:
        raise InvalidOption("unsubscribed requires state absent.")
    check_source(params, groups, _SOURCES)


def check_no_source(params: dict[str, t.Any], sources: tuple[str, ...]) -> None:
    """Raise TaskError if an option says what to set."""
    for option in sources:
        if params[option] is not None:
            raise InvalidOption(f"{option} requires state present.")
    _check_matching(params)


def check_source(params: dict[str, t.Any], groups: dict[str, Topics], sources: tuple[str, ...]) -> None:
    """Raise TaskError unless one of the options says what to set, and on which topics."""
    _check_matching(params)
    selected = next((option for option in _SELECTING_TOPICS if params[option]), None)
    if selected is not None and params["match"] is None:
        _need_no_topics(groups, selected)
    elif params["reset"] is not None and params["match"] is None:
        need_topics(groups)
    elif params["restore"] is not None:
        if any(groups.values()):
            raise InvalidOption("topics and restore are mutually exclusive: set one of them.")
    elif all(params[option] is None for option in sources):
        raise InvalidOption(f"state present needs one of {', '.join(sources[:-1])} and {sources[-1]}.")


def _check_matching(params: dict[str, t.Any]) -> None:
    for option in ("match", *_SELECTING_TOPICS):
        if params[option] and params["reset"] is None:
            raise InvalidOption(f"{option} requires reset.")
    if all(params[option] for option in _SELECTING_TOPICS):
        raise InvalidOption("all_topics and match_topics are mutually exclusive: set one of them.")
    if params["match"] is not None and not any(params[option] for option in _SELECTING_TOPICS):
        raise InvalidOption("match requires all_topics or match_topics.")


def _need_no_topics(groups: dict[str, Topics], option: str) -> None:
    if not groups:
        raise InvalidOption(_NO_GROUP)
    if any(groups.values()):
        raise InvalidOption(f"{option} and topics are mutually exclusive: set one of them.")


def need_topics(groups: dict[str, Topics]) -> None:
    """Raise TaskError unless each group has topics."""
    if not groups:
        raise InvalidOption(_NO_GROUP)
    for name, topics in groups.items():
        if not topics:
            raise InvalidOption(f"topics is missing for group '{name}'.")


def offsets_of(value: list[dict[str, t.Any]], use_timestamps: bool = False) -> dict[TopicPartition, Wanted]:
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
        wanted = Wanted(
            inputs.natural(entry["offset"], f"{option}.offset", inputs.INT64_MAX),
            inputs.metadata(entry["metadata"], f"{option}.metadata"),
            entry["leader_epoch"],
        )
        offsets[where] = _at_time(wanted, entry["timestamp"], option) if use_timestamps else wanted
    return offsets


def _at_time(wanted: Wanted, timestamp: int | None, option: str) -> Wanted:
    if timestamp is None:
        raise InvalidOption(
            f"{option}.timestamp is missing: omit the partition, or gather the timestamps with consumer_group_info."
        )
    timestamp = inputs.natural(timestamp, f"{option}.timestamp", inputs.INT64_MAX)
    # the leader epoch is that of another log
    return wanted._replace(timestamp=timestamp, leader_epoch=None)


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


def restore_of(given: dict[str, t.Any]) -> Restore:
    """Return what C(RESTORE_SPEC) asks for."""
    path = inputs.path(given["path"], "restore.path")
    topics = _renames(given["topics"], "restore.topics")
    return Restore(path, topics, given["any_cluster"], given["missing_only"], given["recreated"] == "clamp")


def _copy(given: dict[str, t.Any], groups: dict[str, Topics]) -> Copy:
    source = group_name(given["group"], "copy_from.group")
    if source in groups:
        raise InvalidOption(f"copy_from.group is '{source}', the group itself: set another one.")
    return Copy(source, _renames(given["topics"], "copy_from.topics"), given["use_timestamps"])


def _renames(given: dict[t.Any, t.Any] | None, option: str) -> Renames | None:
    if given is None:
        return None
    inputs.not_empty(list(given), option)
    topics = {inputs.topic_name(old, option): inputs.topic_name(new, f"{option}.{old}") for old, new in given.items()}
    for new, count in collections.Counter(topics.values()).items():
        if count > 1:
            raise InvalidOption(f"{option} contains '{new}' more than once as a new name.")
    return topics
