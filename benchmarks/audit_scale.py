# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks audit_scale``: whole audits of a cluster with many live groups, beside a bare Spark job.

Each is a process of its own, in one run on one broker. Another client than the audit commits for the groups, and
the tables are compared with what confluent-kafka's AdminClient lists and fetches: all groups with their states, and all
offsets. One audit finds no stale group; of the other, all groups are stale, so that it fetches all offsets and plans to
delete them. The bare job starts a session with the same settings, writes as many rows as there are offsets from one
stage in Python to Parquet, joins them with as many rows as there are groups, and writes the result to Parquet. The
floor is the time to only read the topic.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.dataset as ds
from confluent_kafka import ConsumerGroupTopicPartitions
from confluent_kafka.admin import AdminClient

from benchmarks import only_read
from benchmarks.audits import audit, expect, settings
from benchmarks.document import replace_section, table
from benchmarks.processes import Took, run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.clients import properties
from tests.support.collection import install
from tests.support.jars import DEFAULT_VERSION

GROUPS = 100_000
OFFSETS_A_GROUP = 10
TIMES, DRIVER_MB, REPORT_MB = 2.5, 300, 5
_TOPIC, _OFFSETS_TOPIC = "orders", "__consumer_offsets"
# groups whose offsets are fetched at the same time
_TOGETHER = 1_000
_BATCH = 10_000
_STALE_AFTER = {"fresh": "30d", "stale": "1s"}
_NAMES = {"bare": "bare Spark job", "fresh": "audit, no group is stale", "stale": "audit, all groups are stale"}


class Measured(NamedTuple):
    """What one process took, and the sizes of report and plan in MB."""

    took: Took
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


def bare(bootstrap: str, folder: str, groups: int) -> None:
    """Run a Spark job with as many rows, which reads nothing from Kafka and decides nothing."""
    from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.spark import spark_session

    with spark_session(settings(bootstrap, folder), folder) as spark:
        numbers = spark.sparkContext.parallelize(range(groups * OFFSETS_A_GROUP))
        rows = numbers.map(lambda number: (number // OFFSETS_A_GROUP, _TOPIC, number % OFFSETS_A_GROUP, 1))
        spark.createDataFrame(rows, "id long, topic string, partition int, offset long").write.parquet(f"{folder}/rows")
        spark.read.parquet(f"{folder}/rows").join(spark.range(groups), "id").write.parquet(f"{folder}/joined")


def measured(name: str, cluster: Cluster, groups: int, folder: Path) -> tuple[Measured, dict[str, Any]]:
    """Run one process; return what it took, and the answer of an audit."""
    answer = folder / "answer.json"
    part = [name, cluster.bootstrap, str(folder), str(answer)]
    took = run([sys.executable, "-m", "benchmarks.audit_scale", "--groups", str(groups), "--part", *part], folder)
    if not answer.exists():
        return Measured(took), {}
    given: dict[str, Any] = json.loads(answer.read_text("utf-8"))
    return Measured(took, *(os.path.getsize(given[file]) / 1e6 for file in ("report", "plan"))), given


def check(cluster: Cluster, groups: int, answer: dict[str, Any], stale: bool) -> None:
    """Compare tables, plan and report with what another client says.

    :raises Wrong: they differ.
    """
    admin = AdminClient(properties(cluster.client()))
    listed = {one.group_id: one.state.name for one in admin.list_consumer_groups(request_timeout=120).result().valid}
    found = {name: ds.dataset(path) for name, path in answer["tables"].items()}
    states = found["groups"].to_table(["group", "state"]).to_pylist()
    expect("states of groups", {row["group"]: row["state"].upper() for row in states}, listed)
    expect("rows of groups", found["groups"].count_rows(), groups)
    expect("rows of offsets", found["offsets"].count_rows(), groups * OFFSETS_A_GROUP)
    expect("commits", sum(found["activity"].to_table(["commits"])["commits"].to_pylist()), groups * OFFSETS_A_GROUP)
    expect("rows of findings", found["findings"].count_rows(), groups if stale else 0)
    expect("stale groups", len(answer["stale_groups"]), groups if stale else 0)
    expect("planned groups", answer["summary"]["delete_groups"], groups if stale else 0)
    _check_offsets(admin, found["offsets"], groups)
    if stale:
        from ansible_collections.kafkaops.groups.plugins.module_utils._files import plan as plan_file

        plan = plan_file.load(answer["plan"], "plan")
        expect("the plan", {group.group for group in plan.delete_groups}, set(listed))
        expect("offsets in the plan", sum(len(group.offsets) for group in plan.delete_groups), groups * OFFSETS_A_GROUP)


def _check_offsets(admin: AdminClient, table: ds.Dataset, groups: int) -> None:
    order = ["group", "topic", "partition"]
    ours = table.to_table([*order, "offset"]).sort_by([(column, "ascending") for column in order])
    for start in range(0, groups, _TOGETHER):
        names = [_name(number) for number in range(start, min(groups, start + _TOGETHER))]
        asked = [admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(name)])[name] for name in names]
        theirs = [
            {"group": name, "topic": one.topic, "partition": one.partition, "offset": one.offset}
            for name, answer in zip(names, asked, strict=True)
            for one in sorted(answer.result().topic_partitions)
        ]
        # all groups have as many, which is checked before
        rows = ours.slice(start * OFFSETS_A_GROUP, len(names) * OFFSETS_A_GROUP).to_pylist()
        expect(f"offsets of {names[0]} and the next groups", rows, theirs)


def measure(groups: int, audits: Sequence[str]) -> tuple[float, dict[str, Measured]]:
    """The seconds to only read the topic, and what the bare job and the audits took."""
    taken, program = {}, only_read.built()
    # more than tests need
    heap = f"-Xmx{max(2, groups // 125_000)}g"
    with Cluster.start("single", java_options=(heap,)) as cluster:
        fill(cluster, groups)
        partitions = truth.topics(cluster.client())[_OFFSETS_TOPIC]
        floor = only_read.seconds(cluster, _OFFSETS_TOPIC, partitions, os.cpu_count() or 1, program)
        print(f"floor {floor:.2f} s", flush=True)
        for name in ("bare", *audits):
            with tempfile.TemporaryDirectory(prefix="kafkaops-bench-") as folder:
                taken[name], answer = measured(name, cluster, groups, Path(folder))
                print(name, taken[name], flush=True)
                if answer:
                    check(cluster, groups, answer, name == "stale")
    return floor, taken


def page(groups: int, floor: float, taken: dict[str, Measured]) -> str:
    """The result as Markdown."""
    base = taken["bare"].took.seconds
    rows: list[Sequence[str]] = [
        ["", "time", "/ bare job", "/ floor", "driver, Python", "driver, Java", "Python workers", "report", "plan"]
    ]
    for name, one in taken.items():
        memory = [f"{size:.0f} MB" for size in (one.took.driver, one.took.java, one.took.workers)]
        sizes = ["", ""] if name == "bare" else [f"{one.report:.1f} MB", f"{one.plan:.1f} MB"]
        ratios = [f"{one.took.seconds / base:.2f}", "" if name == "bare" else f"{one.took.seconds / floor:.0f}"]
        rows.append([_NAMES[name], f"{one.took.seconds:.0f} s", *ratios, *memory, *sizes])
    return (
        f"{groups:,} live groups with {OFFSETS_A_GROUP} committed offsets each, on {os.cpu_count()} cores "
        f"({platform.machine()}, Python {platform.python_version()}, Kafka {DEFAULT_VERSION}), with the start of Java "
        f"and Spark; peaks of memory. The floor is {floor:.1f} s: librdkafka only reads the topic, in processes that "
        f"have started. Aims: {_reached(groups, taken)}.\n\n" + table(rows)
    )


def _reached(groups: int, taken: dict[str, Measured]) -> str:
    """Which aims are reached; time and memory have one for `GROUPS` groups only."""
    audits = [one for name, one in taken.items() if name != "bare"]
    aims = {f"a report of at most {REPORT_MB} MB": max(one.report for one in audits) <= REPORT_MB}
    if groups == GROUPS:
        slowest = max(one.took.seconds for one in audits) / taken["bare"].took.seconds
        largest = max(one.took.driver for one in audits)
        aims[f"at most {TIMES} times the bare job"] = slowest <= TIMES
        aims[f"at most {DRIVER_MB} MB of Python in the driver"] = largest <= DRIVER_MB
    return "; ".join(f"{words}: {'reached' if is_so else '**missed**'}" for words, is_so in aims.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, default=GROUPS)
    parser.add_argument("--audits", nargs="+", choices=["fresh", "stale"], default=["fresh", "stale"])
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    parser.add_argument("--part", nargs=4, metavar=("NAME", "BOOTSTRAP", "FOLDER", "ANSWER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        name, bootstrap, folder, answer = given.part
        if name == "bare":
            bare(bootstrap, folder, given.groups)
        else:
            result = audit(bootstrap, folder, stale_after=_STALE_AFTER[name])
            Path(answer).write_text(json.dumps(result), "utf-8")
        return
    install()
    text = page(given.groups, *measure(given.groups, given.audits))
    print(text)
    if given.write:
        replace_section("audit-scale" if given.groups == GROUPS else "audit-scale-once", text)


if __name__ == "__main__":
    main()
