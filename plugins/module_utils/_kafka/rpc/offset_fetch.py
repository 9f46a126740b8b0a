# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""OffsetFetch: everything that groups have committed; many groups a request since v8."""

from __future__ import annotations

import typing as t

from ..._kafka import library
from ..errors import KafkaError, from_code
from ..model import Committed, Offsets, TopicPartition
from .handler import Done, Failed, Handler, Outcome, coordinator_outcome, unique

FETCH_BATCH = 1000
_MANY_GROUPS_VERSION = 8
# v10 names topics by their ids only
_MAX_VERSION = 9
_WORDS = {
    "NOT_COORDINATOR": "the coordinator of the group has moved, or the new coordinator does not know yet whether the"
    " last commits are replicated: see NOT_COORDINATOR in the troubleshooting guide",
}


class OffsetFetch(Handler[str, Offsets]):
    """Reads the committed offsets of groups; a group that does not exist has none.

    A coordinator that has taken over may not know that what was last committed is replicated, and answers without it,
    unless stable offsets are required (GroupCoordinatorService.fetchOffsets of Kafka 4.0): then it waits, and after
    its offsets.commit.timeout.ms gives up as NOT_COORDINATOR. If the high watermark reached the end of the log after
    the log was loaded, and before CoordinatorRuntime.CoordinatorContext listened to it, that lasts until the next
    commit in this partition of __consumer_offsets. The describing RPCs have no such choice.

    Topics that the caller may not DESCRIBE are left out by the broker, which does not say so.

    Args:
        stable: fail a group as UNSTABLE_OFFSET_COMMIT that has a transaction about to commit (KIP-447, Kafka 2.5), or,
            up to Kafka 3.9, any commit that is being replicated.
    """

    def __init__(self, stable: bool) -> None:
        self._stable = stable
        # many groups commit on the same partitions: one value of each is enough
        self._partitions: dict[tuple[str, int], TopicPartition] = {}

    def batch_for(self, version: int) -> int:
        return FETCH_BATCH if version >= _MANY_GROUPS_VERSION else 1

    def request(self, keys: list[str]) -> t.Any:
        asked = library.OffsetFetchRequest.OffsetFetchRequestGroup
        return library.OffsetFetchRequest(
            group_id=keys[0],
            topics=None,
            groups=[asked(group_id=group, member_id=None, member_epoch=-1, topics=None) for group in keys],
            require_stable=self._stable,
            max_version=_MAX_VERSION,
        )

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[Offsets]]:
        if response.version < _MANY_GROUPS_VERSION:
            return {keys[0]: self._outcome(response)}
        return unique((group.group_id, self._outcome(group)) for group in response.groups)

    def _outcome(self, group: t.Any) -> Outcome[Offsets]:
        outcome = coordinator_outcome(group.error_code)
        if outcome is not None:
            return outcome._replace(error=_explained(outcome.error))
        offsets: Offsets = {}
        for topic in group.topics:
            for partition in topic.partitions:
                if partition.error_code:
                    return Failed(_explained(t.cast(KafkaError, from_code(partition.error_code))))
                if partition.committed_offset >= 0:
                    offsets[self._partition(topic.name, partition.partition_index)] = Committed(
                        partition.committed_offset,
                        # brokers store any number, and those below 0 are no epochs
                        max(partition.committed_leader_epoch, -1),
                        partition.metadata or "",
                    )
        return Done(offsets)

    def _partition(self, topic: str, number: int) -> TopicPartition:
        known = self._partitions.get((topic, number))
        if known is None:
            known = self._partitions[topic, number] = TopicPartition(topic, number)
        return known


def _explained(problem: KafkaError) -> KafkaError:
    return problem._replace(message=_WORDS.get(problem.name, problem.message))
