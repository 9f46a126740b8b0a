# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What consumer_group_info returns of a member."""

from __future__ import annotations

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._model import Member
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.info import _member_result

from tests.unit.values import member


@pytest.mark.parametrize(
    ("one", "state", "topics"),
    [
        (member(topics=("a", "b")), "Stable", ["a", "b"]),
        (member(topics=("a",)), "Reconciling", ["a"]),
        (member(topics=None), "PreparingRebalance", None),
        (member(topics=(), topic_regex="a.*"), "Stable", []),
        (member(topics=(), topic_regex="a.*"), "Assigning", None),
    ],
)
def test_topics_that_do_not_show_are_null(one: Member, state: str, topics: list[str] | None) -> None:
    assert _member_result(one, state)["topics"] == topics
