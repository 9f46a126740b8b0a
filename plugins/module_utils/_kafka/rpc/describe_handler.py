# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the four describe RPCs share: batches, permissions, and the outcome of each described group."""

from __future__ import annotations

import abc
import collections.abc as c
import functools
import typing as t

from ..model import Group, Member, TopicPartition
from .handler import Done, Handler, Outcome, coordinator_outcome, unique

DESCRIBE_BATCH = 1000

# Kafka's AclOperation codes of the operations that a group knows
_OPERATIONS = {3: "READ", 6: "DELETE", 8: "DESCRIBE"}


class DescribeHandler(Handler[str, Group | None]):  # pylint: disable=unsupported-binary-operation
    """Describes groups of one kind; a group that is missing, or of another kind, is None."""

    def batch_for(self, version: int) -> int:
        return DESCRIBE_BATCH

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[Group | None]]:
        return unique((described.group_id, self._outcome(described)) for described in response.groups)

    def _outcome(self, described: t.Any) -> Outcome[Group | None]:
        outcome = coordinator_outcome(described.error_code, described.error_message) if described.error_code else None
        if outcome is None:
            return Done(self.group(described))
        if outcome.error.name == "GROUP_ID_NOT_FOUND":
            return Done(None)
        return outcome

    @abc.abstractmethod
    def group(self, described: t.Any) -> Group | None:
        """Return the group of one answer without error."""


class TypedDescribe(DescribeHandler):
    """One of the describe RPCs that came with a group type of its own (KIP-848, KIP-932, KIP-1071)."""

    type: str

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[Group | None]]:
        """Return the most informative outcome of each group.

        Brokers of 3.8 and 3.9 answer about each group once for every partition of the offsets topic that is asked, and
        only the group's own one knows it.
        """
        best: dict[str, Outcome[Group | None]] = {}
        for described in response.groups:
            outcome = self._outcome(described)
            if _information(outcome) >= _information(best.get(described.group_id)):
                best[described.group_id] = outcome
        return best

    def group(self, described: t.Any) -> Group | None:
        return Group(
            name=described.group_id,
            type=self.type,
            protocol_type=self.type,
            state=described.group_state,
            # streams groups name none
            assignor=getattr(described, "assignor_name", ""),
            members=in_order(self.member(member) for member in described.members) if described.members else (),
            operations=operations(described.authorized_operations),
        )

    def member(self, member: t.Any) -> Member:
        """Return a member that names its topics and its assignment, as KIP-848 and share members do."""
        return Member(
            member_id=member.member_id,
            # share members have none
            group_instance_id=getattr(member, "instance_id", None),
            client_id=member.client_id,
            host=plain_host(member.client_host),
            topics=tuple(sorted(member.subscribed_topic_names)),
            assignment=_assigned(member.assignment.topic_partitions),
            topic_regex=getattr(member, "subscribed_topic_regex", None) or None,
        )


def _information(outcome: Outcome[Group | None] | None) -> int:
    """Return a rank: a group is highest, then an error, then that there is no group."""
    if isinstance(outcome, Done):
        return 1 if outcome.value is None else 3
    return 0 if outcome is None else 2


def in_order(members: c.Iterable[Member]) -> tuple[Member, ...]:
    """Return members in an order that does not change from one answer to the next."""
    return tuple(sorted(members, key=lambda one: (one.client_id, one.host, one.group_instance_id or "", one.member_id)))


def plain_host(host: str) -> str:
    """Return a client's host without the slash that Java puts before an address."""
    return host.removeprefix("/")


def operations(codes: c.Collection[int] | None) -> frozenset[str] | None:
    """Return the names of authorized operations, None where the broker did not say."""
    return None if codes is None else _names(frozenset(codes))


@functools.cache
def _names(codes: frozenset[int]) -> frozenset[str]:
    # the same for thousands of groups
    return frozenset([name for code, name in _OPERATIONS.items() if code in codes])


def _assigned(topic_partitions: c.Iterable[t.Any]) -> tuple[TopicPartition, ...]:
    return tuple(
        sorted(
            TopicPartition(topic.topic_name, partition) for topic in topic_partitions for partition in topic.partitions
        )
    )
