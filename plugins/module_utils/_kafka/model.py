# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Value types: what is known of a group, its members and its committed offsets."""

from __future__ import annotations

import collections.abc as c
import re
import types
import typing as t

# what the broker's RE2 matches in linear time and Python's re perhaps never, and what the two read differently
_FOREIGN = re.compile(r"\)[*+{]|\[\[:|\[:")
_REPEATED = re.compile(r"[*+{]")
_MOST_REPEATED = 3
OFFSETS_TOPIC = "__consumer_offsets"
# Kafka's own topics, whatever a broker's release calls internal
_INTERNAL = (
    OFFSETS_TOPIC,
    "__transaction_state",
    "__share_group_state",
    "__cluster_metadata",
    # of tiered storage, which brokers do not flag as internal
    "__remote_log_metadata",
)


class TopicPartition(t.NamedTuple):
    """One partition of a topic."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


#: the leader epoch of an offset that was committed without one
NO_EPOCH = -1


class Committed(t.NamedTuple):
    """A committed offset; `leader_epoch` is -1 where the committer gave none."""

    offset: int
    leader_epoch: int = NO_EPOCH
    metadata: str = ""

    def as_result(self) -> dict[str, t.Any]:
        """Return the RETURN shape of C(before) and C(after)."""
        return {"offset": self.offset, "leader_epoch": self.leader_epoch, "metadata": self.metadata}


Offsets = dict[TopicPartition, Committed]


class ShareOffset(t.NamedTuple):
    """The state that a share group has of a partition.

    Attributes:
        offset: where the records start that it has not done with; None before its first fetch, and if it is unknown.
        lag: the records that it has not done with, as the broker counts them; None if unknown.
    """

    offset: int | None
    leader_epoch: int = NO_EPOCH
    lag: int | None = None

    def as_result(self) -> dict[str, t.Any]:
        """Return the RETURN shape of C(before) and C(after)."""
        return {"offset": self.offset, "lag": self.lag}


ShareOffsets = dict[TopicPartition, ShareOffset]


class Task(t.NamedTuple):
    """A task of a member of a streams group (KIP-1071); its `role` is active, standby or warmup."""

    role: str
    subtopology_id: str
    partition: int


class Member(t.NamedTuple):
    """A member of a group; `topics` is None where its subscription cannot be known."""

    member_id: str
    group_instance_id: str | None
    client_id: str
    host: str
    topics: tuple[str, ...] | None
    assignment: tuple[TopicPartition, ...] = ()
    topic_regex: str | None = None
    tasks: tuple[Task, ...] = ()

    def __str__(self) -> str:
        instance = f"instance {self.group_instance_id}, " if self.group_instance_id else ""
        return f"{self.client_id} on {self.host} ({instance}member id {self.member_id})"

    def subscribes(self, topic: str) -> bool | None:
        """Whether the member subscribes to the topic; None where its subscription cannot be known."""
        if self.topics is None:
            return None
        if topic in self.topics or any(owned.topic == topic for owned in self.assignment):
            return True
        if not self.topic_regex:
            return False
        pattern = topic_pattern(self.topic_regex)
        return None if pattern is None else pattern.fullmatch(topic) is not None


def topic_pattern(regex: str) -> re.Pattern[str] | None:
    """Return a regular expression for topics (KIP-848), None if Python may read it differently than the broker does."""
    if _FOREIGN.search(regex) or len(_REPEATED.findall(regex)) > _MOST_REPEATED:
        return None
    try:
        return re.compile(regex)
    except re.error:
        # the broker's RE2 knows expressions that Python's re does not
        return None


class Subtopology(t.NamedTuple):
    """A part of a topology, with the names of its topics, sorted."""

    subtopology_id: str
    source_topics: tuple[str, ...]
    repartition_source_topics: tuple[str, ...]
    repartition_sink_topics: tuple[str, ...]
    state_changelog_topics: tuple[str, ...]


class Topology(t.NamedTuple):
    """What the members of a streams group process (KIP-1071)."""

    epoch: int
    subtopologies: tuple[Subtopology, ...]

    @property
    def internal_topics(self) -> tuple[str, ...]:
        """The topics that the group made for itself; a source topic may serve as a changelog, and is none."""
        sources = {topic for sub in self.subtopologies for topic in sub.source_topics}
        made = {
            topic
            for sub in self.subtopologies
            for topic in (*sub.repartition_source_topics, *sub.repartition_sink_topics, *sub.state_changelog_topics)
        }
        return tuple(sorted(made - sources))

    @property
    def read_topics(self) -> tuple[str, ...]:
        """The topics that the members read."""
        return tuple(
            sorted({topic for sub in self.subtopologies for topic in sub.source_topics + sub.repartition_source_topics})
        )

    def as_result(self) -> dict[str, t.Any]:
        """Return the RETURN shape."""
        return {
            "epoch": self.epoch,
            "internal_topics": list(self.internal_topics),
            "subtopologies": [
                {name: list(value) if isinstance(value, tuple) else value for name, value in sub._asdict().items()}
                for sub in self.subtopologies
            ],
        }


class Group(t.NamedTuple):
    """A group as its coordinator describes it.

    Attributes:
        type: classic, consumer, share or streams.
        protocol_type: C(consumer), C(connect) and the like; empty for a simple group, which only commits.
        operations: what the caller may do with the group (READ, DESCRIBE, DELETE); None where the broker does not say.
        removable: whether its coordinator knows how to remove members of such a group on behalf of others.
        topology: of a streams group; None for other groups, and if the group has none yet.
    """

    name: str
    type: str
    protocol_type: str
    state: str
    assignor: str = ""
    members: tuple[Member, ...] = ()
    operations: frozenset[str] | None = None
    removable: bool = True
    topology: Topology | None = None

    @property
    def kind(self) -> str:
        """The group's type in words."""
        if self.type == "classic":
            if not self.protocol_type:
                return "simple group (it only commits)"
            if self.protocol_type != "consumer":
                return f"classic group of protocol type {self.protocol_type}"
            return "classic consumer group"
        return {"consumer": "consumer group (KIP-848)"}.get(self.type, f"{self.type} group")

    def may(self, operation: str) -> bool:
        """Whether the caller may do the operation, as far as the broker says."""
        return self.operations is None or operation in self.operations

    def subscribes(self, topic: str) -> bool | None:
        """Whether the group subscribes to the topic; None where that cannot be known."""
        answers = {member.subscribes(topic) for member in self.members}
        if True in answers:
            return True
        return None if None in answers else False


class OpenTransaction(t.NamedTuple):
    """A transaction that a partition waits for (KIP-664).

    Attributes:
        start_offset: of its first record in the partition.
        last_timestamp: of its last record there, in ms since the epoch.
        transactional_id, state: as its coordinator knows it; None where that is hidden or gone. A
            transaction is hanging if it is not ongoing there.
    """

    producer_id: int
    producer_epoch: int
    start_offset: int
    last_timestamp: int
    transactional_id: str | None = None
    state: str | None = None

    def __str__(self) -> str:
        name = "" if self.transactional_id is None else f", transactional id '{self.transactional_id}' ({self.state})"
        return f"producer id {self.producer_id}{name}, start offset {self.start_offset}"


class GroupSnapshot(t.NamedTuple):
    """One group of a back-up: its name, type and state at the time, and its committed or start offsets."""

    name: str
    type: str
    state: str
    offsets: Offsets


class Listing(t.NamedTuple):
    """A group as ListGroups shows it; `type` and `state` are None where the broker is too old to say."""

    name: str
    type: str | None
    protocol_type: str
    state: str | None
    coordinator: int


class Topic(t.NamedTuple):
    """A topic.

    Attributes:
        operations: what the caller may do with it (READ and the like).
        id: as Kafka spells it; empty where the broker is older than 2.8.
        internal: whether it is Kafka's own, and no application's.
        leader_epochs: the current leader epoch of each partition; none if the broker does not return them.
    """

    name: str
    partitions: frozenset[int]
    operations: frozenset[str]
    id: str = ""
    internal: bool = False
    leader_epochs: c.Mapping[int, int] = types.MappingProxyType({})

    def as_result(self) -> dict[str, t.Any]:
        """Return the RETURN shape: C(id), C(partitions) (how many)."""
        return {"id": self.id or None, "partitions": len(self.partitions)}


def offsets_partition(group: str, partitions: int) -> TopicPartition:
    """Return the partition of the offsets topic that holds a group, out of so many (Java's String#hashCode)."""
    code = 0
    units = group.encode("utf-16-be")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (code * 31 + high * 256 + low) & 0xFFFFFFFF
    signed = code - (1 << 32) if code >> 31 else code
    # Math.abs has no value for the smallest number, and Kafka takes 0
    return TopicPartition(OFFSETS_TOPIC, 0 if signed == -(1 << 31) else abs(signed) % partitions)


def is_internal(name: str) -> bool:
    """Whether a topic of this name is Kafka's own."""
    return name in _INTERNAL


class Setting(t.NamedTuple):
    """A setting of a group: its value, and whether the group overrides the default of the brokers (KIP-848)."""

    value: str
    overridden: bool = True

    def as_result(self) -> dict[str, t.Any]:
        """Return the RETURN shape."""
        return {"value": self.value}
