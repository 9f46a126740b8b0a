# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""confluent-kafka's AdminClient: it takes many groups only where its API does, and sends one request a group."""

from __future__ import annotations

from typing import Any

from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from benchmarks.peers.contract import Job, load, save, serve

TIMEOUT = 300


def _list(job: Job) -> int:
    return len(_listed(_client(job)))


def _describe(job: Job) -> int:
    client = _client(job)
    answers = client.describe_consumer_groups(job.groups, request_timeout=TIMEOUT)
    return sum(answer.result().state.name == "EMPTY" for answer in answers.values())


def _offsets(job: Job) -> int:
    client = _client(job)
    committed = _committed(client, _listed(client))
    where = {(topic, partition) for _group, topic, partition, _offset in committed}
    asked = {TopicPartition(*one): OffsetSpec.latest() for one in where}
    answers = client.list_offsets(asked, request_timeout=TIMEOUT)
    ends = {(one.topic, one.partition): answer.result().offset for one, answer in answers.items()}
    return sum(ends[topic, partition] - offset for _group, topic, partition, offset in committed)


def _delete(job: Job) -> int:
    return _deleted(_client(job), job)


def _deleted(client: Any, job: Job) -> int:
    answers = client.delete_consumer_groups(job.groups, request_timeout=TIMEOUT)
    return sum(answer.result() is None for answer in answers.values())


def _backup(job: Job) -> int:
    client = _client(job)
    save(job.saved, _committed(client, job.groups))
    return _deleted(client, job)


def _restore(job: Job) -> int:
    client = _client(job)
    answers = [
        client.alter_consumer_group_offsets(
            [ConsumerGroupTopicPartitions(group, [TopicPartition(topic, partition, offset)])], request_timeout=TIMEOUT
        )
        for group, topic, partition, offset in load(job.saved)
    ]
    return sum(len(future.result().topic_partitions) for answer in answers for future in answer.values())


def _client(job: Job) -> Any:
    return AdminClient({"bootstrap.servers": job.bootstrap, "log_level": 0})


def _listed(client: Any) -> list[str]:
    return [one.group_id for one in client.list_consumer_groups(request_timeout=TIMEOUT).result().valid]


def _committed(client: Any, groups: list[str]) -> list[tuple[str, str, int, int]]:
    answers = [
        client.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)], request_timeout=TIMEOUT)
        for group in groups
    ]
    return [
        (group, one.topic, one.partition, one.offset)
        for answer in answers
        for group, future in answer.items()
        for one in future.result().topic_partitions
    ]


if __name__ == "__main__":
    serve(
        {
            "list": _list,
            "describe": _describe,
            "offsets": _offsets,
            "delete": _delete,
            "backup": _backup,
            "restore": _restore,
        }
    )
