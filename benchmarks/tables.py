# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of the comparison as Markdown: tables with ratios, and the cases in which a peer is faster."""

from __future__ import annotations

import itertools
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks import aims, figures, tasks
from benchmarks.document import table
from benchmarks.field import Peer
from benchmarks.results import LARGE, OURS, PATIENCE, Case, Result

#: the two figures of each table
_FIGURES = {"The operation alone": "seconds", "The whole process": "wall"}


def page(results: Sequence[Result], field: Sequence[Peer], machine: dict[str, Any]) -> str:
    """All tables."""
    by_case = {result.case: result for result in results}
    parts = [_head(machine, results), "## In short", *_short(by_case, field)]
    for operation, title in tasks.OPERATIONS.items():
        mine = sorted((case for case in by_case if case.operation == operation), key=_order)
        if mine:
            parts.append(f"## {title.capitalize()}")
            parts += _operation([by_case[case] for case in mine], field)
    parts += ["## Aims", aims.targets(by_case), "## Where a peer is ahead", behind(results, field)]
    return "\n\n".join(part for part in parts if part)


def in_short(results: Sequence[Result], field: Sequence[Peer]) -> str:
    """The operations alone, on one broker without a delay."""
    return "\n\n".join(itertools.islice(_short({result.case: result for result in results}, field), 2))


def _head(machine: dict[str, Any], results: Iterable[Result]) -> str:
    cases = Counter(max((len(runs) for runs in result.runs.values()), default=0) for result in results)
    several = ", ".join(f"{runs} in {count} cases" for runs, count in sorted(cases.items(), reverse=True))
    return (
        f"`python -m benchmarks compare` on {machine['cores']} cores ({machine['architecture']}), {machine['memory']} "
        f"of memory, Python {machine['python']}, Kafka {machine['kafka']}. Seconds are medians of runs in turn: "
        f"{several}, and one of what takes longer than {PATIENCE:g} s. In brackets is how many times ours that is, or "
        "a tie if either varies more than they differ, which does not show in a single run."
    )


def _short(by_case: Mapping[Case, Result], field: Sequence[Peer]) -> Iterator[str]:
    """Each operation at one size: the most relevant figures."""
    peers = [peer for peer in field if peer.alone]
    usual = sorted((case for case in by_case if case.brokers == 1 and case.size <= LARGE), key=lambda case: case.delay)
    for title, cases in itertools.groupby(usual, key=_title):
        # of each operation the largest size, which comes last
        largest = {case.operation: case for case in sorted(cases, key=_order)}
        rows = [["", *(peer.title for peer in peers)]]
        for case in largest.values():
            cells = [_cell(by_case[case], peer, "seconds") for peer in peers]
            rows.append([f"{case.operation}, {case.size:,}", *cells])
        yield f"The operation alone, {title}:"
        yield table(rows)


def _shown(peer: Peer, figure: str) -> bool:
    """Whether a table includes a peer: the collection is timed alone by one program, and as a process by the others."""
    return peer.alone if figure == "seconds" else not (peer.alone and peer.ours)


def _operation(results: Sequence[Result], field: Sequence[Peer]) -> Iterator[str]:
    for title, figure in _FIGURES.items():
        for where, some in itertools.groupby(results, key=lambda result: _title(result.case)):
            yield f"{title}, {where}:"
            yield _times(list(some), [peer for peer in field if _shown(peer, figure)], figure)
    counted = [result for result in results if result.counted]
    if counted:
        largest = max(counted, key=lambda one: (one.case.delay == 0, one.case.brokers == 1, one.case.size))
        yield f"What it takes, {_column(largest.case)}, {_where(largest.case)}:"
        yield _resources(largest, field)


def _times(results: Sequence[Result], peers: Iterable[Peer], figure: str) -> str:
    rows = [["", *(f"{result.case.size:,}" for result in results)]]
    for peer in peers:
        cells = [_cell(result, peer, figure) for result in results]
        if any(cells):
            rows.append([peer.title, *cells])
    return table(rows)


def _where(case: Case) -> str:
    return "on one broker" if case.brokers == 1 else f"on {case.brokers} brokers"


def _title(case: Case) -> str:
    return f"{_where(case)}, with a delay of {case.delay:g} ms" if case.delay else _where(case)


def _column(case: Case) -> str:
    return f"{case.size:,}" + (f", {case.delay:g} ms" if case.delay else "")


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


def behind(results: Iterable[Result], field: Sequence[Peer]) -> str:
    """The number of cases in which a peer is faster, without ties, and the largest difference; without the floor."""
    by_operation = {
        operation: [result for result in results if result.case.operation == operation]
        for operation in tasks.OPERATIONS
    }
    peers = [peer for peer in field if not peer.ours and peer.name != "floor"]
    rows = []
    for peer, (title, figure), operation in itertools.product(peers, _FIGURES.items(), tasks.OPERATIONS):
        times = [(_times_theirs(result, peer, figure), result.case) for result in by_operation[operation]]
        measured = [(ratio, case) for ratio, case in times if ratio]
        longer = [(ratio, case) for ratio, case in measured if ratio > 1]
        if longer:
            most, case = max(longer)
            at = f"{most:.1f} times, {_column(case)} {_where(case)}"
            rows.append([peer.title, title.lower(), operation, f"{len(longer)} of {len(measured)}", at])
    return table([["", "", "", "cases in which ours takes longer", "at most"], *rows]) if rows else "Nowhere."


def _times_theirs(result: Result, peer: Peer, figure: str) -> float:
    """The ratio of the collection's time to the peer's: 1 for a tie, 0 if one of them was not measured."""
    theirs, ours = result.values(peer.name, figure), result.values(_ours(peer.name, figure), figure)
    if not theirs or not ours:
        return 0.0
    return 1.0 if figures.tied(theirs, ours) else figures.ratio(ours, theirs)


def _order(case: Case) -> tuple[Any, ...]:
    return (list(tasks.OPERATIONS).index(case.operation), *case[2:], case.size)
