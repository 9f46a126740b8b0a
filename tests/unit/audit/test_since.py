# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The drawings of the section of the report on earlier audits, and which audits are kept."""

from __future__ import annotations

import datetime

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.settings import Keep
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.report import since

NOW = datetime.datetime(2026, 6, 1, 12, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)


@pytest.mark.parametrize(
    ("lags", "lines"),
    [
        ([(2, 0), (0, 10)], ["0.0,32.0 120.0,0.0"]),
        ([(4, 10), (2, None), (0, 5)], ["0.0,0.0 2.0,0.0", "118.0,16.0 120.0,16.0"]),
        ([(4, None), (2, 4), (0, 4)], ["60.0,0.0 120.0,0.0"]),
        ([(0, 0)], ["0.0,32.0 2.0,32.0"]),
        ([(4, None), (2, 3), (0, None), (0, 3)], ["58.0,0.0 62.0,0.0", "118.0,0.0 120.0,0.0"]),
        # the largest lag that Kafka can have
        ([(1, 2**63 - 1), (0, 1)], ["0.0,0.0 120.0,32.0"]),
    ],
)
def test_lines_of_lag(lags: list[tuple[int, int | None]], lines: list[str]) -> None:
    given = [(NOW - days * DAY, lag) for days, lag in lags]
    drawn = since.multiple("g", given, [])
    assert drawn.lag == lines
    assert (drawn.last_lag, drawn.highest_lag) == (lags[-1][1], max(lag for _days, lag in lags if lag is not None))
    assert (drawn.bars, drawn.commits) == ([], 0)


def test_bars_of_commits() -> None:
    commits = [(NOW.date(), number) for number in (0, 4, 0, 8)]
    drawn = since.multiple("g", [(NOW, 1)], commits)
    assert drawn.bars == [(30.0, 16.0, 24.0, 16.0), (90.0, 0.0, 24.0, 32.0)]
    assert drawn.commits == 12


def test_changes() -> None:
    numbers: dict[str, tuple[int, list[str]] | None] = {
        "new_stale_groups": (12, [f"g{number}" for number in range(12)]),
        "revived_groups": (0, []),
        "deleted_groups": (1, ["d"]),
        "new_groups": (0, []),
        "new_findings": (0, []),
    }
    # without an earlier audit
    assert (since.changes({}), since.unknown({})) == ([], [])
    numbers["revived_groups"] = None
    assert since.unknown(numbers) == ["Revived groups"]
    assert [(change.title, change.number, len(change.names)) for change in since.changes(numbers)] == [
        ("New stale groups", 12, 10),
        ("Deleted groups", 1, 1),
    ]


@pytest.mark.parametrize(
    ("audits", "for_days", "kept"),
    [(1, None, []), (3, None, [1, 2]), (9, None, [1, 2, 5, 30]), (9, 5, [1, 2, 5]), (2, 1, [1]), (9, 0, [])],
)
def test_audits_that_are_kept(audits: int, for_days: int | None, kept: list[int]) -> None:
    keep = Keep(audits, None if for_days is None else for_days * 86_400_000)
    earlier = [NOW - days * DAY for days in (5, 1, 30, 2)]
    assert keep.of(earlier, NOW) == {NOW - days * DAY for days in kept}
