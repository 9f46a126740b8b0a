# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tables of the page: their columns, and their rows as JSON for its JavaScript."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import json
import typing as t

from . import wording

Row = dict[str, t.Any]


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of a table in the page.

    Attributes:
        key: its key in the rows.
        kind: name, word and sentence are texts; number, time, age (days) and flag are numbers.
        filter: whether one can choose one of its values.
        missing: what is shown where there is no value.
    """

    key: str
    label: str
    kind: str
    filter: bool = False
    hint: str = ""
    missing: str = "\u2013"


FINDINGS = (
    Column("kind", "Finding", "name", filter=True),
    Column("group", "Group", "name"),
    Column("topic", "Topic", "name"),
    Column("partition", "Partition", "number"),
    Column("evidence", "Evidence", "sentence"),
    Column("action", "What to do", "sentence"),
    Column("planned", "In the plan", "flag", filter=True),
)
GROUPS = (
    Column("group", "Group", "name"),
    Column("state", "State", "word", filter=True),
    Column("type", "Type", "word", filter=True),
    Column("stale", "Stale", "flag", filter=True),
    Column(
        "age_days",
        "Idle for",
        "age",
        hint="Time since the last commit, or the last change of the group itself",
        missing=wording.UNKNOWN,
    ),
    Column("last_commit", "Last commit (UTC)", "time"),
    Column(
        "lag",
        "Lag",
        "number",
        hint="Records that the group has not read, of all its partitions",
        missing=wording.UNKNOWN,
    ),
    Column(
        "known_lag", "Known lag", "number", hint="Lag of those partitions where it is known", missing=wording.UNKNOWN
    ),
    Column("members", "Members", "number", missing=wording.UNKNOWN),
    Column("topics", "Topics", "number"),
    Column("partitions", "Partitions", "number", hint="Partitions that the group has committed offsets of"),
    Column("wasted_partitions", "Wasted", "number", hint="Committed offsets that no consumer of the group needs"),
    Column("commits", "Commits", "number"),
    Column("tombstones", "Tombstones", "number"),
    Column("rebalances", "Rebalances", "number"),
    Column("protocol_type", "Protocol", "word"),
    Column("expires", "Expires (UTC)", "time", hint="When the broker deletes the offsets if nothing is committed"),
)


def tables(findings: c.Sequence[Row], groups: c.Sequence[Row]) -> list[Row]:
    """Return the two tables of the page."""
    found = [{**row, "kind": wording.KINDS[row["kind"]].few} for row in findings]
    named = [
        {**row, "state": row["state"] or "not shown", "protocol_type": row["protocol_type"] or None} for row in groups
    ]
    return [
        {
            "name": "findings",
            "title": "Findings",
            "note": "Each finding, the evidence for it, and what to do about it. The plan proposes what to delete: "
            "ask the owners first.",
            "columns": FINDINGS,
            "json": embed("findings", FINDINGS, found),
        },
        {
            "name": "groups",
            "title": "All groups",
            "note": "Idle is the time since the last commit, or since the group itself last changed. Lag is what "
            "the group has not read yet. It is unknown if the group has no committed offset, or if a log cannot "
            "be read; known lag sums the rest. Wasted counts committed offsets that no consumer of the "
            "group needs.",
            "columns": GROUPS,
            "json": embed("groups", GROUPS, named),
        },
    ]


def embed(noun: str, columns: c.Sequence[Column], rows: c.Sequence[Row]) -> str:
    """Return rows as JSON for a script element: ASCII, and without the characters that HTML gives a meaning."""
    document = {"noun": noun, "size": len(rows), "columns": [_column(column, rows) for column in columns]}
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _column(column: Column, rows: c.Sequence[Row]) -> Row:
    encoded: Row = {"key": column.key, "kind": column.kind, "missing": column.missing}
    cells = [row[column.key] for row in rows]
    if column.kind in ("name", "word", "sentence"):
        places: dict[str, int] = {}
        encoded["rows"] = [-1 if cell is None else places.setdefault(cell, len(places)) for cell in cells]
        encoded["values"] = [wording.shown(value) for value in places]
    elif column.kind == "time":
        encoded["rows"] = [None if cell is None else int(cell.timestamp()) for cell in cells]
    elif column.kind == "age":
        encoded["rows"] = [None if cell is None else round(cell, 2) for cell in cells]
    else:
        encoded["rows"] = [None if cell is None else int(cell) for cell in cells]
    return encoded
