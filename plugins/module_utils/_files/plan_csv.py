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
from . import csv_lines
from .csv_lines import Line
from .plan import Plan, PlannedGroup, PlannedOffset

COLUMNS = ("action", "group", "topic", "partition", "owner", "evidence")
#: A file of other origin may lack these.
_OPTIONAL = ("owner", "evidence")
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
        owner, evidence = _quoted(entry.owner or ""), _quoted(entry.evidence)
        writer.writerow([action, _quoted(group), _quoted(topic), partition, owner, evidence])
    return "\ufeff" + file.getvalue()


def _quoted(value: str) -> str:
    return value and f"'{value}"


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
        return _selected(csv_lines.read(path, COLUMNS, _OPTIONAL), plan)
    except ValueError as exc:
        raise NothingChanged(f"{option}: {path}: {exc}.") from exc


def _keys(line: Line) -> tuple[Key, Key]:
    """Return what a line may mean: the apostrophe of the group's cell is that of the file, or of the name."""
    action, group, topic, partition = (line.cells[name] for name in Key._fields)
    return Key(action, _plain(group), _plain(topic), partition), Key(action, group, _plain(topic), partition)


def _selected(lines: c.Iterable[Line], plan: Plan) -> set[Key]:
    planned = {key(entry): {"owner": entry.owner or "", "evidence": entry.evidence} for entry in entries(plan)}
    selected: dict[Key, int] = {}
    unknown = []
    for line in lines:
        found = {*_keys(line)} & planned.keys()
        if not found:
            unknown.append(f"line {line.number}: {_keys(line)[0]}")
            continue
        if len(found) > 1:
            raise ValueError(f"line {line.number} is ambiguous: {' or '.join(map(str, sorted(found)))}")
        (only,) = found
        if only in selected:
            raise ValueError(f"line {line.number} repeats line {selected[only]}: {only}")
        for column, value in planned[only].items():
            cell = line.cells.get(column, value)
            if value not in (cell, _plain(cell)):
                raise ValueError(
                    f"line {line.number} has another {column} than the plan: {only}. To keep a group or an offset, "
                    "delete its line"
                )
        selected[only] = line.number
    if unknown:
        more = f"; and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
        raise ValueError(f"lines that are not in the plan: {'; '.join(unknown[:_SHOWN])}{more}")
    return {*selected}
