# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Scan C(__consumer_offsets) with Spark."""

from __future__ import annotations

import re
import typing as t

from ..._kafka.options import Connection
from ..libraries import DataFrame, F, SparkSession, StorageLevel, from_arrow_schema, pa, pc
from . import executor, marks, merge, planning, probe, records, shipping
from .distribution import Cores
from .executor import Origin, Scan
from .marks import Marks
from .splits import Ended

# of rows, which a checkpoint would not make quicker
_FEW_BYTES = 1024 * 1024
_TASK_ERROR = re.compile(r"^[\w.]*\bTaskError: (.+)$", re.MULTILINE)
_PYTHON_ERROR = re.compile(r"^([A-Za-z_][\w.]*(?:Error|Exception): .+)$", re.MULTILINE)


class Scanned(t.NamedTuple):
    """The result of a scan.

    Attributes:
        rows: in the schema `records.schema`, one for each key, and one for each group and day of activity; of a keyed
            scan, also the generations of each group.
        ended: the read status of each partition, or of parts of it.
        origin: where the scan began.
        marks: where a later scan can continue; None if it cannot.
        small: whether this process read the topic.
        table: the same rows, if this process read the topic and they were not merged.
    """

    rows: DataFrame
    ended: list[Ended]
    origin: Origin
    marks: Marks | None
    small: bool
    table: pa.Table | None


def read(
    spark: SparkSession,
    connection: Connection,
    topic: str,
    deadline: float,
    client_rack: str | None = None,
    read_rate: int | None = None,
    keyed: bool = False,
    earlier: Marks | None = None,
) -> Scanned:
    """Scan the topic up to its current end offsets; the rows stay in the memory or on the disks of the executors.

    C(spark.default.parallelism) overrides the number of cores.

    Args:
        deadline: seconds since the epoch; the clocks of the executors must be synchronized with this host.
        client_rack: the rack of the executors (KIP-392).
        read_rate: the maximum number of bytes per second of all splits together; None for no limit.
        keyed: whether the rows can be combined with those of another scan, see `merge`.
        earlier: the marks at which the scan continues if it can.

    Raises:
        TaskError: the topic cannot be read; later errors are inside the exception of Spark, see `cause`.
        PySparkException: an executor cannot read it.
    """
    available = cores(spark)
    wanted = planning.plan(connection, topic, deadline, available, client_rack, read_rate, keyed, earlier)
    if wanted.small:
        return _read_here(spark, wanted)
    shipping.ship(spark)
    if available.cluster:
        probe.check(spark, wanted, available.number)
    rows = frame(spark, wanted).persist(StorageLevel.MEMORY_AND_DISK)
    # read the rows once
    return _scanned(rows, rows.filter(F.col("kind") == records.PARTITION).select(*Ended._fields).toArrow(), wanted)


def _read_here(spark: SparkSession, wanted: Scan) -> Scanned:
    """Scan a small topic in this process."""
    batches = [batch for split in wanted.splits for batch in wanted.rows(split)]
    table = pa.Table.from_batches(batches, records.schema())
    status = table.filter(pc.equal(table["kind"], pa.scalar(records.PARTITION))).select(Ended._fields)
    return _scanned(local_rows(spark, table), status, wanted, table)


def local_rows(spark: SparkSession, table: pa.Table) -> DataFrame:
    """Return the rows of a table of this process."""
    rows = spark.createDataFrame(table)
    # without a checkpoint, each task of Spark contains all of these rows
    return rows.coalesce(cores(spark).number).localCheckpoint() if table.nbytes > _FEW_BYTES else rows


def cores(spark: SparkSession) -> Cores:
    """Return the cores of the executors that have started."""
    context = spark.sparkContext
    return Cores(context.defaultParallelism, not str(context.master).startswith("local"))


def frame(spark: SparkSession, wanted: Scan) -> DataFrame:
    """Return the rows of all splits; the executors read them when they are used.

    They come from a table function, because Spark starts three Python processes to plan the read of a data source.
    """
    table: t.Any = F.arrow_udtf(executor.bound_to(wanted), returnType=from_arrow_schema(records.schema()))
    count = len(wanted.splits)
    rows: DataFrame = table(spark.range(0, count, 1, count).asTable())
    return rows


def _scanned(rows: DataFrame, status: pa.Table, wanted: Scan, table: pa.Table | None = None) -> Scanned:
    """Combine the rows if the scan is partial."""
    ended = [Ended(**row) for row in status.to_pylist()]
    if any(one.partial for one in ended):
        table = None
        rows = (merge.keyed if wanted.keyed else merge.merged)(rows).persist(StorageLevel.MEMORY_AND_DISK)
    origin, ranges = wanted.origin, [one for split in wanted.splits for one in split]
    after = marks.reached(origin, ranges, ended)
    return Scanned(rows, ended, origin, after, wanted.small, table)


def cause(exc: Exception) -> str:
    """Return the cause of an exception of Spark: the TaskError of a scan, or the first Python error."""
    text = str(exc)
    found = _TASK_ERROR.search(text) or _PYTHON_ERROR.search(text)
    return found[1] if found else text.partition("\n")[0]
