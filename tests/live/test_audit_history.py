# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Several audits of one location: what changed, the trends, which are kept, and what is left when the disk is full."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import folders, history, pipeline
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.facts import Facts
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.publish import publish
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.store import Store
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from pyspark.sql import SparkSession

from tests.live.task import audit_settings
from tests.support import mounts
from tests.support.spark import local_session
from tests.support.worlds import DAY, NOW, World, active, commit

KEPT: dict[str, Any] = {"keep_audits": 3, "keep_for": "20d"}


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with local_session() as made:
        yield made


def audit(
    spark: SparkSession, output: Path, cluster: str, days_ago: float, world: World, stale_after: str = "30d"
) -> dict[str, Any]:
    """Publish an audit of a world at a time."""
    settings = audit_settings(output, stale_after=stale_after, **KEPT)
    facts = Facts(cluster, NOW - days_ago * DAY, 0.0, len(world.rows), {}, [], None)
    compared = pipeline.compare(settings, facts, world.scan(spark), world.frames(spark), world.fetch)
    return publish(settings, facts, compared, Store.of(spark, settings))


def changes(answer: dict[str, Any]) -> dict[str, list[str]]:
    """The names of the groups of each change, without changes that did not happen."""
    since = {name: given for name, given in answer["since_last"].items() if name.endswith("_groups") and given["count"]}
    assert {name: given["count"] for name, given in since.items()} == {
        name: len(given["names"]) for name, given in since.items()
    }
    return {name: given["names"] for name, given in since.items()}


def test_audits_over_time(spark: SparkSession, tmp_path: Path) -> None:
    """Two clusters share the folder; the second audit of one compares with its first."""
    first = World(
        [
            commit("deleted", 45),
            commit("revived", 50),
            commit("to-be-stale", 25, offset=3),
            commit("in-use", 10, offset=2),
            active("in-use", 10, commits=7),
        ],
        {"deleted": {}, "revived": {}, "to-be-stale": {}, "in-use": {"state": "Stable", "members": 1}},
    )
    second = World(
        [
            commit("revived", 1),
            commit("to-be-stale", 25, offset=3),
            commit("in-use", 1, offset=9),
            active("in-use", 1, commits=4),
            commit("new", 1, topic="gone"),
        ],
        {
            "revived": {},
            "to-be-stale": {},
            "in-use": {"state": "Stable", "members": 1},
            "new": {"state": "Stable", "members": 1},
        },
        partitions=[{}, {"topic": "gone", "exists": False, "log_start": None, "log_end": None}],
    )
    began = audit(spark, tmp_path, "a", 10, first)
    other = audit(spark, tmp_path, "b", 9, World([commit("of-b", 40)], {"of-b": {}}))
    assert began["since_last"] is None
    assert other["since_last"] is None
    assert "Since the last audit" not in Path(began["report"]).read_text("utf-8")

    # 25 days before NOW is stale 10 days later
    now = audit(spark, tmp_path, "a", -10, second)
    assert changes(now) == {
        "new_stale_groups": ["to-be-stale"],
        "revived_groups": ["revived"],
        "deleted_groups": ["deleted"],
        "new_groups": ["new"],
    }
    assert now["since_last"]["audit_id"] == began["audit_id"]
    assert now["since_last"]["audited_at"] == (NOW - 10 * DAY).isoformat(timespec="seconds")
    found = {(one["kind"], one["group"], one["topic"]) for one in now["since_last"]["new_findings"]["findings"]}
    assert found == {("stale_group", "to-be-stale", None), ("topic_gone", "new", "gone")}
    page = Path(now["report"]).read_text("utf-8")
    for text in ("Since the last audit", "Revived groups", "to-be-stale", "Lag and commits over time", "11 commits"):
        assert text in page, text
    # in-use had a lag of 8 and has one of 1
    assert "Lag 1, at most 8" in page

    # kept: three audits of a cluster, 20 days at most, which the audit of the other cluster does not count for
    audits = {path.name for path in (tmp_path / "audits").iterdir()}
    assert audits == {began["audit_id"], other["audit_id"], now["audit_id"]}
    again = audit(spark, tmp_path, "a", -11, second)
    assert changes(again) == {}
    assert again["since_last"]["new_findings"]["count"] == 0
    assert "Nothing changed" in Path(again["report"]).read_text("utf-8")
    assert {path.name for path in (tmp_path / "audits").iterdir()} == {
        other["audit_id"],
        now["audit_id"],
        again["audit_id"],
    }
    store = Store.of(spark, audit_settings(tmp_path))
    assert [one.audit_id for one in store.audits("a", NOW + 30 * DAY)] == [now["audit_id"], again["audit_id"]]
    assert [one.created - datetime.timedelta(days=11) for one in store.audits("a", NOW + 30 * DAY)][-1] == NOW
    assert spark.read.parquet(str(tmp_path / "audits" / "*" / "groups")).select("cluster_id").distinct().count() == 2

    names = [f"many-{number}" for number in range(3)]
    used = {name: {"state": "Stable", "members": 1} for name in names}
    many = World([commit(name, 1, topic="gone") for name in names], used, partitions=second.partitions)
    with mock.patch.object(history, "MOST", 1):
        limited = audit(spark, tmp_path, "a", -12, many)["since_last"]
    assert limited["deleted_groups"] == {"count": 4, "names": ["in-use"]}
    assert limited["new_groups"] == {"count": 3, "names": ["many-0"]}
    assert (limited["new_findings"]["count"], len(limited["new_findings"]["findings"])) == (3, 1)

    # of other criteria: no changes, but the trends
    other = audit(spark, tmp_path, "a", -13, second, stale_after="29d")
    assert other["since_last"] is None
    page = Path(other["report"]).read_text("utf-8")
    for text in ("Changes are shown only if an earlier audit", "Lag and commits over time", "Lag 1, at most 1"):
        assert text in page, text
    assert "The last audit of this cluster" not in page


def test_a_full_disk(spark: SparkSession, tmp_path: Path) -> None:
    """Of the tables, then of the report: the audit before stays, and nothing of the new one."""
    world = World([commit("stale", 45)], {"stale": {}})
    with mounts.small(tmp_path, 1_000_000) as disk:
        before = audit(spark, disk, "a", 1, world)
        latest, filler = (disk / folders.LATEST).resolve(), disk / "filler"
        for left, message in (
            (8_000, rf"The tables cannot be written to {disk} \(IOException: No space left on device\)\."),
            (
                100_000,
                rf"report: {disk}/audits/\S+/report.html cannot be written \(No space left on device\): .*",
            ),
        ):
            free = os.statvfs(disk)
            filler.write_bytes(b"x" * (free.f_bavail * free.f_frsize - left))
            with pytest.raises(TaskError) as failed:
                audit(spark, disk, "a", 0, world)
            assert re.fullmatch(message, str(failed.value))
            filler.unlink()
            assert (disk / folders.LATEST).resolve() == latest
            assert [path.name for path in (disk / "audits").iterdir()] == [before["audit_id"]]
