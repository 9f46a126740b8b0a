# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Publish an audit: write its tables, then the plan and the report that are made of them."""

from __future__ import annotations

import collections.abc as c
import contextlib
import dataclasses
import time
import typing as t

from ..._errors import TaskError
from ..._files import plan as plan_file
from ..._files.plan import Judged, Plan
from ..judge import caveats, findings, frames, plan
from ..judge.changes import NEW_FINDINGS
from ..libraries import Column, DataFrame, F, Observation, Py4JJavaError, PySparkException
from ..report import embedded, metrics, render, since
from ..report import rows as report_rows
from . import history, store, tables
from .facts import Compared, Facts
from .folders import cause
from .settings import Settings
from .spark import stage
from .store import Draft, Store

Row = dict[str, t.Any]


@dataclasses.dataclass(frozen=True)
class Written:
    """The tables of an audit; `of_groups` and `of_findings` are aggregates of all of their rows."""

    offsets: DataFrame
    groups: DataFrame
    activity: DataFrame
    findings: DataFrame
    of_groups: Row
    of_findings: Row


def publish(settings: Settings, facts: Facts, compared: Compared, stored: Store) -> Row:
    """Write the tables, the plan and the report atomically; return the result of the module."""
    with stored.draft(facts.cluster_id, facts.created) as draft:
        draft.criteria, draft.complete = settings.criteria(), facts.complete
        written = _write_tables(settings, facts, compared, draft)
        if facts.reading:
            facts.reading.write(settings, draft)
        stage(written.groups.sparkSession, "Write the plan and the report")
        planned = _write_plan(settings, facts, written, draft)
        answer = _write_report(settings, facts, written, planned, stored, draft)
    answer["warnings"] += draft.warnings
    if settings.metrics_file is not None:
        answer["warnings"] += _write_metrics(settings.metrics_file, settings, written, draft, answer)
    return answer


def _write_tables(settings: Settings, facts: Facts, compared: Compared, draft: Draft) -> Written:
    criteria = facts.criteria(settings)

    def write(name: str, frame: DataFrame, *counts: Column) -> tuple[DataFrame, Row]:
        """Write a table; also return aggregates of its rows, which Spark computes meanwhile."""
        observed = Observation()
        written = tables.write(frame.observe(observed, *counts) if counts else frame, name, draft)
        return written, observed.get if counts else {}

    offsets, _none = write("offsets", frames.with_live_offsets(compared.offsets, compared.fetched))
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
    activity, _none = write("activity", compared.activity)
    found = findings.findings(groups, offsets, compared.undecoded, compared.live.orphaned_configs, criteria)
    written, of_findings = write("findings", frames.with_owner(found, compared.live), *report_rows.finding_counts())
    return Written(offsets, groups, activity, written, of_groups, of_findings)


def _write_plan(settings: Settings, facts: Facts, written: Written, draft: Draft) -> plan.Planned:
    planned, criteria = plan.Planned([], (), ()), facts.criteria(settings)
    kinds = report_rows.kinds(written.of_findings)
    if written.of_groups["stale_groups"] or any(count.planned for count in kinds.values()):
        entries = plan.entries(written.groups, written.offsets, written.findings, criteria)
        planned = plan.planned(entries.toArrow())
    plan_file.write(
        draft.path(store.PLAN),
        Plan(
            facts.cluster_id,
            facts.created,
            settings.criteria(),
            planned.groups,
            planned.offsets,
            Judged(written.of_groups["judged_groups"], written.of_groups["judged_offsets"] or 0),
            owners=plan.judged_by_owner(written.groups, settings.owners) if settings.owners else None,
        ),
    )
    return planned


def _write_report(
    settings: Settings, facts: Facts, written: Written, planned: plan.Planned, stored: Store, draft: Draft
) -> Row:
    spark, of_groups = written.groups.sparkSession, written.of_groups
    kinds = report_rows.kinds(written.of_findings)
    counted = caveats.Counts(*(of_groups[name] for name in caveats.Counts._fields))
    limit = caveats.StaleAfter(settings.stale_after, settings.stale_after_ms, facts.retention)
    observation = facts.observation
    undecodable = kinds[findings.UNDECODABLE].found if findings.UNDECODABLE in kinds else 0
    warnings = facts.warnings + caveats.caveats(counted, facts.known_records, facts.unread, settings.topic, limit)
    warnings += caveats.of_snapshots(observation, facts.criteria(settings)) if observation else []
    summary = {
        "records": facts.records,
        "groups": draft.rows["groups"],
        "offsets": draft.rows["offsets"],
        "stale_groups": of_groups["stale_groups"],
        "findings": draft.rows["findings"],
        # unknown without the topic
        "undecodable": None if observation else undecodable,
        "delete_groups": len(planned.groups),
        "delete_offsets": len(planned.offsets),
    }
    audits: list[store.Audit] = []
    last: history.SinceLast | None = None
    trends: list[history.Trend] = []
    with _warned(warnings, "the changes since the last audit are unknown"):
        audits = stored.audits(draft.cluster_id, draft.created)
        last = history.since_last(spark, stored, audits, draft, written.groups, written.findings)
    with _warned(warnings, "the report shows no trends"):
        trends = history.trends(spark, stored, audits, draft, written.groups, written.activity)
    changed = {**last.groups, NEW_FINDINGS: _named(last.findings)} if last else {}
    shown = report_rows.groups(written.groups, facts.created)
    shown_findings = report_rows.findings(written.findings, kinds)
    of_days = report_rows.activity(written.activity)
    owners = report_rows.owners(written.groups, written.findings) if settings.owners else []
    duration = round(time.monotonic() - facts.started, 3)
    of_audit = {name: embedded.Table(name, draft.rows[name], draft.table(name)) for name in tables.NAMES}
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
            groups=embedded.Rows(shown.listed, of_audit["groups"]),
            findings=embedded.Rows(shown_findings, of_audit["findings"]),
            warnings=warnings,
            owners=owners,
            of_owners=report_rows.of_owners(owners, written.findings) if owners else {},
            plan=draft.path(store.PLAN),
            tables=list(of_audit.values()),
            folder=f"{store.AUDITS}/{draft.audit_id}" if stored.output is stored.local else None,
            earlier=bool(audits),
            last=last.audited_at if last else None,
            changes=since.changes(changed),
            unknown=since.unknown(changed),
            multiples=[
                since.multiple(trend.group, trend.lags, None if observation else trend.commits) for trend in trends
            ],
            snapshots=observation and (observation.number, observation.since),
        ),
    )
    return {
        "summary": summary,
        "plan": draft.path(store.PLAN),
        "report": draft.path(store.REPORT),
        "tables": {name: draft.table(name) for name in tables.NAMES},
        "audit_id": draft.audit_id,
        "stale_groups": planned.stale,
        "snapshots": observation
        and {"count": observation.number, "since": observation.since.isoformat(timespec="seconds")},
        "since_last": last.returned() if last else None,
        "incremental": facts.reading.returned() if facts.reading else None,
        "duration": duration,
        "warnings": warnings,
    }


@contextlib.contextmanager
def _warned(warnings: list[str], consequence: str) -> c.Iterator[None]:
    """Add a warning if the block cannot read earlier audits."""
    try:
        yield
    except (PySparkException, Py4JJavaError, TaskError, OSError) as exc:
        why = str(exc) if isinstance(exc, TaskError | OSError) else cause(exc)
        warnings.append(f"earlier audits cannot be read, so {consequence}: {why}")


def _write_metrics(path: str, settings: Settings, written: Written, draft: Draft, answer: Row) -> list[str]:
    """Write the metrics of a published audit; return a warning if they cannot be written, because the audit exists."""
    try:
        states = written.groups.groupBy("state").count().toArrow().to_pylist()
        audited = metrics.Audited(
            cluster_id=draft.cluster_id,
            created=draft.created,
            duration=answer["duration"],
            complete=draft.complete,
            summary=answer["summary"],
            states={row["state"]: row["count"] for row in states},
            findings={kind: count.found for kind, count in report_rows.kinds(written.of_findings).items()},
            owners=report_rows.owners(written.groups, written.findings) if settings.owners else [],
        )
        metrics.write(path, audited)
    except TaskError as exc:
        return [str(exc)]
    except (PySparkException, Py4JJavaError) as exc:
        return [f"metrics_file: the metrics cannot be counted ({cause(exc)})"]
    return []


def _named(found: tuple[int, list[Row]]) -> tuple[int, list[str]]:
    """Return findings by name."""
    number, rows = found
    return number, [since.finding(row) for row in rows]
