# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The highest timestamp up to an offset, found by lookups of the first record at or after a time."""

from __future__ import annotations

import asyncio
import collections.abc as c
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import error
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import TopicPartition
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._read_topics import timestamps_at

from tests.unit.values import at

Records = dict[int, int]
LAST = 2**63 - 1


class Logs:
    """A session whose partition leaders look timestamps up as Kafka's do; a log is its timestamps by offset."""

    def __init__(self, logs: dict[TopicPartition, t.Any]) -> None:
        self.logs, self.rounds = logs, 0
        self.driver = self

    async def read(self, handler: t.Any, partitions: c.Iterable[TopicPartition]) -> dict[TopicPartition, t.Any]:
        self.rounds += 1
        return {where: self._first(self.logs[where], handler._for(where)) for where in partitions}

    def _first(self, log: t.Any, time: int) -> t.Any:
        if not isinstance(log, dict):
            return log
        return next((offset for offset, timestamp in sorted(log.items()) if timestamp >= time), -1)


@pytest.mark.parametrize(
    ("log", "offset", "expected"),
    [
        pytest.param({0: 100, 1: 200, 2: 300}, 1, 200, id="in order"),
        pytest.param({0: 100, 1: 300, 2: 200, 3: 400}, 2, 300, id="an earlier record has the highest"),
        pytest.param({0: 100, 1: 200, 2: 200}, 2, 200, id="equal ones"),
        pytest.param({0: 100, 1: 200}, 2, 200, id="the end of the log"),
        pytest.param({0: 100, 1: 200}, 9, 200, id="after the end of the log"),
        pytest.param({5: 100, 6: 200}, 5, 100, id="the start of the log"),
        pytest.param({5: 100, 6: 200}, 4, None, id="before the start of the log"),
        pytest.param({3: 100, 7: 200}, 5, 100, id="a compacted log"),
        pytest.param({}, 5, None, id="an empty log"),
        pytest.param({0: -1, 1: -1}, 1, None, id="records without timestamps"),
        pytest.param({0: 0, 1: LAST}, 1, LAST, id="the highest that there is"),
        pytest.param({0: 0, 1: LAST}, 0, 0, id="the lowest that there is"),
        pytest.param(error("NOT_LEADER_OR_FOLLOWER"), 1, error("NOT_LEADER_OR_FOLLOWER"), id="unreadable"),
    ],
)
def test_the_highest_timestamp_up_to_an_offset(log: t.Any, offset: int, expected: t.Any) -> None:
    session = Logs({at(): log, at(1): {0: 7}})
    found = asyncio.run(timestamps_at(session, {at(): offset, at(1): 0}))  # type: ignore[arg-type]
    assert found == {at(): expected, at(1): 7}
    assert session.rounds <= 64


def test_nothing_is_asked_of_no_partition() -> None:
    session = Logs({})
    assert asyncio.run(timestamps_at(session, {})) == {}  # type: ignore[arg-type]
    assert session.rounds == 0
