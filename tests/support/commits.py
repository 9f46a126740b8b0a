# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups without members, made by committing offsets for them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from kafka.errors import KafkaError
from kafka.protocol.consumer import OffsetCommitRequest

from tests.support.clients import Client, properties
from tests.support.repeating import repeatedly
from tests.support.wire import PASSING, Wire, insist

#: Topic and partition to offset, metadata and leader epoch (-1: none).
Offsets = Mapping[tuple[str, int], tuple[int, str, int]]

_BATCH = 500


def commit(client: Client, group: str, offsets: Offsets) -> None:
    """Commit without a member. Raises the exceptions of `commit_many`."""
    commit_many(client, {group: offsets})


def commit_many(client: Client, groups: Mapping[str, Offsets], retention: int = -1) -> None:
    """Commit for many groups, which then exist as simple groups in the state Empty.

    :param retention: how long the offsets are kept, in ms, as old clients may say; -1: as long as the brokers do.
    :raises RuntimeError: when the broker refuses one, as it does for a group with members; with Kafka's error code.
    :raises TimeoutError: when a coordinator does not answer for one within 60 s.
    """
    names = list(groups)
    with Wire(client) as wire:
        for start in range(0, len(names), _BATCH):
            batch = names[start : start + _BATCH]
            insist("commit", lambda pending: _commit(wire, groups, pending, retention), batch)


@contextlib.contextmanager
def steadily(client: Client, groups: Iterable[str], offsets: Offsets, pause: float = 1) -> Iterator[None]:
    """Commit for these groups every `pause` seconds while the block runs, as consumers in a live cluster do.

    Broker 4.3.1 may take a partition over without learning that all of it is replicated, and refuses stable offsets
    until the next commit there. What no broker answers for is left for the next time.

    :raises RuntimeError: at the end, when a broker refused one; with Kafka's error code.
    """
    wanted = dict.fromkeys(groups, offsets)

    def commit_all() -> None:
        with contextlib.suppress(KafkaError, TimeoutError), Wire(client) as wire:
            _commit(wire, wanted, list(wanted))

    with repeatedly(commit_all, pause):
        yield


@contextlib.contextmanager
def transaction(client: Client, group: str, topic: str, offset: int) -> Iterator[Producer]:
    """The producer of an open transaction that commits `offset` in partition 0 for a group.

    It is aborted when the block fails, and has to be ended there otherwise. Raises ``KafkaException``.
    """
    producer = Producer(
        {**properties(client), "transactional.id": f"{group}-{offset}", "transaction.timeout.ms": 600_000}
    )
    producer.init_transactions(30)
    producer.begin_transaction()
    consumer = Consumer({**properties(client), "group.id": group})
    where = [TopicPartition(topic, 0, offset)]
    producer.send_offsets_to_transaction(where, consumer.consumer_group_metadata(), 30)
    consumer.close()
    try:
        yield producer
    except BaseException:
        # the transaction may already have ended
        with contextlib.suppress(KafkaException):
            producer.abort_transaction(30)
        raise


def _commit(wire: Wire, groups: Mapping[str, Offsets], names: list[str], retention: int = -1) -> list[str]:
    where = wire.coordinators(names)
    answers = wire.calls([(_request(name, groups[name], retention), where[name]) for name in names])
    again = []
    for name, answer in zip(names, answers, strict=True):
        codes = {one.error_code for topic in answer.topics for one in topic.partitions} - {0}
        if refused := codes - PASSING:
            raise RuntimeError(f"committing for {name} failed with Kafka error {min(refused)}")
        if codes:
            again.append(name)
    return again


def _request(group: str, offsets: Offsets, retention: int) -> Any:
    by_topic: dict[str, list[Any]] = {}
    for (topic, partition), (offset, metadata, leader_epoch) in offsets.items():
        by_topic.setdefault(topic, []).append(
            OffsetCommitRequest.OffsetCommitRequestTopic.OffsetCommitRequestPartition(
                partition_index=partition,
                committed_offset=offset,
                committed_leader_epoch=leader_epoch,
                committed_metadata=metadata,
            )
        )
    return OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=-1,
        member_id="",
        group_instance_id=None,
        retention_time_ms=retention,
        topics=[
            OffsetCommitRequest.OffsetCommitRequestTopic(name=topic, partitions=partitions)
            for topic, partitions in by_topic.items()
        ],
        # From version 10 on a topic is named by its id; up to version 4 a retention can be asked for.
        max_version=9 if retention == -1 else 4,
    )
