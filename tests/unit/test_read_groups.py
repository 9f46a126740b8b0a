# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""In which order groups are looked for, and what a listing tells of their coordinators."""

from __future__ import annotations

import asyncio
import collections
import collections.abc as c
from types import SimpleNamespace as Simple
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import (
    CallError,
    KafkaError,
    LoginRefused,
    UnsupportedVersion,
    error,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.wire import Deadline
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _find_groups, _read_groups
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.info import _address

from tests.unit.values import group

CLASSIC, CONSUMER, SHARE, STREAMS = (
    "DescribeGroups",
    "ConsumerGroupDescribe",
    "ShareGroupDescribe",
    "StreamsGroupDescribe",
)
ALL = [CLASSIC, CONSUMER, SHARE, STREAMS, CLASSIC]
FOUND, DENIED, UNKNOWN_RPC = group("g"), error("GROUP_AUTHORIZATION_FAILED"), error("UNSUPPORTED_VERSION")


class Answers:
    """A driver that answers each look at the group g from a list: what it found, None for nothing, or an error."""

    def __init__(self, answers: list[Any]) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []
        self.coordinators = Simple(nodes={"g": 1})

    async def read(self, handler: Any, groups: list[str]) -> dict[str, Any]:
        self.asked.append(type(handler).__name__)
        return dict.fromkeys(groups, self._answers.pop(0))


def test_no_further_rpc_is_loaded_once_all_groups_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[int] = []

    def handlers() -> c.Iterator[object]:
        for number in range(3):
            loaded.append(number)
            yield object()

    monkeypatch.setattr(_read_groups, "describe_handlers", handlers)
    found = asyncio.run(_read_groups.describe(Simple(driver=Answers([None, FOUND])), ["g"]))  # type: ignore[arg-type]
    assert (found, loaded) == ({"g": FOUND}, [0, 1])


@pytest.mark.parametrize(
    ("answers", "asked", "name"),
    [
        pytest.param([FOUND], ALL[:1], None, id="classic"),
        pytest.param([None, FOUND], ALL[:2], None, id="KIP-848"),
        pytest.param([None, None, FOUND], ALL[:3], None, id="share"),
        pytest.param([None, None, None, FOUND], ALL[:4], None, id="streams"),
        pytest.param([None, None, None, None, FOUND], ALL, None, id="taken over by classic consumers"),
        pytest.param([None, UNKNOWN_RPC, UNKNOWN_RPC, UNKNOWN_RPC, FOUND], ALL, None, id="an old broker"),
        pytest.param([DENIED], ALL[:1], DENIED.name, id="denied"),
        pytest.param([None, DENIED], ALL[:2], DENIED.name, id="its topics denied"),
        pytest.param([UNKNOWN_RPC], ALL[:1], UNKNOWN_RPC.name, id="too old"),
    ],
)
def test_it_is_looked_for_until_it_is_found(answers: list[Any], asked: list[str], name: str | None) -> None:
    driver = Answers(answers)
    seen = asyncio.run(_read_groups.describe(Simple(driver=driver, wire=Lister(knows=False)), ["g"]))["g"]
    assert driver.asked == asked
    assert seen is FOUND if name is None else seen.name == name


class Lister:
    """A wire to one broker, which knows the describing RPCs or not, and lists groups or fails."""

    def __init__(self, knows: bool, listed: Any = ()) -> None:
        self._knows = knows
        self._listed = listed

    async def version(self, node: int, request: Any) -> int:
        if not self._knows:
            raise UnsupportedVersion("too old")
        return 0

    async def call(self, node: int, request: Any, read: c.Callable[[Any], Any]) -> Any:
        if isinstance(self._listed, Exception):
            raise self._listed
        code = self._listed if isinstance(self._listed, int) else 0
        groups = [Simple(group_id=name) for name in (() if code else self._listed)]
        return read(Simple(error_code=code, groups=groups))


@pytest.mark.parametrize(
    ("answer", "wire", "name"),
    [
        pytest.param(None, Lister(knows=True), None, id="no broker has it"),
        pytest.param(UNKNOWN_RPC, Lister(knows=False), None, id="the broker knows no such types"),
        pytest.param(UNKNOWN_RPC, Lister(True, ["other"]), None, id="the cluster lacks the feature, and it is absent"),
        pytest.param(UNKNOWN_RPC, Lister(True, ["g"]), "UNSUPPORTED_VERSION", id="... and it exists"),
        pytest.param(UNKNOWN_RPC, Lister(True, 14), "COORDINATOR_LOAD_IN_PROGRESS", id="... and groups are loaded"),
        pytest.param(UNKNOWN_RPC, Lister(True, CallError("gone", True)), "NETWORK_EXCEPTION", id="... and no answer"),
    ],
)
def test_a_group_that_nobody_describes(answer: Any, wire: Lister, name: str | None) -> None:
    driver = Answers([None, answer, answer, answer, None])
    seen = asyncio.run(_read_groups.describe(Simple(driver=driver, wire=wire), ["g"]))["g"]
    assert driver.asked == ALL
    assert (seen.name if isinstance(seen, KafkaError) else seen) == name


class Brokers:
    """A wire to brokers that list groups."""

    def __init__(
        self, listed: dict[int, list[str]], before: dict[int, list[Any]] | None = None, timeout: float = 5
    ) -> None:
        """`before`: an error code or an exception in the place of each broker's first answers."""
        self.nodes = sorted(listed)
        self.deadline = Deadline(timeout)
        self.asked: collections.Counter[int] = collections.Counter()
        self._listed = listed
        self._before = before or {}

    async def gather(self, calls: c.Iterable[c.Coroutine[Any, Any, Any]]) -> list[Any]:
        return list(await asyncio.gather(*calls))

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def version(self, node: int, request: Any) -> int:
        return 5

    def knows(self, node: int) -> bool:
        return node in self.nodes

    def address(self, node: int) -> str:
        return f"host:{node}"

    async def call(self, node: int, request: Any, read: c.Callable[[Any], Any], reserve: float = 0.0) -> Any:
        self.asked[node] += 1
        early = self._before.get(node, [])[self.asked[node] - 1 : self.asked[node]]
        if early and isinstance(early[0], Exception):
            raise early[0]
        if early:
            return read(Simple(error_code=early[0], version=5, groups=[]))
        groups = [
            Simple(group_id=name, group_type="Classic", protocol_type="consumer", group_state="Empty")
            for name in self._listed[node]
        ]
        return read(Simple(error_code=0, version=5, groups=groups))


@pytest.mark.parametrize(
    ("listed", "coordinators"),
    [
        pytest.param({1: ["a", "b"], 2: ["c"]}, {"a": 1, "b": 1, "c": 2}, id="each by one"),
        pytest.param({1: ["a", "b"], 2: ["b"]}, {"a": 1}, id="one by two, so that it is looked up"),
        pytest.param({1: ["a"], 2: ["a"], 3: ["a"]}, {}, id="one by three"),
    ],
)
def test_a_listing_tells_the_coordinators(listed: dict[int, list[str]], coordinators: dict[str, int]) -> None:
    session: Any = Simple(wire=Brokers(listed), driver=Simple(coordinators=Simple(nodes={})))
    gathered = _find_groups.Gathered({}, [], [], {})
    asyncio.run(_find_groups.listed(session, [], [], gathered))
    assert session.driver.coordinators.nodes == coordinators
    assert set(gathered.groups) == {name for names in listed.values() for name in names}


LOADING, NOT_AVAILABLE, NO_PERMISSION = 14, 15, 31
GONE = CallError("refused", sent=False)
LOCKED = LoginRefused("wrong password", "SASL_AUTHENTICATION_FAILED")


def listed(brokers: Brokers) -> _find_groups.Gathered:
    gathered = _find_groups.Gathered({}, [], [], {})
    session: Any = Simple(wire=brokers, driver=Simple(coordinators=Simple(nodes={})))
    asyncio.run(_find_groups.listed(session, [], [], gathered))
    return gathered


@pytest.mark.parametrize(
    ("early", "asked", "problem"),
    [
        pytest.param([LOADING] * 6, 7, None, id="loads"),
        pytest.param([NOT_AVAILABLE, LOADING], 3, None, id="starts"),
        pytest.param([GONE] * 3, 4, None, id="restarts"),
        pytest.param([NO_PERMISSION] * 9, 1, "CLUSTER_AUTHORIZATION_FAILED", id="no permission"),
        pytest.param([LOCKED] * 9, 1, "SASL_AUTHENTICATION_FAILED", id="refuses the login"),
    ],
)
def test_a_broker_is_asked_until_it_lists(early: list[Any], asked: int, problem: str | None) -> None:
    brokers = Brokers({1: ["a"], 2: ["b"]}, {2: early}, timeout=30)
    gathered = listed(brokers)
    away = asked > 1
    # the groups of one that was away may have moved
    assert brokers.asked == {1: 1 + away, 2: asked + away}
    assert [found["error"]["name"] for found in gathered.errors] == ([problem] if problem else [])
    assert set(gathered.groups) == ({"a"} if problem else {"a", "b"})


@pytest.mark.parametrize(
    ("alive", "least", "most"), [(["a"], 0.4, 1), (None, 0, 0.3)], ids=["another lists", "none does"]
)
def test_how_long_a_broker_is_asked(alive: list[str] | None, least: float, most: float) -> None:
    dead: dict[int, list[str]] = {2: ["b"]}
    brokers = Brokers(dead if alive is None else {1: alive, **dead}, {2: [GONE] * 1000}, timeout=6)
    assert listed(brokers).errors == [{"broker": 2, "address": "host:2", "message": "refused"}]
    assert least <= brokers.deadline.remaining / brokers.deadline.timeout <= most


@pytest.mark.parametrize(
    ("node", "address"),
    [(1, {"id": 1, "host": "host", "port": 1}), (2, {"id": 2, "host": None, "port": None})],
    ids=["there", "it has left"],
)
def test_the_address_of_a_coordinator(node: int, address: dict[str, Any]) -> None:
    session: Any = Simple(wire=Brokers({1: []}))
    assert _address(session, node) == address
