# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of consumer_group."""

from __future__ import annotations

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import error
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._safeguards import limit
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.delete_groups import parse, plan
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.results import DELETE_GROUP

from tests.unit.values import group, member, row

DELETE = ("g", "delete_group", None)
DEFAULTS = {
    "names": None,
    "plan": None,
    "owner": "*",
    "force": False,
    "configs": False,
    "internal_topics": False,
    "backup": None,
    "max_changes": None,
}
REMOVE = ("g", "remove_member", None)


def refused(name: str) -> tuple[str, str, str]:
    return "g", "delete_group", name


@pytest.mark.parametrize(
    ("seen", "options", "rows"),
    [
        (None, "", [("g", "none", None)]),
        (group(), "", [DELETE]),
        (group(protocol_type=""), "", [DELETE]),
        (group(protocol_type="connect"), "", [DELETE]),
        (group(type="consumer"), "", [DELETE]),
        (group(type="share"), "", [DELETE]),
        (group(type="streams"), "", [DELETE]),
        (group("g", member()), "", [refused("NON_EMPTY_GROUP")]),
        (group("g", member()), "force", [REMOVE, DELETE]),
        (group("g", member("x"), member("y", "i")), "force", [REMOVE, REMOVE, DELETE]),
        (group("g", member(), type="consumer", removable=False), "force", [refused("UNSUPPORTED_VERSION")]),
        (group("g", member(), type="consumer"), "force", [REMOVE, DELETE]),
        (group("g", member(), type="share"), "force", [refused("NON_EMPTY_GROUP")]),
        (group("g", member(), type="streams"), "force", [refused("NON_EMPTY_GROUP")]),
        (group("g", state="PreparingRebalance"), "", [refused("NON_EMPTY_GROUP")]),
        (group(operations=frozenset({"READ"})), "", [refused("GROUP_AUTHORIZATION_FAILED")]),
        (group("g", member(), operations=frozenset({"DELETE"})), "force", [refused("GROUP_AUTHORIZATION_FAILED")]),
        (group(operations=None), "", [DELETE]),
        (error("GROUP_AUTHORIZATION_FAILED"), "", [refused("GROUP_AUTHORIZATION_FAILED")]),
    ],
)
def test_plan(seen: object, options: str, rows: list[tuple[str, str, str | None]]) -> None:
    items = plan({"g": seen}, "force" in options)  # type: ignore[dict-item]
    assert [row(item) for item in items] == rows


def test_a_refusal_names_the_members_and_the_ways_out() -> None:
    members = [member(f"m{index}", f"i{index}") for index in range(7)]
    (item,) = plan({"g": group("g", *members)}, False)
    assert item.error is not None
    for words in ("7 members", "m0", "client-m0", "10.0.0.1", "instance i0", "and 2 more", "force to true"):
        assert words in item.error.message
    assert "m5" not in item.error.message


@pytest.mark.parametrize(("most", "refused"), [(None, False), (2, False), (1, True), (0, True)])
def test_limit(most: int | None, refused: bool) -> None:
    items = plan({"g": group(), "h": group("h"), "gone": None}, False)
    limited = limit(items, [DELETE_GROUP], most)
    names = [item.error.name if item.error else None for item in limited]
    assert names == (["POLICY_VIOLATION", "POLICY_VIOLATION", None] if refused else [None, None, None])
    assert [item.changed for item in limited] == [not refused, not refused, False]


@pytest.mark.parametrize(
    ("params", "names"), [({"names": ["g", "g"]}, ["g"]), ({"plan": "p"}, []), ({"plan": "p", "backup": "b"}, [])]
)
def test_parse(params: dict[str, object], names: list[str]) -> None:
    assert parse({**DEFAULTS, **params}).names == names


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"plan": ""}, "plan is empty"),
        ({"plan": "p/"}, "plan is 'p/', which is not the path of a file"),
    ],
)
def test_a_plan_that_cannot_be(params: dict[str, object], sentence: str) -> None:
    with pytest.raises(TaskError, match=sentence):
        parse({**DEFAULTS, **params})
