# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The audit of a real cluster, through Ansible: its tables beside Kafka's own tools, its findings, its plan applied."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import process
from confluent_kafka import Consumer as PlainConsumer
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from tests.live.task import ansible, audit_settings, run
from tests.support import audits, commits, offsets_topic, topics, truth
from tests.support.broker import Cluster
from tests.support.clients import properties
from tests.support.consumers import Consumer
from tests.support.offsets_topic import Record

pytestmark = pytest.mark.live

MANY = 5_000
PARTITIONS = 10
STALE_AFTER = "3d"
# of no topic that is there
EARLIER = "AAAAAAAAAAEAAAAAAAAAAg"
PRINTER = "printer"
SHARING = "sharing"
USED_LATER = ("left-behind", "comes-back", "moved-on", "recreated", "slow", "steady", "pending", PRINTER)
OLD = int((time.time() - 5 * 86_400) * 1000)


def _apart() -> str:
    """A group whose partition no other group needs any more: writing by hand puts the coordinator out of step."""
    used = {offsets_topic.partition_of(group, PARTITIONS) for group in USED_LATER}
    names = (f"damaged-{number}" for number in range(1000))
    return next(name for name in names if offsets_topic.partition_of(name, PARTITIONS) not in used)


DAMAGED = _apart()
#: A group that only the topic knows.
UNLISTED = "unlisted"
FOUND = {
    ("stale_group", "left-behind", None, None, True),
    ("stale_group", "comes-back", None, None, True),
    ("stale_group", DAMAGED, None, None, False),
    ("no_commits", "slow", None, None, False),
    ("unsubscribed", "moved-on", "payments", 0, True),
    ("unsubscribed", "moved-on", "payments", 1, True),
    ("topic_recreated", "recreated", "payments", 0, True),
    ("topic_gone", "haunted", "ghost", 0, False),
    ("before_log_start", "behind", "short", 0, False),
    ("after_log_end", "ahead", "short", 0, False),
    ("undecodable", DAMAGED, "orders", 1, False),
    ("undecodable", UNLISTED, "orders", 1, False),
    ("orphaned_config", "reports", None, None, False),
}


OWNERS = """\
match,owner
left-behind,team-a
moved-*,team-a
comes-back,team-b
~(recreated|reports|unlisted|comes.*),team-c
many-*,many
"""


def owner_of(group: str) -> str | None:
    known = {"left-behind": "team-a", "moved-on": "team-a", "comes-back": "team-b"}
    known |= dict.fromkeys(("recreated", "reports", UNLISTED), "team-c")
    return "many" if group.startswith("many-") else known.get(group)


@dataclass(frozen=True)
class Audited:
    """A cluster, what the audit of it returned, and the event log of Spark."""

    cluster: Cluster
    output: Path
    events: Path
    returned: dict[str, Any]

    def table(self, name: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = pq.read_table(self.returned["tables"][name]).to_pylist()
        return rows


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audited]:
    """A cluster with all that an audit meets, audited once."""
    with ExitStack() as stack:
        cluster = stack.enter_context(Cluster.start("single"))
        for name, partitions in (("orders", 2), ("payments", 2), ("short", 1), ("phoenix", 1)):
            topics.create(cluster.client(), name, partitions, records=20)
        _plant_old(cluster)
        # what is written by hand gets to the coordinator when it loads its partitions
        cluster.restart()
        _commit_now(cluster)
        _transactions(cluster)
        _many(cluster)
        for group in ("reports", "steady"):
            topics.configure_group(cluster.client(), group, {"consumer.session.timeout.ms": "50000"})
        _rebirth(cluster)
        _share(cluster)
        for group, protocol in (("slow", "classic"), ("steady", "classic"), ("moved-on", "consumer")):
            stack.enter_context(Consumer(cluster.client(), group, ["orders"], protocol=protocol))  # type: ignore[arg-type]
            truth.wait_stable(cluster.client(), group)
        # a coordinator that loads this would not come up
        damaged = b"\x00\x63 not of any version"
        _write(cluster, DAMAGED, "orders", 1, damaged)
        # in the same partition
        record = Record(_partition(DAMAGED), offsets_topic.commit_key(UNLISTED, "orders", 1), damaged, OLD)
        offsets_topic.write(cluster.client(), [record])
        output, events = tmp_path_factory.mktemp("audit"), tmp_path_factory.mktemp("events")
        (events.parent / "owners.csv").write_text(OWNERS, encoding="utf-8")
        returned = ansible(
            "consumer_offsets_audit",
            cluster.bootstrap,
            output=str(output),
            stale_after=STALE_AFTER,
            owners_file=str(events.parent / "owners.csv"),
            metrics_file=str(events.parent / "audit.prom"),
            spark_conf={
                "spark.eventLog.enabled": "true",
                "spark.eventLog.compress": "false",
                "spark.eventLog.dir": events.as_uri(),
            },
            timeout=600,
            check=True,
        )
        assert returned["rc"] == 0, returned["msg"]
        yield Audited(cluster, output, events, returned)


def _share(cluster: Cluster) -> None:
    """A share group that has to read 8 of the 10 records of each partition."""
    chosen = [{"name": "orders", "partitions": None}]
    done = run("share_group_offsets", cluster.bootstrap, group=SHARING, topics=chosen, reset={"to_offset": 2})
    assert done.changed == 2


def _write(cluster: Cluster, group: str, topic: str, partition: int, value: bytes) -> None:
    key = offsets_topic.commit_key(group, topic, partition)
    offsets_topic.write(cluster.client(), [Record(_partition(group), key, value, OLD)])


def _partition(group: str) -> int:
    return offsets_topic.partition_of(group, PARTITIONS)


def _plant_old(cluster: Cluster) -> None:
    # makes the broker create the offsets topic
    commits.commit(cluster.client(), "first", {("orders", 0): (1, "", -1)})
    old = offsets_topic.commit_value(3, OLD)
    for group, topic, partition in (
        ("left-behind", "orders", 0),
        ("left-behind", "orders", 1),
        ("comes-back", "orders", 0),
        (DAMAGED, "orders", 0),
        ("slow", "orders", 0),
        ("moved-on", "payments", 0),
        ("moved-on", "payments", 1),
        ("haunted", "ghost", 0),
        ("connect-sink", "orders", 0),
    ):
        _write(cluster, group, topic, partition, old)
    _write(cluster, "recreated", "payments", 0, offsets_topic.commit_value(3, OLD, "was here", EARLIER))


def _commit_now(cluster: Cluster) -> None:
    client = cluster.client()
    admin = AdminClient(properties(client))
    for answer in admin.delete_records([TopicPartition("short", 0, 10)]).values():
        answer.result()
    for group, topic, offset in (
        ("haunted", "orders", 1),
        ("recreated", "orders", 1),
        ("behind", "short", 4),
        ("ahead", "short", 21),
        ("steady", "orders", 2),
        ("moved-on", "orders", 2),
    ):
        commits.commit(client, group, {(topic, 0): (offset, f"metadata of {group}", 2)})
    # a simple consumer, which is no member of its group
    plain = PlainConsumer({**client, "group.id": "assigned", "enable.auto.commit": False})
    plain.assign([TopicPartition("orders", 0, 0)])
    plain.commit(offsets=[TopicPartition("orders", 0, 6)], asynchronous=False)
    plain.close()


def _transactions(cluster: Cluster) -> None:
    client = cluster.client()
    with commits.transaction(client, "transactional", "orders", 7) as producer:
        producer.commit_transaction(30)
    with commits.transaction(client, "transactional", "orders", 9) as producer:
        producer.abort_transaction(30)


def _many(cluster: Cluster) -> None:
    """Many groups, each with overwritten commits; some are deleted, which leaves tombstones."""
    client = cluster.client()
    names = [f"many-{number:05d}" for number in range(MANY)]
    for offset in (1, 2):
        commits.commit_many(
            client,
            {
                name: {("orders", partition): (offset + number % 9, "", -1) for partition in range(2)}
                for number, name in enumerate(names)
            },
        )
    admin = AdminClient(properties(client))
    for name in names[::50]:
        admin.delete_consumer_groups([name], request_timeout=20)[name].result()


def _rebirth(cluster: Cluster) -> None:
    """A topic that is deleted and created again; the coordinator deletes what was committed on it."""
    client = cluster.client()
    commits.commit(client, "ashes", {("phoenix", 0): (5, "", -1), ("orders", 0): (5, "", -1)})
    topics.delete(client, "phoenix")
    deadline = time.monotonic() + 20
    while ("phoenix", 0) in truth.offsets(client, "ashes") and time.monotonic() < deadline:
        time.sleep(0.1)
    topics.create(client, "phoenix", 1, records=5)


def test_finds_what_was_planted_and_nothing_else(audited: Audited) -> None:
    rows = audited.table("findings")
    assert {(row["kind"], row["group"], row["topic"], row["partition"], row["planned"]) for row in rows} == FOUND
    assert len(rows) == len(FOUND)
    assert audited.returned["stale_groups"] == ["comes-back", DAMAGED, "left-behind"]
    assert audited.returned["summary"]["findings"] == len(FOUND)
    assert audited.returned["changed"] is False


def test_summary(audited: Audited) -> None:
    summary = audited.returned["summary"]
    groups, offsets = audited.table("groups"), audited.table("offsets")
    assert summary["groups"] == len(groups) == len(truth.groups(audited.cluster.client()))
    assert summary["offsets"] == len(offsets)
    assert summary["records"] > 4 * MANY
    assert (summary["delete_groups"], summary["delete_offsets"], summary["undecodable"]) == (2, 3, 2)
    assert 0 < audited.returned["duration"] < 120


def test_offsets_are_those_of_kafkas_own_formatter(audited: Audited) -> None:
    """Row by row, in offset and commit time: the last record of each key that the console consumer prints."""
    printed = truth.kafka_tool(
        audited.cluster,
        "org.apache.kafka.tools.consumer.ConsoleConsumer",
        [
            *("--topic", offsets_topic.TOPIC, "--from-beginning", "--timeout-ms", "15000"),
            # else it reads what it commits itself
            *("--group", PRINTER, "--command-property", "enable.auto.commit=false"),
            # without that it ends at the record that is planted as undecodable
            *("--isolation-level", "read_committed", "--skip-message-on-error"),
            *("--formatter", "org.apache.kafka.tools.consumer.OffsetsMessageFormatter"),
        ],
    )
    expected: dict[tuple[str, str, int], tuple[int, int, str, int]] = {}
    for record in _documents(printed.stdout):
        key = record["key"]["data"]
        where = (key["group"], key["topic"], key["partition"])
        value = (record["value"] or {}).get("data")
        if value is None:
            expected.pop(where, None)
        else:
            expected[where] = (value["offset"], value["commitTimestamp"], value["metadata"], value["leaderEpoch"])
    assert len(expected) > 2 * MANY * 0.97
    found = {
        (row["group"], row["topic"], row["partition"]): (
            row["offset"],
            round(row["commit_time"].timestamp() * 1000),
            row["metadata"],
            -1 if row["leader_epoch"] is None else row["leader_epoch"],
        )
        for row in audited.table("offsets")
    }
    assert found == expected


def _documents(text: str) -> Iterator[dict[str, Any]]:
    """JSON documents without anything between them."""
    decoder, position = json.JSONDecoder(), 0
    text = text.strip()
    while position < len(text):
        document, position = decoder.raw_decode(text, position)
        yield document
        while text[position : position + 1].isspace():
            position += 1


def test_offsets_are_those_of_the_admin_api(audited: Audited) -> None:
    client = audited.cluster.client()
    admin = AdminClient(properties(client))
    asked = {
        group: admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group]
        for group in truth.groups(client)
    }
    live = {
        (group, one.topic, one.partition): one.offset
        for group, answer in asked.items()
        for one in answer.result().topic_partitions
    }
    table = {(row["group"], row["topic"], row["partition"]): row for row in audited.table("offsets")}
    assert {where: table[where]["offset"] for where in live} == live
    # only those of groups that may be in the plan are fetched
    known = {row["group"] for row in audited.table("groups") if row["hidden"] is not None}
    assert known == {"left-behind", "comes-back", DAMAGED, "moved-on", "recreated"}
    fetched = {where: row["live_offset"] for where, row in table.items() if row["live_offset"] is not None}
    assert fetched == {where: offset for where, offset in live.items() if where[0] in known}
    assert live["transactional", "orders", 0] == 7
    assert ("ashes", "phoenix", 0) not in table


def test_times_and_meters(audited: Audited) -> None:
    groups = {row["group"]: row for row in audited.table("groups")}
    assert groups["many-00001"]["commits"] == 4
    assert groups["left-behind"]["last_commit"].timestamp() * 1000 == pytest.approx(OLD, abs=1)
    # the broker keeps offsets for 7 days, and these are of a simple group
    assert groups["left-behind"]["expires"].timestamp() * 1000 == pytest.approx(OLD + 7 * 86_400_000, abs=1)
    assert groups["slow"]["rebalances"] >= 1
    assert groups["moved-on"]["rebalances"] >= 1
    assert {row["tombstones"] for row in audited.table("activity") if row["group"] == "ashes"} == {1}


def test_share_groups_have_start_offsets_and_lag(audited: Audited) -> None:
    """And are never stale: nothing tells when they were used."""
    rows = [row for row in audited.table("start_offsets") if row["group"] == SHARING]
    assert [(row["topic"], row["partition"], row["start_offset"], row["lag"]) for row in rows] == [
        ("orders", 0, 2, 8),
        ("orders", 1, 2, 8),
    ]
    (group,) = [row for row in audited.table("groups") if row["group"] == SHARING]
    shown = {"type": "share", "state": "Empty", "lag": 16, "known_lag": 16, "partitions": 0, "committed_since": None}
    assert group.items() >= {**shown, "stale": False}.items()
    assert SHARING not in {row["group"] for row in audited.table("offsets")}


def test_groups_findings_and_plan_have_owners(audited: Audited) -> None:
    """By patterns of a CSV file: of groups in the cluster, only in the topic, and of which only settings exist."""
    groups, found = audited.table("groups"), audited.table("findings")
    for row in (*groups, *found):
        assert row["owner"] == owner_of(row["group"]), row["group"]
    assert {row["owner"] for row in groups} == {None, "many", "team-a", "team-b", "team-c"}
    assert {"reports", UNLISTED} <= {row["group"] for row in found} - {row["group"] for row in groups}
    plan = json.loads(Path(audited.returned["plan"]).read_text(encoding="utf-8"))
    entries = [*plan["delete_groups"], *plan["delete_offsets"]]
    assert [(entry["group"], entry["owner"]) for entry in entries] == [
        ("comes-back", "team-b"),
        ("left-behind", "team-a"),
        ("moved-on", "team-a"),
        ("moved-on", "team-a"),
        ("recreated", "team-c"),
    ]
    known = {owner: (judged["groups"], judged["offsets"]) for owner, judged in plan["owners"].items()}
    # the deleted ones are not counted
    many = MANY - MANY // 50
    assert known == {"many": (many, 2 * many), "team-a": (2, 5), "team-b": (1, 1), "team-c": (1, 2)}
    page = Path(audited.returned["report"]).read_text(encoding="utf-8")
    rows, _start, sections = page.partition('class="owned cards"')
    owners = ["", "many", "team-a", "team-b", "team-c"]
    assert re.findall(r'href="#owner=(.*?)"', rows) == owners
    assert sorted(re.findall(r'href="#owner=(.*?)"', sections)) == owners


def test_the_metrics(audited: Audited, tmp_path: Path) -> None:
    path = audited.events.parent / "audit.prom"
    samples = [each for family in text_string_to_metric_families(path.read_text("utf-8")) for each in family.samples]
    cluster_id = truth.cluster_id(audited.cluster.client())
    assert {sample.labels.pop("cluster_id") for sample in samples} == {cluster_id}
    read = {(sample.name.removeprefix("kafkaops_audit_"), *sample.labels.values()): sample.value for sample in samples}
    summary, groups, findings = audited.returned["summary"], audited.table("groups"), audited.table("findings")
    manifest = json.loads(Path(audited.returned["plan"]).with_name("manifest.json").read_text("utf-8"))
    expected: dict[tuple[str, ...], float] = {
        ("success",): 1,
        ("complete",): manifest["complete"],
        ("timestamp_seconds",): groups[0]["audited_at"].timestamp(),
        ("duration_seconds",): audited.returned["duration"],
        ("stale_groups",): summary["stale_groups"],
        ("offsets",): summary["offsets"],
        ("planned_groups",): summary["delete_groups"],
        ("planned_offsets",): summary["delete_offsets"],
        ("records_read",): summary["records"],
        ("undecodable_records",): summary["undecodable"],
        **{
            ("groups", state or "not_visible"): count
            for state, count in Counter(row["state"] for row in groups).items()
        },
        **{("findings", kind): count for kind, count in Counter(row["kind"] for row in findings).items()},
        **{
            (f"owner_{name}", row["owner"] or ""): row[key]
            for row in audits.owners(groups, findings)
            for name, key in (
                ("groups", "groups"),
                ("stale_groups", "stale"),
                ("findings", "findings"),
                ("planned_findings", "planned"),
            )
        },
    }
    assert read == expected
    # of an audit that cannot connect, the file tells that it has failed, and keeps the numbers of the last one
    text = path.read_text("utf-8")
    refused = ansible("consumer_offsets_audit", "127.0.0.1:1", output=str(tmp_path), metrics_file=str(path), timeout=5)
    assert refused["rc"], refused
    failed = text.replace(f'_success{{cluster_id="{cluster_id}"}} 1.0', f'_success{{cluster_id="{cluster_id}"}} 0.0')
    assert path.read_text("utf-8") == failed != text


def test_the_report_is_there(audited: Audited) -> None:
    page = Path(audited.returned["report"]).read_text(encoding="utf-8")
    assert "left-behind" in page
    assert not re.search(r'(src|href)="https?:', page)


def test_the_log_and_the_spark_ui_name_the_stages(audited: Audited) -> None:
    log = (audited.output / "spark.log").read_text(encoding="utf-8")
    tables = [f"Write the table {name}" for name in ("offsets", "start_offsets", "groups", "activity", "findings")]
    reading, selecting = "Read __consumer_offsets", "Select groups for the plan"
    reporting = "Write the plan and the report"
    assert re.findall(r"kafkaops\.groups: (.*)", log) == [
        "Query groups",
        reading,
        "Query groups without members, topics and logs",
        selecting,
        "Query committed offsets",
        *tables,
        reporting,
    ]
    jobs = [
        job
        for path in audited.events.rglob("*")
        if path.is_file() and not path.name.startswith(".")
        for line in path.read_text(encoding="utf-8").splitlines()
        if (job := json.loads(line))["Event"] == "SparkListenerJobStart"
    ]
    assert {job["Properties"]["spark.job.description"] for job in jobs} == {reading, selecting, *tables, reporting}


def test_a_group_that_commits_after_the_audit_survives_the_clean_up(audited: Audited, tmp_path: Path) -> None:
    client, plan = audited.cluster.client(), audited.returned["plan"]
    commits.commit(client, "comes-back", {("orders", 0): (4, "", -1)})
    of_owner = ansible("consumer_group", audited.cluster.bootstrap, plan=plan, owner="team-b")
    assert [(item["group"], item["changed"]) for item in of_owner["results"]] == [("comes-back", False)]
    assert {"comes-back", "left-behind"} <= truth.groups(client).keys()
    planned = ansible("consumer_group", audited.cluster.bootstrap, plan=plan, check=True)
    backup = tmp_path / "backup.json"
    done = ansible("consumer_group", audited.cluster.bootstrap, plan=plan, backup=str(backup))
    assert planned["results"] == done["results"]
    outcome = {result["group"]: (result["changed"], "left_alone" in result) for result in done["results"]}
    assert outcome == {"left-behind": (True, False), "comes-back": (False, True)}
    left = truth.groups(client)
    assert "comes-back" in left
    assert "left-behind" not in left
    assert [group["name"] for group in json.loads(backup.read_text(encoding="utf-8"))["groups"]] == ["left-behind"]


def test_the_plan_of_offsets_is_applied(audited: Audited) -> None:
    plan = audited.returned["plan"]
    client = audited.cluster.client()
    before = truth.offsets(client, "moved-on")
    given = {"plan": plan, "state": "absent", "owner": "team-c"}
    predicted = ansible("consumer_group_offsets", audited.cluster.bootstrap, check=True, **given)
    assert set(truth.offsets(client, "recreated")) == {("orders", 0), ("payments", 0)}
    of_owner = ansible("consumer_group_offsets", audited.cluster.bootstrap, **given)
    assert predicted["results"] == of_owner["results"]
    assert [(item["group"], item["topic"], item["changed"]) for item in of_owner["results"]] == [
        ("recreated", "payments", True)
    ]
    assert truth.offsets(client, "moved-on") == before
    done = ansible("consumer_group_offsets", audited.cluster.bootstrap, plan=plan, state="absent")
    assert done["summary"]["changed"] == 2, done
    assert set(truth.offsets(client, "moved-on")) == {("orders", 0)}
    assert set(truth.offsets(client, "recreated")) == {("orders", 0)}
    again = ansible("consumer_group_offsets", audited.cluster.bootstrap, plan=plan, state="absent")
    assert (again["rc"], again["changed"]) == (0, False)


@pytest.mark.usefixtures("lent_java")
def test_one_open_transaction_hides_what_follows_and_says_so(audited: Audited, tmp_path: Path) -> None:
    with commits.transaction(audited.cluster.client(), "pending", "orders", 9) as producer:
        answer = process.run(audit_settings(tmp_path, audited.cluster.bootstrap, stale_after=STALE_AFTER))
        producer.abort_transaction(30)
    where = offsets_topic.partition_of("pending", PARTITIONS)
    assert any(f"partition {where} " in warning and "transaction" in warning for warning in answer["warnings"])
