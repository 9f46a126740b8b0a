# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What consumer_group_offsets is asked for."""

from __future__ import annotations

import time
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._offset_request import (
    Copy,
    Reset,
    Restore,
    Wanted,
    parse,
)

from tests.unit.values import at

DEFAULTS: dict[str, t.Any] = dict.fromkeys(
    (
        "group",
        "topics",
        "groups",
        "plan",
        "offsets",
        "reset",
        "restore",
        "copy_from",
        "backup",
        "max_changes",
        "match",
        "match_topics",
    )
)
DEFAULTS.update(owner="*", state="absent", unsubscribed=False, all_topics=False, use_timestamps=False)
RESTORE = {"path": "f", "topics": None, "any_cluster": False, "missing_only": False, "recreated": "fail"}


def topics(**partitions: list[int] | None) -> list[dict[str, t.Any]]:
    return [{"name": name, "partitions": chosen} for name, chosen in partitions.items()]


def wanted(offset: int, partition: int = 0, **more: t.Any) -> dict[str, t.Any]:
    return {
        "topic": "a",
        "partition": partition,
        "offset": offset,
        "metadata": None,
        "leader_epoch": None,
        "timestamp": None,
        **more,
    }


def reset(**where: t.Any) -> dict[str, t.Any]:
    return {"state": "present", "group": "g", "topics": topics(a=None), "reset": where}


@pytest.mark.parametrize(
    ("params", "groups"),
    [
        ({"group": "g", "topics": topics(a=[1, 0, 1], b=None)}, {"g": {"a": (0, 1), "b": None}}),
        ({"group": "g", "unsubscribed": True}, {"g": {}}),
        (
            {"groups": [{"name": "g", "topics": topics(a=None)}, {"name": "h", "topics": topics(b=[2])}]},
            {"g": {"a": None}, "h": {"b": (2,)}},
        ),
        ({"plan": "p"}, {}),
        ({"state": "present", "restore": RESTORE}, {}),
        ({"state": "present", "restore": RESTORE, "groups": [{"name": "g", "topics": None}]}, {"g": {}}),
    ],
)
def test_groups(params: dict[str, t.Any], groups: dict[str, t.Any]) -> None:
    assert parse({**DEFAULTS, **params}).groups == groups


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"to_earliest": True}, Reset("to_earliest")),
        ({"to_latest": True, "to_offset": None}, Reset("to_latest")),
        ({"to_offset": 5}, Reset("to_offset", 5)),
        ({"to_offset": 2**63 - 1}, Reset("to_offset", 2**63 - 1)),
        ({"shift_by": -3}, Reset("shift_by", -3)),
        ({"shift_by": 0}, Reset("shift_by", 0)),
        ({"to_datetime": "1767225600000"}, Reset("to_datetime", 1767225600000)),
        ({"to_datetime": "2026-01-01T00:00:00Z"}, Reset("to_datetime", 1767225600000)),
        ({"to_datetime": "2026-01-01T00:00:00"}, Reset("to_datetime", 1767225600000)),
        ({"to_datetime": "2026-01-01T01:00:00.500+01:00"}, Reset("to_datetime", 1767225600500)),
        ({"to_datetime": "1960-01-01T00:00:00Z"}, Reset("to_datetime", 0)),
    ],
)
def test_reset(given: dict[str, t.Any], read: Reset) -> None:
    assert parse({**DEFAULTS, **reset(**given)}).reset == read


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("P7D", 604800),
        ("PT1H30M", 5400),
        ("P1DT12H", 129600),
        ("7d", 604800),
        ("1h30m", 5400),
        ("90s", 90),
        ("2w", 1209600),
    ],
)
def test_duration(value: str, seconds: int) -> None:
    before = int(time.time() * 1000)
    read = parse({**DEFAULTS, **reset(by_duration=value)}).reset
    assert read is not None
    assert read.to == "to_datetime"
    assert before <= read.value + seconds * 1000 <= int(time.time() * 1000)


def test_offsets() -> None:
    params = {
        "state": "present",
        "group": "g",
        "offsets": [
            wanted(5),
            wanted(6, partition=1, metadata="m", leader_epoch=2),
            wanted(2**63 - 1, partition=2, metadata="", leader_epoch=-1),
            wanted(0, partition=3, metadata="\0" + "ü" * 40_000),
        ],
    }
    assert parse({**DEFAULTS, **params}).offsets == {
        at(0): Wanted(5, None, None),
        at(1): Wanted(6, "m", 2),
        at(2): Wanted(2**63 - 1, "", -1),
        at(3): Wanted(0, "\0" + "ü" * 40_000, None),
    }


@pytest.mark.parametrize(
    ("how", "read"),
    [
        ({}, Restore("f", None, any_cluster=False, missing_only=False, clamp=False)),
        (
            {"any_cluster": True, "missing_only": True},
            Restore("f", None, any_cluster=True, missing_only=True, clamp=False),
        ),
        ({"recreated": "clamp"}, Restore("f", None, any_cluster=False, missing_only=False, clamp=True)),
        ({"topics": {"a": "b"}}, Restore("f", {"a": "b"}, any_cluster=False, missing_only=False, clamp=False)),
    ],
)
def test_restore(how: dict[str, t.Any], read: Restore) -> None:
    assert parse({**DEFAULTS, "state": "present", "restore": {**RESTORE, **how}}).restore == read


@pytest.mark.parametrize("topics", [None, {"a": "a"}, {"a": "b", "b": "a"}])
def test_copy_from(topics: dict[str, str] | None) -> None:
    params = {"state": "present", "group": "g", "copy_from": {"group": "h", "topics": topics, "use_timestamps": False}}
    assert parse({**DEFAULTS, **params}).copy_from == Copy("h", topics, False)


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({}, "group or groups is missing"),
        ({"unsubscribed": True}, "group or groups is missing"),
        ({"plan": ""}, "plan is empty"),
        ({"group": "g"}, "topics is missing for group 'g'"),
        ({"group": ""}, "group is empty"),
        ({"group": "g", "topics": []}, "topics is an empty list"),
        ({"group": "g", "topics": topics(a=[])}, r"topics\[0\].partitions is an empty list"),
        ({"group": "g", "topics": topics(a=[-1])}, r"topics\[0\].partitions is -1"),
        ({"group": "g", "topics": topics(a=None) * 2}, r"topics\[1\] contains 'a' more than once"),
        ({"group": "g", "topics": [{"name": 7, "partitions": None}]}, r"topics\[0\].name is 7"),
        ({"groups": []}, "groups is an empty list"),
        ({"groups": [{"name": "g", "topics": None}]}, "topics is missing for group 'g'"),
        ({"groups": [{"name": "g", "topics": topics(a=None)}] * 2}, r"groups\[1\] contains 'g' more than once"),
        (
            {"group": "g", "topics": topics(a=None), "unsubscribed": True},
            "unsubscribed and topics are mutually exclusive",
        ),
        ({"group": "g", "topics": topics(a=None), "max_changes": -1}, "max_changes is -1"),
        ({**reset(to_latest=True), "state": "absent"}, "reset requires state present"),
        ({"group": "g", "restore": RESTORE}, "restore requires state present"),
        ({"group": "g", "offsets": [wanted(1)]}, "offsets requires state present"),
        ({"state": "present", "group": "g", "topics": topics(a=None)}, "needs one of offsets, reset, restore and"),
        ({"state": "present", "group": "g", "offsets": []}, "offsets is an empty list"),
        ({"state": "present", "group": "g", "offsets": [wanted(-1)]}, r"offsets\[0\].offset is -1"),
        ({"state": "present", "group": "g", "offsets": [wanted(1, leader_epoch=-2)]}, "leader_epoch is -2"),
        ({"state": "present", "group": "g", "offsets": [wanted(1, metadata="\ud800")]}, "metadata is not valid UTF-8"),
        ({"state": "present", "group": "g", "offsets": [wanted(1, partition=-1)]}, r"offsets\[0\].partition is -1"),
        (
            {"state": "present", "group": "g", "offsets": [wanted(1), wanted(2)]},
            "contains partition a-0 more than once",
        ),
        ({"state": "present", "group": "g", "unsubscribed": True}, "unsubscribed requires state absent"),
        ({"state": "present", "restore": {**RESTORE, "path": ""}}, "restore.path is empty"),
        ({"state": "present", "restore": {**RESTORE, "path": "f/"}}, "restore.path is 'f/', which is not the path of"),
        (
            {"state": "present", "restore": RESTORE, "groups": [{"name": "g", "topics": topics(a=None)}]},
            "topics and restore are mutually exclusive: set one of them",
        ),
        ({**reset(to_latest=True), "group": None}, "group or groups is missing"),
        ({**reset(to_latest=True), "topics": None}, "topics is missing for group 'g'"),
        (reset(to_offset=None), "reset contains only null"),
        (reset(to_offset=-1), "reset.to_offset is -1"),
        (reset(to_offset=True), "reset.to_offset is True, and must be a number"),
        (reset(to_offset=2**63), f"reset.to_offset is a number with too many digits: it must be from 0 to {2**63 - 1}"),
        (reset(shift_by=False), "reset.shift_by is False, and must be a number"),
        (reset(shift_by=2**63), f"reset.shift_by is a number with too many digits: it must be from -{2**63 - 1} to"),
        (reset(shift_by=-(10**5000)), "reset.shift_by is a number with too many digits"),
        *(
            (reset(to_datetime=each), f"reset.to_datetime is '{each}': a time is ISO 8601")
            for each in ("soon", "True", "2026", "20260131", "")
        ),
        *(
            (reset(by_duration=each), f"reset.by_duration is '{each}': a duration is written as")
            for each in ("soon", "P", "PT", "P1M", "30", "")
        ),
        (reset(to_datetime="9" * 5000), "reset.to_datetime is longer than 100 characters"),
        (reset(by_duration="9" * 5000), "reset.by_duration is longer than 100 characters"),
        (reset(to_datetime="9" * 20), "reset.to_datetime is '9+', which is too large"),
        (reset(by_duration="9" * 30 + "d"), "reset.by_duration is '9+d', which is too large"),
    ],
)
def test_refused(params: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(TaskError, match=sentence) as refusal:
        parse({**DEFAULTS, **params})
    assert str(refusal.value).endswith("Nothing was sent.")
