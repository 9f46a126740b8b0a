# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""OffsetDelete (KIP-496): one group a request."""

from __future__ import annotations

import typing as t

from ..._kafka import library
from ..model import TopicPartition
from .handler import Done, Handler, Outcome, PartitionErrors, by_topic, coordinator_outcome, partition_errors


class OffsetDelete(Handler[str, PartitionErrors]):
    """Deletes committed offsets; the value holds the error of each partition, None where it was deleted.

    Args:
        partitions: what to delete, by group.
    """

    def __init__(self, partitions: dict[str, list[TopicPartition]]) -> None:
        self._partitions = partitions

    def request(self, keys: list[str]) -> t.Any:
        topic, partition = (
            library.OffsetDeleteRequest.OffsetDeleteRequestTopic,
            library.OffsetDeleteRequest.OffsetDeleteRequestTopic.OffsetDeleteRequestPartition,
        )
        return library.OffsetDeleteRequest(
            group_id=keys[0],
            topics=[
                topic(name=name, partitions=[partition(partition_index=index) for index in indexes])
                for name, indexes in by_topic(self._partitions[keys[0]]).items()
            ],
        )

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[PartitionErrors]]:
        outcome = coordinator_outcome(response.error_code)
        return {keys[0]: outcome or Done(partition_errors(self._partitions[keys[0]], response))}
