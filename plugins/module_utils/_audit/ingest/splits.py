# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is to be read of each partition, the splits that this is read in, and how far the reading of one got."""

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
    """What is read of one partition: from the offset `start` to before the offset `end`."""

    partition: int
    start: int
    end: int

    @property
    def size(self) -> int:
        """How many offsets that are; compaction and transactions leave fewer records."""
        return self.end - self.start


Split = tuple[Range, ...]


class Ended(t.NamedTuple):
    """How the reading of one partition ended: where, after how many records, and what kept it from the end."""

    source_partition: int
    source_offset: int
    records: int
    problem: str | None


async def ranges(session: Session, topic: str) -> list[Range]:
    """Return what there is to read now: of each partition all from its log start to its high watermark.

    Raises:
        TaskError: there is no such topic, or a partition cannot be read.
    """
    # not above: executors have no kafka-python
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


_ADVICE = "Look at whether anything was ever committed on this cluster, and at READ and DESCRIBE on the topic."


def unreadable(topic: str, partition: int, why: str) -> TaskError:
    """Return the failure of a scan: one partition could not be read."""
    return TaskError(
        f"Partition {partition} of {topic} cannot be read ({' '.join(why.split())}): "
        "look at its leader, and at READ on the topic."
    )


def group(wanted: c.Iterable[Range], count: int) -> list[Split]:
    """Return at most `count` splits of about the same size: the largest range first, each to the smallest split."""
    ordered = sorted(wanted, key=lambda one: (-one.size, one.partition))
    heap: list[tuple[int, int, list[Range]]] = [(0, number, []) for number in range(min(max(1, count), len(ordered)))]
    for one in ordered:
        size, number, split = heap[0]
        heapq.heapreplace(heap, (size + one.size, number, [*split, one]))
    return [tuple(split) for _size, _number, split in sorted(heap, key=lambda entry: entry[1])]


class Progress:
    """How far the partitions of one split were read.

    A partition is done when its last record or the end of its log was seen. At the end of its log before its `end` it
    is `stuck`: a transaction is open there, which may end any moment.
    """

    def __init__(self, split: Split) -> None:
        self._split = split
        self._starts = {one.partition: one.start for one in split}
        self._ends = {one.partition: one.end for one in split}
        self._reached = dict(self._starts)
        self._records: collections.Counter[int] = collections.Counter()
        self._problems: dict[int, str] = {}
        self.left = {one.partition for one in split if one.size > 0}
        self.stuck: set[int] = set()

    def exceeds(self, positions: c.Mapping[int, int]) -> bool:
        """Return whether one of the offsets lies at or beyond the end of its partition."""
        return any(offset >= self._ends[partition] for partition, offset in positions.items())

    def within(self, partition: int, offset: int) -> bool:
        """Return whether a record belongs to the split."""
        return offset < self._ends[partition]

    def add(self, partitions: c.Iterable[int], positions: c.Mapping[int, int]) -> set[int]:
        """Note the partition of each record that was read, and the last offset of each; return what is done now."""
        self._records.update(partitions)
        done = set()
        for partition, offset in positions.items():
            self._reached[partition] = offset + 1
            self.stuck.discard(partition)
            if offset + 1 >= self._ends[partition]:
                done.add(partition)
        self.left -= done
        return done

    def end_of_log(self, partition: int, offset: int) -> set[int]:
        """Note that there was nothing to read at the offset when the last records were; return what is done now."""
        if partition not in self.left or offset < self._reached[partition]:
            return set()
        self._reached[partition] = min(offset, self._ends[partition])
        if offset < self._ends[partition]:
            self.stuck.add(partition)
            return set()
        return self._finish(partition)

    def removed(self, partition: int, start: int) -> set[int] | None:
        """Note that the log starts at an offset now; return what is done now, None if nothing was removed by that.

        Before the first record was read, that is as if the reading was planned later. Afterwards what was read may not
        be the latest of its keys, and is a problem.
        """
        reached = self._reached[partition]
        if start <= reached:
            return None
        if reached > self._starts[partition]:
            words = f"records from offset {reached} to {start} were removed while it was read"
            self._problems.setdefault(partition, words)
        self._reached[partition] = start
        self.stuck.discard(partition)
        return self._finish(partition) if start >= self._ends[partition] else set()

    def _finish(self, partition: int) -> set[int]:
        self.left.discard(partition)
        return {partition}

    def ended(self) -> list[Ended]:
        """Return how the reading of every partition ended."""
        return [self._ended(one) for one in self._split]

    def _ended(self, one: Range) -> Ended:
        reached, problem = self._reached[one.partition], self._problems.get(one.partition)
        if one.partition in self.left:
            problem = f"an open transaction ends what can be read at offset {reached} of {one.end}"
        return Ended(one.partition, reached, self._records[one.partition], problem)
