# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a look at the offsets tells of a change whose answer was lost: made, not made, or somebody else's turn."""

from __future__ import annotations

import asyncio
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import KafkaError, error
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.wire import Deadline
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import (
    _partition_errors,
    _precondition,
    _read_groups,
    delete_groups,
    delete_offsets,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._precondition import Precondition
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.results import (
    DELETE_GROUP,
    DELETE_OFFSET,
    SET_OFFSET,
    GroupTarget,
    Item,
    OffsetTarget,
)

from tests.unit.values import at, offset


@pytest.mark.parametrize(
    ("found", "outcome"),
    [
        ({at(): offset(5), at(1): offset(6)}, [None, None]),
        ({at(): offset(3), at(1): offset(4)}, None),
        ({at(): offset(5)}, None),
        ({}, None),
        # somebody has committed since
        ({at(): offset(9), at(1): offset(6)}, ["POLICY_VIOLATION", None]),
        ({at(): offset(9), at(1): offset(4)}, ["POLICY_VIOLATION", "POLICY_VIOLATION"]),
        (error("NOT_COORDINATOR"), "NOT_COORDINATOR"),
    ],
)
def test_what_became_of_a_commit_without_an_answer(found: t.Any, outcome: t.Any) -> None:
    items = [
        Item.planned(OffsetTarget("g", "a", number), SET_OFFSET, offset(3 + number), offset(5 + number))
        for number in range(2)
    ]
    assert told(_partition_errors._lost_outcome(found, items)) == outcome


@pytest.mark.parametrize(
    ("found", "outcome"),
    [
        ({}, [None, None]),
        ({at(): offset(3)}, None),
        ({at(): offset(9)}, ["POLICY_VIOLATION", None]),
        (error("NOT_COORDINATOR"), "NOT_COORDINATOR"),
    ],
)
def test_what_became_of_a_deletion_without_an_answer(found: t.Any, outcome: t.Any) -> None:
    items = [Item.planned(OffsetTarget("g", "a", number), DELETE_OFFSET, offset(3)) for number in range(2)]
    assert told(_partition_errors._lost_outcome(found, items)) == outcome


@pytest.mark.parametrize(
    ("before", "now", "outcome"),
    [
        ([(0, 3)], [(0, 3)], None),
        ([], [], None),
        # created again after the deletion
        ([(0, 3), (1, 5)], [], True),
        ([(0, 3), (1, 5)], [(0, 4)], True),
        ([(0, 3)], [(1, 3)], True),
        ([(0, 3)], [(0, 4)], _precondition.DELETED_OR_USED),
        # another client has deleted an offset
        ([(0, 3), (1, 5)], [(0, 3)], None),
        # only in use
        ([(0, 3), (1, 5)], [(0, 3), (1, 6)], _precondition.USED_SINCE),
        ([(0, 3)], [(0, 3), (1, 5)], _precondition.USED_SINCE),
        ([], [(1, 5)], _precondition.USED_SINCE),
    ],
)
def test_a_group_that_exists_after_a_lost_answer(before: t.Any, now: t.Any, outcome: t.Any) -> None:
    read = [{at(partition): offset(number) for partition, number in each} for each in (before, now)]
    became = Precondition._deleted(*read)
    assert (became.message if isinstance(became, KafkaError) else became) == outcome


@pytest.mark.parametrize("from_plan", [True, False])
def test_an_unknown_outcome_is_not_taken_for_a_group_that_was_left_alone(from_plan: bool) -> None:
    item = Item.planned(GroupTarget("g"), DELETE_GROUP, None)
    lost = error("POLICY_VIOLATION", _precondition.DELETED_OR_USED)
    assert delete_groups._after_deletion(item, lost, False, Precondition({}, from_plan)).error == lost


def told(became: t.Any) -> t.Any:
    """The names of errors: of the group, or of each partition."""
    if isinstance(became, KafkaError):
        return became.name
    return became and [problem and problem.name for problem in became.values()]


@pytest.mark.parametrize(
    ("outcome", "item"),
    [
        (delete_groups._after_deletion, Item.planned(GroupTarget("g"), DELETE_GROUP, None)),
        (delete_offsets._after_deletion, Item.planned(OffsetTarget("g", "a", 0), DELETE_OFFSET, offset(3))),
    ],
)
@pytest.mark.parametrize("from_plan", [True, False])
def test_what_was_used_meanwhile_is_left_alone_by_a_plan_and_else_fails(
    outcome: t.Any, item: Item[t.Any], from_plan: bool
) -> None:
    done = outcome(item, error("POLICY_VIOLATION", "used"), False, Precondition({}, from_plan))
    assert not done.changed
    assert (done.skip_reason is not None, done.error is None) == (from_plan, from_plan)


class Transactions:
    """A session whose groups are stable after so many looks; None: never."""

    def __init__(self, looks: dict[str, int | None], timeout: float = 2) -> None:
        self.looks, self.asked = looks, list[list[str]]()
        self.deadline, self.driver, self.wire = Deadline(timeout), self, self

    async def read(self, _handler: t.Any, groups: t.Iterable[str]) -> dict[str, t.Any]:
        self.asked.append(list(groups))
        return {name: self._look(name) for name in self.asked[-1]}

    def _look(self, name: str) -> t.Any:
        if name not in self.looks:
            # the offsets topic, which would show the transaction
            return error("TOPIC_AUTHORIZATION_FAILED")
        left = self.looks[name]
        if left == 0:
            return {at(): offset(3)}
        self.looks[name] = None if left is None else left - 1
        return error("UNSTABLE_OFFSET_COMMIT")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def test_only_what_is_not_stable_is_read_again_for_a_while() -> None:
    session = Transactions({"stable": 0, "ends": 2, "open": None})
    found: t.Any = asyncio.run(_read_groups.committed(session, ["stable", "ends", "open"]))  # type: ignore[arg-type]
    assert (found["stable"], found["ends"]) == ({at(): offset(3)}, {at(): offset(3)})
    assert found["open"].name == "UNSTABLE_OFFSET_COMMIT"
    assert "was pending for 0.5 s" in found["open"].message
    assert "(its producer cannot be shown: TOPIC_AUTHORIZATION_FAILED)" in found["open"].message
    assert session.asked[:3] == [["stable", "ends", "open"], ["ends", "open"], ["ends", "open"]]
    # the rest of the time belongs to the rest of the task
    assert session.deadline.remaining > 0.7
