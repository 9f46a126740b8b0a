# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of consumer_group_offsets, state present."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import KafkaError, error
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import set_offsets
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._offset_request import Request, Reset, Wanted
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._reset import Log
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._saved_offsets import Saved

from tests.unit.values import ALL, at, group, member, offset, topic

TOPICS = {"a": topic("a", partitions=1, id="now", leader_epochs={0: 3}), "gone": error("UNKNOWN_TOPIC_OR_PARTITION")}


def request(**more: t.Any) -> Request:
    sources: t.Any = dict.fromkeys(
        (
            *("offsets", "reset", "restore", "copy_from", "plan", "owners"),
            *("backup", "max_changes", "match", "committed_topics"),
        )
    )
    values = {"groups": {"g": {"a": None}}, "unsubscribed": False, **sources, **more}
    return Request(state="present", **values)


@pytest.mark.parametrize(
    ("reset", "current", "log", "target"),
    [
        (Reset("to_earliest"), 15, Log(10, 20), 10),
        (Reset("to_latest"), 15, Log(10, 20), 20),
        (Reset("to_offset", 12), None, Log(10, 20), 12),
        (Reset("to_offset", 5), None, Log(10, 20), 10),
        (Reset("to_offset", 25), None, Log(10, 20), 20),
        (Reset("shift_by", 2), 15, Log(10, 20), 17),
        (Reset("shift_by", -9), 15, Log(10, 20), 10),
        (Reset("shift_by", 99), 15, Log(10, 20), 20),
        (Reset("shift_by", 1), None, Log(10, 20), "INVALID_REQUEST"),
        (Reset("to_datetime", 1), None, Log(10, 20, 13), 13),
        (Reset("to_datetime", 1), None, Log(10, 20, -1), 20),
        (Reset("to_earliest"), 15, error("LEADER_NOT_AVAILABLE"), "LEADER_NOT_AVAILABLE"),
    ],
)
def test_reset_targets(reset: Reset, current: int | None, log: t.Any, target: int | str) -> None:
    offsets = {"g": {} if current is None else {at(): offset(current)}}
    found = set_offsets.targets(request(reset=reset), None, offsets, TOPICS, {at(): log})  # type: ignore[arg-type]
    got = found["g"][at()]
    assert (got.name if hasattr(got, "name") else got.offset) == target


@pytest.mark.parametrize(
    ("given", "current", "target"),
    [
        (Wanted(5, None, None), None, offset(5)),
        (Wanted(5, "m", 3), None, offset(5, "m", 3)),
        (Wanted(5, None, None), offset(5, "kept", 2), offset(5, "kept", 2)),
        (Wanted(5, "new", None), offset(5, "old", 2), offset(5, "new", 2)),
        (Wanted(6, None, None), offset(5, "old", 2), offset(6)),
        (Wanted(5, None, 4), None, offset(5)),
        (Wanted(5, None, None), offset(5, "kept", 4), offset(5, "kept")),
    ],
)
def test_explicit_targets(given: Wanted, current: t.Any, target: t.Any) -> None:
    offsets: t.Any = {"g": {at(): current} if current else {}}
    assert set_offsets.targets(request(offsets={at(): given}), None, offsets, TOPICS, {}) == {"g": {at(): target}}


@pytest.mark.parametrize(
    ("missing_only", "current", "target"),
    [
        (False, {at(): offset(9), at(2): offset(7)}, {at(): offset(5, "saved"), at(1): offset(6)}),
        (True, {at(): offset(9), at(2): offset(7)}, {at(): offset(9), at(1): offset(6)}),
        (True, error("GROUP_AUTHORIZATION_FAILED"), {at(): offset(5, "saved"), at(1): offset(6)}),
    ],
)
def test_restored_targets(missing_only: bool, current: t.Any, target: t.Any) -> None:
    saved = Saved({"g": {at(): offset(5, "saved"), at(1): offset(6)}}, {}, True, missing_only)
    assert set_offsets.targets(request(), saved, {"g": current}, TOPICS, {}) == {"g": target}


SAME, OTHER, NONE_THEN, UNKNOWN = {"a": "now"}, {"a": "then"}, {"a": None}, {}


@pytest.mark.parametrize(
    ("ids", "same_cluster", "recreated", "epoch", "target"),
    [
        (SAME, True, "fail", 3, offset(50, "m", 3)),
        (SAME, True, "fail", 4, offset(50, "m")),
        (SAME, True, "clamp", 3, offset(50, "m", 3)),
        (OTHER, True, "fail", 0, "INCONSISTENT_TOPIC_ID"),
        (OTHER, True, "clamp", 0, offset(20, "m")),
        (NONE_THEN, True, "fail", 0, "INCONSISTENT_TOPIC_ID"),
        (UNKNOWN, True, "fail", 3, offset(50, "m")),
        (OTHER, False, "fail", 3, offset(50, "m")),
        (SAME, False, "fail", 3, offset(50, "m")),
    ],
)
def test_a_topic_that_was_created_anew(
    ids: dict[str, str | None], same_cluster: bool, recreated: str, epoch: int, target: t.Any
) -> None:
    saved = Saved({"g": {at(): offset(50, "m", epoch)}}, ids, same_cluster, clamp=recreated == "clamp")
    logs: t.Any = {at(): Log(10, 20)} if recreated == "clamp" else {}
    (got,) = set_offsets.targets(request(), saved, {"g": {}}, TOPICS, logs)["g"].values()
    assert (got.name if isinstance(got, KafkaError) else got) == target


@pytest.mark.parametrize(
    ("then", "clamp", "target"),
    [
        (10, False, offset(10, "m")),
        (20, False, offset(20, "m")),
        (9, False, "OFFSET_OUT_OF_RANGE"),
        (21, False, "OFFSET_OUT_OF_RANGE"),
        (9, True, offset(10, "m")),
        (21, True, offset(20, "m")),
    ],
)
def test_a_topic_of_another_name(then: int, clamp: bool, target: t.Any) -> None:
    """Its log may hold other offsets, and its leader epochs are others."""
    saved = Saved({"g": {at(): offset(then, "m", 3)}}, {}, True, clamp=clamp, renamed=frozenset({"a"}))
    saved = saved.of_current_topics(TOPICS)
    (got,) = set_offsets.targets(request(), saved, {"g": {}}, TOPICS, {at(): Log(10, 20)})["g"].values()
    assert (got.name if isinstance(got, KafkaError) else got) == target


@pytest.mark.parametrize(
    ("current", "target"),
    [
        ({at(): offset(5, "kept", 3)}, offset(5, "kept", 3)),
        ({at(): offset(5, "kept", 4)}, offset(5, "kept")),
        ({at(): offset(4, "gone", 3)}, offset(5)),
        ({}, offset(5)),
    ],
)
def test_a_file_without_metadata(current: t.Any, target: t.Any) -> None:
    """What it does not tell of an equal offset is kept."""
    saved = Saved({"g": {at(): offset(5)}}, {}, False, bare=True)
    assert set_offsets.targets(request(), saved, {"g": current}, TOPICS, {}) == {"g": {at(): target}}


def test_a_copy_keeps_the_epoch_of_the_same_topic() -> None:
    saved = Saved({"g": {at(): offset(50, "m", 3)}}, {}, True).of_current_topics(TOPICS)
    assert set_offsets.targets(request(), saved, {"g": {}}, TOPICS, {}) == {"g": {at(): offset(50, "m", 3)}}


def test_a_reset_to_an_equal_offset_removes_an_epoch_that_is_not_reached() -> None:
    broken = {at(): offset(10, "m", 4)}
    wanted = set_offsets.targets(request(reset=Reset("to_earliest")), None, {"g": broken}, TOPICS, {at(): Log(10, 20)})
    (item,) = set_offsets.plan(wanted, {"g": group()}, {}, {"g": broken}, TOPICS, {})
    assert (item.changed, item.after) == (True, offset(10, "m"))


@pytest.mark.parametrize(
    ("found", "outcome"), [({}, None), (error("GROUP_AUTHORIZATION_FAILED"), "GROUP_AUTHORIZATION_FAILED")]
)
def test_all_topics_of_a_group_without_any(found: t.Any, outcome: str | None) -> None:
    """One that cannot be read is no group without offsets."""
    wanted = request(reset=Reset("to_earliest"), groups={"g": {}}, committed_topics=bool)
    unknown = set_offsets.unknown_topics(wanted, {})
    targets = set_offsets.targets(wanted, None, {"g": found}, {}, {})
    items = set_offsets.plan(targets, {"g": group()}, {}, {"g": found}, {}, unknown)
    assert [item.error and item.error.name for item in items] == ([outcome] if outcome else [])


def test_a_topic_that_cannot_be_told_has_no_partition() -> None:
    wanted = request(reset=Reset("to_earliest"), groups={"g": {"gone": None, "a": None}})
    unknown = set_offsets.unknown_topics(wanted, TOPICS)
    targets = set_offsets.targets(wanted, None, {"g": {}}, TOPICS, {at(): Log(10, 20)})
    *_known, item = set_offsets.plan(targets, {"g": group()}, {}, {"g": {}}, TOPICS, unknown)
    assert item.target == ("g", "gone", None)
    assert item.error
    assert item.error.name == "UNKNOWN_TOPIC_OR_PARTITION"


@pytest.mark.parametrize(
    ("seen", "current", "outcome"),
    [
        (group(), None, "changed"),
        (group(), offset(5), "unchanged"),
        (group(), offset(4), "changed"),
        (group(), offset(5, "metadata"), "changed"),
        (group(), offset(5, "", 7), "changed"),
        (None, None, "creates"),
        (group("g", member()), offset(4), "NON_EMPTY_GROUP"),
        (group("g", member()), offset(5), "unchanged"),
        (group(type="share"), None, "INVALID_REQUEST"),
        (group(operations=frozenset({"DESCRIBE"})), None, "GROUP_AUTHORIZATION_FAILED"),
        (error("GROUP_AUTHORIZATION_FAILED"), None, "GROUP_AUTHORIZATION_FAILED"),
    ],
)
def test_plan(seen: t.Any, current: t.Any, outcome: str) -> None:
    offsets: t.Any = {"g": {at(): current} if current else {}}
    (item,) = set_offsets.plan({"g": {at(): offset(5)}}, {"g": seen}, {"g": ALL}, offsets, TOPICS, {})
    words = "creates" if item.creates_group else "changed" if item.changed else "unchanged"
    assert (item.error.name if item.error else words) == outcome
    assert item.after == (offset(5) if item.changed else item.before)


@pytest.mark.parametrize(
    ("operations", "outcome"),
    [
        (frozenset({"DESCRIBE"}), "GROUP_AUTHORIZATION_FAILED"),
        (None, None),
        (ALL, None),
        (error("REQUEST_TIMED_OUT"), "REQUEST_TIMED_OUT"),
    ],
)
def test_a_group_that_one_may_not_create(operations: t.Any, outcome: str | None) -> None:
    (item,) = set_offsets.plan({"g": {at(): offset(5)}}, {"g": None}, {"g": operations}, {"g": {}}, TOPICS, {})
    assert (item.error.name if item.error else None) == outcome


@pytest.mark.parametrize(
    ("where", "name"), [(at(0, "gone"), "UNKNOWN_TOPIC_OR_PARTITION"), (at(9), "UNKNOWN_TOPIC_OR_PARTITION")]
)
def test_unknown_partitions(where: t.Any, name: str) -> None:
    (item,) = set_offsets.plan({"g": {where: offset(5)}}, {"g": group()}, {}, {"g": {}}, TOPICS, {})
    assert item.error is not None
    assert item.error.name == name


@pytest.mark.parametrize(
    ("log", "current", "target"),
    [
        pytest.param(Log(10, 20, 13), None, offset(13), id="a record at or after the time"),
        pytest.param(Log(10, 20, 13), offset(13, "kept", 2), offset(13, "kept", 2), id="it is committed already"),
        pytest.param(Log(10, 20, -1), None, offset(20), id="none"),
        pytest.param(error("LEADER_NOT_AVAILABLE"), None, "LEADER_NOT_AVAILABLE", id="a log that cannot be read"),
    ],
)
def test_targets_by_time(log: t.Any, current: t.Any, target: t.Any) -> None:
    offsets: t.Any = {"g": {at(): current} if current else {}}
    given = Wanted(5, None, None, timestamp=1000)
    found = set_offsets.targets(request(offsets={at(): given}), None, offsets, TOPICS, {at(): log})
    if not isinstance(target, str):
        assert found == {"g": {at(): target}}
    # a copy by time ignores the epoch of the source, and keeps its metadata
    saved = Saved({"g": {at(): offset(5, "copied", 2)}}, {}, True, timestamps={at(): 1000})
    copied = set_offsets.targets(request(), saved, offsets, TOPICS, {at(): log})["g"][at()]
    assert (copied.name if isinstance(copied, KafkaError) else copied) == (
        target if isinstance(target, str) else offset(target.offset, "copied")
    )


@pytest.mark.parametrize(
    ("timestamp", "outcome"),
    [(None, "OFFSET_OUT_OF_RANGE"), (error("NOT_LEADER_OR_FOLLOWER"), "NOT_LEADER_OR_FOLLOWER")],
)
def test_a_copy_by_time_of_an_offset_without_one(timestamp: t.Any, outcome: str) -> None:
    saved = Saved({"g": {at(): offset(5)}}, {}, True, timestamps={at(): timestamp})
    found = set_offsets.targets(request(), saved, {"g": {}}, TOPICS, {at(): Log(0, 9)})["g"][at()]
    assert isinstance(found, KafkaError)
    assert found.name == outcome
