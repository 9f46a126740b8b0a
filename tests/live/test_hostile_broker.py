# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A broker whose answers are broken, huge, late or about something else: an error that names it, and the truth."""

from __future__ import annotations

import copy
import itertools
import struct
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka import typed_messages
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import CallError
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka.protocol.admin import (
    DeleteGroupsResponse,
    DescribeGroupsResponse,
    IncrementalAlterConfigsResponse,
    ListGroupsResponse,
)
from kafka.protocol.consumer import (
    LeaveGroupResponse,
    OffsetCommitResponse,
    OffsetDeleteResponse,
    OffsetFetchResponse,
)
from kafka.protocol.metadata import FindCoordinatorResponse

from tests.live.task import Outcome, run
from tests.support import absentees, commits, topics, truth
from tests.support.broker import Cluster
from tests.support.hostile import Hostile, Spoil

pytestmark = [pytest.mark.live, pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")]

TOPIC = "hostile"
#: Seconds for one request, and for a task; what a task may take beyond that, on a machine that does much else.
REQUEST, TIMEOUT, SLACK = 1.0, 3.0, 6.0
#: Seconds for a task that reads what has become of a change; most end much earlier.
CHANGE_TIMEOUT = 15.0
COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, GROUP_ID_NOT_FOUND = 14, 16, 69
NUMBERS = itertools.count()
COMMITTED, SET = {(TOPIC, 0): (1, "m", -1)}, {(TOPIC, 0): (4, "n", -1)}

CONFIG = {"consumer.session.timeout.ms": "50000"}

LOOK = ("consumer_group_info", {"names": "GROUP", "gather": ["members", "offsets"]})
#: An RPC: its api key, and a task that uses it.
READS: dict[str, tuple[int, str, dict[str, Any]]] = {
    "ApiVersions": (18, *LOOK),
    "Metadata": (3, *LOOK),
    "FindCoordinator": (10, *LOOK),
    "ConsumerGroupDescribe": (69, *LOOK),
    "DescribeGroups": (15, *LOOK),
    "OffsetFetch": (9, *LOOK),
    "ListGroups": (16, "consumer_group_info", {"match": "GROUP"}),
    "DescribeShareGroupOffsets": (90, "consumer_group_info", {"names": "GROUP", "gather": ["offsets"]}),
}
CHANGES: dict[str, tuple[int, str, dict[str, Any]]] = {
    "DeleteGroups": (42, "consumer_group", {"names": "GROUP"}),
    "OffsetDelete": (
        47,
        "consumer_group_offsets",
        {"group": "GROUP", "state": "absent", "topics": [{"name": TOPIC, "partitions": None}]},
    ),
    "OffsetCommit": (
        8,
        "consumer_group_offsets",
        {
            "group": "GROUP",
            "offsets": [{"topic": TOPIC, "partition": 0, "offset": 4, "metadata": "n", "leader_epoch": None}],
        },
    ),
    "LeaveGroup": (13, "consumer_group_members", {"names": "GROUP", "remove_all": True}),
    "IncrementalAlterConfigs": (44, "group_config", {"names": "GROUP", "config": CONFIG}),
    "AlterShareGroupOffsets": (
        91,
        "share_group_offsets",
        {"group": "GROUP", "offsets": [{"topic": TOPIC, "partition": 0, "offset": 4}]},
    ),
    "DeleteShareGroupOffsets": (
        92,
        "share_group_offsets",
        {"group": "GROUP", "state": "absent", "topics": [{"name": TOPIC}]},
    ),
}


def framed(body: bytes) -> bytes:
    return struct.pack(">i", len(body)) + body


def drip(frame: bytes) -> Iterator[bytes]:
    for byte in frame:
        yield bytes([byte])
        time.sleep(0.3)


def renamed(frame: bytes) -> bytes:
    """The same length, but about groups and topics that nobody asked for."""
    return frame.replace(TOPIC.encode(), TOPIC[::-1].encode())


SPOILED: dict[str, Spoil] = {
    "truncated": lambda frame: [framed(frame[4 : 4 + (len(frame) - 4) * 2 // 3])],
    "closed-in-the-middle": lambda frame: [frame[: len(frame) // 2], None],
    "closed": lambda _frame: [None],
    "2-GB": lambda frame: [b"\x7f\xff\xff\xff", frame[4:]],
    "negative-length": lambda frame: [b"\xff\xff\xff\xff", frame[4:]],
    "256-MB-that-never-come": lambda frame: [struct.pack(">i", 256 * 1024 * 1024), frame[4:]],
    "no-length": lambda _frame: [b"\0\0\0\0"],
    "other-correlation": lambda frame: [frame[:4], struct.pack(">i", 77_777), frame[8:]],
    "garbage": lambda frame: [framed(frame[4:8] + bytes((byte * 73 + 41) % 256 for byte in frame[8:]))],
    "no-body": lambda frame: [framed(frame[4:8])],
    "number-without-end": lambda frame: [framed(frame[4:8] + b"\0" * 7 + b"\xff" * 1_000_000)],
    "other-names": lambda frame: [renamed(frame)],
    "html": lambda _frame: [b"HTTP/1.1 400 Bad Request\r\n\r\n"],
    "drip": drip,
    "silence": lambda _frame: [],
}
#: The class of an answer, the version that a broker 4.3 gives, and what it lists.
ANSWERS: dict[str, tuple[Any, int, str]] = {
    "FindCoordinator": (FindCoordinatorResponse, 6, "coordinators"),
    "ListGroups": (ListGroupsResponse, 5, "groups"),
    "DescribeGroups": (DescribeGroupsResponse, 6, "groups"),
    "OffsetFetch": (OffsetFetchResponse, 9, "groups"),
    "DeleteGroups": (DeleteGroupsResponse, 2, "results"),
    "OffsetDelete": (OffsetDeleteResponse, 0, "topics"),
    "OffsetCommit": (OffsetCommitResponse, 9, "topics"),
    "LeaveGroup": (LeaveGroupResponse, 5, "members"),
    "IncrementalAlterConfigs": (IncrementalAlterConfigsResponse, 1, "responses"),
    "DescribeShareGroupOffsets": (typed_messages._share_offsets_response, 1, "groups"),
    "AlterShareGroupOffsets": (typed_messages._altered_response, 0, "responses"),
    "DeleteShareGroupOffsets": (typed_messages._deleted_response, 0, "responses"),
}
#: Version 0 is a flexible one.
FLEXIBLE = ("AlterShareGroupOffsets", "DeleteShareGroupOffsets")
NO_SUCH_CODE, GROUP_AUTHORIZATION_FAILED = 9999, 30


def rewritten(rpc: str, change: Callable[[Any, list[Any]], None]) -> Spoil:
    """Read the answer, change it and what it lists, and write it again."""
    kind, version, name = ANSWERS[rpc]

    def spoil(frame: bytes) -> list[bytes]:
        # length and correlation; where the version is a flexible one, tags
        start = 9 if version or rpc in FLEXIBLE else 8
        answer = kind.decode(frame[start:], version=version)
        change(answer, getattr(answer, name))
        # it is decoded without one, and encoded without one, but has to know that
        answer._header = None
        return [framed(frame[4:start] + answer.encode(version=version))]

    return spoil


def give_code(code: int, *told: Any) -> None:
    for one in (*told, *(part for each in told for part in getattr(each, "partitions", ()))):
        if hasattr(one, "error_code"):
            one.error_code = code


def unknown_code(answer: Any, listed: list[Any]) -> None:
    give_code(NO_SUCH_CODE, answer, *listed)


def contradiction(_answer: Any, listed: list[Any]) -> None:
    """All of it twice, and the second time denied; the same twice is what brokers of 3.9 say."""
    denied = copy.deepcopy(listed)
    give_code(GROUP_AUTHORIZATION_FAILED, *denied)
    listed += denied


def spoil_of(rpc: str, case: str) -> Spoil:
    if case in SPOILED:
        return SPOILED[case]
    return rewritten(rpc, {"contradiction": contradiction, "unknown-code": unknown_code}[case])


#: These names are in no answer of theirs, and these lists hold no errors, or only where to ask.
HARMLESS = {("ApiVersions", "other-names"), ("Metadata", "other-names"), ("ListGroups", "other-names")} | {
    (rpc, "contradiction") for rpc in ("FindCoordinator", "ListGroups")
}
PAIRS = [
    *itertools.product((*READS, *CHANGES), SPOILED),
    *itertools.product(ANSWERS, ("contradiction", "unknown-code")),
]
CASES = [pair for pair in PAIRS if pair not in HARMLESS]


class Ended(NamedTuple):
    """How a task ended: what it gave or said, after how many seconds, and how often it was lied to."""

    outcome: Outcome | None
    words: str
    seconds: float
    address: str
    spoiled: int


def group_of(rpc: str, case: str) -> str:
    return f"{TOPIC}-{rpc}-{case}"


def attempt(
    cluster: Cluster,
    rpc: str,
    spoil: Spoil,
    group: str,
    *,
    task: tuple[str, dict[str, Any]] | None = None,
    times: int = 1_000_000,
    timeout: float = TIMEOUT,
    request: float = REQUEST,
) -> Ended:
    """Run a task while the answers to an RPC are spoiled; the one that is listed with that RPC, unless one is given.

    A slow machine may take longer than `request` for an answer, which is then the last error.
    """
    api_key, module, args = (READS | CHANGES)[rpc]
    if task:
        module, args = task
    named: dict[str, Any] = {name: group if value == "GROUP" else value for name, value in args.items()}
    with Hostile(cluster.bootstrap, api_key, spoil, times) as hostile:
        outcome, words, started = None, "", time.monotonic()
        try:
            outcome = run(module, hostile.address, connect={"request_timeout": request, "timeout": timeout}, **named)
        except (TaskError, CallError) as exc:
            words = str(exc)
        return Ended(outcome, words, time.monotonic() - started, hostile.address, hostile.spoiled)


@pytest.fixture(scope="module")
def world(cluster: Cluster) -> Cluster:
    """A group for each case: with a committed offset, or with a member that is gone, of KIP-848 where that is asked."""
    topics.create(cluster.client(), TOPIC, 1, records=5)
    names = [group_of(*case) for case in CASES if not is_share(case[0])]
    commits.commit_many(cluster.client(), dict.fromkeys(names, COMMITTED))
    shares = [{"name": group_of(*case), "topics": [{"name": TOPIC}]} for case in CASES if is_share(case[0])]
    made = run("share_group_offsets", cluster.bootstrap, groups=shares, reset={"to_offset": 1})
    assert (made.changed, made.errors) == (len(shares), {})
    left = [name for name in names if "-LeaveGroup-" in name]
    absentees.leave_behind(cluster.client(), left, TOPIC)
    for name in names:
        if "-ConsumerGroupDescribe-" in name:
            absentees.leave_crowd_behind(cluster.client(), name, TOPIC, 1)
    return cluster


def is_share(rpc: str) -> bool:
    """Whether an RPC is about share groups."""
    return "ShareGroup" in rpc


@pytest.fixture(scope="module")
def ended(world: Cluster) -> dict[tuple[str, str], Ended]:
    """All cases, many at a time: most of them wait."""
    with ThreadPoolExecutor(12) as pool:
        running = {
            case: pool.submit(attempt, world, case[0], spoil_of(*case), group_of(*case), timeout=timeout_of(case[0]))
            for case in CASES
        }
        return {case: future.result() for case, future in running.items()}


def timeout_of(rpc: str) -> float:
    return CHANGE_TIMEOUT if rpc in CHANGES else TIMEOUT


@pytest.fixture(scope="module")
def starts(world: Cluster, ended: dict[tuple[str, str], Ended]) -> dict[str, list[str]]:
    """The start offsets of all share groups in the end, as Kafka's tool shows them."""
    return truth.start_offsets(world.client(), [group_of(*case) for case in ended if is_share(case[0])])


@pytest.mark.parametrize(("rpc", "case"), CASES)
def test_it_ends_in_time(ended: dict[tuple[str, str], Ended], rpc: str, case: str) -> None:
    assert ended[rpc, case].spoiled > 0
    assert ended[rpc, case].seconds < timeout_of(rpc) + SLACK


@pytest.mark.parametrize(("rpc", "case"), [pair for pair in CASES if pair[0] in READS])
def test_a_reading_task_names_the_broker(ended: dict[tuple[str, str], Ended], rpc: str, case: str) -> None:
    end = ended[rpc, case]
    if end.outcome is None:
        words = [end.words]
        assert "\n" not in end.words
    else:
        given = end.outcome.given
        assert given["missing"] == []
        words = [one.get("message") or one["error"]["message"] for one in given["errors"]]
        words = [f"{one.get('address', '')} {each}" for one, each in zip(given["errors"], words, strict=True)]
    assert words
    assert all(end.address in each for each in words), words


@pytest.mark.parametrize(("rpc", "case"), [pair for pair in CASES if pair[0] in CHANGES])
def test_a_changing_task_tells_the_truth(
    world: Cluster, ended: dict[tuple[str, str], Ended], starts: dict[str, list[str]], rpc: str, case: str
) -> None:
    """The broker has made each change: nothing else may be told."""
    end, group = ended[rpc, case], group_of(rpc, case)
    assert end.outcome is not None, end.words
    assert (end.outcome.changed, end.outcome.errors) == (1, {})
    if is_share(rpc):
        assert starts[group] == ([f"{TOPIC}-0=4 lag 1"] if rpc == "AlterShareGroupOffsets" else [])
    else:
        assert is_done(world, rpc, group)


def is_done(cluster: Cluster, rpc: str, group: str) -> bool:
    client = cluster.client()
    if rpc == "LeaveGroup":
        return truth.members(client, group) == []
    if rpc == "IncrementalAlterConfigs":
        return truth.group_configs(client, [group]) == {group: CONFIG}
    if rpc == "OffsetCommit":
        return dict(truth.offsets(client, group)) == SET
    # the group goes with its last offset
    return group not in truth.groups(client) or (rpc == "OffsetDelete" and truth.offsets(client, group) == {})


def peak() -> int:
    """The most memory that this process has held since the last `forget_peak`, in MiB."""
    (line,) = [one for one in Path("/proc/self/status").read_text("ascii").splitlines() if one.startswith("VmHWM:")]
    return int(line.split()[1]) // 1024


def forget_peak() -> int:
    Path("/proc/self/clear_refs").write_text("5", "ascii")
    return peak()


def test_a_length_takes_no_memory(world: Cluster) -> None:
    before = forget_peak()
    end = attempt(world, "DescribeGroups", SPOILED["256-MB-that-never-come"], group_of("DescribeGroups", "silence"))
    assert end.spoiled > 1
    assert peak() - before < 64


def refused(_answer: Any, groups: list[Any]) -> None:
    """What a broker says of stable offsets that took a group over, and does not know what is replicated."""
    give_code(NOT_COORDINATOR, *groups)


def test_offsets_that_are_not_sure_are_not_shown(world: Cluster) -> None:
    group = f"{TOPIC}-not-shown"
    commits.commit(world.client(), group, COMMITTED)
    look = ("consumer_group_info", {"names": "GROUP", "gather": ["offsets", "lag"]})
    end = attempt(world, "OffsetFetch", rewritten("OffsetFetch", refused), group, task=look, request=TIMEOUT)
    assert end.outcome, end.words
    (shown,), (problem,) = end.outcome.given["groups"], end.outcome.given["errors"]
    assert (shown["offsets"], shown["lag"]) == (None, None)
    assert_explained(problem["error"]["message"])


@pytest.mark.parametrize("rpc", ["DeleteGroups", "OffsetDelete", "OffsetCommit"])
def test_offsets_that_are_not_sure_are_not_changed(world: Cluster, tmp_path: Path, rpc: str) -> None:
    file, group = tmp_path / "backup.json", f"{TOPIC}-{rpc}-not-changed"
    commits.commit(world.client(), group, COMMITTED)
    _api_key, module, args = CHANGES[rpc]
    change = (module, args | {"backup": str(file)})
    end = attempt(world, "OffsetFetch", rewritten("OffsetFetch", refused), group, task=change, request=TIMEOUT)
    assert end.outcome, end.words
    (item,) = end.outcome.items
    assert item.error
    assert not item.changed
    assert_explained(item.error.message)
    assert dict(truth.offsets(world.client(), group)) == COMMITTED
    assert not file.exists()


def assert_explained(message: str) -> None:
    assert message.startswith("not finished within")
    assert "NOT_COORDINATOR in the troubleshooting guide" in message


def test_a_broker_that_loads_for_long_is_waited_for(world: Cluster) -> None:
    """A coordinator that restarts with a large offsets topic answers so; listing waits as describing does."""
    group = f"{TOPIC}-loads"
    commits.commit(world.client(), group, COMMITTED)
    until = time.monotonic() + 10

    def spoil(frame: bytes) -> list[bytes]:
        # length, correlation, tags and throttle time come first
        loading = struct.pack(">h", COORDINATOR_LOAD_IN_PROGRESS)
        return [frame if time.monotonic() > until else frame[:13] + loading + frame[15:]]

    end = attempt(world, "ListGroups", spoil, group, timeout=120)
    assert end.outcome, end.words
    assert end.outcome.given["errors"] == []
    assert [found["name"] for found in end.outcome.given["groups"]] == [group]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    rpc=st.sampled_from(sorted({*READS, *CHANGES} - {"LeaveGroup"})),
    changes=st.lists(st.tuples(st.integers(0, 4000), st.integers(1, 255)), min_size=1, max_size=3),
)
def test_changed_bytes(world: Cluster, rpc: str, changes: list[tuple[int, int]]) -> None:
    """Whatever is changed in an answer: no success that is none, and no failure that the answer does not speak of."""
    group = f"{TOPIC}-bytes-{next(NUMBERS)}"
    commits.commit(world.client(), group, COMMITTED)
    sent = bytearray()

    def spoil(frame: bytes) -> list[bytes]:
        sent[:] = frame
        for place, value in changes:
            # length and correlation are spoiled above
            sent[8 + place % (len(frame) - 8)] ^= value
        return [bytes(sent)]

    end = attempt(world, rpc, spoil, group, times=1, timeout=1.5)
    assert end.seconds < TIMEOUT + SLACK
    assert "\n" not in end.words
    if rpc in READS:
        return
    assert end.outcome is not None, end.words
    done = is_done(world, rpc, group)
    assert end.outcome.changed <= done
    if end.outcome.changed < done:
        (item,) = end.outcome.items
        code = item.error.code if item.error else GROUP_ID_NOT_FOUND
        # told by the broker; or, while it makes the client wait as by a quota, told to be unknown
        assert struct.pack(">h", code) in sent or (item.error and "outcome is unknown" in item.error.message)
