# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks whole_tasks``: a whole ``ansible-playbook`` about 10,000 groups, beside Kafka's own tool.

Of operations that the tool does for all groups at once, with ``detail: problems`` where the task changes groups. The
module's process and a playbook that only pings show where the time goes; deletion alone is compared with kadm.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from benchmarks import compare, figures, tasks
from benchmarks.aims import SIZE
from benchmarks.document import replace_section, table
from benchmarks.field import BUILT, peers
from benchmarks.results import Case, Result, Results

OPERATIONS = ("list", "describe", "offsets", "delete")
TOOL, ALONE = "kafka-consumer-groups", 1.5
_PEERS = ("task", "task-problems", "ping", "module", "module-problems", TOOL, "ours", "kadm")


def with_problems(peer: str, operation: str) -> str:
    """The peer of an operation with the items that fit: `module` or `task`, or the one with ``detail: problems``."""
    return peer if operation in tasks.READING else f"{peer}-problems"


def page(results: Sequence[Result], size: int) -> str:
    """The result as Markdown."""
    machine = compare.machine()
    rows = [["", "kafka-consumer-groups.sh", "ansible-playbook", "/ the tool", "", "the module in it", "only ping"]]
    ping: list[float] = []
    for result in results:
        operation = result.case.operation
        ping = ping or result.values("ping", "wall")
        tool, ours, module = (
            result.values(peer, "wall")
            for peer in (TOOL, with_problems("task", operation), with_problems("module", operation))
        )
        if not (tool and ours and module):
            rows.append([tasks.OPERATIONS[operation], *[""] * 3, "failed", "", ""])
            continue
        ratio = figures.ratio(ours, tool)
        verdict = figures.TIE if figures.tied(ours, tool) else "reached" if ratio < 1 else "**missed**"
        seconds = [figures.seconds(values) for values in (tool, ours, module, ping)]
        rows.append([tasks.OPERATIONS[operation], *seconds[:2], f"{ratio:.2f}", verdict, *seconds[2:]])
    return (
        f"Seconds of whole processes, medians of {len(ping)} runs in turn with {size:,} groups on one broker, on "
        f"{machine['cores']} cores ({machine['architecture']}, Python {machine['python']}, Kafka {machine['kafka']}). "
        f"The aim is to be ahead of the tool.\n\n{table(rows)}{_alone(results)}"
    )


def _alone(results: Sequence[Result]) -> str:
    """The deletion alone beside kadm, if both were measured."""
    for result in results:
        ours, kadm = result.values("ours", "seconds"), result.values("kadm", "seconds")
        if result.case.operation == "delete" and ours and kadm:
            ratio = figures.ratio(ours, kadm)
            return (
                f"\n\nDeletion without the start of a process takes {ratio:.2f} times as long as with kadm; the aim is "
                f"at most {ALONE} times: {'reached' if ratio <= ALONE else '**missed**'}. The collection describes the "
                "groups before it deletes them."
            )
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--size", type=int, default=SIZE, help="number of groups")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    given = parser.parse_args()
    cases = [Case(operation, given.size, 1, 0.0) for operation in OPERATIONS]
    measured = compare.run(cases, given.runs, peers(_PEERS), Results(BUILT / "whole_tasks.json"))
    text = page(list(measured), given.size)
    print(text)
    if given.write:
        replace_section("whole-tasks", text)


if __name__ == "__main__":
    main()
