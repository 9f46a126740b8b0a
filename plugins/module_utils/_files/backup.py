# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Back-up files: the offsets of groups, the ids of their topics, and removed settings of groups, as JSON."""

from __future__ import annotations

import collections.abc as c
import datetime
import types
import typing as t

from .. import _input as inputs
from .._errors import NothingChanged
from .._kafka.model import Committed, GroupSnapshot, Offsets
from . import json_file, new_file

T = t.TypeVar("T")

BACKUP = json_file.Kind("back-up", "kafkaops.groups/backup", 2, earlier=(1,))

TopicIds = dict[str, str | None]  # pylint: disable=unsupported-binary-operation
"""The id of each topic, None for one that did not exist; one whose id is not known is missing."""

GroupSettings = c.Mapping[str, c.Mapping[str, str]]
"""The value of each setting, by group."""

_NO_SETTINGS: GroupSettings = types.MappingProxyType({})
_TYPES = ("classic", "consumer", "share", "streams")


class Backup(t.NamedTuple):
    """What a back-up file holds; `topics` is empty in one of version 1.

    Attributes:
        settings: those that were removed; also of groups that did not exist.
    """

    cluster_id: str
    topics: TopicIds
    groups: dict[str, GroupSnapshot]
    settings: GroupSettings = _NO_SETTINGS


def write(
    path: str,
    cluster_id: str,
    topics: TopicIds,
    groups: c.Iterable[GroupSnapshot],
    settings: GroupSettings = _NO_SETTINGS,
) -> None:
    """Write a back-up whole: mode 0600, synced to disk before it gets its name, never over an existing file.

    Raises:
        TaskError: it could not be written; nothing is left of it, or the sentence says what is.
    """
    backup = {
        **BACKUP.head(cluster_id, datetime.datetime.now(datetime.UTC)),
        "topics": [{"name": name, "id": topic_id} for name, topic_id in sorted(topics.items())],
        "groups": [_group_json(group) for group in groups],
        "settings": [{"group": name, "values": dict(values)} for name, values in sorted(settings.items())],
    }
    new_file.write(path, json_file.lines(backup), "backup")


def rehearse(
    path: str,
    cluster_id: str,
    topics: TopicIds,
    groups: c.Iterable[GroupSnapshot],
    settings: GroupSettings = _NO_SETTINGS,
) -> None:
    """Write a back-up and remove it: check mode fails where the real run would; raises as `write` does."""
    write(path, cluster_id, topics, groups, settings)
    new_file.remove(path, f"backup: {path} was written as a trial")


def _group_json(group: GroupSnapshot) -> dict[str, t.Any]:
    return {
        "name": group.name,
        "type": group.type,
        "state": group.state,
        "offsets": [{**where._asdict(), **committed.as_result()} for where, committed in sorted(group.offsets.items())],
    }


def read(path: str, cluster_id: str, any_cluster: bool) -> Backup:
    """Read a back-up of the cluster `cluster_id`, or of `any_cluster`.

    Raises:
        TaskError: there is no such file, it is not a back-up, or it is another cluster's.
    """
    backup = json_file.load(path, "restore.path", BACKUP)
    origin = backup.get("cluster_id")
    if origin != cluster_id and not any_cluster:
        raise NothingChanged(
            f"restore.path: {path} is a back-up of cluster {origin}, and this is cluster {cluster_id}: "
            "set restore.any_cluster to true if that is what you want."
        )
    with json_file.undamaged(path, "restore.path"):
        found = json_file.array(backup["topics"], "topics") if backup["version"] > 1 else []
        topics = _unique((json_file.topic(entry["name"]), _topic_id(entry["id"])) for entry in found)
        groups = [_group_from_json(group) for group in json_file.array(backup["groups"], "groups")]
        # missing in files of earlier releases
        removed = json_file.array(backup.get("settings", []), "settings")
        settings = _unique((json_file.text(entry["group"]), _values(entry["values"])) for entry in removed)
        return Backup(str(origin), topics, _unique((group.name, group) for group in groups), settings)


def _values(values: t.Any) -> dict[str, str]:
    if not isinstance(values, dict):
        raise TypeError("values is not a dictionary")
    return {json_file.text(key): json_file.metadata(value) for key, value in values.items()}


def _topic_id(value: t.Any) -> str | None:
    return None if value is None else json_file.text(value)


def _unique(pairs: c.Iterable[tuple[str, T]]) -> dict[str, T]:
    found: dict[str, T] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"'{name}' is in it twice")
        found[name] = value
    return found


def _group_from_json(group: dict[str, t.Any]) -> GroupSnapshot:
    offsets: Offsets = {}
    for entry in group["offsets"]:
        where = json_file.place(entry)
        if where in offsets:
            raise ValueError(f"{where} stands twice in group {group['name']}")
        epoch = entry["leader_epoch"]
        offsets[where] = Committed(
            json_file.natural(entry["offset"], inputs.INT64_MAX),
            -1 if epoch == -1 else json_file.natural(epoch, inputs.INT32_MAX),
            json_file.metadata(entry["metadata"]),
        )
    name, kind, state = (json_file.text(group[key]) for key in ("name", "type", "state"))
    if kind not in _TYPES:
        # groups of other types are restored by another module
        raise ValueError(f"{kind!r:.60} is none of {', '.join(_TYPES)}")
    return GroupSnapshot(name, kind, state, offsets)
