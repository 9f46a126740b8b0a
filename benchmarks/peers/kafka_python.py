# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kafka-python's KafkaAdminClient; what it takes one group at a time is called in a loop, as its users do."""

from __future__ import annotations

from typing import Any

from kafka import KafkaAdminClient, TopicPartition
from kafka.admin import MemberToRemove, OffsetSpec
from kafka.structs import OffsetAndMetadata

from benchmarks.peers.contract import TOPIC, Job, load, save, serve


def _list(job: Job) -> int:
    return len(_client(job).list_groups())


def _describe(job: Job) -> int:
    return sum(one["group_state"] == "Empty" for one in _client(job).describe_groups(job.groups).values())


def _offsets(job: Job) -> int:
    client = _client(job)
    committed = client.list_group_offsets([one["group_id"] for one in client.list_groups()])
    where = {one for offsets in committed.values() for one in offsets}
    ends = client.list_partition_offsets(dict.fromkeys(where, OffsetSpec.LATEST))
    return sum(ends[one].offset - at.offset for offsets in committed.values() for one, at in offsets.items())


def _delete(job: Job) -> int:
    return _deleted(_client(job), job)


def _delete_offsets(job: Job) -> int:
    client = _client(job)
    answers = [client.delete_group_offsets(group, [TopicPartition(TOPIC, 0)]) for group in job.groups]
    return sum(problem.errno == 0 for answer in answers for problem in answer.values())


def _members(job: Job) -> int:
    client = _client(job)
    removed = 0
    for group, described in client.describe_groups(job.groups).items():
        members = [MemberToRemove(member_id=one["member_id"]) for one in described["members"]]
        answers = client.remove_group_members(group, members)
        removed += sum(problem.errno == 0 for problem in answers.values())
    return removed


def _backup(job: Job) -> int:
    client = _client(job)
    save(
        job.saved,
        (
            (group, where.topic, where.partition, at.offset)
            for group, offsets in client.list_group_offsets(job.groups).items()
            for where, at in offsets.items()
        ),
    )
    return _deleted(client, job)


def _restore(job: Job) -> int:
    client = _client(job)
    answers = [
        client.alter_group_offsets(group, {TopicPartition(topic, partition): OffsetAndMetadata(offset, "", -1)})
        for group, topic, partition, offset in load(job.saved)
    ]
    return sum(problem.errno == 0 for answer in answers for problem in answer.values())


def _deleted(client: Any, job: Job) -> int:
    return sum(answer == "OK" for answer in client.delete_groups(job.groups).values())


def _client(job: Job) -> Any:
    return KafkaAdminClient(bootstrap_servers=job.bootstrap.split(","))


if __name__ == "__main__":
    serve(
        {
            "list": _list,
            "describe": _describe,
            "offsets": _offsets,
            "delete": _delete,
            "delete-offsets": _delete_offsets,
            "members-of-many": _members,
            "backup": _backup,
            "restore": _restore,
        }
    )
