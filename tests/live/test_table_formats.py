# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tables as Delta and Iceberg: audits in these formats and in Parquet in one location, each compared with the last."""

from __future__ import annotations

import json
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

from tests.live.playbook import play_tasks
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


def test_audits_in_several_formats(cluster: Cluster, tmp_path: Path) -> None:
    topics.create(cluster.client(), "formats", 1, records=5)
    commits.commit_many(cluster.client(), {group: {("formats", 0): (3, "", -1)} for group in GROUPS})
    # longer than stale_after
    time.sleep(2)
    output = tmp_path / "audits"
    common: dict[str, Any] = {"output": str(output), "master": "local[2]"}
    older = {"environment": {"PYTHONPATH": str(lakehouse.pyspark())}}
    with_jars = {**common, "spark_conf": lakehouse.conf("delta", "iceberg")}
    audit = {"include": ["formats-*"], "stale_after": "1s", "timeout": 800, "keep_audits": 4}
    page = {"dest": str(tmp_path / "fleet.html")}
    tasks: list[dict[str, Any]] = []
    for table_format, group in zip(READERS, [*GONE, None], strict=True):
        options = {**with_jars, **audit, "table_format": table_format, "incremental": True}
        if table_format == "iceberg":
            # in Spark's own processes
            options["read_rate"] = "20M"
        tasks.append({"name": table_format, "kafkaops.groups.consumer_offsets_audit": options, **older})
        if group:
            tasks.append({"name": group, "kafkaops.groups.consumer_group": {"names": [group], "state": "absent"}})
    tasks.append({"name": "fleet", "kafkaops.groups.fleet_report": {**with_jars, **page}, **older})
    # another release of Spark
    tasks.append({"name": "plain", "kafkaops.groups.consumer_offsets_audit": {**common, **audit}})
    tasks.append({"name": "without", "kafkaops.groups.fleet_report": {**common, **page}})
    done = play_tasks(tasks, cluster.bootstrap)
    assert done.code == 0, done.words
    audits = [done.tasks[table_format] for table_format in READERS]
    for number, (table_format, returned) in enumerate(zip(READERS, audits, strict=True)):
        manifest = json.loads((output / "audits" / returned["audit_id"] / "manifest.json").read_text("utf-8"))
        assert manifest["table_format"] == table_format
        found = {name: READERS[table_format](Path(path)).to_pylist() for name, path in returned["tables"].items()}
        assert {name: len(rows) for name, rows in found.items()} == manifest["tables"]
        assert {row["audit_id"] for rows in found.values() for row in rows} == {returned["audit_id"]}
        stale = {row["group"] for row in found["groups"] if row["stale"]}
        assert stale == set(returned["stale_groups"]) == set(GROUPS) - set(GONE[:number])
    for number, group in enumerate(GONE):
        since = audits[number + 1]["since_last"]
        assert (since["audit_id"], since["deleted_groups"]["names"]) == (audits[number]["audit_id"], [group])
        assert audits[number + 1]["incremental"] == {"since": audits[number]["audit_id"], "reason": None}
    fleet, plain, without = (done.tasks[name] for name in ("fleet", "plain", "without"))
    assert plain["since_last"]["audit_id"] == audits[2]["audit_id"]
    warnings = [warning for returned in (*audits, plain) for warning in returned.get("warnings", [])]
    assert not [warning for warning in warnings if "earlier audits" in warning]
    assert fleet["unreadable"] == []
    [only] = fleet["clusters"]
    assert (only["audits"], only["stale_groups"]) == (3, len(GROUPS) - len(GONE))
    assert {each["audit_id"] for each in without["unreadable"]} == {returned["audit_id"] for returned in audits[:2]}
    for each, table_format in zip(without["unreadable"], READERS, strict=False):
        assert each["reason"].startswith("a table cannot be read (")
        assert each["reason"].endswith(f"): check the JARs of {table_format} in spark_conf")
    assert without["clusters"][0]["audit_id"] == plain["audit_id"]


@pytest.mark.parametrize("table_format", ["delta", "iceberg"])
def test_spark_without_the_jars(table_format: str, tmp_path: Path) -> None:
    folder = LocalFolder(str(tmp_path), [])
    with local_session() as spark, pytest.raises(TaskError) as failure:
        tables.check(spark, folder, table_format)
    assert str(failure.value).startswith(
        f"table_format: Spark {spark.version} cannot write and read {table_format} tables ("
    )
    assert str(failure.value).endswith("for this release of Spark, and its properties, are in spark_conf.")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
