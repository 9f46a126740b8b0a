# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An audit without the topic: take a snapshot of the cluster, classify by all snapshots; then `publish`."""

from __future__ import annotations

import datetime
import functools
import time
import typing as t

from ..ingest import records
from ..judge import live_state, observed, snapshot
from ..judge.frames import LiveFrames
from ..judge.observed import Observation, Observed
from ..judge.snapshot import Taken
from ..libraries import F, SparkSession, pa, pc
from . import pipeline
from .facts import Facts
from .folders import Folder
from .publish import publish
from .settings import Settings
from .snapshots import GROUPS, OFFSETS, PARTITIONS, Snapshot, Snapshots
from .spark import stage

Row = dict[str, t.Any]

# one table is broadcast at a time, and its rows take several times the memory of Arrow
_BROADCAST_SHARE = 16


def audit(spark: SparkSession, settings: Settings) -> Row:
    """Take a snapshot and audit the snapshots; write tables, plan and report; return the result of the module.

    Raises:
        TaskError: the cluster cannot be read, or the output cannot be written.
        PySparkException: Spark failed.
    """
    started, created = time.monotonic(), datetime.datetime.now(datetime.UTC)
    stored = pipeline.open_store(spark, settings)
    snapshots, taken, live = take(spark, settings, stored.output, created)
    # another audit may have taken one since
    known = [one for one in snapshots.listed() if one.taken_at <= created]
    stage(spark, f"Compare {len(known)} snapshots")
    facts = Facts(
        snapshots.cluster_id,
        created,
        started,
        0,
        {},
        taken.live.warnings,
        taken.live.retention,
        listed=taken.live.complete,
        observation=Observation(len(known), known[0].taken_at),
    )
    nothing = spark.createDataFrame(records.schema().empty_table())
    seen = observe(spark, snapshots, known, taken.offsets.nbytes)
    compared = pipeline.compare(settings, facts, nothing, live, functools.partial(fetch, spark, settings), seen)
    answer = publish(settings, facts, compared, stored)
    answer["warnings"] += snapshots.remove_old(settings, created)
    return answer


def take(
    spark: SparkSession, settings: Settings, output: Folder, now: datetime.datetime
) -> tuple[Snapshots, Taken, LiveFrames]:
    """Take a snapshot and write it to the location; return the snapshots of the cluster, and the one that was taken.

    Raises:
        TaskError: the cluster cannot be read, or the output cannot be written.
    """
    stage(spark, "Take a snapshot")
    with pipeline.open_session(settings) as session:
        snapshots = Snapshots(output, session.wire.cluster_id)
        snapshots.check_clock(now)
        taken = session.wire.run(snapshot.take, session, settings.selection())
    live = pipeline.live_frames(spark, settings, taken.live, taken.partitions)
    _add(spark, snapshots, now, taken, live)
    return snapshots, taken, live


def observe(spark: SparkSession, snapshots: Snapshots, known: list[Snapshot], size: int) -> Observed:
    """Return what snapshots show, the current one last.

    Args:
        size: of the offsets of the current snapshot, in bytes of Arrow.
    """
    taken = pa.table(
        {
            "taken_at": pa.array([one.taken_at for one in known], pa.timestamp("us", "UTC")),
            "complete": [one.complete for one in known],
        }
    )
    tables = {name: snapshots.table(spark, known, name) for name in (GROUPS, OFFSETS)}
    now = {name: snapshots.table(spark, known[-1:], name).drop("taken_at") for name in tables}
    return observed.observed(
        observed.Snapshots(
            tables[GROUPS],
            tables[OFFSETS],
            spark.createDataFrame(taken),
            now[GROUPS],
            now[OFFSETS],
            small=size <= pipeline.heap_bytes(spark) // _BROADCAST_SHARE,
        )
    )


def fetch(spark: SparkSession, settings: Settings, names: list[str]) -> tuple[pa.Table, list[str]]:
    """Return the committed offsets of groups, and warnings."""
    return visible(pipeline.fetch(spark, settings, names))


def visible(fetched: tuple[pa.Table, list[str]]) -> tuple[pa.Table, list[str]]:
    """Return committed offsets, and warnings, without groups that have no offsets.

    Brokers soon delete an Empty group without offsets. If one remains, its offsets are those of topics that the user
    may not see, and must not be deleted.
    """
    table, warnings = fetched
    shown = table.filter(pc.greater(pc.list_value_length(table["offsets"]), pa.scalar(0)))
    # Spark does not accept columns without chunks
    return live_state.of_batches(shown.to_batches(), table.schema), warnings


def _add(spark: SparkSession, snapshots: Snapshots, created: datetime.datetime, taken: Taken, live: LiveFrames) -> None:
    """Write the snapshot."""
    topics = live.for_join("partitions").select("topic", "partition", F.col("current_topic_id").alias("topic_id"))
    offsets = spark.createDataFrame(taken.offsets).join(topics, ["topic", "partition"], "left")
    tables = {
        GROUPS: spark.createDataFrame(taken.groups),
        OFFSETS: offsets.select("group", "topic", "partition", "topic_id", "offset", "leader_epoch", "metadata"),
        PARTITIONS: live.partitions.select(
            "topic", "partition", "exists", F.col("current_topic_id").alias("topic_id"), "log_start", "log_end"
        ),
    }
    snapshots.add(created, taken.live.complete, tables, taken.offsets.num_rows)
