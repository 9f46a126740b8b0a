# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The audits of a location: each is published atomically, and earlier ones remain as its history.

Each audit writes its tables, plan and report to its own folder C(audits/ID), then C(manifest.json): an audit without a
manifest does not exist. The latest audit is switched last; see `folders`.
"""

from __future__ import annotations

import collections.abc as c
import contextlib
import datetime
import json
import os
import re
import secrets
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
# of the columns of the tables, as the guide describes them
TABLES_VERSION = 1
SNAPSHOTS = "snapshots"
_AUDITS = "audits"
_KIND = json_file.Kind("manifest", "kafkaops.groups/audit", 1)
# the folder of an audit, or a link before it is renamed
_AUDIT_NAME = re.compile(r"(\d{8}T\d{6}Z)-[0-9a-f]{8}(\.link)?")
_TIME = "%Y%m%dT%H%M%SZ"
# how long an audit without a manifest may still be running on another host
_INCOMPLETE = datetime.timedelta(days=7)


class Audit(t.NamedTuple):
    """An audit of a location, from its manifest.

    Attributes:
        criteria: what the audit was asked for, see `Settings.criteria`.
        complete: whether the topic and all groups of the cluster were read.
    """

    audit_id: str
    cluster_id: str
    created: datetime.datetime
    criteria: dict[str, t.Any]
    complete: bool


class Store:
    """The locations of audits.

    Attributes:
        output: where the tables are.
        local: the folder of this host for the plan and the report; the same as `output` unless that is a URI.
    """

    def __init__(self, output: Folder, local: LocalFolder, keep: Keep) -> None:
        self.output = output
        self.local = local
        self._keep = keep

    @classmethod
    def of(cls, spark: SparkSession, settings: Settings) -> Store:
        """Return the store of an audit; raises TaskError if the location cannot be used."""
        local = LocalFolder(settings.folder, [PLAN, REPORT])
        output = HadoopFolder(spark, settings.output, MANIFEST) if is_uri(settings.output) else local
        return cls(output, local, settings.keep)

    def audits(self, cluster_id: str, until: datetime.datetime) -> list[Audit]:
        """Return the published audits of a cluster that started until a time, oldest first."""
        return _audits(self.output, cluster_id, until)

    def location(self, audit_id: str, table: str) -> str:
        """Return the URI of a table of an audit, for Spark."""
        return self.output.uri(_AUDITS, audit_id, table)

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
        except (PySparkException, Py4JJavaError) as exc:
            raise unusable(self.output.uri(), cause(exc)) from None
        finally:
            # without the permission to delete, old audits remain, which their removal reports
            with contextlib.suppress(OSError, TaskError):
                self.output.remove(name)
        if len(written) < tasks:
            raise unusable(self.output.uri(), "the executors write to it, but this host does not see their files")

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
            "tables": draft.rows,
        }
        atomic_write.put(draft.path(MANIFEST), json_file.lines(manifest), os.replace, 0o644)
        for folder in self._folders:
            for name in (PLAN, REPORT, MANIFEST):
                folder.put(draft.path(name), _AUDITS, draft.audit_id, name)
            try:
                folder.show(_AUDITS, draft.audit_id)
            except TaskError as exc:
                # the audit exists since its manifest exists
                draft.warnings.append(f"the audit is not the latest one in {folder.path()}: {exc}")

    def _discard(self, draft: Draft) -> None:
        """Remove an audit that was not published; what remains is removed after a later audit."""
        for folder in self._folders:
            with contextlib.suppress(OSError, TaskError):
                if not folder.shows(_AUDITS, draft.audit_id):
                    folder.remove(_AUDITS, draft.audit_id)


class Draft:
    """An audit that is being written.

    Attributes:
        identity: C(cluster_id), C(audit_id) and C(audited_at), so that rows of several audits can be combined.
        rows, criteria, complete: for the manifest: the number of rows of each table, and the fields of `Audit`.
        warnings: problems after the audit was published.
    """

    def __init__(self, store: Store, cluster_id: str, created: datetime.datetime) -> None:
        self.audit_id = new_name(created)
        self.cluster_id = cluster_id
        self.created = created
        self.folder = store.local.path(_AUDITS, self.audit_id)
        self.identity = {"cluster_id": cluster_id, "audit_id": self.audit_id, "audited_at": created}
        self.rows: dict[str, int] = {}
        self.criteria: dict[str, t.Any] = {}
        self.complete = False
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
        return self._store.output.path(_AUDITS, self.audit_id, name)


def new_name(created: datetime.datetime) -> str:
    """Return a name for the folder of an audit or a snapshot."""
    return f"{created.astimezone(datetime.UTC):{_TIME}}-{secrets.token_hex(4)}"


def check(output: str, option: str) -> None:
    """Raise TaskError if an audit would overwrite files in a folder of this host that are not from an audit."""
    for name, allowed, kind in (
        (_AUDITS, os.path.isdir, "a folder"),
        (SNAPSHOTS, os.path.isdir, "a folder"),
        (LATEST, os.path.islink, "a symbolic link"),
        (PLAN, os.path.isfile, "a file"),
        (REPORT, os.path.isfile, "a file"),
    ):
        path = os.path.join(output, name)
        if os.path.lexists(path) and not (allowed(path) or os.path.islink(path)):
            raise NothingRead(f"{option}: {path} is not {kind} of an earlier audit: set another folder.")


def _audits(folder: Folder, cluster_id: str, until: datetime.datetime) -> list[Audit]:
    found = []
    for name in folder.names(_AUDITS):
        try:
            text = folder.read(_AUDITS, name, MANIFEST) if _AUDIT_NAME.fullmatch(name) else None
        except (OSError, TaskError):
            # of another user, for example: not an audit to compare with or to remove
            continue
        audit = None if text is None else _audit(name, text)
        if audit is not None and audit.cluster_id == cluster_id and audit.created <= until:
            found.append(audit)
    return sorted(found, key=lambda audit: (audit.created, audit.audit_id))


def _audit(name: str, text: str) -> Audit | None:
    """Return the audit of a folder and its manifest, None if the manifest is from a later release or is damaged."""
    try:
        manifest = json.loads(text)
        if (manifest["format"], manifest["version"], manifest["audit_id"]) != (_KIND.format, _KIND.version, name):
            return None
        created = datetime.datetime.fromisoformat(manifest["created"]).astimezone(datetime.UTC)
        return Audit(name, str(manifest["cluster_id"]), created, manifest["criteria"], manifest["complete"] is True)
    except (KeyError, TypeError, ValueError, RecursionError):
        return None


def _remove_old(folder: Folder, draft: Draft, keep: Keep) -> list[str]:
    """Remove the audits of the cluster that are not kept, and incomplete ones; return a warning for each failure."""
    audits = _audits(folder, draft.cluster_id, draft.created)
    earlier = [audit for audit in audits if audit.audit_id != draft.audit_id]
    kept = keep.of([audit.created for audit in earlier], draft.created)
    old = [audit.audit_id for audit in earlier if audit.created not in kept]
    problems = []
    for name in [*old, *(name for name in folder.names(_AUDITS) if incomplete(folder, _AUDITS, name, draft.created))]:
        try:
            # an audit without a manifest does not exist, even if its removal is interrupted
            folder.remove(_AUDITS, name, MANIFEST)
            folder.remove(_AUDITS, name)
        except OSError as exc:
            where = exc.filename or folder.uri(_AUDITS, name)
            problems.append(f"{where} of an earlier audit cannot be removed ({exc.strerror})")
        except TaskError as exc:
            problems.append(f"{folder.uri(_AUDITS, name)} of an earlier audit cannot be removed: {exc}")
    return problems


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
