# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The coordinators of groups: moving the leaders of the offsets topic, and restoring them; and client quotas."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, PartitionMetadata
from kafka.protocol.admin import AlterClientQuotasRequest as Quotas
from kafka.protocol.admin import AlterPartitionReassignmentsRequest as Reassignment
from kafka.protocol.admin import ElectLeadersRequest, ListGroupsRequest
from kafka.protocol.metadata import MetadataRequest

from tests.support.clients import Client, properties
from tests.support.offsets_topic import TOPIC
from tests.support.wire import Wire

_PREFERRED = 0
_ELECTION_NOT_NEEDED = 84


def replicas(client: Client) -> dict[int, list[int]]:
    """The brokers of each partition of the offsets topic, the preferred leader first. Raises ``KafkaException``."""
    return {partition.id: list(partition.replicas) for partition in _partitions(client)}


def leaders(client: Client, topic: str = TOPIC) -> dict[int, int]:
    """The leader of each partition of a topic, -1 for none. Raises ``KafkaException``."""
    return {partition.id: partition.leader for partition in _partitions(client, topic)}


def _partitions(client: Client, topic: str = TOPIC) -> list[PartitionMetadata]:
    return list(AdminClient(properties(client)).list_topics(topic, timeout=20).topics[topic].partitions.values())


def assign(client: Client, wanted: Mapping[int, Sequence[int]], timeout: float = 90) -> None:
    """Reassign partitions of the offsets topic to brokers, and wait until the first one is the leader.

    :raises TimeoutError: when it does not within `timeout` seconds.
    """
    partition = Reassignment.ReassignableTopic.ReassignablePartition
    asked = [partition(partition_index=number, replicas=list(brokers)) for number, brokers in wanted.items()]
    topic = Reassignment.ReassignableTopic(name=TOPIC, partitions=asked)
    with Wire(client) as wire:
        answer = wire.call(Reassignment(timeout_ms=20_000, topics=[topic]))
    codes = {one.error_code for each in answer.responses for one in each.partitions} | {answer.error_code}
    if codes != {0}:
        raise RuntimeError(f"moving {dict(wanted)} failed with Kafka errors {codes}")
    deadline = time.monotonic() + timeout
    moved = {number: list(brokers) for number, brokers in wanted.items()}
    while any((seen := _replicas(told)) | moved != seen for told in _told_by_each(client)):
        if time.monotonic() > deadline:
            raise TimeoutError(f"the replicas are {seen}, and not {moved}, after {timeout:.0f} s")
        time.sleep(0.1)
    prefer(client, timeout)


def prefer(client: Client, timeout: float = 90) -> None:
    """Make the first broker of each partition of the offsets topic its leader, with all replicas in sync.

    :raises TimeoutError: when a broker does not say so of each within `timeout` seconds.
    """
    deadline = time.monotonic() + timeout
    while not all(_is_preferred(one) for told in _told_by_each(client) for one in told):
        if time.monotonic() > deadline:
            raise TimeoutError(f"led by {leaders(client)}, and not by the first of {replicas(client)}, or not in sync")
        with Wire(client) as wire:
            wire.call(ElectLeadersRequest(election_type=_PREFERRED, topic_partitions=None, timeout_ms=5000))
        time.sleep(0.2)


def _told_by_each(client: Client) -> list[list[Any]]:
    """The partitions of the offsets topic as each broker sees them: one may be behind for a moment."""
    request = MetadataRequest(topics=[MetadataRequest.MetadataRequestTopic(name=TOPIC)], max_version=8)
    with Wire(client) as wire:
        answers = wire.calls([(request, node) for node in sorted(wire.brokers())])
    return [answer.topics[0].partitions for answer in answers]


def _replicas(told: list[Any]) -> dict[int, list[int]]:
    return {one.partition_index: list(one.replica_nodes) for one in told}


def _is_preferred(one: Any) -> bool:
    return bool(one.leader_id == one.replica_nodes[0] and set(one.isr_nodes) == set(one.replica_nodes))


def wait_resigned(client: Client, broker: int, timeout: float = 90) -> None:
    """Wait until a broker that leads no partition of the offsets topic knows it: metadata tell it to others earlier.

    :raises TimeoutError: when it coordinates groups after `timeout` seconds.
    """
    deadline = time.monotonic() + timeout
    with Wire(client) as wire:
        # an error, and no groups, while it gives partitions up
        while (answer := wire.call(ListGroupsRequest(), broker)).groups or answer.error_code:
            if time.monotonic() > deadline:
                raise TimeoutError(f"broker {broker} coordinates {len(answer.groups)} groups after {timeout:.0f} s")
            time.sleep(0.01)


def require(client: Client, replicas: int | None) -> None:
    """Set min.insync.replicas of the offsets topic; None resets it to the default of the brokers.

    Raises ``KafkaException``.
    """
    least = AlterConfigOpType.DELETE if replicas is None else AlterConfigOpType.SET
    entry = ConfigEntry("min.insync.replicas", None if replicas is None else str(replicas), incremental_operation=least)
    resource = ConfigResource(ConfigResource.Type.TOPIC, TOPIC, incremental_configs=[entry])
    admin = AdminClient(properties(client))
    for answer in admin.incremental_alter_configs([resource]).values():
        answer.result()


def limit(client: Client, client_id: str, most: float | None, quota: str = "request_percentage") -> None:
    """Throttle a client above a quota: by default, so many percent of the brokers' time; None ends that.

    :raises RuntimeError: when the broker refuses.
    """
    entity = Quotas.EntryData.EntityData(entity_type="client-id", entity_name=client_id)
    change = Quotas.EntryData.OpData(key=quota, value=most or 0.0, remove=most is None)
    with Wire(client) as wire:
        answer = wire.call(Quotas(entries=[Quotas.EntryData(entity=[entity], ops=[change])], validate_only=False))
    for one in answer.entries:
        if one.error_code:
            raise RuntimeError(f"limiting {client_id} failed with Kafka error {one.error_code}: {one.error_message}")
