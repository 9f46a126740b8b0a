# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The performance targets of the collection relative to its peers, and whether it meets them."""

from __future__ import annotations

import statistics
from typing import NamedTuple

from benchmarks import figures, tasks
from benchmarks.document import table
from benchmarks.results import OURS, Case, Result

#: so many groups, on one broker and without a delay, the aims are about; growth and memory are looked at with more
SIZE, LARGER = 10_000, 50_000
#: so many times as long each group may take where there are more
GROWTH = 1.1


class Aim(NamedTuple):
    """A target: the minimum or maximum ratio of a peer's figure to the figure of the collection.

    Attributes:
        ours: what of the collection is compared; by default, what `figure` is of.
    """

    words: str
    operation: str
    figure: str
    peer: str
    least: float = 0.0
    most: float = 0.0
    ours: str = ""


AIMS = (
    Aim(
        "Delete, whole process: confluent-kafka takes at least 10 times as long",
        "delete",
        "wall",
        "confluent-kafka",
        least=10,
    ),
    Aim(
        "Delete, whole process: kafka-consumer-groups.sh takes at least 3 times as long",
        "delete",
        "wall",
        "kafka-consumer-groups",
        least=3,
    ),
    Aim("Delete, operation: at most 1.3 times the floor", "delete", "seconds", "floor", most=1.3),
    Aim("Delete, operation: at most 1.5 times kadm", "delete", "seconds", "kadm", most=1.5),
    Aim(
        "Delete, ansible-playbook with detail: problems: ahead of kafka-consumer-groups.sh",
        "delete",
        "wall",
        "kafka-consumer-groups",
        most=1,
        ours="task-problems",
    ),
    Aim(
        "Offsets and lag, whole process: kafka-consumer-groups.sh takes at least 30 times as long",
        "offsets",
        "wall",
        "kafka-consumer-groups",
        least=30,
    ),
    Aim(
        "Offsets and lag, operation: confluent-kafka takes at least 5 times as long",
        "offsets",
        "seconds",
        "confluent-kafka",
        least=5,
    ),
    Aim("Offsets and lag, operation: ahead of kafka-python", "offsets", "seconds", "kafka-python", most=1),
    Aim("Offsets and lag, operation: at most 1.5 times kadm", "offsets", "seconds", "kadm", most=1.5),
    Aim("Describe, operation: ahead of kafka-python", "describe", "seconds", "kafka-python", most=1),
    Aim("Describe, operation: at most 1.5 times kadm", "describe", "seconds", "kadm", most=1.5),
)


def targets(by_case: dict[Case, Result]) -> str:
    """A table of targets, measured ratios and results."""
    rows = [[f"aim, {SIZE:,} groups on one broker", "measured", ""]]
    for aim in AIMS:
        result = by_case.get(Case(aim.operation, SIZE, 1, 0.0))
        if result is not None and (outcome := _judge(aim, result)) is not None:
            rows.append([aim.words, *outcome])
    for operation in tasks.OPERATIONS:
        smaller, larger = (by_case.get(Case(operation, size, 1, 0.0)) for size in (SIZE, LARGER))
        if smaller and larger and smaller.values("ours", "seconds") and larger.values("ours", "seconds"):
            grown = figures.growth(smaller.values("ours", "seconds"), larger.values("ours", "seconds"), 5)
            words = f"{operation}: 5 times the groups take at most {5 * GROWTH:g} times as long"
            rows.append([words, f"{grown * 5:.1f} times", _verdict(grown <= GROWTH)])
        if larger and (peak := larger.values("module", "peak")):
            megabytes = statistics.median(peak) / 1e6
            rows.append(
                [f"{operation}: memory of the module below 500 MB", f"{megabytes:.0f} MB", _verdict(megabytes < 500)]
            )
    return table(rows) if len(rows) > 1 else ""


def _judge(aim: Aim, result: Result) -> list[str] | None:
    theirs, ours = result.values(aim.peer, aim.figure), result.values(aim.ours or OURS[aim.figure], aim.figure)
    if not theirs or not ours:
        return None
    if aim.least:
        times = figures.ratio(theirs, ours)
        return [f"it takes {times:.1f} times as long", _verdict(times >= aim.least)]
    times = figures.ratio(ours, theirs)
    return [
        f"ours takes {times:.2f} times as long",
        "a tie" if aim.most == 1 and figures.tied(ours, theirs) else _verdict(times <= aim.most),
    ]


def _verdict(reached: bool) -> str:
    return "reached" if reached else "**missed**"
