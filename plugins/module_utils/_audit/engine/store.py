# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The output folder: each audit is published atomically.

Each audit writes its tables, plan and report to its own folder C(audits/ID), then a manifest. The link C(latest) is
switched to this folder last, atomically; C(plan.json) and C(report.html) are links through C(latest).
"""

from __future__ import annotations

import collections.abc as c
import contextlib
import datetime
import os
import re
import secrets
import shutil

from ..._errors import NothingRead, TaskError
from ..._files import json_file

PLAN = "plan.json"
REPORT = "report.html"
LATEST = "latest"
MANIFEST = "manifest.json"
_AUDITS = "audits"
_KIND = json_file.Kind("manifest", "kafkaops.groups/audit", 1)
# the folder of an audit, or a link before it is renamed
_AUDIT_NAME = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{8}(\.link)?")


class Draft:
    """An audit that is being written.

    Attributes:
        folder: the folder for its files, named after the audit.
        identity: C(cluster_id), C(audit_id) and C(audited_at), so that rows of several audits can be combined.
        rows: the number of rows of each table, for the manifest.
        warnings: problems after the audit was published.
    """

    def __init__(self, folder: str, cluster_id: str, created: datetime.datetime) -> None:
        self.folder = folder
        self.identity = {"cluster_id": cluster_id, "audit_id": os.path.basename(folder), "audited_at": created}
        self.rows: dict[str, int] = {}
        self.warnings: list[str] = []

    def path(self, name: str) -> str:
        """Return the path of a file or table of the audit."""
        return os.path.join(self.folder, name)

    def location(self, name: str) -> str:
        """Return the URI of a table of the audit, for Spark."""
        return f"file://{self.path(name)}"


def check(output: str) -> None:
    """Raise TaskError if an audit would overwrite files in the output folder that are not from an audit."""
    for name, allowed, kind in (
        (_AUDITS, os.path.isdir, "a folder"),
        (LATEST, os.path.islink, "a symbolic link"),
        (PLAN, os.path.isfile, "a file"),
        (REPORT, os.path.isfile, "a file"),
    ):
        path = os.path.join(output, name)
        if os.path.lexists(path) and not (allowed(path) or os.path.islink(path)):
            raise NothingRead(f"output: {path} is not {kind} of an earlier audit: set another folder.")


@contextlib.contextmanager
def new(output: str, cluster_id: str, created: datetime.datetime) -> c.Iterator[Draft]:
    """Publish the audit that the block writes, and remove earlier audits; if the block fails, nothing is changed.

    Only one audit at a time can use the folder, see `process`.

    Raises:
        TaskError: the audit cannot be published.
    """
    audits = os.path.join(output, _AUDITS)
    audit_id = f"{created.astimezone(datetime.UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"
    draft = Draft(os.path.join(audits, audit_id), cluster_id, created)
    try:
        os.makedirs(draft.folder)
        yield draft
        _publish(output, draft, {**_KIND.head(cluster_id, created), "audit_id": audit_id, "tables": draft.rows})
    except BaseException as exc:
        if os.path.realpath(os.path.join(output, LATEST)) != os.path.realpath(draft.folder):
            # remaining files are removed after the next audit
            shutil.rmtree(draft.folder, ignore_errors=True)
        if isinstance(exc, OSError):
            raise TaskError(f"output: {exc.filename or output} cannot be written ({exc.strerror or exc}).") from exc
        raise
    draft.warnings = _remove_others(audits, audit_id)


def _publish(output: str, draft: Draft, manifest: json_file.Document) -> None:
    json_file.save(draft.path(MANIFEST), manifest)
    for folder, _folders, names in os.walk(draft.folder):
        for name in (*names, ""):
            _sync(os.path.join(folder, name))
    _sync(os.path.dirname(draft.folder))
    for name in (PLAN, REPORT):
        _link(output, draft, os.path.join(LATEST, name), name)
    _link(output, draft, os.path.relpath(draft.folder, output), LATEST)
    _sync(output)


def _link(output: str, draft: Draft, target: str, name: str) -> None:
    """Create or replace a link in the output folder atomically."""
    link, temporary = os.path.join(output, name), f"{draft.folder}.link"
    if os.path.islink(link) and os.readlink(link) == target:
        return
    os.symlink(target, temporary)
    os.replace(temporary, link)


def _sync(path: str) -> None:
    """Sync a file or a folder to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_others(audits: str, kept: str) -> list[str]:
    """Remove earlier and incomplete audits; return a warning for each that cannot be removed."""
    problems = []
    for name in sorted(os.listdir(audits)):
        path = os.path.join(audits, name)
        if name == kept or not _AUDIT_NAME.fullmatch(name):
            continue
        try:
            if os.path.islink(path):
                os.unlink(path)
            else:
                shutil.rmtree(path)
        except OSError as exc:
            problems.append(f"{exc.filename or path} of an earlier audit cannot be removed ({exc.strerror})")
    return problems
