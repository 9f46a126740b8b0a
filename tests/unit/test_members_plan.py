# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of consumer_group_members."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import error
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _match_members
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.members import MemberName, parse, plan
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.results import MemberTarget

from tests.unit.values import group, member, row

TWO = group("g", member("x"), member("y", "i"))
REMOVE = ("g", "remove_member", None)
NONE = ("g", "none", None)


def refused(name: str) -> tuple[str, str, str]:
    return "g", "remove_member", name


@pytest.mark.parametrize(
    ("seen", "wanted", "rows"),
    [
        (TWO, None, [REMOVE, REMOVE]),
        (None, None, [NONE]),
        (group(), None, [NONE]),
        (TWO, [MemberName("i", None)], [REMOVE]),
        (TWO, [MemberName(None, "x")], [REMOVE]),
        (TWO, [MemberName(None, "x"), MemberName("gone", None)], [REMOVE, NONE]),
        (TWO, [MemberName(None, "y"), MemberName("i", None)], [REMOVE]),
        (TWO, [MemberName("i", "y")], [REMOVE]),
        (TWO, [MemberName("i", "an earlier one")], [NONE]),
        (None, [MemberName("i", None)], [NONE]),
        (group("g", member(), protocol_type="connect"), None, [REMOVE]),
        (group("g", member(), type="consumer"), None, [REMOVE]),
        (group("g", member(), type="consumer", removable=False), None, [refused("UNSUPPORTED_VERSION")]),
        (group("g", member(), type="share"), None, [refused("UNKNOWN_MEMBER_ID")]),
        (group("g", member(), type="streams"), None, [refused("UNKNOWN_MEMBER_ID")]),
        (group("g", member(), operations=frozenset({"DELETE"})), None, [refused("GROUP_AUTHORIZATION_FAILED")]),
        (error("GROUP_AUTHORIZATION_FAILED"), None, [refused("GROUP_AUTHORIZATION_FAILED")]),
    ],
)
def test_plan(seen: object, wanted: list[MemberName] | None, rows: list[tuple[str, str, str | None]]) -> None:
    assert [row(item) for item in plan({"g": seen}, wanted)] == rows  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("given", "removed"),
    [
        ({"client_id": "c-*", "host": None}, ["x", "y"]),
        ({"client_id": None, "host": "10.*"}, ["y"]),
        ({"client_id": "c-x", "host": "10.*"}, []),
        ({"client_id": ["c-x", "~c-(y|z)"], "host": "*"}, ["x", "y"]),
        ({"client_id": "c-", "host": None}, []),
    ],
)
def test_members_that_match(given: dict[str, t.Any], removed: list[str]) -> None:
    two = group("g", member("x", client_id="c-x", host="127.0.0.1"), member("y", client_id="c-y", host="10.0.0.1"))
    items = plan({"g": two, "gone": None}, None, _match_members.parse(given))
    assert [item.target.member.member_id for item in items if isinstance(item.target, MemberTarget)] == removed
    assert [item.target.group for item in items if not item.changed] == ([] if removed else ["g"]) + ["gone"]


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"remove_all": False}, "members is null: set a value"),
        ({"settle_time": -1}, "settle_time is -1: it must be 0 or greater"),
        ({"settle_time": float("nan")}, "settle_time is nan: it must be 0 or greater"),
        ({"settle_time": 120}, "settle_time is 120 s, and the timeout of the whole task 120 s: raise timeout"),
        ({"members": []}, "members is an empty list"),
        ({"members": [{"group_instance_id": "i", "member_id": None}], "remove_all": True}, "are mutually exclusive"),
        (
            {"members": [{"group_instance_id": "i", "member_id": None}], "names": ["a", "b"]},
            "members requires exactly one group",
        ),
        ({"members": [{"group_instance_id": None, "member_id": None}]}, r"members\[0\] needs group_instance_id or"),
        ({"members": [{"group_instance_id": 5, "member_id": None}]}, r"members\[0\].group_instance_id is 5"),
    ],
)
def test_refused(params: dict[str, t.Any], sentence: str) -> None:
    if "members" in params:
        params = {"remove_all": False, **params}
    defaults = {
        "names": ["g"],
        "remove_all": True,
        "members": None,
        "match_members": None,
        "max_changes": None,
        "reason": "r",
        "settle_time": 0,
        "timeout": 120,
    }
    with pytest.raises(TaskError, match=sentence):
        parse({**defaults, **params})
