# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks compare``: compare the collection with its peers, in turn on the same brokers.

Without arguments it measures everything, and writes docs/benchmarks.md; a part goes to the terminal only, and to the
page with --write. Raw results are in .cache/benchmarks/compare.json.
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from benchmarks import tables, tasks
from benchmarks.document import GROUPS, replace_section
from benchmarks.field import BUILT, Call, Peer, peers
from benchmarks.measure import Failed, Took, measure
from benchmarks.peers.contract import COMMITTED, END
from benchmarks.results import LARGE, PATIENCE, Case, Result, Results
from benchmarks.world import CONFIG, World, Wrong
from tests.support.broker import Cluster
from tests.support.jars import DEFAULT_VERSION

RUNS = 3
#: what a whole run goes through
BROKERS = (1, 3)
DELAYS = (0.0, 2.0, 20.0)
SIZES = (1, 100, 1_000, 10_000, 50_000)
#: without a delay, requests and bytes are counted at these sizes, in a run of its own through proxies
COUNTED = (1_000, LARGE)
#: the most members that are made: each of them has to join
MEMBERS = 1_000


def cases(given: argparse.Namespace) -> Iterator[Case]:
    """The selected cases, grouped by cluster."""
    whole = not (given.sizes or given.brokers or given.delay)
    brokers = given.brokers or (BROKERS if whole else BROKERS[:1])
    delays = given.delay or (DELAYS if whole else DELAYS[:1])
    for place, delay in itertools.product(brokers, delays):
        for size, operation in itertools.product(given.sizes or SIZES, given.operations):
            if size <= MEMBERS or not operation.startswith("members"):
                yield Case(operation, size, place, delay)


def run(todo: Iterable[Case], runs: int, field: Sequence[Peer], results: Results) -> Iterator[Result]:
    """Measure each case, and write each result immediately."""
    for brokers, group in itertools.groupby(todo, key=lambda case: case.brokers):
        with (
            tempfile.TemporaryDirectory(prefix="kafkaops-bench-") as name,
            Cluster.start("three" if brokers == 3 else "single", proxied=True, config=CONFIG) as cluster,
        ):
            world = World(cluster, Path(name))
            for case in group:
                started = time.monotonic()
                result = _Measuring(case, world, Path(name), runs).all(field)
                results.add(result)
                print(
                    f"{case.operation}, {case.size:,} groups, {brokers} broker(s), {case.delay:g} ms: "
                    f"{time.monotonic() - started:.0f} s",
                    flush=True,
                )
                yield result


class _Measuring:
    """One case."""

    def __init__(self, case: Case, world: World, folder: Path, runs: int) -> None:
        self.case = case
        self.world = world
        self.folder = folder
        self.runs = 1 if case.size > LARGE else runs
        self.result = Result(case)

    def all(self, field: Sequence[Peer]) -> Result:
        able = [peer for peer in field if peer.takes(self.case)]
        slow: set[str] = set()
        for _run in range(self.runs):
            # in turn, so that a slow minute of the machine meets all of them
            for peer in able:
                if peer.name in slow or peer.name in self.result.failed:
                    continue
                took = self._one(peer, counted=self.case.delay > 0)
                if took is not None:
                    self.result.runs.setdefault(peer.name, []).append(took)
                    if took.wall > PATIENCE:
                        slow.add(peer.name)
        if self.case.delay:
            # these runs went through the proxies
            self.result.counted.update((name, runs[-1]) for name, runs in self.result.runs.items())
        elif self.case.size in COUNTED:
            for peer in able:
                if peer.name not in slow and peer.name not in self.result.failed:
                    took = self._one(peer, counted=True)
                    if took is not None:
                        self.result.counted[peer.name] = took
        return self.result

    def _one(self, peer: Peer, counted: bool) -> Took | None:
        case, world = self.case, self.world
        world.prepare(case.operation, case.size, peer.ours)
        cluster = world.cluster
        for proxy in cluster.proxies.values():
            proxy.delay(case.delay)
        expected = (END - COMMITTED) * case.size if case.operation == "offsets" else case.size
        call = Call(
            case.operation,
            cluster.listeners["PROXIED"] if counted else cluster.bootstrap,
            world.groups(case.operation, case.size),
            world.names,
            world.saved(peer.ours),
            expected,
        )
        try:
            took = measure(peer.command(call), case.operation, cluster, self.folder, counted)
            if took.done not in (None, expected):
                raise Wrong(f"it says {took.done}, not {expected}")
            if case.operation not in tasks.READING:
                world.check(case.operation, case.size, peer.ours)
        except (Failed, Wrong) as failure:
            self.result.failed[peer.name] = str(failure)
            print(f"{peer.name} failed at {case}: {failure}", flush=True)
            return None
        return took


def machine() -> dict[str, object]:
    """The environment of the measurements."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return {
        "cores": os.cpu_count(),
        "memory": f"{memory:.0f} GiB",
        "architecture": platform.machine(),
        "python": platform.python_version(),
        "kafka": DEFAULT_VERSION,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", help="numbers of groups")
    parser.add_argument("--operations", nargs="+", choices=list(tasks.OPERATIONS), default=list(tasks.OPERATIONS))
    parser.add_argument(
        "--peers", nargs="+", default=[], help="names of peers; without the collection there are no ratios"
    )
    parser.add_argument("--brokers", type=int, nargs="+", choices=[1, 3])
    parser.add_argument("--delay", type=float, nargs="+", help="milliseconds that every request takes to the broker")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--write", action="store_true", help="write the page, also after a part")
    given = parser.parse_args()
    try:
        field = peers(given.peers)
    except ValueError as problem:
        parser.error(str(problem))
    whole = given == parser.parse_args([])
    results = Results(BUILT / "compare.json")
    results.machine = machine()
    started = time.monotonic()
    measured = list(run(cases(given), given.runs, field, results))
    print(tables.page(measured, field, results.machine))
    print(f"{(time.monotonic() - started) / 60:.0f} minutes")
    if whole or given.write:
        found = list(results.by_case.values())
        replace_section("compare", tables.page(found, field, results.machine), GROUPS)
        replace_section("in-short", tables.in_short(found, field))


if __name__ == "__main__":
    main()
