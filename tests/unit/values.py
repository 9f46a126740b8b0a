# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Short ways to write the values that the tables speak of."""

from __future__ import annotations

import typing as t

from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import (
    Committed,
    Group,
    Member,
    Topic,
    TopicPartition,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.results import Item

ALL = frozenset({"READ", "DESCRIBE", "DELETE"})


def member(
    name: str = "m", instance: str | None = None, topics: tuple[str, ...] | None = ("a",), **more: t.Any
) -> Member:
    who = {"client_id": f"client-{name}", "host": "10.0.0.1", **more}
    return Member(name, instance, topics=topics, **who)


def group(name: str = "g", *members: Member, **more: t.Any) -> Group:
    values = {
        "type": "classic",
        "protocol_type": "consumer",
        "state": "Stable" if members else "Empty",
        "operations": ALL,
        **more,
    }
    return Group(name, members=members, **values)


def topic(name: str = "a", partitions: int = 3, operations: frozenset[str] = ALL, **more: t.Any) -> Topic:
    return Topic(name, frozenset(range(partitions)), operations, **more)


def at(partition: int = 0, name: str = "a") -> TopicPartition:
    return TopicPartition(name, partition)


def offset(value: int, metadata: str = "", epoch: int = -1) -> Committed:
    return Committed(value, epoch, metadata)


def row(item: Item[t.Any]) -> tuple[str, str, str | None]:
    """What a table says of an item: its group, its action, the name of its error."""
    return item.target.group, item.action, item.error.name if item.error else None
