# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plan files: what an audit found to be deletable, what each group has to look like for that, and who approved it."""

from __future__ import annotations

import collections.abc as c
import datetime
import hashlib
import json
import typing as t

from .. import _input as inputs
from .._errors import NothingChanged, TaskError
from .._kafka.model import TopicPartition
from . import atomic_write, json_file, new_file

PLAN = json_file.Kind("plan", "kafkaops.groups/plan", 1)

# a share group has no committed offsets, which are what is compared
TYPES = ("classic", "consumer", "streams")

#: All of them are in the file of an approved plan, none in another.
APPROVED = {"approved_by", "approved_at", "digest"}

# of the owners of a plan, in a message
_SHOWN = 5


class PlannedGroup(t.NamedTuple):
    """A group to delete: its type and state at the time of the audit, all that it had committed, and its owner.

    The owner is None if nobody is known to own the group.
    """

    group: str
    type: str
    state: str
    evidence: str
    offsets: dict[TopicPartition, int]
    owner: str | None = None


class PlannedOffset(t.NamedTuple):
    """A committed offset to delete: the type, state and owner of its group at the time of the audit, and the offset."""

    group: str
    type: str
    state: str
    where: TopicPartition
    offset: int
    evidence: str
    owner: str | None = None


class Judged(t.NamedTuple):
    """How many groups an audit judged, which it could have planned to delete, and how many offsets they hold."""

    groups: int
    offsets: int


class Approval(t.NamedTuple):
    """Who approved a plan, and when, with a time zone."""

    by: str
    at: datetime.datetime


class Plan(t.NamedTuple):
    """What an audit of one cluster found to be deletable.

    Attributes:
        created: when, with a time zone.
        criteria: what the audit was asked for, as JSON can hold it.
        delete_groups, delete_offsets: lists, or collections that make each entry when it is written.
        judged: None if the plan does not say it.
        approval: None if nobody approved the plan.
        owners: what the audit judged of each owner that it knew, also of those without an entry; None if it knew none.
    """

    cluster_id: str
    created: datetime.datetime
    criteria: dict[str, t.Any]
    delete_groups: c.Collection[PlannedGroup]
    delete_offsets: c.Collection[PlannedOffset]
    judged: Judged | None = None
    approval: Approval | None = None
    owners: dict[str, Judged] | None = None

    def owned_by(self, owners: c.Collection[str] | None) -> Plan:
        """Return the plan with the entries of some owners only, with all entries for None.

        Raises:
            TaskError: the audit of the plan did not know one of the owners.
        """
        if owners is None:
            return self
        known = self.owners or {}
        for owner in owners:
            if owner not in known:
                raise NothingChanged(f"owner: '{owner}' is not an owner of the plan: {_known(sorted(known))}.")
        mine = {owner: known[owner] for owner in sorted(owners)}
        return self._replace(
            # shares are of what these owners have
            judged=Judged(sum(each.groups for each in mine.values()), sum(each.offsets for each in mine.values())),
            owners=mine,
            delete_groups=[entry for entry in self.delete_groups if entry.owner in owners],
            delete_offsets=[entry for entry in self.delete_offsets if entry.owner in owners],
        )


def _known(owners: list[str]) -> str:
    if not owners:
        return "the plan has no owners, so set owners or owners_file in the audit"
    more = f" and {len(owners) - _SHOWN} more" if len(owners) > _SHOWN else ""
    return f"its owners are {', '.join(owners[:_SHOWN])}{more}"


def digest(plan: Plan) -> str:
    """Return the SHA-256 of a plan with its approval, in hexadecimal.

    It does not depend on the format of the file or the order of the entries.
    """
    content = {
        **_head(plan),
        "delete_groups": [_group_json(each) for each in sorted(plan.delete_groups, key=lambda each: each.group)],
        "delete_offsets": [
            _offset_json(each) for each in sorted(plan.delete_offsets, key=lambda each: (each.group, each.where))
        ],
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode("utf-8")).hexdigest()


def approval_result(plan: Plan) -> dict[str, str | None]:
    """Return the RETURN shape of a plan's digest and approval."""
    by, at = (None, None) if plan.approval is None else (plan.approval.by, json_file.time_text(plan.approval.at))
    return {"digest": digest(plan), "approved_by": by, "approved_at": at}


def write(path: str, plan: Plan) -> None:
    """Write a plan whole: mode 0600, synced to disk before it replaces an earlier one.

    Raises:
        TaskError: it could not be written; nothing is left of it and an earlier one is as it was, or the sentence says
            that the new one is there.
    """
    try:
        json_file.save(path, _document(plan))
    except atomic_write.InPlace as exc:
        raise TaskError(
            f"plan: {path} is written but cannot be synced to disk ({exc.strerror}): check the disk and audit again."
        ) from exc
    except OSError as exc:
        raise TaskError(f"plan: {path} cannot be written ({exc.strerror}).") from exc


def write_new(path: str, plan: Plan, option: str) -> None:
    """Write a plan as a new file; raises as `new_file.write` does."""
    new_file.write(path, json_file.lines(_document(plan)), option)


def _document(plan: Plan) -> json_file.Document:
    return {
        **_head(plan),
        "delete_groups": map(_group_json, plan.delete_groups),
        "delete_offsets": map(_offset_json, plan.delete_offsets),
        **({"digest": digest(plan)} if plan.approval else {}),
    }


def _head(plan: Plan) -> json_file.Document:
    """Return all of a plan but its entries and its digest."""
    return {
        **PLAN.head(plan.cluster_id, plan.created),
        **(
            {"approved_by": plan.approval.by, "approved_at": json_file.time_text(plan.approval.at)}
            if plan.approval
            else {}
        ),
        "criteria": plan.criteria,
        **({"judged": plan.judged._asdict()} if plan.judged else {}),
        **({"owners": {name: judged._asdict() for name, judged in plan.owners.items()}} if plan.owners else {}),
    }


def _group_json(group: PlannedGroup) -> dict[str, t.Any]:
    return {
        "group": group.group,
        "type": group.type,
        "state": group.state,
        "evidence": group.evidence,
        **_owner_json(group.owner),
        "offsets": [{**where._asdict(), "offset": offset} for where, offset in sorted(group.offsets.items())],
    }


def _offset_json(planned: PlannedOffset) -> dict[str, t.Any]:
    return {
        "group": planned.group,
        "type": planned.type,
        "state": planned.state,
        **planned.where._asdict(),
        "offset": planned.offset,
        "evidence": planned.evidence,
        **_owner_json(planned.owner),
    }


def _owner_json(owner: str | None) -> dict[str, str]:
    return {} if owner is None else {"owner": owner}


def read(path: str, cluster_id: str) -> Plan:
    """Read a plan for the cluster `cluster_id`.

    Raises:
        TaskError: as `load`, or it is another cluster's.
    """
    plan = load(path, "plan")
    if plan.cluster_id != cluster_id:
        raise NothingChanged(
            f"plan: {path} is a plan for cluster {plan.cluster_id}, and this is cluster {cluster_id}: "
            "audit this cluster."
        )
    return plan


def load(path: str, option: str) -> Plan:
    """Read a plan for any cluster.

    Args:
        option: the option that names the file, for the messages.

    Raises:
        TaskError: there is no such file, it is not a plan, it is damaged, or it changed after it was approved.
    """
    content = json_file.load(path, option, PLAN)
    with json_file.undamaged(path, option):
        plan = _plan(content)
    if plan.approval is not None and content["digest"] != digest(plan):
        raise NothingChanged(
            f"{option}: {path} is not the plan that {plan.approval.by} approved at "
            f"{json_file.time_text(plan.approval.at)}: it was changed since. Approve the plan again."
        )
    return plan


def _plan(content: json_file.Document) -> Plan:
    criteria = content["criteria"]
    if not isinstance(criteria, dict):
        raise TypeError("criteria is not a dictionary")
    plan = Plan(
        json_file.text(content["cluster_id"]),
        _moment(content["created"]),
        criteria,
        [_group(entry) for entry in json_file.array(content["delete_groups"], "delete_groups")],
        [_offset(entry) for entry in json_file.array(content["delete_offsets"], "delete_offsets")],
        _judged(content["judged"]) if "judged" in content else None,
        _approval(content) if content.keys() & APPROVED else None,
        _owners(content["owners"]) if "owners" in content else None,
    )
    owners = [entry.owner for entry in plan.delete_groups] + [entry.owner for entry in plan.delete_offsets]
    for owner in owners:
        if owner is not None and owner not in (plan.owners or {}):
            raise ValueError(f"owners does not contain {owner!r}")
    _once([f"group '{planned.group}'" for planned in plan.delete_groups])
    _once([f"{planned.where} of group '{planned.group}'" for planned in plan.delete_offsets])
    return plan


def _approval(content: json_file.Document) -> Approval:
    json_file.text(content["digest"])
    return Approval(json_file.text(content["approved_by"]), _moment(content["approved_at"]))


def _judged(entry: dict[str, t.Any]) -> Judged:
    return Judged(*(json_file.natural(entry[name], inputs.INT64_MAX) for name in Judged._fields))


def _owners(entry: t.Any) -> dict[str, Judged]:
    if not isinstance(entry, dict):
        raise TypeError("owners is not a dictionary")
    return {json_file.text(name): _judged(judged) for name, judged in entry.items()}


def _owner(entry: dict[str, t.Any]) -> str | None:
    return json_file.text(entry["owner"]) if "owner" in entry else None


def _group(entry: dict[str, t.Any]) -> PlannedGroup:
    name, kind, state = _described(entry)
    if state != "Empty":
        raise ValueError(f"group '{name}' is to be deleted, and is {state}")
    found = [(json_file.place(each), _at(each)) for each in json_file.array(entry["offsets"], "offsets")]
    _once([f"{where} of group '{name}'" for where, _offset in found])
    return PlannedGroup(name, kind, state, json_file.text(entry["evidence"]), dict(found), _owner(entry))


def _offset(entry: dict[str, t.Any]) -> PlannedOffset:
    evidence = json_file.text(entry["evidence"])
    return PlannedOffset(*_described(entry), json_file.place(entry), _at(entry), evidence, _owner(entry))


def _described(entry: dict[str, t.Any]) -> tuple[str, str, str]:
    name, kind, state = (json_file.text(entry[key]) for key in ("group", "type", "state"))
    if kind not in TYPES:
        raise ValueError(f"{kind!r} is none of {', '.join(TYPES)}")
    return name, kind, state


def _at(entry: dict[str, t.Any]) -> int:
    return json_file.natural(entry["offset"], inputs.INT64_MAX)


def _moment(value: t.Any) -> datetime.datetime:
    moment = datetime.datetime.fromisoformat(json_file.text(value))
    if moment.tzinfo is None:
        raise ValueError(f"{value} names no time zone")
    return moment


def _once(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{name} stands in it twice")
        seen.add(name)
