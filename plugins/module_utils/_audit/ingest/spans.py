# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Vectorized access to one buffer: slices, integers and strings as Arrow arrays."""

from __future__ import annotations

import base64
import typing as t

from ..libraries import pa, pc

# an Arrow array; the type stubs of pyarrow are too narrow for its functions
Column: t.TypeAlias = t.Any
# a scalar or an array
Size: t.TypeAlias = t.Any


def int32(value: int) -> Size:
    """Return an int32 scalar, which does not widen the type of other operands."""
    return pa.scalar(value, pa.int32())


def slices(data: pa.Buffer, start: Column, size: Size) -> Column:
    """Return `size` bytes from each `start`, null if `start` is null; the caller checks the bounds.

    Args:
        start: of int32.
        size: of an integer type.
    """
    first = start.cast(pa.int64())
    bounds = pc.bit_wise_or(first, pc.shift_left(pc.add(first, size), pa.scalar(32, pa.int64())))
    # each int64 contains two 32-bit offsets, the lower one first in memory; together they are the offsets of a binary
    # array in which every second element is a slice
    zero = pa.array([0], pa.int64())
    offsets = pa.concat_arrays([zero, bounds, zero]).buffers()[1]
    elements = pa.Array.from_buffers(pa.binary(), 2 * len(start) + 3, [None, offsets, data])
    wanted: Column = pc.cumulative_sum(pa.repeat(int32(2), len(start)))
    if start.null_count:
        wanted = pc.if_else(start.is_valid(), wanted, None)
    return pc.take(elements, wanted, boundscheck=False)


def integers(data: Column, start: Column, kind: pa.DataType) -> Column:
    """Return the big-endian integer at each `start`, null if `start` is null; the caller checks the bounds.

    Args:
        data: the bytes, as uint8.
        start: of int32.
    """
    found: Column = pc.take(data, start, boundscheck=False).cast(kind)
    for _byte in range(1, kind.bit_width // 8):
        start = pc.add(start, int32(1))
        found = pc.add(pc.shift_left(found, pa.scalar(8, kind)), pc.take(data, start, boundscheck=False))
    return found


def strings(raw: Column, errors: str = "strict") -> Column:
    """Decode each element as UTF-8; null if it is not valid, or the result of the Python error handler `errors`."""
    try:
        return raw.cast(pa.string())
    except pa.ArrowInvalid:
        return pa.array([None if one is None else _text(one, errors) for one in raw.to_pylist()], pa.string())


def join(*words: str | Column) -> Column:
    """Join the words with spaces, null if one of them is null."""
    columns: list[Column] = [pa.scalar(word) if isinstance(word, str) else word for word in [*words, " "]]
    return pc.binary_join_element_wise(*columns)


def _text(raw: bytes, errors: str) -> str | None:
    try:
        return raw.decode("utf-8", errors)
    except UnicodeDecodeError:
        return None


def uuids(raw: Column) -> Column:
    """Return 16 bytes each in the format of Kafka's Uuid, base64url without padding; null if all bytes are zero."""
    coded = raw.dictionary_encode()
    return pa.array([_uuid(one) for one in coded.dictionary.to_pylist()], pa.string()).take(coded.indices)


def _uuid(raw: bytes) -> str | None:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=") if any(raw) else None
