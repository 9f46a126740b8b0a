# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The scan of one split on an executor: read it, keep the latest record of each key, and decode only these records."""

from __future__ import annotations

import collections.abc as c
import contextlib
import gc
import typing as t

from ..libraries import Message, pa
from . import decode, records
from .access import Access
from .compact import Activity, Meters, drop_superseded
from .reader import Batch, batches
from .splits import Ended, Progress, Split

# limits of one decoded batch
_ROWS = 50_000
_BYTES = 64 * 1024 * 1024


def scan(
    access: Access, topic: str, split: Split, deadline: float, rate: float | None = None
) -> c.Iterator[pa.RecordBatch]:
    """Return the rows of one split, in the schema `records.schema`.

    Memory usage depends on the number of keys, groups and days, not on the number of records.

    Args:
        deadline: seconds since the epoch.
        rate: the maximum number of bytes (keys and values) per second; None for no limit.

    Raises:
        TaskError: a partition cannot be read, or the deadline has passed; the message names the partition.
    """
    latest: dict[bytes, Message] = {}
    activity, progress = Activity(), Progress(split)
    with _gc_disabled():
        if progress.remaining:
            for batch in batches(access, topic, split, progress, deadline, rate):
                _add(batch, latest, activity)
        drop_superseded(latest)
        yield from _decoded(latest)
        yield from _rows(records.ACTIVITY, Meters._fields, activity.meters())
        yield from _rows(records.PARTITION, Ended._fields, progress.ended())


@contextlib.contextmanager
def _gc_disabled() -> c.Iterator[None]:
    """Disable the garbage collector, which would repeatedly traverse all messages and rows; they have no cycles."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _add(batch: Batch, latest: dict[bytes, Message], activity: Activity) -> None:
    """Add a batch in a few passes in C over all records, because work per record dominates the run time."""
    keys = [key or b"" for key in map(Message.key, batch.messages)]
    timestamps = [timestamp for _kind, timestamp in map(Message.timestamp, batch.messages)]
    activity.add(batch.partitions, timestamps, keys, list(map(Message.value, batch.messages)))
    # store whole messages: tuples of the required fields take 25 % more time
    latest.update(zip(keys, batch.messages, strict=True))


def _decoded(latest: dict[bytes, Message]) -> c.Iterator[pa.RecordBatch]:
    """Decode the records in batches, and release each batch."""
    while latest:
        keys: list[bytes] = []
        messages: list[Message] = []
        size = 0
        while latest and len(keys) < _ROWS and size < _BYTES:
            key, message = latest.popitem()
            keys.append(key)
            messages.append(message)
            size += len(key) + len(message.value() or b"")
        yield decode.decode(
            pa.array(map(Message.partition, messages), pa.int32()),
            pa.array(map(Message.offset, messages), pa.int64()),
            pa.array((timestamp for _kind, timestamp in map(Message.timestamp, messages)), pa.int64()),
            pa.array(keys, pa.binary()),
            pa.array(map(Message.value, messages), pa.binary()),
        )


def _rows(kind: str, names: c.Sequence[str], rows: c.Sequence[tuple[t.Any, ...]]) -> c.Iterator[pa.RecordBatch]:
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
