# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One audit from end to end: query the cluster, scan the topic, query again, classify, and write the results."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import datetime
import time
import typing as t

from ..._files import plan as plan_file
from ..._files.plan import Judged, Plan
from ..._kafka.model import TopicPartition
from ..._kafka.session import Session
from ..ingest import spark_read
from ..judge import caveats, findings, frames, live_state, owners, plan
from ..judge.changes import NEW_FINDINGS
from ..judge.findings import Criteria
from ..judge.frames import LiveFrames
from ..judge.live_state import Live
from ..libraries import Column, DataFrame, F, Observation, SparkSession, pa
from ..report import embedded, render, since
from ..report import rows as report_rows
from . import history, store, tables
from .settings import Settings
from .spark import stage
from .store import Draft, Store

Row = dict[str, t.Any]

Fetch = c.Callable[[list[str]], tuple[pa.Table, list[str]]]
"""Returns the committed offsets of groups as `live_state.committed` does."""

# Spark holds a broadcast table as rows, serialized and as a hash table, and several tables may be broadcast
_BROADCAST_SHARE = 64


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

    def criteria(self, settings: Settings) -> Criteria:
        """Return the criteria for stale groups and offsets."""
        limit = self.created - datetime.timedelta(milliseconds=settings.stale_after_ms)
        return Criteria(limit, settings.stale_after, tuple(self.unread))


@dataclasses.dataclass(frozen=True)
class Compared:
    """The data of an audit, before its tables are written; `fetched` is the result of `Fetch`."""

    offsets: DataFrame
    groups: DataFrame
    activity: DataFrame
    undecoded: DataFrame
    live: LiveFrames
    fetched: DataFrame


def audit(spark: SparkSession, settings: Settings) -> Row:
    """Audit the topic; write tables, plan and report; return the result of the module.

    Raises:
        TaskError: the topic cannot be read, or the output cannot be written.
        PySparkException: Spark failed.
    """
    started, created = time.monotonic(), datetime.datetime.now(datetime.UTC)
    stored = Store.of(spark, settings)
    if not (settings.local and stored.output is stored.local):
        stage(spark, "Check that the executors can write to the output")
        stored.probe(spark)
    stage(spark, "Query groups")
    with _session(settings) as session:
        cluster_id = session.wire.cluster_id
        seen = session.wire.run(live_state.read, session, settings.selection())
    stage(spark, f"Read {settings.topic}")
    scan = spark_read.read(
        spark, settings.connection, settings.topic, settings.deadline, settings.client_rack, settings.read_rate
    )
    committed = _committed(scan.rows)
    in_log = _names(scan.rows) if settings.owners else set()
    stage(spark, "Query groups without members, topics and logs")
    with _session(settings) as session:
        seen = session.wire.run(live_state.recheck_empty, session, seen)
        partitions = session.wire.run(live_state.partitions, session, committed)
    facts = Facts(
        cluster_id,
        created,
        started,
        sum(one.records for one in scan.ended),
        {one.source_partition: one.problem for one in scan.ended if one.problem},
        seen.warnings,
        seen.retention,
    )

    def fetch(names: list[str]) -> tuple[pa.Table, list[str]]:
        stage(spark, "Query committed offsets")
        with _session(settings) as session:
            return session.wire.run(live_state.committed, session, names)

    listed: list[t.Any] = [*seen.groups["group"].to_pylist(), *seen.orphaned_configs["group"].to_pylist()]
    owned = owners.table(settings.owners, in_log.union(listed)) if settings.owners else None
    live = _frames(spark, seen, partitions, owned)
    return publish(settings, facts, compare(settings, facts, scan.rows, live, fetch), stored)


def compare(settings: Settings, facts: Facts, scan: DataFrame, live: LiveFrames, fetch: Fetch) -> Compared:
    """Classify groups and offsets by the topic, then fetch the offsets of those that may be in the plan."""
    spark, criteria = scan.sparkSession, facts.criteria(settings)
    log_groups, undecoded = frames.metadata(scan), frames.undecodable(scan)
    activity = frames.activity(scan)
    offsets = findings.with_needs(frames.offsets(frames.commits(scan), log_groups, live), criteria).persist()
    groups = frames.with_owner(frames.groups(offsets, log_groups, activity, undecoded, live), live).persist()
    stage(spark, "Select groups for the plan")
    names: list[t.Any] = findings.candidates(groups, criteria).toArrow()["group"].to_pylist()
    fetched, warnings = fetch(sorted(names))
    facts.warnings.extend(warnings)
    return Compared(offsets, groups, activity, undecoded, live, spark.createDataFrame(fetched))


def publish(settings: Settings, facts: Facts, compared: Compared, stored: Store) -> Row:
    """Write the tables, the plan and the report atomically; return the result of the module."""
    with stored.draft(facts.cluster_id, facts.created) as draft:
        answer = _write(settings, facts, compared, stored, draft)
    answer["warnings"] += draft.warnings
    return answer


def _write(settings: Settings, facts: Facts, compared: Compared, stored: Store, draft: Draft) -> Row:
    criteria = facts.criteria(settings)

    def write(name: str, frame: DataFrame, *counts: Column) -> tuple[DataFrame, Row]:
        """Write a table; also return aggregates of its rows, which Spark computes meanwhile."""
        observed = Observation()
        written = tables.write(frame.observe(observed, *counts) if counts else frame, name, draft)
        return written, observed.get if counts else {}

    offsets, _ = write("offsets", frames.with_live_offsets(compared.offsets, compared.fetched))
    write("start_offsets", compared.live.start_offsets)
    groups, of_groups = write(
        "groups",
        findings.classify_groups(frames.with_changes(compared.groups, offsets, compared.fetched), criteria),
        *caveats.counts(criteria, facts.created),
        *report_rows.group_counts(facts.created),
        F.count_if("stale").alias("stale_groups"),
        F.count_if("included").alias("judged_groups"),
        F.sum(F.when(F.col("included"), F.col("partitions")).otherwise(0)).alias("judged_offsets"),
    )
    activity, _ = write("activity", compared.activity)
    found, of_findings = write(
        "findings",
        frames.with_owner(
            findings.findings(groups, offsets, compared.undecoded, compared.live.orphaned_configs, criteria),
            compared.live,
        ),
        *report_rows.finding_counts(),
    )
    stage(offsets.sparkSession, "Write the plan and the report")
    kinds = report_rows.kinds(of_findings)
    planned = plan.Planned([], (), ())
    if of_groups["stale_groups"] or any(count.planned for count in kinds.values()):
        planned = plan.planned(plan.entries(groups, offsets, found, criteria).toArrow())
    plan_file.write(
        draft.path(store.PLAN),
        Plan(
            facts.cluster_id,
            facts.created,
            settings.criteria(),
            planned.groups,
            planned.offsets,
            Judged(of_groups["judged_groups"], of_groups["judged_offsets"] or 0),
            owners=plan.judged_by_owner(groups, settings.owners) if settings.owners else None,
        ),
    )
    counted = caveats.Counts(*(of_groups[name] for name in caveats.Counts._fields))
    limit = caveats.StaleAfter(settings.stale_after, settings.stale_after_ms, facts.retention)
    warnings = facts.warnings + caveats.caveats(counted, facts.records, facts.unread, settings.topic, limit)
    summary = {
        "records": facts.records,
        "groups": draft.rows["groups"],
        "offsets": draft.rows["offsets"],
        "stale_groups": of_groups["stale_groups"],
        "findings": draft.rows["findings"],
        "undecodable": kinds[findings.UNDECODABLE].found if findings.UNDECODABLE in kinds else 0,
        "delete_groups": len(planned.groups),
        "delete_offsets": len(planned.offsets),
    }
    last = history.since_last(offsets.sparkSession, stored, facts.cluster_id, groups, found)
    trends = history.trends(offsets.sparkSession, stored, facts.cluster_id, groups, activity, facts.created)
    shown = report_rows.groups(groups, facts.created)
    shown_findings = report_rows.findings(found, kinds)
    of_days = report_rows.activity(activity)
    duration = round(time.monotonic() - facts.started, 3)
    render.write(
        draft.path(store.REPORT),
        render.Audit(
            cluster_id=facts.cluster_id,
            created=facts.created,
            criteria=settings.criteria(),
            duration=duration,
            topic=settings.topic,
            summary=summary,
            kinds=kinds,
            ages=report_rows.ages(of_groups),
            activity=of_days,
            lags=shown.lags,
            unneeded=shown.unneeded,
            unknown_lags=of_groups["unknown_lags"],
            groups=embedded.Rows(shown.listed, draft.rows["groups"], draft.location("groups")),
            findings=embedded.Rows(shown_findings, draft.rows["findings"], draft.location("findings")),
            warnings=warnings,
            owners=report_rows.owners(groups, found) if settings.owners else [],
            plan=draft.path(store.PLAN),
            last=last.audited_at if last else None,
            changes=since.changes(last.groups | {NEW_FINDINGS: _named(last.findings)}) if last else [],
            multiples=[since.multiple(*trend) for trend in trends],
        ),
    )
    return {
        "summary": summary,
        "plan": draft.path(store.PLAN),
        "report": draft.path(store.REPORT),
        "tables": {name: draft.table(name) for name in tables.NAMES},
        "audit_id": draft.audit_id,
        "stale_groups": planned.stale,
        "since_last": last.returned() if last else None,
        "duration": duration,
        "warnings": warnings,
    }


def _session(settings: Settings) -> Session:
    """Return a session with the remaining time of the task as its timeout."""
    connection = dataclasses.replace(settings.connection, timeout=max(1.0, settings.deadline - time.time()))
    return Session(connection, check_mode=True)


def _named(found: tuple[int, list[Row]]) -> tuple[int, list[str]]:
    """Return findings by name."""
    number, rows = found
    return number, [since.finding(row) for row in rows]


def _committed(rows: DataFrame) -> list[TopicPartition]:
    """Return the partitions with committed offsets."""
    found = frames.commits(rows).select("topic", "partition").distinct().toArrow()
    return [TopicPartition(**row) for row in found.to_pylist()]


def _names(rows: DataFrame) -> set[str]:
    """Return the names of the groups in the log."""
    found: list[t.Any] = rows.filter("group is not null").select("group").distinct().toArrow()["group"].to_pylist()
    return set(found)


def _frames(spark: SparkSession, seen: Live, partitions: pa.Table, owned: pa.Table | None) -> LiveFrames:
    made = {
        "groups": seen.groups,
        "start_offsets": seen.start_offsets,
        "partitions": partitions,
        "orphaned_configs": seen.orphaned_configs,
        **({} if owned is None else {"owners": owned}),
    }
    frame = {name: spark.createDataFrame(table) for name, table in made.items()}
    topics = {topic.as_py() for topic in partitions["topic"].unique()}
    patterns = live_state.subscribed_topics(seen.groups, topics)
    return LiveFrames(
        **{**frame, "groups": frames.with_matched_topics(frame["groups"], spark.createDataFrame(patterns))},
        small=frozenset(name for name, table in made.items() if table.nbytes <= _broadcast_bytes(spark)),
        retention=seen.retention,
    )


def _broadcast_bytes(spark: SparkSession) -> int:
    """Return the size of a table that Spark may broadcast: each passes the heap of the driver."""
    java: t.Any = spark.sparkContext._jvm
    return int(java.java.lang.Runtime.getRuntime().maxMemory()) // _BROADCAST_SHARE
