# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a handler of one RPC is, and the outcomes that it gives each key (Java's AdminApiHandler)."""

from __future__ import annotations

import abc
import collections.abc as c
import enum
import typing as t

from ..errors import KafkaError, from_code
from ..model import TopicPartition

K = t.TypeVar("K", bound=c.Hashable)
V = t.TypeVar("V")


class Broker(enum.Enum):
    """Which broker an RPC is for."""

    COORDINATOR = enum.auto()
    LEADER = enum.auto()
    CONTROLLER = enum.auto()
    ANY = enum.auto()


class Done(t.NamedTuple, t.Generic[V]):
    """The key is finished, with this value."""

    value: V


class Failed(t.NamedTuple):
    """The key is finished, with this error."""

    error: KafkaError


class Retry(t.NamedTuple):
    """Ask the same broker again, later."""

    error: KafkaError


class Unmap(t.NamedTuple):
    """Look the broker up again."""

    error: KafkaError


Outcome = Done[V] | Failed | Retry | Unmap  # pylint: disable=unsupported-binary-operation


# of a change, that it may be made: the coordinator appended it, and then waited in vain for its replicas, lost the key
# before they had it, or lost its disk. Kafka 4.0 and newer answer the first alone; the Scala coordinator passes on what
# the log said (storeOffsets)
UNCONFIRMED = ("COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR", "REQUEST_TIMED_OUT", "KAFKA_STORAGE_ERROR")


def coordinator_outcome(code: int, message: str | None = None) -> Failed | Retry | Unmap | None:
    """Return the outcome that Java's Admin and consumer give an error code of a group coordinator, None for 0."""
    problem = from_code(code, message)
    if problem is None:
        return None
    if problem.name == "COORDINATOR_LOAD_IN_PROGRESS":
        return Retry(problem)
    if problem.name in UNCONFIRMED:
        return Unmap(problem)
    return Failed(problem)


class Handler(abc.ABC, t.Generic[K, V]):
    """One RPC: how to ask it about some keys (groups, partitions, topics), and how to read the outcome of each."""

    broker = Broker.COORDINATOR

    def batch_for(self, version: int) -> int:
        """Return how many keys one request of this version may carry."""
        return 1

    @abc.abstractmethod
    def request(self, keys: list[K]) -> t.Any:
        """Return the request about these keys."""

    @abc.abstractmethod
    def outcomes(self, keys: list[K], response: t.Any) -> dict[K, Outcome[V]]:
        """Return the outcome of each key that the response includes."""


def by_topic(partitions: c.Iterable[TopicPartition]) -> dict[str, list[int]]:
    """Return the partitions of each topic, sorted."""
    topics: dict[str, list[int]] = {}
    for topic, partition in sorted(partitions):
        topics.setdefault(topic, []).append(partition)
    return topics


PartitionErrors = dict[TopicPartition, KafkaError | None]  # pylint: disable=unsupported-binary-operation


def partition_errors(asked: c.Iterable[TopicPartition], response: t.Any) -> PartitionErrors:
    """Return the error of each requested partition of a response that contains topics with partitions.

    Raises:
        ValueError: the response does not include one of them, or includes one twice.
    """
    found = unique(
        (TopicPartition(topic.name, partition.partition_index), from_code(partition.error_code))
        for topic in response.topics
        for partition in topic.partitions
    )
    return requested(asked, found)


def unique(pairs: c.Iterable[tuple[K, V]]) -> dict[K, V]:
    """Return the value of each key of a response; raises ValueError if it includes a key twice."""
    found: dict[K, V] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"it includes {key} twice")
        found[key] = value
    return found


def requested(asked: c.Iterable[K], found: dict[K, V]) -> dict[K, V]:
    """Return the value of each requested key; raises ValueError if one is missing."""
    missing = [key for key in asked if key not in found]
    if missing:
        raise ValueError(f"it does not include {missing[0]}")
    return {key: found[key] for key in asked}
