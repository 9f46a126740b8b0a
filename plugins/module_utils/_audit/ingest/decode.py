# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Decode raw keys and values of ``__consumer_offsets`` to rows of `records.schema`.

The schemas are those of org.apache.kafka.coordinator.group.generated in Kafka 4.3; record types that 4.3 does not have
(9, 18, 24) are from the sources of 4.0 and later. A key starts with its record type, a value with its version.
"""

from __future__ import annotations

import collections.abc as c
import dataclasses
import typing as t

from ..libraries import pa, pc
from . import records, spans
from .cursor import Cursor
from .spans import Column, int32

Columns = dict[str, Column]

# the highest version of decoded values, and the only flexible one
_HIGHEST = 4
_MEMBERS = frozenset({5, 7, 8, 10, 13, 14, 19, 21, 22})
_REGULAR_EXPRESSION = 16
# greater than the number of versions of a value
_STRIDE = 16


def decode(
    source_partition: pa.Int32Array,
    source_offset: pa.Int64Array,
    timestamp: pa.Int64Array,
    keys: pa.BinaryArray,
    values: pa.BinaryArray,
) -> pa.RecordBatch:
    """Return one row for each record, in the same order, in `records.schema`. Never raises, whatever the bytes.

    Only the values of committed offsets and classic groups are decoded. For other record types, the audit requires only
    the key and the timestamp.

    A record is C(undecodable), with a C(problem), if its key or a required value cannot be decoded, if its record type
    or value version is unknown, or if a name is not valid UTF-8, so that two groups are never merged. Its row contains
    the decoded part of the key, and no part of the value. Bytes after the end of a key are a problem, because the log
    treats it as another key; bytes after the required part of a value are ignored.

    Args:
        source_partition: position of each record, together with the next two arguments.
        keys: null for a record without a key.
        values: null for a tombstone.
    """
    key, value = Cursor.over(keys, "key", "the key is missing"), Cursor.over(values, "value")
    record_type, version = key.int16("record type"), value.int16("version")
    _check(key, record_type, pc.is_in(record_type, value_set=_int16s(records.KINDS)), "record type")
    known = pc.and_(pc.greater_equal(version, int32(0)), pc.less_equal(version, int32(_HIGHEST)))
    _check(value, version, known, "version")

    shapes = _shapes(pc.if_else(key.alive, record_type, None), pc.if_else(value.alive, version, None))
    parts = [_Part(pa.array([], pa.uint64()), {})]
    for shape in pc.unique(shapes).to_pylist():
        matching: Column = pc.equal(shapes, int32(shape))
        rows = pc.indices_nonzero(matching)
        parts += _decode_shape(shape, rows, key.at(rows), value.at(rows))
    source: Columns = {"source_partition": source_partition, "source_offset": source_offset, "timestamp": timestamp}
    source["tombstone"] = values.is_null()
    order = pc.array_sort_indices(pa.concat_arrays([part.rows for part in parts]))
    schema = records.schema()
    columns = [
        source[field.name]
        if field.name in source
        else pa.concat_arrays([part.column(field) for part in parts]).take(order)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


@dataclasses.dataclass(frozen=True)
class _Part:
    """Decoded columns of the records with the indices `rows`."""

    rows: Column
    columns: Columns

    def column(self, field: pa.Field[t.Any]) -> Column:
        found = self.columns.get(field.name)
        return pa.nulls(len(self.rows), field.type) if found is None else found

    def filter(self, chosen: Column) -> _Part:
        return _Part(self.rows.filter(chosen), {name: column.filter(chosen) for name, column in self.columns.items()})


def _int16s(numbers: c.Iterable[int]) -> Column:
    return pa.array(numbers, pa.int16())


def _check(cursor: Cursor, number: Column, known: Column, what: str) -> None:
    cursor.fail(pc.invert(known), spans.join(f"has the unknown {what}", number.cast(pa.string())))


def _shapes(record_type: Column, version: Column) -> Column:
    """Return a number for each combination of record type and value version or tombstone, -1 without a type."""
    shape = pc.add(pc.multiply(record_type.cast(pa.int32()), int32(_STRIDE)), pc.add(version, int32(1)).fill_null(0))
    return shape.fill_null(-1)


def _decode_shape(shape: int, rows: Column, key: Cursor, value: Cursor) -> list[_Part]:
    """Decode the records of one shape: valid records first, then undecodable ones."""
    undecodable = pa.repeat(records.UNDECODABLE, len(rows))
    columns: Columns = {"kind": undecodable}
    content: Columns = {}
    problem = key.problem
    if shape >= 0:
        record_type, version = divmod(shape, _STRIDE)
        columns = {"kind": pa.repeat(records.KINDS[record_type], len(rows)), **_key(record_type, key)}
        problem = key.problem
        if record_type in _VALUES:
            if version:
                value.flexible = version - 1 == _HIGHEST
                content = _VALUES[record_type](value, version - 1)
            problem = pc.coalesce(problem, value.problem)
    good = _Part(rows, columns | content)
    if problem.null_count == len(rows):
        return [good]
    bad = _Part(rows, columns | {"kind": undecodable, "problem": problem})
    return [good.filter(problem.is_null()), bad.filter(problem.is_valid())]


def _key(record_type: int, key: Cursor) -> Columns:
    columns: Columns = {"group": key.string("group")}
    if records.KINDS[record_type] == records.OFFSET_COMMIT:
        columns["topic"] = key.string("topic")
        columns["partition"] = key.int32("partition")
    elif record_type in _MEMBERS:
        key.string("member id")
    elif record_type == _REGULAR_EXPRESSION:
        key.string("regular expression")
    key.finish()
    return columns


def _known(number: Column) -> Column:
    """Replace -1, which means not set, with null."""
    return pc.if_else(pc.equal(number, int32(-1)), None, number)


def _offset_commit(value: Cursor, version: int) -> Columns:
    columns: Columns = {"offset": value.int64("offset")}
    if version >= 3:
        columns["leader_epoch"] = _known(value.int32("leader epoch"))
    columns["metadata"] = value.text("metadata")
    columns["commit_time"] = value.int64("commit timestamp")
    if version == 1:
        columns["expire_time"] = _known(value.int64("expire timestamp"))
    if version == 4:
        topic_id = value.tag_0()
        value.fail(pc.not_equal(pc.binary_length(topic_id), int32(16)), "has a topic id that is not 16 bytes long")
        columns["topic_id"] = spans.uuids(topic_id)
    return columns


def _group_metadata(value: Cursor, version: int) -> Columns:
    columns: Columns = {}
    value.skip_string("protocol type")
    value.skip(4, "generation")
    value.skip_string("protocol")
    value.skip_string("leader")
    if version >= 2:
        columns["state_time"] = _known(value.int64("state timestamp"))
    columns["members"] = value.count("members")
    return columns


_VALUES: dict[int, c.Callable[[Cursor, int], Columns]] = {0: _offset_commit, 1: _offset_commit, 2: _group_metadata}
