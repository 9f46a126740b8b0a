# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What C(consumer_group_offsets) is asked for: its options, checked and put into values."""

from __future__ import annotations

import collections.abc as c
import datetime
import re
import time
import typing as t

from .. import _input as inputs
from .._errors import TaskError
from .._kafka.model import TopicPartition
from ._names import group_name

Topics = dict[str, tuple[int, ...] | None]  # pylint: disable=unsupported-binary-operation
"""Partitions by topic; None stands for the whole topic."""

# a shorter number of ms is before 1973, and rather a year or a date
_MS_DIGITS = 12
# more than any time, duration or number takes
_LONGEST_VALUE = 100
_SOURCES = ("offsets", "reset_to", "restore_from")
# these say how to restore
_OF_RESTORE = {"force": False, "missing_only": False, "recreated": "fail"}
CLAMP = "clamp"


class Wanted(t.NamedTuple):
    """An offset as the user gives it; without metadata, that of an equal committed offset is kept."""

    offset: int
    metadata: str | None
    leader_epoch: int | None


class Reset(t.NamedTuple):
    """Where to reset to: C(earliest), C(latest), C(offset), C(shift), or C(timestamp) (ms since the epoch)."""

    to: str
    value: int = 0


class Request(t.NamedTuple):
    """The task: which groups and partitions, named or in a plan file, and what to do with them."""

    state: str
    plan: str | None
    groups: dict[str, Topics]
    unsubscribed: bool
    offsets: dict[TopicPartition, Wanted] | None
    reset: Reset | None
    restore_from: str | None
    any_cluster: bool
    backup: str | None
    max_changes: int | None
    missing_only: bool = False
    recreated: str = "fail"


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
        plan=inputs.path(params["plan"], "plan"),
        groups=groups,
        unsubscribed=params["unsubscribed"],
        offsets=_offsets(params["offsets"]) if params["offsets"] is not None else None,
        reset=_reset(params["reset_to"], params["reset_value"]) if params["reset_to"] else None,
        restore_from=inputs.path(params["restore_from"], "restore_from"),
        any_cluster=params["force"],
        backup=inputs.path(params["backup"], "backup"),
        max_changes=inputs.optional_natural(params["max_changes"], "max_changes"),
        missing_only=params["missing_only"],
        recreated=params["recreated"],
    )


def _groups(params: dict[str, t.Any]) -> dict[str, Topics]:
    if params["group"] is not None:
        return {group_name(params["group"], "group"): _topics(params["topics"], "topics")}
    if params["topics"] is not None:
        raise TaskError("topics goes with group; for many groups, give each of groups its topics. Nothing was sent.")
    if params["groups"] is None:
        return {}
    inputs.not_empty(params["groups"], "groups")
    groups: dict[str, Topics] = {}
    for index, entry in enumerate(params["groups"]):
        name = group_name(entry["name"], f"groups[{index}].name")
        if name in groups:
            raise TaskError(f"groups[{index}] names '{name}' a second time. Nothing was sent.")
        groups[name] = _topics(entry["topics"], f"groups[{index}].topics")
    return groups


def _topics(value: list[dict[str, t.Any]] | None, option: str) -> Topics:
    inputs.not_empty(value, option)
    topics: Topics = {}
    for index, entry in enumerate(value or ()):
        where = f"{option}[{index}]"
        name = inputs.topic_name(entry["name"], f"{where}.name")
        if name in topics:
            raise TaskError(f"{where} names '{name}' a second time. Nothing was sent.")
        partitions = entry["partitions"]
        inputs.not_empty(partitions, f"{where}.partitions")
        if partitions is not None:
            partitions = tuple(sorted({inputs.natural(each, f"{where}.partitions") for each in partitions}))
        topics[name] = partitions
    return topics


def _check_absent(params: dict[str, t.Any], groups: dict[str, Topics]) -> None:
    for option in (*_SOURCES, "reset_value"):
        if params[option] is not None:
            raise TaskError(f"{option} goes with state present. Nothing was sent.")
    _only_to_restore(params)
    if params["plan"] is not None:
        if params["unsubscribed"]:
            raise TaskError("plan stands in place of unsubscribed: give one of them. Nothing was sent.")
        return
    if not groups:
        raise TaskError("group, groups or plan is missing. Nothing was sent.")
    if params["unsubscribed"] and any(groups.values()):
        raise TaskError("unsubscribed stands in place of topics: give one of them. Nothing was sent.")
    if not params["unsubscribed"]:
        _need_topics(groups)


def _check_present(params: dict[str, t.Any], groups: dict[str, Topics]) -> None:
    for option in ("unsubscribed", "plan"):
        if params[option]:
            raise TaskError(f"{option} goes with state absent. Nothing was sent.")
    sources = [option for option in _SOURCES if params[option] is not None]
    if len(sources) != 1:
        raise TaskError("state present needs exactly one of offsets, reset_to and restore_from. Nothing was sent.")
    if params["reset_value"] is not None and sources != ["reset_to"]:
        raise TaskError("reset_value goes with reset_to. Nothing was sent.")
    if sources == ["reset_to"]:
        _need_topics(groups)
    elif any(groups.values()):
        raise TaskError(f"topics does not go with {sources[0]}. Nothing was sent.")
    if sources == ["offsets"] and params["group"] is None:
        raise TaskError("offsets needs group. Nothing was sent.")
    if sources != ["restore_from"]:
        _only_to_restore(params)


def _only_to_restore(params: dict[str, t.Any]) -> None:
    for option, default in _OF_RESTORE.items():
        if params[option] != default:
            raise TaskError(f"{option} goes with restore_from. Nothing was sent.")


def _need_topics(groups: dict[str, Topics]) -> None:
    if not groups:
        raise TaskError("group or groups is missing. Nothing was sent.")
    for name, topics in groups.items():
        if not topics:
            raise TaskError(f"topics is missing for group '{name}'. Nothing was sent.")


def _offsets(value: list[dict[str, t.Any]]) -> dict[TopicPartition, Wanted]:
    inputs.not_empty(value, "offsets")
    offsets: dict[TopicPartition, Wanted] = {}
    for index, entry in enumerate(value):
        option = f"offsets[{index}]"
        where = TopicPartition(
            inputs.topic_name(entry["topic"], f"{option}.topic"),
            inputs.natural(entry["partition"], f"{option}.partition"),
        )
        if where in offsets:
            raise TaskError(f"{option} names partition {where} a second time. Nothing was sent.")
        # -1 is none, as consumer_group_info returns it
        if entry["leader_epoch"] not in (None, -1):
            inputs.natural(entry["leader_epoch"], f"{option}.leader_epoch")
        offsets[where] = Wanted(
            inputs.natural(entry["offset"], f"{option}.offset", inputs.INT64_MAX),
            inputs.metadata(entry["metadata"], f"{option}.metadata"),
            entry["leader_epoch"],
        )
    return offsets


def _reset(to: str, value: t.Any) -> Reset:
    if to in ("earliest", "latest"):
        if value is not None:
            raise TaskError(f"reset_value does not go with reset_to {to}. Nothing was sent.")
        return Reset(to)
    if value is None:
        raise TaskError(f"reset_to {to} needs reset_value. Nothing was sent.")
    if len(str(value)) > _LONGEST_VALUE:
        raise TaskError(f"reset_value is longer than {_LONGEST_VALUE} characters. Nothing was sent.")
    read: dict[str, tuple[str, c.Callable[[t.Any], int]]] = {
        "offset": ("offset", lambda given: inputs.natural(_integer(given), "reset_value", inputs.INT64_MAX)),
        "shift": ("shift", _integer),
        "timestamp": ("timestamp", _timestamp),
        "duration": ("timestamp", lambda given: int(time.time() * 1000) - inputs.duration(given, "reset_value")),
    }
    kind, convert = read[to]
    number = convert(value)
    if abs(number) > inputs.INT64_MAX:
        raise TaskError(f"reset_value is {value!r}, which is too large. Nothing was sent.")
    # before 1970 there is no record, and librdkafka takes negative timestamps for something else
    return Reset(kind, max(0, number) if kind == "timestamp" else number)


def _integer(value: t.Any) -> int:
    if isinstance(value, bool) or not re.fullmatch(r"[+-]?\d+", str(value)):
        raise TaskError(f"reset_value is {value!r}, which is not a whole number. Nothing was sent.")
    return int(value)


def _timestamp(value: t.Any) -> int:
    """Return ms since the epoch of a number of ms, or of an ISO 8601 time (UTC where it names no zone)."""
    written = str(value)
    if not isinstance(value, bool) and written.isdecimal() and len(written) >= _MS_DIGITS:
        return int(written)
    try:
        if written.isdecimal():
            raise ValueError(written)
        moment = datetime.datetime.fromisoformat(written)
    except ValueError:
        raise TaskError(
            f"reset_value is {value!r}: a timestamp is ISO 8601, as 2026-01-31T12:00:00Z, or ms since the epoch. "
            "Nothing was sent."
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return int(moment.timestamp() * 1000)
