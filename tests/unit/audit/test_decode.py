# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Keys and values of the offsets topic: each record type and version, and whatever else bytes may be."""

from __future__ import annotations

import struct
import subprocess
import sys
import typing as t

import pyarrow as pa
import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import decode, records
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import encode
from tests.support.collection import tree
from tests.support.encode import KEYS, VALUES, Kind
from tests.support.rows import NO_UUID, Raw, Row, decoded, expected
from tests.support.samples import sample

COMMIT_KEY = encode.key(1, {"group": "g", "topic": "t", "partition": 3})
MEMBER_KEY = encode.key(5, {"groupId": "g", "memberId": "m"})
GROUP_KEY = encode.key(2, {"group": "g"})
COMMIT: Row = {"offset": 9, "leaderEpoch": 2, "metadata": "note", "commitTimestamp": 1000, "expireTimestamp": 2000}
UUIDS = ["AAECAwQFBgcICQoLDA0ODw", "_-_-_-_-_-_-_-_-_-_-_w", "AAAAAAAAAAAAAAAAAAAAAQ"]
UUID = UUIDS[0]
FLEXIBLE = encode.value(1, 4, {**COMMIT, "topicId": UUID})
CLASSIC = encode.value(1, 3, COMMIT)
MEMBER: Row = {
    "memberId": "m",
    "groupInstanceId": "i",
    "clientId": "c",
    "clientHost": "/h",
    "rebalanceTimeout": 1,
    "sessionTimeout": 2,
    "subscription": b"\0\1",
    "assignment": b"",
}
GROUP: Row = {
    "protocolType": "consumer",
    "generation": 4,
    "protocol": "range",
    "leader": "m",
    "currentStateTimestamp": 70,
    "members": [{**MEMBER, "memberId": "n", "groupInstanceId": None}, MEMBER],
}


def group(version: int = 3, **changes: t.Any) -> bytes:
    return encode.value(2, version, {**GROUP, **changes})


def one(key: bytes | None, value: bytes | None) -> Row:
    (row,) = decoded([(key, value)])
    return row


def batch(keys: t.Any, values: t.Any) -> pa.RecordBatch:
    zeros = pa.array([0] * len(keys), pa.int64())
    return decode.decode(pa.array([0] * len(keys), pa.int32()), zeros, zeros, keys, values)


_STRINGS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.text("a", min_size=126, max_size=200)
_ANY: dict[str, st.SearchStrategy[t.Any]] = {
    **{name: st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for name, bits in (("int32", 32), ("int64", 64))},
    "string": _STRINGS,
    "nullable": st.none() | _STRINGS,
    "bytes": st.binary(max_size=8),
    "uuid": st.sampled_from([*UUIDS, NO_UUID]),
}


def values_of(kind: Kind, flexible: bool) -> st.SearchStrategy[t.Any]:
    """Whatever fits a kind of field."""
    if isinstance(kind, list):
        return st.lists(values_of(kind[0], flexible), max_size=3)
    if isinstance(kind, str):
        return _ANY[kind]
    if not flexible:
        return st.fixed_dictionaries({name: values_of(field, flexible) for name, field in kind.items()})
    plain = {name: values_of(field, flexible) for name, field in kind.items() if not isinstance(field, tuple)}
    tagged = {name: values_of(field[1], flexible) for name, field in kind.items() if isinstance(field, tuple)}
    unknown = st.dictionaries(st.integers(1, 2**31 - 1), st.binary(max_size=200), max_size=2)
    return st.fixed_dictionaries(plain, optional={**tagged, encode.UNKNOWN: unknown})


@st.composite
def valid(draw: st.DrawFn) -> tuple[Raw, Row]:
    """A record, and its row."""
    record_type = draw(st.sampled_from(sorted(KEYS)))
    versions = [version for kind, version in VALUES if kind == record_type]
    key = draw(values_of(KEYS[record_type], flexible=False))
    version = draw(st.sampled_from([None, *versions]))
    if version is None:
        return (encode.key(record_type, key), None), expected(record_type, None, key, {})
    value = draw(values_of(VALUES[record_type, version], version >= encode.FLEXIBLE))
    tail = draw(st.binary(max_size=3))
    raw = (encode.key(record_type, key), encode.value(record_type, version, value) + tail)
    return raw, expected(record_type, version, key, value)


@settings(deadline=None)
@given(st.lists(valid(), max_size=12))
def test_a_record_gives_what_was_put_into_it(given: list[tuple[Raw, Row]]) -> None:
    assert decoded([raw for raw, _row in given]) == [row for _raw, row in given]


@st.composite
def mutated(draw: st.DrawFn) -> Raw:
    """A record that was valid, cut or overwritten somewhere."""
    (key, value), _row = draw(valid())
    changed = []
    for part in (key, value):
        at = draw(st.integers(0, len(part or b"")))
        changed.append(part and part[:at] + draw(st.binary(max_size=4)) + part[at + draw(st.integers(0, 4)) :])
    return changed[0], changed[1]


_MAYBE = st.none() | st.binary(max_size=60)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(_MAYBE, _MAYBE) | mutated() | valid().map(lambda both: both[0]), max_size=6))
def test_any_bytes_give_a_row_that_is_the_same_alone_and_among_others(raw: list[Raw]) -> None:
    assert decoded(raw) == [one(*each) for each in raw]


@pytest.mark.parametrize("record_type", KEYS)
def test_each_record_type_is_known_by_its_key(record_type: int) -> None:
    names = {"group": "g", "groupId": "g", "memberId": "m", "topic": "t", "partition": 3, "regularExpression": "x"}
    key = encode.key(record_type, names)
    assert one(key, None) == expected(record_type, None, {name: names[name] for name in KEYS[record_type]}, {})


def test_the_record_types_are_those_of_the_schemas() -> None:
    assert set(records.KINDS) == set(KEYS)


@pytest.mark.parametrize("record_type", range(3, 25))
@pytest.mark.parametrize("value", [b"\0\0what ever", b"\0\1", b"\x7f\xff", b"\xff\xff", b"\0", b""])
def test_values_that_nobody_reads_may_be_any(record_type: int, value: bytes) -> None:
    names = {"groupId": "g", "memberId": "m", "regularExpression": "x"}
    assert one(encode.key(record_type, names), value) == expected(record_type, 0, names, {})


@pytest.mark.parametrize("version", range(5))
def test_an_old_key_may_have_any_value(version: int) -> None:
    old = encode.key(0, {"group": "g", "topic": "t", "partition": 3})
    value = encode.value(1, version, COMMIT)
    assert one(old, value) == one(COMMIT_KEY, value)


@pytest.mark.parametrize(
    ("key", "problem", "known"),
    [
        (None, "the key is missing", {}),
        (b"", "the key ends within its record type", {}),
        (b"\0", "the key ends within its record type", {}),
        (b"\0\x19\0\1g", "the key has the unknown record type 25", {}),
        (b"\xff\xff\0\1g", "the key has the unknown record type -1", {}),
        (b"\0\2", "the key ends within its group", {}),
        (b"\0\2\0", "the key ends within its group", {}),
        (b"\0\2\0\2g", "the key ends within its group", {}),
        (b"\0\2\x7f\xffg", "the key ends within its group", {}),
        (b"\0\2\xff\xff", "the key has no group", {}),
        (b"\0\2\x80\0g", "the key has no group", {}),
        (b"\0\2\0\1\xff", "the key has a group that is not UTF-8", {}),
        (b"\0\2\0\3\xed\xa0\x80", "the key has a group that is not UTF-8", {}),
        (GROUP_KEY + b"\0", "the key has bytes after its end", {"group": "g"}),
        (COMMIT_KEY[:-1], "the key ends within its partition", {"group": "g", "topic": "t"}),
        (COMMIT_KEY[:-5], "the key ends within its topic", {"group": "g"}),
        (COMMIT_KEY + b"\0", "the key has bytes after its end", {"group": "g", "topic": "t", "partition": 3}),
        (b"\0\1\0\1g\0\1\xff\0\0\0\1", "the key has a topic that is not UTF-8", {"group": "g"}),
        (MEMBER_KEY[:-1], "the key ends within its member id", {"group": "g"}),
        (b"\0\5\0\1g\0\1\xff", "the key has a member id that is not UTF-8", {"group": "g"}),
        (MEMBER_KEY + b"m", "the key has bytes after its end", {"group": "g"}),
        (b"\0\x10\0\1g\0\3x", "the key ends within its regular expression", {"group": "g"}),
    ],
)
@pytest.mark.parametrize("value", [None, CLASSIC, b""])
def test_a_key_that_cannot_be_read(key: bytes | None, value: bytes | None, problem: str, known: Row) -> None:
    place = {"source_partition": 7, "timestamp": 5, "tombstone": value is None}
    assert one(key, value) == {"kind": "undecodable", "problem": problem, **place, **known}


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        (COMMIT_KEY, b"", "ends within its version"),
        (COMMIT_KEY, b"\0\5" + CLASSIC[2:], "has the unknown version 5"),
        (COMMIT_KEY, b"\xff\xff" + CLASSIC[2:], "has the unknown version -1"),
        (COMMIT_KEY, CLASSIC[:9], "ends within its offset"),
        (COMMIT_KEY, CLASSIC[:13], "ends within its leader epoch"),
        (COMMIT_KEY, CLASSIC[:19], "ends within its metadata"),
        (COMMIT_KEY, CLASSIC[:14] + b"\xff\xff" + bytes(8), "has no metadata"),
        (COMMIT_KEY, CLASSIC[:-1], "ends within its commit timestamp"),
        (COMMIT_KEY, encode.value(1, 1, COMMIT)[:-1], "ends within its expire timestamp"),
        (COMMIT_KEY, FLEXIBLE[:-1], "ends within its tagged fields"),
        (COMMIT_KEY, FLEXIBLE[:14] + b"\0" + bytes(9), "has no metadata"),
        (COMMIT_KEY, FLEXIBLE[:14] + b"\xff\xff\xff\xff\x07", "ends within its metadata"),
        (COMMIT_KEY, FLEXIBLE[:14] + b"\xff\xff\xff\xff\x08", "has an invalid length of its metadata"),
        (COMMIT_KEY, FLEXIBLE[:14] + b"\x80\x80\x80\x80\x80\0", "has an invalid length of its metadata"),
        (COMMIT_KEY, FLEXIBLE[:14] + b"\1" + bytes(8) + b"\1\0\3abc", "has a topic id that is not 16 bytes long"),
        (COMMIT_KEY, FLEXIBLE[:14] + b"\1" + bytes(8) + b"\1\0\x10" + bytes(15), "ends within its tagged fields"),
        (GROUP_KEY, b"\0\5" + group()[2:], "has the unknown version 5"),
        (GROUP_KEY, group()[:6], "ends within its protocol type"),
        (GROUP_KEY, group()[:15], "ends within its generation"),
        (GROUP_KEY, group()[:20], "ends within its protocol"),
        (GROUP_KEY, group()[:25], "ends within its leader"),
        (GROUP_KEY, group(members=[])[:-5], "ends within its state timestamp"),
        (GROUP_KEY, group(members=[])[:-1], "ends within its members"),
        (GROUP_KEY, group(members=[])[:-4] + b"\xff\xff\xff\xff", "has no members"),
        (GROUP_KEY, group(4, members=[])[:-2] + b"\0\0", "has no members"),
        (GROUP_KEY, group(members=[])[:-4] + b"\x7f\xff\xff\xff", "ends within its members"),
        (GROUP_KEY, group(members=[])[:-1] + b"\1", "ends within its members"),
        (GROUP_KEY, group(4, members=[])[:-2] + b"\xff\xff\xff\xff\x07", "ends within its members"),
    ],
)
def test_a_value_that_cannot_be_read_leaves_the_key(key: bytes, value: bytes, problem: str) -> None:
    assert one(key, value) == {
        **one(key, None),
        "kind": "undecodable",
        "problem": f"the value {problem}",
        "tombstone": False,
    }


@pytest.mark.parametrize(
    ("key", "value", "column", "content"),
    [
        (COMMIT_KEY, encode.value(1, 3, {**COMMIT, "metadata": b"a\xff\xc3\xa9"}), "metadata", "a\\xffé"),
        (COMMIT_KEY, encode.value(1, 3, {**COMMIT, "metadata": "\0"}), "metadata", "\0"),
        (COMMIT_KEY, encode.value(1, 3, {**COMMIT, "leaderEpoch": -1}), "leader_epoch", None),
        (COMMIT_KEY, encode.value(1, 1, {**COMMIT, "expireTimestamp": -1}), "expire_time", None),
        (COMMIT_KEY, FLEXIBLE, "topic_id", UUID),
        (
            COMMIT_KEY,
            encode.value(1, 4, {**COMMIT, encode.UNKNOWN: {7: b"x" * 300}, "topicId": UUID}),
            "topic_id",
            UUID,
        ),
        (COMMIT_KEY, encode.value(1, 4, {**COMMIT, "topicId": NO_UUID}), "topic_id", None),
        (COMMIT_KEY, encode.value(1, 4, {**COMMIT, encode.UNKNOWN: {1: b""}}), "topic_id", None),
        (GROUP_KEY, group(currentStateTimestamp=-1), "state_time", None),
        (COMMIT_KEY, encode.value(1, 4, {**COMMIT, encode.UNKNOWN: {128: bytes(16)}}), "topic_id", None),
        (GROUP_KEY, group(currentStateTimestamp=70), "state_time", 70),
        (GROUP_KEY, group(protocol=None, leader=None), "state_time", 70),
        (GROUP_KEY, group(4, protocol=None, leader=None), "state_time", 70),
        (GROUP_KEY, group(protocolType=b"\xff"), "state_time", 70),
        (GROUP_KEY, group(members=[]), "members", 0),
        (GROUP_KEY, group(4, members=[]), "members", 0),
        (GROUP_KEY, group(), "members", 2),
        (GROUP_KEY, group(4), "members", 2),
    ],
)
def test_what_a_value_may_be(key: bytes, value: bytes, column: str, content: t.Any) -> None:
    row = one(key, value)
    assert row["kind"] != "undecodable"
    assert row.get(column) == content


@pytest.mark.parametrize(("record_type", "version"), VALUES)
def test_each_version_of_a_value(record_type: int, version: int) -> None:
    whole = sample(record_type, version)
    key, value = encode.key(record_type, whole.key), encode.value(record_type, version, whole.value or {})
    assert one(key, value + b"more") == expected(record_type, version, whole.key, whole.value or {})


def test_nothing_gives_no_rows() -> None:
    assert decoded([]) == []


@pytest.mark.parametrize("start", [0, 1, 3])
def test_a_part_of_an_array_gives_its_rows_only(start: int) -> None:
    raw: list[Raw] = [
        (COMMIT_KEY, CLASSIC),
        (None, b"?"),
        (GROUP_KEY, group()),
        (MEMBER_KEY, None),
        (COMMIT_KEY, FLEXIBLE),
    ]
    keys, values = (pa.array(part, pa.binary()) for part in zip(*raw, strict=True))
    whole = batch(keys, values)
    assert batch(keys.slice(start, 2), values.slice(start, 2)).to_pylist() == whole.slice(start, 2).to_pylist()


def test_bytes_below_a_null_are_not_read() -> None:
    offsets, data = struct.pack("<3i", 0, len(GROUP_KEY), 2 * len(GROUP_KEY)), GROUP_KEY * 2
    keys = pa.Array.from_buffers(pa.binary(), 2, [pa.py_buffer(b"\2"), pa.py_buffer(offsets), pa.py_buffer(data)])
    assert batch(keys, pa.nulls(2, pa.binary())).column("group").to_pylist() == [None, "g"]


def test_executors_need_no_numpy() -> None:
    script = f"""
import sys
sys.modules.update(dict.fromkeys(("numpy", "pandas")))
sys.path.insert(0, {str(tree())!r})
import pyarrow as pa
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import decode
place = pa.array([0, 0], pa.int32()), pa.array([0, 0]), pa.array([0, 0])
keys, values = pa.array([{COMMIT_KEY!r}, {GROUP_KEY!r}]), pa.array([{FLEXIBLE!r}, {group()!r}])
print(decode.decode(*place, keys, values).column("kind").to_pylist())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "['offset_commit', 'group_metadata']\n", done.stderr
