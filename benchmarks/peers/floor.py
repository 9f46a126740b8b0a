# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The floor: the requests that the collection sends, batched as it does, with nothing of it around them.

The requests come from the collection's own handlers, so that they are the same; kafka-python's connection sends them
and decodes the answers, which nobody looks at. Python looks for no garbage meanwhile, and in a module hardly ever.
"""

from __future__ import annotations

import gc
import itertools
from typing import Any, TypeVar

from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.batches import WINDOW
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import Committed, Member, TopicPartition
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.delete_groups import DeleteGroups
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.describe_groups import AbsentGroupOperations
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.find_coordinator import (
    LOOKUP_BATCH,
    find_coordinator_request,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.handler import Handler
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.leave_group import LeaveGroup
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.list_groups import list_groups_request
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.offset_commit import OffsetCommit
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.offset_delete import OffsetDelete
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.offset_fetch import OffsetFetch
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._read_groups import describe_handlers
from kafka.protocol.consumer import ListOffsetsRequest
from kafka.protocol.metadata import MetadataRequest

from benchmarks.peers.contract import TOPIC, Job, load, save, serve
from tests.support.wire import Wire

WHERE = TopicPartition(TOPIC, 0)
# above every version that a handler makes a difference for
_NEWEST = 99

T = TypeVar("T")


class _Floor:
    def __init__(self, job: Job) -> None:
        self.wire = Wire({"bootstrap.servers": job.bootstrap}, timeout=300)
        self.nodes = sorted(self.wire.brokers())
        self._where: dict[str, int] = {}

    def listed(self) -> list[str]:
        answers = self.wire.calls([(list_groups_request([], []), node) for node in self.nodes])
        for node, answer in zip(self.nodes, answers, strict=True):
            self._where.update((one.group_id, node) for one in answer.groups)
        return list(self._where)

    def ask(self, handler: Handler[str, Any], groups: list[str]) -> list[Any]:
        lookups = _batches([group for group in groups if group not in self._where], LOOKUP_BATCH)
        for answer in self.wire.calls([(find_coordinator_request(batch, batched=True), None) for batch in lookups]):
            self._where.update((one.key, one.node_id) for one in answer.coordinators)
        waves = []
        for node in self.nodes:
            mine = [group for group in groups if self._where[group] == node]
            requests = [(handler.request(batch), node) for batch in _batches(mine, handler.batch_for(_NEWEST))]
            waves.append(_batches(requests, WINDOW))
        # all brokers at the same time, and each of them as many requests as the collection sends
        together = itertools.zip_longest(*waves, fillvalue=[])
        return [answer for wave in together for answer in self.wire.calls([*itertools.chain(*wave)])]

    def described(self, groups: list[str]) -> list[Any]:
        """In the order in which the collection looks for them."""
        found: list[Any] = []
        missing = groups
        for handler in describe_handlers():
            if missing:
                answered = [one for answer in self.ask(handler, missing) for one in answer.groups]
                found += [one for one in answered if not one.error_code]
                missing = [one.group_id for one in answered if one.error_code]
        return found

    def committed(self, groups: list[str], stable: bool = False) -> list[tuple[str, str, int, int]]:
        return [
            (group.group_id, topic.name, one.partition_index, one.committed_offset)
            for answer in self.ask(OffsetFetch(stable), groups)
            for group in answer.groups
            for topic in group.topics
            for one in topic.partitions
        ]

    def end(self, timestamp: int) -> int:
        """The end (-1) or the start (-2) of the topic's only partition."""
        self.wire.call(MetadataRequest(topics=[MetadataRequest.MetadataRequestTopic(topic_id=None, name=TOPIC)]))
        topic = ListOffsetsRequest.ListOffsetsTopic
        partition = topic.ListOffsetsPartition(partition_index=0, timestamp=timestamp)
        asked = ListOffsetsRequest(replica_id=-1, topics=[topic(name=TOPIC, partitions=[partition])], max_version=7)
        for node in self.nodes:
            found = self.wire.call(asked, node).topics[0].partitions[0]
            if not found.error_code:
                return int(found.offset)
        raise RuntimeError("no broker leads the topic")


def _list(job: Job) -> int:
    return len(_Floor(job).listed())


def _describe(job: Job) -> int:
    return len(_Floor(job).described(job.groups))


def _offsets(job: Job) -> int:
    floor = _Floor(job)
    committed = floor.committed(floor.listed())
    floor.end(-2)
    end = floor.end(-1)
    return sum(end - offset for _group, _topic, _partition, offset in committed)


def _delete(job: Job) -> int:
    floor = _Floor(job)
    floor.described(job.groups)
    return _succeeded(floor.ask(DeleteGroups(), job.groups))


def _delete_offsets(job: Job) -> int:
    floor = _Floor(job)
    floor.described(job.groups)
    floor.committed(job.groups, stable=True)
    return _succeeded(floor.ask(OffsetDelete({group: [WHERE] for group in job.groups}), job.groups))


def _members(job: Job) -> int:
    floor = _Floor(job)
    members = {
        group.group_id: [
            # what a static member is called in the one and in the other answer
            Member(
                one.member_id,
                getattr(one, "group_instance_id", None) or getattr(one, "instance_id", None),
                "",
                "",
                None,
            )
            for one in group.members
        ]
        for group in floor.described(job.groups)
    }
    answers = floor.ask(LeaveGroup(members, "benchmark"), job.groups)
    return sum(not one.error_code for answer in answers for one in answer.members)


def _backup(job: Job) -> int:
    floor = _Floor(job)
    floor.described(job.groups)
    save(job.saved, floor.committed(job.groups, stable=True))
    floor.committed(job.groups, stable=True)
    return _succeeded(floor.ask(DeleteGroups(), job.groups))


def _restore(job: Job) -> int:
    floor = _Floor(job)
    floor.described(job.groups)
    floor.committed(job.groups, stable=True)
    floor.ask(AbsentGroupOperations(), job.groups)
    wanted = {group: {TopicPartition(topic, part): Committed(offset)} for group, topic, part, offset in load(job.saved)}
    answers = floor.ask(OffsetCommit(wanted), list(wanted))
    return sum(not one.error_code for answer in answers for topic in answer.topics for one in topic.partitions)


def _succeeded(answers: list[Any]) -> int:
    """How many groups or partitions the answers to a deletion speak of without an error."""
    results = [one for answer in answers for one in getattr(answer, "results", ())]
    partitions = [one for answer in answers for topic in getattr(answer, "topics", ()) for one in topic.partitions]
    return sum(not one.error_code for one in [*results, *partitions])


def _batches(every: list[T], size: int) -> list[list[T]]:
    return [every[start : start + size] for start in range(0, len(every), size)]


if __name__ == "__main__":
    gc.disable()
    serve(
        {
            "list": _list,
            "describe": _describe,
            "offsets": _offsets,
            "delete": _delete,
            "delete-offsets": _delete_offsets,
            "members-of-one": _members,
            "members-of-many": _members,
            "backup": _backup,
            "restore": _restore,
        }
    )
