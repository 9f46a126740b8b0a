# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is kept of the records of a partition: the later one of both key versions, and the meters of each group."""

from __future__ import annotations

import struct

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.activity import Activity
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.compact import Compaction
from confluent_kafka import Message

DAY = 86_400_000
# the same key in both versions, and another one
V0, V1, OTHER = b"\0\0same", b"\0\1same", b"\0\1other"

Log = list[tuple[bytes, int, bytes | None]]


@pytest.mark.parametrize("packed", [0, 1, 2])
@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize(
    ("keys", "kept"),
    [
        ([], []),
        ([V1, V1], [1]),
        ([V0, V1], [1]),
        ([V1, V0], [1]),
        ([V1, V0, V1, OTHER], [2, 3]),
        ([V0, OTHER], [0, 1]),
        ([b"\0\2same", V1], [0, 1]),
        # cut short, or missing
        ([b"\0", b"", None, b"\0\0", b"\0\1"], [0, 2, 4]),
    ],
)
def test_the_latest_record_of_each_key(keys: list[bytes | None], kept: list[int], packed: int, merged: bool) -> None:
    """Whatever the version of the key of a committed offset, and however many records were packed before."""
    compaction = Compaction(7, combined=False)
    for offset, key in enumerate(keys):
        value = None if offset % 2 else bytes(offset)
        compaction.add([Message(partition=7, offset=10 + offset, key=key, value=value, timestamp=(1, offset))])
        if offset < packed:
            compaction.pack()
        if merged:
            compaction.merge()
    table, _activity = compaction.take()
    assert sorted(table["offset"].to_pylist()) == [10 + offset for offset in kept]
    for row in table.to_pylist():
        offset = row["timestamp"]
        value = None if offset % 2 else bytes(offset)
        assert row == {"offset": 10 + offset, "timestamp": offset, "key": keys[offset] or b"", "value": value}
    assert compaction.take()[0].num_rows == compaction.messages == compaction.packed == 0


def string(text: str | None) -> bytes:
    encoded = (text or "").encode()
    return struct.pack(">h", -1 if text is None else len(encoded)) + encoded


def compact(text: str | None) -> bytes:
    """A compact string; its length is a varint of two bytes at most."""
    encoded = (text or "").encode()
    length = 0 if text is None else len(encoded) + 1
    return (bytes([length]) if length < 128 else bytes([length & 0x7F | 0x80, length >> 7])) + encoded


def key(kind: int, group: str = "g", rest: bytes = b"") -> bytes:
    return struct.pack(">h", kind) + string(group) + rest


def classic(generation: int, members: int = 1, version: int = 3, protocol: str | None = "range") -> bytes:
    """The start of a GroupMetadataValue: all up to the number of its members."""
    text, count = (compact, bytes([members + 1])) if version == 4 else (string, struct.pack(">i", members))
    state_time = struct.pack(">q", 1) if version >= 2 else b""
    head = struct.pack(">h", version) + text("consumer") + struct.pack(">i", generation)
    return head + text(protocol) + text(None) + state_time + count


def epoch(number: int) -> bytes:
    return struct.pack(">hi", 0, number)


COMMIT, CLASSIC, KIP_848 = key(1, rest=b"\0\1t\0\0\0\0"), key(2), key(3)
LONG = "x" * 200


@pytest.mark.parametrize(
    ("log", "meters"),
    [
        ([], []),
        (
            [(COMMIT, 5, b"1"), (COMMIT, DAY - 1, b"2"), (COMMIT, DAY - 1, None), (COMMIT, 9, None)],
            [("g", 0, DAY - 1, 2, 2, 0)],
        ),
        ([(COMMIT, DAY - 1, b"1"), (COMMIT, DAY, b"2")], [("g", 0, DAY - 1, 1, 0, 0), ("g", 1, DAY, 1, 0, 0)]),
        # a time that no calendar has, and that the column cannot hold
        ([(COMMIT, 2**62, b"1")], [("g", 2**31 - 1, 2**62, 1, 0, 0)]),
        ([(COMMIT, -(2**63), b"1")], [("g", -(2**31), -(2**63), 1, 0, 0)]),
        ([(key(0), 0, b"1"), (key(1), 5, b"2")], [("g", 0, 5, 2, 0, 0)]),
        ([(key(1), 5, b"1"), (key(0), 0, b"2")], [("g", 0, 5, 2, 0, 0)]),
        ([(COMMIT, 5, None)], [("g", 0, None, 0, 1, 0)]),
        ([(key(1, "a"), 0, b"1"), (key(1, "ab"), 0, b"2")], [("a", 0, 0, 1, 0, 0), ("ab", 0, 0, 1, 0, 0)]),
        # what is no commit: members and assignments
        ([(key(5), 0, b"1"), (key(8), 0, None)], []),
        # completed rebalances
        ([(CLASSIC, 0, classic(1)), (CLASSIC, DAY, classic(2))], [("g", 0, None, 0, 0, 1), ("g", 1, None, 0, 0, 1)]),
        ([(CLASSIC, 0, classic(1)), (CLASSIC, 0, classic(1))], [("g", 0, None, 0, 0, 1)]),
        ([(CLASSIC, 0, classic(1, members=0))], []),
        (
            [(CLASSIC, 0, classic(1)), (CLASSIC, 0, classic(2, members=0)), (CLASSIC, 0, classic(3))],
            [("g", 0, None, 0, 0, 2)],
        ),
        ([(CLASSIC, 0, classic(1)), (CLASSIC, 0, None), (CLASSIC, 0, classic(1))], [("g", 0, None, 0, 0, 2)]),
        ([(KIP_848, 0, epoch(number)) for number in (1, 1, 2, 2)], [("g", 0, None, 0, 0, 2)]),
        ([(CLASSIC, 0, classic(1)), (KIP_848, 0, epoch(1))], [("g", 0, None, 0, 0, 2)]),
        *(
            ([(CLASSIC, 0, classic(1, version=version, protocol=protocol))], [("g", 0, None, 0, 0, 1)])
            for version in range(5)
            for protocol in (None, LONG)
        ),
        *(([(CLASSIC, 0, classic(1, 0, version, protocol=LONG))], []) for version in range(5)),
        # a value that is cut short tells nothing
        ([(CLASSIC, 0, classic(1)), (CLASSIC, 0, classic(2)[:9]), (CLASSIC, 0, classic(1))], [("g", 0, None, 0, 0, 1)]),
        ([(KIP_848, 0, b""), (CLASSIC, 0, b"\0\4\xff\xff")], []),
        # nor does one of a version that is not known
        ([(KIP_848, 0, b"\0\1" + epoch(1)[2:]), (KIP_848, 0, b"\xff\xff" + epoch(1)[2:])], []),
        ([(CLASSIC, 0, classic(1, version=version)) for version in (5, -1)], []),
        # a key that is cut short has no group, and bytes that are no UTF-8 are no name
        ([(b"", 0, b"1"), (b"\0\1", 0, b"1"), (b"\0\1\0\5abc", 0, b"1"), (b"\0\1\xff\xff", 0, b"1")], []),
        ([(b"\0\1\0\1\xff", 0, b"1"), (b"\0\1\0\1\xfe", 0, b"1")], []),
    ],
)
def test_activity(log: Log, meters: list[tuple[str, int, int | None, int, int, int]]) -> None:
    activity = Activity(7)
    # one record at a time, as it may come
    for offset, (name, timestamp, value) in enumerate(log):
        activity.add(offset, [timestamp], [name], [value])
    assert activity.meters() == [(7, *expected) for expected in meters]


def test_activity_of_many_records_at_once() -> None:
    activity = Activity(1)
    activity.add(5, [0, 0, 3], [COMMIT, CLASSIC, key(1, "other")], [None, classic(1), b""])
    assert sorted(activity.meters()) == [(1, "g", 0, None, 0, 1, 1), (1, "other", 0, 3, 1, 0, 0)]
    assert activity.generations() == [(1, 5, "g", CLASSIC, 0, 1, 1)]


@pytest.mark.parametrize("times", [[5, 9, 7], [9, 7, 5], [7, 5, 9]])
@pytest.mark.parametrize("at_once", [1, 3])
def test_the_last_commit_of_a_day_is_that_of_the_highest_time(times: list[int], at_once: int) -> None:
    activity = Activity(0)
    for start in range(0, 3, at_once):
        some = times[start : start + at_once]
        activity.add(start, some, [COMMIT] * at_once, [b"1"] * at_once)
    assert [(meters.timestamp, meters.commits) for meters in activity.meters()] == [(9, 3)]


@pytest.mark.parametrize(
    ("log", "generations"),
    [
        ([(COMMIT, 0, b"1")], []),
        # the first record counts unless the records before end with its generation
        ([(CLASSIC, DAY, classic(3)), (CLASSIC, 0, classic(4))], [(1, 3, 4)]),
        ([(CLASSIC, 0, classic(3)), (CLASSIC, 0, None)], [(0, 3, None)]),
        # whatever was before, the first record does not count, or counts
        ([(CLASSIC, 0, classic(3, members=0)), (CLASSIC, 0, classic(4))], [(None, None, 4)]),
        ([(CLASSIC, 0, None), (CLASSIC, 0, classic(4))], [(None, None, 4)]),
        # tells nothing
        ([(CLASSIC, 0, classic(3)[:5]), (CLASSIC, DAY, classic(4))], [(1, 4, 4)]),
        ([(KIP_848, 0, epoch(9))], [(0, 9, 9)]),
        ([(b"\0\2\0\1\xff", 0, classic(3))], []),
    ],
)
def test_generations(log: Log, generations: list[tuple[int | None, int | None, int | None]]) -> None:
    activity = Activity(7)
    for offset, (name, timestamp, value) in enumerate(log, 40):
        activity.add(offset, [timestamp], [name], [value])
    first = log[0][0]
    assert activity.generations() == [(7, 40, "g", first, *expected) for expected in generations]
