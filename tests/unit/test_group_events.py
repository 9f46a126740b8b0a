# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which events follow from consecutive readings: each row is a story of readings, with the events after each."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._group_events import (
    Limits,
    Memory,
    Reading,
    follow,
)

LIMITS = Limits(max_lag=100, recovered_lag=10, lag_for=0)
LATER = LIMITS._replace(lag_for=60)
STUCK = Limits(stuck_for=60)


def group(name: str = "g", state: str | None = "Stable", lag: int | None = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "classic", "state": state, "lag": lag, **more}


def read(*groups: dict[str, Any], missing: tuple[str, ...] = (), complete: bool = True) -> Reading:
    return Reading({each["name"]: each for each in groups}, frozenset(missing), complete)


def member(name: str, *partitions: int) -> dict[str, Any]:
    held = [{"topic": "t", "partition": number} for number in partitions]
    return {"member_id": name, "group_instance_id": None, "client_id": f"c-{name}", "host": "h", "assignment": held}


def reads(members: list[dict[str, Any]] | None, *at: tuple[int, int | None], kind: str = "classic") -> Reading:
    """A reading of one group: its members, and the offset and lag of each partition from 0."""
    offsets = [{"topic": "t", "partition": number, "offset": o, "lag": lag} for number, (o, lag) in enumerate(at)]
    return read({**group(members=members, offsets=offsets), "type": kind})


def told(limits: Limits, *readings: Reading, seconds: float = 30) -> list[list[str]]:
    """The kinds and groups of the events after each reading, with so many seconds between two."""
    memory, answers = Memory(), []
    for number, reading in enumerate(readings):
        memory, events = follow(memory, reading, limits, 1000 + number * seconds)
        answers.append([f"{event['kind']} {event['group']}" for event in events])
    return answers


@pytest.mark.parametrize(
    ("readings", "events"),
    [
        pytest.param([read(group()), read(group())], [[], []], id="nothing"),
        pytest.param([read(), read(group("b"), group("a"))], [[], ["group_appeared a", "group_appeared b"]], id="new"),
        pytest.param([read(group()), read(missing=("g",))], [[], ["group_vanished g"]], id="gone"),
        pytest.param([read(group()), read()], [[], []], id="not listed, and not missing"),
        pytest.param([read(), read(missing=("g",))], [[], []], id="never known"),
        pytest.param(
            [read(group()), read(missing=("g",)), read(), read(group())],
            [[], ["group_vanished g"], [], ["group_appeared g"]],
            id="gone and back",
        ),
        pytest.param([read(complete=False), read(group()), read(group())], [[], [], []], id="a broker was away first"),
        pytest.param(
            [read(complete=False), read(group()), read(group(), group("h"))],
            [[], [], ["group_appeared h"]],
            id="new since all brokers have answered",
        ),
        pytest.param(
            [read(), read(group(), complete=False)], [[], ["group_appeared g"]], id="new while a broker is away"
        ),
        pytest.param([read(group(state="Empty"))], [[]], id="empty before"),
        pytest.param(
            [read(group()), read(group(state="PreparingRebalance")), read(group(state="Empty")), read(group())],
            [[], [], ["group_empty g"], []],
            id="becomes empty",
        ),
        pytest.param([read(), read(group(state="Empty"))], [[], ["group_appeared g"]], id="new and empty"),
        pytest.param(
            [read(group()), read(group(state=None)), read(group(state="Empty"))],
            [[], [], ["group_empty g"]],
            id="empty after an unknown state",
        ),
        pytest.param(
            [read(group(state=None)), read(group(state="Empty"))], [[], []], id="empty, after nothing was known"
        ),
    ],
)
def test_groups(readings: list[Reading], events: list[list[str]]) -> None:
    assert told(Limits(), *readings) == events


@pytest.mark.parametrize(
    ("limits", "lags", "events"),
    [
        pytest.param(LIMITS, [100, 101, 500], ["", "above", ""], id="above once"),
        pytest.param(LIMITS, [101], ["above"], id="above from the start"),
        pytest.param(LIMITS, [101, 90, 101, 10, 101], ["above", "", "", "recovered", "above"], id="hysteresis"),
        pytest.param(LIMITS, [None, None], ["", ""], id="unknown"),
        pytest.param(LIMITS, [101, None, 101], ["above", "", ""], id="unknown ends nothing"),
        pytest.param(LIMITS, [50, 0], ["", ""], id="never above"),
        pytest.param(LATER, [101, 101, 101, 101], ["", "", "above", ""], id="for a minute"),
        pytest.param(LATER, [101, 90, 101, 101, 101], ["", "", "", "", "above"], id="not all the time"),
        pytest.param(LATER, [101, None, 101], ["", "", "above"], id="for a minute, unknown in between"),
        pytest.param(LATER, [101, 101, None, 101], ["", "", "", "above"], id="not while unknown"),
        pytest.param(LATER, [101, 101, 101, 0, 101], ["", "", "above", "recovered", ""], id="and again"),
        pytest.param(Limits(), [1_000_000], [""], id="no limit"),
        pytest.param(Limits(max_lag=0, recovered_lag=0), [0, 1, 0], ["", "above", "recovered"], id="of nothing"),
    ],
)
def test_lag(limits: Limits, lags: list[int | None], events: list[str]) -> None:
    kinds = told(limits, *(read(group(lag=lag)) for lag in lags))
    assert kinds == [[f"lag_{event} g"] if event else [] for event in events]


A, B, C = member("a", 0), member("b", 1), member("c", 0)
MANY = member("m", 0, 1)


@pytest.mark.parametrize(
    ("readings", "counts"),
    [
        pytest.param([reads([A], (5, 1))] * 4, [0, 0, 1, 0], id="stuck, told once"),
        pytest.param([reads([A], (5, 0))] * 4, [0, 0, 0, 0], id="nothing to read"),
        pytest.param([reads([A], (5, 9)), reads([A], (6, 8)), reads([A], (6, 9)), reads([A], (6, 9))], [0, 0, 0, 1]),
        pytest.param([reads([A], (5, 1)), reads([A], (5, 0)), reads([A], (5, 1))], [0, 0, 0], id="read in between"),
        pytest.param([reads([A], (5, 1)), reads([A], (5, None)), reads([A], (5, 1))], [0, 0, 1], id="unknown between"),
        pytest.param([reads([A], (5, 1)), reads([A], (5, 1)), reads([A], (5, None))], [0, 0, 0], id="unknown at last"),
        pytest.param([reads([A], (5, None))] * 4, [0, 0, 0, 0], id="unknown"),
        pytest.param([reads([A], (5, 1)), reads(None, (5, 1)), reads([A], (5, 1))], [0, 0, 1], id="members unread"),
        pytest.param([reads([A], (5, 1)), reads([C], (5, 1)), reads([A], (5, 1))], [0, 0, 0], id="another in between"),
        pytest.param([reads([A], (5, 1)), reads([], (5, 1)), reads([A], (5, 1))], [0, 0, 0], id="nobody in between"),
        pytest.param([reads([A, B], (5, 1), (5, 1))] * 3, [0, 0, 2], id="an event for each member"),
        pytest.param([reads([MANY], (5, 1), (5, 1))] * 3, [0, 0, 1], id="an event for all partitions"),
        pytest.param(
            [reads([MANY], (5, 1), (n, 1)) for n in (1, 2, 2, 2)], [0, 0, 1, 1], id="another partition, later"
        ),
        pytest.param([reads([A], (5, 1))] * 3 + [reads([A], (6, 1))] * 3, [0, 0, 1, 0, 0, 1], id="stuck again"),
        pytest.param([reads([member("a", 7)], (5, 1))] * 3, [0, 0, 0], id="without a commit"),
        pytest.param([reads([A], (5, 1), kind="share")] * 3, [0, 0, 0], id="share group"),
    ],
)
def test_members(readings: list[Reading], counts: list[int]) -> None:
    kinds = told(STUCK, *readings)
    assert [len(each) for each in kinds] == counts
    assert {kind for each in kinds for kind in each} <= {"member_stuck g"}
    assert told(Limits(), *readings) == [[] for _each in readings]


def test_the_fields_of_events() -> None:
    limits = Limits(max_lag=2, recovered_lag=1, stuck_for=10)
    behind = {**group(lag=3), "members": [A], "offsets": [{"topic": "t", "partition": 0, "offset": 5, "lag": 3}]}
    memory, _none = follow(Memory(), read(), limits, 0)
    memory, new = follow(memory, read(behind), limits, 10)
    memory, stuck = follow(memory, read(behind), limits, 20.5)
    memory, ended = follow(memory, read(group(state="Empty", lag=0)), limits, 30)
    _memory, gone = follow(memory, read(missing=("g",)), limits, 40)
    common = {"group": "g", "type": "classic"}
    assert new == [
        {"kind": "group_appeared", **common, "state": "Stable"},
        {"kind": "lag_above", **common, "state": "Stable", "lag": 3, "max_lag": 2, "seconds": 0},
    ]
    assert stuck == [
        {
            "kind": "member_stuck",
            **common,
            "state": "Stable",
            "member": {"member_id": "a", "group_instance_id": None, "client_id": "c-a", "host": "h"},
            "partitions": [{"topic": "t", "partition": 0, "offset": 5, "lag": 3}],
            "seconds": 10.5,
        }
    ]
    assert ended == [
        {"kind": "group_empty", **common, "state": "Empty", "previous_state": "Stable"},
        {"kind": "lag_recovered", **common, "state": "Empty", "lag": 0, "recovered_lag": 1, "seconds": 20},
    ]
    assert gone == [{"kind": "group_vanished", "group": "g"}]
