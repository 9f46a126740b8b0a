# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""DescribeGroups: classic groups, their members and what these subscribe to."""

from __future__ import annotations

import struct
import typing as t

from ..._kafka import library
from ..model import Group, Member, TopicPartition
from .describe_handler import DESCRIBE_BATCH, DescribeHandler, in_order, operations, plain_host
from .handler import Done, Handler, Outcome, coordinator_outcome, unique


class DescribeGroups(DescribeHandler):
    """Describes classic groups, simple ones included."""

    def request(self, keys: list[str]) -> t.Any:
        return library.DescribeGroupsRequest(groups=keys, include_authorized_operations=True, min_version=3)

    def group(self, described: t.Any) -> Group | None:
        if described.group_state == "Dead":
            return None
        return Group(
            name=described.group_id,
            type="classic",
            protocol_type=described.protocol_type,
            state=described.group_state,
            assignor=described.protocol_data,
            # thousands of groups without members
            members=in_order(_member(member, described.protocol_type) for member in described.members)
            if described.members
            else (),
            operations=operations(described.authorized_operations),
        )


def _member(member: t.Any, protocol_type: str) -> Member:
    consumer = protocol_type == "consumer"
    return Member(
        member_id=member.member_id,
        group_instance_id=member.group_instance_id,
        client_id=member.client_id,
        host=plain_host(member.client_host),
        topics=_subscription(bytes(member.member_metadata)) if consumer else None,
        assignment=_assignment(bytes(member.member_assignment)) if consumer else (),
    )


def _subscription(data: bytes) -> tuple[str, ...] | None:
    """Return the topics of a ConsumerProtocolSubscription, read as v0 as the broker does (KIP-496)."""
    if not data:
        return None
    try:
        return tuple(sorted(library.ConsumerProtocolSubscription.decode(data[2:], version=0, header=False).topics))
    except (struct.error, ValueError, IndexError):
        return None


def _assignment(data: bytes) -> tuple[TopicPartition, ...]:
    if not data:
        return ()
    try:
        topics = library.ConsumerProtocolAssignment.decode(data[2:], version=0, header=False).assigned_partitions
    except (struct.error, ValueError, IndexError):
        return ()
    return tuple(sorted(TopicPartition(topic.topic, index) for topic in topics for index in topic.partitions))


class AbsentGroupOperations(Handler[str, frozenset[str] | None]):  # pylint: disable=unsupported-binary-operation
    """Tells what the caller may do with missing groups: up to v5 these are C(Dead), without an error."""

    def batch_for(self, version: int) -> int:
        return DESCRIBE_BATCH

    def request(self, keys: list[str]) -> t.Any:
        return library.DescribeGroupsRequest(
            groups=keys, include_authorized_operations=True, min_version=3, max_version=5
        )

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[frozenset[str] | None]]:
        return unique(
            (
                described.group_id,
                coordinator_outcome(described.error_code) or Done(operations(described.authorized_operations)),
            )
            for described in response.groups
        )
