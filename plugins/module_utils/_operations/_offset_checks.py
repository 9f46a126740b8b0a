# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What deleting and setting committed offsets have in common: topics, permissions, the outcome of a partition."""

from __future__ import annotations

import collections
import collections.abc as c

from .._errors import KafkaError, error
from .._model import Offsets, Topic, TopicPartition
from .._results import DELETE_OFFSET, Item
from .._rpc._handler import PartitionErrors
from .._session import Session
from ._expected import COMMITTED_SINCE, USED_SINCE
from ._read import committed, committed_now


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
    """Return the items after another look at the offsets, over which nothing may have committed since they were read.

    Args:
        from_plan: whether what has changed is left alone; else it fails.
    """
    names = planned(items)
    found = await (committed(session, names, stable=True) if from_plan else committed_now(session, names))
    return [_compared(item, found[item.group], from_plan) if item.changed else item for item in items]


def _compared(item: Item, found: Offsets | KafkaError, from_plan: bool) -> Item:
    if isinstance(found, KafkaError):
        return item.failed(found)
    now = found.get(item.where)
    if now is None:
        return item.unneeded() if item.action == DELETE_OFFSET else item
    if now == item.before:
        return item
    if from_plan:
        return item._replace(before=now).left(COMMITTED_SINCE)
    return item.failed(error("POLICY_VIOLATION", USED_SINCE))


def partition_problem(item: Item, answer: PartitionErrors | KafkaError) -> KafkaError | None:
    """Return why the broker did not carry out an item, None if it did."""
    return answer if isinstance(answer, KafkaError) else answer[item.where]
