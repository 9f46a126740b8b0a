# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Describing groups of several partitions at a time: what tells most of a group is taken."""

from __future__ import annotations

from types import SimpleNamespace as Answer
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import Group
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.consumer_group_describe import (
    ConsumerGroupDescribe,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.handler import Done, Failed, Retry

FOUND, NOT_FOUND, LOADING, DENIED = 0, 69, 14, 30


def described(code: int) -> Any:
    return Answer(
        group_id="a",
        error_code=code,
        error_message=None,
        group_state="Stable",
        assignor_name="uniform",
        members=[],
        authorized_operations=None,
    )


@pytest.mark.parametrize(
    ("codes", "kind"),
    [
        ([FOUND], Group),
        ([NOT_FOUND], None),
        ([NOT_FOUND, NOT_FOUND], None),
        ([NOT_FOUND, FOUND, NOT_FOUND], Group),
        ([FOUND, LOADING], Group),
        ([LOADING, NOT_FOUND], Retry),
        ([NOT_FOUND, LOADING], Retry),
        ([DENIED, NOT_FOUND], Failed),
    ],
)
def test_what_tells_most_is_taken(codes: list[int], kind: type | None) -> None:
    answer = Answer(groups=[described(code) for code in codes], version=1)
    outcome = ConsumerGroupDescribe().outcomes(["a"], answer)["a"]
    got = outcome.value if isinstance(outcome, Done) else outcome
    assert got is None if kind is None else isinstance(got, kind)


@pytest.mark.parametrize(("version", "removable"), [(0, False), (1, True)], ids=["3.9", "4.0"])
def test_the_coordinator_of_a_group_tells_whether_it_removes_members(version: int, removable: bool) -> None:
    outcome = ConsumerGroupDescribe().outcomes(["a"], Answer(groups=[described(0)], version=version))["a"]
    assert isinstance(outcome, Done)
    assert isinstance(outcome.value, Group)
    assert outcome.value.removable is removable
