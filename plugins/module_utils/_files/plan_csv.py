# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""CSV files of plans, for review in a spreadsheet: one line for each entry; the lines that remain select entries.

Texts begin with an apostrophe, so that spreadsheets neither evaluate them nor convert them to numbers or dates.
"""

from __future__ import annotations

import collections.abc as c
import csv
import io
import typing as t

from .._errors import NothingChanged
from .plan import Plan, PlannedGroup, PlannedOffset

COLUMNS = ("action", "group", "topic", "partition", "evidence")
#: A file of other origin may lack the evidence.
_REQUIRED = COLUMNS[:-1]
_DELIMITERS = (",", ";", "\t")
_SHOWN = 5

Entry = PlannedGroup | PlannedOffset  # pylint: disable=unsupported-binary-operation


class Key(t.NamedTuple):
    """What identifies an entry, as a file spells it without apostrophes; a group has no topic and no partition."""

    action: str
    group: str
    topic: str
    partition: str

    def __str__(self) -> str:
        action = self.action.replace("_", " ")
        where = f"{self.topic}-{self.partition} of group" if self.topic or self.partition else ""
        return f"{action} {where}".rstrip() + f" '{self.group}'"


class _Line(t.NamedTuple):
    number: int
    cells: dict[str, str]

    def keys(self) -> tuple[Key, Key]:
        """Return what the line may mean: the apostrophe of the group's cell is that of the file, or of the name."""
        action, group, topic, partition = (self.cells[name] for name in _REQUIRED)
        return Key(action, _plain(group), _plain(topic), partition), Key(action, group, _plain(topic), partition)


def entries(plan: Plan) -> list[Entry]:
    """Return all entries of a plan."""
    return [*plan.delete_groups, *plan.delete_offsets]


def key(entry: Entry) -> Key:
    """Return what identifies an entry of a plan."""
    if isinstance(entry, PlannedGroup):
        return Key("delete_group", entry.group, "", "")
    return Key("delete_offset", entry.group, entry.where.topic, str(entry.where.partition))


def text(plan: Plan) -> str:
    """Return the file of a plan, as spreadsheets write it: with a byte order mark, and CRLF."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for entry in entries(plan):
        action, group, topic, partition = key(entry)
        writer.writerow([action, _quoted(group), topic and _quoted(topic), partition, _quoted(entry.evidence)])
    return "\ufeff" + file.getvalue()


def _quoted(value: str) -> str:
    return f"'{value}"


def _plain(cell: str) -> str:
    """Return the text of a cell, of which some spreadsheets have removed the apostrophe."""
    return cell.removeprefix("'")


def read(path: str, option: str, plan: Plan) -> set[Key]:
    """Return which entries of a plan a file selects.

    Args:
        option: the option that names the file, for the messages.

    Raises:
        TaskError: it cannot be read, is no such file, or has lines that are not in the plan, or were edited.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            content = file.read()
    except UnicodeDecodeError as exc:
        raise NothingChanged(f"{option}: {path} is not UTF-8: save it as CSV UTF-8.") from exc
    except OSError as exc:
        raise NothingChanged(f"{option}: {path} cannot be read ({exc.strerror}).") from exc
    try:
        return _selected(_lines(content), plan)
    except ValueError as exc:
        raise NothingChanged(f"{option}: {path}: {exc}.") from exc


def _lines(content: str) -> list[_Line]:
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
    if not {*_REQUIRED} <= {*names} <= {*COLUMNS} or len({*names}) < len(names):
        raise ValueError(f"the first line must have the columns {','.join(COLUMNS)}, and no others")
    return [_line(number, row, names) for number, row in rows[1:]]


def _line(number: int, row: list[str], names: list[str]) -> _Line:
    if any(row[len(names) :]):
        raise ValueError(f"line {number} has more values than the first line has columns")
    return _Line(number, dict(zip(names, [*row, *[""] * len(names)], strict=False)))


def _selected(lines: c.Iterable[_Line], plan: Plan) -> set[Key]:
    evidence = {key(entry): entry.evidence for entry in entries(plan)}
    selected: dict[Key, int] = {}
    unknown = []
    for line in lines:
        found = {*line.keys()} & evidence.keys()
        if not found:
            unknown.append(f"line {line.number}: {line.keys()[0]}")
            continue
        if len(found) > 1:
            raise ValueError(f"line {line.number} is ambiguous: {' or '.join(map(str, sorted(found)))}")
        (only,) = found
        if only in selected:
            raise ValueError(f"line {line.number} repeats line {selected[only]}: {only}")
        cell = line.cells.get("evidence", evidence[only])
        if evidence[only] not in (cell, _plain(cell)):
            raise ValueError(
                f"line {line.number} has another evidence than the plan: {only}. To keep a group or an offset, delete "
                "its line"
            )
        selected[only] = line.number
    if unknown:
        more = f"; and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
        raise ValueError(f"lines that are not in the plan: {'; '.join(unknown[:_SHOWN])}{more}")
    return {*selected}
