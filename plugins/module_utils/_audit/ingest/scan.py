# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The scan of one split on an executor: read it, keep the latest record of each key, and decode only these records.

Memory is bounded: if a split has more keys than its bound, the records kept so far of a partition are decoded and
returned before the partition was read completely. The rows of such a partition, and of a partition that several splits
read, are partial: `merge` combines them. The rows of all partitions can be combined if the scan is keyed.
"""

from __future__ import annotations

import collections.abc as c
import contextlib
import gc
import typing as t

from ..libraries import Message, pa
from . import decode, records
from .access import Access
from .activity import Generations, Meters
from .compact import Compaction, common_key
from .reader import batches
from .splits import Ended, Progress, Split

# limits of one decoded batch
_ROWS = 50_000
_BYTES = 64 * 1024 * 1024


class Bound(t.NamedTuple):
    """What a split may keep: the number of keys and counts, and the bytes of keys and values."""

    entries: int
    size: int


# about 200 MB of memory
BOUND = Bound(300_000, 128 * 1024 * 1024)


def scan(
    access: Access,
    topic: str,
    split: Split,
    deadline: float,
    rate: float | None = None,
    bound: Bound = BOUND,
    keyed: bool = False,
) -> c.Iterator[pa.RecordBatch]:
    """Return the rows of one split, in the schema `records.schema`.

    Args:
        deadline: seconds since the epoch.
        rate: the maximum number of bytes (keys and values) per second; None for no limit.
        keyed: whether rows of other scans can be combined with these.

    Raises:
        TaskError: a partition cannot be read, or the deadline has passed; the message names the partition.
    """
    progress = Progress(split)
    kept = {one.partition: Compaction(one.partition, keyed or one.cut) for one in split}
    partial = {one.partition for one in split if one.cut}
    with _gc_disabled():
        if progress.remaining:
            for batch in batches(access, topic, split, progress, deadline, rate):
                compaction = kept[batch.partition]
                compaction.add(batch.messages)
                if batch.partition not in progress.remaining:
                    yield from _rows(kept.pop(batch.partition))
                elif _exceeds(kept.values(), bound):
                    largest = max(kept.values(), key=lambda one: (one.entries, one.size))
                    partial.add(largest.partition)
                    largest.combined = True
                    yield from _rows(largest)
        for compaction in kept.values():
            yield from _rows(compaction)
        ended = [one._replace(partial=one.source_partition in partial) for one in progress.ended()]
        yield from _tuples(records.PARTITION, Ended._fields, ended)


@contextlib.contextmanager
def _gc_disabled() -> c.Iterator[None]:
    """Disable the garbage collector, which would repeatedly traverse all messages and rows; they have no cycles."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _exceeds(kept: c.Collection[Compaction], bound: Bound) -> bool:
    if sum(one.entries for one in kept) > bound.entries:
        return True
    if sum(one.size for one in kept) <= bound.size:
        return False
    # measured only after so many bytes were read
    return 2 * sum(one.measure() for one in kept) > bound.size


def _rows(compaction: Compaction) -> c.Iterator[pa.RecordBatch]:
    """Decode and release what is kept."""
    latest, activity = compaction.take()
    yield from _decoded(latest, compaction.combined)
    yield from _tuples(records.ACTIVITY, Meters._fields, activity.meters())
    if compaction.combined:
        yield from _tuples(records.GENERATIONS, Generations._fields, activity.generations())


def _decoded(latest: dict[bytes, Message], combined: bool) -> c.Iterator[pa.RecordBatch]:
    """Decode the records in batches, and release each batch."""
    while latest:
        keys: list[bytes] = []
        messages: list[Message] = []
        size = 0
        while latest and len(keys) < _ROWS and size < _BYTES:
            key, message = latest.popitem()
            keys.append(key)
            messages.append(message)
            size += len(key) + len(message)
        batch = decode.decode(
            pa.array(map(Message.partition, messages), pa.int32()),
            pa.array(map(Message.offset, messages), pa.int64()),
            pa.array((timestamp for _kind, timestamp in map(Message.timestamp, messages)), pa.int64()),
            pa.array(keys, pa.binary()),
            pa.array(map(Message.value, messages), pa.binary()),
        )
        if combined:
            place = batch.schema.get_field_index("key")
            batch = batch.set_column(place, batch.schema.field(place), pa.array(map(common_key, keys), pa.binary()))
        yield batch


def _tuples(kind: str, names: c.Sequence[str], rows: c.Sequence[tuple[t.Any, ...]]) -> c.Iterator[pa.RecordBatch]:
    """Return rows of a kind, with the named columns; the other columns are null."""
    schema = records.schema()
    for start in range(0, len(rows), _ROWS):
        part = rows[start : start + _ROWS]
        columns = {"kind": [kind] * len(part), **dict(zip(names, zip(*part, strict=True), strict=True))}
        arrays = [
            pa.array(columns[field.name], field.type) if field.name in columns else pa.nulls(len(part), field.type)
            for field in schema
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)
