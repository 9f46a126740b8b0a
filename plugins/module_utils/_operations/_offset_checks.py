# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What deleting and setting committed offsets have in common: topics, permissions, the outcome of a partition."""

from __future__ import annotations

import collections
import collections.abc as c

from .._kafka.errors import KafkaError, error
from .._kafka.model import Offsets, Topic, TopicPartition
from .._kafka.rpc.handler import PartitionErrors
from .._kafka.session import Session
from ._expected import COMMITTED_SINCE, USED_MEANWHILE, USED_SINCE
from ._read import committed, committed_now
from .results import DELETE_OFFSET, Item


def hidden_topic(name: str, topic: Topic | KafkaError) -> KafkaError | None:
    """Return the error of a topic that one may not DESCRIBE: what groups have committed on it does not show."""
    if isinstance(topic, KafkaError) and topic.name == "TOPIC_AUTHORIZATION_FAILED":
        return error(
            topic.name, f"this needs READ on topic '{name}', and without DESCRIBE its offsets do not even show"
        )
    return None


def topic_problem(where: TopicPartition, topic: Topic | KafkaError) -> KafkaError | None:
    """Return the error that a broker gives a change of this partition because of its topic, None if it gives none."""
    if isinstance(topic, KafkaError):
        if topic.name == "UNKNOWN_TOPIC_OR_PARTITION":
            return error(topic.name, f"topic '{where.topic}' does not exist in this cluster")
        return hidden_topic(where.topic, topic) or topic
    if "READ" not in topic.operations:
        return error("TOPIC_AUTHORIZATION_FAILED", f"this needs READ on topic '{where.topic}'")
    if where.partition not in topic.partitions:
        words = f"topic '{where.topic}' has no partition {where.partition}: it has {len(topic.partitions)}"
        return error("UNKNOWN_TOPIC_OR_PARTITION", words)
    return None


def planned(items: c.Sequence[Item]) -> dict[str, list[Item]]:
    """Return the items that are to be carried out, by group."""
    groups: dict[str, list[Item]] = collections.defaultdict(list)
    for item in items:
        if item.changed:
            groups[item.group].append(item)
    return dict(groups)


async def looked_at_again(session: Session, items: c.Sequence[Item], from_plan: bool) -> list[Item]:
    """Return the items after another look at the offsets: who has committed over one since it was read keeps it.

    Args:
        from_plan: whether only that offset is left alone; else all items of the group fail.
    """
    names = planned(items)
    found = await (committed(session, names) if from_plan else committed_now(session, names))
    used = {item.group for item in items if item.changed and _moved(item, found[item.group])}
    return [_kept(item, found[item.group], used, from_plan) if item.changed else item for item in items]


def _moved(item: Item, found: Offsets | KafkaError) -> bool:
    return not isinstance(found, KafkaError) and found.get(item.where) not in (None, item.before)


def _kept(item: Item, found: Offsets | KafkaError, used: c.Collection[str], from_plan: bool) -> Item:
    if isinstance(found, KafkaError):
        return item.failed(found)
    if from_plan and _moved(item, found):
        return item._replace(before=found[item.where]).left(COMMITTED_SINCE)
    if not from_plan and item.group in used:
        return item.failed(error("POLICY_VIOLATION", USED_SINCE))
    if item.action == DELETE_OFFSET and item.where not in found:
        return item.unneeded()
    return item


async def settled(
    session: Session, changes: dict[str, list[Item]], names: list[str]
) -> dict[str, PartitionErrors | KafkaError | None]:
    """Read what became of changes whose answers were lost, as the driver's C(Settle) tells it."""
    return {name: _became(found, changes[name]) for name, found in (await committed_now(session, names)).items()}


def _became(found: Offsets | KafkaError, items: c.Sequence[Item]) -> PartitionErrors | KafkaError | None:
    if isinstance(found, KafkaError):
        return found
    left = {item.where: item for item in items if found.get(item.where) != item.after}
    if left and all(found.get(where) in (None, item.before) for where, item in left.items()):
        return None
    used = error("POLICY_VIOLATION", USED_MEANWHILE)
    return {item.where: used if item.where in left else None for item in items}


def partition_problem(item: Item, answer: PartitionErrors | KafkaError) -> KafkaError | None:
    """Return why the broker did not carry out an item, None if it did."""
    return answer if isinstance(answer, KafkaError) else answer[item.where]
