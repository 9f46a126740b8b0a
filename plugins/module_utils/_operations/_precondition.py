# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What must still hold when a change is made: that groups have committed nothing since they were read."""

from __future__ import annotations

import collections
import collections.abc as c
import typing as t

from .._kafka.errors import KafkaError, error
from .._kafka.model import Offsets, TopicPartition
from .._kafka.session import Session
from ._read_groups import committed, committed_now, known_offsets, read_start_offsets
from .results import DELETE_OFFSET, Item, OffsetTarget, Target

COMMITTED_SINCE = "it has committed since the task began"
DELETED_OR_USED = (
    "the answer to the deletion was lost, and the group has committed since: it is unknown whether its offsets were "
    "deleted before"
)
USED_SINCE = "it has committed since its offsets were read, so it is in use: stop its consumers and run the task again"
CONFLICT = "POLICY_VIOLATION"

T = t.TypeVar("T", bound=Target)


class Precondition(t.NamedTuple):
    """What a back-up or a plan says of groups, and what becomes of items that it no longer holds for.

    Attributes:
        offsets: what groups have committed, by group; None if neither a back-up nor a plan depends on it.
        from_plan: whether the items are those of a plan, so that conflicts are left alone. Else they fail.
        share_groups: those of the groups whose offsets are start offsets.
    """

    offsets: dict[str, Offsets] | None
    from_plan: bool = False
    share_groups: frozenset[str] = frozenset()

    async def check(self, session: Session, groups: list[str]) -> dict[str, KafkaError]:
        """Return the groups that have committed since, or for which this is unknown."""
        if self.offsets is None or not groups:
            return {}
        problems = {}
        for name, found in (await self._read(session, groups)).items():
            if isinstance(found, KafkaError):
                problems[name] = found
            elif self._used(name, found, found):
                problems[name] = error(CONFLICT, USED_SINCE)
        return problems

    async def deleted(self, session: Session, groups: list[str]) -> dict[str, bool | KafkaError | None]:
        """Return of groups that exist after a deletion whose answer was lost, whether they were deleted before.

        None if they were not, and a conflict if the group has committed since.
        """
        if self.offsets is None or not groups:
            return {}
        return {
            name: found if isinstance(found, KafkaError) else self._deleted(self.offsets[name], found)
            for name, found in (await self._read(session, groups)).items()
        }

    @staticmethod
    def _deleted(before: Offsets, now: Offsets) -> bool | KafkaError | None:
        if not before or any(now.get(where) == offset for where, offset in before.items()):
            # a deletion would have left nothing as it was
            used = any(offset != before.get(where) for where, offset in now.items())
            return error(CONFLICT, USED_SINCE) if used else None
        return True if any(where not in now for where in before) else error(CONFLICT, DELETED_OR_USED)

    async def _read(self, session: Session, groups: list[str]) -> dict[str, Offsets | KafkaError]:
        share_groups = [name for name in groups if name in self.share_groups]
        others = [name for name in groups if name not in self.share_groups]
        found = await committed(session, others) if others else {}
        return {**found, **(known_offsets(await read_start_offsets(session, share_groups)) if share_groups else {})}

    async def check_offsets(self, session: Session, items: list[Item[OffsetTarget]]) -> list[Item[OffsetTarget]]:
        """Return the items after another look at the offsets: who has committed over one since it was read keeps it.

        Of a plan, only that offset is left alone; else all items of the group fail.
        """
        changes = changes_by_group(items)
        if self.offsets is None or not changes:
            return items
        found = await (committed(session, changes) if self.from_plan else committed_now(session, changes))
        return [self._checked(item, found[item.target.group], changes) if item.changed else item for item in items]

    def _checked(
        self, item: Item[OffsetTarget], found: Offsets | KafkaError, changes: dict[str, list[Item[OffsetTarget]]]
    ) -> Item[OffsetTarget]:
        if isinstance(found, KafkaError):
            return self.on_conflict(item, found)
        group, where = item.target.group, item.target.where
        concerned = [item] if self.from_plan else changes[group]
        if self._used(group, found, [each.target.where for each in concerned]):
            now = item._replace(before=found[where]) if self.from_plan else item
            return self.on_conflict(now, error(CONFLICT, USED_SINCE))
        return item.unneeded() if item.action == DELETE_OFFSET and where not in found else item

    def _used(self, group: str, found: Offsets, partitions: c.Iterable[TopicPartition]) -> bool:
        """Whether the group has committed on one of the partitions since; deleted or expired offsets are no use."""
        before = {} if self.offsets is None else self.offsets[group]
        return any(where in found and found[where] != before.get(where) for where in partitions)

    def on_conflict(self, item: Item[T], problem: KafkaError, use: str = "") -> Item[T]:
        """Return an item that was refused: left alone if a plan holds it and it is in use again, else failed.

        Args:
            use: how the group is in use, if the problem shows it; a conflict needs no further words.
        """
        if self.from_plan and (use or problem.name == CONFLICT):
            return item.skipped(use or COMMITTED_SINCE)
        return item.failed(problem)


def changes_by_group(items: c.Iterable[Item[OffsetTarget]]) -> dict[str, list[Item[OffsetTarget]]]:
    """Return the items that are to be carried out, by group."""
    groups: dict[str, list[Item[OffsetTarget]]] = collections.defaultdict(list)
    for item in items:
        if item.changed:
            groups[item.target.group].append(item)
    return dict(groups)
