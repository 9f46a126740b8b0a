# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Remove members from groups (KIP-571): read, plan, apply, and watch whether they come back."""

from __future__ import annotations

import collections
import collections.abc as c
import typing as t

from .. import _input as inputs
from .._errors import InvalidOption
from .._kafka.errors import KafkaError, error
from .._kafka.model import Group, Member
from .._kafka.rpc.leave_group import LeaveGroup, MemberErrors
from .._kafka.session import Session
from . import _match_members
from ._match_members import MatchMembers
from ._names import group_names
from ._read_groups import Described, describe
from ._safeguards import limit
from .results import (
    REMOVE_MEMBER,
    ConfigTarget,
    GroupTarget,
    InternalTopicTarget,
    Item,
    MemberTarget,
    Report,
    counted,
    member_result,
)

WATCH_INTERVAL = 0.5
# what brokers answer for members of share and streams groups
NOT_REMOVABLE = "UNKNOWN_MEMBER_ID"

MemberItem = Item[MemberTarget]
GroupItem = Item[ConfigTarget | GroupTarget | InternalTopicTarget | MemberTarget]  # pylint: disable=unsupported-binary-operation


class MemberName(t.NamedTuple):
    """A member as the user names it: by its instance id (static), by its member id, or by both."""

    group_instance_id: str | None
    member_id: str | None

    def names(self, member: Member) -> bool:
        """Whether it is this member."""
        return self.group_instance_id in (None, member.group_instance_id) and self.member_id in (None, member.member_id)


class Request(t.NamedTuple):
    """The task: which members of which groups (named, matched, or all), and how many seconds to watch afterwards."""

    names: list[str]
    members: list[MemberName] | None
    match_members: MatchMembers | None
    max_changes: int | None
    reason: str
    settle_time: float


async def remove_members(request: Request, session: Session) -> Report:
    """Remove members as C(consumer_group_members) asks."""
    seen = await describe(session, request.names, "READ")
    planned = plan(seen, request.members, request.match_members)
    items = limit(planned, [REMOVE_MEMBER], request.max_changes)
    if session.check_mode:
        return Report(items, extra={"rejoined": []})
    items = await apply(session, items, request.reason)
    rejoined, problem = await _watch(session, seen, items, request.settle_time)
    return Report(items, extra={"rejoined": rejoined}, problem=problem)


def parse(params: dict[str, t.Any]) -> Request:
    """Return what C(consumer_group_members) asks for; raises TaskError where an option cannot be."""
    names, members = _whom(params)
    return Request(
        names,
        members,
        _match_members.parse(params["match_members"]),
        inputs.optional_natural(params["max_changes"], "max_changes"),
        params["reason"],
        params["settle_time"],
    )


def _whom(params: dict[str, t.Any]) -> tuple[list[str], list[MemberName] | None]:
    names = group_names(params["names"])
    if not params["settle_time"] >= 0:
        raise InvalidOption(f"settle_time is {params['settle_time']}: it must be 0 or greater.")
    if params["settle_time"] >= params["timeout"]:
        raise InvalidOption(
            f"settle_time is {params['settle_time']:g} s, and the timeout of the whole task {params['timeout']:g} s: "
            "raise timeout."
        )
    for option in ("members", "match_members"):
        if params["remove_all"] and params[option] is not None:
            raise InvalidOption(f"remove_all and {option} are mutually exclusive: set one of them.")
    if params["remove_all"] or params["match_members"] is not None:
        return names, None
    members = inputs.needed(params["members"], "members")
    inputs.not_empty(members, "members")
    if len(names) != 1:
        raise InvalidOption("members requires exactly one group in names.")
    return names, [_member_name(member, f"members[{index}]") for index, member in enumerate(members)]


def _member_name(member: dict[str, t.Any], option: str) -> MemberName:
    given = [
        None if member[key] is None else inputs.text(member[key], f"{option}.{key}")
        for key in ("group_instance_id", "member_id")
    ]
    if given == [None, None]:
        raise InvalidOption(f"{option} needs group_instance_id or member_id.")
    return MemberName(*given)


def plan(
    seen: dict[str, Described], wanted: list[MemberName] | None, match: MatchMembers | None = None
) -> list[GroupItem]:
    """Return what to do with each member: all members of each group, the wanted ones, or those that match."""
    items: list[GroupItem] = []
    for name, group in seen.items():
        if isinstance(group, KafkaError):
            items.append(Item.refused(GroupTarget(name), REMOVE_MEMBER, group))
        elif wanted is None:
            removed = [item for item in removals(group) if _matches(match, item)] if group else []
            items += removed or [Item.unchanged(GroupTarget(name), group)]
        else:
            items += _chosen(name, group, wanted)
    return items


def _matches(match: MatchMembers | None, item: MemberItem) -> bool:
    return match is None or match.matches(item.target.member)


def _chosen(name: str, group: Group | None, wanted: list[MemberName]) -> list[MemberItem]:
    items: dict[Member, MemberItem] = {}
    planned = {item.target.member: item for item in removals(group)} if group else {}
    for member_name in wanted:
        found = [member for member in planned if member_name.names(member)]
        if not found:
            gone = Member(member_name.member_id or "", member_name.group_instance_id, "", "", None)
            items[gone] = Item.unchanged(MemberTarget(name, gone))
        for member in found:
            items[member] = planned[member]
    return list(items.values())


def removals(group: Group) -> list[MemberItem]:
    """Return the removal of every member of a group, with the error that the broker would give."""
    problem = removal_problem(group)
    items = [Item.planned(MemberTarget(group.name, member), REMOVE_MEMBER, member) for member in group.members]
    return items if problem is None else [item.failed(problem) for item in items]


def removal_problem(group: Group) -> KafkaError | None:
    """Return why the members of a group cannot be removed, None if they can."""
    if not group.may("READ"):
        return error("GROUP_AUTHORIZATION_FAILED", f"removing members needs READ on group '{group.name}'")
    if not group.removable:
        return error(
            "UNSUPPORTED_VERSION",
            f"it is a {group.kind}, and brokers older than 4.0 do not support removing its members: stop its consumers",
        )
    if group.type in ("share", "streams"):
        tool = {"share": "stop its consumers", "streams": "stop the instances of the application"}[group.type]
        return error(
            NOT_REMOVABLE,
            f"it is a {group.kind}, and brokers do not support removing its members (KIP-571): {tool}",
        )
    return None


async def apply(session: Session, items: c.Sequence[GroupItem], reason: str) -> list[GroupItem]:
    """Remove the planned members; return the items with their outcomes."""
    leaving = _leaving(items)
    if not leaving:
        return list(items)

    async def verify(groups: list[str]) -> dict[str, MemberErrors | KafkaError | None]:
        seen = await describe(session, groups)
        return {name: _whether_gone(group, leaving[name]) for name, group in seen.items()}

    answers, resent = await session.driver.change(LeaveGroup(leaving, reason), leaving, verify)

    def outcome(item: GroupItem) -> GroupItem:
        name = item.target.group
        if not item.changed or not isinstance(item.target, MemberTarget):
            return item
        return _after_removal(item, item.target.member, answers[name], name in resent)

    return [outcome(item) for item in items]


def _leaving(items: c.Iterable[GroupItem]) -> dict[str, list[Member]]:
    """Return the members to remove, or that were removed, by group."""
    leaving: dict[str, list[Member]] = collections.defaultdict(list)
    for target in (item.target for item in items if item.changed):
        if isinstance(target, MemberTarget):
            leaving[target.group].append(target.member)
    return leaving


def _whether_gone(group: Described, members: list[Member]) -> MemberErrors | KafkaError | None:
    if isinstance(group, KafkaError):
        return group
    present = _member_ids(group)
    return None if any(member.member_id in present for member in members) else dict.fromkeys(members)


def _after_removal(item: GroupItem, member: Member, answer: MemberErrors | KafkaError, resent: bool) -> GroupItem:
    problem = answer if isinstance(answer, KafkaError) else answer[member]
    if problem is None:
        return item
    if problem.name in ("UNKNOWN_MEMBER_ID", "GROUP_ID_NOT_FOUND"):
        # removed by the first of two requests; or gone by itself since it was read
        return item if resent else item.unneeded()
    if problem.name == "FENCED_INSTANCE_ID":
        words = "its instance was started again since the group was read, and is alive: stop it first"
        return item.failed(error(problem.name, words))
    return item.failed(problem)


async def _watch(
    session: Session, before: dict[str, Described], items: c.Iterable[GroupItem], settle_time: float
) -> tuple[list[dict[str, t.Any]], str]:
    """Watch groups for `settle_time` seconds; return the members that joined since the removal, and what that means."""
    removed = {name: {member.member_id for member in members} for name, members in _leaving(items).items()}
    rejoined: dict[tuple[str, str], Member] = {}
    left = settle_time
    while removed and left > 0 and not session.deadline.over:
        pause = min(WATCH_INTERVAL, left)
        await session.wire.sleep(pause)
        left -= pause
        for name, group in (await describe(session, removed)).items():
            if isinstance(group, KafkaError):
                words = f"settle_time: group '{name}' could not be watched: {group.name}: {group.message}."
                return _rejoin_results(rejoined), words
            remaining = _member_ids(before[name]) - removed[name]
            for member in group.members if group else ():
                if member.member_id not in remaining:
                    rejoined[name, member.member_id] = member
    results = _rejoin_results(rejoined)
    if removed and left > 0:
        return results, f"settle_time is {settle_time:g} s, and the task's timeout was over before that."
    return results, _rejoin_problem(results, settle_time)


def _rejoin_results(rejoined: dict[tuple[str, str], Member]) -> list[dict[str, t.Any]]:
    return [{"group": name, "member": member_result(member)} for (name, _id), member in rejoined.items()]


def _member_ids(group: Described) -> set[str]:
    return {member.member_id for member in group.members} if isinstance(group, Group) else set()


def _rejoin_problem(rejoined: list[dict[str, t.Any]], settle_time: float) -> str:
    if not rejoined:
        return ""
    who = "; ".join(
        f"group '{each['group']}': {each['member']['client_id']} on {each['member']['host']}"
        + (f" (instance {each['member']['group_instance_id']})" if each["member"]["group_instance_id"] else "")
        for each in rejoined[:5]
    )
    more = f" and {len(rejoined) - 5} more" if len(rejoined) > 5 else ""
    return (
        f"{counted(len(rejoined), 'member')} rejoined within {settle_time:g} s: {who}{more}: stop its instances first."
    )
