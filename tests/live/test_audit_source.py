# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The scan of C(__consumer_offsets), on real brokers and real Spark."""

from __future__ import annotations

import base64
import dataclasses
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils import notebook
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import pipeline, state
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.spark import interpret_queries
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import access as access_module
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import (
    distribution,
    planning,
    reader,
    scan,
    shipping,
    spark_read,
    splits,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.access import Access
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.records import TOPIC
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.splits import Range
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.options import Connection
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.session import Session
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from tests.live.task import audit_settings, connection
from tests.support import commits, consumers, coordinators, jmx, offsets_topic, topics, truth
from tests.support.broker import Cluster
from tests.support.ca import KEY_PASSWORD
from tests.support.clients import properties
from tests.support.offsets_topic import Record
from tests.support.repeating import repeatedly
from tests.support.spark import COMPILED, local_session

Row = dict[str, Any]
Offsets = dict[tuple[str, int], int]

PARTITIONS = 4
#: Seconds within which everything ends on a machine that does much else.
PATIENCE = 300
# transactional records, each in a batch of its own
ABORTED = 20_000
SECRETS = ("admin-secret", KEY_PASSWORD, "PRIVATE KEY")


@pytest.fixture(scope="module")
def event_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("events")


@pytest.fixture(scope="module")
def spark(event_log: Path) -> Iterator[SparkSession]:
    events = {"enabled": "true", "dir": event_log.as_uri(), "compress": "false"}
    with local_session({f"spark.eventLog.{name}": value for name, value in events.items()}) as session:
        yield session


@pytest.fixture(autouse=True)
def on_executors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Executors read topics of any size; the tests of whole audits have small ones, which the driver reads."""
    monkeypatch.setattr(distribution, "_SMALL", -1)


def read(spark: SparkSession, given: Connection, topic: str = TOPIC, seconds: float = PATIENCE) -> list[Row]:
    rows: list[Row] = spark_read.read(spark, given, topic, time.time() + seconds).rows.toArrow().to_pylist()
    return rows


def planned_rows(spark: SparkSession, given: Connection, topic: str = TOPIC, seconds: float = PATIENCE) -> DataFrame:
    """What `read` reads, planned now and read later."""
    shipping.ship(spark)
    return spark_read.frame(spark, planning.plan(given, topic, time.time() + seconds, spark_read.cores(spark)))


def of_kind(rows: list[Row], kind: str, *columns: str) -> list[tuple[Any, ...]]:
    found = [tuple(row[column] for column in columns) for row in rows if row["kind"] == kind]
    return sorted(found, key=lambda values: [(value is not None, value) for value in values])


def log(cluster: Cluster, name: str, records: Sequence[Record], policy: str = "compact") -> str:
    """Make a topic with a few records, as __consumer_offsets might have them."""
    topics.create(cluster.client(), name, PARTITIONS, config={"cleanup.policy": policy, "retention.ms": "-1"})
    offsets_topic.write(cluster.client(), records, name)
    return name


def commit(group: str, offset: int | None, partition: int = 0, day: int = 0) -> Record:
    """A commit or a tombstone, some days after 2026-01-01."""
    at = 1_767_225_600_000 + day * 86_400_000
    value = None if offset is None else offsets_topic.commit_value(offset, at)
    return Record(partition, offsets_topic.commit_key(group, "t", 0), value, at)


def test_the_latest_of_each_key_and_activity(cluster: Cluster, spark: SparkSession) -> None:
    records = [commit("a", 1), commit("b", 5), commit("a", 2, day=1), commit("a", 3, day=1), commit("b", None, day=2)]
    rows = read(spark, connection(cluster.bootstrap), log(cluster, "audit-latest", records))
    assert of_kind(rows, "offset_commit", "group", "offset", "tombstone", "source_offset") == [
        ("a", 3, False, 3),
        ("b", None, True, 4),
    ]
    first, at = 20454, 1_767_225_600_000
    assert of_kind(rows, "activity", "group", "day", "timestamp", "commits", "tombstones", "rebalances") == [
        ("a", first, at, 1, 0, 0),
        ("a", first + 1, at + 86_400_000, 2, 0, 0),
        ("b", first, at, 1, 0, 0),
        ("b", first + 2, None, 0, 1, 0),
    ]


def test_a_notebook(cluster: Cluster, spark: SparkSession) -> None:
    topic = log(cluster, "audit-notebook", [commit("a", 1), commit("b", 5), commit("a", 2, day=1)])
    with pytest.raises(TaskError, match=r"^password is not a connection option: check its name\."):
        notebook.register(spark, password="x")
    notebook.register(spark, bootstrap_servers=[cluster.bootstrap], sasl_password="notebook-secret")
    frame = notebook.latest(spark.read.format("consumer_offsets").option("topic", topic).load())
    rows = frame.toArrow().to_pylist()
    assert of_kind(rows, "offset_commit", "group", "offset") == [("a", 2), ("b", 5)]
    assert sorted(map(str, rows)) == sorted(map(str, read(spark, connection(cluster.bootstrap), topic)))
    assert "notebook-secret" not in frame._jdf.queryExecution().toString()


def test_weights_are_the_sizes_of_partitions(cluster: Cluster) -> None:
    topic = log(cluster, "audit-weights", [commit("a", 1, 1), *(commit(f"b{number}", 1, 2) for number in range(9))])
    with Session(connection(cluster.bootstrap), check_mode=True) as session:
        found = session.wire.run(planning.describe, session, topic)
    assert found.exact
    assert (found.weights[0], found.weights[3]) == (0, 0)
    assert 0 < found.weights[1] < found.weights[2]


def test_every_partition_is_accounted_for(cluster: Cluster, spark: SparkSession) -> None:
    topic = log(cluster, "audit-partitions", [commit("a", 1, 2), commit("a", 2, 2), commit("b", 1, 0)])
    planned = planned_rows(spark, connection(cluster.bootstrap), topic)
    # beyond the end offsets of the moment in which it was planned
    offsets_topic.write(cluster.client(), [commit("a", 3, 2), commit("c", 1, 3)], topic)
    rows = planned.toArrow().to_pylist()
    assert of_kind(rows, "partition", "source_partition", "source_offset", "records", "problem") == [
        (0, 1, 1, None),
        (1, 0, 0, None),
        (2, 2, 2, None),
        (3, 0, 0, None),
    ]
    assert of_kind(rows, "offset_commit", "group", "offset") == [("a", 2), ("b", 1)]
    # nor does the scan leave a group behind
    assert connection(cluster.bootstrap).client_id not in truth.groups(cluster.client())


def test_a_key_that_is_none_and_a_value_that_cannot_be_decoded_keep_their_places(
    cluster: Cluster, spark: SparkSession
) -> None:
    broken = commit("a", 2)._replace(value=b"\0\3\0")
    topic = log(cluster, "audit-broken", [commit("a", 1), broken, Record(0, b"", b"\0\0", 0)])
    rows = read(spark, connection(cluster.bootstrap), topic)
    assert of_kind(rows, "offset_commit", "group") == []
    assert of_kind(rows, "undecodable", "source_offset", "group", "partition") == [(1, "a", 0), (2, None, None)]


def test_transactions(cluster: Cluster, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    client, group = cluster.client(), "audit-transactions"
    topics.create(client, "audit-t", 1, records=9)
    with commits.transaction(client, group, "audit-t", 3) as producer:
        producer.commit_transaction(30)
    with commits.transaction(client, group, "audit-t", 4) as producer:
        producer.abort_transaction(30)
    rows = read(spark, connection(cluster.bootstrap))
    assert [row["offset"] for row in rows if row["kind"] == "offset_commit" and row["group"] == group] == [3]
    # the last that stands there is the marker of the abortion
    assert of_kind(rows, "partition", "problem") == [(None,)] * 10
    [partition] = [row["source_partition"] for row in rows if row["kind"] == "activity" and row["group"] == group]
    with commits.transaction(client, group, "audit-t", 5) as producer:
        rows = read(spark, connection(cluster.bootstrap))
        assert [row["offset"] for row in rows if row["kind"] == "offset_commit" and row["group"] == group] == [3]
        problems = {row["source_partition"]: row for row in rows if row["problem"] is not None}
        assert problems.keys() == {partition}
        reached = problems[partition]["source_offset"]
        end = reached + 1
        words = f"an open transaction at offset {reached} hides the records up to offset {end}"
        assert problems[partition]["problem"] == words
        # one that ends while the scan waits counts
        monkeypatch.setattr(reader, "_OPEN_TRANSACTION_AFTER", 30.0)
        ending = threading.Timer(0.5, producer.commit_transaction, [30])
        ending.start()
        split = (Range(partition, 0, end),)
        [*batches] = scan.scan(Access.of(connection(cluster.bootstrap)), TOPIC, split, time.time() + PATIENCE)
        ending.join()
    rows = [row for batch in batches for row in batch.to_pylist()]
    assert [row["offset"] for row in rows if row["kind"] == "offset_commit" and row["group"] == group] == [5]
    assert of_kind(rows, "partition", "source_offset", "problem") == [(end, None)]


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_rebalances(cluster: Cluster, spark: SparkSession, protocol: Any) -> None:
    name = f"audit-rebalances-{protocol}"
    topics.create(cluster.client(), name, 2)
    with consumers.Consumer(cluster.client(), name, [name], protocol=protocol):
        pass
    rows = read(spark, connection(cluster.bootstrap))
    [counted] = [row["rebalances"] for row in rows if row["kind"] == "activity" and row["group"] == name]
    assert counted >= 1


def unsecured_token(user: str) -> str:
    """A JSON web token that nobody signed, as the brokers of the tests accept it."""
    now = int(time.time())
    parts = ({"alg": "none"}, {"sub": user, "iat": now, "exp": now + 600})
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + "."


def secured_options(cluster: Cluster, kind: str, folder: Path) -> tuple[str, Mapping[str, Any]]:
    """Return the address of a listener, and the connection options for it."""
    assert cluster.authority is not None
    ca = {"ssl_cafile": str(cluster.authority.certificate)}
    certificate, key = cluster.authority.issue("admin")
    sasl = {"security_protocol": "SASL_SSL", **ca}
    if kind == "scram":
        more = {"sasl_mechanism": "SCRAM-SHA-512", "sasl_username": "admin", "sasl_password": "admin-secret"}
        return cluster.listeners["SASL_SSL"], {**sasl, **more}
    if kind == "token":
        more = {"sasl_mechanism": "OAUTHBEARER", "sasl_oauth_token": unsecured_token("admin")}
        return cluster.listeners["SASL_SSL"], {**sasl, **more}
    tls = {"security_protocol": "SSL", **ca}
    if kind == "one file":
        both = folder / "both.pem"
        both.write_text(key.read_text("ascii") + certificate.read_text("ascii"), "ascii")
        return cluster.listeners["SSL"], {**tls, "ssl_certfile": str(both)}
    encrypted = {"ssl_keyfile": str(cluster.authority.encrypted_key("admin")), "ssl_keyfile_password": KEY_PASSWORD}
    return cluster.listeners["SSL"], {**tls, "ssl_certfile": str(certificate), **encrypted}


@pytest.fixture(scope="module")
def guarded(secured: Cluster) -> Cluster:
    """A cluster with security, and a committed offset."""
    topics.create(secured.client(), "audit-secured", 1)
    commits.commit(secured.client(), "audit-secured", {("audit-secured", 0): (7, "", -1)})
    return secured


@pytest.mark.parametrize("kind", ["scram", "token", "one file", "encrypted key"])
def test_a_secured_broker(guarded: Cluster, spark: SparkSession, kind: str, tmp_path: Path) -> None:
    address, options = secured_options(guarded, kind, tmp_path)
    rows = read(spark, connection(address, **options))
    assert ("audit-secured", 7) in of_kind(rows, "offset_commit", "group", "offset")


def test_secrets_show_nowhere(guarded: Cluster, spark: SparkSession, event_log: Path, tmp_path: Path) -> None:
    token = unsecured_token("admin")
    for kind in ("scram", "token", "encrypted key"):
        address, options = secured_options(guarded, kind, tmp_path)
        given = connection(address, **options)
        frame = planned_rows(spark, given)
        frame.collect()
        plan = frame._jdf.queryExecution().toString()
        shown = [repr(Access.of(given)), plan, str(spark.sparkContext.getConf().getAll())]
        assert not [secret for secret in (*SECRETS, token) for text in shown if secret in text]
    written = b"".join(file.read_bytes() for file in event_log.rglob("*") if file.is_file())
    assert b"BoundReadSplits" in written
    # nor as Spark would carry bytes
    hidden = [base64.b64encode(secret.encode()[shift:])[:-4] for secret in SECRETS for shift in range(3)]
    assert not [secret for secret in (*map(str.encode, SECRETS), *hidden) if secret in written]


def test_a_partition_that_may_not_be_read(guarded: Cluster, spark: SparkSession) -> None:
    topics.allow(guarded.client(), "bob", "topic", TOPIC, ["describe"])
    bob = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "PLAIN"}
    given = connection(
        guarded.listeners["SASL_PLAINTEXT"], **bob, sasl_username="bob", sasl_password=guarded.users["bob"]
    )
    with pytest.raises(PySparkException) as failed:
        read(spark, given)
    words = r"Partition \d of __consumer_offsets cannot be read \(TOPIC_AUTHORIZATION_FAILED: [^\n]*\): check [^\n]*, "
    words += r"or set source: snapshots, which does not read the topic\."
    assert re.fullmatch(words, spark_read.cause(failed.value))
    # without DESCRIBE on the cluster, sizes are estimated
    with Session(given, check_mode=True) as session:
        assert not session.wire.run(planning.describe, session, TOPIC).exact
    # it takes no permission on any group
    topics.allow(guarded.client(), "bob", "topic", TOPIC, ["read"])
    assert ("audit-secured", 7) in of_kind(read(spark, given), "offset_commit", "group", "offset")


def test_no_such_topic(cluster: Cluster, spark: SparkSession) -> None:
    words = r"^The topic audit-none cannot be read \(UNKNOWN_TOPIC_OR_PARTITION: .*\)\. .*, or set source: snapshots, "
    with pytest.raises(TaskError, match=words):
        read(spark, connection(cluster.bootstrap), "audit-none")


def test_the_deadline(cluster: Cluster, spark: SparkSession) -> None:
    topic = log(cluster, "audit-deadline", [commit("a", 1, 1), commit("b", 1, 2)])
    planned = planned_rows(spark, connection(cluster.bootstrap), topic, 0)
    with pytest.raises(PySparkException) as failed:
        planned.toArrow()
    words = r"The timeout expired before partition [12] of audit-deadline was read completely: increase timeout\."
    assert re.fullmatch(words, spark_read.cause(failed.value))


def test_an_error_of_spark_has_one_line(spark: SparkSession) -> None:
    with pytest.raises(PySparkException) as failed:
        spark.sql("SELECT no_such_column FROM range(1)").collect()
    assert spark_read.cause(failed.value).startswith("[UNRESOLVED_COLUMN")
    assert "\n" not in spark_read.cause(failed.value)


def remove(cluster: Cluster, topic: str, before: int) -> None:
    """Remove the records of partition 0 before an offset."""
    admin = AdminClient(properties(cluster.client()))
    for answer in admin.delete_records([TopicPartition(topic, 0, before)]).values():
        answer.result()


@pytest.mark.parametrize(("start", "found"), [(2, [("a", 3)]), (3, [])])
def test_a_log_whose_start_moves_after_the_plan(
    cluster: Cluster, spark: SparkSession, start: int, found: list[tuple[str, int]]
) -> None:
    """Whoever reads later than planned sees what is there then; the other partitions are read as ever."""
    records = [commit("a", 1), commit("a", 2), commit("a", 3), commit("b", 1, partition=1)]
    topic = log(cluster, f"audit-moved-{start}", records, "delete,compact")
    planned = planned_rows(spark, connection(cluster.bootstrap), topic)
    remove(cluster, topic, start)
    rows = planned.toArrow().to_pylist()
    assert of_kind(rows, "offset_commit", "group", "offset") == [*found, ("b", 1)]
    assert of_kind(rows, "partition", "source_partition", "source_offset", "problem") == [
        (0, 3, None),
        (1, 1, None),
        (2, 0, None),
        (3, 0, None),
    ]


def test_a_log_whose_start_moves_while_it_is_read(cluster: Cluster) -> None:
    """What was read may not be the latest of its keys: the partition has a problem, and its groups are not planned."""
    topic = log(cluster, "audit-moving", [commit("g", 0)], "delete,compact")
    for batch in range(9):
        offsets_topic.write(cluster.client(), [commit(f"g{batch}-{number}", 1) for number in range(20)], topic)
    split = (Range(0, 0, 181),)
    access, progress = Access.of(connection(cluster.bootstrap)), splits.Progress(split)
    # a batch at a time
    small = dataclasses.replace(access, config={**access.config, "message.max.bytes": 1000})
    found: list[int | None] = []
    with (
        mock.patch.dict(access_module._CONSUMER_CONFIG, {"max.partition.fetch.bytes": 100, "queued.min.messages": 1}),
        mock.patch.object(reader, "_MESSAGES", 1),
    ):
        for read_now in reader.batches(small, topic, split, progress, time.time() + PATIENCE):
            if not found:
                remove(cluster, topic, 180)
            found += [message.offset() for message in read_now.messages]
    [ended] = progress.ended()
    assert (ended.source_offset, found[-1]) == (181, 180)
    assert re.fullmatch(r"records from offset \d+ to 180 were deleted during the scan", ended.problem or "")


def test_a_topic_that_is_shorter_than_planned(cluster: Cluster) -> None:
    """Nothing can be said of a log that has lost its end."""
    topic = log(cluster, "audit-shorter", [commit("a", 1)])
    access = Access.of(connection(cluster.bootstrap))
    with pytest.raises(TaskError, match=r"^Partition 0 of audit-shorter cannot be read \(_AUTO_OFFSET_RESET: "):
        list(scan.scan(access, topic, (Range(0, 5, 9),), time.time() + 20))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> float:
    """The seconds that a reader of this test waits for a leader; less than the tests that take it need."""
    monkeypatch.setattr(reader, "_MIN_SILENCE_TIMEOUT", 0.0)
    monkeypatch.setattr(reader, "_STATISTICS_MS", 100)
    return 1.5


def test_a_long_range_of_aborted_transactions(
    cluster: Cluster, impatient: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The leader answers all the time, and nothing of it is to be seen."""
    topic, client = "audit-aborted", cluster.client()
    topics.create(client, topic, 1)
    producer = Producer(
        {**properties(client), "transactional.id": topic, "linger.ms": 0, "batch.num.messages": 1}
        | {"queue.buffering.max.messages": ABORTED, "transaction.timeout.ms": 600_000}
    )
    producer.init_transactions(30)
    producer.begin_transaction()
    for number in range(ABORTED):
        producer.produce(topic, b"aborted" * 70, str(number).encode())
        producer.poll(0)
    producer.flush()
    producer.abort_transaction(60)
    offsets_topic.write(client, [commit("a", 1)], topic)
    # a record a request
    monkeypatch.setitem(access_module._CONSUMER_CONFIG, "max.partition.fetch.bytes", 100)
    monkeypatch.setitem(access_module._CONSUMER_CONFIG, "fetch.message.max.bytes", 100)
    given = connection(cluster.bootstrap, request_timeout=impatient)
    access = Access.of(given)
    small = dataclasses.replace(access, config={**access.config, "message.max.bytes": 1000, "fetch.max.bytes": 1000})
    split = (Range(0, 0, ABORTED + 2),)
    started = time.monotonic()
    [*batches] = scan.scan(small, topic, split, time.time() + 300)
    assert time.monotonic() - started > impatient
    rows = [row for batch in batches for row in batch.to_pylist()]
    assert of_kind(rows, "offset_commit", "group", "offset") == [("a", 1)]
    assert of_kind(rows, "partition", "records", "problem") == [(1, None)]


def test_a_quota(cluster: Cluster, impatient: float) -> None:
    """The brokers let the reader wait for longer than it would wait for a silent leader."""
    records = [commit("x" * 1000 + str(number), 1) for number in range(3000)]
    topic = log(cluster, "audit-quota", records)
    coordinators.limit(cluster.client(), "audit-quota", 200_000.0, "consumer_byte_rate")
    try:
        given = connection(cluster.bootstrap, request_timeout=impatient, client_id="audit-quota")
        # the brokers learn of a quota a moment after it is set
        for _attempt in range(20):
            started = time.monotonic()
            [*batches] = scan.scan(Access.of(given), topic, (Range(0, 0, len(records)),), time.time() + 300)
            if time.monotonic() - started > impatient:
                break
        else:
            pytest.fail("the brokers never let the reader wait")
        with pytest.raises(
            TaskError, match=r"throttled this client for [\d.]+ s because of a quota\): increase timeout\.$"
        ):
            list(scan.scan(Access.of(given), topic, (Range(0, 0, len(records)),), time.time() + 2))
    finally:
        coordinators.limit(cluster.client(), "audit-quota", None, "consumer_byte_rate")
    rows = [row for batch in batches for row in batch.to_pylist()]
    assert of_kind(rows, "partition", "records", "problem") == [(len(records), None)]


def many(cluster: Cluster, name: str, count: int) -> tuple[list[Record], str]:
    """Make a topic with many commits in small batches, as the real topic has them: a broker sends at least one."""
    records = [commit(f"a-group-of-some-length-{number:05d}", 1) for number in range(count)]
    topic = log(cluster, name, [])
    for start in range(0, count, 1000):
        offsets_topic.write(cluster.client(), records[start : start + 1000], topic)
    return records, topic


def test_queries_of_a_small_topic_are_interpreted(
    cluster: Cluster, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless the user has configured it; also of an incremental audit that continues from a small state."""
    _records, topic = many(cluster, "audit-interpreted", 100)
    interpreted = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
    given = {"topic": topic, "incremental": True}
    for small, few, wanted in ((-1, 1_000, COMPILED), (1 << 20, 1, COMPILED), (1 << 20, 1_000, interpreted)):
        monkeypatch.setattr(distribution, "_SMALL", small)
        monkeypatch.setattr(state, "_FEW_ROWS", few)
        for name, value in COMPILED.items():
            spark.conf.set(name, value)
        pipeline.audit(spark, audit_settings(tmp_path, cluster.bootstrap, **given))
        assert {name: spark.conf.get(name) for name in COMPILED} == wanted, (small, few)
    for name, value in COMPILED.items():
        spark.conf.set(name, value)
        settings = audit_settings(tmp_path, cluster.bootstrap, spark_conf={name: value})
        interpret_queries(spark, settings)
        assert spark.conf.get(name) == value
    # as in other tests
    interpret_queries(spark, audit_settings(tmp_path))
    assert {name: spark.conf.get(name) for name in interpreted} == interpreted


def test_the_rate_is_kept(cluster: Cluster, tmp_path: Path) -> None:
    """Also by what the brokers send, and by their own metric, but for what is fetched ahead: less than two seconds."""
    rate, count = 200_000, 20_000
    records, topic = many(cluster, "audit-rate", count)
    proxy = cluster.proxies[1]
    access = Access.of(connection(cluster.listeners["PROXIED"]))
    sent: list[tuple[float, int]] = []
    name = f"kafka.server:type=BrokerTopicMetrics,name=BytesOutPerSec,topic={topic}"
    # the broker has the metric from the first fetch on
    assert list(scan.scan(access, topic, (Range(0, 0, 1),), time.time() + PATIENCE))
    with jmx.metric(cluster.pids[0], name, "Count", tmp_path) as metric:
        metric.samples(since=0)
        proxy.clear()
        began, started = time.time(), time.monotonic()
        with repeatedly(lambda: sent.append((time.monotonic() - started, proxy.traffic)), 0.1):
            rows = [
                row
                for batch in scan.scan(access, topic, (Range(0, 0, count),), time.time() + PATIENCE, rate)
                for row in batch.to_pylist()
            ]
        took = time.monotonic() - started
        samples = metric.samples(since=time.time())
    assert of_kind(rows, "partition", "records", "problem") == [(count, None)]
    size = sum(len(record.key or b"") + len(record.value or b"") for record in records)
    assert took >= size / rate
    # without what was fetched before
    counted = [(moment - began, value - samples[0][1]) for moment, value in samples if moment > began]
    assert counted[-1][1] >= size
    assert len(counted) >= took
    # what is fetched ahead, and the headers of requests and batches
    # records are larger on the wire
    for seen in (sent, counted):
        assert max(traffic - 1.3 * rate * seconds for seconds, traffic in seen) < 2 * rate


def test_records_come_from_the_rack_of_the_client(three: Cluster) -> None:
    fetch = 1
    topic = log(three, "audit-rack", [commit("a", 1)])
    leader = coordinators.leaders(three.client(), topic)[0]
    follower = leader % 3 + 1
    given = connection(three.listeners["PROXIED"], client_id="audit-rack")
    for rack, others in ((None, 0), (f"rack-{follower}", 1)):
        three.proxies[follower].clear()
        rows = [
            row
            for batch in scan.scan(Access.of(given, rack), topic, (Range(0, 0, 1),), time.time() + PATIENCE)
            for row in batch.to_pylist()
        ]
        assert of_kind(rows, "offset_commit", "group", "offset") == [("a", 1)]
        assert min(1, three.proxies[follower].count("audit-rack").get(fetch, 0)) == others


def test_a_leader_that_moves(three: Cluster) -> None:
    """In the middle of the scan, which the rate makes longer."""
    rate, count = 150_000, 20_000
    records, topic = many(three, "audit-moves", count)
    leader = coordinators.leaders(three.client(), topic)[0]
    killer = threading.Timer(2, three.kill, [leader])
    started = time.monotonic()
    killer.start()
    try:
        access = Access.of(connection(three.bootstrap))
        rows = [
            row
            for batch in scan.scan(access, topic, (Range(0, 0, count),), time.time() + PATIENCE, rate)
            for row in batch.to_pylist()
        ]
        took = time.monotonic() - started
        assert coordinators.leaders(three.client(), topic)[0] != leader
    finally:
        killer.cancel()
        killer.join()
        three.restart(leader)
    assert took > 4
    assert of_kind(rows, "partition", "records", "problem") == [(count, None)]
    assert len(of_kind(rows, "offset_commit", "group")) == len(records)


def test_a_broker_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_MIN_SILENCE_TIMEOUT", 0.0)
    with Cluster.start("single") as cluster:
        topic = log(cluster, "audit-alone", [commit("a", 1)])
        given = connection(cluster.bootstrap, request_timeout=2.0)
        split = (Range(0, 0, 1),)
        cluster.kill()
        with pytest.raises(TaskError) as failed:
            list(scan.scan(Access.of(given), topic, split, time.time() + PATIENCE))
    assert re.match(
        r"Partition 0 of audit-alone cannot be read \(its leader has not responded for \d+ s \(", str(failed.value)
    )
    assert "refused" in str(failed.value)
