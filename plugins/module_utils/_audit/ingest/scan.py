# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The scan of one split, on an executor: read it, keep the latest record of each key, and decode only what is left."""

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

# what is decoded at a time
_ROWS = 50_000
_BYTES = 64 * 1024 * 1024


def scan(access: Access, topic: str, split: Split, deadline: float) -> c.Iterator[pa.RecordBatch]:
    """Return the rows of one split, as `records.schema` describes them.

    Memory goes with the keys, and with groups and days, never with the records.

    Args:
        deadline: seconds since the epoch.

    Raises:
        TaskError: a partition cannot be read, or was not read before the deadline; names it, and says why.
    """
    latest: dict[bytes, Message] = {}
    activity, progress = Activity(), Progress(split)
    with _no_collection():
        if progress.left:
            for batch in batches(access, topic, split, progress, deadline):
                _add(batch, latest, activity)
        drop_superseded(latest)
        yield from _decoded(latest)
        yield from _rows(records.ACTIVITY, Meters._fields, activity.meters())
        yield from _rows(records.PARTITION, Ended._fields, progress.ended())


@contextlib.contextmanager
def _no_collection() -> c.Iterator[None]:
    """Spare the garbage collector from looking at each message and row, over and over: they hold no cycles."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _add(batch: Batch, latest: dict[bytes, Message], activity: Activity) -> None:
    """Take a batch in; a few passes in C for all of its records, since what is done for each of them is what counts."""
    keys = [key or b"" for key in map(Message.key, batch.messages)]
    timestamps = [timestamp for _kind, timestamp in map(Message.timestamp, batch.messages)]
    activity.add(batch.partitions, timestamps, keys, list(map(Message.value, batch.messages)))
    # the message as it is: a tuple of what is needed of it takes a quarter more of the time
    latest.update(zip(keys, batch.messages, strict=True))


def _decoded(latest: dict[bytes, Message]) -> c.Iterator[pa.RecordBatch]:
    """Decode a part of the records at a time, and let go of it."""
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
    """Return rows of a kind, with the columns that are named; the others are null."""
    schema = records.schema()
    for start in range(0, len(rows), _ROWS):
        part = rows[start : start + _ROWS]
        columns = {"kind": [kind] * len(part), **dict(zip(names, zip(*part, strict=True), strict=True))}
        arrays = [
            pa.array(columns[field.name], field.type) if field.name in columns else pa.nulls(len(part), field.type)
            for field in schema
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)
