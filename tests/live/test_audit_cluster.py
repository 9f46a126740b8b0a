# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The audit on a Spark cluster, whose Python has no more than it needs."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import json
import os
import re
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import planning, probe, shipping, spark_read
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.access import Access
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.records import TOPIC
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tests.live.task import ansible, connection
from tests.support import commits, offsets_topic, topics
from tests.support.broker import Cluster
from tests.support.ports import HOST, free
from tests.support.process import command_lines
from tests.support.spark import COMPILED, EXECUTORS, executor_python, session, standalone

# of the topic
PARTITIONS = 10
GROUPS = [f"audit-cluster-{number}" for number in range(20)]


class Executors(NamedTuple):
    """A Spark cluster: its master, the Python of its executors, and the folder of its workers."""

    url: str
    python: str
    folder: Path

    def pids(self) -> list[int]:
        """The processes of the executors, each of which has a folder of its own below the workers'."""
        backends = [pid for pid, command in command_lines().items() if "CoarseGrainedExecutorBackend" in command]
        return [pid for pid in backends if self.folder in Path(f"/proc/{pid}/cwd").resolve().parents]

    def reading(self) -> list[int]:
        """The executors that run Python."""
        children = {pid: Path(f"/proc/{pid}/task").glob("*/children") for pid in self.pids()}
        found = []
        for pid, lists in children.items():
            # one that has ended
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                found += [pid] if any(each.read_text("ascii") for each in lists) else []
        return found


@pytest.fixture(scope="module")
def executors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executors]:
    folder = tmp_path_factory.mktemp("spark")
    python = executor_python(folder / "python")
    with standalone(folder) as url:
        yield Executors(url, python, folder)


@pytest.fixture(scope="module", autouse=True)
def _committed(cluster: Cluster) -> None:
    topics.create(cluster.client(), "audit-cluster", 1)
    commits.commit_many(cluster.client(), {group: {("audit-cluster", 0): (3, "", -1)} for group in GROUPS})
    # so that reading at the rate of the tests takes some 20 s
    large = {("audit-cluster", 0): (1, "x" * 4000, -1)}
    commits.commit_many(cluster.client(), {f"audit-cluster-large-{number}": large for number in range(100)})


@pytest.fixture(scope="module")
def spark(executors: Executors) -> Iterator[SparkSession]:
    with session(executors.url, executors.python, EXECUTORS) as made:
        shipping.ship(made)
        yield made


def through_ansible(
    cluster: Cluster, executors: Executors, output: Path, conf: dict[str, Any], **options: Any
) -> dict[str, Any]:
    """What an audit on the cluster returns."""
    spark_conf = {
        "spark.pyspark.python": executors.python,
        "spark.driver.host": HOST,
        **EXECUTORS,
        "spark.sql.shuffle.partitions": 2,
        **conf,
    }
    given = {"output": str(output), "master": executors.url, "spark_conf": spark_conf, "timeout": 600, **options}
    # in a Java of its own, whose output is in the log of the audit
    return ansible("consumer_offsets_audit", cluster.bootstrap, java={}, **given)


def test_the_same_audit_through_ansible(cluster: Cluster, executors: Executors, tmp_path: Path) -> None:
    """Comes first: the session of the others takes all cores of the cluster. An executor is killed while it reads."""
    with ThreadPoolExecutor(1) as pool:
        audit = pool.submit(through_ansible, cluster, executors, tmp_path, COMPILED, read_rate=20_000)
        log = tmp_path / "spark.log"
        while not audit.done() and not (log.exists() and f"Read {TOPIC}" in log.read_text("utf-8")):
            time.sleep(0.1)
        time.sleep(5)
        killed = not audit.done()
        os.kill(min(executors.pids()), signal.SIGKILL)
        returned = audit.result()
    assert returned["rc"] == 0, returned["msg"]
    assert killed
    assert "Lost executor" in log.read_text("utf-8")
    rows = pq.read_table(returned["tables"]["offsets"]).to_pylist()
    assert {row["group"]: row["offset"] for row in rows if row["group"] in GROUPS} == dict.fromkeys(GROUPS, 3)
    assert Path(returned["report"]).stat().st_size > 0


def test_executors_that_spark_starts_for_the_tasks(cluster: Cluster, executors: Executors, tmp_path: Path) -> None:
    """With dynamic allocation, none has started when the scan is planned."""
    events = tmp_path / "events"
    events.mkdir()
    logged = {"enabled": "true", "compress": "false", "dir": events.as_uri()}
    conf = {
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.shuffleTracking.enabled": "true",
        "spark.dynamicAllocation.minExecutors": 0,
        **{f"spark.eventLog.{name}": value for name, value in logged.items()},
    }
    returned = through_ansible(cluster, executors, tmp_path / "output", conf)
    assert returned["rc"] == 0, returned["msg"]
    rows = pq.read_table(returned["tables"]["offsets"]).to_pylist()
    assert {row["group"]: row["offset"] for row in rows if row["group"] in GROUPS} == dict.fromkeys(GROUPS, 3)
    tasks = [
        stage["Number of Tasks"]
        for path in events.rglob("events_*")
        for event in map(json.loads, path.read_text("utf-8").splitlines())
        if event["Event"] == "SparkListenerJobStart"
        and event["Properties"].get("spark.job.description") == f"Read {TOPIC}"
        for stage in event["Stage Infos"]
    ]
    used = {offsets_topic.partition_of(group, PARTITIONS) for group in GROUPS}
    # the check of the executors has as many as Spark expects cores
    assert tasks[0] == 2 < len(used) <= max(tasks) <= PARTITIONS


def test_executors_that_are_killed_again_and_again(cluster: Cluster, executors: Executors, tmp_path: Path) -> None:
    """While they read, until Spark gives up."""
    with ThreadPoolExecutor(1) as pool:
        conf = {"spark.task.maxFailures": 2}
        audit = pool.submit(through_ansible, cluster, executors, tmp_path, conf, read_rate=20_000)
        log = tmp_path / "spark.log"
        while not audit.done():
            if log.exists() and f"Read {TOPIC}" in log.read_text("utf-8"):
                time.sleep(3)
                for pid in executors.reading():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            time.sleep(0.1)
        refused = audit.result()
    assert refused["rc"], refused
    words = (
        rf"Spark lost its executors repeatedly, the last one on {HOST} \([^()]+\): check the log of the executor, "
        r"and its memory \(spark\.executor\.memoryOverhead in spark_conf\)\."
    )
    assert re.fullmatch(words, refused["msg"])
    assert list((tmp_path / "audits").glob("*")) == []


def test_the_executors_have_no_more_than_they_need(spark: SparkSession) -> None:
    libraries = ["confluent_kafka", "pyarrow", "kafka", "numpy", "pandas", "ansible"]
    found = spark.sparkContext.parallelize(libraries).map(importlib.util.find_spec).map(bool).collect()
    assert found == [True, True, False, False, False, False]


def test_the_executors_read_what_is_shipped_to_them(cluster: Cluster, spark: SparkSession) -> None:
    scan = spark_read.read(spark, connection(cluster.bootstrap), TOPIC, time.time() + 300)
    assert 2 < scan.rows.rdd.getNumPartitions() <= PARTITIONS
    rows = scan.rows.toArrow().to_pylist()
    committed = {row["group"]: row["offset"] for row in rows if row["kind"] == "offset_commit"}
    assert {group: committed.get(group) for group in GROUPS} == dict.fromkeys(GROUPS, 3)
    assert sorted(row["source_partition"] for row in rows if row["kind"] == "partition") == list(range(PARTITIONS))


def test_an_executor_that_cannot_reach_the_brokers(cluster: Cluster, spark: SparkSession) -> None:
    """Its part of the check before the scan, which a scan of this cluster passes."""
    cores = spark_read.cores(spark)
    assert cores == (2, True)
    wanted = planning.plan(connection(cluster.bootstrap), TOPIC, time.time() + 300, cores)
    probe.check(spark, wanted, cores.number)
    (port,) = free(1)
    elsewhere = Access.of(connection(f"{HOST}:{port}", request_timeout=3.0))
    with pytest.raises(TaskError) as failed:
        probe.check(spark, dataclasses.replace(wanted, access=elsewhere), cores.number)
    words = (
        rf"The executor on \S+ cannot reach any broker \(.*{HOST}:{port}.*\): executors need connections to all .*\."
    )
    assert re.fullmatch(words, str(failed.value))


def test_a_failure_of_an_executor_is_told_in_one_sentence(cluster: Cluster, spark: SparkSession) -> None:
    with pytest.raises(PySparkException) as failed:
        spark_read.read(spark, connection(cluster.bootstrap), TOPIC, time.time())
    assert spark_read.cause(failed.value).startswith("The timeout expired before partition ")
