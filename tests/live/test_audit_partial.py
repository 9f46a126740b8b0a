# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A scan that may keep next to nothing, of partitions that are cut, finds what an unlimited one finds: real Spark."""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import pipeline
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.facts import Facts
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.publish import publish
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.store import Store
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import (
    distribution,
    merge,
    merge_here,
    planning,
    records,
    scan,
    spark_read,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.reader import Batch
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.scan import Bound
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.splits import Progress, Range, Split
from confluent_kafka import Message, Producer
from pyspark.sql import DataFrame, SparkSession

from tests.live.task import audit_settings, connection
from tests.support import offsets_topic, topics
from tests.support.broker import Cluster
from tests.support.clients import properties
from tests.support.logs import random_log
from tests.support.offsets_topic import Record
from tests.support.spark import local_session
from tests.support.worlds import NOW, World

LOGS, LENGTH = 24, 80
UNLIMITED = Bound(10**9, 10**9, 10**9)
TIGHT = Bound(2, 2, 200)
# partitions are returned in many parts or in few, because of their counts or of the bytes of their keys, or only packed
BOUNDS = [
    TIGHT,
    Bound(10**9, 10**9, 150),
    Bound(5, 30, 10**9),
    Bound(2, 10**9, 3000),
    Bound(3, 10**9, 10**9),
    UNLIMITED,
]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with local_session() as session:
        yield session


def message(offset: int, record: Record) -> Message:
    key, value = record.key or None, record.value
    return Message(
        topic="t", partition=record.partition, offset=offset, key=key, value=value, timestamp=(1, record.timestamp)
    )


def scanned(
    logs: Mapping[int, Sequence[Record]], split: Split, bound: Bound, rng: random.Random, keyed: bool = False
) -> Iterator[pa.RecordBatch]:
    """The rows of a split of these logs, which come a few records at a time."""

    def batches(_access: Any, _topic: str, wanted: Split, progress: Progress, *_more: Any) -> Iterator[Batch]:
        for one in wanted:
            messages = [message(offset, logs[one.partition][offset]) for offset in range(one.start, one.end)]
            while messages:
                some = [messages.pop(0) for _each in range(min(len(messages), rng.randrange(1, 6)))]
                progress.add(one.partition, len(some), some[-1].offset() or 0)
                yield Batch(one.partition, some)

    with mock.patch.object(scan, "batches", batches):
        yield from scan.scan(mock.Mock(), "t", split, 0.0, bound=bound, keyed=keyed)


def cut(partition: int, length: int, rng: random.Random) -> list[Range]:
    places = sorted(rng.sample(range(1, length), rng.randrange(4)))
    bounds = [0, *places, length]
    return [Range(partition, *pair, cut=bool(places)) for pair in itertools.pairwise(bounds)]


def content(frame: DataFrame) -> Counter[tuple[Any, ...]]:
    """The rows, without what only a partial scan has, and the read status, which has a row for each part."""
    bookkeeping = ("key", "first_generation", "last_generation", "partial")
    rows = frame.filter(f"kind != '{records.PARTITION}'").drop(*bookkeeping).toArrow().to_pylist()
    return Counter(tuple(row.values()) for row in rows)


def every_column(frame: DataFrame) -> Counter[tuple[Any, ...]]:
    """The rows with all that a later scan needs."""
    return Counter(tuple(row.values()) for row in frame.toArrow().to_pylist())


def arrow(frame: DataFrame) -> pa.Table:
    """The rows in the schema of the scan."""
    return frame.select(records.schema().names).toArrow().cast(records.schema())


def test_random_logs(spark: SparkSession) -> None:
    rng = random.Random(20260601)
    logs = {partition: random_log(partition, LENGTH, partition) for partition in range(LOGS)}
    whole = [Range(partition, 0, LENGTH) for partition in logs]
    unlimited = pa.Table.from_batches(scanned(logs, tuple(whole), UNLIMITED, rng))
    assert not any(unlimited["partial"].to_pylist())
    assert {row["kind"] for row in unlimited.to_pylist()} >= {"offset_commit", "undecodable", "activity", "partition"}
    assert sum(row["rebalances"] or 0 for row in unlimited.to_pylist()) > LOGS
    partial = [
        batch
        for partition in logs
        for one in cut(partition, LENGTH, rng)
        for batch in scanned(logs, (one,), BOUNDS[partition % len(BOUNDS)], rng)
    ]
    rows = pa.Table.from_batches(partial)
    read: Counter[int] = Counter()
    for row in rows.to_pylist():
        read[row["source_partition"]] += row["records"] or 0
    assert set(read.values()) == {LENGTH}
    assert rows["partial"].to_pylist().count(True) > LOGS
    assert content(merge.merged(spark.createDataFrame(rows))) == content(spark.createDataFrame(unlimited))


def test_consecutive_scans(spark: SparkSession) -> None:
    """What is kept of each scan is combined with the next one; deleted records are kept only as far as they matter."""
    rng = random.Random(20261101)
    logs = {partition: random_log(partition, LENGTH, partition) for partition in range(LOGS)}
    whole = [Range(partition, 0, LENGTH) for partition in logs]
    unlimited = spark.createDataFrame(pa.Table.from_batches(scanned(logs, tuple(whole), UNLIMITED, rng)))
    state: DataFrame | None = None
    for start in range(0, LENGTH, LENGTH // 4):
        ranges = [Range(partition, start, start + LENGTH // 4) for partition in logs]
        rows = [
            row for one in ranges for row in scanned(logs, (one,), BOUNDS[one.partition % len(BOUNDS)], rng, keyed=True)
        ]
        frame = merge.keyed(spark.createDataFrame(pa.Table.from_batches(rows)))
        # evaluated once each, so that the plans do not grow
        table = frame if state is None else merge.continued(state, frame, small=start > LENGTH / 2)
        if state is not None:
            earlier, later = (arrow(rows) for rows in (state, frame))
            here = spark.createDataFrame(merge_here.continued(earlier, later))
            assert every_column(here) == every_column(table)
        state = spark.createDataFrame(merge.kept(table, -(2**31)).toArrow())
    assert state is not None
    kinds = (records.GENERATIONS, records.PARTITION)
    remaining = f"kind not in {kinds} and (kind = '{records.UNDECODABLE}' or tombstone is null or not tombstone)"
    assert content(state.filter(remaining)) == content(unlimited.filter(remaining))
    deleted = state.filter(f"tombstone and kind != '{records.UNDECODABLE}'").toArrow().to_pylist()
    assert deleted
    assert not [row for row in deleted if row["kind"] == records.OFFSET_COMMIT]
    assert len({(row["source_partition"], row["group"]) for row in deleted}) == len(deleted)


def test_old_days_are_not_kept_for_ever(spark: SparkSession) -> None:
    """Only those that compaction would leave."""
    first = 20_000
    log = [
        Record(0, offsets_topic.commit_key("g", "t", number), b"\0\0" + bytes(18), (first + day) * 86_400_000)
        for number, day in ((0, 0), (1, 1), (0, 2), (1, 9))
    ]
    scans = scanned({0: log}, (Range(0, 0, 4),), UNLIMITED, random.Random(1), keyed=True)
    kept = merge.kept(spark.createDataFrame(pa.Table.from_batches(scans)), first + 5).toArrow().to_pylist()
    found = [row["day"] - first for row in kept if row["kind"] == records.ACTIVITY]
    assert sorted(found) == [2, 9]


def fill(cluster: Cluster, topic: str) -> None:
    """Three partitions, one of which has most records; around its middle those of an aborted transaction."""
    topics.create(
        cluster.client(), topic, 3, config={"retention.ms": "-1", "message.timestamp.after.max.ms": str(2**63 - 1)}
    )
    for partition, length in ((1, 30), (2, 40), (0, 1500)):
        offsets_topic.write(cluster.client(), random_log(partition, length, partition), topic)
    producer = Producer({**properties(cluster.client()), "transactional.id": topic})
    producer.init_transactions(30)
    producer.begin_transaction()
    for record in random_log(7, 60, 0):
        producer.produce(topic, record.value, record.key, 0)
    producer.flush()
    producer.abort_transaction(60)
    offsets_topic.write(cluster.client(), random_log(8, 1500, 0), topic)


def tables(spark: SparkSession, scan_rows: DataFrame, folder: Path) -> dict[str, Counter[tuple[Any, ...]]]:
    settings = audit_settings(folder)
    facts = Facts("c", NOW, 0.0, 0, {}, [], None)
    world = World([], {})
    compared = pipeline.compare(settings, facts, scan_rows, world.frames(spark), world.fetch)
    published = publish(settings, facts, compared, Store.of(spark, settings))
    return {
        name: Counter(
            tuple(str(value) for key, value in row.items() if key not in ("audit_id", "audited_at"))
            for row in pq.read_table(path).to_pylist()
        )
        for name, path in published["tables"].items()
    }


def test_a_real_topic(cluster: Cluster, spark: SparkSession, tmp_path: Path) -> None:
    """The unlimited scan runs in this process, as that of any small topic."""
    topic = "audit-partial"
    fill(cluster, topic)
    given = connection(cluster.bootstrap)
    unlimited = spark_read.read(spark, given, topic, time.time() + 300)
    assert [one.partial for one in unlimited.ended] == [False] * 3
    small = mock.patch.multiple(distribution, _MIN_CUT=0, _MIN_SPLIT=1)
    with mock.patch.object(planning, "BOUND", TIGHT), small:
        # with a rate, records come in smaller batches, after each of which the bound is checked
        bounded = spark_read.read(spark, given, topic, time.time() + 300, read_rate=10_000_000)
    parts = Counter(one.source_partition for one in bounded.ended)
    assert parts == {0: 2, 1: 1, 2: 1}
    assert {one.source_partition for one in bounded.ended if one.partial} >= {0}
    assert sum(one.records for one in bounded.ended) == sum(one.records for one in unlimited.ended) == 3070
    assert content(bounded.rows) == content(unlimited.rows)
    expected = tables(spark, unlimited.rows, tmp_path)
    assert tables(spark, bounded.rows, tmp_path) == expected
    assert all(expected[name] for name in ("offsets", "groups", "activity", "findings"))
