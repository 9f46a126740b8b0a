# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What deleting and setting committed offsets have in common: topics, permissions, the outcome of a partition."""

from __future__ import annotations

import collections
import collections.abc as c

from .._errors import KafkaError, error
from .._model import Topic, TopicPartition
from .._results import Item
from .._rpc._handler import PartitionErrors


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


def partition_problem(item: Item, answer: PartitionErrors | KafkaError) -> KafkaError | None:
    """Return why the broker did not carry out an item, None if it did."""
    return answer if isinstance(answer, KafkaError) else answer[item.where]
