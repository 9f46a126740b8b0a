# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""DeleteShareGroupOffsets (KIP-932): deletes the state that a share group has of whole topics."""

from __future__ import annotations

import typing as t

from .. import typed_messages
from ..errors import from_code
from ..model import TopicPartition
from .handler import Done, Handler, Outcome, PartitionErrors, by_topic, coordinator_outcome, requested, unique


class DeleteShareGroupOffsets(Handler[str, PartitionErrors]):
    """Deletes the start offsets of topics; the value holds the error of each partition, None where it was deleted.

    Args:
        partitions: what to delete, by group: all partitions of each topic that the group has a state of.
    """

    def __init__(self, partitions: dict[str, list[TopicPartition]]) -> None:
        self._partitions = partitions

    def request(self, keys: list[str]) -> t.Any:
        topic = typed_messages.DeleteShareGroupOffsetsRequest.Topic
        return typed_messages.DeleteShareGroupOffsetsRequest(
            group_id=keys[0], topics=[topic(topic_name=name) for name in by_topic(self._partitions[keys[0]])]
        )

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[PartitionErrors]]:
        outcome = coordinator_outcome(response.error_code, response.error_message)
        if outcome is not None:
            return {keys[0]: outcome}
        partitions = self._partitions[keys[0]]
        found = requested(
            by_topic(partitions),
            unique((one.topic_name, from_code(one.error_code, one.error_message)) for one in response.responses),
        )
        return {keys[0]: Done({where: found[where.topic] for where in partitions})}
