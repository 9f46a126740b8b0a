# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Delete or set the start offsets of a share group (KIP-932): read, plan, apply."""

from __future__ import annotations

import typing as t

from .. import _input as inputs
from .._errors import InvalidOption
from .._kafka.errors import KafkaError, error
from .._kafka.model import ShareOffset, ShareOffsets, TopicPartition
from .._kafka.rpc.handler import Handler, PartitionErrors
from .._kafka.session import Session
from ._names import group_name
from ._offset_request import Reset, Topics, offsets_of, reset_of, topics_of
from ._partition_errors import OffsetItem, hidden_topic, missing_topics, partition_problem, topic_problem
from ._precondition import CONFLICT
from ._read_groups import Described, StartOffsets, absent_group_operations, describe, read_start_offsets
from ._read_topics import Seen, describe_topics
from ._reset import Log, Logs, partitions_of, reset_offset, target_logs
from ._safeguards import limit
from .results import DELETE_OFFSET, SET_OFFSET, Item, OffsetTarget, Report, counted

_SOURCES = ("offsets", "reset")
_JOINED = "a consumer joined the group while the task ran: stop its consumers first"
_USED_MEANWHILE = (
    "it was used since the request was sent, because its start offset has changed: stop its consumers and run the task "
    "again"
)
_UNSUPPORTED = (
    "the broker does not support start offsets of share groups: upgrade the cluster to Kafka 4.2 or newer, and enable "
    "the feature share.version"
)


class Request(t.NamedTuple):
    """The task: the state of which topics to delete, or which start offsets to set."""

    group: str
    state: str
    topics: Topics
    offsets: dict[TopicPartition, int] | None
    reset: Reset | None
    max_changes: int | None


class View(t.NamedTuple):
    """What was read of a group.

    Attributes:
        operations: what one may do with a group that does not exist; None where the broker does not say.
        logs: of the partitions to set; read after the start offsets, see `_is_unread`.
    """

    group: Described
    operations: frozenset[str] | KafkaError | None
    found: StartOffsets
    topics: Seen
    logs: Logs


def parse(params: dict[str, t.Any]) -> Request:
    """Return what C(share_group_offsets) asks for; raises TaskError where an option cannot be."""
    topics = topics_of(params["topics"], "topics")
    if params["state"] == "absent":
        _check_absent(params, topics)
    elif params["offsets"] is None and params["reset"] is None:
        raise InvalidOption("state present needs one of offsets and reset.")
    given = None if params["offsets"] is None else offsets_of(params["offsets"])
    return Request(
        group_name(params["group"], "group"),
        params["state"],
        topics,
        None if given is None else {where: wanted.offset for where, wanted in given.items()},
        None if params["reset"] is None else reset_of(params["reset"]),
        inputs.optional_natural(params["max_changes"], "max_changes"),
    )


def _check_absent(params: dict[str, t.Any], topics: Topics) -> None:
    for option in _SOURCES:
        if params[option] is not None:
            raise InvalidOption(f"{option} requires state present.")
    if not topics:
        raise InvalidOption("state absent needs topics: set the topics to delete the start offsets of.")
    for index, partitions in enumerate(topics.values()):
        if partitions is not None:
            raise InvalidOption(
                f"topics[{index}].partitions: Kafka deletes the start offsets of whole topics only: omit partitions."
            )


async def change_share_offsets(request: Request, session: Session) -> Report:
    """Delete or set start offsets as C(share_group_offsets) asks."""
    view = await read(request, session)
    if request.state == "absent":
        session.warnings += missing_topics(view.topics)
        items = limit(plan_deletion(request, view), [DELETE_OFFSET], request.max_changes)
    else:
        items = limit(plan_setting(request, view), [SET_OFFSET], request.max_changes)
    if not session.check_mode:
        items = await apply(request, session, items)
    return Report(items)


async def read(request: Request, session: Session) -> View:
    """Read the group, its start offsets, and the topics and logs that the request needs."""
    name = request.group
    # answered while the group is read
    asked = session.wire.start(describe_topics(session, _named_topics(request)))
    group = (await describe(session, [name], _needed(request)))[name]
    found = (await read_start_offsets(session, [name]))[name]
    topics = await asked
    if request.state == "absent":
        return View(group, None, found, topics, {})
    operations = None if group is not None else (await absent_group_operations(session, [name]))[name]
    partitions = [where for where in _wanted(request, topics) if topic_problem(where, topics[where.topic]) is None]
    return View(group, operations, found, topics, await target_logs(session, partitions, request.reset))


def _named_topics(request: Request) -> set[str]:
    return {*request.topics, *(where.topic for where in request.offsets or ())}


def _needed(request: Request) -> str:
    return "DELETE" if request.state == "absent" else "READ"


def _wanted(request: Request, topics: Seen) -> list[TopicPartition]:
    """Return the partitions to set; those of a whole topic only if its partitions are known."""
    if request.offsets is not None:
        return list(request.offsets)
    return [where for name, chosen in request.topics.items() for where in partitions_of(name, chosen, topics[name])]


def plan_deletion(request: Request, view: View) -> list[OffsetItem]:
    """Return what to do with each partition that the group has a start offset on, or is about to."""
    items: list[OffsetItem] = []
    refusal = _group_problem(request, view)
    for name in request.topics:
        problem = refusal or (None if view.group is None else hidden_topic(name, view.topics[name]))
        found = {} if isinstance(view.found, KafkaError) else view.found
        chosen = [where for where in sorted(found) if where.topic == name]
        if problem is not None:
            items.append(Item.refused(OffsetTarget(request.group, name), DELETE_OFFSET, problem))
        elif not chosen:
            items.append(Item.unchanged(OffsetTarget(request.group, name)))
        # brokers delete the start offsets of the whole topic, or of none
        wrong = next(filter(None, (topic_problem(where, view.topics[name]) for where in chosen)), None)
        for where in chosen if problem is None else ():
            item = Item.planned(OffsetTarget(request.group, *where), DELETE_OFFSET, found[where])
            items.append(item if wrong is None else item.failed(wrong))
    return items


def plan_setting(request: Request, view: View) -> list[OffsetItem]:
    """Return what to do with each partition."""
    refusal = _group_problem(request, view)
    items = [_plan_partition(request, view, where, refusal) for where in _wanted(request, view.topics)]
    for name, chosen in request.topics.items():
        topic = view.topics[name]
        if chosen is None and isinstance(topic, KafkaError):
            problem = refusal or topic_problem(TopicPartition(name, 0), topic) or topic
            items.append(Item.refused(OffsetTarget(request.group, name), SET_OFFSET, problem))
    return items


def _plan_partition(request: Request, view: View, where: TopicPartition, refusal: KafkaError | None) -> OffsetItem:
    before = None if isinstance(view.found, KafkaError) else view.found.get(where)
    item = Item.planned(OffsetTarget(request.group, *where), SET_OFFSET, before)
    problem = refusal or topic_problem(where, view.topics[where.topic])
    if problem is not None:
        return item.failed(problem)
    log = view.logs[where]
    if isinstance(log, KafkaError):
        return item.failed(log)
    offset = _target(request, where, log)
    if before is not None and before.offset == offset and _is_unread(before, log):
        return Item.unchanged(item.target, before)
    after = ShareOffset(offset, lag=max(0, log.end - offset))
    return item._replace(after=after, creates_group=view.group is None)


def _target(request: Request, where: TopicPartition, log: Log) -> int:
    if request.offsets is not None:
        return request.offsets[where]
    return t.cast(int, reset_offset(t.cast(Reset, request.reset), log))


def _is_unread(at: ShareOffset, log: Log) -> bool:
    """Whether the group is known to be done with no record after its start offset.

    A start offset stays where it is until the broker writes a snapshot, even if all records after it are acknowledged:
    only the lag shows that. The log is read after the lag, so that it can only be longer.
    """
    return at.offset is not None and (at.offset >= log.end or at.lag == log.end - at.offset)


def _group_problem(request: Request, view: View) -> KafkaError | None:
    """Return why nothing of the group can be changed, None if it can."""
    group, found = view.group, view.found
    if isinstance(group, KafkaError):
        return group
    if group is not None and group.type != "share":
        words = f"it is a {group.kind}, and no share group: use consumer_group_offsets"
        return error("GROUP_ID_NOT_FOUND", words)
    if isinstance(found, KafkaError):
        return error(found.name, _UNSUPPORTED) if found.name == "UNSUPPORTED_VERSION" else found
    operations = view.operations if group is None else group.operations
    if isinstance(operations, KafkaError):
        return operations
    needed = _needed(request)
    if operations is not None and needed not in operations:
        action = "deleting" if request.state == "absent" else "setting"
        return error("GROUP_AUTHORIZATION_FAILED", f"{action} offsets needs {needed} on group '{request.group}'")
    if group is not None and group.state != "Empty":
        words = (
            f"it is a {group.kind} in state {group.state} with {counted(len(group.members), 'member')}: stop its "
            "consumers first"
        )
        return error("NON_EMPTY_GROUP", words)
    return None


async def apply(request: Request, session: Session, items: list[OffsetItem]) -> list[OffsetItem]:
    """Carry out the plan; return the items with their outcomes."""
    changes = [item for item in items if item.changed]
    if not changes:
        return items

    async def verify(names: list[str]) -> dict[str, PartitionErrors | KafkaError | None]:
        found = (await read_start_offsets(session, names))[request.group]
        logs = await target_logs(session, [item.target.where for item in changes if item.after is not None], None)
        return {request.group: lost_outcome(found, logs, changes)}

    answers, resent = await session.driver.change(_handler(request, changes), [request.group], verify)
    answer = answers[request.group]
    return [_outcome(item, partition_problem(item, answer), bool(resent)) if item.changed else item for item in items]


def _handler(request: Request, changes: list[OffsetItem]) -> Handler[str, PartitionErrors]:
    # not above: tasks that change nothing need neither
    from .._kafka.rpc.alter_share_group_offsets import AlterShareGroupOffsets
    from .._kafka.rpc.delete_share_group_offsets import DeleteShareGroupOffsets

    if request.state == "absent":
        return DeleteShareGroupOffsets({request.group: [item.target.where for item in changes]})
    offsets = {item.target.where: item.after.offset for item in changes if isinstance(item.after, ShareOffset)}
    return AlterShareGroupOffsets({request.group: t.cast("dict[TopicPartition, int]", offsets)})


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
    return at is not None and at.offset == item.after.offset and isinstance(log, Log) and _is_unread(at, log)


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
