# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""OffsetCommit without a member: sets the offsets of a group that has none, or creates a simple group."""

from __future__ import annotations

import typing as t

from ..._kafka import library
from ..model import Offsets, TopicPartition
from .handler import (
    Done,
    Failed,
    Handler,
    Outcome,
    PartitionErrors,
    Retry,
    by_topic,
    coordinator_outcome,
    partition_errors,
)

# v10 names topics by their ids only
_MAX_VERSION = 9


class OffsetCommit(Handler[str, PartitionErrors]):
    """Commits offsets; the value holds the error of each partition, None where it was committed.

    Args:
        offsets: what to commit, by group.
    """

    def __init__(self, offsets: dict[str, Offsets]) -> None:
        self._offsets = offsets

    def request(self, keys: list[str]) -> t.Any:
        topic = library.OffsetCommitRequest.OffsetCommitRequestTopic
        partition = topic.OffsetCommitRequestPartition
        offsets = self._offsets[keys[0]]
        return library.OffsetCommitRequest(
            group_id=keys[0],
            generation_id_or_member_epoch=-1,
            member_id="",
            group_instance_id=None,
            retention_time_ms=-1,
            topics=[
                topic(
                    name=name,
                    partitions=[
                        partition(
                            partition_index=index,
                            committed_offset=committed.offset,
                            committed_leader_epoch=committed.leader_epoch,
                            committed_metadata=committed.metadata,
                        )
                        for index in indexes
                        for committed in [offsets[TopicPartition(name, index)]]
                    ],
                )
                for name, indexes in by_topic(offsets).items()
            ],
            min_version=6,
            max_version=_MAX_VERSION,
        )

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[PartitionErrors]]:
        errors = partition_errors(self._offsets[keys[0]], response)
        for problem in errors.values():
            # the coordinator's own errors come back on every partition
            if problem is not None and problem.name == "REBALANCE_IN_PROGRESS":
                return {keys[0]: Retry(problem)}
            again = coordinator_outcome(problem.code) if problem else None
            if again is not None and not isinstance(again, Failed):
                return {keys[0]: again}
        return {keys[0]: Done(errors)}
