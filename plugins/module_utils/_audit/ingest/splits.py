# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The offset ranges of a split, and its progress."""

from __future__ import annotations

import collections
import typing as t

from ..._errors import TaskError


class Range(t.NamedTuple):
    """The offsets to read of one partition: from `start` up to, but not including, `end`.

    Attributes:
        cut: whether other splits read other offsets of the partition.
        continued: whether an earlier scan read the records before `start`.
    """

    partition: int
    start: int
    end: int
    cut: bool = False
    continued: bool = False

    @property
    def size(self) -> int:
        """The number of offsets; with compaction and transactions, there are fewer records."""
        return self.end - self.start


Split = tuple[Range, ...]
# the advice if a topic cannot be read
OTHER_SOURCE = "or set source: snapshots, which does not read the topic"


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


def unreadable(topic: str, partition: int, why: str) -> TaskError:
    """Return the error for a partition that cannot be read."""
    return TaskError(
        f"Partition {partition} of {topic} cannot be read ({' '.join(why.split())}): "
        f"check its leader, and READ on the topic, {OTHER_SOURCE}."
    )


class Progress:
    """The progress of the partitions of one split.

    A partition is done when its last record or the end of its log was read. A partition whose log ends before its `end`
    is `blocked` by an open transaction, which can end at any time.
    """

    def __init__(self, split: Split) -> None:
        self._split = split
        self._starts = {one.partition: one.start for one in split}
        self._with_earlier = {one.partition for one in split if one.cut or one.continued}
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

        Before the first record, the range only starts later. After the first record, or if another split or an earlier
        scan reads the records before, records read may not be the latest of their keys, which is recorded as a problem.
        """
        reached = self._reached[partition]
        if start <= reached:
            return None
        if reached > self._starts[partition] or partition in self._with_earlier:
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
