# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Set committed offsets: where to, plan and apply."""

from __future__ import annotations

import collections.abc as c
import functools
import typing as t

from .._errors import KafkaError, error
from .._model import Committed, Group, Offsets, Topic, TopicPartition
from .._results import NONE, SET_OFFSET, Item, counted
from .._rpc.offset_commit import OffsetCommit
from .._session import Session
from ._offset_checks import looked_at_again, partition_problem, planned, settled, topic_problem
from ._offset_request import Request, Reset, Wanted
from ._read import Described

if t.TYPE_CHECKING:
    from .._cluster import Cluster

Target = Committed | KafkaError  # pylint: disable=unsupported-binary-operation
Targets = dict[str, dict[TopicPartition, Target]]


class Log(t.NamedTuple):
    """A partition's log: its start and end offset, and for a reset by time the offset found."""

    start: int
    end: int
    at_time: int | None = None


Logs = dict[TopicPartition, Log | KafkaError]  # pylint: disable=unsupported-binary-operation


def read_logs(request: Request, topics: dict[str, Topic | KafkaError], cluster: Cluster) -> Logs:
    """Read the logs that a reset looks at; nothing for anything else."""
    reset = request.reset
    if reset is None:
        return {}
    partitions = {
        where
        for wanted in request.groups.values()
        for name, chosen in wanted.items()
        for where in _partitions(name, chosen, topics[name])
        if topic_problem(where, topics[name]) is None
    }
    logs: Logs = {
        where: found if isinstance(found, KafkaError) else Log(*found)
        for where, found in cluster.log_offsets(partitions).items()
    }
    if reset.to == "timestamp":
        for where, at_time in cluster.offsets_at(partitions, reset.value).items():
            log = logs[where]
            if isinstance(log, Log):
                logs[where] = at_time if isinstance(at_time, KafkaError) else log._replace(at_time=at_time)
    return logs


def _partitions(name: str, chosen: tuple[int, ...] | None, topic: Topic | KafkaError) -> list[TopicPartition]:
    """Return the chosen partitions of a topic, by default all that it has."""
    if chosen is None:
        chosen = () if isinstance(topic, KafkaError) else tuple(sorted(topic.partitions))
    return [TopicPartition(name, partition) for partition in chosen]


def targets(
    request: Request,
    saved: dict[str, Offsets] | None,
    offsets: dict[str, Offsets | KafkaError],
    topics: dict[str, Topic | KafkaError],
    logs: Logs,
) -> Targets:
    """Return the wanted offset of each partition of each group, or why there is none."""
    known = {name: {} if isinstance(found, KafkaError) else found for name, found in offsets.items()}
    if saved is not None:
        # what is not missing is to stay as it is
        kept = known if request.missing_only else {}
        return {name: {**found, **_among(found, kept.get(name, {}))} for name, found in saved.items()}
    wanted: Targets = {}
    for name, group_topics in request.groups.items():
        current = known[name]
        if request.offsets is not None:
            wanted[name] = {where: _explicit(given, current.get(where)) for where, given in request.offsets.items()}
        elif request.reset is not None:
            wanted[name] = {
                where: _reset_target(request.reset, where, current.get(where), topics[topic], logs)
                for topic, chosen in group_topics.items()
                for where in _partitions(topic, chosen, topics[topic]) or [TopicPartition(topic, 0)]
            }
    return wanted


def _among(places: c.Iterable[TopicPartition], offsets: Offsets) -> Offsets:
    return {where: offsets[where] for where in places if where in offsets}


def _explicit(given: Wanted, current: Committed | None) -> Committed:
    kept = current if current and current.offset == given.offset else Committed(given.offset)
    return Committed(
        given.offset,
        kept.leader_epoch if given.leader_epoch is None else given.leader_epoch,
        kept.metadata if given.metadata is None else given.metadata,
    )


def _reset_target(
    reset: Reset, where: TopicPartition, current: Committed | None, topic: Topic | KafkaError, logs: Logs
) -> Target:
    problem = topic_problem(where, topic)
    if problem is not None:
        return problem
    log = logs[where]
    if isinstance(log, KafkaError):
        return log
    offset = _reset_offset(reset, log, current)
    if isinstance(offset, KafkaError):
        return offset
    return current if current and current.offset == offset else Committed(offset)


def _reset_offset(reset: Reset, log: Log, current: Committed | None) -> int | KafkaError:
    """Return where a reset leads, clamped to the log."""
    if reset.to == "shift" and current is None:
        return error(
            "INVALID_REQUEST", "it has no committed offset to shift: reset it to earliest, latest or an offset"
        )
    wanted = {
        "earliest": log.start,
        "latest": log.end,
        "offset": reset.value,
        "shift": reset.value + (current.offset if current else 0),
        "timestamp": log.end if log.at_time is None or log.at_time < 0 else log.at_time,
    }[reset.to]
    return min(max(wanted, log.start), log.end)


def plan(
    wanted: Targets,
    groups: dict[str, Described],
    absent: dict[str, frozenset[str] | KafkaError | None],
    offsets: dict[str, Offsets | KafkaError],
    topics: dict[str, Topic | KafkaError],
) -> list[Item]:
    """Return what to do with each partition; `absent` tells what one may do with the groups that do not exist."""
    items: list[Item] = []
    for name, group_targets in wanted.items():
        group, found = groups[name], offsets[name]
        operations = absent.get(name) if group is None else None
        refusal = operations if isinstance(operations, KafkaError) else _group_problem(name, group, operations, found)
        for where, target in group_targets.items():
            before = None if isinstance(found, KafkaError) else found.get(where)
            item = Item(name, SET_OFFSET, where.topic, where.partition, before=before)
            problem = refusal or topic_problem(where, topics[where.topic])
            if isinstance(target, KafkaError):
                items.append(item.failed(problem or target))
            elif target == before and isinstance(group, Group):
                items.append(item._replace(action=NONE, after=before))
            elif problem is not None:
                items.append(item.failed(problem))
            else:
                items.append(item._replace(after=target, creates_group=group is None))
    return items


def _group_problem(
    name: str, group: Described, operations: frozenset[str] | None, found: Offsets | KafkaError
) -> KafkaError | None:
    """Return why no offset of the group can be set, None if it can."""
    if isinstance(group, KafkaError):
        return group
    if group is not None and group.type == "share":
        words = "it is a share group, which commits no offsets: kafka-share-groups.sh --reset-offsets sets its start"
        return error("INVALID_REQUEST", words)
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


async def apply(session: Session, items: c.Sequence[Item], backed_up: bool) -> list[Item]:
    """Commit the planned offsets; return the items with what became of them.

    Args:
        backed_up: whether the offsets before are in a back-up: what was committed since is kept.
    """
    if backed_up:
        items = await looked_at_again(session, items, from_plan=False)
    changes = planned(items)
    wanted: dict[str, Offsets] = {
        name: {item.where: item.after for item in chosen if isinstance(item.after, Committed)}
        for name, chosen in changes.items()
    }
    settle = functools.partial(settled, session, changes)
    answers = await session.driver.change(OffsetCommit(wanted), wanted, settle)
    return [_outcome(item, partition_problem(item, answers[item.group])) if item.changed else item for item in items]


def _outcome(item: Item, problem: KafkaError | None) -> Item:
    if problem is None:
        return item
    if problem.name == "UNKNOWN_MEMBER_ID":
        words = "a consumer joined the group while its offsets were being set: stop its instances first"
        return item.failed(error("NON_EMPTY_GROUP", words))
    if problem.name == "OFFSET_METADATA_TOO_LARGE":
        words = "the metadata is longer than the brokers' offset.metadata.max.bytes"
        return item.failed(error(problem.name, words))
    return item.failed(problem)
