# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The internal topics of streams groups (KIP-1071) that are deleted: brokers keep them, unless they are deleted too."""

from __future__ import annotations

import collections.abc as c
import re
import typing as t

from .._kafka.model import Group
from .._kafka.session import Session
from . import topics
from ._read_groups import Described
from ._read_topics import describe_topics
from .results import InternalTopicTarget, Item, counted

TopicItem = Item[InternalTopicTarget]

# after the group's name and a dash, as Kafka's tools tell internal topics
_SUFFIX = re.compile(
    r"(.+-)?(changelog|repartition|subscription-registration-topic|subscription-response-topic"
    r"|KTABLE-FK-JOIN-SUBSCRIPTION-(REGISTRATION|RESPONSE)-[0-9]+-topic)"
)


async def deletions(session: Session, groups: c.Iterable[Described]) -> list[TopicItem]:
    """Return the items that delete the internal topics of these groups, as far as the topics exist."""
    owners: dict[str, str] = {}
    for group in groups:
        if not isinstance(group, Group) or group.type != "streams":
            continue
        if group.topology is None:
            session.warnings.append(
                f"internal_topics: the topology of group '{group.name}' is unknown, so none of its topics is deleted"
            )
            continue
        names = group.topology.internal_topics
        session.warnings += _foreign_warning(group.name, [name for name in names if not _is_own(group.name, name)])
        owners.update((name, group.name) for name in names if _is_own(group.name, name))
    if owners:
        owners = await _without_others(session, owners)
    seen = await describe_topics(session, owners)
    return [
        item.about(InternalTopicTarget(owners[item.target.topic], item.target.topic))
        for item in topics.plan(seen)
        if item.changed or item.error is not None
    ]


async def _without_others(session: Session, owners: dict[str, str]) -> dict[str, str]:
    """Leave out topics that may belong to another group, whose name begins with the name of theirs."""
    # not above: few tasks delete internal topics
    from . import _find_groups

    listed = _find_groups.Gathered({}, [], [], {})
    await _find_groups.listed(session, [], [], listed)
    if listed.errors:
        session.warnings.append("internal_topics: a broker did not list its groups, so no internal topic is deleted")
        return {}
    kept = {}
    for name, owner in owners.items():
        others = [other for other in listed.groups if len(other) > len(owner) and _is_own(other, name)]
        if others:
            session.warnings.append(
                f"internal_topics: '{name}' may belong to group '{max(others, key=len)}': not deleted"
            )
        else:
            kept[name] = owner
    return kept


def _is_own(group: str, topic: str) -> bool:
    """Whether Kafka Streams would give an internal topic of the group such a name: members declare any topology."""
    return topic.startswith(f"{group}-") and _SUFFIX.fullmatch(topic, len(group) + 1) is not None


def _foreign_warning(group: str, topics: c.Sequence[str]) -> list[str]:
    if not topics:
        return []
    return [
        f"internal_topics: the topology of group '{group}' contains {counted(len(topics), 'topic')} without the name "
        f"of an internal topic of the group, first '{topics[0]}': not deleted"
    ]


async def apply(session: Session, items: c.Sequence[Item[t.Any]]) -> list[Item[t.Any]]:
    """Delete the topics of these items; return all items with their outcomes."""
    chosen = [item for item in items if isinstance(item.target, InternalTopicTarget)]
    if not any(item.changed for item in chosen):
        return list(items)
    done = {item.target: item for item in await topics.apply(session, chosen)}
    return [done.get(item.target, item) for item in items]
