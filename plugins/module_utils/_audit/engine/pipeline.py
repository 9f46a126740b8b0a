# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One audit from end to end: query the cluster, scan the topic, query again, classify; then `publish`."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import datetime
import functools
import time
import typing as t

from ..._errors import TaskError
from ..._kafka.errors import CallError
from ..._kafka.model import TopicPartition
from ..._kafka.session import Session
from ..ingest import spark_read
from ..judge import findings, frames, live_state, owners
from ..judge.frames import LiveFrames
from ..judge.live_state import Live
from ..judge.observed import Observed
from ..libraries import DataFrame, SparkSession, pa
from . import state, tables
from .facts import Compared, Facts
from .publish import publish
from .settings import Settings
from .spark import interpret_queries, stage
from .store import Store

Row = dict[str, t.Any]

# Spark holds a broadcast table as rows, serialized and as a hash table, and several tables may be broadcast
_BROADCAST_SHARE = 64


def audit(spark: SparkSession, settings: Settings) -> Row:
    """Audit the topic; write tables, plan and report; return the result of the module.

    Raises:
        TaskError: the topic cannot be read, or the output cannot be written.
        PySparkException: Spark failed.
    """
    started, created = time.monotonic(), datetime.datetime.now(datetime.UTC)
    stored = open_store(spark, settings)
    stage(spark, "Query groups")
    with open_session(settings) as session:
        cluster_id = session.wire.cluster_id
        seen = session.wire.run(live_state.read, session, settings.selection())
    stage(spark, f"Read {settings.topic}")
    reading: state.Reading | None = None
    scan: state.Reading | spark_read.Scanned
    if settings.incremental:
        scan = reading = state.read(spark, settings, stored, cluster_id, created)
    else:
        scan = spark_read.read(
            spark, settings.connection, settings.topic, settings.deadline, settings.client_rack, settings.read_rate
        )
    if scan.small:
        interpret_queries(spark, settings)
    committed = _committed(scan.rows)
    in_log = _names(scan.rows) if settings.owners else frozenset()
    stage(spark, "Query groups without members, topics and logs")
    with open_session(settings) as session:
        seen = session.wire.run(live_state.recheck_empty, session, seen)
        partitions = session.wire.run(live_state.partitions, session, committed)
    facts = Facts(
        cluster_id,
        created,
        started,
        sum(one.records for one in scan.ended),
        {one.source_partition: one.problem for one in scan.ended if one.problem},
        [*seen.warnings, *(reading.warnings if reading else ())],
        seen.retention,
        listed=seen.complete,
        reading=reading,
    )

    live = live_frames(spark, settings, seen, partitions, in_log)
    compared = compare(settings, facts, scan.rows, live, functools.partial(fetch, spark, settings))
    return publish(settings, facts, compared, stored)


def open_store(spark: SparkSession, settings: Settings) -> Store:
    """Return the store of an audit, to which the executors can write."""
    stored = Store.of(spark, settings)
    if not (settings.local and stored.output is stored.local):
        stage(spark, "Check that the executors can write to the output")
        stored.probe(spark)
    tables.check(spark, stored.output, stored.table_format)
    return stored


def fetch(spark: SparkSession, settings: Settings, names: list[str]) -> tuple[pa.Table, list[str]]:
    """Return the committed offsets of groups, and warnings, as `live_state.committed` does."""
    stage(spark, "Query committed offsets")
    if not names:
        return live_state.no_offsets(), []
    try:
        with open_session(settings) as session:
            return session.wire.run(live_state.committed, session, names)
    except (CallError, TaskError) as exc:
        # the plan has no groups whose offsets are unknown
        return live_state.no_offsets(), [f"committed offsets cannot be read, so the plan is empty: {exc}"]


def compare(
    settings: Settings,
    facts: Facts,
    scan: DataFrame,
    live: LiveFrames,
    fetch: c.Callable[[list[str]], tuple[pa.Table, list[str]]],
    observed: Observed | None = None,
) -> Compared:
    """Classify groups and offsets by the topic, then fetch the offsets of those that may be in the plan.

    Args:
        scan: the rows of the topic, none if snapshots are classified.
        observed: what snapshots show; None if the topic was read.
        fetch: returns the committed offsets of groups, and warnings, as `live_state.committed` does.
    """
    spark, criteria = scan.sparkSession, facts.criteria(settings)
    log_groups, undecoded = frames.metadata(scan), frames.undecodable(scan)
    activity = frames.activity(scan)
    commits = frames.observed_commits(observed.offsets) if observed else frames.commits(scan)
    offsets = findings.with_needs(frames.offsets(commits, log_groups, live), criteria).persist()
    grouped = frames.groups(offsets, log_groups, activity, undecoded, live)
    if observed:
        grouped = frames.with_observations(grouped, observed.groups)
    groups = frames.with_owner(grouped, live).persist()
    stage(spark, "Select groups for the plan")
    names: list[t.Any] = findings.candidates(groups, criteria).toArrow()["group"].to_pylist()
    fetched, warnings = fetch(sorted(names))
    facts.warnings.extend(warnings)
    return Compared(offsets, groups, activity, undecoded, live, spark.createDataFrame(fetched))


def open_session(settings: Settings) -> Session:
    """Return a session with the remaining time of the task as its timeout."""
    connection = dataclasses.replace(settings.connection, timeout=max(1.0, settings.deadline - time.time()))
    return Session(connection, check_mode=True)


def _committed(rows: DataFrame) -> list[TopicPartition]:
    """Return the partitions with committed offsets."""
    found = frames.commits(rows).select("topic", "partition").distinct().toArrow()
    return [TopicPartition(**row) for row in found.to_pylist()]


def _names(rows: DataFrame) -> frozenset[str]:
    """Return the names of the groups in the log."""
    found: list[t.Any] = rows.filter("group is not null").select("group").distinct().toArrow()["group"].to_pylist()
    return frozenset(found)


def live_frames(
    spark: SparkSession, settings: Settings, seen: Live, partitions: pa.Table, in_log: frozenset[str] = frozenset()
) -> LiveFrames:
    """Return the state of the cluster as DataFrames.

    Args:
        in_log: groups of the topic, which may not exist any longer, and have owners, too.
    """
    listed: list[t.Any] = [*seen.groups["group"].to_pylist(), *seen.orphaned_configs["group"].to_pylist()]
    owned = owners.table(settings.owners, in_log.union(listed)) if settings.owners else None
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
        small=frozenset(
            name
            for name, table in made.items()
            # the topics that match a pattern are repeated for each group
            if table.nbytes <= heap_bytes(spark) // _BROADCAST_SHARE and not (name == "groups" and patterns.num_rows)
        ),
        retention=seen.retention,
    )


def heap_bytes(spark: SparkSession) -> int:
    """Return the size of the heap of the driver, which each table that Spark broadcasts passes."""
    java: t.Any = spark.sparkContext._jvm
    return int(java.java.lang.Runtime.getRuntime().maxMemory())
