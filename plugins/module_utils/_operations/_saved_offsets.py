# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Offsets to set that come from a back-up or from another group, on topics of the same or of other names."""

from __future__ import annotations

import collections.abc as c
import typing as t

from .._errors import NothingChanged
from .._kafka.errors import KafkaError
from .._kafka.model import Group, Offsets, Topic, TopicPartition
from .._kafka.session import Session
from ._offset_request import Copy, Renames, Request, Restore
from ._read_groups import committed, describe
from ._read_topics import Seen
from .results import counted


class Saved(t.NamedTuple):
    """What is to be set.

    Attributes:
        groups: the offsets of each group, on the topics to set them on.
        topics: the ids of its topics, see C(_snapshot.TopicIds).
        same_cluster: whether the offsets are of this cluster.
        missing_only: whether what is committed now stays.
        clamp: whether offsets of a recreated topic are clamped to its log.
        bare: whether the metadata and leader epochs are unknown, as in a CSV file.
        renamed: topics whose offsets come from a topic of another name.
    """

    groups: dict[str, Offsets]
    topics: c.Mapping[str, str | None]
    same_cluster: bool
    missing_only: bool = False
    clamp: bool = False
    bare: bool = False
    renamed: frozenset[str] = frozenset()

    def recreated(self, topic: Topic) -> bool:
        """Whether the topic is known to be another one than that of the offsets; other clusters are not compared."""
        then = self.topics.get(topic.name, topic.id)
        return self.same_cluster and bool(topic.id) and then != topic.id

    def same_topic(self, topic: Topic) -> bool:
        """Whether the topic is known to be that of the offsets."""
        return self.same_cluster and bool(topic.id) and self.topics.get(topic.name) == topic.id

    def of_current_topics(self, topics: Seen) -> Saved:
        """Return the offsets as those of the topics that exist now, except of renamed ones."""
        ids = {name: topic.id for name, topic in topics.items() if isinstance(topic, Topic)}
        return self._replace(topics={name: id_ for name, id_ in ids.items() if name not in self.renamed})


async def read_saved(request: Request, session: Session) -> Saved | None:
    """Return the offsets of a back-up or of another group; None if the task names neither.

    Raises:
        TaskError: they cannot be read, or do not hold what is asked for.
    """
    if request.copy_from is not None:
        (target,) = request.groups
        return await _of_group(target, request.copy_from, session)
    return None if request.restore is None else _of_backup(request.restore, list(request.groups), session)


def _of_backup(restore: Restore, names: list[str], session: Session) -> Saved:
    """Return the named groups of a back-up, or all."""
    from .._files import backup as snapshot
    from .._files import csv_file

    cluster_id = session.wire.cluster_id
    is_csv = restore.path.endswith(csv_file.SUFFIX)
    if is_csv:
        # contains neither a cluster id nor topic ids
        origin, ids = None, {}
        groups = csv_file.read(restore.path, names[0] if len(names) == 1 else None)
    else:
        backup = snapshot.read(restore.path, cluster_id, restore.any_cluster)
        origin, ids = backup.cluster_id, backup.topics
        groups = {name: group.offsets for name, group in backup.groups.items()}
    for name in names:
        if name not in groups:
            raise NothingChanged(f"restore.path: {restore.path} does not contain group '{name}'.")
    given = {name: groups[name] for name in names or groups}
    _check_topics(given, restore.topics, "restore.topics", restore.path)
    saved = Saved(
        {name: _renamed(offsets, restore.topics) for name, offsets in given.items()},
        {name: id_ for name, id_ in ids.items() if name not in _new_names(restore.topics)},
        same_cluster=origin == cluster_id,
        missing_only=restore.missing_only,
        clamp=restore.clamp,
        bare=is_csv,
        renamed=_new_names(restore.topics),
    )
    session.warnings += _unknown_ids(saved, restore.path)
    return saved


def _unknown_ids(saved: Saved, path: str) -> list[str]:
    unknown = sorted(saved_topics(saved) - {*saved.topics} - saved.renamed)
    if not saved.same_cluster or not unknown:
        return []
    return [
        f"restore.path: {path} does not hold the ids of {counted(len(unknown), 'topic')}, first "
        f"'{unknown[0]}': it is unknown whether they were recreated since, and leader epochs are not restored"
    ]


async def _of_group(target: str, copy: Copy, session: Session) -> Saved:
    group = (await describe(session, [copy.group]))[copy.group]
    found = (await committed(session, [copy.group]))[copy.group]
    for answer in (group, found):
        if isinstance(answer, KafkaError):
            words = f"{answer.name}: {answer.message.rstrip('.')}"
            raise NothingChanged(f"copy_from.group: the offsets of group '{copy.group}' cannot be read: {words}.")
    if isinstance(group, Group) and group.type == "share":
        raise NothingChanged(f"copy_from.group: '{copy.group}' is a share group, which has no committed offsets.")
    if not found:
        raise NothingChanged(f"copy_from.group: group '{copy.group}' has no committed offsets that you may read.")
    offsets = {copy.group: t.cast(Offsets, found)}
    _check_topics(offsets, copy.topics, "copy_from.topics", f"group '{copy.group}'")
    renamed = _new_names(copy.topics)
    return Saved({target: _renamed(offsets[copy.group], copy.topics)}, {}, same_cluster=True, renamed=renamed)


def _check_topics(groups: dict[str, Offsets], topics: Renames | None, option: str, source: str) -> None:
    known = {where.topic for offsets in groups.values() for where in offsets}
    for name in topics or ():
        if name not in known:
            raise NothingChanged(f"{option}: {source} holds no committed offsets on topic '{name}'.")


def _renamed(offsets: Offsets, topics: Renames | None) -> Offsets:
    """Return the offsets of the selected topics under their new names, sorted; all of them if none are selected."""
    chosen = {
        TopicPartition(topics[where.topic] if topics else where.topic, where.partition): one
        for where, one in offsets.items()
        if topics is None or where.topic in topics
    }
    return dict(sorted(chosen.items()))


def _new_names(topics: Renames | None) -> frozenset[str]:
    return frozenset(new for old, new in (topics or {}).items() if new != old)


def saved_topics(saved: Saved) -> set[str]:
    """Return the topics to set offsets on."""
    return {where.topic for offsets in saved.groups.values() for where in offsets}
