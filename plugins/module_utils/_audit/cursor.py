# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading Kafka's wire format from many records at once: a position in each of them, moved together.

Fields are those of Kafka's message schemas: integers are big-endian; in front of strings, bytes and arrays stands their
length, in 16 or 32 bits, or in the flexible form (KIP-482) as a varint that is one more.
"""

from __future__ import annotations

import collections.abc as c
import contextlib
import typing as t

from . import spans
from .spans import Column, Size, int32
from .walker import Walker

# reported by engine.py
with contextlib.suppress(ImportError):
    import pyarrow as pa
    import pyarrow.compute as pc

Columns = dict[str, Column]
Reader: t.TypeAlias = "Cursor | Walker"
Read: t.TypeAlias = c.Callable[[t.Any], "Column | Columns"]

# with fewer records, walking through them one by one is faster
_FEW = 64
_TAGS = "tagged fields"
_UUID = 16


class Cursor:
    """A position in each of many records.

    A record that cannot be read on has failed: all that is read from it afterwards is null, and `problem` says why. The
    others are not touched by that, and nothing is read beyond the end of the record that it belongs to.

    Attributes:
        problem: why each record failed, a phrase; null for those that did not.
        flexible: whether the records are in the flexible form.
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
            part: what the records are, for the problems.
            missing: the problem of a null, which cannot be read in any case.
        """
        _validity, offsets, data = records.buffers()
        absent = records.is_null()
        if len(records):
            bounds = pa.Array.from_buffers(pa.int32(), len(records) + 1, [None, offsets], offset=records.offset)
        else:
            # its buffers may be missing
            bounds = pa.array([0], pa.int32())
        position = pc.if_else(absent, None, bounds[:-1])
        problem = pc.if_else(absent, pa.scalar(missing, pa.string()), None)
        return cls(part, data or pa.py_buffer(b""), position, bounds[1:], problem)

    def at(self, rows: Column) -> Cursor:
        """Return a cursor of its own over some of the records, by their numbers."""
        position, end, problem = (each.take(rows) for each in (self._position, self._end, self.problem))
        return Cursor(self._part, self._data, position, end, problem, self.flexible)

    def __len__(self) -> int:
        return len(self._position)

    @property
    def alive(self) -> Column:
        """Which records have not failed."""
        return self._position.is_valid()

    def fail(self, wrong: Column, what: str | Column) -> None:
        """Let those records fail whose `wrong` is true, and not those where it is null; `what` they do wrong."""
        if not pc.any(wrong).as_py():
            return
        wrong = pc.and_(wrong.fill_null(False), self.alive)
        self._position = pc.if_else(wrong, None, self._position)
        why = spans.join(f"the {self._part}", what)
        self.problem = pc.if_else(wrong, why, self.problem)

    def finish(self) -> None:
        """Let the records fail that have more bytes."""
        self.fail(pc.less(self._position, self._end), "has bytes after its end")

    def skip(self, size: int, field: str) -> None:
        """Move over bytes that nobody wants."""
        self._advance(int32(size), field)

    def _advance(self, size: Size, field: str) -> Column:
        """Move over bytes, and return where they begin."""
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

    def varint(self, field: str) -> Column:
        """Read unsigned varints below 2**31, as int32."""
        total, more = pc.multiply(self._position, int32(0)), self.alive
        for shift in range(0, 35, 7):
            start = self._advance(more.cast(pa.int32()), field)
            byte = pc.take(self._bytes, pc.if_else(more, start, None), boundscheck=False).cast(pa.int32()).fill_null(0)
            if shift == 28:
                self.fail(pc.greater(byte, int32(7)), f"has an impossible length of its {field}")
            total = pc.bit_wise_or(total, pc.shift_left(pc.bit_wise_and(byte, int32(0x7F)), int32(shift)))
            more = pc.greater_equal(byte, int32(0x80))
            if not pc.any(more).as_py():
                break
        return total

    def _length(self, field: str, classic: c.Callable[[str], Column]) -> Column:
        """Read the length of something, negative if it is null."""
        return pc.subtract(self.varint(field), int32(1)) if self.flexible else classic(field)

    def _sized(self, field: str, length: Column, nullable: bool = False) -> Column:
        absent = pc.less(length, pa.scalar(0, length.type))
        if not nullable:
            self.fail(absent, f"has no {field}")
            return spans.slices(self._data, self._advance(length, field), length)
        size = pc.if_else(absent, pa.scalar(0, length.type), length)
        return spans.slices(self._data, pc.if_else(absent, None, self._advance(size, field)), size)

    def bytes(self, field: str) -> Column:
        """Read bytes, which are not null."""
        return self._sized(field, self._length(field, self.int32))

    def string(self, field: str, nullable: bool = False) -> Column:
        """Read strings that name something: a record fails if it is not UTF-8."""
        raw = self._sized(field, self._length(field, self.int16), nullable)
        text = spans.strings(raw)
        if text.null_count > raw.null_count:
            self.fail(pc.and_(raw.is_valid(), text.is_null()), f"has a {field} that is not UTF-8")
        return text

    def text(self, field: str) -> Column:
        r"""Read strings that name nothing: a byte that is not UTF-8 becomes C(\xff)."""
        return spans.strings(self._sized(field, self._length(field, self.int16)), "backslashreplace")

    def uuid(self, field: str) -> Column:
        """Read uuids, as Kafka spells them; the one of zeros is null."""
        return spans.uuids(spans.slices(self._data, self._advance(int32(_UUID), field), int32(_UUID)))

    def _count(self, field: str) -> Column:
        """Read how many elements an array has."""
        count = self._length(field, self.int32)
        self.fail(pc.less(count, int32(0)), f"has no {field}")
        return count

    def skip_int32s(self, field: str) -> None:
        """Move over arrays of integers of 32 bits."""
        # no record has 2**29 of them
        count = pc.min_element_wise(self._count(field), int32(2**29 - 1), skip_nulls=False)
        self._advance(pc.multiply(count, int32(4)), field)

    def array(self, field: str, read: Read) -> Column:
        """Read arrays, which are not null, and return lists of their elements.

        Args:
            read: reads one element of each record of the `Reader` that it is given, and returns them, or their columns.
        """
        return self._repeat(field, self._count(field), read)

    def skip_tags(self) -> None:
        """Move over tagged fields (KIP-482), which only the flexible form has."""
        if self.flexible:
            self._repeat(_TAGS, self.varint(_TAGS), _read_tag)

    def tag(self, wanted: int) -> Column:
        """Move over tagged fields, and return the bytes of the first with the `wanted` tag, null without one."""
        found = self._repeat(_TAGS, self.varint(_TAGS), _read_tag)
        tagged: Column = found.flatten()
        rows: Column = pc.list_parent_indices(found)
        chosen: Column = pc.equal(tagged.field("tag"), int32(wanted))
        place = pc.index_in(spans.numbers(len(self)), value_set=rows.filter(chosen).cast(pa.int32()))
        return tagged.field("content").filter(chosen).take(place)

    def tagged_bytes(self, field: str) -> Column:
        """Read the bytes of tagged fields."""
        return self._sized(field, self.varint(field))

    def _repeat(self, field: str, count: Column, read: Read) -> Column:
        """Read so many elements: the first of all records that have one, the second of all that have two, and so on."""
        # each element has a byte or more
        self._need(count, field)
        rows, cursor, left = spans.numbers(len(self)), self, count
        places: list[Column] = []
        elements: list[Column] = []
        ended: list[tuple[Column, Cursor]] = []
        while True:
            going: Column = pc.and_kleene(pc.greater(left, int32(0)), cursor.alive)
            over: Column = pc.invert(going)
            stop, go = pc.indices_nonzero(over), pc.indices_nonzero(going)
            ended.append((rows.take(stop), cursor.at(stop)))
            rows, left, cursor = rows.take(go), left.take(go), cursor.at(go)
            if len(rows) < _FEW:
                break
            places.append(rows)
            elements.append(_column(read(cursor)))
            left = pc.subtract(left, int32(1))
        few, found = cursor._read_all(left, read)
        places.append(rows.take(few))
        elements.append(found)
        ended.append((rows, cursor))
        order = pc.array_sort_indices(pa.concat_arrays([rows for rows, _cursor in ended]))
        self._position = pa.concat_arrays([cursor._position for _rows, cursor in ended]).take(order)
        self.problem = pa.concat_arrays([cursor.problem for _rows, cursor in ended]).take(order)
        return self._lists(count, pa.concat_arrays(places), pa.concat_arrays(elements))

    def _read_all(self, count: Column, read: Read) -> tuple[Column, Column]:
        """Read all elements of all arrays at once, each of which has some; return whose they are, and the elements."""
        data = memoryview(self._data).cast("B")
        rows: list[int] = []
        starts: list[int] = []
        last: list[int] = []
        arrays = zip(self._position.to_pylist(), self._end.to_pylist(), count.to_pylist(), strict=True)
        for row, (position, end, many) in enumerate(arrays):
            found = Walker(data, position, end, self.flexible).elements(many, read)
            rows += [row] * len(found)
            starts += found
            last.append(len(starts) - 1)
        owners = pa.array(rows, pa.int32())
        problem = pa.nulls(len(rows), pa.string())
        each = Cursor(
            self._part, self._data, pa.array(starts, pa.int32()), self._end.take(owners), problem, self.flexible
        )
        elements = _column(read(each))
        failed = each._position.is_null()
        first: Column = pc.index_in(spans.numbers(len(self)), value_set=owners.filter(failed))
        self.problem = each.problem.filter(failed).take(first)
        self._position = pc.if_else(first.is_null(), each._position.take(pa.array(last, pa.int32())), None)
        return owners, elements

    def _lists(self, count: Column, rows: Column, elements: Column) -> Column:
        """Return lists of a `count` of elements, of which each belongs to one of `rows`; null for what has failed."""
        alive, failed = self.alive, self._position.is_null()
        whole = alive.take(rows)
        order = pc.array_sort_indices(rows.filter(whole))
        sizes = pc.if_else(alive, count, int32(0))
        offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(sizes)])
        return pa.ListArray.from_arrays(offsets, elements.filter(whole).take(order), mask=failed)


def _column(read: Column | Columns) -> Column:
    return pa.StructArray.from_arrays(list(read.values()), list(read)) if isinstance(read, dict) else read


def _read_tag(each: Reader) -> Columns:
    return {"tag": each.varint(_TAGS), "content": each.tagged_bytes(_TAGS)}
