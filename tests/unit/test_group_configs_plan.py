# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What C(group_config) does with each setting: the plan, the values, and what became of a lost answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import NothingChanged, TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._files import backup
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import error
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import GroupSnapshot, Setting
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import group_configs
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._read_configs import explained
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.group_configs import (
    Request,
    Restore,
    _is_made,
    plan,
)

TIMEOUT, RESET = "consumer.session.timeout.ms", "share.auto.offset.reset"
#: A group that overrides the first of two settings.
SEEN = {TIMEOUT: Setting("45000", True), RESET: Setting("latest", False)}
GIVEN: dict[str, Any] = {"names": ["g"], "state": "present", "config": None, "keys": None, "max_changes": None}
GIVEN |= {"remove_all": False, "restore": None}
SAME = (TIMEOUT, "none", False, "45000", "45000")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, [SAME]),
        ({TIMEOUT: "45000"}, [SAME]),
        ({TIMEOUT: " 045000 "}, [SAME]),
        ({TIMEOUT: "60000"}, [(TIMEOUT, "set_config", True, "45000", "60000")]),
        ({TIMEOUT: None}, [(TIMEOUT, "delete_config", True, "45000", None)]),
        # the default of today is not that of tomorrow
        ({RESET: "latest"}, [(RESET, "set_config", True, None, "latest")]),
        ({RESET: None}, [(RESET, "none", False, None, None)]),
        (None, [(TIMEOUT, "delete_config", True, "45000", None)]),
    ],
)
def test_plan(config: dict[str, str | None] | None, expected: list[Any]) -> None:
    items = [item.as_result() for item in plan(Request({"g": config}, None), {"g": dict(SEEN)})]
    assert [
        (
            item["setting"],
            item["action"],
            item["changed"],
            item["before"] and item["before"]["value"],
            item["after"] and item["after"]["value"],
        )
        for item in items
    ] == expected
    assert not any(item["failed"] for item in items)


@pytest.mark.parametrize("config", [{}, None])
def test_a_group_without_settings_is_one_item(config: dict[str, str | None] | None) -> None:
    (item,) = plan(Request({"g": config}, None), {"g": {RESET: SEEN[RESET]}})
    assert (item.target.setting, item.changed, item.error) == (None, False, None)


@pytest.mark.parametrize(("wanted", "changed"), [("True", False), (" TRUE", False), ("false", True), ("1", True)])
def test_a_boolean(wanted: str, changed: bool) -> None:
    (item,) = plan(Request({"g": {"offload": wanted}}, None), {"g": {"offload": Setting("true", True)}})
    assert item.changed is changed


def test_a_setting_that_the_brokers_do_not_know() -> None:
    words = rf"do not know the group setting 'consumer.nonsense': they know {TIMEOUT}, {RESET}\. Nothing was changed\."
    with pytest.raises(NothingChanged, match=words):
        plan(Request({"g": {TIMEOUT: "1", "consumer.nonsense": "1"}}, None), {"g": SEEN})


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("GROUP_AUTHORIZATION_FAILED", "needs DESCRIBE_CONFIGS on group 'g'"),
        ("INVALID_REQUEST", "settings of groups need Kafka 4.0 or newer"),
        ("UNKNOWN_SERVER_ERROR", "why"),
    ],
)
def test_a_group_that_cannot_be_read(name: str, words: str) -> None:
    seen = {"g": explained("g", error(name, "why")), "h": SEEN}
    items = plan(Request({name: {TIMEOUT: "1"} for name in ("g", "h")}, None), seen)
    assert items[0].error is not None
    assert words in items[0].error.message
    assert items[1].changed


@pytest.mark.parametrize(
    ("given", "config"),
    [
        ({}, {}),
        ({"config": {"a": 1, "b": True, "c": "x", "d": None}}, {"a": "1", "b": "true", "c": "x", "d": None}),
        ({"state": "absent", "remove_all": True}, None),
        ({"state": "absent", "keys": ["a"]}, {"a": None}),
    ],
)
def test_options(given: dict[str, Any], config: dict[str, str | None] | None) -> None:
    assert group_configs.parse({**GIVEN, **given}) == Request({"g": config}, None)


@pytest.mark.parametrize(
    ("missing_only", "saved", "expected"),
    [
        (False, {TIMEOUT: "60000", RESET: "earliest"}, [(TIMEOUT, "60000", True), (RESET, "earliest", True)]),
        (True, {TIMEOUT: "60000", RESET: "earliest"}, [(TIMEOUT, "45000", False), (RESET, "earliest", True)]),
        (False, {TIMEOUT: "45000"}, [(TIMEOUT, "45000", False)]),
    ],
)
def test_a_restore(missing_only: bool, saved: dict[str, str | None], expected: list[Any]) -> None:
    items = plan(Request({"g": saved}, None, Restore("b.json", False, missing_only)), {"g": SEEN})
    assert [(item.target.setting, item.after and item.after.as_result()["value"], item.changed) for item in items] == (
        expected
    )


@pytest.mark.parametrize(("names", "chosen"), [(None, []), ("g", ["g"]), (["g", "h"], ["g", "h"])])
def test_options_of_a_restore(names: Any, chosen: list[str]) -> None:
    restore = {"path": "b.json", "any_cluster": False, "missing_only": True}
    request = group_configs.parse({**GIVEN, "names": names, "restore": restore})
    assert request == Request(dict.fromkeys(chosen), None, Restore("b.json", False, True))


@pytest.mark.parametrize(
    ("names", "configs"),
    [
        ([], {"set": {TIMEOUT: "1"}, "gone": {RESET: "latest"}}),
        (["gone"], {"gone": {RESET: "latest"}}),
        # nothing has to be read of a group without settings in the back-up
        (["bare", "set"], {"set": {TIMEOUT: "1"}}),
        (["bare"], {}),
        (["set", "other"], None),
    ],
)
def test_the_settings_of_a_backup(tmp_path: Path, names: list[str], configs: Any) -> None:
    file = tmp_path / "b.json"
    groups = [GroupSnapshot(name, "classic", "Empty", {}) for name in ("set", "bare")]
    backup.write(str(file), "c", {}, groups, {"set": {TIMEOUT: "1"}, "gone": {RESET: "latest"}})
    restore = Restore(str(file), False, False)
    if configs is not None:
        assert group_configs._saved(restore, names, "c") == configs
        return
    with pytest.raises(NothingChanged, match=r"b\.json does not contain group 'other'"):
        group_configs._saved(restore, names, "c")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"state": "absent", "restore": {"path": "b"}}, "restore requires state present"),
        ({"remove_all": True, "restore": {"path": "b"}}, "restore requires state present"),
        ({"restore": {"path": "", "any_cluster": False, "missing_only": False}}, "restore.path is empty"),
        ({"config": {"a": 1.5}}, "config: a is 1.5, and must be a string, an integer, a boolean or null"),
        ({"config": {"a": ["x"]}}, "config: a is .'x'., and must be"),
        ({"config": {1: "x"}}, "config is 1, which YAML reads as a number"),
        ({"state": "absent", "config": {"a": 1}}, "config requires state present"),
        ({"keys": ["a"]}, "keys requires state absent"),
        ({"state": "absent", "keys": []}, "keys is an empty list"),
        ({"state": "absent"}, "state absent needs keys or remove_all"),
        ({"state": "absent", "keys": ["a"], "remove_all": True}, "remove_all and keys are mutually exclusive"),
        ({"remove_all": True}, "remove_all requires state absent"),
    ],
)
def test_options_that_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(TaskError, match=words):
        group_configs.parse({**GIVEN, **given})


@pytest.mark.parametrize(
    ("changes", "made"),
    [
        ({TIMEOUT: "45000"}, True),
        ({TIMEOUT: "45000", RESET: None}, True),
        ({TIMEOUT: "045000"}, True),
        # a broker that does not know it yet does not have it
        ({"newer.setting": "1"}, None),
        ({TIMEOUT: "60000"}, None),
        ({TIMEOUT: None}, None),
        # equal to the default, and not set
        ({RESET: "latest"}, None),
    ],
)
def test_a_lost_answer(changes: dict[str, str | None], made: bool | None) -> None:
    assert _is_made(SEEN, changes) is made
