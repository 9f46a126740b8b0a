# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""CSV files with named columns, as spreadsheets write them: with commas, semicolons or tabs, and a byte order mark."""

from __future__ import annotations

import collections.abc as c
import csv
import io
import typing as t

_DELIMITERS = (",", ";", "\t")


class Line(t.NamedTuple):
    """A line, with its cells by column."""

    number: int
    cells: dict[str, str]


def read(path: str, columns: c.Sequence[str], optional: c.Collection[str] = ()) -> list[Line]:
    """Return the lines of a file after the first one, without empty lines.

    Args:
        columns: the columns that the first line must name, in any order.
        optional: those of them that may be missing.

    Raises:
        ValueError: the file cannot be read, or has another form; the message names the line.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            content = file.read()
    except UnicodeDecodeError:
        raise ValueError("the file is not UTF-8: save it as CSV UTF-8") from None
    except OSError as exc:
        raise ValueError(f"the file cannot be read ({exc.strerror})") from None
    header = content.splitlines()[0] if content else ""
    delimiter = max(_DELIMITERS, key=header.count)
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if any(row)]
    except csv.Error as exc:
        raise ValueError(f"line {reader.line_num} is not CSV ({exc})") from None
    names = rows[0][1] if rows else []
    while names and not names[-1]:
        # spreadsheets fill all lines up to the longest
        names.pop()
    if not {*columns} - {*optional} <= {*names} <= {*columns} or len({*names}) < len(names):
        raise ValueError(f"the first line must have the columns {','.join(columns)}, and no others")
    return [_line(number, row, names) for number, row in rows[1:]]


def _line(number: int, row: list[str], names: list[str]) -> Line:
    if any(row[len(names) :]):
        raise ValueError(f"line {number} has more values than the first line has columns")
    return Line(number, dict(zip(names, [*row, *[""] * len(names)], strict=False)))
