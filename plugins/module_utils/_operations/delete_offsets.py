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
from ._offset_request import Request, Topics
from ._partition_errors import (
    SHARE_GROUP,
    OffsetItem,
    hidden_topic,
    missing_topics,
    partition_problem,
    read_outcomes,
    topic_problem,
    used_since,
)
from ._precondition import Precondition, changes_by_group
from ._read_groups import Described
from .results import DELETE_OFFSET, Item, OffsetTarget

if t.TYPE_CHECKING:
    from .._files.plan import PlannedOffset


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
) -> tuple[list[OffsetItem], list[str]]:
    """Return what to do with each partition, and warnings."""
    items: list[OffsetItem] = []
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
    warnings += missing_topics(topics)
    return items, warnings


def _refused(name: str, wanted: Topics, problem: KafkaError) -> list[OffsetItem]:
    targets = [
        OffsetTarget(name, topic, partition)
        for topic, partitions in wanted.items()
        for partition in partitions or (None,)
    ]
    return [Item.refused(target, DELETE_OFFSET, problem) for target in targets or [OffsetTarget(name)]]


def _unsubscribed(name: str, group: Group | None, found: Offsets) -> tuple[list[TopicPartition], list[str]]:
    """Return the partitions that the group is not (or may be not) subscribed to."""
    if group is None or not found:
        return [], []
    if group.state == "Empty":
        words = "has no members, so its subscription is unknown: none of its offsets was deleted"
        return [], [f"group '{name}' {words}"]
    return [where for where in sorted(found) if group.subscribes(where.topic) is not True], []


def _topic_items(
    group: Group | None,
    name: str,
    topic: str,
    partitions: tuple[int, ...] | None,
    found: Offsets,
    topics: dict[str, Topic | KafkaError],
) -> list[OffsetItem]:
    if partitions is None:
        chosen = [where for where in sorted(found) if where.topic == topic]
    else:
        chosen = [TopicPartition(topic, partition) for partition in partitions]
    if not chosen:
        return [Item.unchanged(OffsetTarget(name, topic))]
    return [_item(group, name, where, found, topics) for where in chosen]


def _item(
    group: Group | None, name: str, where: TopicPartition, found: Offsets, topics: dict[str, Topic | KafkaError]
) -> OffsetItem:
    target = OffsetTarget(name, *where)
    before: Committed | None = found.get(where)
    if before is None or group is None:
        return Item.unchanged(target)
    item = Item.planned(target, DELETE_OFFSET, before)
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
        words = f"it is a {group.kind} in state {group.state}: stop its members first"
        return error("NON_EMPTY_GROUP", words)
    subscribed = group.subscribes(where.topic)
    if subscribed is None:
        words = f"the {group.kind} is in state {group.state}, and its subscription is unknown: run the task again"
        return error("GROUP_SUBSCRIBED_TO_TOPIC", words)
    if subscribed:
        words = f"the {group.kind} reads topic '{where.topic}': stop its consumers, or let them drop the topic"
        return error("GROUP_SUBSCRIBED_TO_TOPIC", words)
    return None


async def apply(session: Session, items: list[OffsetItem], precondition: Precondition) -> list[OffsetItem]:
    """Delete the planned offsets; return the items with their outcomes. Offsets committed since are kept."""
    items = await precondition.check_offsets(session, items)
    changes = changes_by_group(items)
    partitions = {name: [item.target.where for item in chosen] for name, chosen in changes.items()}
    verify = functools.partial(read_outcomes, session, changes)
    check = used_since(session, changes, precondition)
    answers, resent = await session.driver.change(OffsetDelete(partitions), partitions, verify, check)

    def outcome(item: OffsetItem) -> OffsetItem:
        name = item.target.group
        if not item.changed:
            return item
        return _after_deletion(item, partition_problem(item, answers[name]), name in resent, precondition)

    return [outcome(item) for item in items]


def _after_deletion(
    item: OffsetItem, problem: KafkaError | None, resent: bool, precondition: Precondition
) -> OffsetItem:
    if problem is None:
        return item
    if problem.name == "GROUP_ID_NOT_FOUND":
        # the group expired, or was deleted by another client, since it was read
        return item if resent else item.unneeded()
    joined = "a consumer joined while the offset was being deleted"
    in_use = problem.name in ("GROUP_SUBSCRIBED_TO_TOPIC", "NON_EMPTY_GROUP")
    return precondition.on_conflict(item, problem, joined if in_use else "")
