# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Offsets to set that come from a back-up or from another group, on topics of the same or of other names."""

from __future__ import annotations

import collections.abc as c
import types
import typing as t

from .._errors import NothingChanged
from .._kafka.errors import KafkaError, error
from .._kafka.model import NO_EPOCH, Committed, Group, Offsets, Topic, TopicPartition
from .._kafka.session import Session
from ._offset_request import Copy, Renames, Restore
from ._partition_errors import topic_problem
from ._read_groups import committed, describe
from ._read_topics import Seen, timestamps_at
from ._reset import Log, Logs, clamped, offset_at_time
from .results import SET_OFFSET, Item, OffsetTarget, counted

Target = Committed | KafkaError  # pylint: disable=unsupported-binary-operation
"""The offset to set, or why there is none."""

SHARE = "share"

T = t.TypeVar("T")


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
        timestamps: the time (ms since the epoch) to look for on each partition that is copied by time; None where the
            source has none.
        others: groups of the back-up that another module restores: share groups, or all that are none.
    """

    groups: dict[str, Offsets]
    topics: c.Mapping[str, str | None]
    same_cluster: bool
    missing_only: bool = False
    clamp: bool = False
    bare: bool = False
    renamed: frozenset[str] = frozenset()
    timestamps: c.Mapping[TopicPartition, int | KafkaError | None] = types.MappingProxyType({})
    others: c.Mapping[str, str] = types.MappingProxyType({})

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

    def compared_partitions(self, topics: Seen) -> c.Iterator[TopicPartition]:
        """Yield the partitions whose logs `target` needs: of renamed and recreated topics, and by time."""
        for where in (where for offsets in self.groups.values() for where in offsets):
            topic = topics[where.topic]
            if isinstance(topic, KafkaError) or topic_problem(where, topic) is not None:
                continue
            if where.topic in self.renamed or where in self.timestamps or (self.clamp and self.recreated(topic)):
                yield where

    def target(self, where: TopicPartition, then: Committed, topic: Topic | KafkaError, logs: Logs) -> Target:
        """Return what to set where the offset `then` was saved, or why it cannot be."""
        if where in self.timestamps:
            return topic_problem(where, topic) or self._at_time(where, then, logs[where])
        if isinstance(topic, KafkaError) or self.same_topic(topic):
            return then
        without_epoch = then._replace(leader_epoch=NO_EPOCH)
        if where.topic in self.renamed:
            return topic_problem(where, topic) or self._within(without_epoch, logs[where])
        if not self.recreated(topic):
            return without_epoch
        problem = topic_problem(where, topic)
        if problem is not None:
            return problem
        if not self.clamp:
            words = (
                f"topic '{where.topic}' was recreated since the back-up, so the offsets refer to other records: set "
                "restore.recreated to clamp to restore them within the new log, or reset the group"
            )
            return error("INCONSISTENT_TOPIC_ID", words)
        log = logs[where]
        return log if isinstance(log, KafkaError) else without_epoch._replace(offset=clamped(then.offset, log))

    @property
    def known_timestamps(self) -> dict[TopicPartition, int]:
        """The times to look for."""
        return {where: at for where, at in self.timestamps.items() if isinstance(at, int)}

    def _at_time(self, where: TopicPartition, then: Committed, log: Log | KafkaError) -> Target:
        timestamp = self.timestamps[where]
        if isinstance(timestamp, KafkaError):
            return timestamp
        if timestamp is None:
            words = (
                f"the source has no record up to offset {then.offset} any more, or none with a timestamp: reset the "
                "group instead"
            )
            return error("OFFSET_OUT_OF_RANGE", words)
        if isinstance(log, KafkaError):
            return log
        return then._replace(offset=clamped(offset_at_time(log), log), leader_epoch=NO_EPOCH)

    def _within(self, target: Committed, log: Log | KafkaError) -> Target:
        """Return the target on a renamed topic, whose log may hold other offsets."""
        if isinstance(log, KafkaError):
            return log
        if self.clamp:
            return target._replace(offset=clamped(target.offset, log))
        if log.start <= target.offset <= log.end:
            return target
        words = (
            f"offset {target.offset} is outside of its log, which holds {log.start} to {log.end}: reset the group by "
            "time instead"
        )
        return error("OFFSET_OUT_OF_RANGE", words)


def read_backup(restore: Restore, names: list[str], session: Session, share: bool) -> Saved:
    """Return the offsets of the named groups of a back-up, or of all.

    Args:
        share: whether to restore share groups, or all that are none. A CSV file does not tell types.

    Raises:
        TaskError: it cannot be read, or does not hold what is asked for.
    """
    from .._files import backup as snapshot
    from .._files import csv_file

    cluster_id = session.wire.cluster_id
    is_csv = restore.path.endswith(csv_file.SUFFIX)
    others: dict[str, str] = {}
    if is_csv:
        # contains neither a cluster id nor topic ids
        origin, ids = None, {}
        groups = csv_file.read(restore.path, names[0] if len(names) == 1 else None)
    else:
        backup = snapshot.read(restore.path, cluster_id, restore.any_cluster)
        origin, ids = backup.cluster_id, backup.topics
        # a group may have nothing but settings
        groups = {name: {} for name in backup.settings}
        groups |= {name: group.offsets for name, group in backup.groups.items()}
        others = {name: group.type for name, group in backup.groups.items() if (group.type == SHARE) != share}
    for name in names:
        if name not in groups:
            raise NothingChanged(f"restore.path: {restore.path} does not contain group '{name}'.")
    chosen = names or list(groups)
    given = {name: groups[name] for name in chosen if name not in others}
    _check_topics({name: groups[name] for name in chosen}, restore.topics, "restore.topics", restore.path)
    saved = Saved(
        {name: _renamed(offsets, restore.topics) for name, offsets in given.items()},
        {name: id_ for name, id_ in ids.items() if name not in _new_names(restore.topics)},
        same_cluster=origin == cluster_id,
        missing_only=restore.missing_only,
        clamp=restore.clamp,
        bare=is_csv,
        renamed=_new_names(restore.topics),
        others={name: others[name] for name in chosen if name in others},
    )
    session.warnings += _unknown_ids(saved, restore.path)
    return saved


def other_groups(saved: Saved, named: bool) -> list[Item[OffsetTarget]]:
    """Return an item for each group that another module restores: failed if the task names it, else skipped."""
    items = []
    for name, type_ in saved.others.items():
        words = f"it is a {type_} group in the back-up: restore it with {_module_for(type_)}"
        target = OffsetTarget(name)
        refused = Item.refused(target, SET_OFFSET, error("INVALID_REQUEST", words))
        items.append(refused if named else Item.unchanged(target).skipped(words))
    return items


def other_groups_warning(saved: Saved, path: str) -> list[str]:
    """Return a warning about the groups that another module restores; empty if there are none."""
    if not saved.others:
        return []
    name, type_ = next(iter(saved.others.items()))
    return [
        f"restore.path: {path} also contains {counted(len(saved.others), 'group')} of another type, first '{name}', "
        f"a {type_} group: restore them with {_module_for(type_)}"
    ]


def _module_for(type_: str) -> str:
    return "share_group_offsets" if type_ == SHARE else "consumer_group_offsets"


def _unknown_ids(saved: Saved, path: str) -> list[str]:
    unknown = sorted(saved_topics(saved) - {*saved.topics} - saved.renamed)
    if not saved.same_cluster or not unknown:
        return []
    return [
        f"restore.path: {path} does not hold the ids of {counted(len(unknown), 'topic')}, first "
        f"'{unknown[0]}': it is unknown whether they were recreated since, and leader epochs are not restored"
    ]


async def read_group(target: str, copy: Copy, session: Session) -> Saved:
    """Return the committed offsets of a group, to set for `target`; raises TaskError if there are none to read."""
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
    source = offsets[copy.group]
    saved = Saved({target: _renamed(source, copy.topics)}, {}, same_cluster=True, renamed=_new_names(copy.topics))
    if not copy.use_timestamps:
        return saved
    chosen = {where: at.offset for where, at in source.items() if copy.topics is None or where.topic in copy.topics}
    return saved._replace(timestamps=_renamed(await timestamps_at(session, chosen), copy.topics))


def _check_topics(groups: dict[str, Offsets], topics: Renames | None, option: str, source: str) -> None:
    known = {where.topic for offsets in groups.values() for where in offsets}
    for name in topics or ():
        if name not in known:
            raise NothingChanged(f"{option}: {source} holds no committed offsets on topic '{name}'.")


def _renamed(offsets: c.Mapping[TopicPartition, T], topics: Renames | None) -> dict[TopicPartition, T]:
    """Return the values of the selected topics under their new names, sorted; all of them if none are selected."""
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
