# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The charts of the report: tables of numbers with bars."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import datetime
import math
import typing as t

from .wording import pluralize, printable

Rows = c.Sequence[c.Mapping[str, t.Any]]
# numbers of groups that are not stale and stale, by LABELS
Buckets = c.Mapping[str, tuple[int, int]]

# upper limits in days, and the label of each bucket
AGES = [(1 / 24, "<1h"), (1, "<1d"), (7, "<7d"), (30, "<30d"), (90, "<90d"), (365, "<1y"), (math.inf, "older")]
UNKNOWN = "none"
LABELS = (*(label for _limit, label in AGES), UNKNOWN)
DAYS = 90
TOP = 10
_METERS = ("commits", "tombstones", "rebalances")


class Bar(t.NamedTuple):
    """A number, and the width of its bar in percent."""

    number: int
    percent: float
    stale: bool = False


@dataclasses.dataclass(frozen=True)
class Chart:
    """A title, a note, and rows of a name and its bars; no rows if there is no data."""

    title: str
    note: str
    head: tuple[str, ...]
    rows: c.Sequence[tuple[str, c.Sequence[Bar]]]


def ages(buckets: Buckets, stale_after: str, observed: bool = False) -> Chart:
    """Return the histogram of the times since the last commit, or since the last use that snapshots show."""
    most = max(max(both) for both in buckets.values())
    charted = [
        (label, [_bar(fresh, most), _bar(stale, most, stale=True)]) for label, (fresh, stale) in buckets.items() if most
    ]
    if observed:
        return Chart(
            "Time since the last use",
            "Number of groups by the time since the last snapshot that showed use or a change. They may be idle for "
            f"longer. none: the last snapshot does not know the group. stale_after is {stale_after}.",
            ("Last use", "Not stale", "Stale"),
            charted,
        )
    return Chart(
        "Time since the last commit",
        "Number of groups by the time since their last commit or change. none: the topic contains no timestamp. "
        f"stale_after is {stale_after}.",
        ("Last commit", "Not stale", "Stale"),
        charted,
    )


def activity(rows: Rows, today: datetime.date) -> Chart:
    """Return commits, tombstones and rebalances per day, of the last DAYS days."""
    first = today - datetime.timedelta(days=DAYS - 1)
    recent = {row["day"]: row for row in rows if first <= row["day"] <= today}
    outside = sum(row["commits"] for row in rows if row["day"] not in recent)
    note = f"By record timestamp (UTC), for the last {DAYS} days. Compaction removes older commits of a key."
    if outside:
        note += f" {pluralize(outside, 'commit')} of other days are not shown."
    days = (today - min(recent)).days + 1 if recent else 0
    most = {meter: max((row[meter] for row in recent.values()), default=0) for meter in _METERS}
    quiet = dict.fromkeys(_METERS, 0)
    charted = []
    for day in (today - datetime.timedelta(days=back) for back in range(days)):
        row = recent.get(day, quiet)
        charted.append((day.isoformat(), [_bar(row[meter], most[meter]) for meter in _METERS]))
    return Chart("Activity per day", note, ("Day", *(meter.capitalize() for meter in _METERS)), charted)


def top(groups: Rows, column: str, title: str, note: str) -> Chart:
    """Return groups with a bar for `column`, the first of which is the highest."""
    return Chart(
        title,
        note,
        ("Group", column.replace("_", " ").capitalize()),
        [(printable(group["group"]), [_bar(group[column], groups[0][column])]) for group in groups],
    )


def _bar(number: int, most: int, stale: bool = False) -> Bar:
    return Bar(number, round(100 * number / max(1, most), 2), stale)
