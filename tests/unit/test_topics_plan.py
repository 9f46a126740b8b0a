# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of topic, its result items, and the outcome of each answer."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import KafkaError, error
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import Topic
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import results
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._safeguards import limit
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.results import (
    DELETE_TOPIC,
    NONE,
    Item,
    TopicTarget,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.topics import (
    _after_deletion,
    _deletion_outcome,
    parse_deletion,
    plan,
)

from tests.unit.values import topic

GONE = error("UNKNOWN_TOPIC_OR_PARTITION")
HIDDEN = error("TOPIC_AUTHORIZATION_FAILED")
NO_SUCH_ID = error("UNKNOWN_TOPIC_ID")
ANEW = topic()._replace(id="another")


@pytest.mark.parametrize(
    ("name", "seen", "action", "problem"),
    [
        ("a", topic(), DELETE_TOPIC, None),
        ("a", GONE, NONE, None),
        ("a", topic(operations=frozenset({"READ", "DESCRIBE"})), DELETE_TOPIC, "TOPIC_AUTHORIZATION_FAILED"),
        ("a", HIDDEN, DELETE_TOPIC, "TOPIC_AUTHORIZATION_FAILED"),
        ("a", error("LEADER_NOT_AVAILABLE"), DELETE_TOPIC, "LEADER_NOT_AVAILABLE"),
        ("a", Topic("a", frozenset({0}), frozenset({"DELETE"}), internal=True), DELETE_TOPIC, "INVALID_REQUEST"),
        ("__consumer_offsets", topic(), DELETE_TOPIC, "INVALID_REQUEST"),
        ("__transaction_state", topic(), DELETE_TOPIC, "INVALID_REQUEST"),
        ("__share_group_state", GONE, DELETE_TOPIC, "INVALID_REQUEST"),
        ("__remote_log_metadata", topic(), DELETE_TOPIC, "INVALID_REQUEST"),
    ],
)
def test_plan(name: str, seen: t.Any, action: str, problem: str | None) -> None:
    (item,) = plan({name: seen})
    assert (item.action, item.error.name if item.error else None) == (action, problem)
    assert item.changed is (action == DELETE_TOPIC and problem is None)
    # a failed one stays
    assert item.after == (item.before if problem else None)


@pytest.mark.parametrize(
    ("answer", "now", "resent", "action", "problem"),
    [
        (True, GONE, False, DELETE_TOPIC, None),
        (True, topic(), False, DELETE_TOPIC, None),
        (error("REQUEST_TIMED_OUT"), GONE, False, DELETE_TOPIC, None),
        (error("REQUEST_TIMED_OUT"), ANEW, False, DELETE_TOPIC, None),
        (error("REQUEST_TIMED_OUT"), topic(), False, DELETE_TOPIC, "REQUEST_TIMED_OUT"),
        (error("REQUEST_TIMED_OUT"), HIDDEN, False, DELETE_TOPIC, "REQUEST_TIMED_OUT"),
        (GONE, None, False, NONE, None),
        (GONE, None, True, DELETE_TOPIC, None),
        (NO_SUCH_ID, GONE, False, NONE, None),
        (NO_SUCH_ID, ANEW, False, DELETE_TOPIC, "UNKNOWN_TOPIC_ID"),
        (NO_SUCH_ID, ANEW, True, DELETE_TOPIC, None),
        (HIDDEN, None, False, DELETE_TOPIC, "TOPIC_AUTHORIZATION_FAILED"),
        (error("TOPIC_DELETION_DISABLED"), None, False, DELETE_TOPIC, "TOPIC_DELETION_DISABLED"),
    ],
)
def test_after_deletion(answer: t.Any, now: t.Any, resent: bool, action: str, problem: str | None) -> None:
    item = _after_deletion(plan({"a": topic()})[0], answer, now, resent)
    assert (item.action, item.error.name if item.error else None) == (action, problem)


@pytest.mark.parametrize(
    ("now", "topic_id", "outcome"),
    [
        (GONE, "id", True),
        (ANEW, "id", True),
        (topic()._replace(id="id"), "id", None),
        # without an id, a second request might meet another topic of the name
        (topic(), "", "REQUEST_TIMED_OUT"),
        (HIDDEN, "id", "TOPIC_AUTHORIZATION_FAILED"),
    ],
)
def test_the_outcome_of_a_deletion_without_answer(now: t.Any, topic_id: str, outcome: bool | str | None) -> None:
    found = _deletion_outcome(now, topic()._replace(id=topic_id))
    assert (found.name if isinstance(found, KafkaError) else found) == outcome


@pytest.mark.parametrize(("most", "refused"), [(None, False), (2, False), (1, True), (0, True)])
def test_limit(most: int | None, refused: bool) -> None:
    limited = limit(plan({"a": topic(), "b": topic("b"), "gone": GONE}), [DELETE_TOPIC], most)
    assert [item.error.name if item.error else None for item in limited] == [
        "POLICY_VIOLATION" if refused else None,
        "POLICY_VIOLATION" if refused else None,
        None,
    ]


def test_an_item_is_about_a_topic_and_no_group() -> None:
    item = Item.planned(TopicTarget("a"), DELETE_TOPIC, topic())
    assert item.as_result() == {
        "topic": "a",
        "action": "delete_topic",
        "changed": True,
        "failed": False,
        "before": {"id": None, "partitions": 3},
        "after": None,
        "error": None,
    }
    assert results.diff([item]) == {"before": "topic 'a': 3 partitions\n", "after": ""}
    assert results.message([item.failed(HIDDEN)]).startswith("1 of 1 failed: topic 'a': TOPIC_AUTHORIZATION_FAILED")


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ("a", ["a"]),
        (["a", "b", "a"], ["a", "b"]),
        ("a,b", None),
        ([], None),
        ("", None),
        (7, None),
        (["a", True], None),
    ],
)
def test_names(names: t.Any, found: list[str] | None) -> None:
    params = {"names": names, "max_changes": None}
    if found is None:
        with pytest.raises(TaskError, match=r"^names"):
            parse_deletion(params)
    else:
        assert parse_deletion(params).names == found
