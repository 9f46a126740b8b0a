# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compaction of the records of one partition: the latest record of each key."""

from __future__ import annotations

import collections.abc as c

from ..libraries import Message
from .activity import Activity

# record types of committed offsets, as at the start of keys
_COMMIT_V0, _COMMIT = b"\0\0", b"\0\1"


class Compaction:
    """What is kept of the records that were read of one partition.

    Attributes:
        latest: the latest record by key.
        activity: the counts of each group.
        size: the bytes of keys and values read since `measure`, an upper bound of those kept.
        combined: whether other rows of the partition, of records before or after these, are combined with these.
    """

    def __init__(self, partition: int, combined: bool) -> None:
        self.partition = partition
        self.combined = combined
        self.latest: dict[bytes, Message] = {}
        self.activity = Activity(partition)
        self.size = 0

    def add(self, messages: c.Sequence[Message]) -> None:
        """Add records, in order of offsets, in a few passes in C over all of them: work per record dominates."""
        keys = [key or b"" for key in map(Message.key, messages)]
        timestamps = [timestamp for _kind, timestamp in map(Message.timestamp, messages)]
        self.activity.add(messages[0].offset() or 0, timestamps, keys, list(map(Message.value, messages)))
        # store whole messages: tuples of the required fields take 25 % more time
        self.latest.update(zip(keys, messages, strict=True))
        self.size += sum(map(len, keys)) + sum(map(len, messages))

    @property
    def entries(self) -> int:
        """The number of keys and counts that are kept."""
        return len(self.latest) + self.activity.entries

    def measure(self) -> int:
        """Return the number of bytes of the keys and values that are kept."""
        self.size = sum(map(len, self.latest)) + sum(map(len, self.latest.values()))
        return self.size

    def take(self) -> tuple[dict[bytes, Message], Activity]:
        """Return what is kept, and keep nothing."""
        drop_superseded(self.latest)
        taken = self.latest, self.activity
        self.latest, self.activity, self.size = {}, Activity(self.partition), 0
        return taken


def drop_superseded(latest: dict[bytes, Message]) -> None:
    """Keep only the later record if a group committed for a partition with keys of both versions, 0 and 1."""
    for key in [key for key in latest if key.startswith(_COMMIT_V0)]:
        twin = common_key(key)
        if twin in latest:
            del latest[min(key, twin, key=lambda one: latest[one].offset() or 0)]


def common_key(key: bytes) -> bytes:
    """Return the key of version 1 of a committed offset, whose key has version 0 or 1; other keys are unchanged."""
    return _COMMIT + key[2:] if key.startswith(_COMMIT_V0) else key
