# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The settings of deleted groups: what is told, removed and kept."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import error
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import Setting
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _remaining_configs, delete_groups
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.results import GroupTarget, Item

DENIED = error("GROUP_AUTHORIZATION_FAILED", "no")
SET = {"b": Setting("2"), "a": Setting("1")}


@pytest.mark.parametrize(
    ("found", "returned", "warned"),
    [
        (None, None, False),
        ({}, {}, False),
        ({"g": SET}, {"g": {"a": "1", "b": "2"}}, True),
        ({"g": DENIED}, {"g": None}, False),
        ({"g": DENIED, "h": SET}, {"g": None, "h": {"a": "1", "b": "2"}}, True),
    ],
)
def test_what_remains(found: Any, returned: Any, warned: bool) -> None:
    assert _remaining_configs.as_result(found) == returned
    assert bool(_remaining_configs.warning(found)) == warned


def test_the_warning_names_the_first() -> None:
    (words,) = _remaining_configs.warning({"z": SET, "g": SET, "denied": DENIED})
    assert words.startswith("the settings of 2 groups remain after the deletion, first 'g': set configs to true")


def test_removals() -> None:
    items = _remaining_configs.removals({"g": SET, "denied": DENIED})
    assert [(*item.target, item.changed, item.error) for item in items] == [
        ("g", "b", True, None),
        ("g", "a", True, None),
        ("denied", None, False, DENIED),
    ]


def test_values_to_back_up() -> None:
    items = _remaining_configs.removals({"g": SET, "denied": DENIED, "limited": SET})
    items[3:] = [item.failed(DENIED) for item in items[3:]]
    assert _remaining_configs.removed_values(items) == {"g": {"a": "1", "b": "2"}}


def test_settings_of_a_group_that_is_kept_are_kept() -> None:
    deletion = Item.planned(GroupTarget("kept"), "delete_group", None)
    items = [deletion, *_remaining_configs.removals({"kept": SET, "gone": SET, "denied": DENIED})]
    after = delete_groups._keep_remains([items[0].failed(DENIED), *items[1:]], set())
    assert after[0] == deletion.failed(DENIED)
    assert [(item.changed, item.before == item.after) for item in after[1:3]] == [(False, True)] * 2
    assert after[3:] == items[3:]


def test_settings_of_a_group_that_was_created_again_are_kept() -> None:
    deletion = Item.planned(GroupTarget("again"), "delete_group", None)
    after = delete_groups._keep_remains([deletion, *_remaining_configs.removals({"again": SET})], {"again"})
    assert [item.changed for item in after] == [True, False, False]
