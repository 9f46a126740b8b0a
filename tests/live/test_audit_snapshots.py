# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Audits of snapshots on a broker whose offsets topic the user may not read, with groups that start, stop and idle."""

from __future__ import annotations

import contextlib
import datetime
import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import from_snapshots, pipeline
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.folders import LocalFolder
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.snapshots import GROUPS, OFFSETS, Snapshots
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import spark_read
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    OffsetSpec,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tests.live.task import ansible, audit_settings, run
from tests.support import browser, commits, topics, truth
from tests.support.broker import Cluster
from tests.support.clients import Client, properties
from tests.support.consumers import Consumer
from tests.support.spark import COMPILED, local_session

pytestmark = pytest.mark.live

USER, PASSWORD = "snapshots", "snapshots-secret"
TOPIC, AGAIN, RUNS = "snap", "snap-again", "snap-runs"
#: Snapshots after the first one, which a task of Ansible takes, as the last one.
LAST = 42
#: No group changes between this snapshot and the next: `stale_after` of the audit ends here.
QUIET = 27
#: The snapshot since which each group is idle.
IDLE_SINCE = {
    "snap-idle": 0,
    # a commit of an equal offset is not visible without members, and neither is a member between two snapshots
    "snap-equal": 0,
    "snap-between": 0,
    "snap-stops": 9,
    # the first snapshot without its member
    "snap-visitor": 15,
    "snap-restored": 22,
    # a consumer that commits, until the first snapshot without it
    "snap-runs": 24,
    "snap-again": 25,
    "snap-starts": 30,
    "snap-moves": 40,
    # members count as use, without records and with equal offsets
    "snap-member": LAST + 1,
}


@pytest.fixture(scope="module")
def world(secured: Cluster) -> Cluster:
    """Topics, groups, and a user who may see all of them, and read nothing."""
    client = secured.client()
    topics.create(client, TOPIC, 2, records=100)
    topics.create(client, AGAIN, 1)
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
    admin = AdminClient(properties(client))
    for answer in admin.alter_user_scram_credentials(
        [UserScramCredentialUpsertion(USER, info, PASSWORD.encode())]
    ).values():
        answer.result()
    topics.allow(client, USER, "cluster", "kafka-cluster", ["describe", "describe_configs"])
    topics.allow(client, USER, "group", "*", ["describe", "describe_configs"])
    topics.allow(client, USER, "group", "snap", ["delete"], prefixed=True)
    topics.allow(client, USER, "topic", "*", ["describe"])
    for group in (
        "snap-idle",
        "snap-between",
        "snap-equal",
        "snap-stops",
        "snap-visitor",
        "snap-restored",
        "snap-moves",
        "snap-member",
    ):
        commits.commit(client, group, {(TOPIC, 0): (1, "", -1), (TOPIC, 1): (1, "", -1)})
    commits.commit(client, "snap-again", {(AGAIN, 0): (0, "", -1)})
    # the first member shows, because the group gets its protocol type
    visit(client)
    return secured


def visit(client: Client) -> None:
    """A member that joins, reads nothing new, and leaves."""
    with Consumer(client, "snap-between", [TOPIC]):
        truth.wait_stable(client, "snap-between")
    truth.wait_state(client, "snap-between", "Empty")


def options() -> dict[str, Any]:
    return {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "SCRAM-SHA-256",
        "sasl_username": USER,
        "sasl_password": PASSWORD,
    }


class Story:
    """What happens before each snapshot."""

    def __init__(self, client: Client, running: contextlib.ExitStack) -> None:
        self._client = client
        self._admin = AdminClient(properties(client))
        self._running = running
        self._visitor = Consumer(client, "snap-visitor", [TOPIC])
        self._runner = Consumer(
            client, RUNS, [TOPIC], config={"enable.auto.commit": True, "auto.commit.interval.ms": 100}
        )

    def before(self, number: int) -> None:
        """Do all that happens before a snapshot."""
        # an equal offset, each time
        self._commit("snap-equal", 1)
        if number % 4 == 0:
            self._commit("snap-moves", number)
        if number <= IDLE_SINCE["snap-stops"]:
            self._commit("snap-stops", 1 + number)
        chapters: dict[int, Callable[[], object]] = {
            3: lambda: visit(self._client),
            5: lambda: self._running.enter_context(Consumer(self._client, "snap-member", [TOPIC])),
            12: lambda: self._running.enter_context(self._visitor),
            15: self._visitor.stop,
            17: lambda: self._running.enter_context(self._runner),
            18: self._consume,
            19: self._consume,
            20: self._delete,
            22: lambda: self._commit("snap-restored", 1),
            24: self._runner.stop,
            25: self._recreate,
            30: lambda: self._commit("snap-starts", 1),
        }
        if number in chapters:
            chapters[number]()

    def _commit(self, group: str, offset: int) -> None:
        commits.commit(self._client, group, {(TOPIC, 0): (offset, "", -1), (TOPIC, 1): (1, "", -1)})

    def _consume(self) -> None:
        """Wait until a member has read new records, and has committed."""
        before = truth.offsets(self._client, RUNS)
        topics.produce(self._client, TOPIC, 2, 2)
        deadline = time.monotonic() + 60
        while any(
            truth.offsets(self._client, RUNS).get((TOPIC, number)) in (None, before.get((TOPIC, number)))
            for number in range(2)
        ):
            assert time.monotonic() < deadline
            time.sleep(0.1)

    def _delete(self) -> None:
        self._admin.delete_consumer_groups(["snap-restored"])["snap-restored"].result()

    def _recreate(self) -> None:
        """Delete a topic, with which its offsets go, create it again, and commit the same offset."""
        topics.delete(self._client, AGAIN)
        deadline = time.monotonic() + 60
        while self._committed("snap-again"):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        topics.create(self._client, AGAIN, 1)
        commits.commit(self._client, "snap-again", {(AGAIN, 0): (0, "", -1)})

    def _committed(self, group: str) -> list[TopicPartition]:
        asked = ConsumerGroupTopicPartitions(group)
        found = self._admin.list_consumer_group_offsets([asked])[group].result().topic_partitions
        return [one for one in found if one.offset >= 0]


def test_groups_over_many_snapshots(world: Cluster, tmp_path: Path) -> None:
    address, client = world.listeners["SASL_PLAINTEXT"], world.client()
    given = {"output": str(tmp_path), "source": "snapshots", "include": ["snap-*"], "timeout": 600.0, **options()}
    first = ansible("consumer_offsets_audit", address, stale_after="1s", **given)
    assert first["rc"] == 0, first
    assert (first["stale_groups"], first["snapshots"]["count"]) == ([], 1)
    assert "no group can be stale yet, with 1 snapshot since" in Path(first["report"]).read_text("utf-8")

    with contextlib.ExitStack() as running:
        with local_session() as spark:
            _refused(spark, tmp_path, address)
            _taken(spark, tmp_path, address, Story(client, running))
            audit = _audited(spark, tmp_path, address)
            _shown(_changed(spark, tmp_path, address, client), tmp_path)
        listed = Snapshots(LocalFolder(str(tmp_path), []), truth.cluster_id(client)).listed()
        times = [one.taken_at for one in listed]
        assert _runs(tmp_path, [one.snapshot_id for one in listed])
        logs = pq.read_table(tmp_path / "snapshots" / listed[-1].snapshot_id / "partitions").to_pylist()
        ends = {row["partition"]: row["log_end"] for row in logs if row["topic"] == TOPIC}
        latest = {TopicPartition(TOPIC, number): OffsetSpec.latest() for number in range(2)}
        # without the client, its answers would never come
        admin = AdminClient(properties(client))
        asked = admin.list_offsets(latest)
        assert ends == {where.partition: answer.result(60).offset for where, answer in asked.items()}
        groups = {row["group"]: row for row in pq.read_table(audit["tables"]["groups"]).to_pylist()}
        ours = {name: row for name, row in groups.items() if row["included"]}
        assert {name: times.index(row["idle_since"]) for name, row in ours.items()} == IDLE_SINCE
        assert {name: row["snapshots"] for name, row in ours.items()} == {
            name: LAST + 2 - number for name, number in IDLE_SINCE.items()
        }
        stale = {name for name, number in IDLE_SINCE.items() if number <= QUIET}
        assert set(audit["stale_groups"]) == stale
        assert audit["summary"]["delete_groups"] == len(stale)
        # no group of the table is one that another client does not see
        assert groups.keys() == truth.groups(client).keys()

        # idle in 40 snapshots, which fewer groups were; one of them commits before the plan is applied
        given |= {"min_snapshots": 40, "spark_conf": COMPILED}
        last = ansible("consumer_offsets_audit", address, stale_after="1s", **given)
        assert last["rc"] == 0, last
        assert last["stale_groups"] == ["snap-between", "snap-equal", "snap-idle"]
        assert last["snapshots"]["count"] == LAST + 5
        assert last["since_last"] is None
        commits.commit(client, "snap-equal", {(TOPIC, 0): (2, "", -1)})
        before, deleted = truth.groups(client).keys(), ["snap-between", "snap-idle"]
        plan = {"plan": last["plan"], "backup": str(tmp_path / "backup.json"), "connect": options()}
        for check, left in ((True, before), (False, before - {*deleted})):
            applied = run("consumer_group", address, check, **plan)
            assert sorted(item.target.group for item in applied.items if item.changed) == deleted
            assert applied.errors == {}
            assert truth.groups(client).keys() == left


def _refused(spark: SparkSession, output: Path, address: str) -> None:
    """The topic cannot be read, and the message names what to do about it."""
    settings = audit_settings(output, address, **options())
    # of an executor, or of the driver if the topic is small
    with pytest.raises((PySparkException, TaskError)) as failed:
        pipeline.audit(spark, settings)
    sentence = spark_read.cause(failed.value)
    assert "TOPIC_AUTHORIZATION_FAILED" in sentence
    assert sentence.endswith("READ on the topic, or set source: snapshots, which does not read the topic.")


def _taken(spark: SparkSession, output: Path, address: str, story: Story) -> None:
    settings = audit_settings(output, address, source="snapshots", **options())
    for number in range(1, LAST + 1):
        story.before(number)
        from_snapshots.take(spark, settings, LocalFolder(str(output), []), datetime.datetime.now(datetime.UTC))
        if number == QUIET:
            time.sleep(4)


def _audited(spark: SparkSession, output: Path, address: str) -> dict[str, Any]:
    """An audit whose C(stale_after) ends in the pause after QUIET."""
    wanted = audit_settings(output, address, source="snapshots", include=["snap-*"], **options())
    with pipeline.open_session(wanted) as session:
        snapshots = Snapshots(LocalFolder(str(output), []), session.wire.cluster_id).listed()
    age = datetime.datetime.now(datetime.UTC) - snapshots[QUIET].taken_at - datetime.timedelta(seconds=2)
    given = {"source": "snapshots", "include": ["snap-*"], "stale_after": f"{int(age.total_seconds())}s", **options()}
    return from_snapshots.audit(spark, audit_settings(output, address, **given))


def _changed(spark: SparkSession, output: Path, address: str, client: Client) -> str:
    """Two audits: a group commits before the first one, and is stale in the second; another commits in between.

    Returns the report of the second one.
    """
    given = {"source": "snapshots", "include": ["snap-*"], "stale_after": "1s", "min_snapshots": 2, "keep_audits": 9}
    settings = audit_settings(output, address, **given, **options())

    def commit(group: str, offset: int) -> None:
        commits.commit(client, group, {(TOPIC, 0): (offset, "", -1), (TOPIC, 1): (1, "", -1)})
        time.sleep(2)

    commit("snap-moves", LAST)
    before = from_snapshots.audit(spark, settings)
    assert "snap-starts" in before["stale_groups"]
    commit("snap-starts", 2)
    after = from_snapshots.audit(spark, settings)
    changes = {name: found["names"] for name, found in after["since_last"].items() if name.endswith("_groups")}
    assert changes == {
        "new_stale_groups": ["snap-moves"],
        "revived_groups": ["snap-starts"],
        "deleted_groups": [],
        "new_groups": [],
    }
    return str(after["report"])


def _shown(report: str, folder: Path) -> None:
    """What a browser shows of the changes, on a phone and on a desktop."""
    with browser.chromium() as started, browser.opening(started, Path(report).resolve()) as opened:
        for width in (360, 1280):
            browser.show(opened, width, "light", folder / f"{width}.png")
            assert browser.cut(opened, "#since .changes li") == []
            changes = opened.page.locator("#since .changes li").all_inner_texts()
            for title, group in (("New stale groups", "snap-moves"), ("Revived groups", "snap-starts")):
                (text,) = (each for each in changes if each.startswith(title))
                assert text.split()[-1] == group


def _runs(output: Path, snapshots: list[str]) -> bool:
    """Whether snapshots show a group that starts, commits as a member, and stops."""
    seen = []
    for name in snapshots:
        tables = {table: pq.read_table(output / "snapshots" / name / table).to_pylist() for table in (GROUPS, OFFSETS)}
        members = [row["members"] for row in tables[GROUPS] if row["group"] == RUNS]
        seen.append((members, {row["partition"]: row["offset"] for row in tables[OFFSETS] if row["group"] == RUNS}))
    alive = [offsets for members, offsets in seen if members == [1]]
    return not seen[0][0] and seen[-1][0] == [0] and any(a != b for a, b in itertools.pairwise(alive))
