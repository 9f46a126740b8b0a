# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Delete groups (KIP-229), those that are named or those of an audit's plan: read, plan, back up, apply."""

from __future__ import annotations

import collections.abc as c
import typing as t

from .. import _input as inputs
from .._kafka.errors import KafkaError, error
from .._kafka.model import Group, GroupSnapshot, Offsets
from .._kafka.rpc.delete_groups import DeleteGroups
from .._kafka.session import Session
from . import _remaining_configs, members
from ._names import group_names
from ._plan_changes import changed_groups, owners, plan_result, read_plan, skip_changed, skipped_warning
from ._precondition import DELETED_OR_USED, Precondition
from ._read_groups import Described, committed, describe, known_offsets, read_start_offsets
from ._safeguards import back_up, limit, snapshots, unread_warning
from .members import GroupItem
from .results import (
    DELETE_CONFIG,
    DELETE_GROUP,
    DELETE_TOPIC,
    REMOVE_MEMBER,
    GroupTarget,
    Item,
    Report,
    Status,
    counted,
)

SHOWN_MEMBERS = 5
_OF_GROUPS = (DELETE_GROUP, REMOVE_MEMBER)
_AFTERWARDS = (DELETE_CONFIG, DELETE_TOPIC)
_KEPT = (Status.FAILED, Status.SKIPPED)
REASON = "the group is being deleted by kafkaops.groups.consumer_group"


class Request(t.NamedTuple):
    """The task: which groups, by name or in a plan file, and how."""

    names: list[str]
    plan: str | None
    owners: list[str] | None
    force: bool
    configs: bool
    internal_topics: bool
    backup: str | None
    max_changes: int | None


def parse(params: dict[str, t.Any]) -> Request:
    """Return what C(consumer_group) asks for; raises TaskError where an option cannot be."""
    path = inputs.optional_path(params["plan"], "plan")
    return Request(
        [] if path is not None else group_names(params["names"]),
        path,
        owners(params, "plan"),
        params["force"],
        params["configs"],
        params["internal_topics"],
        inputs.optional_path(params["backup"], "backup"),
        inputs.optional_natural(params["max_changes"], "max_changes"),
    )


async def delete_groups(request: Request, session: Session) -> Report:
    """Delete groups as C(consumer_group) asks."""
    given = read_plan(request.plan, session.wire.cluster_id)
    expected = None if given is None else given.owned_by(request.owners).delete_groups
    names = request.names if expected is None else [planned.group for planned in expected]
    seen = await describe(session, names, "READ and DELETE" if request.force else "DELETE")
    items = plan(seen, request.force)
    checked = expected is not None or request.backup is not None
    existing = {name: group.type for name, group in seen.items() if isinstance(group, Group)} if checked else {}
    share_groups = frozenset(name for name, type_ in existing.items() if type_ == "share")
    starts = await read_start_offsets(session, share_groups) if share_groups else {}
    others = [name for name in existing if name not in share_groups]
    offsets = {**await committed(session, others), **known_offsets(starts)}
    if expected is not None:
        items = skip_changed(items, changed_groups(expected, seen, offsets))
    items = _readable(items, offsets)
    leaving = _without(names, _kept(items)) if request.internal_topics or request.configs else []
    if request.internal_topics:
        # not above: most tasks delete no topics
        from . import _internal_topics

        items += await _internal_topics.deletions(session, [seen[name] for name in leaving])
    if request.configs:
        items += _remaining_configs.removals(await _remaining_configs.read(session, leaving))
    items = limit(items, [DELETE_GROUP, DELETE_TOPIC], request.max_changes)
    groups = snapshots([item for item in items if item.action in _OF_GROUPS], seen, offsets) if checked else []
    if request.backup is not None:
        session.warnings += _empty_warning(groups) + unread_warning(groups, starts)
    backup_file = await back_up(session, request.backup, groups, _remaining_configs.removed_values(items))
    if not session.check_mode:
        saved = {group.name: group.offsets for group in groups} if checked else None
        items = await apply(session, items, Precondition(saved, expected is not None, share_groups))
    session.warnings += skipped_warning(items)
    if request.configs:
        return Report(items, backup_file, plan_result(given))
    # comes last: nothing that is to be deleted waits for it
    remaining = await _remaining_configs.read_listed(session, _without(names, _kept(items)))
    session.warnings += _remaining_configs.warning(remaining)
    extra = {**plan_result(given), "remaining_configs": _remaining_configs.as_result(remaining)}
    return Report(items, backup_file, extra)


def plan(seen: dict[str, Described], force: bool) -> list[GroupItem]:
    """Return what to do with each group, and with `force` with its members before it."""
    items: list[GroupItem] = []
    for name, group in seen.items():
        if group is None:
            items.append(Item.unchanged(GroupTarget(name)))
        elif isinstance(group, KafkaError):
            items.append(Item.refused(GroupTarget(name), DELETE_GROUP, group))
        else:
            items += _plan_group(group, force)
    return items


def _plan_group(group: Group, force: bool) -> list[GroupItem]:
    deletion: GroupItem = Item.planned(GroupTarget(group.name), DELETE_GROUP, before=group)
    if not group.may("DELETE"):
        words = f"deleting needs DELETE on group '{group.name}'"
        return [deletion.failed(error("GROUP_AUTHORIZATION_FAILED", words))]
    if group.state == "Empty":
        return [deletion]
    if not force:
        return [deletion.failed(error("NON_EMPTY_GROUP", _in_use(group)))]
    problem = members.removal_problem(group)
    if problem is not None:
        not_removable = problem.name == members.NOT_REMOVABLE
        return [deletion.failed(error("NON_EMPTY_GROUP", problem.message) if not_removable else problem)]
    return [*members.removals(group), deletion]


def _in_use(group: Group) -> str:
    count = len(group.members)
    shown = "; ".join(str(member) for member in group.members[:SHOWN_MEMBERS])
    more = f"; and {count - SHOWN_MEMBERS} more" if count > SHOWN_MEMBERS else ""
    ways = "Stop its consumers, or set force to true to remove its members first (KIP-571)"
    if group.type in ("share", "streams"):
        ways = "Stop its members: brokers do not support removing members of such groups"
    return f"it is a {group.kind} in state {group.state} with {counted(count, 'member')}: {shown}{more}. {ways}"


def _empty_warning(snapshots: c.Sequence[GroupSnapshot]) -> list[str]:
    empty = [snapshot.name for snapshot in snapshots if not snapshot.offsets]
    if not empty:
        return []
    return [
        f"backup: it holds no offsets of {counted(len(empty), 'group')}, first '{empty[0]}': either there are none, "
        "or they are on topics that you may not DESCRIBE"
    ]


def _readable(items: c.Iterable[GroupItem], offsets: dict[str, Offsets | KafkaError]) -> list[GroupItem]:
    """Return the items; all of a group fail whose offsets are needed, and cannot be read."""
    unread = {name: found for name, found in offsets.items() if isinstance(found, KafkaError)}
    if not unread:
        return list(items)
    return [
        item.failed(unread[item.target.group]) if item.changed and item.target.group in unread else item
        for item in items
    ]


async def apply(session: Session, items: c.Sequence[GroupItem], precondition: Precondition) -> list[GroupItem]:
    """Remove the planned members, then delete the planned groups; return the items with their outcomes.

    A group that has committed since is kept.
    """
    removed = await members.apply(session, items, REASON)
    not_removed = {
        item.target.group for item in removed if item.action == REMOVE_MEMBER and item.status is Status.FAILED
    }
    leaving = [item.target.group for item in removed if item.changed and item.action == DELETE_GROUP]
    conflicts = await precondition.check(session, [name for name in leaving if name not in not_removed])

    recreated: set[str] = set()

    async def verify(groups: list[str]) -> dict[str, bool | KafkaError | None]:
        seen = await describe(session, groups)
        since = await precondition.deleted(session, [name for name, group in seen.items() if isinstance(group, Group)])
        recreated.update(name for name, deleted in since.items() if deleted is True)
        return {
            name: group if isinstance(group, KafkaError) else True if group is None else since.get(name)
            for name, group in seen.items()
        }

    async def check(groups: list[str]) -> dict[str, bool | KafkaError]:
        return {**await precondition.check(session, groups)}

    deleting = [name for name in leaving if name not in not_removed and name not in conflicts]
    answers, resent = await session.driver.change(DeleteGroups(), deleting, verify, check)

    def outcome(item: GroupItem) -> GroupItem:
        name = item.target.group
        if not item.changed or item.action != DELETE_GROUP:
            return item
        if name in not_removed:
            return item.failed(error("NON_EMPTY_GROUP", "not all of its members could be removed"))
        if name in conflicts:
            return precondition.on_conflict(item, conflicts[name])
        return _after_deletion(item, answers[name], name in resent, precondition)

    deleted = [outcome(item) for item in removed]
    if not any(item.action in _AFTERWARDS for item in deleted):
        return deleted
    deleted = _keep_remains(deleted, recreated)
    if any(item.action == DELETE_TOPIC for item in deleted):
        # not above: most tasks delete no topics
        from . import _internal_topics

        deleted = await _internal_topics.apply(session, deleted)
    # not above: most tasks remove no settings
    from . import group_configs

    return await group_configs.apply(session, deleted)


def _keep_remains(items: list[GroupItem], recreated: set[str]) -> list[GroupItem]:
    """Return the items; what belongs to groups that are kept, or were created again, is unchanged."""
    kept = _kept(items) | recreated
    return [
        Item.unchanged(item.target, item.before)
        if item.changed and item.action in _AFTERWARDS and item.target.group in kept
        else item
        for item in items
    ]


def _without(names: list[str], kept: set[str]) -> list[str]:
    return [name for name in names if name not in kept]


def _kept(items: c.Iterable[GroupItem]) -> set[str]:
    """Return the groups whose deletion failed or was skipped."""
    return {item.target.group for item in items if isinstance(item.target, GroupTarget) and item.status in _KEPT}


def _after_deletion(item: GroupItem, answer: bool | KafkaError, resent: bool, precondition: Precondition) -> GroupItem:
    if not isinstance(answer, KafkaError):
        return item
    if answer.name == "GROUP_ID_NOT_FOUND":
        # deleted by the first of two requests; or expired, or deleted by another client, since it was read
        return item if resent else item.unneeded()
    if answer.message == DELETED_OR_USED:
        return item.failed(answer)
    if answer.name == "NON_EMPTY_GROUP":
        joined = "a consumer joined while the group was being deleted"
        return precondition.on_conflict(item, error(answer.name, f"{joined}: stop its instances first"), joined)
    return precondition.on_conflict(item, answer)
