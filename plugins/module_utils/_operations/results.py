# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Result items, their counts and their diff: the same for every changing module."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import typing as t

from .._kafka.errors import KafkaError
from .._kafka.model import Committed, Group, Member, Topic, TopicPartition

DELETE_GROUP = "delete_group"
DELETE_TOPIC = "delete_topic"
REMOVE_MEMBER = "remove_member"
DELETE_OFFSET = "delete_offset"
SET_OFFSET = "set_offset"
NONE = "none"

State = Group | Member | Committed | Topic | None  # pylint: disable=unsupported-binary-operation


class Item(t.NamedTuple):
    """One resource of the plan, and after the run what became of it.

    Attributes:
        action: what is needed to reach the wanted state; C(none) where nothing is.
        before, after: the resource as it was read, and as it will be; None where there is none.
        error: why the action cannot be, or was not, carried out.
        creates_group: whether the action creates the group.
        left_alone: why nothing is done although a plan holds the item: it has changed since.
    """

    group: str
    action: str
    topic: str | None = None
    partition: int | None = None
    member: Member | None = None
    before: State = None
    after: State = None
    error: KafkaError | None = None
    creates_group: bool = False
    left_alone: str | None = None

    @property
    def changed(self) -> bool:
        """Whether the action is (or was) carried out."""
        return self.action != NONE and self.error is None

    @property
    def where(self) -> TopicPartition:
        """The partition of an item about a committed offset."""
        return TopicPartition(t.cast(str, self.topic), t.cast(int, self.partition))

    def failed(self, error: KafkaError) -> Item:
        """Return the item as failed: what it was about stays as it was."""
        return self._replace(error=error, after=self.before, creates_group=False)

    def unneeded(self) -> Item:
        """Return the item as unchanged: somebody else reached the wanted state first."""
        return self._replace(action=NONE)

    def left(self, why: str) -> Item:
        """Return the item as left alone: it is not any more what it was when it was planned."""
        return self._replace(action=NONE, error=None, after=self.before, left_alone=why)

    def as_result(self) -> dict[str, t.Any]:
        """Return the RETURN shape of one item."""
        place: dict[str, t.Any] = {"group": self.group}
        if self.topic is not None:
            place.update(topic=self.topic, partition=self.partition)
        if self.member is not None:
            place.update(member=member_result(self.member))
        if self.creates_group:
            place.update(creates_group=True)
        if self.left_alone is not None:
            place.update(left_alone=self.left_alone)
        return {
            **place,
            "action": self.action,
            "changed": self.changed,
            "failed": self.error is not None,
            "before": _state_result(self.before),
            "after": _state_result(self.after),
            "error": self.error.as_result() if self.error else None,
        }

    def __str__(self) -> str:
        place = f"group '{self.group}'"
        if self.topic is not None:
            place += f", topic '{self.topic}'"
        if self.partition is not None:
            place += f", partition {self.partition}"
        if self.member is not None:
            place += f", member {self.member}"
        return place


class TopicItem(Item):
    """A whole topic of the plan, which is no group's."""

    def as_result(self) -> dict[str, t.Any]:
        """Return the RETURN shape of one item: without C(group) and C(partition)."""
        return {name: value for name, value in super().as_result().items() if name not in ("group", "partition")}

    def __str__(self) -> str:
        return f"topic '{self.topic}'"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where that is due."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def member_result(member: Member) -> dict[str, t.Any]:
    """Return the RETURN shape of what names a member."""
    return {
        "member_id": member.member_id,
        "group_instance_id": member.group_instance_id,
        "client_id": member.client_id,
        "host": member.host,
    }


def _state_result(state: State) -> dict[str, t.Any] | None:
    if isinstance(state, Group):
        return {
            "type": state.type,
            "protocol_type": state.protocol_type,
            "state": state.state,
            "members": [member_result(member) for member in state.members],
        }
    if isinstance(state, Member):
        return member_result(state)
    return state.as_result() if state else None


def summary(items: c.Sequence[Item]) -> dict[str, int]:
    """Return the counts of the items.

    C(total), C(changed), C(unchanged), C(failed); C(left_alone), where there are any, of which all are unchanged.
    """
    changed = sum(item.changed for item in items)
    failed = sum(item.error is not None for item in items)
    counts = {"total": len(items), "changed": changed, "unchanged": len(items) - changed - failed, "failed": failed}
    left_alone = sum(item.left_alone is not None for item in items)
    return {**counts, "left_alone": left_alone} if left_alone else counts


def message(items: c.Sequence[Item]) -> str:
    """Return how many of how many failed, and why the first; empty where none did."""
    failures = [(item, item.error) for item in items if item.error is not None]
    if not failures:
        return ""
    first, problem = failures[0]
    which = "; first" if len(failures) > 1 else ""
    return f"{len(failures)} of {len(items)} failed{which}: {first}: {problem.name}: {problem.message}"


def diff(items: c.Sequence[Item]) -> dict[str, str]:
    """Return Ansible's diff of what changes: one line a group, member, committed offset or topic."""
    changed = [item for item in items if item.changed]
    return {
        "before": "".join(_line(item, item.before) for item in changed),
        "after": "".join(_line(item, item.after) for item in changed),
    }


def _line(item: Item, state: State) -> str:
    if isinstance(state, Group):
        return f"{item}: {state.type}, {state.state}\n"
    if isinstance(state, Member):
        return f"{item}\n"
    if isinstance(state, Committed):
        metadata = f", metadata '{state.metadata}'" if state.metadata else ""
        return f"{item}: offset {state.offset}{metadata}\n"
    if isinstance(state, Topic):
        return f"{item}: {counted(len(state.partitions), 'partition')}\n"
    return ""


@dataclasses.dataclass(frozen=True)
class Report:
    """What an operation returns to its module.

    Attributes:
        backup_file: path of the back-up that was written (in check mode: would be), None if none was needed.
        extra: further return values.
        problem: one sentence if the task fails although no item did.
    """

    items: c.Sequence[Item]
    backup_file: str | None = None
    extra: dict[str, t.Any] = dataclasses.field(default_factory=dict)
    problem: str = ""
