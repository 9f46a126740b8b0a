# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a look at the offsets tells of a change whose answer was lost: made, not made, or somebody else's turn."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import KafkaError, error
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _offset_checks
from ansible_collections.kafkaops.groups.plugins.module_utils._results import DELETE_OFFSET, SET_OFFSET, Item

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
        Item("g", SET_OFFSET, topic="a", partition=number, before=offset(3 + number), after=offset(5 + number))
        for number in range(2)
    ]
    assert told(_offset_checks._became(found, items)) == outcome


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
    items = [Item("g", DELETE_OFFSET, topic="a", partition=number, before=offset(3)) for number in range(2)]
    assert told(_offset_checks._became(found, items)) == outcome


def told(became: t.Any) -> t.Any:
    """The names of errors: of the group, or of each partition."""
    if isinstance(became, KafkaError):
        return became.name
    return became and [problem and problem.name for problem in became.values()]
