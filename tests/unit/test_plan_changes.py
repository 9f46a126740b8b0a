# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the plan of an audit expects, compared with what is there."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._files.plan import PlannedGroup, PlannedOffset
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import error
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _plan_changes as expected
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import delete_offsets, results
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.results import GroupTarget, Item, OffsetTarget

from tests.unit.values import at, group, member, offset

STALE = PlannedGroup("g", "classic", "Empty", "old", {at(0): 60, at(1): 7})
SAME = {at(0): offset(60), at(1): offset(7)}
NEEDLESS = PlannedOffset("g", "consumer", "Stable", at(1, "b"), 25, "not subscribed")
DENIED = error("GROUP_AUTHORIZATION_FAILED")


def live(**more: t.Any) -> t.Any:
    return group("g", member(**more), type="consumer")


@pytest.mark.parametrize(
    ("seen", "found", "change"),
    [
        (group(), SAME, None),
        (group(), {at(0): offset(60, "other metadata", 3), at(1): offset(7)}, None),
        (None, {}, None),
        (DENIED, {}, None),
        (group(), {**SAME, at(0): offset(61)}, "a-0 is at 61, and was at 60"),
        (group(), {**SAME, at(0): offset(59)}, "a-0 is at 59, and was at 60"),
        (group(), {at(0): offset(60)}, "a-1 is at no offset, and was at 7"),
        (group(), {**SAME, at(0, "b"): offset(0)}, "b-0 is at 0, and was at no offset"),
        (group(), {}, "a-0 is at no offset, and was at 60, and 1 more partition"),
        (group("g", member()), SAME, "it is Stable now, with 1 member, and was Empty"),
        (group(state="Dead"), SAME, "it is Dead now, with 0 members, and was Empty"),
        (group(type="consumer"), SAME, "it is a consumer group (KIP-848) now, and was of the type classic"),
        (group(type="share"), DENIED, "it is a share group now, and was of the type classic"),
        (group(), DENIED, DENIED),
    ],
)
def test_a_group(seen: t.Any, found: t.Any, change: t.Any) -> None:
    changes = expected.changed_groups([STALE], {"g": seen}, {"g": found})
    if isinstance(change, str):
        assert str(changes[GroupTarget("g")]).endswith(change)
    else:
        assert changes == ({} if change is None else {GroupTarget("g"): change})


@pytest.mark.parametrize(
    ("seen", "found", "change"),
    [
        (live(), {at(1, "b"): offset(25), at(0): offset(3)}, None),
        (None, {}, None),
        (DENIED, {}, None),
        (live(), DENIED, None),
        (live(), {at(0): offset(3)}, None),
        (group(), {at(0): offset(3)}, None),
        (live(), {at(1, "b"): offset(26)}, "b-1 is at 26, and was at 25"),
        (live(topics=("a", "b")), {at(1, "b"): offset(25)}, "it subscribes to topic 'b' now"),
        (live(topics=None), {at(1, "b"): offset(25)}, "its subscription is unknown and may include topic 'b'"),
        (group(type="consumer"), {at(1, "b"): offset(25)}, "it is Empty now, with 0 members, and was Stable"),
        (
            group("g", member()),
            {at(1, "b"): offset(25)},
            "it is a classic consumer group now, and was of the type consumer",
        ),
        (group(type="share"), DENIED, "it is a share group now, and was of the type consumer"),
    ],
)
def test_an_offset(seen: t.Any, found: t.Any, change: str | None) -> None:
    changes = expected.changed_offsets([NEEDLESS], {"g": seen}, {"g": found})
    if change is None:
        assert changes == {}
    else:
        assert str(changes[OffsetTarget("g", "b", 1)]).endswith(change)


def test_what_has_changed_is_left_alone() -> None:
    busy, stale, unreadable = (Item.planned(GroupTarget(name), results.DELETE_GROUP, group(name)) for name in "bsu")
    items = expected.skip_changed(
        [busy.failed(DENIED), stale, unreadable], {GroupTarget("b"): "it moved", GroupTarget("u"): DENIED}
    )
    assert [(item.action, item.skip_reason, item.error) for item in items] == [
        ("none", "it moved", None),
        ("delete_group", None, None),
        ("delete_group", None, DENIED),
    ]
    assert expected.skipped_warning(items) == [
        "plan: 1 of 3 skipped because they changed since the audit; first: group 'b': it moved"
    ]
    assert expected.skipped_warning(items[1:]) == []


def test_offsets_of_a_plan_by_group_and_topic() -> None:
    places = [("h", at(1)), ("g", at(2)), ("g", at(0)), ("g", at(0, "b"))]
    entries = [PlannedOffset(name, "classic", "Stable", where, 1, "old") for name, where in places]
    groups = delete_offsets.by_group(entries)
    assert groups == {"h": {"a": (1,)}, "g": {"a": (2, 0), "b": (0,)}}
    assert list(groups) == ["h", "g"]
