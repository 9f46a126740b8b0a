# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""DescribeLogDirs (KIP-113): the size of partitions on their leaders; it needs DESCRIBE on the cluster."""

from __future__ import annotations

import typing as t

from .. import library
from ..errors import error, from_code
from ..model import TopicPartition
from .handler import Broker, Done, Failed, Handler, Outcome, by_topic

_BATCH = 5000


class PartitionSizes(Handler[TopicPartition, int]):
    """Reads the bytes of each partition's log."""

    broker = Broker.LEADER

    def batch_for(self, version: int) -> int:
        return _BATCH

    def request(self, keys: list[TopicPartition]) -> t.Any:
        topic = library.DescribeLogDirsRequest.DescribableLogDirTopic
        return library.DescribeLogDirsRequest(
            topics=[topic(topic=name, partitions=indexes) for name, indexes in by_topic(keys).items()]
        )

    def outcomes(self, keys: list[TopicPartition], response: t.Any) -> dict[TopicPartition, Outcome[int]]:
        # without permission, older versions return no log directories, and no error
        problem = from_code(response.error_code) or error(
            "CLUSTER_AUTHORIZATION_FAILED", "the response does not contain the partition"
        )
        sizes = {
            TopicPartition(topic.name, partition.partition_index): partition.partition_size
            for result in response.results
            for topic in result.topics
            for partition in topic.partitions
            # a replica that is being moved to another log directory
            if not partition.is_future_key
        }
        return {key: Done(sizes[key]) if key in sizes else Failed(problem) for key in keys}
