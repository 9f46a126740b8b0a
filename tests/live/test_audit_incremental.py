# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An incremental audit finds what a full audit finds: random workloads on a real broker, with kills of the audit."""

from __future__ import annotations

import itertools
import json
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pyarrow.parquet as pq
import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import (
    folders,
    pipeline,
    state,
    store,
    tables,
)
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewPartitions

from tests.live.task import ansible, audit_settings, run
from tests.support import browser, commits, consumers, offsets_topic, topics, truth
from tests.support.broker import Cluster
from tests.support.clients import Client, properties
from tests.support.logs import random_log
from tests.support.moments import Moments
from tests.support.offsets_topic import Record
from tests.support.publisher import Publisher, audit_names
from tests.support.spark import local_session

SEED = 20261110
PARTITIONS = 3
#: With ``--matrix`` more: each round has three audits of all tables.
ROUNDS, MORE_ROUNDS = 2, 6
DAY = 86_400_000
COMMITS = (b"\0\0", b"\0\1")
Row = dict[str, Any]
Tables = dict[str, Counter[tuple[Any, ...]]]


class Audited(NamedTuple):
    """What an audit returned, and the rows of its tables, without what differs between two audits of the same."""

    returned: Row
    rows: dict[str, list[Row]]

    def table(self, name: str, *without: str) -> Counter[tuple[Any, ...]]:
        return Counter(tuple(str(value) for key, value in row.items() if key not in without) for row in self.rows[name])

    @property
    def tables(self) -> Tables:
        return {name: self.table(name) for name in self.rows}


def audited(returned: Row) -> Audited:
    identity = ("audit_id", "audited_at")
    rows = {name: pq.read_table(path).to_pylist() for name, path in returned["tables"].items()}
    assert rows.keys() == set(tables.NAMES)
    return Audited(
        returned,
        {
            name: [{key: row[key] for key in row if key not in identity} for row in found]
            for name, found in rows.items()
        },
    )


class Auditor:
    """Audits of one topic, incremental and full, each in a location of its own."""

    def __init__(self, publisher: Publisher, folder: Path, topic: str) -> None:
        self._publisher, self._folder, self._topic = publisher, folder, topic
        self.output = folder / "incremental"
        self.took = 1.0

    def _run(self, output: Path, kill_after: float | None = None, **given: Any) -> Audited:
        answer = self._folder / "answer.json"
        answer.unlink(missing_ok=True)
        line = {"answer": str(answer), "output": str(output), "topic": self._topic, "keep_audits": 3, **given}
        self.took = self._publisher.publish(output, json.dumps(line), kill_after)
        return audited(json.loads(answer.read_text("utf-8"))) if answer.exists() else Audited({}, {})

    def incremental(self) -> Audited:
        return self._run(self.output, incremental=True)

    def full(self) -> Audited:
        return self._run(self._folder / "full")

    def killed(self, after: float) -> bool:
        """An incremental audit that is killed so many seconds after it began to write; whether it was not done then."""
        took = self.took
        found = self._run(self.output, after, incremental=True)
        self.took = took
        return not found.returned


@pytest.fixture(scope="module")
def publisher(cluster: Cluster) -> Iterator[Publisher]:
    made = Publisher("audits", cluster.bootstrap)
    try:
        yield made
    finally:
        made.close()


class Workload:
    """Random records of a copy of the offsets topic, also in transactions."""

    def __init__(self, client: Client, topic: str, seed: int) -> None:
        self._client, self._topic = client, topic
        self._rng = random.Random(seed)
        self._seeds = itertools.count(seed)
        # days that are kept
        self._start = (int(time.time() * 1000) // DAY - 90) * DAY
        self._clock = itertools.count(self._start, 1000)
        self._open: list[Producer] = []

    def records(self, most: int) -> list[Record]:
        """Random records of recent days; the times of those that are not commits ascend, as they do on brokers.

        Keys of commits have one version: Kafka compacts each version for itself, so that deletions would be undone.
        """
        partition = self._rng.randrange(PARTITIONS)
        log = random_log(next(self._seeds), self._rng.randrange(1, most), partition)
        return [
            one._replace(
                key=COMMITS[1] + one.key[2:] if one.key[:2] == COMMITS[0] else one.key,
                timestamp=self._start + one.timestamp % (30 * DAY) if one.key[:2] in COMMITS else next(self._clock),
            )
            for one in log
        ]

    def write(self, most: int = 60) -> None:
        offsets_topic.write(self._client, self.records(most), self._topic)

    def begin(self) -> Producer:
        """Write records in a transaction that stays open."""
        name = f"{self._topic}-{next(self._seeds)}"
        producer = Producer({**properties(self._client), "transactional.id": name, "transaction.timeout.ms": 600_000})
        producer.init_transactions(60)
        producer.begin_transaction()
        for record in self.records(20):
            producer.produce(self._topic, record.value, record.key, record.partition, timestamp=record.timestamp)
        producer.flush()
        return producer

    def end(self, producer: Producer) -> None:
        if self._rng.random() < 0.5:
            producer.commit_transaction(60)
        else:
            producer.abort_transaction(60)

    def step(self) -> bool:
        """Do a few of these; return whether a transaction is open, so that records after it are hidden."""
        while self._open and self._rng.random() < 0.7:
            self.end(self._open.pop())
        for _each in range(self._rng.randrange(1, 4)):
            self.write()
            if self._rng.random() < 0.6:
                self.end(self.begin())
        if self._rng.random() < 0.6:
            self._open.append(self.begin())
            self.write()
        return bool(self._open)

    def finish(self) -> None:
        while self._open:
            self.end(self._open.pop())


def configure(client: Client, topic: str, **config: str) -> None:
    entries = [
        ConfigEntry(name.replace("_", "."), value, incremental_operation=AlterConfigOpType.SET)
        for name, value in config.items()
    ]
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic, incremental_configs=entries)
    admin = AdminClient(properties(client))
    for answer in admin.incremental_alter_configs([resource]).values():
        answer.result(30)


def count(client: Client, topic: str) -> int:
    """How many records a topic has."""
    consumer = Consumer({**properties(client), "group.id": "nobody", "enable.partition.eof": True})
    consumer.assign([TopicPartition(topic, number, 0) for number in range(PARTITIONS)])
    ended = found = 0
    while ended < PARTITIONS:
        for message in consumer.consume(1000, 1):
            ended += message.error() is not None
            found += message.error() is None
    consumer.close()
    return found


def compact(client: Client, topic: str) -> None:
    """Let the broker compact all but the last record of each partition, also tombstones."""
    before = count(client, topic)
    configure(client, topic, min_cleanable_dirty_ratio="0.0001", segment_ms="1", delete_retention_ms="0")
    now, deadline = int(time.time() * 1000), time.monotonic() + 300
    while count(client, topic) > before / 2:
        assert time.monotonic() < deadline
        # of no known type; each begins a new segment, so that the one before can be compacted
        offsets_topic.write(client, [Record(number, b"\0\x62", b"", now) for number in range(PARTITIONS)], topic)
        now += 60_000
        time.sleep(2)
    # later audits continue only while tombstones remain
    configure(client, topic, min_cleanable_dirty_ratio="1", segment_ms="604800000", delete_retention_ms="86400000")


@pytest.fixture
def copy(cluster: Cluster, request: pytest.FixtureRequest) -> Workload:
    """A compacted topic, whose groups the cluster knows."""
    client, name = cluster.client(), topic_of(request)
    config = {
        "cleanup.policy": "compact",
        "min.cleanable.dirty.ratio": "1",
        "message.timestamp.after.max.ms": str(2**63 - 1),
    }
    topics.create(client, name, PARTITIONS, config=config)
    topics.create(client, f"{name}-read", 1)
    names = [f"group-{partition}-{number}" for partition in range(PARTITIONS) for number in range(2)]
    commits.commit_many(client, {group: {(f"{name}-read", 0): (1, "", -1)} for group in names})
    return Workload(client, name, SEED)


def topic_of(request: pytest.FixtureRequest) -> str:
    return str(request.node.name).replace("_", "-")


def test_random_workloads(
    cluster: Cluster, publisher: Publisher, copy: Workload, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Each round, an incremental audit that is killed, and one that is not; then the topic is compacted in between."""
    print(f"seed {SEED}")
    rng, client, topic = random.Random(SEED), cluster.client(), topic_of(request)
    auditor = Auditor(publisher, tmp_path, topic)
    ids: list[str] = []
    hidden = kills = late = 0
    rounds = MORE_ROUNDS if request.config.getoption("--matrix") else ROUNDS
    for _round in range(rounds):
        hidden += copy.step()
        if ids:
            hit = auditor.killed(rng.uniform(0, auditor.took))
            kills, late = kills + hit, late + (not hit)
            # otherwise the records are in the state of the audit that was killed too late
            copy.write(10)
        found, full = auditor.incremental(), auditor.full()
        assert found.tables == full.tables
        reading = found.returned["incremental"]
        assert full.returned["incremental"] is None
        if not ids:
            assert reading == {"since": None, "reason": f"there is no state of an earlier audit of {topic}"}
        else:
            assert (bool(reading["since"]), reading["reason"]) == (True, None)
            assert found.returned["summary"]["records"] < full.returned["summary"]["records"]
        assert not [warning for warning in found.returned["warnings"] if "the whole topic was read" in warning]
        ids.append(found.returned["audit_id"])
        # only the last state is kept, but for one of an audit that was killed before it removed those before
        assert (auditor.output / "audits" / ids[-1] / store.STATE).exists()
        assert len(list(auditor.output.glob(f"audits/*/{store.STATE}"))) <= 2
    assert hidden
    assert kills
    assert all(found.rows[name] for name in ("offsets", "groups", "activity", "findings"))
    assert len(audit_names(auditor.output)) == min(3, rounds + late)
    copy.finish()
    before = auditor.incremental()
    compact(client, topic)
    for _round in range(rounds // 2):
        # read after the compaction, by an audit that continues one of before it
        copy.step()
        copy.finish()
        found, full = auditor.incremental(), auditor.full()
        assert found.returned["incremental"]["since"] == before.returned["audit_id"]
        assert_covers(found, full)
        for meter in ("commits", "tombstones"):
            assert total(found, meter) > total(before, meter)
        assert total(full, "commits") < total(found, "commits")
        before = found


def assert_covers(found: Audited, full: Audited) -> None:
    """After a compaction, the latest records are equal; activity and tombstones that were erased are kept."""
    erased = ("commits", "tombstones", "rebalances", "idle_since", "undecodable")
    assert found.table("offsets") == full.table("offsets")
    assert found.table("groups", *erased) == full.table("groups", *erased)
    assert full.table("findings") <= found.table("findings")
    assert_at_least(of_days(found, "commits"), of_days(full, "commits"))
    assert_at_least(of_days(found, "tombstones"), of_days(full, "tombstones"))
    groups, of_full = ({row["group"]: row for row in each.rows["groups"]} for each in (found, full))
    for name, row in of_full.items():
        assert str(groups[name]["idle_since"] or "") >= str(row["idle_since"] or ""), name


def total(audit: Audited, meter: str) -> int:
    return sum(of_days(audit, meter).values())


def of_days(audit: Audited, meter: str) -> Mapping[Any, int]:
    return {(row["group"], row["day"]): row[meter] for row in audit.rows["activity"]}


def assert_at_least(more: Mapping[Any, int], less: Mapping[Any, int]) -> None:
    assert {key: (more.get(key), number) for key, number in less.items() if more.get(key, 0) < number} == {}


def test_a_kill_between_any_two_writes(
    cluster: Cluster, copy: Workload, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """What is there at each of these moments is a whole audit, and the next one finds what a full audit finds."""
    topic, output = topic_of(request), tmp_path / "audited"
    moments = Moments(output, tmp_path / "moments")
    with local_session() as spark:

        def audit(where: Path, *, incremental: bool = True) -> Audited:
            settings = audit_settings(where, cluster.bootstrap, topic=topic, incremental=incremental)
            found = audited(pipeline.audit(spark, settings))
            spark.catalog.clearCache()
            return found

        copy.write()
        first = audit(output)
        copy.write()
        with moments.watched():
            second = audit(output)
        assert second.returned["incremental"]["since"] == first.returned["audit_id"]
        copy.write()
        full = audit(tmp_path / "full", incremental=False)
        ids = [each.returned["audit_id"] for each in (first, second)]
        different: dict[tuple[str, ...], Path] = {}
        for moment in moments.copies:
            whole = tuple(name for name in ids if (moment / store.AUDITS / name / store.MANIFEST).exists())
            assert (moment / folders.LATEST).resolve().name in whole
            assert (moment / store.AUDITS / whole[-1] / store.STATE).exists()
            # most of an audit without a manifest is there before it gets one, and when it has just lost it
            if ids[0] in whole or whole not in different:
                different[whole] = moment
        continued = []
        for number, moment in enumerate(different.values()):
            # the state of the second one is combined in this process, those of the others by Spark
            with mock.patch.object(state, "_ROWS_HERE", 250_000 * (number % 2)):
                found = audit(moment)
            assert found.tables == full.tables, moment
            continued.append(ids.index(found.returned["incremental"]["since"]))
            assert audit_names(moment) == {found.returned["audit_id"]}
    assert len(moments.copies) > 2 * len(tables.NAMES)
    # before the manifest of the second audit, after it, and while the first one is removed
    assert continued == [0, 1, 1]


def test_what_cannot_be_continued(
    cluster: Cluster, publisher: Publisher, copy: Workload, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The whole topic is read, and why is said."""
    client, topic = cluster.client(), topic_of(request)
    auditor = Auditor(publisher, tmp_path, topic)
    admin = AdminClient(properties(client))
    copy.write()

    def state(pattern: str) -> Path:
        [found] = sorted(auditor.output.glob(f"latest/{pattern}"))[:1]
        return found.resolve()

    def spoil() -> None:
        file = max(state("state").glob("part-*.parquet"), key=lambda path: path.stat().st_size)
        content = bytearray(file.read_bytes())
        # in the data, and not in the footer, which is read first
        content[10] ^= 0xFF
        file.write_bytes(content)

    def lose() -> None:
        state("state/part-*.parquet").unlink()

    def empty() -> None:
        state("state/part-*.parquet").write_bytes(b"")

    def remove() -> None:
        shutil.rmtree(state("state"))

    def outdate() -> None:
        manifest = state("manifest.json")
        document = json.loads(manifest.read_text("utf-8"))
        document["state"]["version"] = 0
        manifest.write_text(json.dumps(document), "utf-8")

    def trim() -> None:
        configure(client, topic, cleanup_policy="delete", retention_ms="-1")
        copy.write()
        places = [TopicPartition(topic, number, -1) for number in range(PARTITIONS)]
        for answer in admin.delete_records(places).values():
            answer.result(30)
        copy.write()

    def widen() -> None:
        for answer in admin.create_partitions([NewPartitions(topic, PARTITIONS + 1)]).values():
            answer.result(30)
        time.sleep(2)

    def recreate() -> None:
        topics.delete(client, topic)
        time.sleep(2)
        topics.create(client, topic, PARTITIONS + 1, config={"cleanup.policy": "compact"})
        copy.write()

    auditor.incremental()
    for change, why in (
        (spoil, "cannot be read: ChecksumException"),
        (lose, "cannot be read: its files are not those that were written"),
        (empty, "cannot be read: its files are not those that were written"),
        (remove, "cannot be read: [PATH_NOT_FOUND]"),
        (outdate, "has version 0, and not 2"),
        (trim, "starts at offset"),
        (widen, f"the topic has {PARTITIONS + 1} partitions, but had {PARTITIONS}"),
        (recreate, "the topic was created anew"),
    ):
        copy.write()
        change()
        found = auditor.incremental()
        reading = found.returned["incremental"]
        assert reading["since"] is None
        assert why in reading["reason"], change
        assert [warning for warning in found.returned["warnings"] if warning.endswith(reading["reason"])]
        if change in (spoil, recreate):
            assert found.tables == auditor.full().tables, change
    # the state of the last one is used again
    assert auditor.incremental().returned["incremental"]["since"]


@pytest.fixture
def expiring() -> Iterator[Cluster]:
    """A broker that looks each second for offsets to expire."""
    with Cluster.start("single", config={"offsets.retention.check.interval.ms": "1000"}) as started:
        yield started


def consume(client: Client, group: str, offsets: Mapping[tuple[str, int], int]) -> None:
    """Join a group, commit, and leave: the group remains in the state Empty."""
    topic = next(topic for topic, _partition in offsets)
    consumer = Consumer({**properties(client), "group.id": group, "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    assert consumer.consume(1, 60)
    consumer.commit(offsets=[TopicPartition(*where, offset) for where, offset in offsets.items()], asynchronous=False)
    consumer.close()


def expire(client: Client, offsets: set[tuple[str, int]]) -> None:
    """Commit partitions of groups, and wait until the broker has removed these offsets."""
    wanted: dict[str, commits.Offsets] = {}
    for group, number in offsets:
        wanted[group] = {**wanted.get(group, {}), ("incr", number): (9, "", -1)}
    commits.commit_many(client, wanted, retention=1)
    deadline = time.monotonic() + 60
    while offsets & {
        (group, number) for group, found in truth.all_offsets(client, wanted).items() for _topic, number in found
    }:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def changes(audit: Audited) -> dict[str, list[str] | None]:
    """The names of the groups of each change since the last audit, None if unknown."""
    since = audit.returned["since_last"]
    return {name: found and found["names"] for name, found in since.items() if name.endswith("_groups")}


def test_a_cluster(expiring: Cluster, cluster: Cluster, tmp_path: Path) -> None:
    """Through Ansible: commits, deletions, expiry, a conversion, and transactions, one of which stays open.

    Then another cluster is audited in the same location, and both are in the report of the fleet.
    """
    client, prefix = expiring.client(), "incr-"
    topics.create(client, "incr", 2, records=20)
    names = [f"{prefix}{number}" for number in range(12)]
    left = f"{prefix}left"
    # all offsets of two groups, which are then removed, too
    expired = {(names[5], 0), *((group, number) for group in (names[6], left) for number in range(2))}
    given: dict[str, Any] = {"stale_after": "1s", "include": f"{prefix}*", "timeout": 600}

    def audit(name: str, of: Cluster = expiring, **more: Any) -> Audited:
        returned = ansible("consumer_offsets_audit", of.bootstrap, output=str(tmp_path / name), **given, **more)
        assert returned["rc"] == 0, returned["msg"]
        return audited(returned)

    commits.commit_many(client, {name: {("incr", 0): (3, "", -1), ("incr", 1): (5, "", -1)} for name in names})
    shared = [{"name": "incr"}]
    run("share_group_offsets", expiring.bootstrap, group=f"{prefix}shared", topics=shared, reset={"to_latest": True})
    consume(client, left, {("incr", 0): 2, ("incr", 1): 2})
    with consumers.Consumer(client, f"{prefix}converted", ["incr"]):
        truth.wait_stable(client, f"{prefix}converted")
    with commits.transaction(client, f"{prefix}open", "incr", 4) as producer:
        before = audit("incremental", incremental=True)
        run("consumer_group", expiring.bootstrap, names=names[:3], state="absent")
        run(
            "consumer_group_offsets",
            expiring.bootstrap,
            group=names[3],
            topics=[{"name": "incr", "partitions": [0]}],
            state="absent",
        )
        commits.commit_many(client, {name: {("incr", 0): (9, "again", -1)} for name in names[2:5]})
        expire(client, expired)
        producer.commit_transaction(30)
    with commits.transaction(client, f"{prefix}aborted", "incr", 7) as producer:
        producer.abort_transaction(30)
    with consumers.Consumer(client, f"{prefix}converted", ["incr"], protocol="consumer"):
        truth.wait_stable(client, f"{prefix}converted")
        time.sleep(2)
        found, full = audit("incremental", incremental=True), audit("full")
        run("consumer_group", expiring.bootstrap, names=[names[8]], state="absent")
        commits.commit_many(client, {name: {("incr", 0): (9, "", -1)} for name in (names[7], f"{prefix}late")})
        last = audit("incremental", incremental=True)
    assert found.returned["incremental"]["since"]
    for name in tables.NAMES:
        mine = [
            Counter(str(row) for row in each.rows[name] if str(row["group"]).startswith(prefix))
            for each in (found, full)
        ]
        assert mine[0] == mine[1], name
        assert mine[0], name
    assert found.returned["summary"]["records"] < full.returned["summary"]["records"]
    assert set(found.returned["stale_groups"]) == {*names[2:6], *names[7:], f"{prefix}open"}
    assert changes(found) == {
        # an open transaction hid records from the first audit
        "new_stale_groups": [f"{prefix}open"],
        **dict.fromkeys(("revived_groups", "deleted_groups", "new_groups")),
    }
    assert changes(last) == {
        "new_stale_groups": [f"{prefix}late"],
        "revived_groups": [names[7]],
        "deleted_groups": [names[8]],
        "new_groups": [f"{prefix}late"],
    }
    new = last.returned["since_last"]["new_findings"]
    assert {(one["kind"], one["group"]) for one in new["findings"]} == {("stale_group", f"{prefix}late")}
    _shown(last.returned["report"], tmp_path, [f"{prefix}late", names[7], names[8]])
    other = audit("incremental", cluster)
    page = tmp_path / "fleet.html"
    fleet = ansible("fleet_report", cluster.bootstrap, output=str(tmp_path / "incremental"), dest=str(page))
    assert fleet["rc"] == 0, fleet
    assert {each["cluster_id"]: (each["audit_id"], each["groups"]) for each in fleet["clusters"]} == {
        truth.cluster_id(of.client()): (each.returned["audit_id"], each.returned["summary"]["groups"])
        for of, each in ((expiring, last), (cluster, other))
    }
    with browser.chromium() as started, browser.opening(started, page) as opened:
        browser.show(opened, 360, "light", tmp_path / "fleet.png")
        assert opened.page.locator("#clusters tbody tr").count() == 2
    committed = [{(row["group"], row["partition"]) for row in each.rows["offsets"]} for each in (before, found)]
    assert (committed[0] & expired, committed[1] & expired) == (expired, set())


def _shown(report: str, folder: Path, changed: Sequence[str]) -> None:
    """What a browser shows of the changes and of the trends, on a phone and on a desktop."""
    with browser.chromium() as started, browser.opening(started, Path(report).resolve()) as opened:
        for width in (360, 1280):
            browser.show(opened, width, "light", folder / f"{width}.png")
            assert browser.cut(opened, "#since .changes li, #since .multiples figcaption, #since .multiples p") == []
            text = opened.page.locator("#since .changes").inner_text()
            assert [group for group in changed if group not in text] == []
            marks = browser.drawn(opened, "#since .multiples figure")
            assert marks
            # each group has a lag in each audit, and committed today
            assert all(lines and bars for lines, bars in marks)
            # a lag that stays the same is a horizontal line
            assert all(width > 0 for lines, _bars in marks for width, _height in lines)
            assert all(side > 0 for _lines, bars in marks for bar in bars for side in bar)
