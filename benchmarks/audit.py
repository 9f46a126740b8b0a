# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks.audit``: compare the audit with a loop that only reads, and with Kafka's console consumer.

One broker, one run, the programs in turn. The topic has the shape of the offsets topic: 50 partitions, commits of
20,000 groups, generated. Figures are records per second; compare only the ratios.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, TopicPartition

from benchmarks.document import replace_section
from tests.support import offsets_topic, topics
from tests.support.broker import Cluster
from tests.support.collection import install
from tests.support.jars import DEFAULT_VERSION, java
from tests.support.process import command_lines
from tests.support.repeating import repeatedly

PARTITIONS = 50
GROUPS = 20_000
KEYS_A_GROUP = 24
READING = {
    "group.id": "floor",
    "enable.auto.commit": False,
    "isolation.level": "read_committed",
    "enable.partition.eof": True,
    "fetch.wait.max.ms": 20,
    "fetch.queue.backoff.ms": 5,
    "max.partition.fetch.bytes": 4 << 20,
    "queued.min.messages": 1_000_000,
}
_DAY = 86_400_000


def fill(cluster: Cluster, topic: str, count: int) -> None:
    """Create a topic with `count` commits and repeated keys, as in the offsets topic."""
    topics.create(cluster.client(), topic, PARTITIONS, config={"retention.ms": "-1"})
    offsets_topic.write(cluster.client(), records(range(count), count, GROUPS, KEYS_A_GROUP), topic)


def records(numbers: range, days: int, groups: int, keys_a_group: int) -> Iterator[offsets_topic.Record]:
    """Commits of groups in turn, by their numbers; of 10 days, each with a tenth of `days` commits."""
    start = int(time.time() * 1000) - 10 * _DAY
    names = [f"service-{number:05d}-consumers" for number in range(groups)]
    where = [offsets_topic.partition_of(name, PARTITIONS) for name in names]
    keys = [
        [offsets_topic.commit_key(name, f"orders-{place % 12:02d}", place // 12) for place in range(keys_a_group)]
        for name in names
    ]
    for number in numbers:
        group, place = number % groups, number // groups % keys_a_group
        moment = start + number * 10 * _DAY // days
        value = offsets_topic.commit_value(number, moment)
        yield offsets_topic.Record(where[group], keys[group][place], value, moment)


def floor(cluster: Cluster, topic: str, processes: int) -> float:
    """Seconds for a number of confluent-kafka processes to read the topic without processing it."""
    command = [sys.executable, "-m", "benchmarks.audit", "--only-read", cluster.bootstrap, topic]
    children = [
        subprocess.Popen([*command, f"{number}/{processes}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for number in range(processes)
    ]
    pipes = [(child.stdin, child.stdout) for child in children]
    for _go, ready in pipes:
        assert ready is not None
        ready.readline()
    started = time.monotonic()
    for go, _ready in pipes:
        assert go is not None
        go.write("go\n")
        go.flush()
    for _go, ready in pipes:
        assert ready is not None
        ready.readline()
    took = time.monotonic() - started
    for child in children:
        child.wait()
    return took


def only_read(bootstrap: str, topic: str, part: str) -> None:
    """One of the processes of `floor`: reads every n-th partition."""
    number, processes = map(int, part.split("/"))
    consumer = Consumer({"bootstrap.servers": bootstrap, **READING})
    consumer.list_topics(topic)
    print("ready", flush=True)
    sys.stdin.readline()
    mine = range(number, PARTITIONS, processes)
    consumer.assign([TopicPartition(topic, partition, 0) for partition in mine])
    ended = 0
    while ended < len(mine):
        ended += sum(message.error() is not None for message in consumer.consume(10_000, 1.0))
    print("done", flush=True)
    consumer.close()


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
    """Audits in one warm session, and the peak memory of the Spark workers."""

    def __init__(self, cluster: Cluster, cores: int, folder: Path) -> None:
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
            spark_conf={},
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
        self._spark = self._session.__enter__()
        self.peak = 0

    def whole(self, topic: str) -> float:
        """Seconds from the scan to the tables, the plan and the report."""
        took = self._timed(lambda: self._pipeline.audit(self._spark, self._settings(topic)))
        self._spark.catalog.clearCache()
        return took

    def scan(self, topic: str) -> float:
        """Seconds from the scan to the latest commits in Parquet."""

        def run() -> None:
            rows = self._spark_read.read(self._spark, self._connection, topic, time.time() + 3600)
            stored = self._store.Store.of(self._spark, self._settings(topic))
            self._tables.write(
                self._frames.commits(rows.rows), "scan", self._store.Draft(stored, "", datetime.now(UTC))
            )

        return self._timed(run)

    def _timed(self, run: Callable[[], object]) -> float:
        self.peak = 0
        with repeatedly(self._look, 0.2):
            started = time.monotonic()
            run()
            return time.monotonic() - started

    def close(self) -> None:
        """End the session."""
        self._session.__exit__(None, None, None)

    def _look(self) -> None:
        self.peak = max(self.peak, sum(map(_resident, _workers())))


def _workers() -> list[int]:
    """The PIDs of the Python workers of Spark in this process."""
    return [pid for pid, line in command_lines().items() if "pyspark.daemon" in line or "pyspark.worker" in line]


def _resident(pid: int) -> int:
    """Resident memory of a process in bytes, without memory shared with its parent."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def measure(sizes: list[int], runs: int, cores: int) -> dict[int, dict[str, float]]:
    """Medians by number of records: seconds of each program, and peak memory of the workers in bytes."""
    with tempfile.TemporaryDirectory(prefix="kafkaops-bench-") as name, Cluster.start("single") as cluster:
        medians: dict[int, dict[str, float]] = {}
        for size in sizes:
            print(f"writing {size:,} records", flush=True)
            fill(cluster, f"copy-{size}", size)
        audit = Audit(cluster, cores, Path(name))
        try:
            # warm: the first audits of a session take longer
            for _warm in range(2):
                audit.whole(f"copy-{sizes[0]}")
            for size in sizes:
                medians[size] = _measure_one(cluster, audit, size, runs, cores)
        finally:
            audit.close()
    return medians


def _measure_one(cluster: Cluster, audit: Audit, size: int, runs: int, cores: int) -> dict[str, float]:
    topic = f"copy-{size}"
    measured: dict[str, Callable[[], float]] = {
        "floor": lambda: floor(cluster, topic, cores),
        "scan": lambda: audit.scan(topic),
        "audit": lambda: audit.whole(topic),
        "formatter": lambda: formatter(cluster, topic, size),
    }
    seconds: dict[str, list[float]] = {name: [] for name in measured}
    peaks = []
    for run in range(runs):
        for name, run_it in measured.items():
            seconds[name].append(run_it())
            print(f"{size:,} records, run {run + 1}: {name} {seconds[name][-1]:.2f} s", flush=True)
        peaks.append(audit.peak)
    return {**{name: statistics.median(taken) for name, taken in seconds.items()}, "memory": max(peaks)}


def table(medians: dict[int, dict[str, float]], cores: int, runs: int) -> str:
    """The result as Markdown."""
    lines = [
        f"`make bench` on {cores} cores ({platform.machine()}, Python {platform.python_version()}, "
        f"Kafka {DEFAULT_VERSION}); medians of {runs} interleaved runs on one broker. {GROUPS:,} groups with "
        f"{KEYS_A_GROUP} committed offsets each.",
        "",
        "| records | scan to Parquet | floor: only reading, same number of processes | scan / floor "
        "| console consumer with Kafka's formatter | console / scan | whole audit, with tables, plan and report "
        "| memory of the workers |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for size, taken in medians.items():
        shown = {name: f"{taken[name]:.2f} s, {size / taken[name] / 1000:.0f}k/s" for name in taken}
        lines.append(
            f"| {size:,} | {shown['scan']} | {shown['floor']} | {taken['scan'] / taken['floor']:.2f} "
            f"| {shown['formatter']} | {taken['formatter'] / taken['scan']:.2f} | {shown['audit']} "
            f"| {taken['memory'] / 1e6:.0f} MB |"
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
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[1_000_000, 2_000_000, 4_000_000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--only-read", nargs=3, metavar=("BOOTSTRAP", "TOPIC", "PART"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.only_read:
        only_read(*given.only_read)
        return
    install()
    medians = measure(given.records, given.runs, given.cores)
    print(json.dumps(medians))
    text = table(medians, given.cores, given.runs)
    print(text)
    replace_section("audit", text)


if __name__ == "__main__":
    main()
