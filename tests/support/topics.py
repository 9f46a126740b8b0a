# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Topics, records and ACLs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)
from kafka.protocol.metadata import MetadataRequest

from tests.support.clients import Client, properties
from tests.support.wire import Wire, insist

Kind = Literal["group", "topic", "cluster"]

_TYPES = {"group": ResourceType.GROUP, "topic": ResourceType.TOPIC, "cluster": ResourceType.BROKER}


class Acl(NamedTuple):
    """A user's (``User:NAME``) permission for an operation (DESCRIBE, READ, DELETE...) on a resource.

    The cluster's name is "kafka-cluster".
    """

    user: str
    kind: Kind
    name: str
    operation: str


def create(
    client: Client, name: str, partitions: int = 1, *, records: int = 0, config: Mapping[str, str] | None = None
) -> None:
    """Create a topic with `records` records spread evenly over its partitions, and wait until all brokers know it.

    :raises KafkaException: when the cluster refuses.
    :raises TimeoutError: when a broker does not know it after 30 s.
    """
    topic = NewTopic(name, num_partitions=partitions, config=dict(config or {}))
    admin = AdminClient(properties(client))
    for answer in admin.create_topics([topic], operation_timeout=20).values():
        answer.result()
    _wait_known(client, name, partitions)
    if records:
        produce(client, name, records, partitions)


def delete(client: Client, name: str) -> None:
    """Delete a topic. Raises ``KafkaException``."""
    admin = AdminClient(properties(client))
    for answer in admin.delete_topics([name], operation_timeout=20).values():
        answer.result()


def produce(client: Client, name: str, records: int, partitions: int = 1) -> None:
    """Add records to the first `partitions` partitions, in turn.

    :raises KafkaException: when one cannot be delivered.
    :raises TimeoutError: when one is not within 30 s.
    """
    producer = Producer({**properties(client), "linger.ms": 5, "queue.buffering.max.messages": 1_000_000})
    failures: list[KafkaException] = []
    for number in range(records):
        producer.produce(
            name,
            b"record %d" % number,
            partition=number % partitions,
            on_delivery=lambda error, _: failures.append(KafkaException(error)) if error else None,
        )
        producer.poll(0)
    if left := producer.flush(30):
        raise TimeoutError(f"{left} of {records} records of {name} are not delivered after 30 s")
    if failures:
        raise failures[0]


def _wait_known(client: Client, name: str, partitions: int) -> None:
    request = MetadataRequest(topics=[MetadataRequest.MetadataRequestTopic(name=name)], max_version=8)
    with Wire(client) as wire:

        def unaware(nodes: list[int]) -> list[int]:
            return [node for node in nodes if _led(wire.call(request, node)) != partitions]

        insist(f"topic {name}", unaware, wire.brokers(), timeout=30)


def _led(answer: Any) -> int:
    (topic,) = answer.topics
    return sum(one.error_code == 0 and one.leader_id >= 0 for one in topic.partitions)


def configure_group(client: Client, group: str, config: Mapping[str, str]) -> None:
    """Set properties of a group, such as ``share.auto.offset.reset``. Raises ``KafkaException``."""
    from kafka.protocol.admin import IncrementalAlterConfigsRequest as Alter

    resource = Alter.AlterConfigsResource(
        resource_type=32,
        resource_name=group,
        configs=[
            Alter.AlterConfigsResource.AlterableConfig(name=name, config_operation=0, value=value)
            for name, value in config.items()
        ],
    )
    with Wire(client) as wire:
        answer = wire.call(Alter(resources=[resource], validate_only=False))
    for one in answer.responses:
        if one.error_code:
            raise RuntimeError(f"configuring {group} failed with Kafka error {one.error_code}: {one.error_message}")


def allow(
    client: Client,
    user: str,
    kind: Kind,
    name: str,
    operations: Iterable[str],
    *,
    prefixed: bool = False,
) -> None:
    """Allow a user operations on a resource, see `Acl`. Raises ``KafkaException``."""
    grant(client, [Acl(user, kind, name, operation.upper()) for operation in operations], prefixed=prefixed)


def grant(client: Client, acls: Iterable[Acl], *, prefixed: bool = False) -> None:
    """Create ACLs in one request. Raises ``KafkaException``."""
    pattern = ResourcePatternType.PREFIXED if prefixed else ResourcePatternType.LITERAL
    allowed = AclPermissionType.ALLOW
    bindings = [
        AclBinding(_TYPES[acl.kind], acl.name, pattern, f"User:{acl.user}", "*", AclOperation[acl.operation], allowed)
        for acl in acls
    ]
    admin = AdminClient(properties(client))
    for answer in admin.create_acls(bindings).values():
        answer.result()
