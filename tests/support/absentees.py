# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Members that joined their groups and are gone: left behind for their session timeout, hundreds of them at once."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from kafka.protocol.consumer import JoinGroupRequest, SyncGroupRequest

from tests.support.clients import Client
from tests.support.wire import PASSING, Wire

#: Longer than any test takes.
SESSION_MS = 600_000


def leave_behind(client: Client, groups: Sequence[str], topic: str) -> None:
    """Let one classic consumer join each group, and never come back: the groups stay Stable.

    :raises RuntimeError: when the broker refuses one; with Kafka's error code.
    """
    with Wire(client) as wire:
        pending = list(groups)
        while pending:
            pending = _join(wire, pending, topic)


def _join(wire: Wire, groups: list[str], topic: str) -> list[str]:
    where = wire.coordinators(groups)
    joined = wire.calls([(_request(group, topic), where[group]) for group in groups])
    members = {group: answer for group, answer in zip(groups, joined, strict=True) if _passed(group, answer)}
    synced = wire.calls([(_sync(group, answer), where[group]) for group, answer in members.items()])
    done = {group for group, answer in zip(members, synced, strict=True) if _passed(group, answer)}
    return [group for group in groups if group not in done]


def _request(group: str, topic: str) -> Any:
    name = topic.encode()
    # ConsumerProtocolSubscription v0: the topics, and no user data
    metadata = struct.pack(f">hih{len(name)}si", 0, 1, len(name), name, -1)
    return JoinGroupRequest(
        group_id=group,
        session_timeout_ms=SESSION_MS,
        rebalance_timeout_ms=SESSION_MS,
        member_id="",
        group_instance_id=None,
        protocol_type="consumer",
        protocols=[JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=metadata)],
        # from version 4 on a member has to join a second time, with the id that it got
        max_version=3,
    )


def _sync(group: str, joined: Any) -> Any:
    # ConsumerProtocolAssignment v0: no partition, no user data
    nothing = struct.pack(">hii", 0, 0, -1)
    assignment = SyncGroupRequest.SyncGroupRequestAssignment(member_id=joined.member_id, assignment=nothing)
    return SyncGroupRequest(
        group_id=group,
        generation_id=joined.generation_id,
        member_id=joined.member_id,
        group_instance_id=None,
        assignments=[assignment],
        max_version=3,
    )


def _passed(group: str, answer: Any) -> bool:
    if answer.error_code and answer.error_code not in PASSING:
        raise RuntimeError(f"joining {group} failed with Kafka error {answer.error_code}")
    return not answer.error_code
