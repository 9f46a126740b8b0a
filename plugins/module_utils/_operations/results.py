# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Result items, their counts and their diff: the same for every changing module."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import enum
import typing as t

from .._kafka.errors import KafkaError
from .._kafka.model import Committed, Group, Member, Setting, ShareOffset, Topic, TopicPartition

DELETE_GROUP = "delete_group"
DELETE_TOPIC = "delete_topic"
REMOVE_MEMBER = "remove_member"
DELETE_OFFSET = "delete_offset"
SET_OFFSET = "set_offset"
SET_CONFIG = "set_config"
DELETE_CONFIG = "delete_config"
NONE = "none"

State = Group | Member | Committed | Setting | ShareOffset | Topic | None  # pylint: disable=unsupported-binary-operation


class Status(enum.Enum):
    """The outcome of an item."""

    UNCHANGED = enum.auto()
    CHANGED = enum.auto()
    FAILED = enum.auto()
    SKIPPED = enum.auto()


class GroupTarget(t.NamedTuple):
    """A whole group."""

    group: str

    def as_result(self) -> dict[str, t.Any]:
        """Return the RETURN shape of what names the resource."""
        return {"group": self.group}

    def __str__(self) -> str:
        return f"group '{self.group}'"


class MemberTarget(t.NamedTuple):
    """A member of a group."""

    group: str
    member: Member

    def as_result(self) -> dict[str, t.Any]:
        """Return the RETURN shape of what names the resource."""
        return {"group": self.group, "member": member_result(self.member)}

    def __str__(self) -> str:
        return f"group '{self.group}', member {self.member}"


class OffsetTarget(t.NamedTuple):
    """What a group has committed: on one partition, on all of a topic, or on all topics."""

    group: str
    topic: str | None = None
    partition: int | None = None

    @property
    def where(self) -> TopicPartition:
        """The partition, of a target that is one."""
        return TopicPartition(t.cast(str, self.topic), t.cast(int, self.partition))

    def as_result(self) -> dict[str, t.Any]:
        """Return the RETURN shape of what names the resource."""
        return {"group": self.group} if self.topic is None else self._asdict()

    def __str__(self) -> str:
        place = f"group '{self.group}'"
        if self.topic is not None:
            place += f", topic '{self.topic}'"
        if self.partition is not None:
            place += f", partition {self.partition}"
        return place


class TopicTarget(t.NamedTuple):
    """A whole topic."""

    topic: str

    def as_result(self) -> dict[str, t.Any]:
        """Return the RETURN shape of what names the resource."""
        return {"topic": self.topic}

    def __str__(self) -> str:
        return f"topic '{self.topic}'"


class InternalTopicTarget(t.NamedTuple):
    """An internal topic of a streams group."""

    group: str
    topic: str

    def as_result(self) -> dict[str, t.Any]:
        """Return the RETURN shape of what names the resource."""
        return self._asdict()

    def __str__(self) -> str:
        return f"group '{self.group}', internal topic '{self.topic}'"


class ConfigTarget(t.NamedTuple):
    """A setting of a group, or all of them."""

    group: str
    setting: str | None = None

    def as_result(self) -> dict[str, t.Any]:
        """Return the RETURN shape of what names the resource."""
        return self._asdict()

    def __str__(self) -> str:
        return f"group '{self.group}'" + (f", setting '{self.setting}'" if self.setting else "")


InGroup = ConfigTarget | GroupTarget | InternalTopicTarget | MemberTarget | OffsetTarget  # pylint: disable=unsupported-binary-operation
Target = InGroup | TopicTarget  # pylint: disable=unsupported-binary-operation
T_co = t.TypeVar("T_co", bound=Target, covariant=True)
Another = t.TypeVar("Another", bound=Target)


class Item(t.NamedTuple, t.Generic[T_co]):
    """One resource of the plan, and after the run its outcome.

    Attributes:
        action: what is needed to reach the wanted state; C(none) where nothing is.
        before, after: the resource as it was read, and as it will be; None where there is none.
        error: why the action cannot be, or was not, carried out, if the item failed.
        skip_reason: how the resource changed since the plan, if the item was skipped.
        creates_group: whether the action creates the group.
    """

    target: T_co
    action: str
    status: Status
    before: State = None
    after: State = None
    error: KafkaError | None = None
    skip_reason: str | None = None
    creates_group: bool = False

    @staticmethod
    def planned(
        target: Another, action: str, before: State, after: State = None, creates_group: bool = False
    ) -> Item[Another]:
        """Return an item whose action is to be carried out."""
        return Item(target, action, Status.CHANGED, before, after, creates_group=creates_group)

    @staticmethod
    def unchanged(target: Another, state: State = None) -> Item[Another]:
        """Return an item that is in the wanted state already."""
        return Item(target, NONE, Status.UNCHANGED, state, state)

    @staticmethod
    def refused(target: Another, action: str, error: KafkaError) -> Item[Another]:
        """Return an item whose resource cannot be read."""
        return Item(target, action, Status.FAILED, error=error)

    @property
    def changed(self) -> bool:
        """Whether the action is (or was) carried out."""
        return self.status is Status.CHANGED

    def failed(self, error: KafkaError) -> Item[T_co]:
        """Return the item as failed: its resource is unchanged."""
        return self._replace(status=Status.FAILED, error=error, after=self.before, creates_group=False)

    def about(self, target: Another) -> Item[Another]:
        """Return the item with another target for the same resource."""
        return Item(target, *self[1:])

    def unneeded(self) -> Item[T_co]:
        """Return the item as unchanged: another client reached the wanted state first."""
        return self._replace(status=Status.UNCHANGED, action=NONE)

    def skipped(self, why: str) -> Item[T_co]:
        """Return the item as skipped: its resource changed since it was planned."""
        return self._replace(status=Status.SKIPPED, action=NONE, error=None, after=self.before, skip_reason=why)

    def as_result(self) -> dict[str, t.Any]:
        """Return the RETURN shape of one item."""
        place = self.target.as_result()
        if self.creates_group:
            place.update(creates_group=True)
        if self.skip_reason is not None:
            place.update(left_alone=self.skip_reason)
        return {
            **place,
            "action": self.action,
            "changed": self.changed,
            "failed": self.status is Status.FAILED,
            "before": _state_result(self.before),
            "after": _state_result(self.after),
            "error": self.error.as_result() if self.error else None,
        }

    def __str__(self) -> str:
        return str(self.target)


Items = c.Sequence[Item[t.Any]]

_COUNTED_AS = {
    Status.UNCHANGED: "unchanged",
    Status.CHANGED: "changed",
    Status.FAILED: "failed",
    # nothing was done to it
    Status.SKIPPED: "unchanged",
}


#: of each value of C(detail), the items to return
_RETURNED = {
    "full": tuple(Status),
    "problems": (Status.FAILED, Status.SKIPPED),
    "summary": (),
}
DETAILS = list(_RETURNED)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1."""
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


def returned(items: Items, detail: str) -> list[dict[str, t.Any]]:
    """Return the RETURN shape of the items that C(detail) selects."""
    selected = _RETURNED[detail]
    return [item.as_result() for item in items if item.status in selected]


def summary(items: Items) -> dict[str, int]:
    """Return the counts of the items.

    C(total), C(changed), C(unchanged), C(failed); C(left_alone), the number of skipped items, if there are any.
    """
    counts = {"total": len(items), "changed": 0, "unchanged": 0, "failed": 0}
    for item in items:
        counts[_COUNTED_AS[item.status]] += 1
    skipped = sum(item.status is Status.SKIPPED for item in items)
    return {**counts, "left_alone": skipped} if skipped else counts


def message(items: Items) -> str:
    """Return the number of failed items and the error of the first; empty if none failed."""
    failures = [(item, item.error) for item in items if item.error is not None]
    if not failures:
        return ""
    first, problem = failures[0]
    which = "; first" if len(failures) > 1 else ""
    return f"{len(failures)} of {len(items)} failed{which}: {first}: {problem.name}: {problem.message}"


def unread(errors: c.Sequence[c.Mapping[str, t.Any]]) -> str:
    """Return how many of C(errors) there are, and the first."""
    first = errors[0]
    words = first.get("message") or f"{first['error']['name']}: {first['error']['message']}"
    where = next(f"{kind} '{first[kind]}'" for kind in ("group", "topic", "address") if kind in first)
    return f"{len(errors)} could not be read; first: {where}: {words}"


def diff(items: Items) -> dict[str, str]:
    """Return Ansible's diff of what changes: one line a group, member, committed offset or topic."""
    changed = [item for item in items if item.changed]
    return {
        "before": "".join(_line(item, item.before) for item in changed),
        "after": "".join(_line(item, item.after) for item in changed),
    }


def _line(item: Item[t.Any], state: State) -> str:
    if isinstance(state, Group):
        return f"{item}: {state.type}, {state.state}\n"
    if isinstance(state, Member):
        return f"{item}\n"
    if isinstance(state, Committed):
        metadata = f", metadata '{state.metadata}'" if state.metadata else ""
        return f"{item}: offset {state.offset}{metadata}\n"
    if isinstance(state, Setting):
        return f"{item}: {state.value}\n"
    if isinstance(state, ShareOffset):
        return f"{item}: offset {_shown(state.offset)}, lag {_shown(state.lag)}\n"
    if isinstance(state, Topic):
        return f"{item}: {counted(len(state.partitions), 'partition')}\n"
    return ""


def _shown(value: int | None) -> int | str:
    return "unknown" if value is None else value


@dataclasses.dataclass(frozen=True)
class Report:
    """What an operation returns to its module.

    Attributes:
        backup_file: path of the back-up that was written (in check mode: would be), None if none was needed.
        extra: further return values.
        problem: one sentence if the task fails although no item did.
    """

    items: Items
    backup_file: str | None = None
    extra: dict[str, t.Any] = dataclasses.field(default_factory=dict)
    problem: str = ""
