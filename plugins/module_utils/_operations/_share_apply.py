# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Carry out the changes of start offsets, and read the outcome of those whose answer was lost."""

from __future__ import annotations

import typing as t

from .._kafka.errors import KafkaError, error
from .._kafka.model import ShareOffset, ShareOffsets, TopicPartition
from .._kafka.rpc.handler import Handler, PartitionErrors
from .._kafka.session import Session
from ._partition_errors import OffsetItem, partition_problem
from ._precondition import CONFLICT, Precondition, changes_by_group
from ._read_groups import StartOffsets, read_start_offsets
from ._reset import Log, Logs, target_logs
from ._share_plan import is_unread
from ._share_request import Request
from .results import DELETE_OFFSET

_JOINED = "a consumer joined the group while the task ran: stop its consumers first"
_USED_MEANWHILE = (
    "it was used since the request was sent, because its start offset has changed: stop its consumers and run the task "
    "again"
)


async def apply(
    request: Request, session: Session, items: list[OffsetItem], precondition: Precondition
) -> list[OffsetItem]:
    """Carry out the plan; return the items with their outcomes. A group that was used since it was read is kept."""
    conflicts = await precondition.check(session, list(changes_by_group(items)))
    items = [
        precondition.on_conflict(item, conflicts[item.target.group])
        if item.changed and item.target.group in conflicts
        else item
        for item in items
    ]
    changes = changes_by_group(items)
    if not changes:
        return items

    async def verify(names: list[str]) -> dict[str, PartitionErrors | KafkaError | None]:
        found = await read_start_offsets(session, names)
        places = {item.target.where for name in names for item in changes[name] if item.after is not None}
        logs = await target_logs(session, places)
        return {name: lost_outcome(found[name], logs, changes[name]) for name in names}

    answers, resent = await session.driver.change(_handler(request, changes), changes, verify)
    return [
        _outcome(item, partition_problem(item, answers[item.target.group]), item.target.group in resent)
        if item.changed
        else item
        for item in items
    ]


def _handler(request: Request, changes: dict[str, list[OffsetItem]]) -> Handler[str, PartitionErrors]:
    # not above: tasks that change nothing need neither
    from .._kafka.rpc.alter_share_group_offsets import AlterShareGroupOffsets
    from .._kafka.rpc.delete_share_group_offsets import DeleteShareGroupOffsets

    if request.state == "absent":
        return DeleteShareGroupOffsets({name: [item.target.where for item in each] for name, each in changes.items()})
    return AlterShareGroupOffsets({name: _start_offsets(each) for name, each in changes.items()})


def _start_offsets(items: list[OffsetItem]) -> dict[TopicPartition, int]:
    offsets = {item.target.where: item.after.offset for item in items if isinstance(item.after, ShareOffset)}
    return t.cast("dict[TopicPartition, int]", offsets)


def lost_outcome(found: StartOffsets, logs: Logs, changes: list[OffsetItem]) -> PartitionErrors | KafkaError | None:
    """Return the outcome of changes without a response, as the driver's C(Verify) defines it."""
    if isinstance(found, KafkaError):
        return found
    pending = {item.target.where: item for item in changes if not _is_made(item, found, logs)}
    if pending and all(_offset(found.get(where)) in (None, _offset(item.before)) for where, item in pending.items()):
        return None
    used = error(CONFLICT, _USED_MEANWHILE)
    return {item.target.where: used if item.target.where in pending else None for item in changes}


def _is_made(item: OffsetItem, found: ShareOffsets, logs: Logs) -> bool:
    where = item.target.where
    if not isinstance(item.after, ShareOffset):
        return where not in found
    at, log = found.get(where), logs[where]
    return at is not None and at.offset == item.after.offset and isinstance(log, Log) and is_unread(at, log)


def _offset(state: t.Any) -> int | None:
    return state.offset if isinstance(state, ShareOffset) else None


def _outcome(item: OffsetItem, problem: KafkaError | None, resent: bool) -> OffsetItem:
    if problem is None:
        return item
    if problem.name == "NON_EMPTY_GROUP":
        return item.failed(error(problem.name, _JOINED))
    if item.action == DELETE_OFFSET and problem.name in ("UNKNOWN_TOPIC_OR_PARTITION", "GROUP_ID_NOT_FOUND"):
        # deleted by the first of two requests, or by another client since it was read
        return item if resent else item.unneeded()
    return item.failed(problem)
