# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The audits of a location: each is published atomically, and earlier ones remain as its history.

Each audit writes its tables, plan and report to its own folder C(audits/ID), then C(manifest.json): an audit without a
manifest does not exist. The latest audit is switched last; see `folders`.
"""

from __future__ import annotations

import collections.abc as c
import concurrent.futures
import contextlib
import datetime
import json
import os
import re
import secrets
import shutil
import socket
import tempfile
import typing as t

from ..._errors import NothingRead, TaskError
from ..._files import atomic_write, json_file
from ..libraries import Py4JJavaError, PySparkException, SparkSession
from .folders import LATEST, Folder, HadoopFolder, LocalFolder, cause, is_uri, unusable
from .settings import Keep, Settings

PLAN = "plan.json"
REPORT = "report.html"
MANIFEST = "manifest.json"
PARQUET, ICEBERG = "parquet", "iceberg"
# of tables; Spark requires JARs for all but the first
FORMATS = (PARQUET, "delta", ICEBERG)
# of the columns of the tables, as the guide describes them
TABLES_VERSION = 1
AUDITS = "audits"
SNAPSHOTS = "snapshots"
# the folder with the state of an incremental audit, beside its tables
STATE = "state"
_KIND = json_file.Kind("manifest", "kafkaops.groups/audit", 1)
# the folder of an audit, or a link before it is renamed
_AUDIT_NAME = re.compile(r"(\d{8}T\d{6}Z)-[0-9a-f]{8}(\.link)?")
_TIME = "%Y%m%dT%H%M%SZ"
# the executor of a task that failed, unless it is this process
_FAILED_ON = re.compile(r"\((\S+) executor (?!driver\b)\S+\)")
# an error class of Spark
_WRITE_FAILED = "[TASK_WRITE_FAILED]"
# how long an audit without a manifest may still be running on another host
_INCOMPLETE = datetime.timedelta(days=7)
# manifests that are read at the same time, which takes long from an object store
READERS = 16


class Audit(t.NamedTuple):
    """An audit of a location, from its manifest.

    Attributes:
        criteria: what the audit was asked for, see `Settings.criteria`.
        complete: whether the topic and all groups of the cluster were read.
        rows: the number of rows of each table.
        state: what the manifest contains of its state, see C(state.py); None without a state.
        table_format: of the tables.
    """

    audit_id: str
    cluster_id: str
    created: datetime.datetime
    criteria: dict[str, t.Any]
    complete: bool
    rows: dict[str, int]
    state: dict[str, t.Any] | None = None
    table_format: str = PARQUET


class Store:
    """The locations of audits.

    Attributes:
        output: where the tables are.
        local: the folder of this host for the plan and the report; the same as `output` unless that is a URI.
        table_format: of the tables of new audits.
    """

    def __init__(self, output: Folder, local: LocalFolder, keep: Keep, table_format: str = PARQUET) -> None:
        self.output = output
        self.local = local
        self.table_format = table_format
        self._keep = keep

    @classmethod
    def of(cls, spark: SparkSession, settings: Settings) -> Store:
        """Return the store of an audit; raises TaskError if the location cannot be used."""
        local = LocalFolder(settings.folder, [PLAN, REPORT])
        output = HadoopFolder(spark, settings.output, MANIFEST) if is_uri(settings.output) else local
        return cls(output, local, settings.keep, settings.table_format)

    def audits(self, cluster_id: str, until: datetime.datetime) -> list[Audit]:
        """Return the published audits of a cluster that started until a time, oldest first."""
        return _audits(self.output, cluster_id, until)

    def location(self, audit_id: str, table: str) -> str:
        """Return the URI of a table of an audit, for Spark."""
        return self.output.uri(AUDITS, audit_id, table)

    @contextlib.contextmanager
    def draft(self, cluster_id: str, created: datetime.datetime) -> c.Iterator[Draft]:
        """Publish the audit that the block writes, and remove old audits; if the block fails, nothing is changed.

        Only one audit at a time can use the local folder, see `process`.

        Raises:
            TaskError: the audit cannot be published.
        """
        draft = Draft(self, cluster_id, created)
        try:
            os.makedirs(draft.folder)
            yield draft
            self._publish(draft)
        except BaseException as exc:
            self._discard(draft)
            # a connection is the one to Java
            if isinstance(exc, OSError) and not isinstance(exc, ConnectionError):
                where = exc.filename or self.local.root
                raise TaskError(f"output: {where} cannot be written ({exc.strerror or exc}).") from exc
            if isinstance(exc, (PySparkException, Py4JJavaError)) and _WRITE_FAILED in str(exc):
                raise TaskError(f"The tables cannot be written to {self.output.path()} ({cause(exc)}).") from exc
            raise
        for folder in self._folders:
            try:
                draft.warnings += _remove_old(folder, draft, self._keep)
            except (OSError, TaskError) as exc:
                draft.warnings.append(f"earlier audits in {folder.path()} cannot be removed ({exc})")

    def probe(self, spark: SparkSession) -> None:
        """Let each core of the executors and this host write to the location.

        Raises:
            TaskError: one of them cannot write, or this host does not see the files of the others.
        """
        tasks = spark.sparkContext.defaultParallelism
        name = f".probe-{secrets.token_hex(4)}"
        try:
            spark.range(tasks, numPartitions=tasks).write.parquet(self.output.uri(name))
            written = [file for file in self.output.names(name) if file.startswith("part-")]
            with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
                # once more, because an audit replaces the manifest of the latest one
                for _time in range(2):
                    self.output.put(file.name, name, MANIFEST)
            if len(written) < tasks:
                hosts = self._with_other_folders(spark, name, tasks)
                self._remove_on_executors(spark, name, tasks)
                who = f"the executors on {', '.join(hosts)}" if hosts else "the executors"
                raise unusable(self.output.uri(), f"{who} write to it, but this host does not see their files")
        except (PySparkException, Py4JJavaError) as exc:
            failed = _FAILED_ON.search(str(exc))
            self._remove_on_executors(spark, name, tasks)
            raise unusable(self.output.uri(), cause(exc), f"the executor on {failed[1]}" if failed else "") from None
        finally:
            # without the permission to delete, old audits remain, which their removal reports
            with contextlib.suppress(OSError, TaskError):
                self.output.remove(name)

    def _with_other_folders(self, spark: SparkSession, name: str, tasks: int) -> list[str]:
        """Return the hosts of executors that do not see what this host wrote, none if they have no Python."""
        manifest = self.output.path(name, MANIFEST)
        return _on_executors(spark, tasks, lambda: None if os.path.exists(manifest) else socket.gethostname())

    def _remove_on_executors(self, spark: SparkSession, name: str, tasks: int) -> None:
        """Remove what the executors wrote to folders of their own."""
        path = self.output.path(name)
        if self.output is self.local:
            _on_executors(spark, tasks, lambda: shutil.rmtree(path, ignore_errors=True))

    @property
    def _folders(self) -> list[Folder]:
        return [self.output] if self.output is self.local else [self.output, self.local]

    def _publish(self, draft: Draft) -> None:
        manifest = {
            **_KIND.head(draft.cluster_id, draft.created),
            "audit_id": draft.audit_id,
            "criteria": draft.criteria,
            "complete": draft.complete,
            "tables_version": TABLES_VERSION,
            "table_format": draft.table_format,
            "tables": draft.rows,
            **({} if draft.state is None else {"state": draft.state}),
        }
        atomic_write.put(draft.path(MANIFEST), json_file.lines(manifest), os.replace, 0o644)
        # a full disk of this host fails before the audit exists elsewhere
        self.local.sync(AUDITS, draft.audit_id)
        for name in (PLAN, REPORT, MANIFEST):
            self.output.put(draft.path(name), AUDITS, draft.audit_id, name)
        # after the audit exists, because the next tasks read this plan
        self.local.show(AUDITS, draft.audit_id)
        if self.output is not self.local:
            try:
                self.output.show(AUDITS, draft.audit_id)
            except TaskError as exc:
                draft.warnings.append(f"the audit is not the latest one in {self.output.path()}: {exc}")

    def _discard(self, draft: Draft) -> None:
        """Remove an audit that this host does not show; what remains is removed after a later audit."""
        if self.local.shows(AUDITS, draft.audit_id):
            return
        for folder in self._folders:
            with contextlib.suppress(OSError, TaskError):
                # an audit without a manifest does not exist, even if its removal is interrupted
                folder.remove(AUDITS, draft.audit_id, MANIFEST)
                folder.remove(AUDITS, draft.audit_id)


def _on_executors(spark: SparkSession, tasks: int, run: c.Callable[[], str | None]) -> list[str]:
    """Run a function in tasks; return the different results that are not None, nothing if the executors fail."""
    with contextlib.suppress(PySparkException, Py4JJavaError):
        found = spark.sparkContext.parallelize(range(tasks), tasks).map(lambda _task: run()).collect()
        return sorted({one for one in found if one is not None})
    return []


class Draft:
    """An audit that is being written.

    Attributes:
        identity: C(cluster_id), C(audit_id) and C(audited_at), so that rows of several audits can be combined.
        output, table_format: where the tables are, and their format.
        rows, criteria, complete, state: for the manifest: the number of rows of each table, and the fields of `Audit`.
        warnings: problems after the audit was published.
    """

    def __init__(self, store: Store, cluster_id: str, created: datetime.datetime) -> None:
        self.audit_id = new_name(created)
        self.cluster_id = cluster_id
        self.created = created
        self.folder = store.local.path(AUDITS, self.audit_id)
        self.identity = {"cluster_id": cluster_id, "audit_id": self.audit_id, "audited_at": created}
        self.output = store.output
        self.table_format = store.table_format
        self.rows: dict[str, int] = {}
        self.criteria: dict[str, t.Any] = {}
        self.complete = False
        self.state: dict[str, t.Any] | None = None
        self.warnings: list[str] = []
        self._store = store

    def path(self, name: str) -> str:
        """Return the path of a file of the audit on this host."""
        return os.path.join(self.folder, name)

    def location(self, table: str) -> str:
        """Return the URI of a table of the audit, for Spark."""
        return self._store.location(self.audit_id, table)

    def table(self, name: str) -> str:
        """Return the location of a table of the audit, as users write it."""
        return self._store.output.path(AUDITS, self.audit_id, name)


def new_name(created: datetime.datetime) -> str:
    """Return a name for the folder of an audit or a snapshot."""
    return f"{created.astimezone(datetime.UTC):{_TIME}}-{secrets.token_hex(4)}"


def check(output: str, option: str) -> None:
    """Raise TaskError if an audit would overwrite files in a folder of this host that are not from an audit."""
    for name, allowed, kind in (
        (AUDITS, os.path.isdir, "a folder"),
        (SNAPSHOTS, os.path.isdir, "a folder"),
        (LATEST, os.path.islink, "a symbolic link"),
        (PLAN, os.path.isfile, "a file"),
        (REPORT, os.path.isfile, "a file"),
    ):
        path = os.path.join(output, name)
        if os.path.lexists(path) and not (allowed(path) or os.path.islink(path)):
            raise NothingRead(f"{option}: {path} is not {kind} of an earlier audit: set another folder.")


def survey(folder: Folder) -> tuple[list[Audit], dict[str, str]]:
    """Return the published audits of all clusters, oldest first, and why each of the others cannot be read."""
    names = [name for name in folder.names(AUDITS) if (found := _AUDIT_NAME.fullmatch(name)) and not found[2]]
    with concurrent.futures.ThreadPoolExecutor(READERS) as pool:
        read = dict(zip(names, pool.map(lambda name: _published(folder, name), names), strict=True))
    audits = [audit for audit in read.values() if isinstance(audit, Audit)]
    return (
        sorted(audits, key=lambda audit: (audit.created, audit.audit_id)),
        {name: problem for name, problem in read.items() if isinstance(problem, str)},
    )


def _audits(folder: Folder, cluster_id: str, until: datetime.datetime) -> list[Audit]:
    # an audit of another user, for example, is not one to compare with or to remove
    audits, _unreadable = survey(folder)
    return [audit for audit in audits if audit.cluster_id == cluster_id and audit.created <= until]


def _published(folder: Folder, name: str) -> Audit | str:
    """Return the audit of a folder, or why it cannot be read."""
    try:
        text = folder.read(AUDITS, name, MANIFEST)
    except (OSError, TaskError) as exc:
        # without the ID of the request, which is another one each time, and would change the page of a fleet
        why = exc.strerror if isinstance(exc, OSError) else str(exc).partition(" (Service: ")[0]
        return f"{MANIFEST} cannot be read ({why})"
    if text is None:
        return f"it has no {MANIFEST}: it is still running, or ended early"
    try:
        return _audit(name, json.loads(text))
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError):
        return f"{MANIFEST} is damaged, or of another release"


def _audit(name: str, manifest: dict[str, t.Any]) -> Audit:
    """Return the audit of a folder and its manifest; raises AttributeError, KeyError, TypeError or ValueError."""
    if (manifest["format"], manifest["version"], manifest["audit_id"]) != (_KIND.format, _KIND.version, name):
        raise ValueError(name)
    if manifest["tables_version"] > TABLES_VERSION:
        raise ValueError(manifest["tables_version"])
    # manifests of earlier releases do not contain it
    table_format = manifest.get("table_format", PARQUET)
    if table_format not in FORMATS:
        raise ValueError(table_format)
    state = manifest.get("state")
    return Audit(
        name,
        str(manifest["cluster_id"]),
        datetime.datetime.fromisoformat(manifest["created"]).astimezone(datetime.UTC),
        dict(manifest["criteria"]),
        manifest["complete"] is True,
        {table: int(number) for table, number in manifest["tables"].items()},
        state if isinstance(state, dict) else None,
        table_format,
    )


def _remove_old(folder: Folder, draft: Draft, keep: Keep) -> list[str]:
    """Remove the audits of the cluster that are not kept, and incomplete ones; return a warning for each failure."""
    audits = _audits(folder, draft.cluster_id, draft.created)
    earlier = [audit for audit in audits if audit.audit_id != draft.audit_id]
    kept = keep.of([audit.created for audit in earlier], draft.created)
    old = [audit.audit_id for audit in earlier if audit.created not in kept]
    gone = [*old, *(name for name in folder.names(AUDITS) if incomplete(folder, AUDITS, name, draft.created))]
    # an audit without a manifest does not exist, even if its removal is interrupted
    removed: list[tuple[tuple[str, ...], ...]] = [((name, MANIFEST), (name,)) for name in gone]
    removed += [((name, STATE),) for name in _superseded(earlier, draft) if name not in old]
    problems = []
    for paths in removed:
        try:
            for path in paths:
                folder.remove(AUDITS, *path)
        except OSError as exc:
            where = exc.filename or folder.uri(AUDITS, *paths[-1])
            problems.append(f"{where} of an earlier audit cannot be removed ({exc.strerror})")
        except TaskError as exc:
            problems.append(f"{folder.uri(AUDITS, *paths[-1])} of an earlier audit cannot be removed: {exc}")
    return problems


def _superseded(earlier: list[Audit], draft: Draft) -> list[str]:
    """Return the audits whose states that of the draft replaces."""
    if draft.state is None:
        return []
    topic = draft.state["topic"]
    return [audit.audit_id for audit in earlier if audit.state and audit.state.get("topic") == topic]


def incomplete(folder: Folder, place: str, name: str, now: datetime.datetime) -> bool:
    """Return whether a name is an audit, or a snapshot, that ended before its manifest was written."""
    found = _AUDIT_NAME.fullmatch(name)
    if found is None or folder.read(place, name, MANIFEST) is not None:
        return False
    try:
        started = datetime.datetime.strptime(found[1], _TIME).replace(tzinfo=datetime.UTC)
    except ValueError:
        return False
    return folder.exclusive or started < now - _INCOMPLETE
