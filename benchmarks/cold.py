# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks cold``: whole audits of a small cluster, beside a bare Spark job with the same settings.

All are processes of their own, in turn in one run: what a user waits for. The bare job starts a session, writes the
result of one stage in Python to Parquet, joins it, and writes the result to Parquet.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.audits import audit, settings
from benchmarks.document import replace_section, table
from benchmarks.figures import times
from tests.support import commits, topics
from tests.support.broker import Cluster
from tests.support.collection import install
from tests.support.jars import DEFAULT_VERSION

GROUPS = 1_000
OFFSETS_A_GROUP = 4
AIM = 1.25
_TOPIC = "orders"
_PARTS = {
    "bare": "bare Spark job",
    "audit": "audit",
    "archive": "audit, with an archive of the class data of Java",
}


def fill(cluster: Cluster) -> None:
    """Create groups with committed offsets."""
    topics.create(cluster.client(), _TOPIC, OFFSETS_A_GROUP, records=OFFSETS_A_GROUP)
    offsets = {(_TOPIC, partition): (1, "", -1) for partition in range(OFFSETS_A_GROUP)}
    commits.commit_many(cluster.client(), {f"service-{number:05d}": offsets for number in range(GROUPS)})


def options(java: str) -> dict[str, Any]:
    """What all processes are asked for, with an option of Java, without its hyphen."""
    return {"spark_conf": {"spark.driver.defaultJavaOptions": f"-{java}"} if java else {}}


def whole(bootstrap: str, folder: str, java: str) -> None:
    """Audit the cluster as the module does."""
    answer = audit(bootstrap, folder, **options(java))
    assert answer["summary"]["groups"] == GROUPS, answer["summary"]


def bare(bootstrap: str, folder: str, java: str) -> None:
    """Run a Spark job that does next to nothing."""
    from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.spark import spark_session

    with spark_session(settings(bootstrap, folder, **options(java)), folder) as spark:
        rows = spark.sparkContext.parallelize(range(GROUPS)).map(lambda number: (number, f"service-{number:05d}"))
        spark.createDataFrame(rows, "id long, name string").write.parquet(f"{folder}/rows")
        spark.read.parquet(f"{folder}/rows").join(spark.range(GROUPS), "id").write.parquet(f"{folder}/joined")


def took(part: str, bootstrap: str, java: str = "") -> float:
    """Seconds of one process."""
    with tempfile.TemporaryDirectory(prefix="kafkaops-bench-") as folder:
        started = time.monotonic()
        subprocess.run(
            [sys.executable, "-m", "benchmarks.cold", "--part", part, bootstrap, folder, java],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        return time.monotonic() - started


def measure(runs: int) -> dict[str, list[float]]:
    """Seconds of each process in each run."""
    seconds: dict[str, list[float]] = {part: [] for part in _PARTS}
    with Cluster.start("single") as cluster, tempfile.TemporaryDirectory(prefix="kafkaops-bench-") as folder:
        fill(cluster)
        archive = Path(folder) / "spark.jsa"
        took("audit", cluster.bootstrap, f"XX:ArchiveClassesAtExit={archive}")
        # Java ignores an archive that it cannot use
        assert archive.stat().st_size > 1_000_000
        for run in range(runs):
            for part, values in seconds.items():
                java = f"XX:SharedArchiveFile={archive}" if part == "archive" else ""
                values.append(took("bare" if part == "bare" else "audit", cluster.bootstrap, java))
                print(f"run {run + 1}: {part} {values[-1]:.1f} s", flush=True)
    return seconds


def page(seconds: dict[str, list[float]]) -> str:
    """The result as Markdown."""
    runs = len(seconds["bare"])
    ratios = times(seconds, "bare")
    rows = [
        [words, f"{statistics.median(seconds[part]):.1f} s", f"{ratios[part]:.2f}"] for part, words in _PARTS.items()
    ]
    reached = "reached" if ratios["audit"] <= AIM else "**missed**"
    return (
        f"{GROUPS:,} groups with {OFFSETS_A_GROUP} committed offsets each, on {os.cpu_count()} cores "
        f"({platform.machine()}, Python {platform.python_version()}, Kafka {DEFAULT_VERSION}); medians of {runs} runs "
        f"in turn. The aim is at most {AIM} times the bare job: {reached}.\n\n"
        + table([["whole process", "time", "/ bare job"], *rows])
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    parser.add_argument("--part", nargs=4, metavar=("PART", "BOOTSTRAP", "FOLDER", "JAVA"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        part, bootstrap, folder, java = given.part
        {"audit": whole, "bare": bare}[part](bootstrap, folder, java)
        return
    install()
    text = page(measure(given.runs))
    print(text)
    if given.write:
        replace_section("cold", text)


if __name__ == "__main__":
    main()
