# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task reported, held against what another client saw before it and sees after it."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import Committed
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.results import (
    DELETE_GROUP,
    DELETE_OFFSET,
    REMOVE_MEMBER,
    SET_OFFSET,
    Items,
)

from tests.support.truth import World

#: What an item says whose request was sent, and of which no broker could tell before the deadline what became of it.
UNKNOWN = "its outcome is unknown"


def reported(before: World, items: Items) -> World:
    """Return what there is after the items that are reported as changed, if they tell the truth."""
    offsets = {name: dict(found) for name, found in before.offsets.items()}
    members = {name: set(found) for name, found in before.members.items()}
    for item in items:
        if not item.changed:
            continue
        if item.action == DELETE_GROUP:
            offsets.pop(item.target.group, None)
            members.pop(item.target.group, None)
        elif item.action == REMOVE_MEMBER:
            members[item.target.group].remove(item.target.member.member_id)
        elif item.action == DELETE_OFFSET:
            del offsets[item.target.group][item.target.where]
        elif item.action == SET_OFFSET:
            assert isinstance(item.after, Committed)
            offsets.setdefault(item.target.group, {})[item.target.where] = item.after.offset
        else:
            raise AssertionError(f"changed, and of no known action: {item}")
    return World(
        {name: found for name, found in offsets.items() if found},
        {name: found for name, found in members.items() if found},
    )


def account(before: World, items: Items, after: World) -> None:
    """Assert that all is as reported: what changed did change, and nothing else did, of any group.

    Groups with an item that says `UNKNOWN` may be either way.
    """
    unknown = {item.target.group for item in items if item.error and UNKNOWN in item.error.message}
    wanted = reported(before, items)
    wrong = _differences(wanted.offsets, after.offsets, unknown) | _differences(wanted.members, after.members, unknown)
    assert not wrong, f"{len(wrong)} groups are not as reported (reported, seen): {dict(list(wrong.items())[:5])}"


def _differences(told: Mapping[str, object], seen: Mapping[str, object], unknown: set[str]) -> dict[str, object]:
    return {
        name: (told.get(name), seen.get(name))
        for name in (told.keys() | seen.keys()) - unknown
        if told.get(name) != seen.get(name)
    }
