# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Audits in S3, and in HDFS on YARN, and on executors of another user, who share no folder with the module."""

from __future__ import annotations

import io
import json
import os
import re
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow.parquet as pq
import pyspark
import pytest

from tests.live.task import ansible
from tests.support import browser, commits, topics, truth
from tests.support.broker import Cluster
from tests.support.hdfs import Hdfs, hdfs
from tests.support.java import lending
from tests.support.ports import HOST
from tests.support.process import command_lines
from tests.support.s3 import KEY, READER, S3, SECRET, s3
from tests.support.spark import EXECUTORS, standalone, stranger
from tests.support.yarn import yarn

GROUPS = [f"audit-storage-{number}" for number in range(5)]
TABLES = {"offsets", "start_offsets", "groups", "activity", "findings"}
OPTIONS: dict[str, Any] = {"include": ["audit-storage-*"], "stale_after": "1s", "timeout": 800}


@pytest.fixture(scope="module")
def file_system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hdfs]:
    with hdfs(tmp_path_factory.mktemp("hdfs")) as started:
        yield started


@pytest.fixture(scope="module")
def object_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3]:
    with s3(tmp_path_factory.mktemp("s3"), "audits") as started:
        yield started


@pytest.fixture(scope="module")
def java(object_store: S3) -> Iterator[dict[str, str]]:
    """The environment of tasks with the client and the credentials of the object store."""
    credentials = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
    with mock.patch.dict(os.environ, credentials), lending(object_store.conf) as environment:
        yield {**environment, **credentials}


@pytest.fixture(scope="module")
def committed(cluster: Cluster) -> None:
    topics.create(cluster.client(), "audit-storage", 1)
    commits.commit_many(cluster.client(), {group: {("audit-storage", 0): (3, "", -1)} for group in GROUPS})
    # longer than stale_after
    time.sleep(2)


def assert_opens(report: Path, location: str) -> None:
    """A browser opens the report where Ansible runs, which names the tables in their location."""
    with browser.chromium() as started, browser.opening(started, report.resolve()) as opened:
        tables = opened.page.locator("#tables").inner_text()
    assert {name for name in TABLES if f"{location}/{name}" in tables} == TABLES


def rows(parts: list[bytes]) -> list[dict[str, Any]]:
    """The rows of the Parquet files of a table."""
    return [row for part in parts for row in pq.read_table(io.BytesIO(part)).to_pylist()]


@pytest.mark.usefixtures("committed")
def test_an_object_store(cluster: Cluster, object_store: S3, java: dict[str, str], tmp_path: Path) -> None:
    local = tmp_path / "local"
    spark: dict[str, Any] = {"local_output": str(local), "master": "local[2]", "spark_conf": object_store.conf}
    reader = {**java, "AWS_ACCESS_KEY_ID": READER}
    # in a Java of its own
    del reader["SPARK_HOME"]
    given = {**OPTIONS, **spark, "java": java}
    refused = ansible("consumer_offsets_audit", cluster.bootstrap, output="s3a://nowhere/a", **given)
    assert refused["rc"], refused
    assert refused["msg"].startswith(
        "output: s3a://nowhere/a cannot be used (NoSuchBucketException: The specified bucket"
    )
    refused = ansible(
        "consumer_offsets_audit", cluster.bootstrap, output="s3a://audits/kafka", **given | {"java": reader}
    )
    assert refused["rc"], refused
    cannot = r"output: s3a://audits/kafka cannot be used \(S3Exception: .*\): check the location, "
    assert re.match(cannot, refused["msg"])
    assert not object_store.objects("audits")
    ids = []
    for _audit in range(2):
        returned = ansible(
            "consumer_offsets_audit",
            cluster.bootstrap,
            output="s3a://audits/kafka",
            keep_audits=1,
            incremental=True,
            **given,
        )
        assert returned["rc"] == 0, returned["msg"]
        ids.append(returned["audit_id"])
        assert set(returned["stale_groups"]) == set(GROUPS)
    assert returned["incremental"] == {"since": ids[0], "reason": None}
    objects = object_store.objects("audits")
    assert {key.split("/")[2] for key in objects if key.startswith("kafka/audits/")} == set(ids[1:])
    assert {key.split("/")[1] for key in objects} == {"audits", "latest.json"}
    assert json.loads(objects["kafka/latest.json"])["audit_id"] == ids[-1]
    for audit in ids[1:]:
        folder = f"kafka/audits/{audit}"
        manifest = json.loads(objects[f"{folder}/manifest.json"])
        for table, count in {**manifest["tables"], "state": manifest["state"]["rows"]}.items():
            parts = [data for key, data in objects.items() if key.startswith(f"{folder}/{table}/part-")]
            assert len(rows(parts)) == count
        assert manifest["tables"].keys() == TABLES
    assert {path.name for path in (local / "audits").iterdir()} == set(ids[1:])
    assert_opens(local / "report.html", f"s3a://audits/kafka/audits/{ids[-1]}")
    told = [path.read_bytes() for path in local.rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in text for text in [*told, *objects.values()])


@pytest.mark.usefixtures("committed")
def test_snapshots_and_a_fleet_in_an_object_store(
    cluster: Cluster, object_store: S3, java: dict[str, str], tmp_path: Path
) -> None:
    spark: dict[str, Any] = {"output": "s3a://audits/fleet", "master": "local[2]", "spark_conf": object_store.conf}
    spark["java"] = java
    owners = [{"match": "audit-storage-*", "owner": "storage team"}]
    snapshots = {"source": "snapshots", "min_snapshots": 2, "owners": owners}
    given = {**OPTIONS, **spark, "local_output": str(tmp_path / "local"), **snapshots}
    for stale in (set(), set(GROUPS)):
        returned = ansible("consumer_offsets_audit", cluster.bootstrap, **given)
        assert returned["rc"] == 0, returned["msg"]
        assert set(returned["stale_groups"]) == stale
        # longer than stale_after
        time.sleep(2)
    objects = object_store.objects("audits")
    taken = {key.split("/")[2] for key in objects if key.startswith("fleet/snapshots/")}
    assert len(taken) == returned["snapshots"]["count"] == 2
    for name in taken:
        parts = [data for key, data in objects.items() if key.startswith(f"fleet/snapshots/{name}/offsets/part-")]
        # other tests have groups in this cluster, too
        assert {row["group"] for row in rows(parts)} >= set(GROUPS)
    groups = f"fleet/audits/{returned['audit_id']}/groups/part-"
    owned = [row for row in rows([data for key, data in objects.items() if key.startswith(groups)]) if row["owner"]]
    assert {(row["group"], row["owner"]) for row in owned} == {(group, "storage team") for group in GROUPS}
    dest = tmp_path / "fleet.html"
    report = ansible("fleet_report", cluster.bootstrap, **spark, dest=str(dest))
    assert report["rc"] == 0, report["msg"]
    assert report["unreadable"] == []
    [found] = report["clusters"]
    assert (found["cluster_id"], found["audit_id"], found["audits"], found["stale_groups"]) == (
        truth.cluster_id(cluster.client()),
        returned["audit_id"],
        2,
        len(GROUPS),
    )
    assert found["report"] == f"s3a://audits/fleet/audits/{returned['audit_id']}/report.html"
    assert returned["audit_id"] in dest.read_text("utf-8")


@pytest.mark.usefixtures("committed")
def test_executors_on_yarn(
    cluster: Cluster,
    file_system: Hdfs,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The file system and the ResourceManager are those of HADOOP_CONF_DIR, as in the guide."""
    given = {**OPTIONS, "output": "hdfs:///yarn", "local_output": str(tmp_path / "local"), "master": "yarn"}
    given["java"] = {}
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_CONF_DIR", "SPARK_HOME"):
        monkeypatch.delenv(name, raising=False)
    refused = ansible("consumer_offsets_audit", cluster.bootstrap, **given)
    assert refused["rc"], refused
    assert refused["msg"].startswith("master is yarn, but HADOOP_CONF_DIR is not set: ")
    conf = {
        "spark.pyspark.python": sys.executable,
        "spark.driver.host": HOST,
        "spark.executor.instances": 1,
        "spark.executor.cores": 2,
        **EXECUTORS,
        "spark.yarn.am.extraJavaOptions": EXECUTORS["spark.executor.extraJavaOptions"],
        "spark.sql.shuffle.partitions": 2,
        # 400 MB that would be copied to HDFS
        "spark.yarn.jars": f"local:{Path(pyspark.__file__).parent}/jars/*",
    }
    with yarn(tmp_path_factory.mktemp("yarn"), file_system.uri) as started:
        monkeypatch.setenv("HADOOP_CONF_DIR", str(started.configuration))
        returned = ansible("consumer_offsets_audit", cluster.bootstrap, spark_conf=conf, **given)
        assert returned["rc"] == 0, returned["msg"]
        deadline = time.monotonic() + 60
        # the application master ends later than the audit
        while (application := started.applications()[0])["state"] != "FINISHED":
            assert time.monotonic() < deadline, application
            time.sleep(0.2)
        containers = list(started.configuration.glob("containers/*/*/stdout"))
    assert (application["name"], application["finalStatus"]) == ("kafkaops.groups audit", "SUCCEEDED")
    # one of them is the application master
    assert len(containers) == 2
    assert set(returned["stale_groups"]) == set(GROUPS)
    assert returned["tables"]["groups"] == f"hdfs:///yarn/audits/{returned['audit_id']}/groups"
    groups = f"/yarn/audits/{returned['audit_id']}/groups"
    parts = [file_system.read(f"{groups}/{name}") for name in file_system.names(groups) if name.endswith(".parquet")]
    assert {row["group"] for row in rows(parts) if row["stale"]} == set(GROUPS)


@pytest.mark.usefixtures("committed")
def test_executors_of_another_user_and_hdfs(
    cluster: Cluster, file_system: Hdfs, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    local = tmp_path / "local"
    with stranger() as user, standalone(tmp_path_factory.mktemp("spark"), user=user) as master:
        conf = {
            "spark.pyspark.python": user.python,
            "spark.driver.host": HOST,
            **EXECUTORS,
            "spark.sql.shuffle.partitions": 2,
            # both have the same address, but not the same folders
            "spark.shuffle.readHostLocalDisk": False,
        }
        given = {**OPTIONS, "master": master, "spark_conf": conf}
        # a folder of this host is not one of theirs, which is found before the topic is read
        apart = ansible("consumer_offsets_audit", cluster.bootstrap, output=str(tmp_path / "apart"), **given)
        assert apart["rc"], apart
        assert apart["msg"].startswith(
            f"output: file://{tmp_path}/apart cannot be used (the executors on {socket.gethostname()} write to it, but "
            "this host does not see their files): check the location, "
        )
        assert not list((tmp_path / "apart" / "audits").glob("*"))
        # each worker has its own /tmp
        roots = [Path(f"/proc/{pid}/root") for pid, command in command_lines().items() if "worker.Worker" in command]
        assert len([root for root in roots if (root / "var" / "tmp" / user.home.parent.name).exists()]) >= 2
        assert not [path for root in roots for path in root.glob(f"{str(tmp_path)[1:]}/apart/.probe-*")]
        # a folder that they see, and in which they may not write
        ours = user.home.parent / "ours"
        refused = ansible("consumer_offsets_audit", cluster.bootstrap, output=str(ours), **given)
        assert refused["rc"], refused
        words = rf"output: file://{ours} cannot be used by the executor on {HOST} \(.+\): check the location, .*\."
        assert re.fullmatch(words, refused["msg"])
        assert not list(ours.glob(".probe-*"))
        given |= {"output": f"{file_system.uri}/team/audits", "local_output": str(local), "incremental": True}
        returned = ansible("consumer_offsets_audit", cluster.bootstrap, **given)
        assert returned["rc"] == 0, returned["msg"]
        applied = ansible("consumer_group", cluster.bootstrap, plan=str(local / "plan.json"), max_changes=len(GROUPS))
        assert applied["rc"] == 0, applied["msg"]
        assert not set(GROUPS) & truth.groups(cluster.client()).keys()
        again = ansible("consumer_offsets_audit", cluster.bootstrap, **given)
        assert again["rc"] == 0, again["msg"]
    audit, remote = returned["audit_id"], f"/team/audits/audits/{returned['audit_id']}"
    assert set(returned["stale_groups"]) == set(GROUPS)
    assert file_system.names("/team/audits") == ["audits", "latest.json"]
    assert returned["tables"] == {name: f"{file_system.uri}{remote}/{name}" for name in TABLES}
    groups = [name for name in file_system.names(f"{remote}/groups") if name.endswith(".parquet")]
    found = rows([file_system.read(f"{remote}/groups/{name}") for name in groups])
    assert {row["group"] for row in found if row["stale"]} == set(GROUPS)
    assert {row["audit_id"] for row in found} == {audit}
    for name in ("plan.json", "report.html", "manifest.json"):
        assert file_system.read(f"{remote}/{name}") == (local / "audits" / audit / name).read_bytes()
    assert returned["plan"] == str(local / "audits" / audit / "plan.json")
    assert_opens(local / "audits" / audit / "report.html", f"{file_system.uri}{remote}")
    # the second audit continues in HDFS, and finds the deletions
    assert again["incremental"] == {"since": audit, "reason": None}
    assert again["stale_groups"] == []
    assert again["since_last"]["deleted_groups"]["names"] == GROUPS
    assert json.loads(file_system.read("/team/audits/latest.json"))["audit_id"] == again["audit_id"]
