# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Delete committed offsets (KIP-496): plan and apply."""

from __future__ import annotations

import collections.abc as c
import functools
import typing as t

from .._kafka.errors import KafkaError, error
from .._kafka.model import Committed, Group, Offsets, Topic, TopicPartition
from .._kafka.rpc.offset_delete import OffsetDelete
from .._kafka.session import Session
from ._expected import COMMITTED_SINCE
from ._offset_checks import hidden_topic, looked_at_again, partition_problem, planned, settled, topic_problem
from ._offset_request import Request, Topics
from ._read import Described
from .results import DELETE_OFFSET, NONE, Item

if t.TYPE_CHECKING:
    from .._files.plan import PlannedOffset

SHARE_GROUP = "it is a share group, which commits no offsets: kafka-share-groups.sh --delete-offsets deletes its state"


def by_group(expected: c.Iterable[PlannedOffset]) -> dict[str, Topics]:
    """Return the partitions of a plan file as the task's options would name them."""
    groups: dict[str, Topics] = {}
    for entry in expected:
        topics = groups.setdefault(entry.group, {})
        topics[entry.where.topic] = (*(topics.get(entry.where.topic) or ()), entry.where.partition)
    return groups


def plan(
    request: Request,
    groups: dict[str, Described],
    offsets: dict[str, Offsets | KafkaError],
    topics: dict[str, Topic | KafkaError],
) -> tuple[list[Item], list[str]]:
    """Return what to do with each partition, and warnings."""
    items: list[Item] = []
    warnings: list[str] = []
    for name, wanted in request.groups.items():
        group, found = groups[name], offsets[name]
        if isinstance(group, KafkaError):
            items += _refused(name, wanted, group)
        elif group is not None and group.type == "share":
            items += _refused(name, wanted, error("GROUP_ID_NOT_FOUND", SHARE_GROUP))
        elif isinstance(found, KafkaError):
            items += _refused(name, wanted, found)
        elif request.unsubscribed:
            unsubscribed, warning = _unsubscribed(name, group, found)
            items += [_item(group, name, where, found, topics) for where in unsubscribed]
            warnings += warning
        else:
            for topic, partitions in wanted.items():
                hidden = hidden_topic(topic, topics[topic])
                if group is not None and hidden is not None:
                    items += _refused(name, {topic: partitions}, hidden)
                else:
                    items += _topic_items(group, name, topic, partitions, found, topics)
    warnings += [
        f"topic '{name}' does not exist in this cluster"
        for name, topic in topics.items()
        if isinstance(topic, KafkaError) and topic.name == "UNKNOWN_TOPIC_OR_PARTITION"
    ]
    return items, warnings


def _refused(name: str, wanted: Topics, problem: KafkaError) -> list[Item]:
    items = [
        Item(name, DELETE_OFFSET, topic=topic, partition=partition, error=problem)
        for topic, partitions in wanted.items()
        for partition in partitions or (None,)
    ]
    return items or [Item(name, DELETE_OFFSET, error=problem)]


def _unsubscribed(name: str, group: Group | None, found: Offsets) -> tuple[list[TopicPartition], list[str]]:
    """Return the partitions that the group is not (or may be not) subscribed to."""
    if group is None or not found:
        return [], []
    if group.state == "Empty":
        words = "has no members, so nothing tells what it subscribes to: none of its offsets was deleted"
        return [], [f"group '{name}' {words}"]
    return [where for where in sorted(found) if group.subscribes(where.topic) is not True], []


def _topic_items(
    group: Group | None,
    name: str,
    topic: str,
    partitions: tuple[int, ...] | None,
    found: Offsets,
    topics: dict[str, Topic | KafkaError],
) -> list[Item]:
    if partitions is None:
        chosen = [where for where in sorted(found) if where.topic == topic]
    else:
        chosen = [TopicPartition(topic, partition) for partition in partitions]
    if not chosen:
        return [Item(name, NONE, topic=topic)]
    return [_item(group, name, where, found, topics) for where in chosen]


def _item(
    group: Group | None, name: str, where: TopicPartition, found: Offsets, topics: dict[str, Topic | KafkaError]
) -> Item:
    before: Committed | None = found.get(where)
    if before is None or group is None:
        return Item(name, NONE, topic=where.topic, partition=where.partition)
    item = Item(name, DELETE_OFFSET, topic=where.topic, partition=where.partition, before=before)
    problem = _problem(group, where, topics[where.topic])
    return item if problem is None else item.failed(problem)


def _problem(group: Group, where: TopicPartition, topic: Topic | KafkaError) -> KafkaError | None:
    """Return the error that a broker gives, in the order in which it looks (KafkaApis, OffsetMetadataManager)."""
    if not group.may("DELETE"):
        return error("GROUP_AUTHORIZATION_FAILED", f"deleting offsets needs DELETE on group '{group.name}'")
    problem = topic_problem(where, topic)
    if problem is not None or group.state == "Empty":
        return problem
    if group.type == "classic" and group.protocol_type != "consumer":
        words = f"it is a {group.kind} in state {group.state}: stop its members first, and nothing of it can be in use"
        return error("NON_EMPTY_GROUP", words)
    subscribed = group.subscribes(where.topic)
    if subscribed is None:
        words = f"the {group.kind} is in state {group.state}, and its subscription does not show: run the task again"
        return error("GROUP_SUBSCRIBED_TO_TOPIC", words)
    if subscribed:
        words = f"the {group.kind} reads topic '{where.topic}': stop its consumers, or let them drop the topic"
        return error("GROUP_SUBSCRIBED_TO_TOPIC", words)
    return None


async def apply(session: Session, items: c.Sequence[Item], backed_up: bool, from_plan: bool) -> list[Item]:
    """Delete the planned offsets; return the items with what became of them.

    Args:
        backed_up: whether the offsets are in a back-up: what was committed since is kept.
        from_plan: whether the offsets are those of a plan file, which leaves alone what has changed.
    """
    if backed_up or from_plan:
        items = await looked_at_again(session, items, from_plan)
    changes = planned(items)
    partitions = {name: [item.where for item in wanted] for name, wanted in changes.items()}
    settle = functools.partial(settled, session, changes)
    answers, resent = await session.driver.change(OffsetDelete(partitions), partitions, settle)
    return [
        _outcome(item, partition_problem(item, answers[item.group]), item.group in resent, from_plan)
        if item.changed
        else item
        for item in items
    ]


def _outcome(item: Item, problem: KafkaError | None, resent: bool, from_plan: bool) -> Item:
    if problem is None:
        return item
    if from_plan and problem.name in ("GROUP_SUBSCRIBED_TO_TOPIC", "NON_EMPTY_GROUP"):
        return item.left("a consumer joined while the offset was being deleted")
    if from_plan and problem.name == "POLICY_VIOLATION":
        return item.left(COMMITTED_SINCE)
    if problem.name != "GROUP_ID_NOT_FOUND":
        return item.failed(problem)
    # the group expired, or was deleted by somebody else, since it was read
    return item if resent else item.unneeded()
