# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The offset ranges to read, their distribution to splits, and the progress of a split."""

from __future__ import annotations

import collections
import collections.abc as c
import heapq
import typing as t

from ..._errors import TaskError
from ..._kafka.errors import KafkaError
from ..._kafka.model import TopicPartition

if t.TYPE_CHECKING:
    from ..._kafka.session import Session


class Range(t.NamedTuple):
    """The offsets to read of one partition: from `start` up to, but not including, `end`."""

    partition: int
    start: int
    end: int

    @property
    def size(self) -> int:
        """The number of offsets; with compaction and transactions, there are fewer records."""
        return self.end - self.start


Split = tuple[Range, ...]


class Ended(t.NamedTuple):
    """The read status of one partition: last position, number of records, and why the end was not reached."""

    source_partition: int
    source_offset: int
    records: int
    problem: str | None


async def ranges(session: Session, topic: str) -> list[Range]:
    """Return the current range of each partition, from log start to high watermark.

    Raises:
        TaskError: the topic does not exist, or a partition cannot be read.
    """
    # imported late, because executors do not have kafka-python
    from ..._operations._read_topics import describe_topics, read_logs

    found = (await describe_topics(session, [topic]))[topic]
    if isinstance(found, KafkaError):
        raise TaskError(f"The topic {topic} cannot be read ({found.name}: {found.message}). {_ADVICE}")
    if not found.partitions:
        raise TaskError(f"The topic {topic} cannot be read: it has no partitions. {_ADVICE}")
    wanted = [TopicPartition(topic, partition) for partition in sorted(found.partitions)]
    made = []
    for where, log in (await read_logs(session, wanted)).items():
        if isinstance(log, KafkaError):
            raise unreadable(topic, where.partition, f"{log.name}: {log.message}")
        made.append(Range(where.partition, *log))
    return made


_ADVICE = "Check that a group has committed offsets on this cluster, and check READ and DESCRIBE on the topic."


def unreadable(topic: str, partition: int, why: str) -> TaskError:
    """Return the error for a partition that cannot be read."""
    return TaskError(
        f"Partition {partition} of {topic} cannot be read ({' '.join(why.split())}): "
        "check its leader, and READ on the topic."
    )


def group(wanted: c.Iterable[Range], count: int) -> list[Split]:
    """Return up to `count` splits of similar size: largest range first, each added to the smallest split."""
    ordered = sorted(wanted, key=lambda one: (-one.size, one.partition))
    heap: list[tuple[int, int, list[Range]]] = [(0, number, []) for number in range(min(max(1, count), len(ordered)))]
    for one in ordered:
        size, number, split = heap[0]
        heapq.heapreplace(heap, (size + one.size, number, [*split, one]))
    return [tuple(split) for _size, _number, split in sorted(heap, key=lambda entry: entry[1])]


class Progress:
    """The progress of the partitions of one split.

    A partition is done when its last record or the end of its log was read. A partition whose log ends before its `end`
    is `blocked` by an open transaction, which can end at any time.
    """

    def __init__(self, split: Split) -> None:
        self._split = split
        self._starts = {one.partition: one.start for one in split}
        self._ends = {one.partition: one.end for one in split}
        self._reached = dict(self._starts)
        self._records: collections.Counter[int] = collections.Counter()
        self._problems: dict[int, str] = {}
        self.remaining = {one.partition for one in split if one.size > 0}
        self.blocked: set[int] = set()

    def exceeds(self, positions: c.Mapping[int, int]) -> bool:
        """Return whether an offset is at or after the end of its range."""
        return any(offset >= self._ends[partition] for partition, offset in positions.items())

    def within(self, partition: int, offset: int) -> bool:
        """Return whether a record belongs to the split."""
        return offset < self._ends[partition]

    def add(self, partitions: c.Iterable[int], positions: c.Mapping[int, int]) -> set[int]:
        """Add records by partition, and the last offset of each partition; return the partitions that are now done."""
        self._records.update(partitions)
        done = set()
        for partition, offset in positions.items():
            self._reached[partition] = offset + 1
            self.blocked.discard(partition)
            if offset + 1 >= self._ends[partition]:
                done.add(partition)
        self.remaining -= done
        return done

    def end_of_log(self, partition: int, offset: int) -> set[int]:
        """Handle the end of the readable log at an offset; return the partitions that are now done."""
        if partition not in self.remaining or offset < self._reached[partition]:
            return set()
        self._reached[partition] = min(offset, self._ends[partition])
        if offset < self._ends[partition]:
            self.blocked.add(partition)
            return set()
        return self._finish(partition)

    def removed(self, partition: int, start: int) -> set[int] | None:
        """Handle a new log start; return the partitions that are now done, None if no unread records were removed.

        Before the first record, the range only starts later. After the first record, records read may not be the latest
        of their keys, which is recorded as a problem.
        """
        reached = self._reached[partition]
        if start <= reached:
            return None
        if reached > self._starts[partition]:
            problem = f"records from offset {reached} to {start} were deleted during the scan"
            self._problems.setdefault(partition, problem)
        self._reached[partition] = start
        self.blocked.discard(partition)
        return self._finish(partition) if start >= self._ends[partition] else set()

    def _finish(self, partition: int) -> set[int]:
        self.remaining.discard(partition)
        return {partition}

    def ended(self) -> list[Ended]:
        """Return the read status of each partition."""
        return [self._ended(one) for one in self._split]

    def _ended(self, one: Range) -> Ended:
        reached, problem = self._reached[one.partition], self._problems.get(one.partition)
        if one.partition in self.remaining:
            problem = f"an open transaction at offset {reached} hides the records up to offset {one.end}"
        return Ended(one.partition, reached, self._records[one.partition], problem)
