# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A vectorized reader of Kafka's wire format: one position in each of many records, advanced together.

Fields follow the message schemas of Kafka: integers are big-endian; strings, bytes and arrays are prefixed with their
length in 16 or 32 bits, or in flexible versions (KIP-482) with a varint of the length plus one.
"""

from __future__ import annotations

import collections.abc as c

from ..libraries import pa, pc
from . import spans
from .spans import Column, Size, int32

_TAGS = "tagged fields"


class Cursor:
    """A position in each of many records.

    If a record cannot be decoded, it fails: all later fields of the record are null, and `problem` contains the reason.
    Other records are not affected, and no field is read beyond the end of its record.

    Attributes:
        problem: why each record failed; null if the record did not fail.
        flexible: whether the records use a flexible version.
    """

    def __init__(
        self, part: str, data: pa.Buffer, position: Column, end: Column, problem: Column, flexible: bool = False
    ) -> None:
        self.problem = problem
        self.flexible = flexible
        self._part = part
        self._data = data
        self._bytes = pa.Array.from_buffers(pa.uint8(), data.size, [None, data])
        # null once a record has failed
        self._position = position
        self._end = end

    @classmethod
    def over(cls, records: pa.BinaryArray, part: str, missing: str | None = None) -> Cursor:
        """Return a cursor at the beginning of each record.

        Args:
            part: the name of the records in problems.
            missing: the problem of null records, which always fail.
        """
        _validity, offsets, data = records.buffers()
        absent = records.is_null()
        if len(records):
            bounds = pa.Array.from_buffers(pa.int32(), len(records) + 1, [None, offsets], offset=records.offset)
        else:
            # the buffers of an empty array may be missing
            bounds = pa.array([0], pa.int32())
        position = pc.if_else(absent, None, bounds[:-1])
        problem = pc.if_else(absent, pa.scalar(missing, pa.string()), None)
        return cls(part, data or pa.py_buffer(b""), position, bounds[1:], problem)

    def at(self, rows: Column) -> Cursor:
        """Return a separate cursor over the records with these indices."""
        position, end, problem = (each.take(rows) for each in (self._position, self._end, self.problem))
        return Cursor(self._part, self._data, position, end, problem, self.flexible)

    @property
    def alive(self) -> Column:
        """Whether each record has not failed."""
        return self._position.is_valid()

    def fail(self, wrong: Column, what: str | Column) -> None:
        """Fail the records whose `wrong` is true, not null, with the problem `what`."""
        if not pc.any(wrong).as_py():
            return
        wrong = pc.and_(wrong.fill_null(False), self.alive)
        self._position = pc.if_else(wrong, None, self._position)
        why = spans.join(f"the {self._part}", what)
        self.problem = pc.if_else(wrong, why, self.problem)

    def finish(self) -> None:
        """Fail the records that have more bytes."""
        self.fail(pc.less(self._position, self._end), "has bytes after its end")

    def skip(self, size: int, field: str) -> None:
        """Skip bytes."""
        self._advance(int32(size), field)

    def _advance(self, size: Size, field: str) -> Column:
        """Skip bytes, and return their start."""
        self._need(size, field)
        start = self._position
        self._position = pc.add(start, size)
        return start

    def _need(self, size: Size, field: str) -> None:
        self.fail(pc.greater(size, pc.subtract(self._end, self._position)), f"ends within its {field}")

    def _integer(self, field: str, kind: pa.DataType) -> Column:
        return spans.integers(self._bytes, self._advance(pa.scalar(kind.bit_width // 8, pa.int32()), field), kind)

    def int16(self, field: str) -> Column:
        """Read integers of 16 bits."""
        return self._integer(field, pa.int16())

    def int32(self, field: str) -> Column:
        """Read integers of 32 bits."""
        return self._integer(field, pa.int32())

    def int64(self, field: str) -> Column:
        """Read integers of 64 bits."""
        return self._integer(field, pa.int64())

    def varint(self, field: str, wanted: Column | None = None) -> Column:
        """Read unsigned varints below 2**31, as int32; 0 without reading if not `wanted`."""
        total = pc.multiply(self._position, int32(0))
        more = self.alive if wanted is None else pc.and_(self.alive, wanted.fill_null(False))
        for shift in range(0, 35, 7):
            start = self._advance(more.cast(pa.int32()), field)
            byte = pc.take(self._bytes, pc.if_else(more, start, None), boundscheck=False).cast(pa.int32()).fill_null(0)
            if shift == 28:
                self.fail(pc.greater(byte, int32(7)), f"has an invalid length of its {field}")
            total = pc.bit_wise_or(total, pc.shift_left(pc.bit_wise_and(byte, int32(0x7F)), int32(shift)))
            more = pc.greater_equal(byte, int32(0x80))
            if not pc.any(more).as_py():
                break
        return total

    def _length(self, field: str, classic: c.Callable[[str], Column]) -> Column:
        """Read a length, negative for null."""
        return pc.subtract(self.varint(field), int32(1)) if self.flexible else classic(field)

    def _string(self, field: str) -> Column:
        """Read the bytes of non-nullable strings."""
        length = self._length(field, self.int16)
        self.fail(pc.less(length, pa.scalar(0, length.type)), f"has no {field}")
        return spans.slices(self._data, self._advance(length, field), length)

    def string(self, field: str) -> Column:
        """Read strings that are identifiers: records fail if the string is not valid UTF-8."""
        raw = self._string(field)
        text = spans.strings(raw)
        if text.null_count > raw.null_count:
            self.fail(pc.and_(raw.is_valid(), text.is_null()), f"has a {field} that is not UTF-8")
        return text

    def text(self, field: str) -> Column:
        r"""Read free text: bytes that are not valid UTF-8 are escaped as C(\xff)."""
        return spans.strings(self._string(field), "backslashreplace")

    def skip_string(self, field: str) -> None:
        """Skip nullable strings."""
        length = self._length(field, self.int16)
        self._advance(pc.max_element_wise(length, pa.scalar(0, length.type), skip_nulls=False), field)

    def count(self, field: str) -> Column:
        """Read the number of elements of a non-nullable array; each element has at least one byte."""
        count = self._length(field, self.int32)
        self.fail(pc.less(count, int32(0)), f"has no {field}")
        self._need(count, field)
        return count

    def tag_0(self) -> Column:
        """Read the bytes of the tagged field 0, null if absent; later fields are not read."""
        some = pc.greater(self.varint(_TAGS), int32(0))
        # tags ascend (KIP-482)
        tag, size = self.varint(_TAGS, some), self.varint(_TAGS, some)
        content = spans.slices(self._data, self._advance(size, _TAGS), size)
        return pc.if_else(pc.and_(some, pc.equal(tag, int32(0))), content, None)
