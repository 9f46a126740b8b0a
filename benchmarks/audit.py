# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks.audit``: compare the audit with a loop that only reads, and with Kafka's console consumer.

One broker, one run, the programs in turn. The topic has the shape of the offsets topic: 50 partitions, commits of
20,000 groups, generated. Figures are records per second; compare only the ratios.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import only_read
from benchmarks.document import replace_section
from benchmarks.processes import cpu, descendants, watched
from tests.support import offsets_topic, topics
from tests.support.broker import Cluster
from tests.support.collection import install
from tests.support.jars import DEFAULT_VERSION, java

PARTITIONS = 50
GROUPS = 20_000
KEYS_A_GROUP = 24
_DAY = 86_400_000
_SKEWED = "skewed"

Medians = dict[str, float]


def fill(
    cluster: Cluster,
    topic: str,
    count: int,
    groups: int = GROUPS,
    keys_a_group: int = KEYS_A_GROUP,
    skewed: bool = False,
) -> None:
    """Create a topic with `count` commits and repeated keys, as in the offsets topic; see `records`."""
    topics.create(cluster.client(), topic, PARTITIONS, config={"retention.ms": "-1"})
    offsets_topic.write(cluster.client(), records(range(count), count, groups, keys_a_group, skewed), topic)


def records(
    numbers: range, days: int, groups: int, keys_a_group: int, skewed: bool = False
) -> Iterator[offsets_topic.Record]:
    """Commits of groups in turn, by their numbers; of 10 days, each with a tenth of `days` commits.

    :param skewed: whether four of five groups are in partition 0, and not in that of their name.
    """
    start = int(time.time() * 1000) - 10 * _DAY
    names = [f"service-{number:05d}-consumers" for number in range(groups)]
    where = [
        0 if skewed and number % 5 else offsets_topic.partition_of(name, PARTITIONS)
        for number, name in enumerate(names)
    ]
    keys = [
        [offsets_topic.commit_key(name, f"orders-{place % 12:02d}", place // 12) for place in range(keys_a_group)]
        for name in names
    ]
    for number in numbers:
        group, place = number % groups, number // groups % keys_a_group
        moment = start + number * 10 * _DAY // days
        value = offsets_topic.commit_value(number, moment)
        yield offsets_topic.Record(where[group], keys[group][place], value, moment)


def formatter(cluster: Cluster, topic: str, count: int) -> float:
    """Seconds of Kafka's console consumer with the formatter for committed offsets, as a whole process."""
    command = java(
        DEFAULT_VERSION,
        1024,
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
        "org.apache.kafka.tools.consumer.ConsoleConsumer",
        *("--bootstrap-server", cluster.bootstrap, "--topic", topic, "--from-beginning", "--max-messages", str(count)),
        *("--formatter", "org.apache.kafka.tools.consumer.OffsetsMessageFormatter"),
    )
    started = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.monotonic() - started


class Audit:
    """Audits in one warm session.

    `peak` is the memory of the workers in MB, and `busy` the number of busy cores, during the last one.
    """

    def __init__(self, cluster: Cluster, cores: int, folder: Path, spark_conf: Mapping[str, str] | None = None) -> None:
        from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import CONNECTION_SPEC
        from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import (
            pipeline,
            settings,
            spark,
            store,
            tables,
        )
        from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import spark_read
        from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge import frames
        from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.options import Connection

        params = {name: spec.get("default") for name, spec in CONNECTION_SPEC.items()}
        connection = Connection.from_params({**params, "bootstrap_servers": [cluster.bootstrap], "timeout": 3600.0})
        self._settings: Callable[[str], Any] = lambda topic: settings.Settings(
            connection=connection,
            output=str(folder),
            folder=str(folder),
            keep=settings.Keep(1, None),
            table_format=store.PARQUET,
            stale_after="30d",
            stale_after_ms=30 * _DAY,
            include=["*"],
            exclude=[],
            owners=[],
            master=f"local[{cores}]",
            spark_conf=dict(spark_conf or {}),
            topic=topic,
            client_rack=None,
            read_rate=None,
            metrics_file=None,
            incremental=False,
            deadline=time.time() + 3600,
        )
        self._connection = connection
        self._pipeline, self._spark_read, self._frames = pipeline, spark_read, frames
        self._store, self._tables, self._folder = store, tables, folder
        self._session = spark.spark_session(self._settings("none"), str(folder))
        self.spark = self._session.__enter__()
        self._brokers = cluster.pids
        self.peak = 0.0
        self.busy = 0.0

    def whole(self, topic: str) -> float:
        """Seconds from the scan to the tables, the plan and the report."""
        took = self.timed(lambda: self._pipeline.audit(self.spark, self._settings(topic)))
        self.spark.catalog.clearCache()
        return took

    def scan(self, topic: str) -> float:
        """Seconds from the scan to the latest commits in Parquet."""

        def run() -> None:
            rows = self._spark_read.read(self.spark, self._connection, topic, time.time() + 3600)
            stored = self._store.Store.of(self.spark, self._settings(topic))
            self._tables.write(
                self._frames.commits(rows.rows), "scan", self._store.Draft(stored, "", datetime.now(UTC))
            )

        return self.timed(run)

    def timed(self, run: Callable[[], object]) -> float:
        """Seconds of an action of Spark."""
        with watched(os.getpid()) as peaks:
            started, used = time.monotonic(), self._cpu()
            run()
            took = time.monotonic() - started
            self.busy = (self._cpu() - used) / took
        self.peak = peaks["workers"]
        return took

    def close(self) -> None:
        """End the session."""
        self._session.__exit__(None, None, None)

    def _cpu(self) -> float:
        """Seconds of CPU of Spark: of this process and those that it has started, without the brokers."""
        return cpu([os.getpid(), *(pid for pid in descendants(os.getpid()) if pid not in self._brokers)])


def measure(sizes: list[int], runs: int, cores: int) -> tuple[dict[int, Medians], Medians]:
    """Measure topics of these numbers of records, and one of the largest number with one large partition.

    :returns: by number of records, the seconds of each program, and the peak memory of the workers in MB; and what
        `_measure_skewed` returns.
    """
    c_program = only_read.built()
    with tempfile.TemporaryDirectory(prefix="kafkaops-bench-") as name, Cluster.start("single") as cluster:
        medians: dict[int, Medians] = {}
        for size in sizes:
            print(f"writing {size:,} records", flush=True)
            fill(cluster, f"copy-{size}", size)
        fill(cluster, _SKEWED, max(sizes), skewed=True)
        audit = Audit(cluster, cores, Path(name))
        try:
            # warm: the first audits of a session take longer
            for _warm in range(2):
                audit.whole(f"copy-{sizes[0]}")
            for size in sizes:
                medians[size] = _measure_one(cluster, audit, size, runs, cores, c_program)
            skewed = _measure_skewed(audit, f"copy-{max(sizes)}", runs)
        finally:
            audit.close()
    return medians, skewed


def _measure_one(cluster: Cluster, audit: Audit, size: int, runs: int, cores: int, c_program: Path | None) -> Medians:
    topic = f"copy-{size}"
    measured: dict[str, Callable[[], float]] = {
        "floor": lambda: only_read.seconds(cluster, topic, PARTITIONS, cores),
        "floor in C": lambda: only_read.seconds(cluster, topic, PARTITIONS, cores, c_program),
        "scan": lambda: audit.scan(topic),
        "audit": lambda: audit.whole(topic),
        "formatter": lambda: formatter(cluster, topic, size),
    }
    if c_program is None:
        del measured["floor in C"]
    seconds: dict[str, list[float]] = {name: [] for name in measured}
    peaks = []
    for run in range(runs):
        for name, run_it in measured.items():
            seconds[name].append(run_it())
            print(f"{size:,} records, run {run + 1}: {name} {seconds[name][-1]:.2f} s", flush=True)
        peaks.append(audit.peak)
    return {**{name: statistics.median(taken) for name, taken in seconds.items()}, "memory": max(peaks)}


def _measure_skewed(audit: Audit, even: str, runs: int) -> Medians:
    """The ratio of the times to scan the topic with one large partition and an even one, and the busy cores of each."""
    ratios, busy = [], {even: 0.0, _SKEWED: 0.0}
    for _run in range(runs):
        seconds = {}
        for topic in busy:
            seconds[topic] = audit.scan(topic)
            busy[topic] += audit.busy / runs
            print(f"{topic}: scan {seconds[topic]:.2f} s, {audit.busy:.2f} cores", flush=True)
        ratios.append(seconds[_SKEWED] / seconds[even])
    return {"ratio": statistics.median(ratios), "even": busy[even], "skewed": busy[_SKEWED]}


def table(medians: dict[int, Medians], skewed: Medians, cores: int, runs: int) -> str:
    """The result as Markdown."""
    counted = "one run" if runs == 1 else f"medians of {runs} interleaved runs"
    lines = [
        f"`make bench` on {cores} cores ({platform.machine()}, Python {platform.python_version()}, "
        f"Kafka {DEFAULT_VERSION}); {counted} on one broker. {GROUPS:,} groups with {KEYS_A_GROUP} committed offsets "
        "each. The console consumer has Kafka's formatter; the whole audit writes tables, plan and report.",
        "",
        "| records | scan to Parquet | floor (scan / floor) | floor in C (scan / floor) "
        "| console consumer (console / scan) | whole audit | workers |",
        "|---|---|---|---|---|---|---|",
    ]
    for size, taken in medians.items():
        shown = {name: f"{taken[name]:.2f} s" for name in taken}
        shown |= {
            name: f"{shown[name]} ({taken['scan'] / taken[name]:.2f})"
            for name in ("floor", "floor in C")
            if name in taken
        }
        lines.append(
            f"| {size:,} | {shown['scan']}, {size / taken['scan'] / 1000:.0f}k/s | {shown['floor']} "
            f"| {shown.get('floor in C', '')} | {shown['formatter']} ({taken['formatter'] / taken['scan']:.2f}) "
            f"| {shown['audit']} | {taken['memory']:.0f} MB |"
        )
    sizes = sorted(medians)
    for smaller, larger in itertools.pairwise(sizes):
        grown = {name: medians[larger][name] / medians[smaller][name] for name in ("scan", "audit")}
        memory = medians[larger]["memory"] / medians[smaller]["memory"]
        lines.append("")
        lines.append(
            f"{larger / smaller:g} times the records ({smaller:,} to {larger:,}): {grown['scan']:.2f} times the time "
            f"of the scan, {grown['audit']:.2f} times that of the whole audit, {memory:.2f} times the memory."
        )
    lines.append("")
    lines.append(
        f"With 80 % of {sizes[-1]:,} records in one partition, the scan takes {skewed['ratio']:.2f} times as long as "
        f"without, and uses {skewed['skewed']:.1f} cores on average, in the place of {skewed['even']:.1f}."
    )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[1_000_000, 2_000_000, 4_000_000, 8_000_000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 2)
    given = parser.parse_args()
    install()
    medians, skewed = measure(given.records, given.runs, given.cores)
    print(json.dumps([medians, skewed]))
    text = table(medians, skewed, given.cores, given.runs)
    print(text)
    replace_section("audit", text)


if __name__ == "__main__":
    main()
