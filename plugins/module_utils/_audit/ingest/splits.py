# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The offset ranges to read, their distribution to splits, and the progress of a split."""

from __future__ import annotations

import collections
import itertools
import math
import typing as t

from ..._errors import TaskError
from ..._kafka.errors import KafkaError
from ..._kafka.model import TopicPartition

if t.TYPE_CHECKING:
    from ..._kafka.session import Session


class Range(t.NamedTuple):
    """The offsets to read of one partition: from `start` up to, but not including, `end`.

    Attributes:
        cut: whether other splits read other offsets of the partition.
    """

    partition: int
    start: int
    end: int
    cut: bool = False

    @property
    def size(self) -> int:
        """The number of offsets; with compaction and transactions, there are fewer records."""
        return self.end - self.start


Split = tuple[Range, ...]


class Ended(t.NamedTuple):
    """The read status of one range: last position, number of records, why the end was not reached.

    Attributes:
        partial: whether the rows of the partition must be combined, see `merge`.
    """

    source_partition: int
    source_offset: int
    records: int
    problem: str | None
    partial: bool


class Topic(t.NamedTuple):
    """What is to be read.

    Attributes:
        ranges: the current range of each partition, from log start to high watermark.
        weights: the bytes of each partition, estimated from offsets if the brokers do not return them.
        exact: whether the brokers returned all of them.
    """

    ranges: list[Range]
    weights: dict[int, int]
    exact: bool


async def describe(session: Session, topic: str) -> Topic:
    """Return the ranges and weights of all partitions.

    Raises:
        TaskError: the topic does not exist, or a partition cannot be read.
    """
    # imported late, because executors do not have kafka-python
    from ..._operations._read_topics import describe_topics, partition_sizes, read_logs

    found = (await describe_topics(session, [topic]))[topic]
    if isinstance(found, KafkaError):
        raise TaskError(f"The topic {topic} cannot be read ({found.name}: {found.message}). {_ADVICE}")
    if not found.partitions:
        raise TaskError(f"The topic {topic} cannot be read: it has no partitions. {_ADVICE}")
    wanted = [TopicPartition(topic, partition) for partition in sorted(found.partitions)]
    ranges = []
    for where, log in (await read_logs(session, wanted)).items():
        if isinstance(log, KafkaError):
            raise unreadable(topic, where.partition, f"{log.name}: {log.message}")
        ranges.append(Range(where.partition, *log))
    sizes = {where.partition: size for where, size in (await partition_sizes(session, wanted)).items()}
    exact = not any(isinstance(size, KafkaError) for size in sizes.values())
    # of an empty partition, the files may remain
    weights = {
        one.partition: 0 if not one.size else sizes[one.partition] if exact else one.size * _RECORD_BYTES
        for one in ranges
    }
    return Topic(ranges, t.cast("dict[int, int]", weights), exact)


# below so many bytes, to combine the parts of a partition takes longer than to read it
_MIN_CUT = 32 * 1024 * 1024
# up to so many times its share
_TOLERANCE = 1.25
# more splits than cores have at least so many bytes each
_MIN_SPLIT = 16 * 1024 * 1024
# more splits a core on one host, if the sizes of the partitions are unknown
_SPLITS_A_CORE = 4
# an estimate, with the overhead of batches
_RECORD_BYTES = 100

_ADVICE = "Check that a group has committed offsets on this cluster, and check READ and DESCRIBE on the topic."


def unreadable(topic: str, partition: int, why: str) -> TaskError:
    """Return the error for a partition that cannot be read."""
    return TaskError(
        f"Partition {partition} of {topic} cannot be read ({' '.join(why.split())}): "
        "check its leader, and READ on the topic."
    )


class Cores(t.NamedTuple):
    """The cores that will read.

    Attributes:
        number: those known when the scan is planned.
        cluster: whether there may be more later, on other hosts.
    """

    number: int
    cluster: bool


def plan(topic: Topic, cores: Cores) -> list[Split]:
    """Return splits of similar weight.

    There is one split for each core. On a cluster, whose executors may still be starting, there are more if the topic
    is large, up to one for each partition; on one host, there are more if the sizes of the partitions are unknown.
    """
    total = sum(topic.weights.values())
    most = len(topic.ranges) if cores.cluster else cores.number * (1 if topic.exact else _SPLITS_A_CORE)
    return distribute(topic, max(1, cores.number, min(most, total // _MIN_SPLIT)))


def distribute(topic: Topic, count: int) -> list[Split]:
    """Return up to `count` splits of similar weight.

    A large partition is cut at offsets, so that several splits read it, if it has more than the share of one split. The
    others are distributed: the heaviest first, each to the lightest split.
    """
    total = sum(topic.weights.values())
    pieces = [
        (topic.weights[one.partition] / parts, piece)
        for one in topic.ranges
        for parts in [_parts(one, topic.weights[one.partition], total, count)]
        for piece in _cut(one, parts)
    ]
    splits: list[list[Range]] = [[] for _each in range(min(count, len(pieces)))]
    sums = [0.0] * len(splits)
    for weight, piece in sorted(pieces, key=lambda one: (-one[0], one[1])):
        # never two pieces of a partition
        free = [
            number
            for number, split in enumerate(splits)
            if not piece.cut or all(one.partition != piece.partition for one in split)
        ]
        lightest = min(free, key=lambda number: sums[number])
        splits[lightest].append(piece)
        sums[lightest] += weight
    return [tuple(split) for split in splits]


def _parts(wanted: Range, weight: int, total: int, count: int) -> int:
    """Return the number of splits that read a partition: one, unless it is large, and more than the share of one."""
    if weight < _MIN_CUT or weight * count <= _TOLERANCE * total:
        return 1
    return max(1, min(count, math.ceil(weight * count / total), wanted.size))


def _cut(wanted: Range, parts: int) -> list[Range]:
    """Return a range in a number of parts."""
    bounds = [wanted.start + wanted.size * part // parts for part in range(parts + 1)]
    return [Range(wanted.partition, *pair, parts > 1) for pair in itertools.pairwise(bounds)]


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

    def end(self, partition: int) -> int:
        """Return the offset at which the range of a partition ends."""
        return self._ends[partition]

    def add(self, partition: int, count: int, last: int) -> set[int]:
        """Add records of the range; return the partition if it is now done.

        Args:
            last: the offset of the last record that was read, in the range or after it.
        """
        self._records[partition] += count
        self._reached[partition] = min(last + 1, self._ends[partition])
        self.blocked.discard(partition)
        return self._finish(partition) if last + 1 >= self._ends[partition] else set()

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
        return Ended(one.partition, reached, self._records[one.partition], problem, one.cut)
