# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What makes a whole audit doubtful, and what the report makes of ages."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge.caveats import StaleAfter, caveats
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.report import rows

NOW = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC)
DAY_MS = 86_400_000
HOUR = datetime.timedelta(hours=1)
GROUP: dict[str, t.Any] = {
    "group": "g",
    "state": "Empty",
    "partitions": 2,
    "committed_since": 0,
    "idle_since": NOW,
    "stale": False,
}


@pytest.mark.parametrize(
    ("groups", "records", "unread", "starts"),
    [
        ([GROUP], 1, {}, []),
        ([], 0, {}, ["__consumer_offsets contains no records"]),
        ([GROUP, {**GROUP, "state": None}], 1, {}, ["1 of 2 groups with committed offsets are not visible"]),
        ([{**GROUP, "state": None, "partitions": 0}], 1, {}, []),
        ([{**GROUP, "idle_since": NOW + HOUR}], 1, {}, []),
        (
            [{**GROUP, "idle_since": NOW + 1.1 * HOUR}],
            1,
            {},
            ["1 groups have a commit or a record with a timestamp in the"],
        ),
        ([{**GROUP, "committed_since": 3}], 1, {}, ["1 groups have offsets that differ from __consumer_offsets"]),
        ([GROUP, {**GROUP, "committed_since": 3}], 1, {}, []),
        ([GROUP], 1, {7: "b", 2: "a"}, ["partition 2 of __consumer_offsets was not read", "partition 7 of"]),
    ],
)
def test_caveats(groups: list[dict[str, t.Any]], records: int, unread: dict[int, str], starts: list[str]) -> None:
    found = caveats(groups, records, unread, "__consumer_offsets", NOW, StaleAfter("7d", 7 * DAY_MS, 7 * DAY_MS))
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
    found = caveats([GROUP], 1, {}, "__consumer_offsets", NOW, limit)
    assert [sentence.partition(": ")[0] + ":" for sentence in found] == words


@pytest.mark.parametrize(
    ("idle_since", "days"),
    [
        (None, None),
        (NOW, 0.0),
        (NOW + HOUR, 0.0),
        (NOW + 1.1 * HOUR, None),
        (NOW - 36 * HOUR, 1.5),
    ],
)
def test_ages_in_days(idle_since: datetime.datetime | None, days: float | None) -> None:
    (row,) = rows.groups([{**GROUP, "idle_since": idle_since}], [], NOW)
    assert row["age_days"] == days


@pytest.mark.parametrize(("stale", "unneeded"), [(True, 2), (False, 1)])
def test_unneeded_offsets(stale: bool, unneeded: int) -> None:
    found = [{"group": "g", "kind": "unsubscribed"}, {"group": "g", "kind": "after_log_end"}]
    (row,) = rows.groups([{**GROUP, "stale": stale}], found, NOW)
    assert row["unneeded_offsets"] == unneeded
