# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where a reset leads to: a position in the log of each partition."""

from __future__ import annotations

import collections.abc as c
import types
import typing as t

from .._kafka.errors import KafkaError, error
from .._kafka.model import Topic, TopicPartition
from .._kafka.rpc.handler import by_topic
from .._kafka.session import Session
from ._offset_request import SHIFT_BY, TO_DATETIME, TO_EARLIEST, TO_LATEST, TO_OFFSET, Matches, Reset, Topics
from ._read_topics import offsets_at, read_logs


class Log(t.NamedTuple):
    """A partition's log: its start and end offset, and for a reset by time the offset found."""

    start: int
    end: int
    at_time: int | None = None


Logs = dict[TopicPartition, Log | KafkaError]  # pylint: disable=unsupported-binary-operation


async def target_logs(
    session: Session,
    partitions: c.Collection[TopicPartition],
    timestamps: c.Mapping[TopicPartition, int] = types.MappingProxyType({}),
) -> Logs:
    """Read the logs that offsets are clamped to, and the first offsets at or after the times that are given."""
    if not partitions:
        return {}
    logs: Logs = {
        where: found if isinstance(found, KafkaError) else Log(*found)
        for where, found in (await read_logs(session, partitions)).items()
    }
    for where, at_time in (await offsets_at(session, timestamps)).items() if timestamps else ():
        log = logs[where]
        if isinstance(log, Log):
            logs[where] = at_time if isinstance(at_time, KafkaError) else log._replace(at_time=at_time)
    return logs


def reset_times(reset: Reset | None, partitions: c.Iterable[TopicPartition]) -> dict[TopicPartition, int]:
    """Return the time (ms since the epoch) of each partition to reset by time; none for other resets."""
    return dict.fromkeys(partitions, reset.value) if reset is not None and reset.to == TO_DATETIME else {}


def partitions_of(name: str, chosen: tuple[int, ...] | None, topic: Topic | KafkaError) -> list[TopicPartition]:
    """Return the chosen partitions of a topic, by default all that it has."""
    if chosen is None:
        chosen = () if isinstance(topic, KafkaError) else tuple(sorted(topic.partitions))
    return [TopicPartition(name, partition) for partition in chosen]


def partitions_matching(found: c.Iterable[TopicPartition] | KafkaError, matches: Matches) -> Topics:
    """Return the partitions that a group has an offset on, of the topics that a pattern matches; none if unknown."""
    chosen = [] if isinstance(found, KafkaError) else [where for where in found if matches(where.topic)]
    return {name: tuple(partitions) for name, partitions in by_topic(chosen).items()}


def reset_offset(reset: Reset, log: Log, current: int | None = None) -> int | KafkaError:
    """Return where a reset leads, clamped to the log."""
    if reset.to == SHIFT_BY and current is None:
        words = "it has no committed offset to shift: reset it by to_earliest, to_latest or to_offset"
        return error("INVALID_REQUEST", words)
    wanted = {
        TO_EARLIEST: log.start,
        TO_LATEST: log.end,
        TO_OFFSET: reset.value,
        SHIFT_BY: reset.value + (current or 0),
        TO_DATETIME: offset_at_time(log),
    }[reset.to]
    return clamped(wanted, log)


def offset_at_time(log: Log) -> int:
    """Return the first offset at or after the time that was looked for, the end of the log if there is none."""
    return log.end if log.at_time is None or log.at_time < 0 else log.at_time


def clamped(offset: int, log: Log) -> int:
    """Return an offset within the log."""
    return min(max(offset, log.start), log.end)
