# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Medians, ratios and ties of what was measured in turn."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

TIE = "tie"


def spread(values: Sequence[float]) -> float:
    """How far the highest is from the lowest."""
    return max(values) - min(values)


def tied(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether either varies more than their medians differ."""
    return max(spread(one), spread(other)) > abs(statistics.median(one) - statistics.median(other))


def ratio(one: Sequence[float], other: Sequence[float]) -> float:
    """The median of one divided by that of the other."""
    return statistics.median(one) / statistics.median(other)


def fastest(one: Sequence[float], other: Sequence[float]) -> float:
    """The shortest of one divided by the shortest of the other: on a busy machine what was disturbed least."""
    return min(one) / min(other)


def compared(one: Sequence[float], other: Sequence[float]) -> str:
    """The ratio in words: C(2.5), or that it is a tie."""
    return (
        TIE
        if tied(one, other)
        else f"{ratio(one, other):.2g}"
        if ratio(one, other) < 10
        else f"{ratio(one, other):.0f}"
    )


def seconds(values: Sequence[float]) -> str:
    """The median, with as many digits as it is worth."""
    median = statistics.median(values)
    return f"{median:.3f}" if median < 1 else f"{median:.2f}" if median < 10 else f"{median:.1f}"


def growth(smaller: Sequence[float], larger: Sequence[float], factor: float) -> float:
    """How many times the time, for so many times the groups, in parts of `factor`: 1 is linear, less is better."""
    return ratio(larger, smaller) / factor
