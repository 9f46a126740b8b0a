# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The audit itself, in the process that Spark runs in: C(python -m ... job FOLDER), with the settings in the folder."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import datetime
import os
import shutil
import signal
import sys
import threading
import time
import typing as t

from .._errors import TaskError
from .._files import plan as plan_file
from .._files.plan import Judged, Plan
from .._kafka.errors import CallError
from .._kafka.model import TopicPartition
from .._kafka.session import Session
from . import findings, live, plan, records, report, source, store, tables, transforms
from .findings import Criteria
from .live import Live
from .session import spark_session
from .settings import Settings, save_answer
from .transforms import LiveFrames

# reported by engine.py
with contextlib.suppress(ImportError):
    import pyarrow as pa
    from pyspark import StorageLevel
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql import functions as F

Row = dict[str, t.Any]

# a few hundred MB at most, in the place of a shuffle of all offsets
_BROADCAST_ROWS = 1_000_000
# clocks may differ by so much, and an audit may last so long, before a time counts as one in the future
_AHEAD = datetime.timedelta(hours=1)
# seconds for those that were killed to be gone
_LEAVING_TIME = 5.0


def main(folder: str) -> None:
    """Run the audit that the folder's settings describe, and leave its answer there."""
    threading.Thread(target=_end_with_module, args=[folder], daemon=True).start()
    settings = Settings.load(folder)
    try:
        with spark_session(settings, folder) as spark:
            answer = audit(spark, settings)
    except (CallError, TaskError) as exc:
        answer = {"error": str(exc)}
    except PySparkException as exc:
        answer = {"error": f"Spark failed: {source.cause(exc)}"}
    save_answer(folder, answer)


def _end_with_module(folder: str) -> None:
    """Wait for the end of standard input, which the module holds open as long as it lives; leave nothing behind.

    This process leads its session. A child of it removes the folder when all that write there are killed.
    """
    sys.stdin.read()
    group = os.getpgrp()
    if os.fork():
        return
    os.setsid()
    os.killpg(group, signal.SIGKILL)
    deadline = time.monotonic() + _LEAVING_TIME
    while os.path.exists(folder) and time.monotonic() < deadline:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


@dataclasses.dataclass(frozen=True)
class Facts:
    """What an audit knows of itself before it judges.

    Attributes:
        created: when it began.
        started: the same, by the monotonic clock.
        records: how many were read.
        unread: why a partition was not read completely.
    """

    cluster_id: str
    created: datetime.datetime
    started: float
    records: int
    unread: dict[int, str]
    warnings: list[str]


def audit(spark: SparkSession, settings: Settings) -> Row:
    """Ask the cluster, scan, ask again, judge; write tables, plan and report; return what the module returns.

    Raises:
        TaskError: the topic cannot be read, or the output cannot be written.
        PySparkException: Spark failed.
    """
    started, created = time.monotonic(), datetime.datetime.now(datetime.UTC)
    with _session(settings) as session:
        cluster_id = session.wire.cluster_id
        seen = session.wire.run(live.read, session, settings.selection())
    scan = source.read(spark, settings.connection, settings.topic, settings.deadline)
    scan.persist(StorageLevel.MEMORY_AND_DISK)
    read = _rows(scan.filter(F.col("kind") == records.PARTITION).select("source_partition", "records", "problem"))
    committed = _rows(transforms.commits(scan).select("topic", "partition").distinct())
    with _session(settings) as session:
        seen = session.wire.run(live.still_empty, session, seen)
        partitions = session.wire.run(live.partitions, session, [TopicPartition(**row) for row in committed])
    facts = Facts(
        cluster_id,
        created,
        started,
        sum(row["records"] for row in read),
        {row["source_partition"]: row["problem"] for row in read if row["problem"]},
        seen.warnings,
    )
    return publish(settings, facts, judge(settings, facts, scan, _frames(spark, seen, partitions)))


def judge(settings: Settings, facts: Facts, scan: DataFrame, seen: LiveFrames) -> dict[str, DataFrame]:
    """Return the tables of an audit by their names, which Spark makes when they are written."""
    limit = facts.created - datetime.timedelta(milliseconds=settings.stale_after_ms)
    criteria = Criteria(limit, settings.stale_after, tuple(facts.unread))
    log_groups, undecoded = transforms.metadata(scan), transforms.undecodable(scan)
    activity = transforms.activity(scan)
    offsets = transforms.offsets(transforms.commits(scan), log_groups, seen).persist()
    groups = findings.judged(transforms.groups(offsets, log_groups, activity, undecoded, seen), criteria).persist()
    found = findings.findings(groups, offsets, undecoded, criteria)
    return dict(zip(tables.NAMES, (offsets, groups, activity, found), strict=True))


def publish(settings: Settings, facts: Facts, frames: dict[str, DataFrame]) -> Row:
    """Write the tables, the plan and the report, all of them or none; return what the module returns."""
    with store.new(settings.output, facts.cluster_id, facts.created) as draft:
        answer = _write(settings, facts, frames, draft)
    answer["warnings"] += draft.warnings
    return answer


def _write(settings: Settings, facts: Facts, frames: dict[str, DataFrame], draft: store.Draft) -> Row:
    made = {name: tables.write(frame, name, draft, settings) for name, frame in frames.items()}
    rows = {name: made[name].to_pylist() for name in ("groups", "findings")}
    by_name = {row["group"]: row for row in rows["groups"]}
    judged = [row["partitions"] for row in rows["groups"] if row["included"]]
    planned = Plan(
        facts.cluster_id,
        facts.created,
        settings.criteria(),
        plan.delete_groups(rows["findings"], by_name, made["offsets"]),
        plan.delete_offsets(rows["findings"], by_name, made["offsets"]),
        Judged(len(judged), sum(judged)),
    )
    plan_file.write(draft.path(store.PLAN), planned)
    warnings = (
        facts.warnings
        + _doubts(rows["groups"], facts.records, settings.topic, facts.created)
        + [
            f"partition {partition} of {settings.topic} was not read completely: {problem}; its groups are not planned"
            for partition, problem in sorted(facts.unread.items())
        ]
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
    report.write(
        draft.path(store.REPORT),
        report.Audit(
            cluster_id=facts.cluster_id,
            created=facts.created,
            criteria=planned.criteria,
            duration=duration,
            topic=settings.topic,
            summary=summary,
            groups=_report_groups(rows["groups"], rows["findings"], facts.created),
            activity=_by_day(made["activity"]),
            findings=rows["findings"],
            warnings=warnings,
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
    """Return access to the cluster for what is left of the task's time."""
    connection = dataclasses.replace(settings.connection, timeout=max(1.0, settings.deadline - time.time()))
    return Session(connection, check_mode=True)


def _frames(spark: SparkSession, seen: Live, partitions: pa.Table) -> LiveFrames:
    made = {
        "groups": seen.groups,
        "offsets": seen.offsets,
        "subscriptions": seen.subscriptions,
        "partitions": partitions,
    }
    return LiveFrames(
        **{name: spark.createDataFrame(table) for name, table in made.items()},
        small=frozenset(name for name, table in made.items() if table.num_rows <= _BROADCAST_ROWS),
        retention=seen.retention,
    )


def _doubts(groups: list[Row], records_read: int, topic: str, now: datetime.datetime) -> list[str]:
    """Return what makes the whole audit doubtful, in sentences."""
    committed = [row for row in groups if row["partitions"]]
    hidden = sum(row["state"] is None for row in committed)
    moved = sum(row["committed_since"] > 0 for row in groups)
    ahead = [row["group"] for row in groups if row["idle_since"] and row["idle_since"] > now + _AHEAD]
    doubts = []
    if not records_read:
        doubts.append(f"{topic} holds no records, so that nothing is known of any group")
    if hidden:
        doubts.append(
            f"{hidden} of {len(committed)} groups with committed offsets are not shown by the cluster, and not judged: "
            "they are new or gone since, or you lack DESCRIBE on the cluster or on them"
        )
    if ahead:
        doubts.append(
            f"{len(ahead)} groups have a commit or a record with a time in the future (first: '{min(ahead)}'): how "
            "long they have been idle is unknown, and they are never stale; check the clocks of the brokers"
        )
    if 2 * moved > max(1, len(committed)):
        doubts.append(
            f"{moved} groups have other offsets than {topic} holds, and are not judged: they commit all the time, "
            "or it is not the topic of this cluster"
        )
    return doubts


def _report_groups(groups: list[Row], found: list[Row], now: datetime.datetime) -> list[Row]:
    """Return the groups as the report shows them: with their age in days, and how many offsets are of no use."""
    wasted = collections.Counter(row["group"] for row in found if row["kind"] in findings.WASTE)
    return [
        {
            **row,
            "age_days": _age(row["idle_since"], now),
            "wasted_partitions": row["partitions"] if row["stale"] else wasted[row["group"]],
        }
        for row in groups
    ]


def _age(since: datetime.datetime | None, now: datetime.datetime) -> float | None:
    """Return an age in days, None if it cannot be told; a group may have committed while the audit ran."""
    if since is None or since > now + _AHEAD:
        return None
    return max(0.0, (now - since).total_seconds() / 86_400)


def _by_day(activity: pa.Table) -> list[Row]:
    meters = ("commits", "tombstones", "rebalances")
    summed = activity.group_by("day").aggregate([(name, "sum") for name in meters]).sort_by("day")
    return summed.rename_columns({f"{name}_sum": name for name in meters}).to_pylist()


def _rows(frame: DataFrame) -> list[Row]:
    rows: list[Row] = frame.toArrow().to_pylist()
    return rows


if __name__ == "__main__":
    main(sys.argv[1])
