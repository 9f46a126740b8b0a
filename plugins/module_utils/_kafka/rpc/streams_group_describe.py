# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""StreamsGroupDescribe: groups of the Streams protocol (KIP-1071)."""

from __future__ import annotations

import typing as t

from .. import typed_messages
from ..model import Group, Member, Subtopology, Task, Topology
from .describe_handler import TypedDescribe, plain_host


class StreamsGroupDescribe(TypedDescribe):
    """Describes groups of the Streams protocol, whose members all subscribe to what their topology reads."""

    type = "streams"

    def request(self, keys: list[str]) -> t.Any:
        return typed_messages.StreamsGroupDescribeRequest(group_ids=keys, include_authorized_operations=True)

    def group(self, described: t.Any) -> Group | None:
        group = super().group(described)
        if group is None:
            return None
        topology = _topology(described.topology)
        topics = None if topology is None else topology.read_topics
        return group._replace(
            topology=topology, members=tuple(member._replace(topics=topics) for member in group.members)
        )

    def member(self, member: t.Any) -> Member:
        return Member(
            member_id=member.member_id,
            group_instance_id=member.instance_id,
            client_id=member.client_id,
            host=plain_host(member.client_host),
            topics=None,
            tasks=_tasks(member.assignment),
        )


def _tasks(assignment: t.Any) -> tuple[Task, ...]:
    given = {
        "active": assignment.active_tasks,
        "standby": assignment.standby_tasks,
        "warmup": assignment.warmup_tasks,
    }
    return tuple(
        Task(role, task.subtopology_id, partition)
        for role, tasks in given.items()
        for task in sorted(tasks, key=lambda one: one.subtopology_id)
        for partition in sorted(task.partitions)
    )


def _topology(topology: t.Any) -> Topology | None:
    """Return the topology of a group, None where it has none yet."""
    if topology is None or topology.subtopologies is None:
        return None
    return Topology(
        topology.epoch,
        tuple(
            Subtopology(
                sub.subtopology_id,
                tuple(sorted(sub.source_topics)),
                _names(sub.repartition_source_topics),
                tuple(sorted(sub.repartition_sink_topics)),
                _names(sub.state_changelog_topics),
            )
            for sub in sorted(topology.subtopologies, key=lambda one: one.subtopology_id)
        ),
    )


def _names(topics: t.Any) -> tuple[str, ...]:
    return tuple(sorted(topic.name for topic in topics))
