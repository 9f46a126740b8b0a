# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What to do with the start offsets of share groups: delete them, or set them to given, saved or log offsets."""

from __future__ import annotations

import typing as t

from .._kafka.errors import KafkaError, error
from .._kafka.model import ShareOffset, TopicPartition
from ._offset_request import Reset, Topics
from ._partition_errors import OffsetItem, hidden_topic, topic_problem
from ._read_groups import Described, StartOffsets
from ._read_topics import Seen
from ._reset import Log, Logs, partitions_of, reset_offset
from ._saved_offsets import Saved
from ._share_request import Request
from .results import DELETE_OFFSET, SET_OFFSET, Item, OffsetTarget, counted


class View(t.NamedTuple):
    """What was read of the groups.

    Attributes:
        operations: what one may do with each group that does not exist; None where the broker does not say.
        logs: of the partitions to set; read after the start offsets, see `is_unread`.
        chosen: the topics of each group to delete or reset.
        saved: the offsets to restore, if the task restores a back-up.
    """

    groups: dict[str, Described]
    operations: dict[str, frozenset[str] | KafkaError | None]
    found: dict[str, StartOffsets]
    topics: Seen
    logs: Logs
    chosen: dict[str, Topics]
    saved: Saved | None = None


def wanted_partitions(request: Request, view: View, name: str, topics: Seen) -> list[TopicPartition]:
    """Return the partitions of a group to set; those of a whole topic only if its partitions are known."""
    if view.saved is not None:
        return list(view.saved.groups[name])
    if request.offsets is not None:
        return list(request.offsets)
    return [
        where for topic, chosen in view.chosen[name].items() for where in partitions_of(topic, chosen, topics[topic])
    ]


def plan_deletion(request: Request, view: View) -> list[OffsetItem]:
    """Return what to do with each partition that a group has a start offset on, or is about to."""
    return [
        item
        for name, topics in view.chosen.items()
        for topic in topics
        for item in _plan_topic(request, view, name, topic)
    ]


def _plan_topic(request: Request, view: View, group: str, name: str) -> list[OffsetItem]:
    refusal = _group_problem(request, view, group)
    problem = refusal or (None if view.groups[group] is None else hidden_topic(name, view.topics[name]))
    if problem is not None:
        return [Item.refused(OffsetTarget(group, name), DELETE_OFFSET, problem)]
    found = view.found[group]
    at = {} if isinstance(found, KafkaError) else {where: one for where, one in found.items() if where.topic == name}
    if not at:
        return [Item.unchanged(OffsetTarget(group, name))]
    items = [Item.planned(OffsetTarget(group, *where), DELETE_OFFSET, one) for where, one in sorted(at.items())]
    # brokers delete the start offsets of the whole topic, or of none
    wrong = next(filter(None, (topic_problem(where, view.topics[name]) for where in at)), None)
    return items if wrong is None else [item.failed(wrong) for item in items]


def plan_setting(request: Request, view: View) -> list[OffsetItem]:
    """Return what to do with each partition."""
    items = []
    for name in view.groups:
        refusal = _group_problem(request, view, name)
        partitions = wanted_partitions(request, view, name, view.topics)
        items += [_plan_partition(request, view, OffsetTarget(name, *where), refusal) for where in partitions]
        for topic, chosen in view.chosen.get(name, {}).items():
            seen = view.topics[topic]
            if chosen is None and isinstance(seen, KafkaError):
                problem = refusal or topic_problem(TopicPartition(topic, 0), seen) or seen
                items.append(Item.refused(OffsetTarget(name, topic), SET_OFFSET, problem))
        if request.chosen_topics is not None and refusal is not None and not view.chosen[name]:
            items.append(Item.refused(OffsetTarget(name), SET_OFFSET, refusal))
    return items


def _plan_partition(request: Request, view: View, target: OffsetTarget, refusal: KafkaError | None) -> OffsetItem:
    found, where = view.found[target.group], target.where
    before = None if isinstance(found, KafkaError) else found.get(where)
    item = Item.planned(target, SET_OFFSET, before)
    problem = refusal or topic_problem(where, view.topics[where.topic])
    if problem is not None:
        return item.failed(problem)
    if view.saved is not None and view.saved.missing_only and before is not None and before.offset is not None:
        return Item.unchanged(target, before)
    log = view.logs[where]
    offset = log if isinstance(log, KafkaError) else _offset_for(request, view, target, log)
    if isinstance(log, KafkaError) or isinstance(offset, KafkaError):
        return item.failed(t.cast(KafkaError, offset))
    if before is not None and before.offset == offset and is_unread(before, log):
        return Item.unchanged(target, before)
    after = ShareOffset(offset, lag=max(0, log.end - offset))
    return item._replace(after=after, creates_group=view.groups[target.group] is None)


def _offset_for(request: Request, view: View, target: OffsetTarget, log: Log) -> int | KafkaError:
    where = target.where
    if view.saved is not None:
        wanted = view.saved.target(where, view.saved.groups[target.group][where], view.topics[where.topic], view.logs)
        return wanted if isinstance(wanted, KafkaError) else wanted.offset
    if request.offsets is not None:
        return request.offsets[where]
    return reset_offset(t.cast(Reset, request.reset), log)


def is_unread(at: ShareOffset, log: Log) -> bool:
    """Whether a group is known to be done with no record after its start offset.

    A start offset stays where it is until the broker writes a snapshot, even if all records after it are acknowledged:
    only the lag shows that. The log is read after the lag, so that it can only be longer.
    """
    return at.offset is not None and (at.offset >= log.end or at.lag == log.end - at.offset)


def _group_problem(request: Request, view: View, name: str) -> KafkaError | None:
    """Return why nothing of the group can be changed, None if it can."""
    group, found = view.groups[name], view.found[name]
    if isinstance(group, KafkaError):
        return group
    if group is not None and group.type != "share":
        words = f"it is a {group.kind}, and no share group: use consumer_group_offsets"
        return error("GROUP_ID_NOT_FOUND", words)
    if isinstance(found, KafkaError):
        return found
    operations = view.operations.get(name) if group is None else group.operations
    if isinstance(operations, KafkaError):
        return operations
    if operations is not None and request.needed not in operations:
        action = "deleting" if request.state == "absent" else "setting"
        return error("GROUP_AUTHORIZATION_FAILED", f"{action} offsets needs {request.needed} on group '{name}'")
    if group is not None and group.state != "Empty":
        words = (
            f"it is a {group.kind} in state {group.state} with {counted(len(group.members), 'member')}: stop its "
            "consumers first"
        )
        return error("NON_EMPTY_GROUP", words)
    return None
