# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""ListOffsets: the start, the end, or the offset at a time of partitions' logs."""

from __future__ import annotations

import collections.abc as c
import typing as t

from .. import library
from ..errors import error, from_code
from ..model import TopicPartition
from .handler import Broker, Done, Failed, Handler, Outcome, Retry, Unmap, by_topic, unique

EARLIEST, LATEST = -2, -1
NO_RECORD = -1
READ_UNCOMMITTED, READ_COMMITTED = 0, 1

_BATCH = 5000
_MOVED = (
    "NOT_LEADER_OR_FOLLOWER",
    "LEADER_NOT_AVAILABLE",
    "REPLICA_NOT_AVAILABLE",
    "UNKNOWN_TOPIC_OR_PARTITION",
    "KAFKA_STORAGE_ERROR",
)


Timestamps = int | c.Mapping[TopicPartition, int]  # pylint: disable=unsupported-binary-operation


class ListOffsets(Handler[TopicPartition, int]):
    """Looks for an offset of each partition's log: its start (EARLIEST), or its end (LATEST).

    Or the first offset at or after a time, NO_RECORD where there is none. Errors as in Java's ListOffsetsHandler.

    Args:
        timestamp: ms since the epoch, one for all partitions or one for each; or EARLIEST or LATEST.
        isolation: READ_UNCOMMITTED, where the log ends at the high watermark, or READ_COMMITTED, where it ends at the
            first open transaction (KIP-98, the last stable offset).
    """

    broker = Broker.LEADER

    def __init__(self, timestamp: Timestamps, isolation: int = READ_UNCOMMITTED) -> None:
        self._timestamp = timestamp
        self._isolation = isolation

    def _for(self, where: TopicPartition) -> int:
        return self._timestamp if isinstance(self._timestamp, int) else self._timestamp[where]

    def batch_for(self, version: int) -> int:
        return _BATCH

    def request(self, keys: list[TopicPartition]) -> t.Any:
        topic = library.ListOffsetsRequest.ListOffsetsTopic
        partition = topic.ListOffsetsPartition
        return library.ListOffsetsRequest(
            replica_id=-1,
            isolation_level=self._isolation,
            topics=[
                topic(
                    name=name,
                    partitions=[
                        partition(
                            partition_index=index,
                            current_leader_epoch=-1,
                            timestamp=self._for(TopicPartition(name, index)),
                        )
                        for index in indexes
                    ],
                )
                for name, indexes in by_topic(keys).items()
            ],
            min_version=2 if self._isolation else 1,
        )

    def outcomes(self, keys: list[TopicPartition], response: t.Any) -> dict[TopicPartition, Outcome[int]]:
        return unique(
            (TopicPartition(topic.name, partition.partition_index), self._outcome(partition))
            for topic in response.topics
            for partition in topic.partitions
        )

    def _outcome(self, partition: t.Any) -> Outcome[int]:
        problem = from_code(partition.error_code)
        if problem is None:
            if partition.offset < 0 and self._timestamp in (EARLIEST, LATEST):
                return Failed(error("UNKNOWN_SERVER_ERROR", "the partition leader's response contains no offset"))
            return Done(partition.offset)
        if problem.name in _MOVED:
            return Unmap(problem)
        return Retry(problem) if problem.retriable else Failed(problem)
