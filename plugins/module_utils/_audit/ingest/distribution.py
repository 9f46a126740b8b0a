# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Distribute the partitions of a topic to splits."""

from __future__ import annotations

import itertools
import math
import typing as t

from .splits import Range, Split

# below so many bytes, one process reads the topic before Spark has started several
_SMALL = 8 * 1024 * 1024
# below so many bytes, to combine the parts of a partition takes longer than to read it
_MIN_CUT = 32 * 1024 * 1024
# up to so many times its share
_TOLERANCE = 1.25
# each part of a partition has at least so many bytes, and so has each split on one host if there are more than cores
_MIN_SPLIT = 16 * 1024 * 1024
# more splits a core on one host, if the sizes of the partitions are unknown
_SPLITS_A_CORE = 4

# of a record, with its part of the overhead of batches
RECORD_BYTES = 100


class Topic(t.NamedTuple):
    """What is to be read.

    Attributes:
        ranges: the current range of each partition, from log start to high watermark.
        weights: the bytes of each partition, estimated from offsets if the brokers do not return them.
        exact: whether the brokers returned all of them.
        topic_id: empty if the brokers do not have topic ids.
    """

    ranges: list[Range]
    weights: dict[int, int]
    exact: bool
    topic_id: str = ""

    @property
    def total(self) -> int:
        """The bytes of all partitions."""
        return sum(self.weights.values())


class Cores(t.NamedTuple):
    """The cores that will read.

    Attributes:
        number: those known when the scan is planned.
        cluster: whether there may be more later, on other hosts.
    """

    number: int
    cluster: bool


def is_small(topic: Topic, cores: Cores) -> bool:
    """Return whether this host reads the topic best, without processes of Spark."""
    return not cores.cluster and topic.total <= _SMALL


def plan(topic: Topic, cores: Cores) -> list[Split]:
    """Return splits of similar weight.

    There is one split for each core, and only one for a small topic on one host. On a cluster, there are at least as
    many as partitions that are not empty: executors may still be starting, or Spark may start them for the tasks that
    wait. On one host, there are more than cores if the sizes of the partitions are unknown.
    """
    if is_small(topic, cores):
        return distribute(topic, 1)
    if cores.cluster:
        more = sum(one.size > 0 for one in topic.ranges)
    else:
        more = min(cores.number * (1 if topic.exact else _SPLITS_A_CORE), topic.total // _MIN_SPLIT)
    return distribute(topic, max(1, cores.number, more))


def distribute(topic: Topic, count: int) -> list[Split]:
    """Return up to `count` splits of similar weight.

    A large partition is cut at offsets, so that several splits read it, if it has more than the share of one split. The
    others are distributed: the heaviest first, each to the lightest split.
    """
    pieces = [
        (topic.weights[one.partition] / parts, piece)
        for one in topic.ranges
        for parts in [_parts(one, topic.weights[one.partition], topic.total, count)]
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
    return max(1, min(count, math.ceil(weight * count / total), weight // _MIN_SPLIT, wanted.size))


def _cut(wanted: Range, parts: int) -> list[Range]:
    """Return a range in a number of parts."""
    bounds = [wanted.start + wanted.size * part // parts for part in range(parts + 1)]
    return [Range(wanted.partition, *pair, parts > 1, wanted.continued) for pair in itertools.pairwise(bounds)]
