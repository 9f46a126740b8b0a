# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Back-up and restore files: the committed offsets of groups, as JSON."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import datetime
import json
import os
import tempfile
import typing as t

from . import _input as inputs
from ._errors import TaskError
from ._model import Committed, Offsets, TopicPartition

FORMAT = "kafkaops.groups/backup"
VERSION = 1


@dataclasses.dataclass(frozen=True)
class GroupSnapshot:
    """One group of a back-up: its name, type and state at the time, and all that it had committed."""

    name: str
    type: str
    state: str
    offsets: Offsets


def check_target(path: str) -> None:
    """Raise TaskError, in one sentence, if a back-up cannot be written to `path`."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.lexists(path):
        raise TaskError(
            f"backup: {path} exists already and is never overwritten: name another file. Nothing was changed."
        )
    if not os.path.isdir(folder):
        raise TaskError(f"backup: {folder} is not a folder: create it first. Nothing was changed.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise TaskError(f"backup: no permission to write in {folder}. Nothing was changed.")


def write(path: str, cluster_id: str, groups: c.Iterable[GroupSnapshot]) -> None:
    """Write a back-up whole: mode 0600, synced to disk before it gets its name, never over an existing file.

    Raises:
        TaskError: it could not be written; nothing is left of it.
    """
    check_target(path)
    folder = os.path.dirname(os.path.abspath(path))
    document = {
        "format": FORMAT,
        "version": VERSION,
        "cluster_id": cluster_id,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "groups": [_group_json(group) for group in groups],
    }
    try:
        handle, unnamed = tempfile.mkstemp(prefix=".backup-", dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(document, file, indent=1)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            # unlike a rename, a link never replaces a file that appeared meanwhile
            os.link(unnamed, path)
        finally:
            os.unlink(unnamed)
        _sync_folder(folder)
    except OSError as exc:
        raise TaskError(f"backup: {path} cannot be written ({exc.strerror}). Nothing was changed.") from exc


def _sync_folder(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _group_json(group: GroupSnapshot) -> dict[str, t.Any]:
    return {
        "name": group.name,
        "type": group.type,
        "state": group.state,
        "offsets": [
            {"topic": where.topic, "partition": where.partition, **committed.as_result()}
            for where, committed in sorted(group.offsets.items())
        ],
    }


def read(path: str, cluster_id: str, any_cluster: bool) -> list[GroupSnapshot]:
    """Read a back-up of the cluster `cluster_id`, or of `any_cluster`.

    Raises:
        TaskError: there is no such file, it is not a back-up, or it is another cluster's.
    """
    document = _load(path)
    origin = document.get("cluster_id")
    if origin != cluster_id and not any_cluster:
        raise TaskError(
            f"restore_from: {path} is a back-up of cluster {origin}, and this is cluster {cluster_id}: "
            "set force to true if that is what you want. Nothing was changed."
        )
    try:
        if not isinstance(document["groups"], list):
            raise TypeError("groups is not a list")
        groups = [_group_from_json(group) for group in document["groups"]]
    except (KeyError, TypeError, ValueError) as exc:
        raise TaskError(f"restore_from: {path} is damaged ({type(exc).__name__}: {exc}). Nothing was changed.") from exc
    names = [group.name for group in groups]
    if len(set(names)) != len(names):
        raise TaskError(f"restore_from: {path} is damaged (a group stands in it twice). Nothing was changed.")
    return groups


def _load(path: str) -> dict[str, t.Any]:
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except OSError as exc:
        raise TaskError(f"restore_from: {path} cannot be read ({exc.strerror}). Nothing was changed.") from exc
    except (ValueError, RecursionError) as exc:
        raise TaskError(f"restore_from: {path} is not a back-up: it is not JSON ({exc}). Nothing was changed.") from exc
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise TaskError(f"restore_from: {path} is not a back-up: its format is not {FORMAT}. Nothing was changed.")
    if document.get("version") != VERSION:
        raise TaskError(
            f"restore_from: {path} is of version {document.get('version')}, and this release reads version {VERSION}. "
            "Nothing was changed."
        )
    return document


def _group_from_json(group: dict[str, t.Any]) -> GroupSnapshot:
    offsets: Offsets = {}
    for entry in group["offsets"]:
        topic = _text(entry["topic"])
        if not inputs.TOPIC.fullmatch(topic):
            raise ValueError(f"{topic!r} is not the name of a topic")
        where = TopicPartition(topic, _natural(entry["partition"], inputs.INT32_MAX))
        if where in offsets:
            raise ValueError(f"{where} stands twice in group {group['name']}")
        epoch = entry["leader_epoch"]
        offsets[where] = Committed(
            _natural(entry["offset"], inputs.INT64_MAX),
            -1 if epoch == -1 else _natural(epoch, inputs.INT32_MAX),
            _text(entry["metadata"], empty=True),
        )
    name, kind, state = (_text(group[key]) for key in ("name", "type", "state"))
    return GroupSnapshot(name, kind, state, offsets)


def _natural(value: t.Any, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise ValueError(f"{value!r} is not a number from 0 to {most}")
    return value


def _text(value: t.Any, empty: bool = False) -> str:
    if not isinstance(value, str) or not (value or empty) or len(value.encode("utf-8")) > inputs.MAX_BYTES:
        raise ValueError(f"{value!r:.60} is not a text")
    return value
