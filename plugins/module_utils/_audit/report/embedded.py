# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tables of the page: columns, and rows as JSON for the JavaScript of the page."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import json
import typing as t

from . import wording

Row = dict[str, t.Any]

# characters of the JSON of a table at most
_MOST = 2_200_000


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of a table of the page.

    Attributes:
        key: the key in the rows.
        kind: name, word and sentence are strings; number, time, age (days) and flag are numbers.
        filter: whether the page has a filter for the column.
        missing: the text for rows without a value.
    """

    key: str
    label: str
    kind: str
    filter: bool = False
    hint: str = ""
    missing: str = "\u2013"


_OWNER = Column("owner", "Owner", "name", filter=True, missing=wording.NO_OWNER)
_SNAPSHOTS = Column(
    "snapshots", "Snapshots", "number", hint="Snapshots since then that show the group idle", missing=wording.UNKNOWN
)
# known from the topic alone
_TOPIC = ("last_commit", "commits", "tombstones", "rebalances", "expires")
FINDINGS = (
    Column("kind", "Finding", "name", filter=True),
    Column("group", "Group", "name"),
    _OWNER,
    Column("topic", "Topic", "name"),
    Column("partition", "Partition", "number"),
    Column("evidence", "Evidence", "sentence"),
    Column("action", "Action", "sentence"),
    Column("planned", "In the plan", "flag", filter=True),
)
GROUPS = (
    Column("group", "Group", "name"),
    _OWNER,
    Column("state", "State", "word", filter=True),
    Column("type", "Type", "word", filter=True, missing=wording.UNKNOWN),
    Column("stale", "Stale", "flag", filter=True),
    Column(
        "age_days",
        "Idle for",
        "age",
        hint="Time since the last use or the last change of the group",
        missing=wording.UNKNOWN,
    ),
    _SNAPSHOTS,
    Column("last_commit", "Last commit (UTC)", "time"),
    Column(
        "lag",
        "Lag",
        "number",
        hint="Records that the group has not read, in all partitions",
        missing=wording.UNKNOWN,
    ),
    Column(
        "known_lag", "Known lag", "number", hint="Lag of the partitions whose lag is known", missing=wording.UNKNOWN
    ),
    Column("members", "Members", "number", missing=wording.UNKNOWN),
    Column("topics", "Topics", "number"),
    Column("partitions", "Partitions", "number", hint="Partitions with committed offsets of the group"),
    Column(
        "unneeded_offsets", "Unneeded offsets", "number", hint="Committed offsets that no consumer of the group needs"
    ),
    Column("commits", "Commits", "number"),
    Column("tombstones", "Tombstones", "number"),
    Column("rebalances", "Rebalances", "number"),
    Column("protocol_type", "Protocol", "word"),
    Column("expires", "Expires (UTC)", "time", hint="When the broker deletes the offsets if the group does not commit"),
)


class Table(t.NamedTuple):
    """A table of the audit: its name, its number of rows, and where it is."""

    name: str
    total: int
    location: str


class Rows(t.NamedTuple):
    """Rows of a table of the audit for the page."""

    rows: c.Sequence[Row]
    table: Table


def tables(findings: Rows, groups: Rows, owned: bool, observed: bool) -> list[Row]:
    """Return the two tables of the page.

    Args:
        owned: whether the audit knows owners, which then have a column.
        observed: whether the audit is one of snapshots.
    """

    def is_known(column: Column) -> bool:
        if column is _OWNER:
            return owned
        return column.key not in _TOPIC if observed else column is not _SNAPSHOTS

    of_findings, of_groups = (tuple(filter(is_known, columns)) for columns in (FINDINGS, GROUPS))
    idle = "the last snapshot that showed use or a change" if observed else "the last commit or the last change"
    found = [{**row, "kind": wording.KINDS[row["kind"]].title} for row in findings.rows]
    named = [
        {**row, "state": row["state"] or "not visible", "protocol_type": row["protocol_type"] or None}
        for row in groups.rows
    ]
    return [
        {
            "title": "Findings",
            "note": "Evidence and recommended action of each finding. The plan is a proposal: ask the owners of the "
            "groups before you delete anything.",
            "columns": of_findings,
            **_fitting(of_findings, found, findings.table),
        },
        {
            "title": "Groups",
            "note": f"Idle for is the time since {idle} of the group. Lag is the number of "
            "records that the group has not read. It is unknown if the group has no committed offsets, or if a log "
            "cannot be read; known lag is the sum of the known values. Unneeded offsets are committed offsets that no "
            "consumer of the group needs.",
            "columns": of_groups,
            **_fitting(of_groups, named, groups.table),
        },
    ]


def _fitting(columns: c.Sequence[Column], rows: c.Sequence[Row], table: Table) -> Row:
    """Return the JSON of as many rows as fit into the page, and a sentence about the others if there are any."""
    noun = table.name
    text = embed(noun, columns, rows, table.total)
    while len(text) > _MOST:
        rows = rows[: len(rows) // 2]
        text = embed(noun, columns, rows, table.total)
    number = wording.format_number
    part = f"The page contains {number(len(rows))} of {number(table.total)} {noun}. All are in this table of the audit:"
    return {"name": noun, "json": text, "part": part if len(rows) < table.total else "", "of": table}


def embed(noun: str, columns: c.Sequence[Column], rows: c.Sequence[Row], total: int) -> str:
    """Return rows as JSON for a script element: ASCII, with HTML special characters escaped.

    Args:
        total: the number of rows of which these are a part.
    """
    document = {
        "noun": noun,
        "size": len(rows),
        "total": total,
        "columns": [_column(column, rows) for column in columns],
    }
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _column(column: Column, rows: c.Sequence[Row]) -> Row:
    encoded: Row = {"key": column.key, "kind": column.kind, "missing": column.missing}
    cells = [row[column.key] for row in rows]
    if column.kind in ("name", "word", "sentence"):
        places: dict[str, int] = {}
        encoded["rows"] = [-1 if cell is None else places.setdefault(cell, len(places)) for cell in cells]
        encoded["values"] = [wording.printable(value) for value in places]
    elif column.kind == "time":
        encoded["rows"] = [None if cell is None else int(cell.timestamp()) for cell in cells]
    elif column.kind == "age":
        encoded["rows"] = [None if cell is None else round(cell, 2) for cell in cells]
    else:
        encoded["rows"] = [None if cell is None else int(cell) for cell in cells]
    return encoded
