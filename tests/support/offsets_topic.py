# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Generated records of ``__consumer_offsets``: with times in the past, or that no broker writes."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import NamedTuple

from confluent_kafka import Producer

from tests.support import encode
from tests.support.clients import Client, properties

TOPIC = "__consumer_offsets"
# the only client ID that may write to internal topics
_ADMIN = {"client.id": "__admin_client"}


class Record(NamedTuple):
    """A record; `timestamp` in ms since the epoch, None for a tombstone's value."""

    partition: int
    key: bytes
    value: bytes | None
    timestamp: int


def partition_of(group: str, partitions: int) -> int:
    """The partition that a group's records are in: Java's hash of the name (``GroupMetadataManager.partitionFor``)."""
    code = 0
    units = group.encode("utf-16-be")
    for unit in struct.unpack(f">{len(units) // 2}H", units):
        code = (31 * code + unit) & 0xFFFFFFFF
    return abs(code - (1 << 32) if code >> 31 else code) % partitions


def commit_key(group: str, topic: str, partition: int) -> bytes:
    """The key of a committed offset, record type 1."""
    return encode.key(1, {"group": group, "topic": topic, "partition": partition})


def commit_value(offset: int, time: int, metadata: str = "", topic_id: str | None = None) -> bytes:
    """The value of a committed offset, version 3, or 4 with a topic's id; `time` in ms since the epoch."""
    fields = {"offset": offset, "leaderEpoch": -1, "metadata": metadata, "commitTimestamp": time}
    if topic_id is None:
        return encode.value(1, 3, fields)
    return encode.value(1, 4, {**fields, "topicId": topic_id})


def write(client: Client, records: Iterable[Record], topic: str = TOPIC) -> int:
    """Write records, wait until the brokers have stored them, and return their number.

    :raises RuntimeError: when a record could not be written.
    """
    failed: list[str] = []
    producer = Producer({**properties(client), **_ADMIN, "linger.ms": 50, "queue.buffering.max.messages": 1_000_000})

    def delivered(error: object, _message: object) -> None:
        if error is not None:
            failed.append(str(error))

    count = 0
    for count, record in enumerate(records, 1):
        while True:
            try:
                producer.produce(
                    topic,
                    record.value,
                    record.key,
                    record.partition,
                    timestamp=record.timestamp,
                    on_delivery=delivered,
                )
                break
            except BufferError:
                producer.poll(0.1)
        if count % 10_000 == 0:
            producer.poll(0)
    producer.flush()
    if failed:
        raise RuntimeError(f"{len(failed)} of {count} records could not be written: {failed[0]}")
    return count
