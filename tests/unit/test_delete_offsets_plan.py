# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of consumer_group_offsets, state absent."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import error
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import delete_offsets
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._offset_request import Request

from tests.unit.values import at, group, member, offset, topic

COMMITTED = {at(0): offset(1), at(1): offset(2), at(0, "b"): offset(3)}
TOPICS = {"a": topic("a"), "b": topic("b"), "c": topic("c"), "gone": error("UNKNOWN_TOPIC_OR_PARTITION")}
UNSUBSCRIBED = "unsubscribed"
LIVE = group("g", member(topics=("a",)))


def plan(seen: t.Any, wanted: t.Any, found: t.Any = None, topics: t.Any = None) -> tuple[list[t.Any], list[str]]:
    request = Request(
        state="absent",
        plan=None,
        owners=None,
        groups={"g": {} if wanted == UNSUBSCRIBED else wanted},
        unsubscribed=wanted == UNSUBSCRIBED,
        match=None,
        committed_topics=None,
        offsets=None,
        reset=None,
        restore=None,
        copy_from=None,
        backup=None,
        max_changes=None,
    )
    return delete_offsets.plan(request, {"g": seen}, {"g": COMMITTED if found is None else found}, topics or TOPICS)


@pytest.mark.parametrize(
    ("seen", "wanted", "rows"),
    [
        (group(), {"a": (0,)}, [("a", 0, None)]),
        (group(), {"a": None}, [("a", 0, None), ("a", 1, None)]),
        (group(), {"a": (0, 2)}, [("a", 0, None), ("a", 2, "unchanged")]),
        (group(), {"c": None}, [("c", None, "unchanged")]),
        (None, {"a": (0,)}, [("a", 0, "unchanged")]),
        (LIVE, {"a": (0,), "b": None}, [("a", 0, "GROUP_SUBSCRIBED_TO_TOPIC"), ("b", 0, None)]),
        (LIVE, UNSUBSCRIBED, [("b", 0, None)]),
        (group("g", member(topics=("a",)), type="consumer"), UNSUBSCRIBED, [("b", 0, None)]),
        (
            group("g", member(topics=(), topic_regex="b.*"), type="consumer"),
            UNSUBSCRIBED,
            [("a", 0, None), ("a", 1, None)],
        ),
        (group("g", member(topics=None)), {"b": None}, [("b", 0, "GROUP_SUBSCRIBED_TO_TOPIC")]),
        # what is not known to be read is not left out
        (
            group("g", member(topics=None)),
            UNSUBSCRIBED,
            [(topic, partition, "GROUP_SUBSCRIBED_TO_TOPIC") for topic, partition in sorted(COMMITTED)],
        ),
        (group("g", member(topics=("a",)), type="streams"), UNSUBSCRIBED, [("b", 0, None)]),
        (group("g", member(topics=None), protocol_type="connect"), {"b": None}, [("b", 0, "NON_EMPTY_GROUP")]),
        (group(protocol_type="connect"), {"b": None}, [("b", 0, None)]),
        (group(type="share"), {"a": (0, 1)}, [("a", 0, "GROUP_ID_NOT_FOUND"), ("a", 1, "GROUP_ID_NOT_FOUND")]),
        (group(operations=frozenset({"READ"})), {"b": None}, [("b", 0, "GROUP_AUTHORIZATION_FAILED")]),
        (error("GROUP_AUTHORIZATION_FAILED"), {"b": None}, [("b", None, "GROUP_AUTHORIZATION_FAILED")]),
        (error("GROUP_AUTHORIZATION_FAILED"), UNSUBSCRIBED, [(None, None, "GROUP_AUTHORIZATION_FAILED")]),
    ],
)
def test_plan(seen: t.Any, wanted: t.Any, rows: list[tuple[str, int, str | None]]) -> None:
    items, _warnings = plan(seen, wanted)
    got = [
        (
            item.target.topic,
            item.target.partition,
            item.error.name if item.error else None if item.changed else "unchanged",
        )
        for item in items
    ]
    assert got == rows
    assert all(item.after is None for item in items if item.changed)
    assert all(item.after == item.before for item in items if item.error)


@pytest.mark.parametrize(
    ("info", "name"),
    [
        (error("UNKNOWN_TOPIC_OR_PARTITION"), "UNKNOWN_TOPIC_OR_PARTITION"),
        (error("TOPIC_AUTHORIZATION_FAILED"), "TOPIC_AUTHORIZATION_FAILED"),
        (topic("a", operations=frozenset({"DESCRIBE"})), "TOPIC_AUTHORIZATION_FAILED"),
        (topic("a", partitions=0), "UNKNOWN_TOPIC_OR_PARTITION"),
    ],
)
def test_a_commit_whose_topic_forbids_its_deletion(info: t.Any, name: str) -> None:
    items, _warnings = plan(group(), {"a": (0,)}, topics={"a": info})
    assert [item.error.name for item in items] == [name]


@pytest.mark.parametrize(("partitions", "shown"), [(None, [None]), ((0, 1), [0, 1])])
def test_a_topic_that_one_may_not_describe_is_not_taken_for_one_without_offsets(
    partitions: t.Any, shown: t.Any
) -> None:
    items, _warnings = plan(group(), {"a": partitions}, {}, {"a": error("TOPIC_AUTHORIZATION_FAILED")})
    assert [(item.target.partition, item.error.name) for item in items] == [
        (at, "TOPIC_AUTHORIZATION_FAILED") for at in shown
    ]


def test_unsubscribed_says_that_an_empty_group_tells_nothing() -> None:
    items, warnings = plan(group(), UNSUBSCRIBED)
    assert items == []
    assert warnings[0].startswith("group 'g' has no members")


def test_a_topic_that_does_not_exist_is_warned_of() -> None:
    items, warnings = plan(group(), {"gone": (0,)}, topics={"gone": TOPICS["gone"]})
    assert [item.changed or item.error is not None for item in items] == [False]
    assert warnings == ["topic 'gone' does not exist in this cluster"]
