# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Metadata: topics, their partitions and leaders, by name."""

from __future__ import annotations

import base64
import collections.abc as c
import typing as t

from ..._kafka import library
from ..errors import KafkaError, from_code
from ..model import Topic, TopicPartition, is_internal
from .handler import Broker, Done, Failed, Handler, Outcome, unique

METADATA_BATCH = 1000
# below v8 (Kafka 2.3) it does not return the permissions of the caller on a topic
_MIN_VERSION = 8
# up to v8, brokers older than 2.4 may return an old leader epoch (KAFKA-9212)
_RELIABLE_EPOCHS = 9

# Kafka's AclOperation codes of the operations that a topic knows
_OPERATIONS = {
    3: "READ",
    4: "WRITE",
    5: "CREATE",
    6: "DELETE",
    7: "ALTER",
    8: "DESCRIBE",
    10: "DESCRIBE_CONFIGS",
    11: "ALTER_CONFIGS",
}


def metadata_request(topics: c.Sequence[str] | None) -> t.Any:
    """Return the request about these topics, or about all that the caller may DESCRIBE."""
    asked = library.MetadataRequest.MetadataRequestTopic
    return library.MetadataRequest(
        topics=None if topics is None else [asked(name=name) for name in topics],
        allow_auto_topic_creation=False,
        include_topic_authorized_operations=True,
        min_version=_MIN_VERSION,
    )


class DescribeTopics(Handler[str, Topic]):
    """Describes topics; the errors are those that the cluster gives (UNKNOWN_TOPIC_OR_PARTITION and the like)."""

    broker = Broker.ANY

    def batch_for(self, version: int) -> int:
        return METADATA_BATCH

    def request(self, keys: list[str]) -> t.Any:
        return metadata_request(keys)

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[Topic]]:
        reliable = response.version >= _RELIABLE_EPOCHS
        return unique((topic.name, _described(topic, reliable)) for topic in response.topics)


def _described(topic: t.Any, reliable: bool) -> Outcome[Topic]:
    problem = from_code(topic.error_code)
    if problem is not None:
        return Failed(problem)
    epochs = {partition.partition_index: partition.leader_epoch for partition in topic.partitions}
    return Done(
        Topic(
            topic.name,
            frozenset(epochs),
            frozenset(name for code, name in _OPERATIONS.items() if code in (topic.authorized_operations or ())),
            spelt_id(topic.topic_id),
            topic.is_internal or is_internal(topic.name),
            epochs if reliable else {},
        )
    )


def spelt_id(found: t.Any) -> str:
    """Return a topic's id as Kafka spells it, empty for none."""
    if found is None or not found.int:
        return ""
    return base64.urlsafe_b64encode(found.bytes).decode().rstrip("=")


def topic_names(response: t.Any) -> list[str]:
    """Return the names of all topics of an answer, sorted."""
    return sorted(topic.name for topic in response.topics)


def read_leaders(wanted: c.Collection[TopicPartition], response: t.Any) -> dict[TopicPartition, int | KafkaError]:
    """Return the leader of each of these partitions, or why there is none."""
    topics = unique((topic.name, topic) for topic in response.topics)
    found: dict[TopicPartition, int | KafkaError] = {}
    for where in wanted:
        topic = topics[where.topic]
        partitions = {partition.partition_index: partition for partition in topic.partitions}
        problem = from_code(topic.error_code)
        if problem is None and where.partition not in partitions:
            problem = from_code(_UNKNOWN_PARTITION)
        elif problem is None and partitions[where.partition].leader_id < 0:
            problem = from_code(partitions[where.partition].error_code or _NO_LEADER)
        found[where] = problem or partitions[where.partition].leader_id
    return found


_UNKNOWN_PARTITION, _NO_LEADER = 3, 5
