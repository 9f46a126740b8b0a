# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""StreamsGroupDescribe: groups of the Streams protocol (KIP-1071)."""

from __future__ import annotations

import typing as t

from .. import _messages as messages
from .._model import Group, Member
from ._describe import DescribeHandler, operations


class StreamsGroupDescribe(DescribeHandler):
    """Describes groups of the Streams protocol; they subscribe by their topology, not by member."""

    def request(self, groups: list[str]) -> t.Any:
        return messages.StreamsGroupDescribeRequest(group_ids=groups, include_authorized_operations=True)

    def group(self, described: t.Any) -> Group:
        return Group(
            name=described.group_id,
            type="streams",
            protocol_type="streams",
            state=described.group_state,
            members=tuple(_member(member) for member in described.members),
            subscription=_source_topics(described.topology) if described.members else (),
            operations=operations(described.authorized_operations),
        )


def _source_topics(topology: t.Any) -> tuple[str, ...]:
    subtopologies = topology.subtopologies if topology else None
    sources = {topic for sub in subtopologies or () for topic in sub.source_topics}
    repartitions = {topic.name for sub in subtopologies or () for topic in sub.repartition_source_topics}
    return tuple(sorted(sources | repartitions))


def _member(member: t.Any) -> Member:
    return Member(
        member_id=member.member_id,
        group_instance_id=member.instance_id,
        client_id=member.client_id,
        host=member.client_host.removeprefix("/"),
        topics=None,
    )
