# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""LeaveGroup on behalf of members (KIP-571): one group a request, members in one batch."""

from __future__ import annotations

import typing as t

from ..._kafka import library
from ..errors import KafkaError, from_code
from ..model import Member
from .handler import Done, Handler, Outcome, coordinator_outcome, requested, unique

# below v3 a request names one member, and no instance id
_MIN_VERSION = 3
# the reason is cut, as Java's Admin does
REASON_LENGTH = 255

MemberErrors = dict[Member, KafkaError | None]  # pylint: disable=unsupported-binary-operation


class LeaveGroup(Handler[str, MemberErrors]):
    """Removes members; the value holds the error of each member, None where it was removed.

    Args:
        members: whom to remove, by group; a static member is named by both its ids, so that a new instance that took
            its place since is not removed instead (FENCED_INSTANCE_ID).
        reason: why, for the broker's log; brokers older than 3.2 do not take it.
    """

    def __init__(self, members: dict[str, list[Member]], reason: str) -> None:
        self._members = members
        self._reason = reason[:REASON_LENGTH]

    def request(self, keys: list[str]) -> t.Any:
        identity = library.LeaveGroupRequest.MemberIdentity
        return library.LeaveGroupRequest(
            group_id=keys[0],
            members=[
                identity(
                    member_id=member.member_id,
                    group_instance_id=member.group_instance_id,
                    reason=self._reason,
                )
                for member in self._members[keys[0]]
            ],
            min_version=_MIN_VERSION,
        )

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[MemberErrors]]:
        outcome = coordinator_outcome(response.error_code)
        if outcome is not None:
            return {keys[0]: outcome}
        named = {(member.member_id, member.group_instance_id or None): member for member in self._members[keys[0]]}
        answers = unique(
            ((answer.member_id, answer.group_instance_id or None), from_code(answer.error_code))
            for answer in response.members
        )
        return {keys[0]: Done({named[ids]: problem for ids, problem in requested(named, answers).items()})}
