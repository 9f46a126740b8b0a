# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the elements of one record's arrays begin: the way to do it where there are few records with many elements."""

from __future__ import annotations

import collections.abc as c
import contextlib
import typing as t


class Walker:
    """The way of a `cursor.Cursor` through one record: its methods move as they do there, and read nothing.

    Raises:
        EOFError: the record ends before, from all methods.
    """

    def __init__(self, data: memoryview, position: int, end: int, flexible: bool) -> None:
        self._data = data
        self._position = position
        self._end = end
        self._flexible = flexible

    def elements(self, count: int, read: c.Callable[[Walker], t.Any]) -> list[int]:
        """Return where the elements of an array begin; the last is one that the record's end cuts short, if any."""
        starts = []
        with contextlib.suppress(EOFError):
            for _element in range(count):
                starts.append(self._position)
                read(self)
        return starts

    def skip(self, size: int, _field: str) -> None:
        self._position += size
        if self._position > self._end:
            raise EOFError

    def int32(self, field: str) -> None:
        self.skip(4, field)

    def uuid(self, field: str) -> None:
        self.skip(16, field)

    def varint(self, field: str) -> int:
        number = shift = 0
        byte = 0x80
        while byte & 0x80:
            at = self._position
            self.skip(1, field)
            byte = self._data[at]
            number |= (byte & 0x7F) << shift
            shift += 7
        return number

    def _length(self, size: int, field: str) -> int:
        """Read the length of something; of a null, it is 0."""
        if self._flexible:
            return max(0, self.varint(field) - 1)
        at = self._position
        self.skip(size, field)
        return max(0, int.from_bytes(self._data[at : at + size], "big", signed=True))

    def string(self, field: str, nullable: bool = False) -> None:
        self.skip(self._length(2, field), field)

    text = string

    def bytes(self, field: str) -> None:
        self.skip(self._length(4, field), field)

    def tagged_bytes(self, field: str) -> None:
        self.skip(self.varint(field), field)

    def skip_int32s(self, field: str) -> None:
        self.skip(4 * self._length(4, field), field)

    def array(self, field: str, read: c.Callable[[Walker], t.Any]) -> None:
        for _element in range(self._length(4, field)):
            read(self)

    def skip_tags(self) -> None:
        if self._flexible:
            for _tag in range(self.varint("tag")):
                self.varint("tag")
                self.tagged_bytes("tag")
