# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The section of the report on the time since the last audit: changes, and small multiples of lag and commits."""

from __future__ import annotations

import collections.abc as c
import datetime
import typing as t

from . import wording

# what the page names of each change
_NAMED = 10
# of the drawings, without a unit
_WIDTH, _HEIGHT = 120.0, 32.0
# to each side, of the line of one value
_SHORT = 2.0

_TITLES = {
    "new_stale_groups": "New stale groups",
    "revived_groups": "Revived groups",
    "deleted_groups": "Deleted groups",
    "new_groups": "New groups",
    "new_findings": "New findings",
}
_MEANINGS = {
    "new_stale_groups": "These groups were not stale at the last audit, or did not exist.",
    "revived_groups": "These groups were stale, and have committed or changed since.",
    "deleted_groups": "These groups are no longer in the topic or in the cluster.",
    "new_groups": "These groups did not exist at the last audit.",
    "new_findings": "The last audit did not have these findings.",
}


class Change(t.NamedTuple):
    """A kind of change, how often it happened, and the first names, of which there may be fewer than `number`."""

    title: str
    meaning: str
    number: int
    names: list[str]


class Multiple(t.NamedTuple):
    """The drawings of a group.

    Attributes:
        lag: the lag over the audits, as lines; each is the points of a polyline.
        bars: the commits of each day, as rectangles of x, y, width and height.
        commits: their number, None if unknown.
    """

    group: str
    lag: list[str]
    last_lag: int
    highest_lag: int
    bars: list[tuple[float, float, float, float]]
    commits: int | None


def changes(numbers: c.Mapping[str, tuple[int, c.Sequence[str]] | None]) -> list[Change]:
    """Return the changes that happened, of those that are known."""
    return [
        Change(title, _MEANINGS[change], found[0], list(found[1])[:_NAMED])
        for change, title in _TITLES.items()
        if (found := numbers.get(change)) and found[0]
    ]


def unknown(numbers: c.Mapping[str, tuple[int, c.Sequence[str]] | None]) -> list[str]:
    """Return the titles of the changes that are unknown."""
    return [title for change, title in _TITLES.items() if change in numbers and numbers[change] is None]


def finding(row: c.Mapping[str, t.Any]) -> str:
    """Return a finding as a name: its kind, group, topic and partition."""
    place = [row[name] for name in ("group", "topic", "partition") if row[name] is not None]
    return f"{wording.KINDS[row['kind']].title}: {' '.join(map(str, place))}"


def multiple(
    group: str,
    lags: c.Sequence[tuple[datetime.datetime, int | None]],
    commits: c.Sequence[tuple[datetime.date, int]] | None,
) -> Multiple:
    """Return the drawings of a group whose last lag is known; both sequences are in order of time.

    Args:
        commits: None if unknown.
    """
    known = [lag for _time, lag in lags if lag is not None]
    days = commits or ()
    most = max((number for _day, number in days), default=0)
    step = _WIDTH / max(1, len(days))
    bars = [
        (
            round(step * place, 1),
            round(_HEIGHT * (1 - number / most), 1),
            round(step * 0.8, 1),
            round(_HEIGHT * number / most, 1),
        )
        for place, (_day, number) in enumerate(days)
        if number
    ]
    return Multiple(
        group,
        lines(lags),
        known[-1],
        max(known),
        bars,
        None if commits is None else sum(number for _day, number in commits),
    )


def lines(values: c.Sequence[tuple[datetime.datetime, int | None]]) -> list[str]:
    """Return values over time, which are not all None, as points of polylines.

    A line ends where a value is None. A value between two of these, or the only one, is a short line.
    """
    highest = max(value for _time, value in values if value is not None)
    first, last = values[0][0], values[-1][0]
    span = max(1.0, (last - first).total_seconds())
    drawn: list[list[tuple[float, float]]] = [[]]
    for time, value in values:
        if value is None:
            drawn.append([])
            continue
        x = _WIDTH * (time - first).total_seconds() / span
        drawn[-1].append((x, _HEIGHT * (1 - value / max(1, highest))))
    return [" ".join(f"{x:.1f},{y:.1f}" for x, y in _visible(line)) for line in drawn if line]


def _visible(line: list[tuple[float, float]]) -> list[tuple[float, float]]:
    if len(line) > 1:
        return line
    ((x, y),) = line
    return [(max(0.0, x - _SHORT), y), (min(_WIDTH, x + _SHORT), y)]
