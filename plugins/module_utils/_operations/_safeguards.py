# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What stands between a plan and its application: the limit of changes, and the back-up."""

from __future__ import annotations

import collections.abc as c
import types
import typing as t

from .._errors import NothingChanged
from .._kafka.errors import KafkaError, error
from .._kafka.model import Group, GroupSnapshot, Offsets, Topic
from .._kafka.session import Session
from ._read_groups import Described, StartOffsets
from .results import InGroup, Item, Target, counted

if t.TYPE_CHECKING:
    from .._files.backup import GroupSettings, TopicIds
    from ._read_topics import Seen


T = t.TypeVar("T", bound=Target)


def limit(items: c.Sequence[Item[T]], actions: list[str], max_changes: int | None) -> list[Item[T]]:
    """Return the plan; every change of it refused if it holds more of these actions than `max_changes`."""
    if max_changes is None:
        return list(items)
    planned = sum(item.changed and item.action in actions for item in items)
    if planned <= max_changes:
        return list(items)
    kinds = ", ".join(actions)
    words = f"max_changes is {max_changes}, but {planned} changes ({kinds}) are planned. {NothingChanged.outcome}"
    return [item.failed(error("POLICY_VIOLATION", words)) if item.changed else item for item in items]


def snapshots(
    items: c.Iterable[Item[InGroup]], groups: dict[str, Described], offsets: dict[str, Offsets | KafkaError]
) -> list[GroupSnapshot]:
    """Return everything that the groups of planned changes have committed."""
    saved = []
    for name in dict.fromkeys(item.target.group for item in items if item.changed):
        group, found = groups[name], offsets[name]
        if isinstance(group, Group) and not isinstance(found, KafkaError):
            saved.append(GroupSnapshot(name, group.type, group.state, found))
    return saved


def unread_warning(groups: c.Iterable[GroupSnapshot], found: dict[str, StartOffsets]) -> list[str]:
    """Return a warning if start offsets of share groups are missing in the back-up; empty if none is."""
    saved = {group.name for group in groups}
    unknown = [
        f"group '{name}', {where}"
        for name, answer in found.items()
        if name in saved and not isinstance(answer, KafkaError)
        for where, at in sorted(answer.items())
        if at.offset is None
    ]
    if not unknown:
        return []
    return [
        f"backup: it does not hold the start offsets of {counted(len(unknown), 'partition')}, first {unknown[0]}: the "
        "group has not read them yet, or the broker could not read its state"
    ]


async def back_up(
    session: Session,
    path: str | None,
    groups: c.Sequence[GroupSnapshot],
    settings: GroupSettings = types.MappingProxyType({}),
) -> str | None:
    """Write the back-up of groups and settings that are going to be changed; check mode removes it at once.

    Returns:
        The path, None if there is nothing to back up.

    Raises:
        TaskError: it cannot be written.
    """
    if path is None or not (groups or settings):
        return None
    # not above: most tasks are done without a back-up
    from .._files import backup as snapshot
    from ._read_topics import describe_topics

    names = {where.topic for group in groups for where in group.offsets}
    topics = _topic_ids(await describe_topics(session, names))
    place = snapshot.rehearse if session.check_mode else snapshot.write
    place(path, session.wire.cluster_id, topics, groups, settings)
    return path


def _topic_ids(seen: Seen) -> TopicIds:
    """Return the ids of topics, by which a restore detects recreated topics.

    Raises:
        TaskError: a topic cannot be described.
    """
    ids: TopicIds = {}
    for name, topic in seen.items():
        if isinstance(topic, Topic):
            # brokers older than 2.8 have none
            if topic.id:
                ids[name] = topic.id
        elif topic.name == "UNKNOWN_TOPIC_OR_PARTITION":
            ids[name] = None
        else:
            raise NothingChanged(f"backup: the id of topic '{name}' cannot be read ({topic.name}: {topic.message}).")
    return ids
