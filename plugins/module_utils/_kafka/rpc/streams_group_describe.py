# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""StreamsGroupDescribe: groups of the Streams protocol (KIP-1071)."""

from __future__ import annotations

import typing as t

from .. import typed_messages
from ..model import Group, Member
from .describe_handler import TypedDescribe, plain_host


class StreamsGroupDescribe(TypedDescribe):
    """Describes groups of the Streams protocol, whose members all subscribe to what their topology reads."""

    type = "streams"

    def request(self, keys: list[str]) -> t.Any:
        return typed_messages.StreamsGroupDescribeRequest(group_ids=keys, include_authorized_operations=True)

    def group(self, described: t.Any) -> Group | None:
        group = super().group(described)
        if group is None or not group.members:
            return group
        topics = _source_topics(described.topology)
        return group._replace(members=tuple(member._replace(topics=topics) for member in group.members))

    def member(self, member: t.Any) -> Member:
        return Member(
            member_id=member.member_id,
            group_instance_id=member.instance_id,
            client_id=member.client_id,
            host=plain_host(member.client_host),
            topics=None,
        )


def _source_topics(topology: t.Any) -> tuple[str, ...] | None:
    """Return what a topology reads, None where the group has none yet."""
    if topology is None or topology.subtopologies is None:
        return None
    sources = {topic for sub in topology.subtopologies for topic in sub.source_topics}
    repartitions = {topic.name for sub in topology.subtopologies for topic in sub.repartition_source_topics}
    return tuple(sorted(sources | repartitions))
