# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""DescribeProducers (KIP-664): the open transactions of partitions."""

from __future__ import annotations

import typing as t

from .. import library
from ..errors import from_code
from ..model import OpenTransaction, TopicPartition
from .handler import Broker, Done, Failed, Handler, Outcome, Retry, Unmap, by_topic, unique

_BATCH = 100
_MOVED = ("NOT_LEADER_OR_FOLLOWER", "LEADER_NOT_AVAILABLE", "UNKNOWN_TOPIC_OR_PARTITION", "KAFKA_STORAGE_ERROR")


class DescribeProducers(Handler[TopicPartition, tuple[OpenTransaction, ...]]):
    """Reads the open transactions of each partition, in the order of their first records; it needs READ on the topic.

    The transactional ids are unknown to the leader of a partition, see C(rpc.list_transactions).
    """

    broker = Broker.LEADER

    def batch_for(self, version: int) -> int:
        return _BATCH

    def request(self, keys: list[TopicPartition]) -> t.Any:
        topic = library.DescribeProducersRequest.TopicRequest
        return library.DescribeProducersRequest(
            topics=[topic(name=name, partition_indexes=indexes) for name, indexes in by_topic(keys).items()]
        )

    def outcomes(
        self, keys: list[TopicPartition], response: t.Any
    ) -> dict[TopicPartition, Outcome[tuple[OpenTransaction, ...]]]:
        return unique(
            (TopicPartition(topic.name, partition.partition_index), _outcome(partition))
            for topic in response.topics
            for partition in topic.partitions
        )


def _outcome(partition: t.Any) -> Outcome[tuple[OpenTransaction, ...]]:
    problem = from_code(partition.error_code, partition.error_message)
    if problem is None:
        found = (
            OpenTransaction(one.producer_id, one.producer_epoch, one.current_txn_start_offset, one.last_timestamp)
            for one in partition.active_producers
            if one.current_txn_start_offset >= 0
        )
        return Done(tuple(sorted(found, key=lambda one: one.start_offset)))
    if problem.name in _MOVED:
        return Unmap(problem)
    return Retry(problem) if problem.retriable else Failed(problem)
