# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What deleting and setting committed offsets have in common: topics, permissions, the outcome of a partition."""

from __future__ import annotations

import collections.abc as c

from .._kafka.driver import Check
from .._kafka.errors import KafkaError, error
from .._kafka.model import Offsets, Topic, TopicPartition
from .._kafka.rpc.handler import PartitionErrors
from .._kafka.session import Session
from ._precondition import CONFLICT, Precondition
from ._read_groups import committed_now
from ._read_topics import Seen
from .results import Item, OffsetTarget

SHARE_GROUP = "it is a share group, which commits no offsets: use share_group_offsets"
USED_MEANWHILE = (
    "it has committed since the request was sent, so it is in use: stop its consumers and run the task again"
)

OffsetItem = Item[OffsetTarget]


def hidden_topic(name: str, topic: Topic | KafkaError) -> KafkaError | None:
    """Return the error of a topic without DESCRIBE permission, whose committed offsets are not visible."""
    if isinstance(topic, KafkaError) and topic.name == "TOPIC_AUTHORIZATION_FAILED":
        return error(topic.name, f"this needs READ on topic '{name}'; without DESCRIBE, its offsets are not visible")
    return None


def missing_topics(topics: Seen) -> list[str]:
    """Return a warning for each topic that does not exist."""
    return [
        f"topic '{name}' does not exist in this cluster"
        for name, topic in topics.items()
        if isinstance(topic, KafkaError) and topic.name == "UNKNOWN_TOPIC_OR_PARTITION"
    ]


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


async def read_outcomes(
    session: Session, changes: dict[str, list[OffsetItem]], names: list[str]
) -> dict[str, PartitionErrors | KafkaError | None]:
    """Read the outcomes of changes without a response, as the driver's C(Verify) defines them."""
    return {name: _lost_outcome(found, changes[name]) for name, found in (await committed_now(session, names)).items()}


def used_since(
    session: Session, changes: dict[str, list[OffsetItem]], precondition: Precondition
) -> Check[str, PartitionErrors] | None:
    """Return what reads whether groups have committed, before a change is sent again; None if nothing depends on it."""

    async def check(names: list[str]) -> dict[str, PartitionErrors | KafkaError]:
        found = await read_outcomes(session, changes, names)
        return {
            name: outcome
            for name, outcome in found.items()
            if isinstance(outcome, KafkaError) or (outcome and any(outcome.values()))
        }

    return None if precondition.offsets is None else check


def _lost_outcome(found: Offsets | KafkaError, items: c.Sequence[OffsetItem]) -> PartitionErrors | KafkaError | None:
    if isinstance(found, KafkaError):
        return found
    left = {item.target.where: item for item in items if found.get(item.target.where) != item.after}
    if left and all(found.get(where) in (None, item.before) for where, item in left.items()):
        return None
    used = error(CONFLICT, USED_MEANWHILE)
    return {item.target.where: used if item.target.where in left else None for item in items}


def partition_problem(item: OffsetItem, answer: PartitionErrors | KafkaError) -> KafkaError | None:
    """Return why the broker did not carry out an item, None if it did."""
    return answer if isinstance(answer, KafkaError) else answer[item.target.where]
