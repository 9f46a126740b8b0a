# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""ShareGroupDescribe: share groups (KIP-932)."""

from __future__ import annotations

import typing as t

from .. import _messages as messages
from .._model import Group, Member
from ._describe import DescribeHandler, assigned, operations


class ShareGroupDescribe(DescribeHandler):
    """Describes share groups."""

    def request(self, groups: list[str]) -> t.Any:
        return messages.ShareGroupDescribeRequest(group_ids=groups, include_authorized_operations=True)

    def group(self, described: t.Any) -> Group:
        return Group(
            name=described.group_id,
            type="share",
            protocol_type="share",
            state=described.group_state,
            assignor=described.assignor_name,
            members=tuple(_member(member) for member in described.members),
            operations=operations(described.authorized_operations),
        )


def _member(member: t.Any) -> Member:
    return Member(
        member_id=member.member_id,
        group_instance_id=None,
        client_id=member.client_id,
        host=member.client_host.removeprefix("/"),
        topics=tuple(sorted(member.subscribed_topic_names)),
        assignment=assigned(member.assignment.topic_partitions),
    )
