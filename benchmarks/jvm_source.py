# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks jvm_source``: the scan of the audit, beside Spark's own source for Kafka, which runs in Java.

Both are in one warm session of the newest release of Spark for which its JARs are in tests/support/storage, in turn on
one broker. Spark's source does not decode the records.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.audit import GROUPS, KEYS_A_GROUP, Audit, fill
from benchmarks.document import replace_section, table
from benchmarks.figures import seconds, times
from tests.support import lakehouse
from tests.support.broker import Cluster
from tests.support.collection import install
from tests.support.jars import DEFAULT_VERSION

RECORDS = [1_000_000, 4_000_000]
_OTHER_SPARK = "KAFKAOPS_BENCH_SPARK"
_NAMES = {
    "ours": "scan of the audit: the latest record of each key, decoded, to Parquet",
    "read": "Spark's source: only reading",
    "latest": "Spark's source: the latest record of each key, not decoded, to Parquet",
}


class Wrong(Exception):
    """The programs did not find the same number of keys."""


def measure(sizes: list[int], runs: int) -> dict[int, dict[str, list[float]]]:
    """Seconds of each program in each run, by the number of records."""
    taken: dict[int, dict[str, list[float]]] = {}
    cores = os.cpu_count() or 2
    with tempfile.TemporaryDirectory(prefix="kafkaops-bench-") as name, Cluster.start("single") as cluster:
        for size in sizes:
            fill(cluster, f"copy-{size}", size)
        audit = Audit(cluster, cores, Path(name), lakehouse.conf("kafka"))
        try:
            for size in sizes:
                programs = _programs(audit, cluster.bootstrap, f"copy-{size}", f"{name}/latest")
                for program in programs.values():
                    program()
                keys = audit.spark.read.parquet(f"{name}/latest").count()
                if keys != min(size, GROUPS * KEYS_A_GROUP):
                    raise Wrong(f"{keys} keys of {size} records")
                taken[size] = {part: [] for part in programs}
                for _run in range(runs):
                    for part, program in programs.items():
                        taken[size][part].append(program())
                        print(f"{size:,} records: {part} {taken[size][part][-1]:.2f} s", flush=True)
        finally:
            audit.close()
    return taken


def _programs(audit: Audit, bootstrap: str, topic: str, output: str) -> dict[str, Callable[[], float]]:
    from pyspark.sql import functions as F

    options = {"kafka.bootstrap.servers": bootstrap, "subscribe": topic, "startingOffsets": "earliest"}
    rows: Any = audit.spark.read.format("kafka").options(**options).load()
    latest = rows.groupBy("partition", "key").agg(F.max_by(F.struct("offset", "timestamp", "value"), "offset"))
    only_read = rows.select("partition", "offset", "timestamp", "key", "value").write.format("noop").mode("overwrite")
    return {
        "ours": lambda: audit.scan(topic),
        "read": lambda: audit.timed(only_read.save),
        "latest": lambda: audit.timed(lambda: latest.write.mode("overwrite").parquet(output)),
    }


def page(taken: dict[int, dict[str, list[float]]]) -> str:
    """The result as Markdown."""
    import pyspark

    rows = [["records", "", "time", "/ scan of the audit"]]
    for size, parts in taken.items():
        ratios = times(parts, "ours")
        rows += [
            [f"{size:,}", words, f"{seconds(parts[part])} s", f"{ratios[part]:.2f}"] for part, words in _NAMES.items()
        ]
    runs = len(next(iter(taken.values()))["ours"])
    return (
        f"On {os.cpu_count()} cores ({platform.machine()}, Python {platform.python_version()}, Spark "
        f"{pyspark.__version__}, Kafka {DEFAULT_VERSION}); medians of {runs} runs in turn.\n\n" + table(rows)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, nargs="+", default=RECORDS)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    given = parser.parse_args()
    if _OTHER_SPARK not in os.environ:
        path = os.pathsep.join([str(lakehouse.pyspark()), os.environ["PYTHONPATH"]])
        command = [sys.executable, "-m", "benchmarks.jvm_source", *sys.argv[1:]]
        subprocess.run(command, env={**os.environ, "PYTHONPATH": path, _OTHER_SPARK: "1"}, check=True)
        return
    install()
    text = page(measure(given.records, given.runs))
    print(text)
    if given.write:
        replace_section("jvm-source", text)


if __name__ == "__main__":
    main()
