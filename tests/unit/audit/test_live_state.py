# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The state of the cluster, read in chunks: what becomes a row, and what a request that fails makes unknown."""

from __future__ import annotations

import asyncio
import collections.abc as c
import contextlib
import typing as t
from types import SimpleNamespace as Simple

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge import live_state
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import KafkaError, error
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import Group, Listing, ShareOffset
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _find_groups, _read_configs
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._find_groups import Found, Gathered

from tests.unit.values import at, group, member, offset

LATE, DENIED = error("REQUEST_TIMED_OUT", "late"), error("GROUP_AUTHORIZATION_FAILED", "denied")


@contextlib.contextmanager
def _chunks() -> c.Iterator[None]:
    yield


SESSION: t.Any = Simple(driver=Simple(in_chunks=_chunks))


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_state, "CHUNK", 2)


class Chunked:
    """Answers for each chunk from a table, and remembers the chunks."""

    def __init__(self, answers: dict[str, t.Any]) -> None:
        self.answers = answers
        self.asked: list[list[str]] = []

    async def __call__(self, _session: t.Any, names: c.Iterable[str]) -> dict[str, t.Any]:
        self.asked.append(list(names))
        return {name: self.answers[name] for name in self.asked[-1]}


@pytest.mark.parametrize(
    ("answers", "rows", "warnings"),
    [
        ({}, {}, []),
        ({"a": {}, "b": {at(0): offset(5), at(1): offset(0)}}, {"a": {}, "b": {at(0): 5, at(1): 0}}, []),
        # a coordinator that fails for one chunk only
        (
            {"a": {at(0): offset(1)}, "b": {}, "c": LATE, "d": LATE, "e": {at(0): offset(2)}},
            {"a": {at(0): 1}, "b": {}, "e": {at(0): 2}},
            [
                "the committed offsets of group 'c' and 1 other group cannot be fetched, so the plan does not contain "
                "them: REQUEST_TIMED_OUT: late"
            ],
        ),
        (
            {"a": DENIED, "b": {at(0): offset(1)}},
            {"b": {at(0): 1}},
            [
                "the committed offsets of group 'a' cannot be fetched, so the plan does not contain them: "
                "GROUP_AUTHORIZATION_FAILED: denied"
            ],
        ),
    ],
)
def test_committed_offsets(
    monkeypatch: pytest.MonkeyPatch, answers: dict[str, t.Any], rows: dict[str, t.Any], warnings: list[str]
) -> None:
    fetch = Chunked(answers)
    monkeypatch.setattr(live_state, "committed_now", fetch)
    table, said = asyncio.run(live_state.committed(SESSION, list(answers)))
    found = {
        row["group"]: {at(one["partition"], one["topic"]): one["live_offset"] for one in row["offsets"]}
        for row in table.to_pylist()
    }
    assert (found, said) == (rows, warnings)
    # else Spark does not take it
    assert table["offsets"].num_chunks > 0
    assert all(len(chunk) <= 2 for chunk in fetch.asked)
    assert [name for chunk in fetch.asked for name in chunk] == list(answers)


def _read(monkeypatch: pytest.MonkeyPatch, groups: dict[str, Group | KafkaError | None]) -> tuple[live_state.Live, int]:
    """Read groups, whose descriptions are these; return also the number of chunks."""
    chunks = 0

    async def listed(_session: t.Any, _states: list[str], _types: list[str], gathered: Gathered) -> None:
        gathered.groups.update({name: Found(Listing(name, "classic", "consumer", None, 1)) for name in groups})

    async def described(_session: t.Any, gathered: Gathered, _states: list[str]) -> None:
        nonlocal chunks
        chunks += 1
        assert len(gathered.groups) <= 2
        for name in list(gathered.groups):
            answer = groups[name]
            if answer is None:
                del gathered.groups[name]
            elif isinstance(answer, KafkaError):
                gathered.errors.append({"group": name, "error": answer.as_result()})
            else:
                gathered.groups[name].group = answer

    async def start_offsets(_session: t.Any, gathered: Gathered) -> None:
        for name, found in gathered.groups.items():
            if found.group and found.group.type == "share":
                found.set_start_offsets({at(0): ShareOffset(5, lag=3), at(1, name): ShareOffset(None)})

    async def setting(_session: t.Any, _name: str) -> str:
        return "10"

    async def configured(_session: t.Any) -> frozenset[str]:
        return frozenset()

    async def nothing(_session: t.Any, _names: list[str]) -> dict[str, t.Any]:
        return {}

    monkeypatch.setattr(_find_groups, "listed", listed)
    monkeypatch.setattr(_find_groups, "described", described)
    monkeypatch.setattr(_find_groups, "fetched_start_offsets", start_offsets)
    monkeypatch.setattr(live_state, "broker_setting", setting)
    monkeypatch.setattr(live_state, "describe", nothing)
    monkeypatch.setattr(_read_configs, "configured_groups", configured)
    monkeypatch.setattr(_read_configs, "overridden", nothing)
    return asyncio.run(live_state.read(SESSION, lambda name: name != "excluded")), chunks


def test_a_cluster_without_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    live, chunks = _read(monkeypatch, {})
    assert chunks == 0
    for table in (live, asyncio.run(live_state.recheck_empty(SESSION, live))):
        assert table.groups.num_rows == 0
        assert all(column.num_chunks > 0 for column in table.groups.columns)


def test_groups_are_described_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    described: dict[str, Group | KafkaError | None] = {
        "a": group("a"),
        "gone": None,
        "b": group("b", member(topics=("t",)), member(topics=("u", "t"), assignment=(at(0, "v"),))),
        "late": LATE,
        "excluded": group("excluded", type="consumer"),
        "denied": LATE,
        "share": group("share", member(topics=("t",)), type="share", protocol_type="share"),
    }
    live, chunks = _read(monkeypatch, described)
    rows = {row["group"]: row for row in live.groups.to_pylist()}
    assert chunks == 4
    assert list(rows) == [name for name in described if name != "gone"]
    assert [name for name, row in rows.items() if not row["included"]] == ["excluded"]
    assert {name: (row["state"], row["members"], row["type"]) for name, row in rows.items()} == {
        "a": ("Empty", 0, "classic"),
        "b": ("Stable", 2, "classic"),
        "late": (None, None, "classic"),
        "excluded": ("Empty", 0, "consumer"),
        "denied": (None, None, "classic"),
        "share": ("Stable", 1, "share"),
    }
    assert {name: row["topics"] for name, row in rows.items() if row["topics"] is not None} == {"b": ["t", "u", "v"]}
    assert [row["lag"] for row in live.start_offsets.to_pylist()] == [3, None]
    assert live.warnings == ["group 'late' and 1 other group cannot be described: REQUEST_TIMED_OUT: late"]
    assert live.retention == 600_000


@pytest.mark.parametrize(
    ("members", "topics", "patterns", "known"),
    [
        ([member(topics=())], [], [], True),
        ([member(topics=None, assignment=(at(0, "t"),))], [], [], False),
        ([member(topics=("t",)), member(topics=None)], ["t"], [], False),
        ([member(topics=(), topic_regex="a.*"), member(topics=("t",), topic_regex="b")], ["t"], ["a.*", "b"], True),
        # what Python may read differently than the broker does
        ([member(topics=(), topic_regex="(a+)+")], [], [], False),
        ([member(topics=("t",), topic_regex="[")], ["t"], [], False),
    ],
)
def test_subscriptions(members: list[t.Any], topics: list[str], patterns: list[str], known: bool) -> None:
    described = group("g", *members)
    found = live_state._subscription(described)
    assert found == {"topics": topics, "patterns": patterns, "subscription_known": known}
    # the same as the group itself says of each topic
    for topic in ("t", "ab", "b", "other"):
        matches = any(live_state.topic_pattern(one).fullmatch(topic) for one in patterns)  # type: ignore[union-attr]
        expected = True if topic in topics or matches else False if known else None
        assert described.subscribes(topic) is expected


def test_patterns_are_matched_with_the_committed_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (member(topics=(), topic_regex=regex) for regex in ("a.*", "b"))
    live, _chunks_read = _read(monkeypatch, {"g": group("g", one, other), "h": group("h", one), "i": group("i")})
    found = live_state.subscribed_topics(live.groups, ["a", "ab", "b", "c"])
    assert {row["pattern"]: row["topics"] for row in found.to_pylist()} == {"a.*": ["a", "ab"], "b": ["b"]}


def test_empty_groups_are_described_again(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["a", "b", "c", "d", "e"]
    live, _chunks_read = _read(monkeypatch, {**{name: group(name) for name in names}, "busy": group("busy", member())})
    again = Chunked({"a": group("a"), "b": group("b", member()), "c": None, "d": LATE, "e": group("e")})
    monkeypatch.setattr(live_state, "describe", again)
    now = asyncio.run(live_state.recheck_empty(SESSION, live))
    assert {row["group"]: (row["state"], row["members"]) for row in now.groups.to_pylist()} == {
        "a": ("Empty", 0),
        "b": ("Stable", 1),
        "c": (None, None),
        "d": (None, None),
        "e": ("Empty", 0),
        "busy": ("Stable", 1),
    }
    assert again.asked == [["a", "b"], ["c", "d"], ["e"]]
    assert now.groups.schema == live.groups.schema
    assert now.warnings == [
        *live.warnings,
        f"group 'd' cannot be described again, so the state is unknown: {LATE.name}: {LATE.message}",
    ]
