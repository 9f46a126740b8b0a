# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Wait until groups meet conditions: which conditions are not met yet, and how often to look."""

from __future__ import annotations

import collections.abc as c
import itertools
import math
import time
import typing as t

from .. import _input as inputs
from .._errors import ConditionsNotMet, InvalidOption
from .._kafka.driver import backoff
from .results import counted

DEFAULT_TIMEOUT = 60.0
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 5.0
_SHOWN = 5

Answer = dict[str, t.Any]

#: A group that does not exist, as one whose last offset expired: its lag is unknown.
_MISSING = {"state": "Empty", "members": []}


class Wait(t.NamedTuple):
    """The conditions that each group must meet, None where there is none, and for how many seconds to wait."""

    states: list[str] | None
    max_lag: int | None
    max_members: int | None
    timeout: float

    @property
    def gather(self) -> frozenset[str]:
        """What of each group the conditions are about."""
        needed = {"lag": self.max_lag, "members": self.max_members}
        return frozenset(name for name, limit in needed.items() if limit is not None)


class Unmet(t.NamedTuple):
    """A condition that a group does not meet: the option, its value, and what the group has; None if unknown."""

    group: str
    condition: str
    required: list[str] | int
    actual: str | int | None


class Poller(t.Protocol):
    """Reads the groups, and pauses between two reads."""

    async def read(self, gather: frozenset[str]) -> Answer:
        """Return C(groups), C(missing) and C(errors)."""

    async def pause(self, seconds: float) -> None:
        """Wait before the next read."""


def parse(params: dict[str, t.Any]) -> Wait | None:
    """Return what the options C(wait) and C(wait_timeout) ask for; raises TaskError where an option cannot be."""
    given, timeout = params["wait"], params["wait_timeout"]
    if given is None:
        if timeout is not None:
            raise InvalidOption("wait_timeout requires wait: set wait, or omit wait_timeout.")
        return None
    timeout = DEFAULT_TIMEOUT if timeout is None else timeout
    if math.isnan(timeout) or timeout < 0:
        raise InvalidOption(f"wait_timeout is {timeout:g}: it must be 0 or greater.")
    if timeout >= params["timeout"]:
        raise InvalidOption(
            f"wait_timeout is {timeout:g} s, and the timeout of the whole task {params['timeout']:g} s: raise timeout."
        )
    states, max_lag, max_members = given["states"], given["max_lag"], given["max_members"]
    if states is None and max_lag is None and max_members is None:
        raise InvalidOption("wait has no condition: set states, max_lag or max_members.")
    inputs.not_empty(states, "wait.states")
    return Wait(
        states,
        None if max_lag is None else inputs.natural(max_lag, "wait.max_lag", inputs.INT64_MAX),
        inputs.optional_natural(max_members, "wait.max_members"),
        timeout,
    )


def unmet(group: c.Mapping[str, t.Any], wait: Wait, readable: bool = True) -> list[Unmet]:
    """Return the conditions that a group does not meet; what is unknown never meets one.

    Args:
        group: the group as C(groups) has it.
        readable: False if a part of the group could not be read, which meets no condition.
    """
    members = group.get("members")
    checks: list[tuple[str, list[str] | int | None, str | int | None]] = [
        ("states", wait.states, group.get("state")),
        ("max_lag", wait.max_lag, group.get("lag")),
        ("max_members", wait.max_members, None if members is None else len(members)),
    ]
    return [
        Unmet(group["name"], condition, required, actual)
        for condition, required, actual in checks
        if required is not None and not (readable and _meets(required, actual))
    ]


def _meets(required: list[str] | int, actual: str | int | None) -> bool:
    if isinstance(required, list):
        return actual in required
    return isinstance(actual, int) and actual <= required


def unmet_of(answer: Answer, wait: Wait) -> list[Unmet]:
    """Return the conditions that the groups of an answer do not meet, by group."""
    unread = _unread_groups(answer)
    groups: dict[str, dict[str, t.Any]] = {name: {"name": name} for name in unread}
    groups.update((name, {"name": name, **_MISSING}) for name in answer["missing"])
    groups.update((group["name"], group) for group in answer["groups"])
    return [each for name in sorted(groups) for each in unmet(groups[name], wait, name not in unread)]


async def wait_for(
    poller: Poller,
    wait: Wait,
    gather: frozenset[str],
    check_mode: bool,
    clock: c.Callable[[], float] = time.monotonic,
) -> tuple[Answer, list[str]]:
    """Read the groups until they meet the conditions; return the answer, and warnings. In check mode, read once.

    Raises:
        ConditionsNotMet: the time is up; with the last answer.
    """
    start = clock()
    everything = gather | wait.gather
    for attempt in itertools.count():
        last = check_mode or clock() - start >= wait.timeout
        answer = await poller.read(everything if last else wait.gather)
        if not last and _met(answer, wait) and not everything <= wait.gather:
            answer = await poller.read(everything)
        waited = round(clock() - start, 3)
        missing = unmet_of(answer, wait)
        answer = {**answer, "waited": waited, "attempts": attempt + 1, "unmet": [each._asdict() for each in missing]}
        if _met(answer, wait):
            return answer, _warnings(answer)
        if check_mode:
            return answer, [f"wait: {_problem(answer, wait, missing)}. Check mode does not wait."]
        if last:
            raise ConditionsNotMet(f"wait: after {waited:.3g} s, {_problem(answer, wait, missing)}.", answer)
        left = wait.timeout - (clock() - start)
        await poller.pause(max(0.0, min(left, backoff(attempt, FIRST_PAUSE, LONGEST_PAUSE))))
    raise AssertionError("the loop ends with the time")


def _met(answer: Answer, wait: Wait) -> bool:
    return not _unread_brokers(answer) and not unmet_of(answer, wait) and not _lacks_groups(answer, wait)


def _lacks_groups(answer: Answer, wait: Wait) -> bool:
    """Whether no group matches, and a group that does not exist would not meet the conditions.

    It may be created soon, by consumers that are starting.
    """
    return not (answer["groups"] or answer["missing"]) and bool(unmet({"name": "", **_MISSING}, wait))


def _unread_groups(answer: Answer) -> dict[str, str]:
    """Return why groups, or a part of them, could not be read."""
    unread = [each for each in answer["errors"] if "group" in each]
    return {each["group"]: f"{each['error']['name']}: {each['error']['message']}" for each in unread}


def _unread_brokers(answer: Answer) -> int:
    """Return how many brokers did not list their groups, which are therefore unknown."""
    return sum("broker" in each for each in answer["errors"])


def _warnings(answer: Answer) -> list[str]:
    if answer["missing"]:
        names = ", ".join(f"'{name}'" for name in answer["missing"][:_SHOWN])
        return [f"wait: {counted(len(answer['missing']), 'group')} did not exist and counted as Empty: {names}."]
    return [] if answer["groups"] else ["wait: no group matches, so there was nothing to wait for."]


def _problem(answer: Answer, wait: Wait, missing: list[Unmet]) -> str:
    """Return what is missing, for the first few groups."""
    by_group = [(name, list(each)) for name, each in itertools.groupby(missing, lambda each: each.group)]
    total = len(answer["missing"]) + len(
        {*(group["name"] for group in answer["groups"]), *dict(by_group)} - {*answer["missing"]}
    )
    words = []
    unread = _unread_groups(answer)
    if by_group:
        shown = "; ".join(
            f"'{name}': {unread.get(name) or ', '.join(map(_words, each))}" for name, each in by_group[:_SHOWN]
        )
        more = f"; and {len(by_group) - _SHOWN} more" if len(by_group) > _SHOWN else ""
        words.append(f"{len(by_group)} of {counted(total, 'group')} did not meet the conditions: {shown}{more}")
    elif _lacks_groups(answer, wait):
        words.append("no group matches")
    if brokers := _unread_brokers(answer):
        words.append(f"the groups of {counted(brokers, 'broker')} could not be read")
    return "; ".join(words)


def _words(each: Unmet) -> str:
    actual = "unknown" if each.actual is None else each.actual
    if isinstance(each.required, list):
        return f"state is {actual}, not {' or '.join(each.required)}"
    return f"{each.condition.removeprefix('max_')} is {actual}, {each.condition} is {each.required}"
