# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The marks of a scan in the topic: up to where it read each partition, so that a later scan can continue there."""

from __future__ import annotations

import collections
import collections.abc as c
import typing as t

from ..._kafka.errors import KafkaError
from .distribution import RECORD_BYTES, Topic
from .executor import Origin
from .splits import Ended, Range


class Marks(t.NamedTuple):
    """Up to where a topic was read.

    Attributes:
        began: when the scan began, in seconds since the epoch.
        topic_id: the id of the topic; empty if the brokers do not have topic ids (before Kafka 2.8).
        starts: the log start of each partition at the start of the scan.
        ends: the next offset to read of each partition. Records after an open transaction are not read, so they are
            after this offset.
    """

    began: float
    topic_id: str
    starts: dict[int, int]
    ends: dict[int, int]


def obstacle(marks: Marks, topic: Topic, retention: str | KafkaError | None, deadline: float) -> str | None:
    """Return why a scan cannot continue at the marks of an earlier one, None if it can.

    Kafka keeps a tombstone for C(delete.retention.ms) at least. A scan that ends later may miss a deletion.

    Args:
        retention: C(delete.retention.ms) of the topic, or why it is not known.
        deadline: when the scan ends at the latest, in seconds since the epoch.

    A topic that was truncated by an unclean leader election, and has been written since, cannot be detected.
    """
    if not marks.topic_id or not topic.topic_id:
        return "the brokers do not have topic ids, which require Kafka 2.8 or newer"
    if marks.topic_id != topic.topic_id:
        return "the topic was created anew"
    if marks.ends.keys() != {one.partition for one in topic.ranges}:
        return f"the topic has {len(topic.ranges)} partitions, but had {len(marks.ends)}"
    for one in topic.ranges:
        read, start = marks.ends[one.partition], marks.starts[one.partition]
        if one.start != start:
            return f"the log of partition {one.partition} starts at offset {one.start}, but started at {start}"
        if one.end < read:
            return f"the log of partition {one.partition} ends at offset {one.end}, but was read up to {read}"
    if not isinstance(retention, str):
        why = f" ({retention.name})" if retention else ""
        return f"delete.retention.ms of the topic cannot be read{why}, which requires DESCRIBE_CONFIGS on it"
    if deadline - marks.began > int(retention) / 1000:
        return f"tombstones may be removed before they are read, since delete.retention.ms of the topic is {retention}"
    return None


def after(marks: Marks, topic: Topic) -> Topic:
    """Return what remains to be read of a topic after the marks, which have no `obstacle`."""
    ranges = [one._replace(start=marks.ends[one.partition], continued=True) for one in topic.ranges]
    # in a compacted topic, the records that came last are much denser than those before
    weights = {one.partition: min(topic.weights[one.partition], one.size * RECORD_BYTES) for one in ranges}
    return topic._replace(ranges=ranges, weights=weights)


def reached(origin: Origin, ranges: c.Iterable[Range], ended: list[Ended]) -> Marks | None:
    """Return the marks of a scan; None if one of its splits did not read its range, and a later one may have.

    Args:
        origin: where the scan began.
        ranges: the ranges of all splits.
        ended: their read status.
    """
    found: dict[int, list[int]] = collections.defaultdict(list)
    for status in ended:
        found[status.source_partition].append(status.source_offset)
    ends = {}
    pieces = sorted(ranges)
    for partition in origin.starts:
        # the ranges of a partition do not overlap, so their order is that of the offsets up to which they were read
        offsets, of_partition = sorted(found[partition]), [one for one in pieces if one.partition == partition]
        if any(offset != one.end for offset, one in zip(offsets[:-1], of_partition[:-1], strict=True)):
            return None
        ends[partition] = offsets[-1]
    return Marks(origin.began, origin.topic_id, origin.starts, ends)
