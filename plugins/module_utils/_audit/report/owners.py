# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The part of the report on owners: a table of their numbers, and sections with their first findings."""

from __future__ import annotations

import collections.abc as c
import typing as t
import urllib.parse

from . import since, wording

Row = dict[str, t.Any]

# characters at most of the table and the sections, and of a row and a section without their links
_MOST, _ROW, _SECTION = 400_000, 500, 3_000


class Listed(t.NamedTuple):
    """The rows of the table, the sections, and a sentence about the owners that the page does not contain."""

    rows: list[Row]
    sections: list[Row]
    part: str


def listed(owners: c.Sequence[Row], first: c.Mapping[str | None, list[Row]]) -> Listed:
    """Return as many owners as fit into the page, those with a section before others.

    Args:
        owners: the numbers of each owner.
        first: the first findings of the owners with a section, in this order.
    """
    named = {row["owner"]: _named(row) for row in owners}
    shown: set[str | None] = set()
    size = 0
    for owner in [*first, *(owner for owner in named if owner not in first)]:
        link = len(named[owner]["link"])
        size += _ROW + link + (_SECTION + link) * (owner in first)
        if size > _MOST:
            break
        shown.add(owner)
    rows = [row for owner, row in named.items() if owner in shown]
    sections = [
        {**named[owner], "first": [since.finding(row) for row in found]}
        for owner, found in first.items()
        if owner in shown
    ]
    number = wording.format_number
    part = f"The page contains {number(len(rows))} of {number(len(owners))} owners. All are in this table of the audit:"
    return Listed(rows, sections, part if len(rows) < len(owners) else "")


def _named(row: Row) -> Row:
    owner = "" if row["owner"] is None else wording.printable(row["owner"])
    return {**row, "name": owner or wording.NO_OWNER, "link": f"#owner={urllib.parse.quote(owner, errors='replace')}"}
