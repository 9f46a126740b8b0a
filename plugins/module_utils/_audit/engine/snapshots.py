# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The snapshots of a location, beside its audits: each has the folder C(snapshots/ID), and exists with its manifest.

A snapshot is kept longer than the audit that took it. It exists even if that audit fails later.
"""

from __future__ import annotations

import collections.abc as c
import concurrent.futures
import datetime
import json
import os
import tempfile
import typing as t

from ..._errors import TaskError
from ..._files import atomic_write, json_file
from ..libraries import DataFrame, F, SparkSession
from .folders import Folder
from .settings import Settings
from .store import MANIFEST, READERS, SNAPSHOTS, incomplete, new_name

GROUPS, OFFSETS, PARTITIONS = "groups", "offsets", "partitions"
# of the columns of the tables, as the guide describes them
VERSION = 1
_KIND = json_file.Kind("snapshot", "kafkaops.groups/snapshot", VERSION)
_ROWS_PER_FILE = 1_000_000


class Snapshot(t.NamedTuple):
    """A snapshot of a cluster; `complete` is whether all brokers listed their groups."""

    snapshot_id: str
    taken_at: datetime.datetime
    complete: bool


class Snapshots:
    """The snapshots of a cluster in a location.

    Attributes:
        cluster_id: other clusters can use the same location.
    """

    def __init__(self, output: Folder, cluster_id: str) -> None:
        self.cluster_id = cluster_id
        self._output = output

    def listed(self) -> list[Snapshot]:
        """Return the snapshots, oldest first."""
        with concurrent.futures.ThreadPoolExecutor(READERS) as pool:
            found = [one for one in pool.map(self._read, self._output.names(SNAPSHOTS)) if one is not None]
        return sorted(found, key=lambda snapshot: snapshot.taken_at)

    def _read(self, name: str) -> Snapshot | None:
        """Return a snapshot, None if it is of another cluster or not complete."""
        try:
            text = self._output.read(SNAPSHOTS, name, MANIFEST)
        except (OSError, TaskError) as exc:
            # a snapshot that is left out could be the one that shows a group in use
            raise TaskError(
                f"output: the snapshot {self._output.path(SNAPSHOTS, name)} cannot be read ({exc})."
            ) from exc
        return None if text is None else self._parsed(name, text)

    def _parsed(self, name: str, text: str) -> Snapshot | None:
        """Return the snapshot of a manifest, None if it is of another cluster.

        Raises:
            TaskError: the manifest is damaged, or of a later release.
        """
        try:
            manifest = json.loads(text)
            if manifest["cluster_id"] != self.cluster_id:
                return None
            if (manifest["format"], manifest["version"]) != (_KIND.format, _KIND.version):
                raise ValueError(f"its format is {manifest['format']}, version {manifest['version']}")
            if manifest["snapshot_id"] != name:
                raise ValueError(f"it is a copy of {manifest['snapshot_id']}")
            taken_at = datetime.datetime.fromisoformat(manifest["taken_at"]).astimezone(datetime.UTC)
            return Snapshot(name, taken_at, manifest["complete"] is True)
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as exc:
            where = self._output.path(SNAPSHOTS, name)
            raise TaskError(
                f"output: the snapshot {where} cannot be read ({type(exc).__name__}: {exc}): use the release of the "
                "collection that wrote it, or remove the folder."
            ) from exc

    def check_clock(self, now: datetime.datetime) -> None:
        """Raise TaskError if a snapshot is of a later time: since when a group is idle would be wrong."""
        last = self.listed()[-1:]
        if last and last[0].taken_at >= now:
            raise TaskError(
                f"output: the snapshot {self._output.path(SNAPSHOTS, last[0].snapshot_id)} of this cluster is of "
                f"{last[0].taken_at.isoformat(timespec='seconds')}, but the clock of this host says "
                f"{now.isoformat(timespec='seconds')}: correct the clock; if the time of the snapshot is wrong, remove "
                "its folder."
            )

    def add(self, taken_at: datetime.datetime, complete: bool, tables: c.Mapping[str, DataFrame], rows: int) -> None:
        """Write a snapshot.

        Args:
            rows: of the largest table.

        Raises:
            TaskError: it cannot be written.
            PySparkException: Spark cannot write it.
        """
        name = new_name(taken_at)
        identity = [F.lit(self.cluster_id).alias("cluster_id"), F.lit(taken_at).alias("taken_at")]
        # so that years of snapshots are not many small files
        files = 1 + rows // _ROWS_PER_FILE
        for table, frame in tables.items():
            complete_rows = frame.select(*identity, "*").coalesce(files)
            complete_rows.write.parquet(self._output.uri(SNAPSHOTS, name, table))
        manifest = {
            **_KIND.head(self.cluster_id, taken_at),
            "snapshot_id": name,
            "taken_at": taken_at.isoformat(),
            "complete": complete,
        }
        try:
            with tempfile.TemporaryDirectory() as folder:
                source = os.path.join(folder, MANIFEST)
                atomic_write.put(source, json_file.lines(manifest), os.replace, 0o644)
                self._output.sync(SNAPSHOTS, name)
                self._output.put(source, SNAPSHOTS, name, MANIFEST)
                self._output.sync(SNAPSHOTS, name)
        except OSError as exc:
            where = self._output.path(SNAPSHOTS, name)
            raise TaskError(f"output: the snapshot {where} cannot be written ({exc.strerror or exc}).") from exc

    def table(self, spark: SparkSession, snapshots: c.Sequence[Snapshot], table: str) -> DataFrame:
        """Return the rows of a table of some snapshots, each with C(taken_at)."""
        first = spark.read.parquet(self._output.uri(SNAPSHOTS, snapshots[-1].snapshot_id, table))
        paths = [self._output.uri(SNAPSHOTS, snapshot.snapshot_id, table) for snapshot in snapshots]
        return spark.read.schema(first.schema).parquet(*paths).drop("cluster_id")

    def remove_old(self, wanted: Settings, now: datetime.datetime) -> list[str]:
        """Remove snapshots that are not kept, and incomplete ones; return a warning for each failure."""
        try:
            names = self._old(wanted, now)
        except (OSError, TaskError) as exc:
            return [f"earlier snapshots cannot be removed: {exc}"]
        problems = []
        for name in names:
            try:
                # a snapshot without a manifest does not exist, even if its removal is interrupted
                self._output.remove(SNAPSHOTS, name, MANIFEST)
                self._output.remove(SNAPSHOTS, name)
            except (OSError, TaskError) as exc:
                problems.append(f"the snapshot {self._output.path(SNAPSHOTS, name)} cannot be removed: {exc}")
        return problems

    def _old(self, wanted: Settings, now: datetime.datetime) -> list[str]:
        """Return the names of the snapshots to remove."""
        snapshots = self.listed()
        kept = needed(wanted, [snapshot.taken_at for snapshot in snapshots], now)
        old = [snapshot.snapshot_id for snapshot in snapshots if snapshot.taken_at not in kept]
        others = set(self._output.names(SNAPSHOTS)).difference(snapshot.snapshot_id for snapshot in snapshots)
        return [*old, *(name for name in sorted(others) if incomplete(self._output, SNAPSHOTS, name, now))]


def needed(wanted: Settings, taken: c.Sequence[datetime.datetime], now: datetime.datetime) -> set[datetime.datetime]:
    """Return the times of the snapshots to keep, of these, oldest first.

    These are the snapshots younger than C(keep_snapshots_for), and those that C(stale_after) and C(min_snapshots)
    need: all within C(stale_after), the last one before, and the last C(min_snapshots).
    """
    if wanted.snapshots is None:
        return set(taken)
    limit = now - datetime.timedelta(milliseconds=wanted.stale_after_ms)
    young = now - datetime.timedelta(milliseconds=wanted.snapshots.keep_for_ms)
    before = [time for time in taken if time < limit][-1:]
    return {time for time in taken if time >= min(limit, young)} | {*before, *taken[-wanted.snapshots.least :]}
