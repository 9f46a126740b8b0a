# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What makes a whole audit doubtful."""

from __future__ import annotations

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge.caveats import Counts, StaleAfter, caveats

DAY_MS = 86_400_000
ONE = Counts(committed=1, invisible=0, future=0, first_future=None, idle=0, moved=0)


@pytest.mark.parametrize(
    ("counted", "records", "unread", "starts"),
    [
        (ONE, 1, {}, []),
        (ONE._replace(committed=0), 0, {}, ["__consumer_offsets contains no records"]),
        (ONE._replace(committed=2, invisible=1), 1, {}, ["1 of 2 groups with committed offsets are not visible"]),
        (
            ONE._replace(future=2, first_future="f"),
            1,
            {},
            ["2 groups have a commit or a record with a timestamp in the future (first: 'f')"],
        ),
        (
            ONE._replace(idle=1, moved=1),
            1,
            {},
            ["1 of 1 groups that are idle for longer than stale_after in __consumer"],
        ),
        (ONE._replace(idle=3, moved=2), 1, {}, ["2 of 3 groups that are idle"]),
        (ONE._replace(idle=4, moved=2), 1, {}, []),
        (ONE, 1, {7: "b", 2: "a"}, ["partition 2 of __consumer_offsets was not read", "partition 7 of"]),
    ],
)
def test_caveats(counted: Counts, records: int, unread: dict[int, str], starts: list[str]) -> None:
    found = caveats(counted, records, unread, "__consumer_offsets", StaleAfter("7d", 7 * DAY_MS, 7 * DAY_MS))
    assert len(found) == len(starts)
    assert all(sentence.startswith(start) for sentence, start in zip(found, starts, strict=True))


@pytest.mark.parametrize(
    ("days", "retention", "words"),
    [
        (7, 7 * DAY_MS, []),
        (8, 7 * DAY_MS, ["stale_after is 8d, but offsets.retention.minutes of the brokers is 10080:"]),
        (8, None, []),
    ],
)
def test_a_limit_beyond_the_retention(days: int, retention: int | None, words: list[str]) -> None:
    limit = StaleAfter(f"{days}d", days * DAY_MS, retention)
    found = caveats(ONE, 1, {}, "__consumer_offsets", limit)
    assert [sentence.partition(": ")[0] + ":" for sentence in found] == words
