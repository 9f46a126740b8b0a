# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of share_group_offsets, and what became of a change whose answer was lost."""

from __future__ import annotations

import re
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import KafkaError, error
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import Committed, Group, ShareOffset
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _share_apply, _share_plan
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._offset_request import Reset
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._reset import Log
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._saved_offsets import Saved
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._share_plan import View
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._share_request import Request
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.results import (
    DELETE_OFFSET,
    SET_OFFSET,
    Item,
    OffsetTarget,
)

from tests.unit.values import at, group, member, topic

TOPICS = {
    "a": topic("a", partitions=2),
    "b": topic("b"),
    "gone": error("UNKNOWN_TOPIC_OR_PARTITION"),
    "hidden": error("TOPIC_AUTHORIZATION_FAILED"),
    "no-read": topic("no-read", operations=frozenset({"DESCRIBE"})),
}
SHARE = group(type="share", protocol_type="share")
LIVE = group("g", member(), type="share", protocol_type="share")
LOGS = {at(): Log(10, 20), at(1): Log(0, 5)}
UNKNOWN = error("REQUEST_TIMED_OUT")
OLD = error("UNSUPPORTED_VERSION")


NOTHING = {
    "match": None,
    "chosen_topics": None,
    "offsets": None,
    "reset": None,
    "restore": None,
    "backup": None,
    "max_changes": None,
}


def request(state: str = "present", **more: t.Any) -> Request:
    return Request(state, {"g": {}}, **{**NOTHING, **more})


def view(seen: t.Any = SHARE, found: t.Any = None, operations: t.Any = None, **more: t.Any) -> View:
    values = {"topics": TOPICS, "logs": LOGS, "chosen": {"g": {}}, **more}
    return View({"g": seen}, {"g": operations}, {"g": {} if found is None else found}, **values)


def rows(items: list[Item[OffsetTarget]]) -> list[tuple[str | None, int | None, str]]:
    def word(item: Item[OffsetTarget]) -> str:
        if item.error:
            return item.error.name
        return "creates" if item.creates_group else item.action

    return [(item.target.topic, item.target.partition, word(item)) for item in items]


@pytest.mark.parametrize(
    ("before", "log", "outcome"),
    [
        pytest.param(ShareOffset(12, 0, 8), Log(10, 20), "none", id="as wanted"),
        pytest.param(ShareOffset(13, 0, 7), Log(10, 20), SET_OFFSET, id="another"),
        pytest.param(ShareOffset(12, 0, 3), Log(10, 20), SET_OFFSET, id="some records after it are processed"),
        pytest.param(ShareOffset(12, 0, 0), Log(10, 20), SET_OFFSET, id="all records after it are processed"),
        pytest.param(ShareOffset(12, 0, 7), Log(10, 20), SET_OFFSET, id="a record came after the lag was read"),
        pytest.param(ShareOffset(12, 0, None), Log(10, 20), SET_OFFSET, id="a broker that does not tell the lag"),
        pytest.param(ShareOffset(12, 0, None), Log(10, 12), "none", id="the end of the log"),
        pytest.param(ShareOffset(12, 0, None), Log(0, 5), "none", id="after the end of the log"),
        pytest.param(ShareOffset(None), Log(10, 20), SET_OFFSET, id="not read yet"),
        pytest.param(None, Log(10, 20), SET_OFFSET, id="no state"),
        pytest.param(ShareOffset(12, 0, 8), UNKNOWN, "REQUEST_TIMED_OUT", id="a log that cannot be read"),
    ],
)
def test_an_equal_start_offset_is_unchanged_only_if_no_record_after_it_is_processed(
    before: ShareOffset | None, log: t.Any, outcome: str
) -> None:
    seen = view(found={at(): before} if before else {}, logs={at(): log})
    (item,) = _share_plan.plan_setting(request(offsets={at(): 12}), seen)
    assert rows([item]) == [("a", 0, outcome)]
    assert item.before == before
    if item.changed:
        assert item.after == ShareOffset(12, lag=log.end - 12)


@pytest.mark.parametrize(
    ("reset", "at_time", "offset"),
    [
        (Reset("to_earliest"), None, 10),
        (Reset("to_latest"), None, 20),
        (Reset("to_offset", 12), None, 12),
        (Reset("to_offset", 5), None, 10),
        (Reset("to_offset", 25), None, 20),
        (Reset("to_datetime", 1), 13, 13),
        (Reset("to_datetime", 1), -1, 20),
    ],
)
def test_resets(reset: Reset, at_time: int | None, offset: int) -> None:
    seen = view(logs={at(): Log(10, 20, at_time)}, chosen={"g": {"a": (0,)}})
    (item,) = _share_plan.plan_setting(request(reset=reset), seen)
    assert item.after == ShareOffset(offset, lag=20 - offset)


@pytest.mark.parametrize(
    ("topics", "expected"),
    [
        ({"a": None}, [("a", 0, SET_OFFSET), ("a", 1, SET_OFFSET)]),
        ({"a": (1,)}, [("a", 1, SET_OFFSET)]),
        ({"a": (2,)}, [("a", 2, "UNKNOWN_TOPIC_OR_PARTITION")]),
        ({"gone": None}, [("gone", None, "UNKNOWN_TOPIC_OR_PARTITION")]),
        ({"gone": (0,)}, [("gone", 0, "UNKNOWN_TOPIC_OR_PARTITION")]),
        ({"hidden": None}, [("hidden", None, "TOPIC_AUTHORIZATION_FAILED")]),
        ({"no-read": (0,)}, [("no-read", 0, "TOPIC_AUTHORIZATION_FAILED")]),
    ],
)
def test_partitions_of_a_reset(topics: t.Any, expected: list[t.Any]) -> None:
    items = _share_plan.plan_setting(request(reset=Reset("to_earliest")), view(chosen={"g": topics}))
    assert rows(items) == expected


@pytest.mark.parametrize(
    ("seen", "operations", "found", "outcome", "words"),
    [
        (SHARE, None, {}, SET_OFFSET, ""),
        (None, None, {}, "creates", ""),
        (None, frozenset({"READ"}), {}, "creates", ""),
        (None, frozenset({"DESCRIBE"}), {}, "GROUP_AUTHORIZATION_FAILED", "setting offsets needs READ on group 'g'"),
        (None, UNKNOWN, {}, "REQUEST_TIMED_OUT", ""),
        (None, None, OLD, "UNSUPPORTED_VERSION", ""),
        (LIVE, None, {}, "NON_EMPTY_GROUP", "in state Stable with 1 member: stop its consumers first"),
        (group(), None, {}, "GROUP_ID_NOT_FOUND", "it is a classic consumer group, .*: use consumer_group_offsets"),
        (group(), None, OLD, "GROUP_ID_NOT_FOUND", "use consumer_group_offsets"),
        (group(type="streams"), None, {}, "GROUP_ID_NOT_FOUND", "it is a streams group, .*"),
        (SHARE._replace(operations=frozenset({"DELETE"})), None, {}, "GROUP_AUTHORIZATION_FAILED", "needs READ"),
        (SHARE._replace(operations=None), None, {}, SET_OFFSET, ""),
        (SHARE, None, UNKNOWN, "REQUEST_TIMED_OUT", ""),
        (UNKNOWN, None, {}, "REQUEST_TIMED_OUT", ""),
    ],
)
def test_groups_whose_offsets_are_set(seen: t.Any, operations: t.Any, found: t.Any, outcome: str, words: str) -> None:
    seen_all = view(seen, found, operations=operations)
    (item,) = _share_plan.plan_setting(request(offsets={at(): 12}), seen_all)
    assert rows([item]) == [("a", 0, outcome)]
    assert re.search(words, item.error.message if item.error else "")


@pytest.mark.parametrize(
    ("before", "log", "saved", "outcome"),
    [
        pytest.param(None, Log(0, 20), {}, 12, id="missing"),
        pytest.param(ShareOffset(12, 0, 8), Log(0, 20), {}, None, id="unchanged"),
        pytest.param(ShareOffset(15, 0, 5), Log(0, 20), {}, 12, id="moved"),
        pytest.param(ShareOffset(15, 0, 5), Log(0, 20), {"missing_only": True}, None, id="moved, kept"),
        pytest.param(ShareOffset(None), Log(0, 20), {"missing_only": True}, 12, id="not read yet"),
        pytest.param(None, Log(0, 20), {"topics": {"a": "other"}}, "INCONSISTENT_TOPIC_ID", id="recreated"),
        pytest.param(None, Log(0, 5), {"topics": {"a": "other"}, "clamp": True}, 5, id="recreated, clamped"),
        pytest.param(None, Log(0, 5), {"same_cluster": False}, 12, id="another cluster"),
        pytest.param(None, Log(0, 5), {"renamed": frozenset("a"), "topics": {}}, "OFFSET_OUT_OF_RANGE", id="renamed"),
        pytest.param(
            None, Log(0, 5), {"renamed": frozenset("a"), "topics": {}, "clamp": True}, 5, id="renamed, clamped"
        ),
        pytest.param(None, UNKNOWN, {}, "REQUEST_TIMED_OUT", id="a log that cannot be read"),
    ],
)
def test_restored(before: ShareOffset | None, log: t.Any, saved: t.Any, outcome: t.Any) -> None:
    values = {"topics": {"a": "id"}, "same_cluster": True, **saved}
    then = Saved({"g": {at(): Committed(12)}}, **values)
    topics = {"a": topic("a", id="id")}
    seen = view(found={at(): before} if before else {}, logs={at(): log}, topics=topics, saved=then)
    (item,) = _share_plan.plan_setting(request(), seen)
    assert item.action == ("none" if outcome is None else SET_OFFSET)
    after = item.after.offset if item.changed and isinstance(item.after, ShareOffset) else None
    assert (item.error.name if item.error else after) == outcome


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({at(): ShareOffset(12, 0, 3), at(1): ShareOffset(None)}, [("a", 0, SET_OFFSET), ("a", 1, SET_OFFSET)]),
        ({}, []),
        (UNKNOWN, [(None, None, "REQUEST_TIMED_OUT")]),
    ],
)
def test_all_topics(found: t.Any, expected: list[t.Any]) -> None:
    partitions = {} if isinstance(found, KafkaError) or not found else {"a": (0, 1)}
    seen = view(found=found, chosen={"g": partitions})
    assert rows(_share_plan.plan_setting(request(chosen_topics=bool, reset=Reset("to_earliest")), seen)) == expected


FOUND = {at(): ShareOffset(12, 0, 3), at(1): ShareOffset(None), at(0, "b"): ShareOffset(1)}


@pytest.mark.parametrize(
    ("seen", "found", "topics", "expected"),
    [
        (SHARE, FOUND, ["a"], [("a", 0, DELETE_OFFSET), ("a", 1, DELETE_OFFSET)]),
        (SHARE, FOUND, ["gone", "b"], [("gone", None, "none"), ("b", 0, DELETE_OFFSET)]),
        (SHARE, {}, ["a"], [("a", None, "none")]),
        (None, {}, ["a", "hidden"], [("a", None, "none"), ("hidden", None, "none")]),
        (None, OLD, ["a"], [("a", None, "UNSUPPORTED_VERSION")]),
        (SHARE, FOUND, ["hidden"], [("hidden", None, "TOPIC_AUTHORIZATION_FAILED")]),
        (SHARE, {at(0, "no-read"): ShareOffset(1)}, ["no-read"], [("no-read", 0, "TOPIC_AUTHORIZATION_FAILED")]),
        (LIVE, FOUND, ["a", "b"], [("a", None, "NON_EMPTY_GROUP"), ("b", None, "NON_EMPTY_GROUP")]),
        (group(), {}, ["a"], [("a", None, "GROUP_ID_NOT_FOUND")]),
        (SHARE._replace(operations=frozenset({"READ"})), FOUND, ["b"], [("b", None, "GROUP_AUTHORIZATION_FAILED")]),
        (SHARE, UNKNOWN, ["a"], [("a", None, "REQUEST_TIMED_OUT")]),
    ],
)
def test_deletions(seen: Group | None, found: t.Any, topics: list[str], expected: list[t.Any]) -> None:
    items = _share_plan.plan_deletion(request("absent"), view(seen, found, chosen={"g": dict.fromkeys(topics)}))
    assert rows(items) == expected
    assert all(item.after is None for item in items if item.changed)


SET = [Item.planned(OffsetTarget("g", *at()), SET_OFFSET, ShareOffset(15, 0, 5), ShareOffset(12, lag=8))]
DELETED = [Item.planned(OffsetTarget("g", *at()), DELETE_OFFSET, ShareOffset(15, 0, 5))]
USED = "POLICY_VIOLATION"


@pytest.mark.parametrize(
    ("changes", "found", "outcome"),
    [
        pytest.param(SET, {at(): ShareOffset(12, 0, 8)}, {at(): None}, id="set"),
        pytest.param(SET, {at(): ShareOffset(15, 0, 5)}, None, id="not set"),
        pytest.param(SET, {}, None, id="not set, and deleted by somebody else"),
        pytest.param(SET, {at(): ShareOffset(12, 0, 2)}, {at(): USED}, id="set, and read since"),
        pytest.param(SET, {at(): ShareOffset(18, 0, 2)}, {at(): USED}, id="read since"),
        pytest.param(SET, UNKNOWN, UNKNOWN, id="unknown"),
        pytest.param(DELETED, {}, {at(): None}, id="deleted"),
        pytest.param(DELETED, {at(): ShareOffset(15, 0, 5)}, None, id="not deleted"),
        pytest.param(DELETED, {at(): ShareOffset(18, 0, 2)}, {at(): USED}, id="read since, not deleted"),
    ],
)
def test_what_became_of_a_change(changes: list[t.Any], found: t.Any, outcome: t.Any) -> None:
    found_outcome = _share_apply.lost_outcome(found, LOGS if changes is SET else {}, changes)
    if isinstance(found_outcome, dict):
        assert {where: one and one.name for where, one in found_outcome.items()} == outcome
    else:
        assert found_outcome == outcome


@pytest.mark.parametrize(
    ("item", "name", "resent", "outcome"),
    [
        (SET[0], None, False, SET_OFFSET),
        (SET[0], "NON_EMPTY_GROUP", False, "NON_EMPTY_GROUP"),
        (SET[0], "UNKNOWN_TOPIC_OR_PARTITION", True, "UNKNOWN_TOPIC_OR_PARTITION"),
        (DELETED[0], "UNKNOWN_TOPIC_OR_PARTITION", False, "none"),
        (DELETED[0], "UNKNOWN_TOPIC_OR_PARTITION", True, DELETE_OFFSET),
        (DELETED[0], "GROUP_ID_NOT_FOUND", False, "none"),
        (DELETED[0], "NON_EMPTY_GROUP", False, "NON_EMPTY_GROUP"),
    ],
)
def test_outcomes(item: t.Any, name: str | None, resent: bool, outcome: str) -> None:
    problem: KafkaError | None = error(name) if name else None
    assert rows([_share_apply._outcome(item, problem, resent)]) == [("a", 0, outcome)]
