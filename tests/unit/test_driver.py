# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The driver's stages, retries and unknown outcomes, over a scripted wire."""

from __future__ import annotations

import asyncio
import collections.abc as c
import dataclasses
import re
import time
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.batches import WINDOW, in_batches
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.driver import Driver, backoff
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import (
    CallError,
    KafkaError,
    LoginRefused,
    UnreadableAnswer,
    UnsupportedVersion,
    error,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.handler import (
    Done,
    Handler,
    Outcome,
    coordinator_outcome,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.wire import Deadline

LOGIN = LoginRefused("broker-1:9092: wrong password", "SASL_AUTHENTICATION_FAILED")
LOADING, NOT_AVAILABLE, NOT_COORDINATOR, NOT_FOUND, DENIED, NO_SUCH_CODE = 14, 15, 16, 69, 30, 9999
TIMED_OUT, STORAGE = 7, 56


@dataclasses.dataclass
class Asked:
    """A request of the handler below: which groups, of which node."""

    groups: list[str]


class Echo(Handler[str, str]):
    """An RPC whose answer is a table of error codes by group."""

    def __init__(self, batch: int = 100) -> None:
        self._batch = batch

    def batch_for(self, version: int) -> int:
        return self._batch

    def request(self, keys: list[str]) -> t.Any:
        return Asked(keys)

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[str]]:
        return {group: coordinator_outcome(code) or Done(f"done {group}") for group, code in response.items()}


@dataclasses.dataclass
class Coordinator:
    key: str
    node_id: int
    error_code: int = 0
    error_message: str | None = None


@dataclasses.dataclass
class Found:
    coordinators: list[Coordinator]


class Script:
    """A wire whose nodes answer from scripts: each entry is an error code for all groups, a table, or an exception."""

    def __init__(self, answers: dict[int, list[t.Any]], lookups: list[dict[str, t.Any]], timeout: float = 3) -> None:
        self.answers = {node: list(script) for node, script in answers.items()}
        self.lookups = list(lookups)
        self.sent: list[tuple[int, tuple[str, ...]]] = []
        self.looked_up: list[list[str]] = []
        self.deadline = Deadline(timeout)
        self.request_timeout = 30.0
        self.nodes = [1, 2]

    async def gather(self, calls: c.Iterable[c.Coroutine[t.Any, t.Any, t.Any]]) -> list[t.Any]:
        return list(await asyncio.gather(*calls))

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / 20)

    async def refresh(self) -> None:
        self.nodes = [1, 2, 3]

    def knows(self, node: int) -> bool:
        return node in self.nodes

    async def version(self, node: int, request: t.Any) -> int:
        return 4

    async def reach_any(self, request: t.Any) -> tuple[int, int]:
        return 1, await self.version(1, request)

    async def call_any(self, request: t.Any, read: c.Callable[[t.Any], t.Any]) -> t.Any:
        keys = list(request.coordinator_keys)
        self.looked_up.append(keys)
        table = self.lookups.pop(0) if len(self.lookups) > 1 else self.lookups[0]
        if isinstance(table, Exception):
            raise table
        return 1, read(Found([Coordinator(key, *entry) for key, entry in table.items() if key in keys]))

    async def call(self, node: int, request: t.Any, read: c.Callable[[t.Any], t.Any], reserve: float = 0) -> t.Any:
        self.sent.append((node, tuple(request.groups)))
        script = self.answers[node]
        answer = script.pop(0) if len(script) > 1 else script[0]
        if isinstance(answer, Exception):
            raise answer
        try:
            return read(answer if isinstance(answer, dict) else dict.fromkeys(request.groups, answer))
        except AttributeError as exc:
            raise UnreadableAnswer(str(exc)) from exc

    def address(self, node: int) -> str:
        return f"broker-{node}:9092"


def run(script: Script, groups: list[str], batch: int = 100) -> dict[str, str]:
    driver = Driver(script)  # type: ignore[arg-type]
    answers = asyncio.run(driver.read(Echo(batch), groups))
    return {group: got.name if isinstance(got, KafkaError) else got for group, got in answers.items()}


ON_1 = [{"a": (1,), "b": (1,), "c": (1,)}]
MOVES = [{"a": (1,)}, {"a": (2,)}]


@pytest.mark.parametrize(
    ("answers", "lookups", "outcome", "sent", "looked_up"),
    [
        pytest.param({1: [0]}, ON_1, "done a", 1, 1, id="done"),
        pytest.param({1: [NOT_FOUND]}, ON_1, "GROUP_ID_NOT_FOUND", 1, 1, id="failed"),
        pytest.param({1: [LOADING, 0]}, ON_1, "done a", 2, 1, id="retried at the same coordinator"),
        pytest.param({1: [NOT_COORDINATOR], 2: [0]}, MOVES, "done a", 2, 2, id="coordinator moved"),
        pytest.param({1: [NOT_AVAILABLE], 2: [0]}, MOVES, "done a", 2, 2, id="coordinator not available"),
        pytest.param({1: [CallError("gone", True)], 2: [0]}, MOVES, "done a", 2, 2, id="coordinator died"),
        pytest.param({1: [{}, 0]}, ON_1, "done a", 2, 1, id="left out of the answer"),
        pytest.param({1: [0]}, [{"a": (-1, NOT_AVAILABLE)}, {"a": (1,)}], "done a", 1, 2, id="lookup retried"),
        pytest.param({1: [0]}, [{"a": (-1, LOADING)}, {"a": (1,)}], "done a", 1, 2, id="lookup while loading"),
        pytest.param({1: [0]}, [{}, {"a": (1,)}], "done a", 1, 2, id="left out of the lookup"),
        pytest.param({1: [0]}, [CallError("no", False), {"a": (1,)}], "done a", 1, 2, id="lookup not answered"),
        pytest.param({1: [0]}, [{"a": (-1, DENIED)}], "GROUP_AUTHORIZATION_FAILED", 0, 1, id="lookup denied"),
        pytest.param({1: [UnsupportedVersion("old")]}, ON_1, "UNSUPPORTED_VERSION", 1, 1, id="unsupported"),
        pytest.param({3: [0]}, [{"a": (3,)}], "done a", 1, 1, id="a broker that was not known"),
        pytest.param({1: [LOGIN]}, ON_1, "SASL_AUTHENTICATION_FAILED", 1, 1, id="login refused"),
        pytest.param({1: [0]}, [LOGIN], "SASL_AUTHENTICATION_FAILED", 0, 1, id="login refused by all"),
    ],
)
def test_one_group(answers: t.Any, lookups: t.Any, outcome: str, sent: int, looked_up: int) -> None:
    script = Script(answers, lookups)
    assert run(script, ["a"]) == {"a": outcome}
    assert (len(script.sent), len(script.looked_up)) == (sent, looked_up)


@pytest.mark.parametrize("attempt", [0, 5, 100_000])
def test_the_time_between_attempts(attempt: int) -> None:
    assert 0 < backoff(attempt) <= 1.2


def test_each_group_has_its_own_outcome_and_the_order_stays() -> None:
    script = Script(
        {1: [{"a": 0, "b": NOT_FOUND}], 2: [{"c": 0}]}, [{"a": (1,), "b": (1,), "c": (2,), "d": (-1, DENIED)}]
    )
    assert run(script, ["d", "c", "b", "a"]) == {
        "d": "GROUP_AUTHORIZATION_FAILED",
        "c": "done c",
        "b": "GROUP_ID_NOT_FOUND",
        "a": "done a",
    }
    assert len(script.looked_up) == 1
    assert sorted(script.sent) == [(1, ("b", "a")), (2, ("c",))]


def test_only_what_is_pending_is_asked_again() -> None:
    script = Script({1: [{"a": 0, "b": LOADING}, 0]}, ON_1)
    assert run(script, ["a", "b"]) == {"a": "done a", "b": "done b"}
    assert script.sent == [(1, ("a", "b")), (1, ("b",))]


@pytest.mark.parametrize(
    ("batches", "request_timeout", "most"),
    [
        pytest.param(300, 30.0, WINDOW, id="many"),
        pytest.param(3, 30.0, 3, id="few"),
        pytest.param(300, 1.0, 5, id="each has little time"),
        pytest.param(300, 0.01, 1, id="hardly any"),
    ],
)
def test_so_many_requests_are_on_their_way(batches: int, request_timeout: float, most: int) -> None:
    script = Script({}, [])
    script.request_timeout = request_timeout
    running = [0]
    seen = []

    async def job(batch: list[str]) -> None:
        running[0] += 1
        seen.append((running[0], *batch))
        await asyncio.sleep(0)
        running[0] -= 1

    todo = [str(number) for number in range(batches)]
    asyncio.run(in_batches(script, job, todo, 1))  # type: ignore[arg-type]
    assert max(count for count, _group in seen) == most
    assert [group for _count, group in seen] == todo


def test_batches() -> None:
    script = Script({1: [0]}, ON_1)
    assert run(script, ["a", "b", "c"], batch=2) == {"a": "done a", "b": "done b", "c": "done c"}
    assert sorted(script.sent) == [(1, ("a", "b")), (1, ("c",))]


def test_the_deadline_names_the_last_error() -> None:
    script = Script({1: [LOADING]}, ON_1, timeout=0.5)
    driver = Driver(script)  # type: ignore[arg-type]
    (got,) = asyncio.run(driver.read(Echo(), ["a"])).values()
    assert isinstance(got, KafkaError)
    assert got.name == "REQUEST_TIMED_OUT"
    assert "not finished within 0.5 s; last: COORDINATOR_LOAD_IN_PROGRESS" in got.message


@pytest.mark.parametrize(
    ("lost", "made", "outcome", "sent"),
    [
        pytest.param(CallError("lost", True), ["made"], "made", 1, id="it was made"),
        pytest.param(CallError("lost", True), [None], "done a", 2, id="it was not made, so it is sent again"),
        pytest.param(NOT_AVAILABLE, ["made"], "made", 1, id="the broker's write timed out, and was made"),
        pytest.param(NOT_AVAILABLE, [None], "done a", 2, id="the broker's write timed out, and was not made"),
        pytest.param(TIMED_OUT, ["made"], "made", 1, id="no acknowledgements in time, and made"),
        pytest.param(TIMED_OUT, [None], "done a", 2, id="no acknowledgements in time, and not made"),
        pytest.param(STORAGE, ["made"], "made", 1, id="the disk was lost after the append, and made"),
        pytest.param(UnreadableAnswer("garbage"), ["made"], "made", 1, id="the answer is garbage, and it was made"),
        pytest.param(UnreadableAnswer("garbage"), [None], "done a", 2, id="the answer is garbage, and it was not made"),
        pytest.param({}, ["made"], "made", 1, id="left out of the answer, and made"),
        pytest.param({}, [None], "done a", 2, id="left out of the answer, and not made"),
        pytest.param({"b": 0}, ["made"], "made", 1, id="the answer speaks of another group"),
        pytest.param(NO_SUCH_CODE, ["made"], "made", 1, id="an unknown error code, and made"),
        pytest.param(CallError("refused", False), [], "done a", 2, id="it was never sent"),
        pytest.param(NOT_COORDINATOR, ["made"], "made", 1, id="the broker lost the group after the append, and made"),
        pytest.param(NOT_COORDINATOR, [None], "done a", 2, id="it was sent to the wrong broker"),
    ],
)
def test_a_lost_answer_is_settled_by_reading(lost: t.Any, made: list[str | None], outcome: str, sent: int) -> None:
    script = Script({1: [lost, 0]}, ON_1)
    read: list[list[str]] = []

    async def verify(groups: list[str]) -> dict[str, t.Any]:
        read.append(groups)
        return dict.fromkeys(groups, made[0])

    driver = Driver(script)  # type: ignore[arg-type]
    got, resent = asyncio.run(driver.change(Echo(), ["a"], verify))
    assert got == {"a": outcome}
    assert len(script.sent) == sent
    assert read == [["a"]] * len(made)
    assert resent == ({"a"} if made == [None] else set())


def test_a_lost_answer_that_can_never_be_read_is_not_waited_for() -> None:
    script = Script({1: [CallError("lost", True)]}, ON_1, timeout=30)

    async def verify(groups: list[str]) -> dict[str, t.Any]:
        return dict.fromkeys(groups, error("SASL_AUTHENTICATION_FAILED", "wrong password"))

    driver = Driver(script)  # type: ignore[arg-type]
    (got,) = asyncio.run(driver.change(Echo(), ["a"], verify)).answers.values()
    assert isinstance(got, KafkaError)
    assert got.name == "REQUEST_TIMED_OUT"
    assert re.search("its outcome is unknown.*SASL_AUTHENTICATION_FAILED: wrong password", got.message)
    assert script.deadline.remaining > 15
    assert len(script.sent) == 1


@pytest.mark.parametrize("code", [NOT_AVAILABLE, LOADING])
def test_what_only_the_lookup_answered_was_not_sent(code: int) -> None:
    script = Script({1: [CallError("refused", False)]}, [{"a": (1,)}, {"a": (-1, code)}], timeout=0.5)

    async def verify(groups: list[str]) -> dict[str, t.Any]:
        raise AssertionError(groups)

    driver = Driver(script)  # type: ignore[arg-type]
    answers, resent = asyncio.run(driver.change(Echo(), ["a"], verify))
    (got,) = answers.values()
    assert isinstance(got, KafkaError)
    assert got.message.startswith("not finished within")
    assert resent == set()


def test_a_doubt_ends_with_its_change() -> None:
    """Whoever deletes the group between two changes is not taken for the first of them."""
    script = Script({1: [CallError("lost", True), 0, NOT_FOUND]}, ON_1)

    async def verify(groups: list[str]) -> dict[str, t.Any]:
        return dict.fromkeys(groups)

    driver = Driver(script)  # type: ignore[arg-type]
    first = asyncio.run(driver.change(Echo(), ["a"], verify))
    second = asyncio.run(driver.change(Echo(), ["a"], verify))
    assert (first.resent, second.resent) == ({"a"}, set())


@pytest.mark.parametrize("made", [{"t-0": None, "t-1": None}, None], ids=["made", "not made"])
def test_a_part_with_an_unknown_error_is_settled_by_reading(made: t.Any) -> None:
    unknown = KafkaError(-1, "UNKNOWN_SERVER_ERROR", "?", False)
    script = Script({1: [0]}, ON_1)

    class Parts(Echo):
        def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[t.Any]]:
            return {group: Done({"t-0": None, "t-1": unknown}) for group in keys}

    async def verify(groups: list[str]) -> dict[str, t.Any]:
        return dict.fromkeys(groups, made)

    (got,) = asyncio.run(Driver(script).change(Parts(), ["a"], verify)).answers.values()  # type: ignore[arg-type]
    assert got == (made or {"t-0": None, "t-1": unknown})
    assert len(script.sent) == 1


def test_an_unknown_error_of_a_lookup_names_the_broker_that_was_asked() -> None:
    driver = Driver(Script({}, [{"a": (-1, NO_SUCH_CODE)}]))  # type: ignore[arg-type]
    (got,) = asyncio.run(driver.read(Echo(), ["a"])).values()
    assert isinstance(got, KafkaError)
    assert got.message == "broker-1:9092: the broker answered with error code 9999"


def test_an_unknown_error_holds_when_a_read_shows_no_change() -> None:
    script = Script({1: [NO_SUCH_CODE]}, ON_1)

    async def verify(groups: list[str]) -> dict[str, t.Any]:
        return dict.fromkeys(groups)

    (got,) = asyncio.run(Driver(script).change(Echo(), ["a"], verify)).answers.values()  # type: ignore[arg-type]
    assert isinstance(got, KafkaError)
    assert (got.code, got.message) == (9999, "broker-1:9092: the broker answered with error code 9999")
    assert len(script.sent) == 1


@pytest.mark.parametrize(
    ("answer", "name"),
    [(ValueError("too large"), "INVALID_REQUEST"), ({"b": "no code"}, "UNKNOWN_SERVER_ERROR")],
)
def test_what_cannot_be_sent_or_read_fails_its_groups_only(answer: t.Any, name: str) -> None:
    script = Script({1: [answer], 2: [0]}, [{"a": (2,), "b": (1,)}])
    assert run(script, ["a", "b"]) == {"a": "done a", "b": name}


@pytest.mark.parametrize("changes", [False, True], ids=["read", "change"])
def test_the_end_of_the_time_does_not_hide_what_a_broker_said(changes: bool) -> None:
    script = Script({1: [LOADING]}, ON_1, timeout=1)
    # a tenth of the time is kept for reading what became of a change
    end = 0.05 if changes else 0

    class Slow(Echo):
        def request(self, keys: list[str]) -> t.Any:
            if script.sent:
                script.answers[1] = [CallError("no answer in time", True)]
                time.sleep(max(0, script.deadline.remaining - end))
            return super().request(keys)

    async def verify(groups: list[str]) -> dict[str, t.Any]:
        return dict.fromkeys(groups)

    driver = Driver(script)  # type: ignore[arg-type]
    if changes:
        answers = asyncio.run(driver.change(Slow(), ["a"], verify)).answers
    else:
        answers = asyncio.run(driver.read(Slow(), ["a"]))
    (got,) = answers.values()
    assert isinstance(got, KafkaError)
    assert "last: COORDINATOR_LOAD_IN_PROGRESS" in got.message


def test_a_group_that_cannot_be_read_leaves_half_of_the_time_to_the_others() -> None:
    script = Script({1: [{"a": 0, "b": LOADING}, LOADING]}, ON_1, timeout=3.0)
    assert run(script, ["a", "b"]) == {"a": "done a", "b": "REQUEST_TIMED_OUT"}
    assert script.deadline.remaining > 1.3


def test_chunks_together_wait_no_longer_than_one_read() -> None:
    """Whether some of a chunk, all of it or nothing can be read: later chunks are still asked."""
    script = Script({1: [LOADING], 2: [0]}, [{"a": (1,), "b": (1,), "c": (2,), "d": (2,)}], timeout=2.0)
    driver = Driver(script)  # type: ignore[arg-type]

    async def read() -> list[dict[str, t.Any]]:
        with driver.in_chunks():
            return [await driver.read(Echo(), groups) for groups in (["a"], ["a", "c"], ["b"], ["d"])]

    answers = asyncio.run(read())
    shown = [{key: got.name if isinstance(got, KafkaError) else got for key, got in each.items()} for each in answers]
    late = "REQUEST_TIMED_OUT"
    assert shown == [{"a": late}, {"a": late, "c": "done c"}, {"b": late}, {"d": "done d"}]
    assert script.deadline.remaining > 0.9
    assert {("a",), ("b",), ("d",)} <= {groups for _node, groups in script.sent}
    # and afterwards each read has its own time again
    assert driver.kept is None


@pytest.mark.parametrize("lost", [CallError("lost", True), NOT_AVAILABLE, NOT_COORDINATOR, TIMED_OUT])
def test_what_may_be_carried_out_late_is_not_reported_as_not_done(lost: t.Any) -> None:
    script = Script({1: [lost, LOADING]}, ON_1, timeout=0.5)

    async def verify(groups: list[str]) -> dict[str, t.Any]:
        return dict.fromkeys(groups)

    (got,) = asyncio.run(Driver(script).change(Echo(), ["a"], verify)).answers.values()  # type: ignore[arg-type]
    assert isinstance(got, KafkaError)
    assert "its outcome is unknown" in got.message


@pytest.mark.parametrize(
    ("checked", "outcome", "sent", "checks"),
    [
        ([{}], "done a", 2, 1),
        ([{"a": error("POLICY_VIOLATION", "used")}], "POLICY_VIOLATION", 1, 1),
        ([{"a": {"b": "used"}}], {"b": "used"}, 1, 1),
        # it cannot be read, and is not asked until it can
        ([{"a": error("COORDINATOR_NOT_AVAILABLE", "no")}, {}], "done a", 2, 2),
    ],
)
def test_a_change_that_was_refused_is_checked_before_it_is_sent_again(
    checked: list[t.Any], outcome: t.Any, sent: int, checks: int
) -> None:
    script = Script({1: [LOADING, 0]}, ON_1)
    left = list(checked)

    async def never(_groups: list[str]) -> t.Any:
        raise AssertionError

    async def check(groups: list[str]) -> t.Any:
        assert groups == ["a"]
        return left.pop(0)

    (got,) = asyncio.run(Driver(script).change(Echo(), ["a"], never, check)).answers.values()  # type: ignore[arg-type]
    assert (got.name if isinstance(got, KafkaError) else got) == outcome
    assert (len(script.sent), len(checked) - len(left)) == (sent, checks)


def test_what_nobody_can_tell_is_never_sent_again() -> None:
    script = Script({1: [CallError("lost", True), 0]}, ON_1, timeout=0.5)

    async def verify(groups: list[str]) -> dict[str, t.Any]:
        return dict.fromkeys(groups, KafkaError(30, "GROUP_AUTHORIZATION_FAILED", "no", False))

    driver = Driver(script)  # type: ignore[arg-type]
    (got,) = asyncio.run(driver.change(Echo(), ["a"], verify)).answers.values()
    assert isinstance(got, KafkaError)
    assert "its outcome is unknown" in got.message
    assert len(script.sent) == 1
