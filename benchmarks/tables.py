# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The results as Markdown: tables with ratios, the aims, and where a peer is ahead."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from benchmarks import figures, tasks
from benchmarks.field import Peer
from benchmarks.results import LARGE, PATIENCE, Case, Result

#: What others are compared with: the operation, the module's process, and the whole play.
OURS = {"seconds": "ours", "wall": "module", "play": "task"}


class Aim(NamedTuple):
    """What the collection has to reach at a size: at least, or at most, so many times a peer's figure to its own."""

    words: str
    operation: str
    size: int
    figure: str
    peer: str
    least: float = 0.0
    most: float = 0.0


AIMS = (
    Aim(
        "Delete, whole process: confluent-kafka takes at least 10 times as long",
        "delete",
        10_000,
        "wall",
        "confluent-kafka",
        least=10,
    ),
    Aim(
        "Delete, whole process: kafka-consumer-groups.sh takes at least 3 times as long",
        "delete",
        10_000,
        "wall",
        "kafka-consumer-groups",
        least=3,
    ),
    Aim("Delete, operation: at most 1.3 times the floor", "delete", 10_000, "seconds", "floor", most=1.3),
    Aim("Delete, operation: ahead of kadm", "delete", 10_000, "seconds", "kadm", most=1),
    Aim(
        "Offsets and lag, whole process: kafka-consumer-groups.sh takes at least 30 times as long",
        "offsets",
        10_000,
        "wall",
        "kafka-consumer-groups",
        least=30,
    ),
    Aim(
        "Offsets and lag, operation: confluent-kafka takes at least 5 times as long",
        "offsets",
        10_000,
        "seconds",
        "confluent-kafka",
        least=5,
    ),
    Aim("Offsets and lag, operation: ahead of kafka-python", "offsets", 10_000, "seconds", "kafka-python", most=1),
    Aim("Offsets and lag, operation: at most 1.5 times kadm", "offsets", 10_000, "seconds", "kadm", most=1.5),
    Aim("Describe, operation: ahead of kafka-python", "describe", 10_000, "seconds", "kafka-python", most=1),
    Aim("Describe, operation: at most 1.5 times kadm", "describe", 10_000, "seconds", "kadm", most=1.5),
)


def page(results: Sequence[Result], field: Sequence[Peer], machine: dict[str, Any]) -> str:
    """Everything."""
    by_case = {result.case: result for result in results}
    parts = [_head(machine, results)]
    for operation, title in tasks.OPERATIONS.items():
        mine = sorted((case for case in by_case if case.operation == operation), key=_order)
        if mine:
            parts.append(f"### {title.capitalize()}")
            parts += _operation([by_case[case] for case in mine], field)
    parts += ["### Aims", aims(by_case), "### Where a peer is ahead", behind(results, field)]
    return "\n\n".join(part for part in parts if part)


def _head(machine: dict[str, Any], results: Iterable[Result]) -> str:
    counts = {len(runs) for result in results if result.case.size <= LARGE for runs in result.runs.values()}
    several = " or ".join(map(str, sorted(counts - {1}))) or "single"
    return (
        f"`python -m benchmarks compare` on {machine['cores']} cores ({machine['architecture']}), {machine['memory']} "
        f"of memory, Python {machine['python']}, Kafka {machine['kafka']}. Seconds are medians of {several} runs in "
        f"turn, of one run above {LARGE:,} groups and of what takes longer than {PATIENCE:g} s; in brackets how many "
        "times ours that is, or a tie if either varies more than they differ."
    )


def _operation(results: Sequence[Result], field: Sequence[Peer]) -> Iterator[str]:
    alone = [peer for peer in field if peer.alone]
    whole = [peer for peer in field if not (peer.alone and peer.ours)]
    near = [result for result in results if result.case.brokers == 1 and not result.case.delay]
    far = [result for result in results if result.case.brokers == 1 and result.case.delay]
    more = [result for result in results if result.case.brokers > 1]
    places = {"on one broker": near, "on one broker, with a delay": far, "on more brokers": more}
    for title, peers, figure in (("The operation alone", alone, "seconds"), ("The whole process", whole, "wall")):
        for where, some in places.items():
            if some:
                yield f"{title}, {where}:"
                yield _times(some, peers, figure)
    counted = [result for result in results if result.counted]
    if counted:
        largest = max(counted, key=lambda one: (one.case.delay == 0, one.case.brokers == 1, one.case.size))
        yield f"What it takes, {_column(largest.case)}:"
        yield _resources(largest, field)


def _times(results: Sequence[Result], peers: Iterable[Peer], figure: str) -> str:
    rows = [["", *(_column(result.case) for result in results)]]
    for peer in peers:
        cells = [_cell(result, peer, figure) for result in results]
        if any(cells):
            rows.append([peer.title, *cells])
    return table(rows)


def _column(case: Case) -> str:
    where = "" if case.brokers == 1 else f", {case.brokers} brokers"
    return f"{case.size:,}{where}" + (f", {case.delay:g} ms" if case.delay else "")


def _cell(result: Result, peer: Peer, figure: str) -> str:
    values = result.values(peer.name, figure)
    if not values:
        return "failed" if peer.name in result.failed else ""
    ours = result.values(_ours(peer.name, figure), figure)
    if peer.ours or not ours:
        return figures.seconds(values)
    return f"{figures.seconds(values)} ({figures.compared(values, ours)})"


def _ours(peer: str, figure: str) -> str:
    return OURS["play" if peer == "ansible-today" else figure]


def _resources(result: Result, field: Sequence[Peer]) -> str:
    rows = [["", "requests", "kB", "memory, MB", "CPU of the client, s", "CPU of the brokers, s"]]
    for peer in field:
        counted, runs = result.counted.get(peer.name), result.runs.get(peer.name)
        # the program around the operation alone is the benchmark's own
        if counted is None or not runs or (peer.ours and peer.alone):
            continue
        medians = [statistics.median(result.values(peer.name, figure)) for figure in ("peak", "cpu", "broker_cpu")]
        rows.append(
            [
                peer.title,
                f"{counted.requests:,}",
                f"{(counted.bytes or 0) / 1000:,.0f}",
                f"{medians[0] / 1e6:.0f}",
                f"{medians[1]:.2f}",
                f"{medians[2]:.2f}",
            ]
        )
    return table(rows)


def table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first row is its head."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])


def aims(by_case: dict[Case, Result]) -> str:
    """What each aim asks for, what was measured, and whether that reaches it."""
    rows = [["aim, 10,000 groups on one broker", "measured", ""]]
    for aim in AIMS:
        result = by_case.get(Case(aim.operation, aim.size, 1, 0.0))
        if result is not None and (judged := _judge(aim, result)) is not None:
            rows.append([aim.words, *judged])
    for operation in tasks.OPERATIONS:
        smaller, larger = (by_case.get(Case(operation, size, 1, 0.0)) for size in (10_000, 50_000))
        if smaller and larger and smaller.values("ours", "seconds") and larger.values("ours", "seconds"):
            grown = figures.growth(smaller.values("ours", "seconds"), larger.values("ours", "seconds"), 5)
            rows.append(
                [f"{operation}: 5 times the groups take 5 times as long", f"{grown * 5:.1f}", _verdict(grown <= 1.1)]
            )
        if larger and (peak := larger.values("module", "peak")):
            megabytes = statistics.median(peak) / 1e6
            rows.append(
                [f"{operation}: memory of the module below 500 MB", f"{megabytes:.0f} MB", _verdict(megabytes < 500)]
            )
    return table(rows) if len(rows) > 1 else ""


def _judge(aim: Aim, result: Result) -> list[str] | None:
    theirs, ours = result.values(aim.peer, aim.figure), result.values(OURS[aim.figure], aim.figure)
    if not theirs or not ours:
        return None
    if aim.least:
        times = figures.ratio(theirs, ours)
        return [f"{times:.1f} times", _verdict(times >= aim.least)]
    times = figures.ratio(ours, theirs)
    return [
        f"{times:.2f} times",
        "a tie" if aim.most == 1 and figures.tied(ours, theirs) else _verdict(times <= aim.most),
    ]


def _verdict(reached: bool) -> str:
    return "reached" if reached else "**missed**"


def behind(results: Iterable[Result], field: Sequence[Peer]) -> str:
    """Every case in which a peer is faster than the collection, beyond a tie; the floor is no peer."""
    ahead: dict[tuple[str, str, str], list[str]] = {}
    peers = [peer for peer in field if not peer.ours and peer.name != "floor"]
    in_order = sorted(results, key=lambda result: _order(result.case))
    for peer, figure, result in itertools.product(peers, ("seconds", "wall"), in_order):
        theirs, ours = result.values(peer.name, figure), result.values(_ours(peer.name, figure), figure)
        if theirs and ours and not figures.tied(theirs, ours) and figures.ratio(ours, theirs) > 1:
            what = "operation" if figure == "seconds" else "whole process"
            words = f"{_column(result.case)} ({figures.ratio(ours, theirs):.1f})"
            ahead.setdefault((peer.title, what, result.case.operation), []).append(words)
    if not ahead:
        return "Nowhere."
    head = [["", "", "operation", "groups (ours is so many times as long)"]]
    return table(head + [[peer, what, operation, "; ".join(at)] for (peer, what, operation), at in ahead.items()])


def _order(case: Case) -> tuple[Any, ...]:
    return (list(tasks.OPERATIONS).index(case.operation), *case[2:], case.size)
