# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lag of groups: of what they have committed, and of what their members read without a commit.

The lag of share groups is reported by the broker: some records after a start offset are already processed.
"""

from __future__ import annotations

import itertools

from .._kafka.errors import KafkaError
from .._kafka.model import Group, Topic, TopicPartition
from .._kafka.session import Session
from . import _find_groups
from ._find_groups import Found, Gathered, GroupLag
from ._read_topics import Log, Logs, Seen, describe_topics


def in_use(found: Found) -> bool:
    """Whether a listed group may have members whose partitions count for its lag."""
    return found.listing.state not in ("Empty", "Dead")


async def measure(session: Session, gathered: Gathered, isolation: int) -> None:
    """Set the lag of each group, whose offsets have been fetched, and which has been described if it is in use."""
    await _find_assigned(session, gathered)
    await _find_groups.logs(session, gathered, isolation)
    for found in gathered.groups.values():
        found.lag = group_lag(found, gathered.logs)


async def _find_assigned(session: Session, gathered: Gathered) -> None:
    """Set which partitions the members of each group read."""
    names = {
        topic
        for found in gathered.groups.values()
        if found.group and found.group.type == "streams"
        for member in found.group.members
        for topic in member.topics or ()
    }
    topics = await describe_topics(session, names)
    for found in gathered.groups.values():
        found.assigned = assigned(found, topics)


def assigned(found: Found, topics: Seen) -> frozenset[TopicPartition] | None:
    """Return the partitions that the members of a group read, None where they cannot be known.

    Args:
        topics: the topics that streams groups read.
    """
    group = found.group
    if group is None:
        return None if in_use(found) else frozenset()
    if not group.members:
        return frozenset()
    if group.state != "Stable" or any(member.topics is None for member in group.members):
        return None
    if group.type == "streams":
        return _whole(group, topics)
    if group.protocol_type in ("consumer", "share"):
        return frozenset(where for member in group.members for where in member.assignment)
    return None


def _whole(group: Group, topics: Seen) -> frozenset[TopicPartition] | None:
    """Return all partitions of what a streams group reads: its members hold tasks, which cover them together."""
    names = frozenset(itertools.chain.from_iterable(member.topics or () for member in group.members))
    found = [topics[name] for name in names]
    if any(isinstance(topic, KafkaError) for topic in found):
        return None
    return frozenset(
        TopicPartition(topic.name, number) for topic in found if isinstance(topic, Topic) for number in topic.partitions
    )


def lag_of(found: Found, where: TopicPartition, logs: Logs) -> int | None:
    """Return how many records a group has to read of a partition that it has an offset on, None if it is unknown."""
    if found.offsets is None:
        return None
    if found.start_offsets is not None:
        return found.start_offsets[where].lag
    log = logs.get(where)
    return None if log is None or isinstance(log, KafkaError) else max(0, log[1] - found.offsets[where].offset)


def group_lag(found: Found, logs: Logs) -> GroupLag:
    """Return the lag of a group, with what is known of it."""
    if found.offsets is None:
        return GroupLag(None, None, None)
    lags = [lag_of(found, where, logs) for where in found.offsets]
    known = [lag for lag in lags if lag is not None]
    # what a share group has a state of it reads, whether it has members or not
    reads = None if found.assigned is None else found.assigned | (found.start_offsets or {}).keys()
    if reads is None:
        return GroupLag(None, sum(known) if known else None, None)
    # the consumer decides where it starts (auto.offset.reset), which is the same place in an empty log
    uncommitted = sum(not _is_empty(logs.get(where)) for where in reads - found.offsets.keys())
    unknown = len(lags) - len(known) + uncommitted
    if unknown:
        return GroupLag(None, sum(known) if known else None, unknown)
    total = sum(known) if known or reads else None
    return GroupLag(total, total, 0)


def _is_empty(log: Log | KafkaError | None) -> bool:
    return log is not None and not isinstance(log, KafkaError) and log[0] == log[1]
