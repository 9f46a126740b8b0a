# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compaction of the records of one partition: the latest record of each key."""

from __future__ import annotations

import collections.abc as c

from ..libraries import Message, pa, pc
from .activity import Activity
from .spans import Column

# record types of committed offsets, as at the start of keys
_COMMIT_V0, _COMMIT = "\0\0", "\0\1"


class Compaction:
    """What is kept of the records that were read of one partition.

    New records are kept as messages, which is quicker. Packed, in columns of Arrow, they need less memory.

    Attributes:
        activity: the counts of each group.
        unpacked: the bytes of keys and values added since `pack`, at least those that are kept as messages.
        packed: the bytes of the packed records.
        combined: whether other rows of the partition, of records before or after these, are combined with these.
    """

    def __init__(self, partition: int, combined: bool) -> None:
        self.partition = partition
        self.combined = combined
        self.activity = Activity(partition)
        self.unpacked = 0
        self.packed = 0
        self._latest: dict[bytes, Message] = {}
        self._tables: list[pa.Table] = []

    @property
    def messages(self) -> int:
        """The number of records that are kept as messages."""
        return len(self._latest)

    def add(self, messages: c.Sequence[Message]) -> None:
        """Add records, in order of offsets, in a few passes in C over all of them: work per record dominates."""
        keys = [key or b"" for key in map(Message.key, messages)]
        timestamps = [timestamp for _kind, timestamp in map(Message.timestamp, messages)]
        self.activity.add(messages[0].offset() or 0, timestamps, keys, list(map(Message.value, messages)))
        # store whole messages: tuples of the required fields take 25 % more time
        self._latest.update(zip(keys, messages, strict=True))
        self.unpacked += sum(map(len, keys)) + sum(map(len, messages))

    def pack(self) -> None:
        """Pack the messages; `merge` removes those with the key of a later record."""
        self.activity.release_keys()
        if self._latest:
            self._add_table(_table(self._latest))
        self._latest, self.unpacked = {}, 0

    def merge(self) -> None:
        """Keep only the latest of the packed records of each key."""
        if len(self._tables) > 1:
            table = latest(pa.concat_tables(self._tables))
            self._tables, self.packed = [], 0
            self._add_table(table)

    def take(self) -> tuple[pa.Table, Activity]:
        """Return what is kept, and keep nothing: the latest records with `offset`, `timestamp`, `key`, `value`."""
        self.pack()
        table = pa.concat_tables(self._tables or [_table({})])
        if len(self._tables) > 1 or _has_version_0(table["key"]):
            table = latest(table)
        taken = table, self.activity
        self._tables, self.packed, self.activity = [], 0, Activity(self.partition)
        return taken

    def _add_table(self, table: pa.Table) -> None:
        self._tables.append(table)
        self.packed += table.nbytes


def latest(table: pa.Table) -> pa.Table:
    """Return the latest record of each key of one partition, whatever the version of a key of a committed offset."""
    keys = common_key(table["key"]) if _has_version_0(table["key"]) else table["key"]
    by_key = pa.table({"key": keys, "offset": table["offset"]}).group_by("key", use_threads=False)
    offsets = by_key.aggregate([("offset", "max")])["offset_max"]
    # with the bytes of all keys
    del keys, by_key
    return table.filter(pc.is_in(table["offset"], value_set=offsets))


def common_key(keys: Column) -> Column:
    """Return the key of version 1 for each committed offset, whose key has version 0 or 1; other keys are unchanged."""
    version_1 = pc.binary_replace_slice(keys, start=0, stop=len(_COMMIT_V0), replacement=_COMMIT)
    common: Column = pc.if_else(pc.starts_with(keys, _COMMIT_V0), version_1, keys)
    return common


def _has_version_0(keys: Column) -> bool:
    return bool(pc.any(pc.starts_with(keys, _COMMIT_V0)).as_py())


def _table(latest_messages: dict[bytes, Message]) -> pa.Table:
    keys, messages = latest_messages.keys(), latest_messages.values()
    return pa.table(
        {
            "offset": pa.array(map(Message.offset, messages), pa.int64()),
            "timestamp": pa.array((timestamp for _kind, timestamp in map(Message.timestamp, messages)), pa.int64()),
            "key": pa.array(keys, pa.binary()),
            "value": pa.array(map(Message.value, messages), pa.binary()),
        }
    )
