# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""OffsetCommit without a member: sets the offsets of a group that has none, or creates a simple group."""

from __future__ import annotations

import typing as t

from .. import _messages as messages
from .._model import Offsets
from ._handler import Handler, Outcome, PartitionErrors, Retry, by_topic, coordinator_outcome, partition_outcome

# v10 names topics by their ids only
_MAX_VERSION = 9


class OffsetCommit(Handler[PartitionErrors]):
    """Commits offsets; the value holds the error of each partition, None where it was committed.

    Args:
        offsets: what to commit, by group.
    """

    def __init__(self, offsets: dict[str, Offsets]) -> None:
        self._offsets = offsets

    def request(self, groups: list[str]) -> t.Any:
        topic = messages.OffsetCommitRequest.OffsetCommitRequestTopic
        partition = topic.OffsetCommitRequestPartition
        offsets = self._offsets[groups[0]]
        return messages.OffsetCommitRequest(
            group_id=groups[0],
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
                            committed_offset=offsets[name, index].offset,
                            committed_leader_epoch=offsets[name, index].leader_epoch,
                            committed_metadata=offsets[name, index].metadata,
                        )
                        for index in indexes
                    ],
                )
                for name, indexes in by_topic(offsets).items()
            ],
            min_version=6,
            max_version=_MAX_VERSION,
        )

    def outcomes(self, groups: list[str], response: t.Any) -> dict[str, Outcome[PartitionErrors]]:
        outcome = partition_outcome(response)
        for problem in outcome.value.values():
            # the coordinator's own errors come back on every partition
            if problem is not None and problem.name == "REBALANCE_IN_PROGRESS":
                return {groups[0]: Retry(problem)}
            if problem is not None and problem.name in (
                "COORDINATOR_LOAD_IN_PROGRESS",
                "COORDINATOR_NOT_AVAILABLE",
                "NOT_COORDINATOR",
            ):
                retry = coordinator_outcome(problem.code)
                assert retry is not None
                return {groups[0]: retry}
        return {groups[0]: outcome}
