# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""AlterShareGroupOffsets (KIP-932): sets the start offsets of a share group that has no members."""

from __future__ import annotations

import typing as t

from .. import typed_messages
from ..errors import from_code
from ..model import TopicPartition
from .handler import Done, Handler, Outcome, PartitionErrors, by_topic, coordinator_outcome, requested, unique


class AlterShareGroupOffsets(Handler[str, PartitionErrors]):
    """Sets start offsets; the value holds the error of each partition, None where it was set.

    Args:
        offsets: what to set, by group.
    """

    def __init__(self, offsets: dict[str, dict[TopicPartition, int]]) -> None:
        self._offsets = offsets

    def request(self, keys: list[str]) -> t.Any:
        topic = typed_messages.AlterShareGroupOffsetsRequest.Topic
        offsets = self._offsets[keys[0]]
        return typed_messages.AlterShareGroupOffsetsRequest(
            group_id=keys[0],
            topics=[
                topic(
                    topic_name=name,
                    partitions=[
                        topic.Partition(partition_index=index, start_offset=offsets[TopicPartition(name, index)])
                        for index in indexes
                    ],
                )
                for name, indexes in by_topic(offsets).items()
            ],
        )

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[PartitionErrors]]:
        outcome = coordinator_outcome(response.error_code, response.error_message)
        if outcome is not None:
            return {keys[0]: outcome}
        found = unique(
            (
                TopicPartition(topic.topic_name, partition.partition_index),
                from_code(partition.error_code, partition.error_message),
            )
            for topic in response.responses
            for partition in topic.partitions
        )
        return {keys[0]: Done(requested(self._offsets[keys[0]], found))}
