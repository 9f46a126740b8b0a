# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks check``: a small comparison that fails if the collection is slower than its limits.

It looks at ratios only, which a slow machine does not change, and allows more than the aims of `benchmarks compare`:
what it finds is worth a look, whatever the machine.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks import compare, figures, one_task
from benchmarks.field import peers
from benchmarks.results import Case, Result, Results

SIZE = 1_000
RUNS = 5


class Limit(NamedTuple):
    """The maximum ratio of the collection's seconds to a peer's seconds."""

    operation: str
    peer: str
    most: float


LIMITS = (
    Limit("list", "floor", 2.0),
    Limit("describe", "floor", 2.2),
    Limit("describe", "kafka-python", 1.4),
    Limit("describe", "confluent-kafka", 0.4),
    Limit("offsets", "floor", 2.5),
    Limit("offsets", "kafka-python", 1.4),
    Limit("delete", "floor", 2.0),
    Limit("delete", "confluent-kafka", 0.6),
)
#: the same for the time of a task on one group, in times of ansible.builtin.ping
TASK_LIMIT = 1.9


def exceeded(results: Mapping[str, Result], limits: tuple[Limit, ...] = LIMITS) -> Iterator[str]:
    """A message for each exceeded limit and each failed peer; results are by operation."""
    for limit in limits:
        result = results[limit.operation]
        for peer in ("ours", limit.peer):
            if peer in result.failed:
                yield f"{limit.operation}: {peer} failed: {result.failed[peer]}"
        ours, theirs = result.values("ours", "seconds"), result.values(limit.peer, "seconds")
        if ours and theirs and (times := figures.fastest(ours, theirs)) > limit.most:
            what = f"{limit.operation} of {result.case.size:,} groups"
            yield f"{what} takes {times:.1f} times as long as {limit.peer}, and the limit is {limit.most:g}"


def slow_tasks(taken: Mapping[str, list[float]], most: float = TASK_LIMIT) -> Iterator[str]:
    """A message for each module whose task on one group exceeds its limit relative to ping."""
    for name, values in taken.items():
        if (times := figures.fastest(values, taken[one_task.PING])) > most:
            yield f"a task of {name} takes {times:.1f} times as long as {one_task.PING}, and the limit is {most:g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--runs", type=int, default=RUNS)
    given = parser.parse_args()
    wanted = {"ours", *(limit.peer for limit in LIMITS)}
    cases = [Case(operation, given.size, 1, 0.0) for operation in dict.fromkeys(limit.operation for limit in LIMITS)]
    field = peers(wanted)
    with tempfile.TemporaryDirectory(prefix="kafkaops-bench-") as folder:
        results = Results(Path(folder) / "check.json")
        measured = {one.case.operation: one for one in compare.run(cases, given.runs, field, results)}
    taken, _stages = one_task.measure(given.runs, staged=())
    problems = [*exceeded(measured), *slow_tasks(taken)]
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        sys.exit(f"bench-check: {problems[0]}{more}: look at it with python -m benchmarks compare.")
    print("bench-check: every ratio is within its limit.")


if __name__ == "__main__":
    main()
