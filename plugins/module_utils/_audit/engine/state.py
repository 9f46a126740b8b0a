# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The state of an incremental audit: the latest record of each key, and the marks up to which the topic was read.

The state is one more partial result of the scan. It is written beside the tables of its audit, and its marks are in the
manifest. The next incremental audit reads only the records after the marks, and combines them with the state.
"""

from __future__ import annotations

import collections.abc as c
import dataclasses
import datetime
import functools
import typing as t

from ..._errors import TaskError
from ..ingest import merge, merge_here, records, spark_read
from ..ingest.marks import Marks
from ..ingest.spark_read import Scanned
from ..ingest.splits import Ended
from ..libraries import DataFrame, F, Observation, Py4JJavaError, PySparkException, SparkSession, StorageLevel, pa
from ..libraries import from_arrow_schema as spark_schema
from .folders import Folder, cause
from .settings import Settings
from .spark import interpret_queries, stage
from .store import AUDITS, STATE, Audit, Draft, Store

# of the rows and of the manifest: increased if rows of an earlier release cannot be combined with those of this one
VERSION = 2
# how many days of activity are kept at least; see `merge.kept`
DAYS = 400
_DAY_MS = 86_400_000
# limits of a state that this process combines, which is quicker than Spark; the bytes are those of its files
_ROWS_HERE, _BYTES_HERE = 250_000, 16 * 1024 * 1024
# rows of a state that Spark judges quicker without compiled code
_FEW_ROWS = 50_000
_EPOCH = datetime.date(1970, 1, 1)


class Kept(t.NamedTuple):
    """The state of an earlier audit.

    Attributes:
        rows: the number of its rows.
        files: the bytes of its files, by their names.
    """

    audit_id: str
    marks: Marks
    rows: int
    files: dict[str, int]


class Unusable(t.NamedTuple):
    """Why no state can be used; `expected` if there never was one."""

    reason: str
    expected: bool = False


@dataclasses.dataclass(frozen=True)
class Reading:
    """What an incremental audit has read.

    Attributes:
        rows: one for each key, and one for each group and day.
        ended: the read status of what was read now.
        since: the audit whose state was continued; None if the whole topic was read.
        unusable: why the whole topic was read.
        before: the number of rows of the state that was continued.
        small: whether a small topic was read, and continued from a small state.
    """

    rows: DataFrame
    ended: list[Ended]
    since: str | None
    unusable: Unusable | None
    before: int
    combined: DataFrame
    marks: Marks | None
    small: bool

    @property
    def warnings(self) -> list[str]:
        """Return why the whole topic was read, unless this was expected."""
        if self.unusable is None or self.unusable.expected:
            return []
        return [f"the whole topic was read: {self.unusable.reason}"]

    def returned(self) -> dict[str, t.Any]:
        """Return how the topic was read, as the module does."""
        return {"since": self.since, "reason": self.unusable and self.unusable.reason}

    def write(self, settings: Settings, draft: Draft) -> None:
        """Write the state of this audit, if a later one can continue."""
        if self.marks is None or not self.marks.topic_id:
            return
        stage(self.combined.sparkSession, "Write the state")
        rows = Observation()
        # an older commit makes no difference to an audit with the same criteria
        days = max(DAYS, settings.stale_after_ms // _DAY_MS + 2)
        oldest = (draft.created.date() - _EPOCH).days - days
        observed = merge.kept(self.combined, oldest).observe(rows, F.count(F.lit(1)).alias("rows"))
        _coalesced(observed).write.parquet(draft.location(STATE))
        files = _files(draft.output, draft.audit_id)
        draft.state = document(settings.topic, self.marks, rows.get["rows"], files)


def document(topic: str, marks: Marks, rows: int, files: dict[str, int]) -> dict[str, t.Any]:
    """Return what the manifest contains of a state."""
    partitions = {str(partition): [marks.starts[partition], end] for partition, end in sorted(marks.ends.items())}
    return {
        "version": VERSION,
        "topic": topic,
        "began": marks.began,
        "topic_id": marks.topic_id,
        "rows": rows,
        "files": files,
        "partitions": partitions,
    }


def newest(audits: c.Sequence[Audit], topic: str) -> Kept | Unusable:
    """Return the newest state of a topic.

    Args:
        audits: the audits of the cluster, oldest first.
    """
    found = next((audit for audit in reversed(audits) if audit.state and audit.state.get("topic") == topic), None)
    if found is None or found.state is None:
        return Unusable(f"there is no state of an earlier audit of {topic}", expected=True)
    name = f"the state of the audit {found.audit_id}"
    if found.state.get("version") != VERSION:
        return Unusable(f"{name} has version {found.state.get('version')}, and not {VERSION}")
    try:
        places = {int(number): (int(start), int(end)) for number, (start, end) in found.state["partitions"].items()}
        starts = {number: start for number, (start, _end) in places.items()}
        ends = {number: end for number, (_start, end) in places.items()}
        marks = Marks(float(found.state["began"]), str(found.state["topic_id"]), starts, ends)
        files = {str(name): int(size) for name, size in found.state["files"].items()}
        return Kept(found.audit_id, marks, int(found.state["rows"]), files)
    except (KeyError, TypeError, ValueError, AttributeError):
        return Unusable(f"{name} is damaged: its manifest is not valid")


def read(
    spark: SparkSession, settings: Settings, stored: Store, cluster_id: str, created: datetime.datetime
) -> Reading:
    """Read what came after the newest state in the location, or the whole topic.

    Args:
        created: the start of the audit.

    Raises:
        TaskError: the topic cannot be read.
        PySparkException: an executor cannot read it.
    """
    scan = functools.partial(
        spark_read.read,
        spark,
        settings.connection,
        settings.topic,
        settings.deadline,
        settings.client_rack,
        settings.read_rate,
        keyed=True,
    )
    kept = _find(stored, cluster_id, created, settings.topic)
    if isinstance(kept, Unusable):
        return _whole(scan(), kept)
    try:
        earlier = _load(spark, stored, kept)
    except (PySparkException, Py4JJavaError, OSError, TaskError) as exc:
        return _whole(scan(), _damaged(kept, exc))
    scanned = scan(earlier=kept.marks)
    if not scanned.origin.continued:
        return _whole(scanned, Unusable(f"since the audit {kept.audit_id}, {scanned.origin.obstacle}"))
    stage(spark, "Combine what was read with the state")
    small = scanned.small and kept.rows <= _FEW_ROWS
    if small:
        interpret_queries(spark, settings)
    try:
        rows = _combined(spark, kept, earlier, scanned)
    except (PySparkException, Py4JJavaError, pa.ArrowException, ValueError) as exc:
        scanned.rows.unpersist()
        return _whole(scan(), _damaged(kept, exc))
    return Reading(_judged(rows), scanned.ended, kept.audit_id, None, kept.rows, rows, scanned.marks, small)


def _combined(spark: SparkSession, kept: Kept, earlier: DataFrame, scanned: Scanned) -> DataFrame:
    """Return the rows of a state and of what was read after it; reads all of the state, or raises why it cannot."""
    if scanned.table is not None and kept.rows <= _ROWS_HERE and sum(kept.files.values()) <= _BYTES_HERE:
        schema = records.schema()
        state = earlier.select(schema.names).toArrow().cast(schema)
        return spark_read.local_rows(spark, merge_here.continued(state, scanned.table))
    rows = _coalesced(merge.continued(earlier, scanned.rows, scanned.small)).persist(StorageLevel.MEMORY_AND_DISK)
    try:
        rows.count()
    except (PySparkException, Py4JJavaError):
        rows.unpersist()
        raise
    return rows


def _find(stored: Store, cluster_id: str, created: datetime.datetime, topic: str) -> Kept | Unusable:
    try:
        return newest(stored.audits(cluster_id, created), topic)
    except (OSError, TaskError) as exc:
        return Unusable(f"earlier audits cannot be read: {exc}")


def _load(spark: SparkSession, stored: Store, kept: Kept) -> DataFrame:
    """Return the rows of a state; raises TaskError if a file is missing or has changed, or an exception of Spark."""
    reader = spark.read.schema(spark_schema(records.schema()))
    # whatever is configured
    complete = reader.option("ignoreMissingFiles", "false").option("ignoreCorruptFiles", "false")
    rows = complete.parquet(stored.location(kept.audit_id, STATE))
    # of its own accord, Spark reads what is there, without files that are empty
    if _files(stored.output, kept.audit_id) != kept.files:
        raise TaskError("its files are not those that were written")
    return rows


def _files(folder: Folder, audit_id: str) -> dict[str, int]:
    found = folder.sizes(AUDITS, audit_id, STATE)
    return {name: size for name, size in found.items() if name.startswith("part-")}


def _coalesced(rows: DataFrame) -> DataFrame:
    """Return the rows in as many partitions as are useful: a union has the partitions of all of its parts."""
    spark = rows.sparkSession
    shuffled = int(str(spark.conf.get("spark.sql.shuffle.partitions")))
    return rows.coalesce(max(shuffled, spark_read.cores(spark).number))


def _damaged(kept: Kept, exc: Exception) -> Unusable:
    why = str(exc) if isinstance(exc, TaskError) else cause(exc)
    return Unusable(f"the state of the audit {kept.audit_id} cannot be read: {why}")


def _whole(scanned: Scanned, why: Unusable) -> Reading:
    return Reading(_judged(scanned.rows), scanned.ended, None, why, 0, scanned.rows, scanned.marks, scanned.small)


def _judged(rows: DataFrame) -> DataFrame:
    return rows.filter(F.col("kind") != records.GENERATIONS)
