# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The scan of one split on an executor: read it, keep the latest record of each key, and decode only these records.

Memory is bounded: if a split has to keep more than its bound, the records kept so far of a partition are decoded and
returned before the partition was read completely. The rows of such a partition, and of a partition that several splits
read, are partial: `merge` combines them. The rows of all partitions can be combined if the scan is keyed.
"""

from __future__ import annotations

import collections.abc as c
import contextlib
import gc
import typing as t

from ..libraries import pa
from . import decode, records
from .access import Access
from .activity import Generations, Meters
from .compact import Compaction, common_key
from .reader import batches
from .splits import Ended, Progress, Split

# limits of one decoded batch, of which the second one is for rows of the average size
_ROWS = 50_000
_BYTES = 16 * 1024 * 1024


class Bound(t.NamedTuple):
    """What a split may keep: records as messages, counts of activity, and bytes of keys and values."""

    messages: int
    counts: int
    size: int


# about 330 MB of memory
BOUND = Bound(50_000, 200_000, 64 * 1024 * 1024)


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
                kept[batch.partition].add(batch.messages)
                for partition in kept.keys() - progress.remaining:
                    yield from _rows(kept.pop(partition))
                if excess := _excess(kept.values(), bound):
                    partial.add(excess.partition)
                    excess.combined = True
                    yield from _rows(excess)
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


def _excess(kept: c.Collection[Compaction], bound: Bound) -> Compaction | None:
    """Pack and merge records to stay in the bound; return the partition whose rows must be returned for this."""
    size = sum(one.unpacked + one.packed for one in kept)
    if size > bound.size or sum(one.messages for one in kept) > bound.messages:
        for one in kept:
            one.pack()
    if sum(one.packed for one in kept) > bound.size:
        for one in kept:
            one.merge()
        # with less space, the records would be merged too often
        if 3 * sum(one.packed for one in kept) > 2 * bound.size:
            return max(kept, key=lambda one: one.packed)
    if sum(one.activity.entries for one in kept) > bound.counts:
        return max(kept, key=lambda one: one.activity.entries)
    return None


def _rows(compaction: Compaction) -> c.Iterator[pa.RecordBatch]:
    """Decode and release what is kept."""
    latest, activity = compaction.take()
    rows = min(_ROWS, 1 + latest.num_rows * _BYTES // (1 + latest.nbytes))
    for batch in latest.combine_chunks().to_batches(rows):
        yield _decoded(compaction.partition, batch, compaction.combined)
    yield from _tuples(records.ACTIVITY, Meters._fields, activity.meters())
    if compaction.combined:
        yield from _tuples(records.GENERATIONS, Generations._fields, activity.generations())


def _decoded(partition: int, batch: pa.RecordBatch, combined: bool) -> pa.RecordBatch:
    where = pa.repeat(pa.scalar(partition, pa.int32()), batch.num_rows)
    columns: list[t.Any] = [batch[name] for name in ("offset", "timestamp", "key", "value")]
    rows = decode.decode(where, *columns)
    if not combined:
        return rows
    place = rows.schema.get_field_index("key")
    return rows.set_column(place, rows.schema.field(place), common_key(batch["key"]))


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
