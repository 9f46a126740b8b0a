# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks audit_scale``: whole audits of a cluster with many live groups, beside a bare Spark job.

Each is a process of its own, in one run on one broker. Another client than the audit commits for the groups, and
the tables are compared with what confluent-kafka's AdminClient lists and fetches. One audit finds no stale group; of
the other, all groups are stale, so that it fetches all offsets and plans to delete them. The bare job starts a session
with the same settings, writes as many rows as there are offsets from one stage in Python to Parquet, joins them with as
many rows as there are groups, and writes the result to Parquet.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.dataset as ds
from confluent_kafka import ConsumerGroupTopicPartitions
from confluent_kafka.admin import AdminClient

from benchmarks.document import replace_section, table
from tests.support import commits, topics
from tests.support.broker import Cluster
from tests.support.clients import properties
from tests.support.collection import install
from tests.support.jars import DEFAULT_VERSION
from tests.support.modules import module_of

GROUPS = 100_000
OFFSETS_A_GROUP = 10
TIMES, DRIVER_MB, REPORT_MB = 2.5, 300, 5
_TOPIC = "orders"
_SAMPLE = 500
_BATCH = 10_000
# 100,000 groups need more than tests do
_BROKER_HEAP = "-Xmx2g"
_STALE_AFTER = {"fresh": "30d", "stale": "1s"}


class Wrong(Exception):
    """A result is not what it should be."""


class Took(NamedTuple):
    """What one process took: seconds, and peaks of memory in MB; the sizes of report and plan in MB."""

    seconds: float
    driver: float
    java: float
    workers: float
    report: float = 0
    plan: float = 0


def fill(cluster: Cluster, groups: int) -> None:
    """Create live groups with committed offsets."""
    topics.create(cluster.client(), _TOPIC, OFFSETS_A_GROUP, records=OFFSETS_A_GROUP)
    offsets = {(_TOPIC, partition): (1, "", -1) for partition in range(OFFSETS_A_GROUP)}
    for start in range(0, groups, _BATCH):
        numbers = range(start, min(groups, start + _BATCH))
        commits.commit_many(cluster.client(), {_name(number): offsets for number in numbers})
        print(f"{numbers[-1] + 1:,} groups", flush=True)


def _name(number: int) -> str:
    return f"service-{number:07d}"


def settings(bootstrap: str, folder: str, stale_after: str) -> Any:
    """What all processes are asked for."""
    spec, _rules, parse, _operation = module_of("consumer_offsets_audit")
    defaults = {name: option.get("default") for name, option in spec.items()}
    given = {"bootstrap_servers": [bootstrap], "output": folder, "timeout": 3600.0, "stale_after": stale_after}
    return parse({**defaults, **given})


def audit(bootstrap: str, folder: str, stale_after: str, _groups: int) -> dict[str, Any]:
    """Audit the cluster as the module does: in a process of its own."""
    from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import process

    return process.run(settings(bootstrap, folder, stale_after))


def bare(bootstrap: str, folder: str, _stale_after: str, groups: int) -> dict[str, Any]:
    """Run a Spark job with as many rows, which reads nothing from Kafka and decides nothing."""
    from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.spark import spark_session

    with spark_session(settings(bootstrap, folder, "1d"), folder) as spark:
        numbers = spark.sparkContext.parallelize(range(groups * OFFSETS_A_GROUP))
        rows = numbers.map(lambda number: (number // OFFSETS_A_GROUP, _TOPIC, number % OFFSETS_A_GROUP, 1))
        spark.createDataFrame(rows, "id long, topic string, partition int, offset long").write.parquet(f"{folder}/rows")
        spark.read.parquet(f"{folder}/rows").join(spark.range(groups), "id").write.parquet(f"{folder}/joined")
    return {}


def measured(part: str, cluster: Cluster, stale_after: str, groups: int, folder: str) -> tuple[Took, dict[str, Any]]:
    """Run one process; return what it took and its answer."""
    answer = Path(folder) / "answer.json"
    arguments = [part, cluster.bootstrap, folder, stale_after, str(groups), str(answer)]
    log = Path(folder) / "process.log"
    with open(log, "wb") as output:
        started = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.audit_scale", "--part", *arguments],
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        with watched(process.pid) as peaks:
            code = process.wait()
        seconds = time.monotonic() - started
    if code:
        logs = (
            path.read_text("utf-8", "replace")[-4000:] for path in (Path(folder) / "spark.log", log) if path.exists()
        )
        raise Wrong(f"{part} ended with {code}: " + "\n".join(logs))
    given: dict[str, Any] = json.loads(answer.read_text("utf-8"))
    sizes = [os.path.getsize(given[name]) / 1e6 if name in given else 0.0 for name in ("report", "plan")]
    return Took(seconds, peaks["driver"], peaks["java"], peaks["workers"], *sizes), given


@contextlib.contextmanager
def watched(pid: int) -> Iterator[dict[str, float]]:
    """The peak memory of the driver, its Java, and the Python workers below a process, in MB, while the block runs."""
    peaks = {"driver": 0.0, "java": 0.0, "workers": 0.0}
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.3):
            now = dict.fromkeys(peaks, 0.0)
            for each in (pid, *_descendants(pid)):
                kind = _kind(_command(each))
                if kind:
                    now[kind] += _memory(each)
            for name, size in now.items():
                peaks[name] = max(peaks[name], size)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield peaks
    finally:
        done.set()
        watcher.join()


def _kind(command: bytes) -> str | None:
    """What a process is by its command line; None for those that only start others."""
    if command.split(b"\0")[0].endswith(b"java"):
        return "java"
    if any(part in command for part in (b".engine.job\0", b"\0bare\0", b"\0generate\0", b"\0judge\0")):
        return "driver"
    return "workers" if b"pyspark" in command else None


def _descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(stat.read_text("utf-8", "replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    found, ahead = [], [pid]
    while ahead:
        mine = children.get(ahead.pop(), [])
        found += mine
        ahead += mine
    return found


def _command(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _memory(pid: int) -> float:
    """The memory of a process in MB; memory that it shares counts in part."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def check(cluster: Cluster, groups: int, answer: dict[str, Any], stale: bool) -> None:
    """Compare tables, plan and report with what another client says.

    :raises Wrong: they differ.
    """
    admin = AdminClient(properties(cluster.client()))
    listed = {group.group_id for group in admin.list_consumer_groups(request_timeout=120).result().valid}
    found = {name: ds.dataset(path) for name, path in answer["tables"].items()}
    _expect("groups", set(found["groups"].to_table(["group"])["group"].to_pylist()), listed)
    _expect("rows of groups", found["groups"].count_rows(), groups)
    _expect("rows of offsets", found["offsets"].count_rows(), groups * OFFSETS_A_GROUP)
    _expect("commits", sum(found["activity"].to_table(["commits"])["commits"].to_pylist()), groups * OFFSETS_A_GROUP)
    _expect("rows of findings", found["findings"].count_rows(), groups if stale else 0)
    _expect("stale groups", len(answer["stale_groups"]), groups if stale else 0)
    _expect("planned groups", answer["summary"]["delete_groups"], groups if stale else 0)
    sample = [_name(number) for number in range(0, groups, max(1, groups // _SAMPLE))]
    theirs: dict[str, dict[tuple[str, int], int]] = {}
    for name in sample:
        answer_of = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(name)])[name].result()
        theirs[name] = {(one.topic, one.partition): one.offset for one in answer_of.topic_partitions}
    ours: dict[str, dict[tuple[str, int], int]] = {name: {} for name in sample}
    columns = ["group", "topic", "partition", "offset"]
    for row in found["offsets"].to_table(columns, filter=ds.field("group").isin(sample)).to_pylist():
        ours[row["group"]][row["topic"], row["partition"]] = row["offset"]
    _expect("offsets", ours, theirs)
    if stale:
        from ansible_collections.kafkaops.groups.plugins.module_utils._files import plan as plan_file

        plan = plan_file.load(answer["plan"], "plan")
        _expect("the plan", {group.group for group in plan.delete_groups}, listed)
        _expect(
            "offsets in the plan", sum(len(group.offsets) for group in plan.delete_groups), groups * OFFSETS_A_GROUP
        )


def _expect(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise Wrong(f"{what}: {str(found)[:200]}, and not {str(expected)[:200]}")


def measure(groups: int) -> dict[str, Took]:
    """What the bare job and both audits took."""
    taken = {}
    with Cluster.start("single", java_options=(_BROKER_HEAP,)) as cluster:
        fill(cluster, groups)
        for name, stale_after in (("bare", "1d"), *_STALE_AFTER.items()):
            with tempfile.TemporaryDirectory(prefix="kafkaops-bench-") as folder:
                part = "bare" if name == "bare" else "audit"
                taken[name], answer = measured(part, cluster, stale_after, groups, folder)
                print(name, taken[name], flush=True)
                if answer:
                    check(cluster, groups, answer, name == "stale")
    return taken


def page(groups: int, taken: dict[str, Took]) -> str:
    """The result as Markdown."""
    names = {"bare": "bare Spark job", "fresh": "audit, no group is stale", "stale": "audit, all groups are stale"}
    base = taken["bare"].seconds
    rows: list[Sequence[str]] = [
        ["", "time", "/ bare job", "driver, Python", "driver, Java", "Python workers", "report", "plan"]
    ]
    for name, took in taken.items():
        memory = [f"{size:.0f} MB" for size in (took.driver, took.java, took.workers)]
        sizes = ["", ""] if name == "bare" else [f"{took.report:.1f} MB", f"{took.plan:.1f} MB"]
        rows.append([names[name], f"{took.seconds:.0f} s", f"{took.seconds / base:.2f}", *memory, *sizes])
    worst = [max(took[place] for name, took in taken.items() if name != "bare") for place in (0, 1, 4)]
    aims = (
        (f"at most {TIMES} times the bare job", worst[0] / base <= TIMES),
        (f"at most {DRIVER_MB} MB of Python in the driver", worst[1] <= DRIVER_MB),
        (f"a report of at most {REPORT_MB} MB", worst[2] <= REPORT_MB),
    )
    reached = "; ".join(f"{words}: {'reached' if is_so else '**missed**'}" for words, is_so in aims)
    return (
        f"{groups:,} live groups with {OFFSETS_A_GROUP} committed offsets each, on {os.cpu_count()} cores "
        f"({platform.machine()}, Python {platform.python_version()}, Kafka {DEFAULT_VERSION}), with the start of Java "
        f"and Spark; peaks of memory. Aims: {reached}.\n\n" + table(rows)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, default=GROUPS)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    parser.add_argument("--part", nargs=6, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        part, bootstrap, folder, stale_after, groups, answer = given.part
        result = {"audit": audit, "bare": bare}[part](bootstrap, folder, stale_after, int(groups))
        Path(answer).write_text(json.dumps(result), "utf-8")
        return
    install()
    text = page(given.groups, measure(given.groups))
    print(text)
    if given.write:
        replace_section("audit-scale", text)


if __name__ == "__main__":
    main()
