# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tables as Delta and Iceberg: audits in these formats and in Parquet in one location, each compared with the last."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import tables
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.folders import LocalFolder
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError

from tests.live.task import ansible
from tests.support import commits, lakehouse, topics
from tests.support.broker import Cluster
from tests.support.spark import local_session

GROUPS = [f"formats-{number}" for number in range(4)]
#: Deleted after the first audit, and after the second one.
GONE = GROUPS[:2]


def delta(table: Path) -> pa.Table:
    """The rows of a Delta table, by the files that its log adds."""
    actions = [json.loads(line) for line in (table / "_delta_log" / f"{0:020}.json").read_text("utf-8").splitlines()]
    assert not list((table / "_delta_log").glob(f"{1:020}*"))
    return pq.read_table([table / action["add"]["path"] for action in actions if "add" in action])


def iceberg(table: Path) -> pa.Table:
    """The rows of an Iceberg table, by its files of data; its metadata has their number."""
    [metadata] = (table / "metadata").glob("*.metadata.json")
    document = json.loads(metadata.read_text("utf-8"))
    rows = pq.read_table(table / "data") if (table / "data").exists() else pa.table({})
    assert Path(document["location"].removeprefix("file:")).samefile(table)
    assert int(document["snapshots"][-1]["summary"]["total-records"]) == rows.num_rows
    return rows


READERS: dict[str, Callable[[Path], pa.Table]] = {"delta": delta, "iceberg": iceberg, "parquet": pq.read_table}


def test_audits_in_several_formats(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(lakehouse.pyspark()), os.environ.get("PYTHONPATH", "")]))
    topics.create(cluster.client(), "formats", 1)
    commits.commit_many(cluster.client(), {group: {("formats", 0): (3, "", -1)} for group in GROUPS})
    # longer than stale_after
    time.sleep(2)
    output = tmp_path / "audits"
    spark: dict[str, Any] = {
        "output": str(output),
        "master": "local[2]",
        "spark_conf": lakehouse.conf("delta", "iceberg"),
    }
    given = {**spark, "include": ["formats-*"], "stale_after": "1s", "timeout": 800, "keep_audits": 3}
    audits: list[str] = []
    for number, table_format in enumerate(READERS):
        returned = ansible("consumer_offsets_audit", cluster.bootstrap, table_format=table_format, **given)
        assert returned["rc"] == 0, returned["msg"]
        assert returned.get("warnings", []) == []
        assert set(returned["stale_groups"]) == set(GROUPS) - set(GONE[:number])
        manifest = json.loads((output / "latest" / "manifest.json").read_text("utf-8"))
        assert (manifest["audit_id"], manifest["table_format"]) == (returned["audit_id"], table_format)
        for name, path in returned["tables"].items():
            rows = READERS[table_format](Path(path)).to_pylist()
            assert len(rows) == manifest["tables"][name], name
            assert {row["audit_id"] for row in rows} <= {returned["audit_id"]}
        found = READERS[table_format](Path(returned["tables"]["groups"])).to_pylist()
        assert {row["group"] for row in found if row["stale"]} == set(returned["stale_groups"])
        if audits:
            assert returned["since_last"]["audit_id"] == audits[-1]
            assert returned["since_last"]["deleted_groups"] == {"count": 1, "names": [GONE[number - 1]]}
        audits.append(returned["audit_id"])
        if GONE[number:]:
            deleted = ansible("consumer_group", cluster.bootstrap, names=[GONE[number]], state="absent")
            assert deleted["rc"] == 0, deleted["msg"]
    report = ansible("fleet_report", cluster.bootstrap, dest=str(tmp_path / "fleet.html"), **spark)
    assert report["rc"] == 0, report["msg"]
    assert report["unreadable"] == []
    [clusters] = report["clusters"]
    assert (clusters["audits"], clusters["stale_groups"]) == (3, len(GROUPS) - len(GONE))
    # a release of Spark without the JARs reads the others
    monkeypatch.undo()
    report = ansible("fleet_report", cluster.bootstrap, dest=str(tmp_path / "fleet.html"), output=str(output))
    assert {each["audit_id"] for each in report["unreadable"]} == set(audits[:2])
    assert all(each["reason"].startswith("a table cannot be read (") for each in report["unreadable"])
    assert report["clusters"][0]["audit_id"] == audits[2]


@pytest.mark.parametrize("table_format", ["delta", "iceberg"])
def test_spark_without_the_jars(table_format: str, tmp_path: Path) -> None:
    folder = LocalFolder(str(tmp_path), [])
    with local_session() as spark, pytest.raises(TaskError) as failure:
        tables.check(spark, folder, table_format)
    assert str(failure.value).startswith(
        f"table_format: Spark {spark.version} cannot write and read {table_format} tables ("
    )
    assert str(failure.value).endswith("for this release of Spark, and its properties, in spark_conf.")
    assert list(tmp_path.iterdir()) == []
