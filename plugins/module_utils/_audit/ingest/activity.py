# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The activity of each group in consecutive records of one partition."""

from __future__ import annotations

import bisect
import collections
import collections.abc as c
import itertools
import operator
import struct
import typing as t

_DAY_MS = 86_400_000
# range of the column day
_FIRST_DAY, _LAST_DAY = -(2**31), 2**31 - 1
_FIRST_TIME = -(2**63)
# record types, as at the start of keys
_COMMITS = (b"\0\0", b"\0\1")
_GROUP_METADATA, _CONSUMER_GROUP_METADATA = b"\0\2", b"\0\3"
_WITH_GENERATION = (_GROUP_METADATA, _CONSUMER_GROUP_METADATA)
# the highest known version of GroupMetadataValue, and the only one with compact strings
_FLEXIBLE = 4


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


class Generations(t.NamedTuple):
    """The generations of a group in consecutive records, to compare with the records before and after them.

    Attributes:
        source_offset: the first of the records.
        key: record type, length and name of the group.
        day: the day of the first rebalance; None if the first record did not count as one.
        first_generation: the generation of the first rebalance: it does not count if the records before end with it.
        last_generation: the generation after the last record; None after a tombstone.
    """

    source_partition: int
    source_offset: int
    group: str
    key: bytes
    day: int | None
    first_generation: int | None
    last_generation: int | None


class _Starts(dict[bytes, bytes]):
    """The start of each key, which identifies the group: record type, length, name.

    Attributes:
        with_generation: the starts of the record types that contain a generation.
    """

    def __init__(self) -> None:
        super().__init__()
        self.with_generation: set[bytes] = set()
        # one object for all keys of a group
        self._known: dict[bytes, bytes] = {}

    def __missing__(self, key: bytes) -> bytes:
        start = key[: 4 + int.from_bytes(key[2:4], "big")]
        start = self[key] = self._known.setdefault(start, start)
        if start.startswith(_WITH_GENERATION):
            self.with_generation.add(start)
        return start


class _Day:
    """The records of one day by the starts of their keys.

    Attributes:
        timestamps: of the last record that is not a tombstone.
    """

    __slots__ = ("records", "timestamps", "tombstones")

    def __init__(self) -> None:
        self.records: collections.Counter[bytes] = collections.Counter()
        self.tombstones: collections.Counter[bytes] = collections.Counter()
        self.timestamps: dict[bytes, int] = {}

    def add(
        self, starts: c.Sequence[bytes], timestamps: c.Sequence[int], values: c.Sequence[bytes | None], latest: bool
    ) -> None:
        """Add records in order of timestamps.

        Args:
            latest: whether no timestamp of the day is higher than the first one.
        """
        # a value without bytes is not a tombstone, but very rare
        if not all(values):
            present = [value is not None for value in values]
            self.tombstones.update(itertools.compress(starts, map(operator.not_, present)))
            starts = list(itertools.compress(starts, present))
            timestamps = list(itertools.compress(timestamps, present))
        self.records.update(starts)
        found = zip(starts, timestamps, strict=True)
        if latest:
            self.timestamps.update(found)
        else:
            for start, timestamp in found:
                self.timestamps[start] = max(timestamp, self.timestamps.get(start, timestamp))


class Activity:
    """The metrics of KIP-496 per group and day, of the records still in the log: compaction removes most old records.

    A completed rebalance is a record of a classic group with members whose generation differs from the record before
    (replacing a static member writes the same generation again), or a record of a KIP-848 group with a new epoch.
    """

    def __init__(self, partition: int) -> None:
        self._partition = partition
        self._first_offset: int | None = None
        self._starts = _Starts()
        self._days: dict[int, _Day] = collections.defaultdict(_Day)
        self._highest_timestamp = _FIRST_TIME
        self._rebalances: collections.Counter[tuple[bytes, int]] = collections.Counter()
        self._first_rebalances: dict[bytes, tuple[int, int]] = {}
        self._generations: dict[bytes, int | None] = {}

    @property
    def entries(self) -> int:
        """The number of counts; a day takes the memory of two."""
        counts = sum(len(day.records) + len(day.tombstones) + 2 for day in self._days.values())
        return len(self._generations) + counts

    def add(
        self, offset: int, timestamps: c.Sequence[int], keys: c.Sequence[bytes], values: c.Sequence[bytes | None]
    ) -> None:
        """Count records, at least one, in order of offsets, which begin at `offset`."""
        if self._first_offset is None:
            self._first_offset = offset
        starts = list(map(self._starts.__getitem__, keys))
        with_generation = map(self._starts.with_generation.__contains__, starts)
        for start, timestamp, value in itertools.compress(
            zip(starts, timestamps, values, strict=True), with_generation
        ):
            self._add_generation(start, _day(timestamp), value)
        ascending = sorted(timestamps)
        if ascending != timestamps:
            order = sorted(range(len(timestamps)), key=timestamps.__getitem__)
            starts, values = [starts[place] for place in order], [values[place] for place in order]
            timestamps = ascending
        latest = timestamps[0] >= self._highest_timestamp
        first = 0
        while first < len(timestamps):
            day = timestamps[first] // _DAY_MS
            end = bisect.bisect_left(timestamps, (day + 1) * _DAY_MS, first)
            part = slice(first, end)
            self._days[_day(timestamps[first])].add(starts[part], timestamps[part], values[part], latest)
            first = end
        self._highest_timestamp = max(self._highest_timestamp, timestamps[-1])

    def release_keys(self) -> None:
        """Keep only the counts."""
        self._starts = _Starts()

    def _add_generation(self, start: bytes, day: int, value: bytes | None) -> None:
        if value is None:
            self._generations[start] = None
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
            if start not in self._generations:
                self._first_rebalances[start] = (day, generation)
        self._generations[start] = generation

    def meters(self) -> list[Meters]:
        """Return the counts, without groups whose names are not valid UTF-8."""
        counted: dict[tuple[bytes, int], list[int]] = collections.defaultdict(lambda: [0, 0, 0])
        committed: dict[tuple[bytes, int], int] = {}
        for day, added in self._days.items():
            for column, counter in enumerate((added.records, added.tombstones)):
                for start, count in counter.items():
                    if start.startswith(_COMMITS):
                        counted[start[2:], day][column] += count
            for start, timestamp in added.timestamps.items():
                if start.startswith(_COMMITS):
                    committed[start[2:], day] = max(timestamp, committed.get((start[2:], day), timestamp))
        for (start, day), count in self._rebalances.items():
            counted[start[2:], day][2] += count
        named = ((_name(name), name, day, counts) for (name, day), counts in counted.items())
        return [
            Meters(self._partition, group, day, committed.get((name, day)), *counts)
            for group, name, day, counts in named
            if group is not None
        ]

    def generations(self) -> list[Generations]:
        """Return the generations of each group whose name is valid UTF-8."""
        found = []
        for start, last in self._generations.items():
            group = _name(start[2:])
            if group is not None:
                day, first = self._first_rebalances.get(start, (None, None))
                found.append(Generations(self._partition, self._first_offset or 0, group, start, day, first, last))
        return found


def _day(timestamp: int) -> int:
    return max(_FIRST_DAY, min(timestamp // _DAY_MS, _LAST_DAY))


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
