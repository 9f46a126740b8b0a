# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares the plan of an audit with the current groups; items that changed since the audit are skipped."""

from __future__ import annotations

import collections.abc as c
import typing as t

from .. import _input as inputs
from .._errors import InvalidOption
from .._kafka.errors import KafkaError
from .._kafka.model import Group, Offsets, TopicPartition
from ._read_groups import Described
from .results import GroupTarget, Item, Items, OffsetTarget, Status, Target, counted

if t.TYPE_CHECKING:
    from .._files.plan import Plan, PlannedGroup, PlannedOffset

T = t.TypeVar("T", bound=Target)
# the default of the option owner
_ALL = "*"

Changes = dict[Target, str | KafkaError]  # pylint: disable=unsupported-binary-operation
"""How a resource changed since the audit, or the error that prevented the comparison."""


def owners(params: dict[str, t.Any], applies_to: str) -> list[str] | None:
    """Return the owners of the option C(owner), None for all entries of the plan.

    Raises:
        TaskError: the option is not valid. A variable without a value, which Ansible passes as null, does not mean all
            owners.
    """
    if params["owner"] == _ALL:
        return None
    wanted = inputs.texts(inputs.needed(params["owner"], "owner"), "owner")
    if params[applies_to] is None:
        raise InvalidOption(f"owner is set, but {applies_to} is not: set {applies_to}, or omit owner.")
    return wanted


def read_plan(path: str | None, cluster_id: str) -> Plan | None:
    """Read the plan file of a task; None if it has none. Raises as C(_plan_file.read) does."""
    if path is None:
        return None
    # not above: most tasks are done without one
    from .._files import plan as plan_file

    return plan_file.read(path, cluster_id)


def plan_result(plan: Plan | None) -> dict[str, t.Any]:
    """Return the field C(plan) of the result of a task; empty if the task has no plan."""
    if plan is None:
        return {}
    from .._files import plan as plan_file

    return {"plan": plan_file.approval_result(plan)}


def changed_groups(
    expected: c.Iterable[PlannedGroup], groups: dict[str, Described], offsets: dict[str, Offsets | KafkaError]
) -> Changes:
    """Return the planned groups whose type, state or committed offsets differ from the plan."""
    changes: dict[Target, str | KafkaError | None] = {}
    for planned in expected:
        group = groups[planned.group]
        if isinstance(group, Group):
            found = offsets[planned.group]
            changes[GroupTarget(planned.group)] = _described(group, planned.type, planned.state) or (
                found if isinstance(found, KafkaError) else _moved(planned.offsets, found)
            )
    return {target: change for target, change in changes.items() if change is not None}


def changed_offsets(
    expected: c.Iterable[PlannedOffset], groups: dict[str, Described], offsets: dict[str, Offsets | KafkaError]
) -> Changes:
    """Return the planned offsets that have moved, and those of groups that have changed or may read their topic."""
    changes: dict[Target, str | None] = {}
    for planned in expected:
        group, found, where = groups[planned.group], offsets[planned.group], planned.where
        if isinstance(group, Group) and (isinstance(found, KafkaError) or where in found):
            changes[OffsetTarget(planned.group, *where)] = (
                _described(group, planned.type, planned.state)
                or (None if isinstance(found, KafkaError) else _moved({where: planned.offset}, {where: found[where]}))
                or _subscription(group, where.topic)
            )
    return {target: change for target, change in changes.items() if change is not None}


def _described(group: Group, kind: str, state: str) -> str | None:
    if group.type != kind:
        return f"it is a {group.kind} now, and was of the type {kind}"
    if group.state != state:
        return f"it is {group.state} now, with {counted(len(group.members), 'member')}, and was {state}"
    return None


def _moved(before: c.Mapping[TopicPartition, int], found: Offsets) -> str | None:
    """Return how the committed offsets differ from before, None if they are the same."""
    now = {where: committed.offset for where, committed in found.items()}
    others = [where for where in sorted({*before, *now}) if before.get(where) != now.get(where)]
    if not others:
        return None
    first = others[0]
    more = f", and {counted(len(others) - 1, 'more partition')}" if len(others) > 1 else ""
    return (
        f"its committed offsets changed since the audit: {first} is at {now.get(first, 'no offset')}, "
        f"and was at {before.get(first, 'no offset')}{more}"
    )


def _subscription(group: Group, topic: str) -> str | None:
    subscribed = group.subscribes(topic)
    if subscribed is None:
        return f"its subscription is unknown and may include topic '{topic}'"
    return f"it subscribes to topic '{topic}' now" if subscribed else None


def skip_changed(items: c.Iterable[Item[T]], changes: Changes) -> list[Item[T]]:
    """Return the items; those that changed since the audit are skipped."""
    result = []
    for item in items:
        change = changes.get(item.target)
        if isinstance(change, KafkaError):
            result.append(item.failed(change))
        else:
            result.append(item.skipped(change) if change else item)
    return result


def skipped_warning(items: Items) -> list[str]:
    """Return a warning with the number of skipped items and the reason for the first; empty if there are none."""
    skipped = [item for item in items if item.status is Status.SKIPPED]
    if not skipped:
        return []
    return [
        f"plan: {len(skipped)} of {len(items)} skipped because they changed since the audit; "
        f"first: {skipped[0]}: {skipped[0].skip_reason}"
    ]
