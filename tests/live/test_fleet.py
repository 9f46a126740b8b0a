# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A fleet: two clusters in one location, some audits of which cannot be read; no broker is asked."""

from __future__ import annotations

import datetime
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import pipeline
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.facts import Facts
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.publish import publish
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.store import Store
from pyspark.sql import DataFrame, SparkSession

from tests.checks import examples
from tests.live.playbook import play_tasks
from tests.live.task import audit_settings
from tests.support import browser
from tests.support.spark import COMPILED, local_session
from tests.support.worlds import DAY, NOW, World, active, commit

NOBODY = "127.0.0.1:1"
GUIDE = "docs/docsite/rst/audit_tables.rst"
#: The largest offset, of which the lags of two groups together exceed 64 bits.
MOST = 2**63 - 1
#: Days ago, and the world at that time, of each audit.
AUDITS: dict[str, list[tuple[float, World]]] = {
    "first": [
        (3, World([commit("old", 40), active("old", 24, commits=9)], {"old": {}})),
        (1, World([commit("old", 40), commit("new", 2), active("old", 24, commits=5)], {"old": {}, "new": {}})),
    ],
    "second": [
        (
            20,
            World(
                [commit("far", 25, offset=0), commit("further", 25, topic="u", offset=0)],
                {"far": {}, "further": {}},
                partitions=[{"log_end": MOST}, {"topic": "u", "log_end": MOST}],
            ),
        )
    ],
}


class Fleet:
    """A location with the audits of two clusters.

    Attributes:
        ids: the audits of each cluster, oldest first.
        shown: what the examples of the guide show, by the variable of the table.
    """

    def __init__(self, spark: SparkSession, output: Path) -> None:
        self.output = output
        self.ids: dict[str, list[str]] = {}
        for cluster, audits in AUDITS.items():
            self.ids[cluster] = [self._publish(spark, cluster, *audit) for audit in audits]
        self.shown = self._run_examples(spark)
        self.before = {path: path.read_bytes() for path in self.audits().rglob("*") if path.is_file()}

    def audits(self, *path: str) -> Path:
        return self.output.joinpath("audits", *path)

    def _publish(self, spark: SparkSession, cluster: str, days_ago: float, world: World) -> str:
        settings = audit_settings(self.output, stale_after="20d", keep_audits=2)
        facts = Facts(cluster, NOW - days_ago * DAY, 0.0, len(world.rows), {}, [], None)
        compared = pipeline.compare(settings, facts, world.scan(spark), world.frames(spark), world.fetch)
        return str(publish(settings, facts, compared, Store.of(spark, settings))["audit_id"])

    def _run_examples(self, spark: SparkSession) -> dict[str, list[dict[str, Any]]]:
        """Run the examples of the guide as one notebook, and return the tables that they name."""
        blocks = [block.text for block in examples.blocks() if block.file == GUIDE and block.language == "python"]
        names: dict[str, Any] = {"spark": spark}
        for text in blocks:
            exec(text.replace("/var/lib/kafka-audit", str(self.output)), names)
        tables = {name: table for name, table in names.items() if isinstance(table, DataFrame)}
        return {name: [row.asDict() for row in table.collect()] for name, table in tables.items()}

    def spoil(self) -> dict[str, str]:
        """Make audits that cannot be read, and return why."""
        unfinished, damaged, lacking, broken, gone = (f"20260531T12000{number}Z-00000001" for number in range(5))
        (of_second,) = self.ids["second"]
        manifest = json.loads(self.audits(of_second, "manifest.json").read_text("utf-8"))
        for name in (unfinished, damaged, lacking, broken, gone):
            shutil.copytree(self.audits(of_second), self.audits(name))
            later = {**manifest, "audit_id": name, "created": NOW.isoformat()}
            self.audits(name, "manifest.json").write_text(json.dumps(later), "utf-8")
        self.audits(unfinished, "manifest.json").unlink()
        self.audits(damaged, "manifest.json").write_text("{", "utf-8")
        for part in self.audits(lacking, "groups").glob("part-*"):
            part.unlink()
        for part in self.audits(broken, "groups").glob("part-*"):
            part.write_bytes(b"not Parquet" * 10)
        shutil.rmtree(self.audits(gone, "findings"))
        return {
            unfinished: "it has no manifest.json",
            damaged: "manifest.json is damaged",
            lacking: "groups has 0 rows, but 2 were written",
            broken: "a table cannot be read (ChecksumException)",
            gone: "a table cannot be read ([PATH_NOT_FOUND] Path does not exist)",
        }


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    with local_session() as spark:
        return Fleet(spark, tmp_path_factory.mktemp("fleet"))


def test_audits_of_two_clusters_are_kept_apart(fleet: Fleet) -> None:
    """Also by `keep_audits`, which is 2 for each; the links are those of the last audit."""
    assert {path.name for path in fleet.audits().iterdir()} == {name for ids in fleet.ids.values() for name in ids}
    for cluster, ids in fleet.ids.items():
        for name in ids:
            assert json.loads(fleet.audits(name, "manifest.json").read_text("utf-8"))["cluster_id"] == cluster
            assert json.loads(fleet.audits(name, "plan.json").read_text("utf-8"))["cluster_id"] == cluster
            for table in ("groups", "offsets", "findings", "activity"):
                rows = pq.read_table(fleet.audits(name, table)).to_pylist()
                assert {(row["cluster_id"], row["audit_id"]) for row in rows} <= {(cluster, name)}
    assert (fleet.output / "latest").resolve() == fleet.audits(fleet.ids["second"][-1])


def test_the_examples_of_the_guide(fleet: Fleet) -> None:
    at = {cluster: [NOW - days * DAY for days, _world in audits] for cluster, audits in AUDITS.items()}
    shown = fleet.shown
    assert {
        (row["cluster_id"], _utc(row["audited_at"])): (row["groups"], row["stale"]) for row in shown["clusters"]
    } == {
        ("first", at["first"][0]): (1, 1),
        ("first", at["first"][1]): (2, 1),
        ("second", at["second"][0]): (2, 0),
    }
    assert {(row["group"], _utc(row["stale_since"])) for row in shown["since"]} == {("old", at["first"][0])}
    assert [(row["cluster_id"], row["group"]) for row in shown["stale"]] == [("first", "old")]
    # compaction has removed 4 of the 9 commits
    assert [row["commits"] for row in shown["commits"] if row["group"] == "old"] == [9]


def _utc(time: datetime.datetime) -> datetime.datetime:
    """A time that PySpark has returned without its time zone, which is the one of this process."""
    return time.astimezone(datetime.UTC)


def test_the_page(fleet: Fleet) -> None:
    spoilt = fleet.spoil()
    page = fleet.output / "fleet.html"
    task = {
        "kafkaops.groups.fleet_report": {
            "output": str(fleet.output),
            "dest": str(page),
            "cluster_names": {"first": "Production", "third": "Forgotten"},
            "timeout": 500,
            "spark_conf": COMPILED,
        }
    }
    done = play_tasks(
        [
            {"name": "foreseen", **task, "check_mode": True},
            {"name": "page", "ansible.builtin.stat": {"path": str(page)}},
            {"name": "made", **task},
            {"name": "again", **task},
        ],
        NOBODY,
    )
    assert done.code == 0, done.words
    foreseen, made, again = (done.tasks[name] for name in ("foreseen", "made", "again"))
    assert [each["changed"] for each in (foreseen, made, again)] == [True, True, False]
    assert not done.tasks["page"]["stat"]["exists"]
    assert made["report"] == str(page)
    assert made["clusters"] == again["clusters"] == foreseen["clusters"]
    first, second = made["clusters"]
    name = fleet.ids["first"][-1]
    report = fleet.audits(name, "report.html")
    groups = pq.read_table(fleet.audits(name, "groups")).to_pylist()
    findings = pq.read_table(fleet.audits(name, "findings")).to_pylist()
    assert first == {
        "cluster_id": "first",
        "name": "Production",
        "audit_id": name,
        "audited_at": (NOW - DAY).isoformat(timespec="seconds"),
        "old": first["old"],
        "complete": True,
        "audits": 2,
        "report": str(report),
        "groups": len(groups),
        "stale_groups": sum(row["stale"] for row in groups),
        "findings": len(findings),
        "planned": sum(row["planned"] for row in findings),
        "known_lag": sum(row["known_lag"] for row in groups),
    }
    # the latest audits of the other cluster cannot be read
    assert (second["audit_id"], second["groups"], second["known_lag"]) == (fleet.ids["second"][0], 2, 2 * MOST)
    unreadable = {each["audit_id"]: each["reason"] for each in made["unreadable"]}
    assert unreadable.keys() == spoilt.keys()
    assert all(unreadable[audit].startswith(reason) for audit, reason in spoilt.items()), unreadable
    text = page.read_text("utf-8")
    for words in (
        *spoilt,
        "Production",
        f'href="./audits/{name}/report.html"',
        "Cluster Forgotten (third) has no audit",
    ):
        assert words in text
    # of the first cluster, which had 1 group and then 2, one of them stale; one audit makes no line
    trends = re.findall(r'aria-label="(Groups|Stale groups): last (.*?)"><polyline points="(.*?)"/></svg>', text)
    assert trends == [
        ("Groups", "2, at most 2", "0.0,16.0 120.0,0.0"),
        ("Stale groups", "1, at most 1", "0.0,0.0 120.0,0.0"),
    ]
    assert any("Cluster Forgotten (third) has no audit" in warning for warning in made["warnings"])
    _shown(page, fleet.output)
    # the audits are not changed
    for path, content in fleet.before.items():
        if name in path.parts:
            assert path.read_bytes() == content


def _shown(page: Path, folder: Path) -> None:
    """What a browser shows of the page, on a phone and on a desktop."""
    with browser.chromium() as started, browser.opening(started, page) as opened:
        for width in (360, 1280):
            browser.show(opened, width, "light", folder / f"{width}.png")
            assert browser.cut(opened, ".tiles dt, .tiles dd, .multiples p, #clusters td, #clusters tbody th") == []
            assert opened.page.locator("#clusters tbody th bdi").all_inner_texts() == ["Production", "second"]
