# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Set committed offsets: where to, plan and apply."""

from __future__ import annotations

import collections.abc as c
import functools

from .._kafka.errors import KafkaError, error
from .._kafka.model import NO_EPOCH, Committed, Group, Offsets, Topic, TopicPartition
from .._kafka.rpc.offset_commit import OffsetCommit
from .._kafka.session import Session
from ._offset_request import Request, Reset, Wanted
from ._partition_errors import SHARE_GROUP, OffsetItem, partition_problem, read_outcomes, topic_problem, used_since
from ._precondition import Precondition, changes_by_group
from ._read_groups import Described
from ._read_topics import Seen
from ._reset import Logs, clamped, offset_at_time, partitions_of, reset_offset, reset_times, target_logs
from ._saved_offsets import Saved, Target
from .results import SET_OFFSET, Item, OffsetTarget, counted

Targets = dict[str, dict[TopicPartition, Target]]


async def needed_logs(session: Session, request: Request, saved: Saved | None, topics: Seen) -> Logs:
    """Read the logs that offsets are clamped to or compared with: of resets, of recreated and renamed topics."""
    if saved is not None:
        partitions = set(saved.compared_partitions(topics))
        timestamps = saved.known_timestamps
    elif request.offsets is not None:
        timestamps = {where: given.timestamp for where, given in request.offsets.items() if given.timestamp is not None}
        partitions = {where for where in timestamps if topic_problem(where, topics[where.topic]) is None}
    else:
        partitions = set(_reset_partitions(request, topics))
        timestamps = reset_times(request.reset, partitions)
    return await target_logs(
        session, partitions, {where: timestamps[where] for where in partitions & timestamps.keys()}
    )


def _reset_partitions(request: Request, topics: Seen) -> c.Iterator[TopicPartition]:
    for wanted in request.groups.values() if request.reset is not None else ():
        for name, chosen in wanted.items():
            for where in partitions_of(name, chosen, topics[name]):
                if topic_problem(where, topics[name]) is None:
                    yield where


def targets(
    request: Request, saved: Saved | None, offsets: dict[str, Offsets | KafkaError], topics: Seen, logs: Logs
) -> Targets:
    """Return the wanted offset of each partition of each group, or why there is none."""
    known = {name: {} if isinstance(found, KafkaError) else found for name, found in offsets.items()}
    wanted: Targets = {}
    for name, current in known.items():
        if saved is not None:
            wanted[name] = {
                where: saved.target(where, committed, topics[where.topic], logs)
                for where, committed in saved.groups[name].items()
            }
        elif request.offsets is not None:
            wanted[name] = {
                where: _explicit(given, current.get(where))
                if given.timestamp is None
                else _explicit_time(given, where, current.get(where), topics[where.topic], logs)
                for where, given in request.offsets.items()
            }
        elif request.reset is not None:
            wanted[name] = {
                where: _reset_target(request.reset, where, current.get(where), topics[topic], logs)
                for topic, chosen in request.groups[name].items()
                for where in partitions_of(topic, chosen, topics[topic])
            }
        if saved is not None and saved.bare:
            wanted[name] = {where: _kept(target, current.get(where)) for where, target in wanted[name].items()}
        wanted[name] = {where: _with_epoch(target, where, topics) for where, target in wanted[name].items()}
        if saved is not None and saved.missing_only:
            # what is not missing stays as it is
            wanted[name].update((where, current[where]) for where in wanted[name] if where in current)
    return wanted


def _kept(target: Target, current: Committed | None) -> Target:
    """Return the target; with the metadata and leader epoch of what is committed if the offset is equal."""
    return current if current and isinstance(target, Committed) and current.offset == target.offset else target


def _with_epoch(target: Target, where: TopicPartition, topics: Seen) -> Target:
    """Return the target; without its leader epoch unless the partition has reached it.

    A Java consumer waits until a partition's leader has the epoch that it finds committed (KIP-320): for ever, if the
    epoch is of an earlier topic of the name, or of another cluster.
    """
    topic = topics[where.topic]
    if isinstance(target, KafkaError) or isinstance(topic, KafkaError):
        return target
    current = topic.leader_epochs.get(where.partition, NO_EPOCH)
    return target if target.leader_epoch <= current else target._replace(leader_epoch=NO_EPOCH)


def _explicit(given: Wanted, current: Committed | None) -> Committed:
    kept = current if current and current.offset == given.offset else Committed(given.offset)
    return Committed(
        given.offset,
        kept.leader_epoch if given.leader_epoch is None else given.leader_epoch,
        kept.metadata if given.metadata is None else given.metadata,
    )


def _explicit_time(
    given: Wanted, where: TopicPartition, current: Committed | None, topic: Topic | KafkaError, logs: Logs
) -> Target:
    problem = topic_problem(where, topic)
    if problem is not None:
        return problem
    log = logs[where]
    if isinstance(log, KafkaError):
        return log
    return _explicit(given._replace(offset=clamped(offset_at_time(log), log)), current)


def _reset_target(
    reset: Reset, where: TopicPartition, current: Committed | None, topic: Topic | KafkaError, logs: Logs
) -> Target:
    problem = topic_problem(where, topic)
    if problem is not None:
        return problem
    log = logs[where]
    if isinstance(log, KafkaError):
        return log
    offset = reset_offset(reset, log, current.offset if current else None)
    if isinstance(offset, KafkaError):
        return offset
    return current if current and current.offset == offset else Committed(offset)


def plan(
    wanted: Targets,
    groups: dict[str, Described],
    absent: dict[str, frozenset[str] | KafkaError | None],
    offsets: dict[str, Offsets | KafkaError],
    topics: Seen,
    unknown: dict[str, list[str | None]],
) -> list[OffsetItem]:
    """Return what to do with each partition.

    Args:
        absent: what one may do with the groups that do not exist.
        unknown: the topics of each group whose partitions are unknown, see `unknown_topics`.
    """
    items: list[OffsetItem] = []
    for name, group_targets in wanted.items():
        group, found = groups[name], offsets[name]
        operations = absent.get(name) if group is None else None
        refusal = operations if isinstance(operations, KafkaError) else _group_problem(name, group, operations, found)
        for where, target in group_targets.items():
            before = None if isinstance(found, KafkaError) else found.get(where)
            place = OffsetTarget(name, *where)
            problem = refusal or topic_problem(where, topics[where.topic])
            if isinstance(target, KafkaError):
                items.append(Item.planned(place, SET_OFFSET, before).failed(problem or target))
            elif target == before and isinstance(group, Group):
                items.append(Item.unchanged(place, before))
            elif problem is not None:
                items.append(Item.planned(place, SET_OFFSET, before).failed(problem))
            else:
                items.append(Item.planned(place, SET_OFFSET, before, target, creates_group=group is None))
        for topic in unknown.get(name, ()):
            problem = refusal or (topic_problem(TopicPartition(topic, 0), topics[topic]) if topic else None)
            if problem is not None:
                items.append(Item.refused(OffsetTarget(name, topic), SET_OFFSET, problem))
    return items


def unknown_topics(request: Request, topics: Seen) -> dict[str, list[str | None]]:
    """Return the topics of each group to reset whose partitions are unknown; None for all topics of the group."""
    if request.reset is None:
        return {}
    if request.committed_topics is not None:
        return {name: [None] for name, wanted in request.groups.items() if not wanted}
    return {
        name: [topic for topic, chosen in wanted.items() if chosen is None and isinstance(topics[topic], KafkaError)]
        for name, wanted in request.groups.items()
    }


def _group_problem(
    name: str, group: Described, operations: frozenset[str] | None, found: Offsets | KafkaError
) -> KafkaError | None:
    """Return why no offset of the group can be set, None if it can."""
    if isinstance(group, KafkaError):
        return group
    if group is not None and group.type == "share":
        return error("INVALID_REQUEST", SHARE_GROUP)
    if isinstance(found, KafkaError):
        return found
    if group is not None:
        operations = group.operations
    if operations is not None and "READ" not in operations:
        return error("GROUP_AUTHORIZATION_FAILED", f"setting offsets needs READ on group '{name}'")
    if group is None:
        return None
    if group.state != "Empty":
        words = (
            f"it is a {group.kind} in state {group.state} with {counted(len(group.members), 'member')}, "
            "which would commit over it: stop its consumers first, or remove them with consumer_group_members"
        )
        return error("NON_EMPTY_GROUP", words)
    return None


async def apply(session: Session, items: list[OffsetItem], precondition: Precondition) -> list[OffsetItem]:
    """Commit the planned offsets; return the items with their outcomes. Offsets committed since are kept."""
    items = await precondition.check_offsets(session, items)
    changes = changes_by_group(items)
    wanted: dict[str, Offsets] = {
        name: {item.target.where: item.after for item in chosen if isinstance(item.after, Committed)}
        for name, chosen in changes.items()
    }
    verify = functools.partial(read_outcomes, session, changes)
    check = used_since(session, changes, precondition)
    answers, _resent = await session.driver.change(OffsetCommit(wanted), wanted, verify, check)
    return [
        _after_commit(item, partition_problem(item, answers[item.target.group])) if item.changed else item
        for item in items
    ]


def _after_commit(item: OffsetItem, problem: KafkaError | None) -> OffsetItem:
    if problem is None:
        return item
    if problem.name == "UNKNOWN_MEMBER_ID":
        words = "a consumer joined the group while its offsets were being set: stop its instances first"
        return item.failed(error("NON_EMPTY_GROUP", words))
    if problem.name == "OFFSET_METADATA_TOO_LARGE":
        words = "the metadata is longer than the brokers' offset.metadata.max.bytes"
        return item.failed(error(problem.name, words))
    return item.failed(problem)
