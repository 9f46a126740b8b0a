# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Members whose process has ended, but which remain in their groups until the session timeout; hundreds at once."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from kafka.protocol.api_message import ApiMessage, ApiMessageData
from kafka.protocol.consumer import JoinGroupRequest, SyncGroupRequest

from tests.support.clients import Client
from tests.support.wire import PASSING, Wire, insist

#: Longer than any test takes.
SESSION_MS = 600_000


def _field(name: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "versions": "0+", **more}


def _declare(kind: str, fields: list[dict[str, Any]]) -> Any:
    common = {"apiKey": 68, "validVersions": "0", "flexibleVersions": "0+"}
    schema = {**common, "type": kind, "name": f"ConsumerGroupHeartbeat{kind.title()}", "fields": fields}
    # kafka-python, which lacks this one, reads a schema by class name: load one that it has, and put ours in its place
    patch = classmethod(lambda cls, json: schema)
    return ApiMessageData(f"Heartbeat{kind.title()}", (ApiMessage,), {"json_patch": patch, "__module__": __name__})


_PARTITIONS = [_field("TopicId", "uuid"), _field("Partitions", "[]int32")]
_NULLABLE: dict[str, Any] = {"nullableVersions": "0+", "default": "null"}
_ConsumerHeartbeat = _declare(
    "request",
    [
        _field("GroupId", "string"),
        _field("MemberId", "string"),
        _field("MemberEpoch", "int32"),
        _field("InstanceId", "string", **_NULLABLE),
        _field("RackId", "string", **_NULLABLE),
        _field("RebalanceTimeoutMs", "int32"),
        _field("SubscribedTopicNames", "[]string", **_NULLABLE),
        _field("ServerAssignor", "string", **_NULLABLE),
        _field("TopicPartitions", "[]TopicPartitions", fields=_PARTITIONS, **_NULLABLE),
    ],
)
# must stay referenced: kafka-python's registry holds it weakly
_ConsumerHeartbeatResponse = _declare(
    "response",
    [
        _field("ThrottleTimeMs", "int32"),
        _field("ErrorCode", "int16"),
        _field("ErrorMessage", "string", **_NULLABLE),
        _field("MemberId", "string", **_NULLABLE),
        _field("MemberEpoch", "int32"),
        _field("HeartbeatIntervalMs", "int32"),
        _field(
            "Assignment",
            "Assignment",
            fields=[_field("TopicPartitions", "[]TopicPartitions", fields=_PARTITIONS)],
            **_NULLABLE,
        ),
    ],
)


def leave_crowd_behind(client: Client, group: str, topic: str, count: int) -> None:
    """Let static KIP-848 consumers join one group, then end without leaving.

    They stay for the brokers' group.consumer.session.timeout.ms.

    :raises RuntimeError: when the broker refuses one; with Kafka's error code.
    :raises TimeoutError: when the coordinator does not answer for one within 60 s.
    """
    with Wire(client) as wire:
        wire.settle([group])
        instances = [f"absent-{number}" for number in range(count)]
        insist("KIP-848 member", lambda pending: _join_crowd(wire, group, pending, topic), instances)


def _join_crowd(wire: Wire, group: str, instances: list[str], topic: str) -> list[str]:
    node = wire.coordinators([group])[group]
    joining = [
        _ConsumerHeartbeat(
            group_id=group,
            member_id="",
            member_epoch=0,
            instance_id=instance,
            rebalance_timeout_ms=SESSION_MS,
            subscribed_topic_names=[topic],
            topic_partitions=[],
        )
        for instance in instances
    ]
    answers = wire.calls([(request, node) for request in joining])
    return [instance for instance, answer in zip(instances, answers, strict=True) if not _passed(group, answer)]


def leave_behind(client: Client, groups: Sequence[str], topic: str, instance_id: str | None = None) -> None:
    """Let one classic consumer join each group, then end without leaving: the groups remain Stable.

    :param instance_id: makes them static members of that name.
    :raises RuntimeError: when the broker refuses one; with Kafka's error code.
    :raises TimeoutError: when a coordinator does not answer for one within 60 s.
    """
    with Wire(client) as wire:
        insist("member", lambda pending: _join(wire, pending, topic, instance_id), groups)


def _join(wire: Wire, groups: list[str], topic: str, instance_id: str | None) -> list[str]:
    where = wire.coordinators(groups)
    joined = wire.calls([(_request(group, topic, instance_id), where[group]) for group in groups])
    members = {group: answer for group, answer in zip(groups, joined, strict=True) if _passed(group, answer)}
    synced = wire.calls([(_sync(group, answer, instance_id), where[group]) for group, answer in members.items()])
    done = {group for group, answer in zip(members, synced, strict=True) if _passed(group, answer)}
    return [group for group in groups if group not in done]


def _request(group: str, topic: str, instance_id: str | None) -> Any:
    name = topic.encode()
    # ConsumerProtocolSubscription v0: the topics, and no user data
    metadata = struct.pack(f">hih{len(name)}si", 0, 1, len(name), name, -1)
    return JoinGroupRequest(
        group_id=group,
        session_timeout_ms=SESSION_MS,
        rebalance_timeout_ms=SESSION_MS,
        member_id="",
        group_instance_id=instance_id,
        protocol_type="consumer",
        protocols=[JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=metadata)],
        # from version 4 on a member without an instance id has to join a second time, with the id that it got
        max_version=3 if instance_id is None else 5,
    )


def _sync(group: str, joined: Any, instance_id: str | None) -> Any:
    # ConsumerProtocolAssignment v0: no partition, no user data
    nothing = struct.pack(">hii", 0, 0, -1)
    assignment = SyncGroupRequest.SyncGroupRequestAssignment(member_id=joined.member_id, assignment=nothing)
    return SyncGroupRequest(
        group_id=group,
        generation_id=joined.generation_id,
        member_id=joined.member_id,
        group_instance_id=instance_id,
        assignments=[assignment],
        max_version=3,
    )


def _passed(group: str, answer: Any) -> bool:
    if answer.error_code and answer.error_code not in PASSING:
        raise RuntimeError(f"joining {group} failed with Kafka error {answer.error_code}")
    return not answer.error_code
