# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks sizing``: the memory of whole audits of copied topics, by their number of keys.

Each audit is a process of its own, on one broker in one run. Each key has one record, and its tables are compared with
what was generated.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.dataset as ds

from benchmarks.audit import fill
from benchmarks.audits import audit
from benchmarks.document import replace_section, table
from benchmarks.processes import Took, run
from tests.support.broker import Cluster
from tests.support.collection import install
from tests.support.jars import DEFAULT_VERSION

KEYS = [1_000_000, 10_000_000]
KEYS_A_GROUP = 25


class Wrong(Exception):
    """A table is not what was generated."""


def measure(sizes: list[int]) -> dict[int, tuple[Took, float]]:
    """What the audit of each number of keys took, and the size of its report in MB."""
    taken = {}
    with Cluster.start("single") as cluster:
        for keys in sizes:
            topic = f"keys-{keys}"
            fill(cluster, topic, keys, keys // KEYS_A_GROUP, KEYS_A_GROUP)
            with tempfile.TemporaryDirectory(prefix="kafkaops-bench-") as folder:
                answer = Path(folder) / "answer.json"
                part = [cluster.bootstrap, topic, folder, str(answer)]
                took = run([sys.executable, "-m", "benchmarks.sizing", "--part", *part], Path(folder))
                returned = json.loads(answer.read_text("utf-8"))
                check(keys, returned)
                taken[keys] = took, os.path.getsize(returned["report"]) / 1e6
                print(keys, taken[keys], flush=True)
    return taken


def check(keys: int, answer: dict[str, Any]) -> None:
    """Compare the tables with what was generated: the offset of each commit is its number.

    :raises Wrong: they differ.
    """
    offsets, groups, activity = (ds.dataset(answer["tables"][name]) for name in ("offsets", "groups", "activity"))
    committed = offsets.to_table(["offset"])["offset"]
    found = {
        "keys": pc.count_distinct(committed).as_py(),
        "sum of the offsets": pc.sum(committed).as_py(),
        "groups": groups.count_rows(),
        "commits": pc.sum(activity.to_table(["commits"])["commits"]).as_py(),
        "records": answer["summary"]["records"],
    }
    expected = [keys, keys * (keys - 1) // 2, keys // KEYS_A_GROUP, keys, keys]
    if list(found.values()) != expected:
        raise Wrong(f"{found}, and not {expected}")


def page(taken: dict[int, tuple[Took, float]]) -> str:
    """The result as Markdown."""
    rows = [["keys", "groups", "time", "driver, Python", "driver, Java", "Python workers", "report"]]
    for keys, (took, report) in taken.items():
        memory = [f"{size:.0f} MB" for size in (took.driver, took.java, took.workers)]
        rows.append([f"{keys:,}", f"{keys // KEYS_A_GROUP:,}", f"{took.seconds:.0f} s", *memory, f"{report:.1f} MB"])
    return (
        f"Whole audits of copied topics with {KEYS_A_GROUP} keys a group and one record a key, on {os.cpu_count()} "
        f"cores ({platform.machine()}, Python {platform.python_version()}, Kafka {DEFAULT_VERSION}), with the start of "
        "Java and Spark; peaks of memory, with one Python worker for each core. The tables are compared with what was "
        "generated.\n\n" + table(rows)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, nargs="+", default=KEYS)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    parser.add_argument("--part", nargs=4, metavar=("BOOTSTRAP", "TOPIC", "FOLDER", "ANSWER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        bootstrap, topic, folder, answer = given.part
        Path(answer).write_text(json.dumps(audit(bootstrap, f"{folder}/{topic}", topic=topic)), "utf-8")
        return
    install()
    text = page(measure(given.keys))
    print(text)
    if given.write:
        replace_section("sizing", text)


if __name__ == "__main__":
    main()
