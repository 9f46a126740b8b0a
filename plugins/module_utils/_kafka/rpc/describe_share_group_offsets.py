# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""DescribeShareGroupOffsets (KIP-932): the start offsets of share groups, and since v1 their lag (KIP-1226)."""

from __future__ import annotations

import typing as t

from .. import typed_messages
from ..errors import from_code
from ..model import ShareOffset, ShareOffsets, TopicPartition
from .handler import Done, Failed, Handler, Outcome, coordinator_outcome, unique

# also of a partition whose state the broker could not read, which it does not say
_UNKNOWN = -1


class DescribeShareGroupOffsets(Handler[str, ShareOffsets]):
    """Reads the start offset of each partition that share groups have a state of.

    One group a request: brokers take up to a hundred times as long for the groups of one request (measured on 4.3.1).
    Partitions of topics that the caller may not DESCRIBE are left out by the broker, which does not say so.
    """

    def request(self, keys: list[str]) -> t.Any:
        asked = typed_messages.DescribeShareGroupOffsetsRequest.Group
        return typed_messages.DescribeShareGroupOffsetsRequest(
            groups=[asked(group_id=group, topics=None) for group in keys]
        )

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[ShareOffsets]]:
        return unique((group.group_id, _outcome(group)) for group in response.groups)


def _outcome(group: t.Any) -> Outcome[ShareOffsets]:
    outcome = coordinator_outcome(group.error_code, group.error_message)
    if outcome is not None:
        return outcome
    offsets: ShareOffsets = {}
    for topic in group.topics:
        for partition in topic.partitions:
            problem = from_code(partition.error_code, partition.error_message)
            if problem is not None:
                return Failed(problem)
            offsets[TopicPartition(topic.topic_name, partition.partition_index)] = ShareOffset(
                _known(partition.start_offset), max(partition.leader_epoch, -1), _known(partition.lag)
            )
    return Done(offsets)


def _known(value: int) -> int | None:
    return None if value <= _UNKNOWN else value
