# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Medians, ratios and ties of alternating measurements."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

TIE = "tie"


def spread(values: Sequence[float]) -> float:
    """The difference between the highest and the lowest value."""
    return max(values) - min(values)


def tied(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether the spread of either series is larger than the difference of the medians."""
    return max(spread(one), spread(other)) > abs(statistics.median(one) - statistics.median(other))


def ratio(one: Sequence[float], other: Sequence[float]) -> float:
    """The ratio of the medians."""
    return statistics.median(one) / statistics.median(other)


def times(taken: Mapping[str, Sequence[float]], base: str) -> dict[str, float]:
    """The median, over runs in turn, of the ratio of each series to one of them."""
    return {
        name: statistics.median(mine / theirs for mine, theirs in zip(values, taken[base], strict=True))
        for name, values in taken.items()
    }


def fastest(one: Sequence[float], other: Sequence[float]) -> float:
    """The ratio of the minimums, which are the least disturbed values on a busy machine."""
    return min(one) / min(other)


def compared(one: Sequence[float], other: Sequence[float]) -> str:
    """The ratio as text, such as C(2.5), or a tie."""
    return (
        TIE
        if tied(one, other)
        else f"{ratio(one, other):.2g}"
        if ratio(one, other) < 10
        else f"{ratio(one, other):.0f}"
    )


def seconds(values: Sequence[float]) -> str:
    """The median, rounded to its significant digits."""
    median = statistics.median(values)
    return f"{median:.3f}" if median < 1 else f"{median:.2f}" if median < 10 else f"{median:.1f}"


def growth(smaller: Sequence[float], larger: Sequence[float], factor: float) -> float:
    """The growth of the time divided by the growth `factor` of the groups: 1 is linear, less is better."""
    return ratio(larger, smaller) / factor
