# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which conditions groups do not meet yet, and how often they are read until they do."""

from __future__ import annotations

import asyncio
import typing as t
from types import SimpleNamespace as Simple

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import ConditionsNotMet
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _wait, info
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._wait import (
    Answer,
    Unmet,
    Wait,
    unmet,
    unmet_of,
    wait_for,
)

HIDDEN = {"group": "g", "error": {"name": "GROUP_AUTHORIZATION_FAILED", "message": "not allowed"}}
STATES = Wait(["Empty"], None, None, 60)
LAG = Wait(None, 10, None, 60)
MEMBERS = Wait(None, None, 1, 60)
ALL = Wait(["Empty", "Stable"], 10, 1, 60)


def group(name: str = "g", **values: t.Any) -> dict[str, t.Any]:
    return {"name": name, **values}


def answer(*groups: dict[str, t.Any], missing: t.Sequence[str] = (), errors: t.Sequence[t.Any] = ()) -> Answer:
    return {"groups": list(groups), "missing": list(missing), "errors": list(errors)}


@pytest.mark.parametrize(
    ("found", "wait", "conditions"),
    [
        (group(state="Empty"), STATES, {}),
        (group(state="Stable"), STATES, {"states": "Stable"}),
        (group(state="PreparingRebalance"), STATES, {"states": "PreparingRebalance"}),
        (group(state=None), STATES, {"states": None}),
        (group(lag=0), LAG, {}),
        (group(lag=10), LAG, {}),
        (group(lag=11), LAG, {"max_lag": 11}),
        (group(lag=None, known_lag=0), LAG, {"max_lag": None}),
        (group(members=[{}]), MEMBERS, {}),
        (group(members=[{}, {}]), MEMBERS, {"max_members": 2}),
        (group(members=None), MEMBERS, {"max_members": None}),
        (group(state="Stable", lag=3, members=[]), ALL, {}),
        (group(state="Dead", lag=30, members=[{}]), ALL, {"states": "Dead", "max_lag": 30}),
    ],
)
def test_what_a_group_does_not_meet(found: dict[str, t.Any], wait: Wait, conditions: dict[str, t.Any]) -> None:
    assert {each.condition: each.actual for each in unmet(found, wait)} == conditions


@pytest.mark.parametrize(
    ("found", "wait", "names"),
    [
        pytest.param(answer(), STATES, [], id="no group"),
        pytest.param(answer(missing=["g"]), STATES, [], id="a group that does not exist is empty"),
        pytest.param(answer(missing=["g"]), STATES._replace(states=["Stable"]), ["g"], id="and not stable"),
        pytest.param(answer(missing=["g"]), MEMBERS, [], id="and without members"),
        pytest.param(answer(missing=["g"]), LAG, ["g"], id="and has no lag"),
        pytest.param(answer(group("b", state="Stable"), group("a", state="Dead")), STATES, ["a", "b"], id="sorted"),
        pytest.param(answer(errors=[HIDDEN]), STATES, ["g"], id="a group that cannot be described"),
        pytest.param(answer(group(state="Empty"), errors=[HIDDEN]), STATES, ["g"], id="nor its offsets"),
        pytest.param(answer(group(state="Empty"), errors=[{"topic": "t"}]), STATES, [], id="a log it does not need"),
    ],
)
def test_which_groups_of_an_answer_do_not_meet_the_conditions(found: Answer, wait: Wait, names: list[str]) -> None:
    assert [each.group for each in unmet_of(found, wait)] == names


class Poller:
    """Answers in turn, the last one for ever; its clock is moved by pauses alone."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.reads: list[set[str]] = []
        self.pauses: list[float] = []

    async def read(self, gather: frozenset[str]) -> Answer:
        self.reads.append(set(gather))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def wait(self, wait: Wait, gather: t.Iterable[str] = (), check: bool = False) -> tuple[Answer, list[str]]:
        return asyncio.run(wait_for(self, wait, frozenset(gather), check, lambda: sum(self.pauses)))


BUSY, DRAINED, NOBODY = answer(group(state="Stable")), answer(group(state="Empty")), answer()
STABLE = STATES._replace(states=["Stable"])


def test_groups_are_read_until_they_meet_the_conditions() -> None:
    poller = Poller(*[BUSY] * 6, DRAINED)
    found, warnings = poller.wait(STATES)
    assert (found["attempts"], found["unmet"], warnings) == (7, [], [])
    assert found["waited"] == pytest.approx(sum(poller.pauses), abs=0.001)
    assert [round(each / expected) for each, expected in zip(poller.pauses, [0.5, 1, 2, 4, 5, 5], strict=True)] == [
        1
    ] * 6


@pytest.mark.parametrize(
    ("wait", "gather", "answers", "reads"),
    [
        (STATES, [], [BUSY, DRAINED], [set(), set()]),
        (STATES, ["lag"], [BUSY, DRAINED, DRAINED], [set(), set(), {"lag"}]),
        # it was used again before the rest was read
        (STATES, ["lag"], [DRAINED, BUSY, DRAINED], [set(), {"lag"}, set(), {"lag"}]),
        (LAG, [], [answer(group(lag=1))], [{"lag"}]),
        (MEMBERS, ["members"], [answer(group(members=[]))], [{"members"}]),
    ],
)
def test_only_what_the_conditions_need_is_read_until_they_are_met(
    wait: Wait, gather: list[str], answers: list[Answer], reads: list[set[str]]
) -> None:
    poller = Poller(*answers)
    assert poller.wait(wait, gather)[0]["unmet"] == []
    assert poller.reads == reads


@pytest.mark.parametrize(
    ("found", "wait", "words"),
    [
        (BUSY, STATES, "after 60 s, 1 of 1 group did not meet the conditions: 'g': state is Stable, not Empty."),
        (answer(group(lag=None)), LAG, "'g': lag is unknown, max_lag is 10."),
        (
            answer(group(members=[{}, {}]), missing=["h"]),
            MEMBERS,
            "1 of 2 groups .*'g': members is 2, max_members is 1.",
        ),
        (answer(*(group(f"g{n}", lag=n) for n in range(20))), LAG, "9 of 20 groups .*'g11': .*'g15': .*; and 4 more."),
        (answer(errors=[{"broker": 1}]), STATES, "after 60 s, the groups of 1 broker could not be read."),
        (answer(errors=[HIDDEN]), STATES, "1 of 1 group .*: 'g': GROUP_AUTHORIZATION_FAILED: not allowed."),
        (NOBODY, STABLE, "wait: after 60 s, no group matches."),
        (NOBODY, LAG, "wait: after 60 s, no group matches."),
        (
            answer(errors=[{"broker": 1}]),
            LAG,
            "after 60 s, no group matches; the groups of 1 broker could not be read.",
        ),
    ],
)
def test_a_time_out_says_what_is_missing(found: Answer, wait: Wait, words: str) -> None:
    poller = Poller(found)
    with pytest.raises(ConditionsNotMet, match=words) as failure:
        poller.wait(wait, ["permissions"])
    assert sum(poller.pauses) == pytest.approx(60)
    assert failure.value.answer["unmet"] == [each._asdict() for each in unmet_of(found, wait)]
    assert "permissions" in poller.reads[-1]


@pytest.mark.parametrize(
    ("found", "warning"),
    [
        (DRAINED, None),
        (NOBODY, "wait: no group matches, so there was nothing to wait for."),
        (answer(missing=["h"]), "wait: 1 group did not exist and counted as Empty: 'h'."),
        (BUSY, "Check mode does not wait."),
    ],
)
def test_check_mode_reads_once_and_does_not_fail(found: Answer, warning: str | None) -> None:
    poller = Poller(found)
    returned, warnings = poller.wait(STATES, ["lag"], check=True)
    assert (returned["attempts"], poller.reads, poller.pauses) == (1, [{"lag"}], [])
    assert [warning in each for each in warnings if warning] == [True] * bool(warning)


@pytest.mark.parametrize(
    ("wait", "attempts", "warned"),
    [
        pytest.param(STATES, 1, True, id="nobody is empty"),
        pytest.param(MEMBERS, 1, True, id="and has no members"),
        pytest.param(STABLE, 3, False, id="nobody is stable"),
        pytest.param(STATES._replace(max_lag=10), 3, False, id="nor has a known lag"),
    ],
)
def test_a_pattern_waits_for_its_first_group(wait: Wait, attempts: int, warned: bool) -> None:
    ready = answer(group(state=(wait.states or ["Empty"])[0], lag=0, members=[]))
    returned, warnings = Poller(NOBODY, NOBODY, ready).wait(wait)
    assert (returned["attempts"], bool(warnings)) == (attempts, warned)


def test_a_group_that_appears_while_the_task_waits_has_to_meet_the_conditions() -> None:
    ready, late = group("a", state="Empty"), group("b", state="Stable")
    poller = Poller(answer(group("a", state="Stable")), answer(ready, late), answer(ready, group("b", state="Empty")))
    returned, _warnings = poller.wait(STATES)
    assert (returned["attempts"], [each["name"] for each in returned["groups"]]) == (3, ["a", "b"])


class Brokers:
    """The brokers of a cluster as a wire knows them: others after each refresh."""

    def __init__(self, *nodes: list[int]) -> None:
        self.turns = [*nodes]
        self.refreshed = 0

    @property
    def nodes(self) -> list[int]:
        return self.turns[0]

    def address(self, node: int) -> str:
        return f"h{node}:9092"

    async def refresh(self) -> None:
        self.turns.pop(0)
        self.refreshed += 1


@pytest.mark.parametrize(
    ("turns", "lists"),
    [
        pytest.param([[1], [1, 2], [1, 2]], [[1], [1, 2], [1, 2]], id="one joins and is read"),
        pytest.param([[1, 2], [1], [1, 2]], [[1, 2], [1, -2], [1, 2]], id="one restarts"),
        pytest.param([[1, 2], [1], [1]], [[1, 2], [1, -2], [1, -2]], id="one leaves for good"),
        pytest.param([[1], [2, 3], [2]], [[1], [-1, 2, 3], [-1, 2, -3]], id="all are replaced"),
    ],
)
def test_brokers_come_and_go_while_a_task_waits(
    monkeypatch: pytest.MonkeyPatch, turns: list[list[int]], lists: list[list[int]]
) -> None:
    """Each read asks the brokers of the time; the groups of one that has left are unknown."""
    asked: list[list[int]] = []

    async def read(_request: t.Any, session: t.Any, _gather: t.Any) -> Answer:
        asked.append([*session.wire.nodes])
        return {**answer(group(state="Empty")), "total": 1}

    async def poll() -> list[Answer]:
        poller = info._Poller(request, session)
        return [await poller.read(frozenset()) for _turn in turns]

    monkeypatch.setattr(info, "_read", read)
    request: t.Any = Simple(names=None)
    session: t.Any = Simple(wire=Brokers(*turns))
    found = asyncio.run(poll())
    assert asked == turns
    gone = [[-each["broker"] for each in one["errors"]] for one in found]
    assert [sorted([*nodes, *left], key=abs) for nodes, left in zip(asked, gone, strict=True)] == lists
    assert [_wait._met(one, STATES) for one in found] == [not left for left in gone]
    assert [one["total"] for one in found] == [None if left else 1 for left in gone]


def test_an_unmet_condition_as_it_is_returned() -> None:
    assert unmet(group(lag=11), LAG) == [Unmet("g", "max_lag", 10, 11)]
