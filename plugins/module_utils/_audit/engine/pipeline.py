# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One audit from end to end: query the cluster, scan the topic, query again, classify, and write the results."""

from __future__ import annotations

import dataclasses
import datetime
import time
import typing as t

from ..._files import plan as plan_file
from ..._files.plan import Plan
from ..._kafka.model import TopicPartition
from ..._kafka.session import Session
from ..ingest import records, spark_read
from ..judge import caveats, findings, frames, live_state, owners, plan
from ..judge.findings import Criteria
from ..judge.frames import LiveFrames
from ..judge.live_state import Live
from ..libraries import DataFrame, F, SparkSession, StorageLevel, pa
from ..report import render
from ..report import rows as report_rows
from . import store, tables
from .settings import Settings
from .spark import PROGRESS, stage

Row = dict[str, t.Any]

# a few hundred MB at most, which avoids a shuffle of all offsets
_BROADCAST_ROWS = 1_000_000


@dataclasses.dataclass(frozen=True)
class Facts:
    """Facts about an audit that are known before groups are classified.

    Attributes:
        created: the start of the audit.
        started: the start of the audit, by the monotonic clock.
        records: the number of records read.
        unread: why each incomplete partition was not read completely.
        retention: C(offsets.retention.minutes) of the brokers in ms, None if unknown.
    """

    cluster_id: str
    created: datetime.datetime
    started: float
    records: int
    unread: dict[int, str]
    warnings: list[str]
    retention: int | None


def audit(spark: SparkSession, settings: Settings) -> Row:
    """Audit the topic; write tables, plan and report; return the result of the module.

    Raises:
        TaskError: the topic cannot be read, or the output cannot be written.
        PySparkException: Spark failed.
    """
    started, created = time.monotonic(), datetime.datetime.now(datetime.UTC)
    stage(spark, "Query groups and committed offsets")
    with _session(settings) as session:
        cluster_id = session.wire.cluster_id
        seen = session.wire.run(live_state.read, session, settings.selection())
    stage(spark, f"Read {settings.topic}")
    scan = spark_read.read(
        spark, settings.connection, settings.topic, settings.deadline, settings.client_rack, settings.read_rate
    )
    scan.persist(StorageLevel.MEMORY_AND_DISK)
    read = _rows(scan.filter(F.col("kind") == records.PARTITION).select("source_partition", "records", "problem"))
    committed = _rows(frames.commits(scan).select("topic", "partition").distinct())
    in_log = _rows(scan.filter("group is not null").select("group").distinct()) if settings.owners else []
    stage(spark, "Query groups without members, topics and logs")
    with _session(settings) as session:
        seen = session.wire.run(live_state.recheck_empty, session, seen)
        partitions = session.wire.run(live_state.partitions, session, [TopicPartition(**row) for row in committed])
    facts = Facts(
        cluster_id,
        created,
        started,
        sum(row["records"] for row in read),
        {row["source_partition"]: row["problem"] for row in read if row["problem"]},
        seen.warnings,
        seen.retention,
    )
    owned = owners.table(settings.owners, _names(seen, in_log))
    return publish(settings, facts, classify(settings, facts, scan, _frames(spark, seen, partitions, owned)))


def classify(settings: Settings, facts: Facts, scan: DataFrame, seen: LiveFrames) -> dict[str, DataFrame]:
    """Return the tables of an audit by name; Spark computes them when they are written."""
    limit = facts.created - datetime.timedelta(milliseconds=settings.stale_after_ms)
    criteria = Criteria(limit, settings.stale_after, tuple(facts.unread))
    log_groups, undecoded = frames.metadata(scan), frames.undecodable(scan)
    activity = frames.activity(scan)
    offsets = frames.offsets(frames.commits(scan), log_groups, seen).persist()
    described = frames.with_owner(frames.groups(offsets, log_groups, activity, undecoded, seen), seen)
    groups = findings.classify_groups(described, criteria).persist()
    found = frames.with_owner(findings.findings(groups, offsets, undecoded, seen.orphaned_configs, criteria), seen)
    return dict(zip(tables.NAMES, (offsets, seen.start_offsets, groups, activity, found), strict=True))


def publish(settings: Settings, facts: Facts, results: dict[str, DataFrame]) -> Row:
    """Write the tables, the plan and the report atomically; return the result of the module."""
    with store.new(settings.output, facts.cluster_id, facts.created) as draft:
        answer = _write(settings, facts, results, draft)
    answer["warnings"] += draft.warnings
    return answer


def _write(settings: Settings, facts: Facts, results: dict[str, DataFrame], draft: store.Draft) -> Row:
    made = {name: tables.write(frame, name, draft, settings) for name, frame in results.items()}
    PROGRESS.info("Write the plan and the report")
    rows = {name: made[name].to_pylist() for name in ("groups", "findings")}
    by_name = {row["group"]: row for row in rows["groups"]}
    classified = [row for row in rows["groups"] if row["included"]]
    planned = Plan(
        facts.cluster_id,
        facts.created,
        settings.criteria(),
        plan.delete_groups(rows["findings"], by_name, made["offsets"]),
        plan.delete_offsets(rows["findings"], by_name, made["offsets"]),
        plan.judged(classified),
        owners=plan.judged_by_owner(classified, settings.owners),
    )
    plan_file.write(draft.path(store.PLAN), planned)
    warnings = facts.warnings + caveats.caveats(
        rows["groups"],
        facts.records,
        facts.unread,
        settings.topic,
        facts.created,
        caveats.StaleAfter(settings.stale_after, settings.stale_after_ms, facts.retention),
    )
    summary = {
        "records": facts.records,
        "groups": len(rows["groups"]),
        "offsets": made["offsets"].num_rows,
        "stale_groups": sum(row["stale"] for row in rows["groups"]),
        "findings": len(rows["findings"]),
        "undecodable": sum(row["kind"] == findings.UNDECODABLE for row in rows["findings"]),
        "delete_groups": len(planned.delete_groups),
        "delete_offsets": len(planned.delete_offsets),
    }
    duration = round(time.monotonic() - facts.started, 3)
    render.write(
        draft.path(store.REPORT),
        render.Audit(
            cluster_id=facts.cluster_id,
            created=facts.created,
            criteria=planned.criteria,
            duration=duration,
            topic=settings.topic,
            summary=summary,
            groups=report_rows.groups(rows["groups"], rows["findings"], facts.created),
            activity=report_rows.activity(made["activity"]),
            findings=rows["findings"],
            warnings=warnings,
            owners=report_rows.owners(rows["groups"], rows["findings"]) if settings.owners else [],
            plan=draft.path(store.PLAN),
        ),
    )
    return {
        "summary": summary,
        "plan": draft.path(store.PLAN),
        "report": draft.path(store.REPORT),
        "tables": {name: draft.path(name) for name in made},
        "stale_groups": sorted(row["group"] for row in rows["groups"] if row["stale"]),
        "duration": duration,
        "warnings": warnings,
    }


def _session(settings: Settings) -> Session:
    """Return a session with the remaining time of the task as its timeout."""
    connection = dataclasses.replace(settings.connection, timeout=max(1.0, settings.deadline - time.time()))
    return Session(connection, check_mode=True)


def _names(seen: Live, in_log: list[Row]) -> set[str]:
    """Return the names of all groups that a table may contain."""
    listed = [*seen.groups["group"].to_pylist(), *seen.orphaned_configs["group"].to_pylist()]
    return {*listed, *(row["group"] for row in in_log)}


def _frames(spark: SparkSession, seen: Live, partitions: pa.Table, owned: pa.Table) -> LiveFrames:
    made = {
        "groups": seen.groups,
        "offsets": seen.offsets,
        "start_offsets": seen.start_offsets,
        "subscriptions": seen.subscriptions,
        "partitions": partitions,
        "orphaned_configs": seen.orphaned_configs,
        "owners": owned,
    }
    return LiveFrames(
        **{name: spark.createDataFrame(table) for name, table in made.items()},
        small=frozenset(name for name, table in made.items() if table.num_rows <= _BROADCAST_ROWS),
        retention=seen.retention,
    )


def _rows(frame: DataFrame) -> list[Row]:
    rows: list[Row] = frame.toArrow().to_pylist()
    return rows
