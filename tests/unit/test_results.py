# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Result items, their counts, message and diff."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._input import matcher
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import error
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import results
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.results import (
    GroupTarget,
    Item,
    MemberTarget,
    OffsetTarget,
)

from tests.unit.values import group, member, offset

GROUP = GroupTarget("g")
CHANGED = Item.planned(OffsetTarget("g", "a", 0), results.SET_OFFSET, offset(1), offset(2, "m"), creates_group=True)
UNCHANGED = Item.unchanged(GROUP)
FAILED = Item.planned(GROUP, results.DELETE_GROUP, group("g", member())).failed(error("NON_EMPTY_GROUP", "in use"))
LEFT = CHANGED.skipped("it has moved")
REMOVED = Item.planned(MemberTarget("g", member()), results.REMOVE_MEMBER, member())
ITEMS = [UNCHANGED, FAILED, CHANGED, REMOVED]


def test_one_item() -> None:
    assert CHANGED.as_result() == {
        "group": "g",
        "topic": "a",
        "partition": 0,
        "creates_group": True,
        "action": "set_offset",
        "changed": True,
        "failed": False,
        "before": {"offset": 1, "leader_epoch": -1, "metadata": ""},
        "after": {"offset": 2, "leader_epoch": -1, "metadata": "m"},
        "error": None,
    }


def test_a_failed_item_stays_as_it_was() -> None:
    result = FAILED.as_result()
    assert result["error"] == {"code": 68, "name": "NON_EMPTY_GROUP", "message": "in use", "retriable": False}
    assert (result["changed"], result["failed"]) == (False, True)
    assert result["after"] == result["before"] != None  # noqa: E711
    assert "creates_group" not in CHANGED.failed(error("NON_EMPTY_GROUP")).as_result()


def test_an_item_that_is_left_alone_is_unchanged() -> None:
    left = FAILED.skipped("it is Stable now")
    result = left.as_result()
    assert (result["action"], result["changed"], result["failed"], result["error"]) == ("none", False, False, None)
    assert result["left_alone"] == "it is Stable now"
    assert result["after"] == result["before"] != None  # noqa: E711
    assert "left_alone" not in UNCHANGED.as_result()
    assert results.summary([left, CHANGED, UNCHANGED]) == {
        "total": 3,
        "changed": 1,
        "unchanged": 2,
        "failed": 0,
        "left_alone": 1,
    }
    assert results.diff([left]) == {"before": "", "after": ""}


@pytest.mark.parametrize(
    ("detail", "shown"),
    [("full", [UNCHANGED, FAILED, CHANGED, LEFT]), ("problems", [FAILED, LEFT]), ("summary", [])],
)
def test_detail_selects_the_items(detail: str, shown: list[Item[t.Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Item, "as_result", lambda item: item)
    assert results.returned([UNCHANGED, FAILED, CHANGED, LEFT], detail) == shown


def test_summary_and_message() -> None:
    assert results.summary(ITEMS) == {"total": 4, "changed": 2, "unchanged": 1, "failed": 1}
    assert results.message(ITEMS) == "1 of 4 failed: group 'g': NON_EMPTY_GROUP: in use"
    assert results.message([CHANGED]) == ""
    assert results.message([FAILED, FAILED]).startswith("2 of 2 failed; first: group 'g': ")


def test_diff_shows_only_what_changes() -> None:
    diff = results.diff([*ITEMS, Item.planned(GroupTarget("h"), results.DELETE_GROUP, group("h"))])
    assert diff["before"].splitlines() == [
        "group 'g', topic 'a', partition 0: offset 1",
        "group 'g', member client-m on 10.0.0.1 (member id m)",
        "group 'h': classic, Empty",
    ]
    assert diff["after"].splitlines() == ["group 'g', topic 'a', partition 0: offset 2, metadata 'm'"]


@pytest.mark.parametrize(
    ("patterns", "name", "matches"),
    [
        (["etl-*"], "etl-1", True),
        (["etl-*"], "my-etl-1", False),
        (["a", "b"], "b", True),
        (["[ab]?"], "b2", True),
        (["~etl-[0-9]+"], "etl-12", True),
        (["~etl-[0-9]+"], "etl-12x", False),
        (["*"], "any, 'thing'\n", True),
    ],
)
def test_matcher(patterns: list[str], name: str, matches: bool) -> None:
    assert matcher(patterns, "match")(name) is matches
