# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Raw keys and values of ``__consumer_offsets`` as rows of `records.schema`.

Keys and values are those of org.apache.kafka.coordinator.group.generated in Kafka 4.3, and in 4.0 and later sources for
the record types that 4.3 does not have (9, 18, 24). A key starts with its record type, a value with its version.
"""

from __future__ import annotations

import collections.abc as c
import contextlib
import dataclasses
import typing as t

from . import records, spans
from .cursor import Columns, Cursor, Reader
from .spans import Column, int32

# reported by engine.py
with contextlib.suppress(ImportError):
    import pyarrow as pa
    import pyarrow.compute as pc

# the highest version of a value, 0 if not said; it is the flexible one
_HIGHEST = {0: 4, 1: 4, 2: 4}
# the record types whose values the audit needs: of the others, the key and the time say all that it asks
_NEEDED = frozenset({0, 1, 2})
_MEMBERS = frozenset({5, 7, 8, 10, 13, 14, 19, 21, 22})
_REGULAR_EXPRESSION = 16
# more than there are versions of a value
_STRIDE = 16


def decode(
    source_partition: pa.Int32Array,
    source_offset: pa.Int64Array,
    timestamp: pa.Int64Array,
    keys: pa.BinaryArray,
    values: pa.BinaryArray,
) -> pa.RecordBatch:
    """Return one row for each record, in their order, in `records.schema`. No bytes make it raise.

    A record has a C(problem) if its key or value cannot be read to the end, if its type or the version of its value is
    not known, or if a name in it is not UTF-8: two groups never become one. Its row has what could be read of the key,
    and nothing of the value. It is C(undecodable) if the key is the problem, or a value that the audit needs: that of a
    committed offset or of a classic group. Bytes after the end of a key are a problem, since they make it another key
    to the log; bytes after the end of a value are not looked at, as by the broker. Of share and Streams groups only the
    keys are read, and the versions of the values.

    Args:
        source_partition: where each record stands, as the two arguments that follow.
        keys: null for a record without a key.
        values: null for a tombstone.
    """
    key, value = Cursor.over(keys, "key", "the key is missing"), Cursor.over(values, "value")
    record_type, version = key.int16("record type"), value.int16("version")
    _check(key, record_type, pc.is_in(record_type, value_set=_int16s(records.KINDS)), "record type")
    highest = pc.if_else(pc.is_in(record_type, value_set=_int16s(_HIGHEST)), int32(4), int32(0))
    known = pc.and_(pc.greater_equal(version, int32(0)), pc.less_equal(version, highest))
    _check(value, version, known, "version")

    shapes = _shapes(pc.if_else(key.alive, record_type, None), pc.if_else(value.alive, version, None))
    parts = [_Part(pa.array([], pa.uint64()), {})]
    for shape in pc.unique(shapes).to_pylist():
        alike: Column = pc.equal(shapes, int32(shape))
        rows = pc.indices_nonzero(alike)
        parts += _decode_alike(shape, rows, key.at(rows), value.at(rows))
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
    """Decoded columns of some records, whose numbers are `rows`."""

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
    """Return a number for each record type and version of the value or absence of it, -1 without a type."""
    shape = pc.add(pc.multiply(record_type.cast(pa.int32()), int32(_STRIDE)), pc.add(version, int32(1)).fill_null(0))
    return shape.fill_null(-1)


def _decode_alike(shape: int, rows: Column, key: Cursor, value: Cursor) -> list[_Part]:
    """Decode the records of one shape: first the good ones, then those that are not."""
    undecodable = pa.repeat(records.UNDECODABLE, len(rows))
    columns: Columns = {"kind": undecodable}
    content: Columns = {}
    needed = True
    if shape >= 0:
        record_type, version = divmod(shape, _STRIDE)
        needed = record_type in _NEEDED
        columns = {"kind": pa.repeat(records.KINDS[record_type], len(rows)), **_key(record_type, key)}
        if version and record_type in _VALUES:
            value.flexible = version - 1 == _HIGHEST.get(record_type, 0)
            content = _VALUES[record_type](value, version - 1, columns)
    problem = pc.coalesce(key.problem, value.problem)
    good = _Part(rows, columns | content)
    if problem.null_count == len(rows):
        return [good]
    kind = undecodable if needed else pc.if_else(key.problem.is_valid(), undecodable, columns["kind"])
    bad = _Part(rows, columns | {"kind": kind, "problem": problem})
    return [good.filter(problem.is_null()), bad.filter(problem.is_valid())]


def _key(record_type: int, key: Cursor) -> Columns:
    columns: Columns = {"group": key.string("group")}
    if records.KINDS[record_type] == records.OFFSET_COMMIT:
        columns["topic"] = key.string("topic")
        columns["partition"] = key.int32("partition")
    elif record_type in _MEMBERS:
        columns["member_id"] = key.string("member id")
    elif record_type == _REGULAR_EXPRESSION:
        key.string("regular expression")
    key.finish()
    return columns


def _known(number: Column) -> Column:
    """Return the numbers without those that stand for none."""
    return pc.if_else(pc.equal(number, int32(-1)), None, number)


def _offset_commit(value: Cursor, version: int, _key: Columns) -> Columns:
    columns: Columns = {"offset": value.int64("offset")}
    if version >= 3:
        columns["leader_epoch"] = _known(value.int32("leader epoch"))
    columns["metadata"] = value.text("metadata")
    columns["commit_time"] = value.int64("commit timestamp")
    if version == 1:
        columns["expire_time"] = _known(value.int64("expire timestamp"))
    if version == 4:
        topic_id = value.tag(0)
        value.fail(pc.not_equal(pc.binary_length(topic_id), int32(16)), "has a topic id that is not 16 bytes long")
        columns["topic_id"] = spans.uuids(topic_id)
    return columns


def _group_metadata(value: Cursor, version: int, _key: Columns) -> Columns:
    columns: Columns = {
        "protocol_type": value.string("protocol type"),
        "generation": value.int32("generation"),
        "protocol": value.string("protocol", nullable=True),
    }
    value.string("leader", nullable=True)
    if version >= 2:
        columns["state_time"] = _known(value.int64("state timestamp"))

    def member(each: Reader) -> Columns:
        fields: Columns = {"member_id": each.string("member id")}
        if version >= 3:
            fields["group_instance_id"] = each.string("group instance id", nullable=True)
        fields["client_id"] = each.text("client id")
        fields["client_host"] = each.text("client host")
        each.skip(8 if version else 4, "timeouts")
        fields["subscription"] = each.bytes("subscription")
        each.bytes("assignment")
        each.skip_tags()
        return fields

    members = value.array("members", member)
    value.skip_tags()
    columns["members"] = _subscribed(members, pc.equal(columns["protocol_type"], pa.scalar("consumer")))
    return columns


def _subscribed(members: Column, consumers: Column) -> Column:
    """Return members with the topics of their subscriptions (ConsumerProtocolSubscription), which `consumers` have."""
    flat, parents = members.flatten(), pc.list_parent_indices(members)
    subscription = Cursor.over(pc.if_else(consumers.take(parents), flat.field("subscription"), None), "subscription")
    version = subscription.int16("version")
    subscription.fail(pc.less(version, int32(0)), "has a negative version")
    topics = subscription.array("topics", lambda each: each.string("topic"))
    fields = {field.name: flat.field(field.name) for field in flat.type}
    return _members(fields | {"topics": topics}, members.offsets, members.is_null())


def _members(fields: Columns, offsets: Column, missing: Column) -> Column:
    """Return lists of members that have these fields, and null in the others."""
    kind = records.schema().field("members").type
    count = len(fields["member_id"])
    columns = [fields.get(field.name, pa.nulls(count, field.type)) for field in kind.value_type]
    return pa.ListArray.from_arrays(
        offsets, pa.StructArray.from_arrays(columns, fields=list(kind.value_type)), mask=missing
    )


def _epoch(value: Cursor, _version: int, _key: Columns) -> Columns:
    epoch = value.int32("epoch")
    value.skip_tags()
    return {"generation": epoch}


def _partition_metadata(value: Cursor, _version: int, _key: Columns) -> Columns:
    def partition(each: Reader) -> Column:
        number = each.int32("partition")
        each.array("racks", lambda rack: rack.text("rack"))
        each.skip_tags()
        return number

    def topic(each: Reader) -> Column:
        each.skip(16, "topic id")
        name = each.string("topic")
        each.skip(4, "partitions")
        each.array("partitions", partition)
        each.skip_tags()
        return name

    topics = value.array("topics", topic)
    value.skip_tags()
    return {"topics": topics}


def _member_metadata(value: Cursor, _version: int, key: Columns) -> Columns:
    fields: Columns = {"member_id": key["member_id"], "group_instance_id": value.string("instance id", nullable=True)}
    value.string("rack id", nullable=True)
    fields["client_id"] = value.text("client id")
    fields["client_host"] = value.text("client host")
    fields["topics"] = value.array("topics", lambda each: each.string("topic"))
    fields["topic_regex"] = value.string("topic regex", nullable=True)
    value.skip(4, "rebalance timeout")
    value.string("server assignor", nullable=True)
    value.skip_tags()
    return {"members": _members(fields, spans.numbers(len(value) + 1), value.problem.is_valid())}


def _assigned(value: Cursor) -> Column:
    def topic(each: Reader) -> Column:
        topic_id = each.uuid("topic id")
        each.skip_int32s("partitions")
        each.skip_tags()
        return topic_id

    return value.array("partitions", topic)


def _target_assignment(value: Cursor, _version: int, _key: Columns) -> Columns:
    topic_ids = _assigned(value)
    value.skip_tags()
    return {"topic_ids": topic_ids}


def _current_assignment(value: Cursor, _version: int, _key: Columns) -> Columns:
    value.skip(9, "member epochs and state")
    topic_ids = _assigned(value)
    _assigned(value)
    value.skip_tags()
    return {"topic_ids": topic_ids}


def _resolved_regex(value: Cursor, _version: int, _key: Columns) -> Columns:
    topics = value.array("topics", lambda each: each.string("topic"))
    value.skip(16, "version and timestamp")
    value.skip_tags()
    return {"topics": topics}


_VALUES: dict[int, c.Callable[[Cursor, int, Columns], Columns]] = {
    0: _offset_commit,
    1: _offset_commit,
    2: _group_metadata,
    3: _epoch,
    4: _partition_metadata,
    5: _member_metadata,
    6: _epoch,
    7: _target_assignment,
    8: _current_assignment,
    16: _resolved_regex,
}
