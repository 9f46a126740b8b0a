# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compaction of the records of one split: the latest record of each key, and the activity of each group.

All records of a key are in one partition, and a partition is in one split, so the last record read is the latest one.
"""

from __future__ import annotations

import collections
import collections.abc as c
import struct
import typing as t

from ..libraries import Message

_DAY_MS = 86_400_000
# range of the column day
_FIRST_DAY, _LAST_DAY = -(2**31), 2**31 - 1
# record types, as at the start of keys
_COMMIT_V0, _COMMIT = b"\0\0", b"\0\1"
_GROUP_METADATA, _CONSUMER_GROUP_METADATA = b"\0\2", b"\0\3"
_WITH_GENERATION = (_GROUP_METADATA, _CONSUMER_GROUP_METADATA)
# the highest known version of GroupMetadataValue, and the only one with compact strings
_FLEXIBLE = 4


def drop_superseded(latest: dict[bytes, Message]) -> None:
    """Keep only the later record if a group committed for a partition with keys of both versions, 0 and 1."""
    for key in [key for key in latest if key.startswith(_COMMIT_V0)]:
        twin = _COMMIT + key[2:]
        if twin in latest:
            del latest[min(key, twin, key=lambda one: latest[one].offset() or 0)]


class Meters(t.NamedTuple):
    """The activity of a group on one day.

    Attributes:
        day: days since the epoch, in UTC.
        timestamp: the last commit of the day, in ms since the epoch; None without commits.
    """

    source_partition: int
    group: str
    day: int
    timestamp: int | None
    commits: int
    tombstones: int
    rebalances: int


class Activity:
    """The metrics of KIP-496 per group and day, of the records still in the log: compaction removes most old records.

    A completed rebalance is a record of a classic group with members whose generation differs from the record before
    (replacing a static member writes the same generation again), or a record of a KIP-848 group with a new epoch.
    """

    def __init__(self) -> None:
        # groups are identified by the start of their keys: record type, length, name
        self._records: collections.Counter[tuple[bytes, int, bool]] = collections.Counter()
        self._timestamps: dict[tuple[bytes, int, bool], int] = {}
        self._rebalances: collections.Counter[tuple[bytes, int]] = collections.Counter()
        self._generations: dict[bytes, int] = {}
        self._partitions: dict[bytes, int] = {}

    def add(
        self,
        partitions: c.Iterable[int],
        timestamps: c.Sequence[int],
        keys: c.Iterable[bytes],
        values: c.Sequence[bytes | None],
    ) -> None:
        """Count records, in order of offsets."""
        starts = [key[: 4 + int.from_bytes(key[2:4], "big")] for key in keys]
        days = [timestamp // _DAY_MS for timestamp in timestamps]
        if max(days, default=0) > _LAST_DAY or min(days, default=0) < _FIRST_DAY:
            days = [max(_FIRST_DAY, min(day, _LAST_DAY)) for day in days]
        records = list(zip(starts, days, [value is None for value in values], strict=True))
        self._records.update(records)
        self._timestamps.update(zip(records, timestamps, strict=True))
        seen = set(starts)
        if not seen <= self._partitions.keys():
            self._partitions.update(zip(starts, partitions, strict=True))
        with_generation = {start for start in seen if start.startswith(_WITH_GENERATION)}
        if with_generation:
            for start, day, value in zip(starts, days, values, strict=True):
                if start in with_generation:
                    self._add_generation(start, day, value)

    def _add_generation(self, start: bytes, day: int, value: bytes | None) -> None:
        if value is None:
            self._generations.pop(start, None)
            return
        try:
            found = _generation(value) if start.startswith(_GROUP_METADATA) else _epoch(value)
        except struct.error:
            found = None
        if found is None:
            return
        generation, completed = found
        if completed and self._generations.get(start) != generation:
            self._rebalances[start, day] += 1
        self._generations[start] = generation

    def meters(self) -> list[Meters]:
        """Return the counts, without groups whose names are not valid UTF-8."""
        counted: dict[tuple[bytes, int], list[int]] = collections.defaultdict(lambda: [0, 0, 0])
        committed: dict[tuple[bytes, int], int] = {}
        for (start, day, tombstone), count in self._records.items():
            if start.startswith((_COMMIT_V0, _COMMIT)):
                counted[start[2:], day][int(tombstone)] += count
                if not tombstone:
                    timestamp = self._timestamps[start, day, False]
                    committed[start[2:], day] = max(timestamp, committed.get((start[2:], day), timestamp))
        for (start, day), count in self._rebalances.items():
            counted[start[2:], day][2] += count
        partitions = {start[2:]: partition for start, partition in self._partitions.items()}
        named = ((_name(name), name, day, counts) for (name, day), counts in counted.items())
        return [
            Meters(partitions[name], group, day, committed.get((name, day)), *counts)
            for group, name, day, counts in named
            if group is not None
        ]


def _name(field: bytes) -> str | None:
    """Decode the group from a length and a name, None if they are not valid."""
    try:
        return field[2:].decode() if len(field) == 2 + int.from_bytes(field[:2], "big") else None
    except UnicodeDecodeError:
        return None


def _epoch(value: bytes) -> tuple[int, bool] | None:
    """Return the epoch of a ConsumerGroupMetadataValue, and True: each one is a new assignment; see `_generation`."""
    version, epoch = struct.unpack_from(">hi", value)
    return None if version else (epoch, True)


def _generation(value: bytes) -> tuple[int, bool] | None:
    """Return the generation of a GroupMetadataValue and whether the group has members; None for an unknown version.

    Raises:
        struct.error: the value is truncated.
    """
    (version,) = struct.unpack_from(">h", value)
    if not 0 <= version <= _FLEXIBLE:
        return None
    flexible = version >= _FLEXIBLE
    skip, length = (_compact, ">B") if flexible else (_string, ">i")
    at = skip(value, 2)
    (generation,) = struct.unpack_from(">i", value, at)
    at = skip(value, skip(value, at + 4)) + (8 if version >= 2 else 0)
    (members,) = struct.unpack_from(length, value, at)
    # the length of a compact array is the number of elements plus one; null arrays are 0 or -1
    return generation, members > int(flexible)


def _string(value: bytes, at: int) -> int:
    """Return the end of a nullable string."""
    (length,) = struct.unpack_from(">h", value, at)
    return at + 2 + max(0, int(length))


def _compact(value: bytes, at: int) -> int:
    """Return the end of a nullable compact string, whose length is a varint of the number of bytes plus one."""
    length, shift, byte = 0, 0, 0x80
    while byte & 0x80:
        (byte,) = struct.unpack_from(">B", value, at)
        length |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return at + max(0, length - 1)
