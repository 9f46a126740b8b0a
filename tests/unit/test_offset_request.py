# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What consumer_group_offsets is asked for."""

from __future__ import annotations

import time
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._offset_request import Reset, Wanted, parse

from tests.unit.values import at

DEFAULTS: dict[str, t.Any] = dict.fromkeys(
    ("group", "topics", "groups", "plan", "offsets", "reset_to", "reset_value", "restore_from", "backup", "max_changes")
)
DEFAULTS.update(state="absent", unsubscribed=False, force=False, missing_only=False, recreated="fail")


def topics(**partitions: list[int] | None) -> list[dict[str, t.Any]]:
    return [{"name": name, "partitions": chosen} for name, chosen in partitions.items()]


def wanted(offset: int, partition: int = 0, **more: t.Any) -> dict[str, t.Any]:
    return {"topic": "a", "partition": partition, "offset": offset, "metadata": None, "leader_epoch": None, **more}


RESET = {"state": "present", "group": "g", "topics": topics(a=None)}


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
        ({"state": "present", "restore_from": "f"}, {}),
        ({"state": "present", "restore_from": "f", "groups": [{"name": "g", "topics": None}]}, {"g": {}}),
    ],
)
def test_groups(params: dict[str, t.Any], groups: dict[str, t.Any]) -> None:
    assert parse({**DEFAULTS, **params}).groups == groups


@pytest.mark.parametrize(
    ("to", "value", "reset"),
    [
        ("earliest", None, Reset("earliest")),
        ("latest", None, Reset("latest")),
        ("offset", 5, Reset("offset", 5)),
        ("offset", "5", Reset("offset", 5)),
        ("shift", -3, Reset("shift", -3)),
        ("shift", "+3", Reset("shift", 3)),
        ("timestamp", 1767225600000, Reset("timestamp", 1767225600000)),
        ("timestamp", "2026-01-01T00:00:00Z", Reset("timestamp", 1767225600000)),
        ("timestamp", "2026-01-01T00:00:00", Reset("timestamp", 1767225600000)),
        ("timestamp", "2026-01-01T01:00:00.500+01:00", Reset("timestamp", 1767225600500)),
    ],
)
def test_reset(to: str, value: t.Any, reset: Reset) -> None:
    assert parse({**DEFAULTS, **RESET, "reset_to": to, "reset_value": value}).reset == reset


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
    reset = parse({**DEFAULTS, **RESET, "reset_to": "duration", "reset_value": value}).reset
    assert reset is not None
    assert reset.to == "timestamp"
    assert before <= reset.value + seconds * 1000 <= int(time.time() * 1000)


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
    ("params", "sentence"),
    [
        ({}, "group, groups or plan is missing"),
        ({"plan": ""}, "plan is empty"),
        ({"plan": "p", "unsubscribed": True}, "plan stands in place of unsubscribed"),
        ({"plan": "p", "topics": topics(a=None)}, "topics goes with group"),
        ({"plan": "p", "offsets": [wanted(1)]}, "offsets goes with state present"),
        ({"plan": "p", "reset_to": "earliest"}, "reset_to goes with state present"),
        ({"plan": "p", "restore_from": "f"}, "restore_from goes with state present"),
        ({"plan": "p", "force": True}, "force goes with restore_from"),
        ({"plan": "p", "missing_only": True}, "missing_only goes with restore_from"),
        ({"plan": "p", "state": "present"}, "plan goes with state absent"),
        ({"group": "g"}, "topics is missing for group 'g'"),
        ({"group": ""}, "group is empty"),
        ({"group": "g", "topics": []}, "topics is an empty list"),
        ({"group": "g", "topics": topics(a=[])}, r"topics\[0\].partitions is an empty list"),
        ({"group": "g", "topics": topics(a=[-1])}, r"topics\[0\].partitions is -1"),
        ({"group": "g", "topics": topics(a=None) * 2}, r"topics\[1\] names 'a' a second time"),
        ({"group": "g", "topics": [{"name": 7, "partitions": None}]}, r"topics\[0\].name is 7"),
        ({"groups": []}, "groups is an empty list"),
        ({"groups": [{"name": "g", "topics": None}]}, "topics is missing for group 'g'"),
        ({"groups": [{"name": "g", "topics": topics(a=None)}] * 2}, r"groups\[1\] names 'g' a second time"),
        ({"groups": [{"name": "g", "topics": topics(a=None)}], "topics": topics(a=None)}, "topics goes with group"),
        ({"group": "g", "topics": topics(a=None), "unsubscribed": True}, "unsubscribed stands in place of topics"),
        ({"group": "g", "topics": topics(a=None), "reset_to": "earliest"}, "reset_to goes with state present"),
        ({"group": "g", "topics": topics(a=None), "max_changes": -1}, "max_changes is -1"),
        ({"group": "g", "topics": topics(a=None), "force": True}, "force goes with restore_from"),
        ({"state": "present", "group": "g", "topics": topics(a=None)}, "needs exactly one of offsets, reset_to"),
        ({"state": "present", "group": "g", "offsets": [wanted(1)], "restore_from": "f"}, "needs exactly one of"),
        ({"state": "present", "group": "g", "offsets": []}, "offsets is an empty list"),
        ({"state": "present", "group": "g", "offsets": [wanted(-1)]}, r"offsets\[0\].offset is -1"),
        ({"state": "present", "group": "g", "offsets": [wanted(1, leader_epoch=-2)]}, "leader_epoch is -2"),
        ({"state": "present", "group": "g", "offsets": [wanted(1, metadata="\ud800")]}, "metadata is not valid UTF-8"),
        ({"state": "present", "group": "g", "offsets": [wanted(1, partition=-1)]}, r"offsets\[0\].partition is -1"),
        ({"state": "present", "group": "g", "offsets": [wanted(1), wanted(2)]}, "names partition a-0 a second time"),
        (
            {"state": "present", "group": "g", "offsets": [wanted(1)], "topics": topics(a=None)},
            "topics does not go with",
        ),
        ({"state": "present", "offsets": [wanted(1)]}, "offsets needs group"),
        ({"state": "present", "group": "g", "unsubscribed": True}, "unsubscribed goes with state absent"),
        ({**RESET, "reset_to": "earliest", "reset_value": 1}, "reset_value does not go with reset_to earliest"),
        ({**RESET, "reset_to": "offset"}, "reset_to offset needs reset_value"),
        ({**RESET, "reset_to": "offset", "reset_value": -1}, "reset_value is -1"),
        ({**RESET, "reset_to": "shift", "reset_value": "1.5"}, "not a whole number"),
        ({**RESET, "reset_to": "timestamp", "reset_value": "soon"}, "a timestamp is ISO 8601"),
        ({**RESET, "reset_to": "timestamp", "reset_value": True}, "a timestamp is ISO 8601"),
        ({**RESET, "reset_to": "duration", "reset_value": "soon"}, "a duration is written as"),
        ({**RESET, "reset_to": "duration", "reset_value": "P"}, "a duration is written as"),
        ({**RESET, "reset_to": "duration", "reset_value": "PT"}, "a duration is written as"),
        ({**RESET, "reset_to": "duration", "reset_value": "P1M"}, "a duration is written as"),
        ({**RESET, "reset_to": "duration", "reset_value": 30}, "a duration is written as"),
        *(
            ({**RESET, "reset_to": to, "reset_value": "9" * 5000}, "longer than 100 characters")
            for to in ("offset", "shift", "timestamp", "duration")
        ),
        ({**RESET, "reset_to": "timestamp", "reset_value": 2026}, "a timestamp is ISO 8601"),
        ({**RESET, "reset_to": "timestamp", "reset_value": "20260131"}, "a timestamp is ISO 8601"),
        ({**RESET, "reset_to": "earliest", "force": True}, "force goes with restore_from"),
        ({**RESET, "reset_to": "earliest", "missing_only": True}, "missing_only goes with restore_from"),
    ],
)
def test_refused(params: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(TaskError, match=sentence) as refusal:
        parse({**DEFAULTS, **params})
    assert str(refusal.value).endswith("Nothing was sent.")
