# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report of an audit: one HTML file that needs nothing else, neither the network nor another file."""

from __future__ import annotations

import base64
import collections
import collections.abc as c
import contextlib
import dataclasses
import datetime
import hashlib
import json
import os
import typing as t

from ..._errors import TaskError
from ..._files import document
from . import charts, page, wording

# reported by engine/process.py
with contextlib.suppress(ImportError):
    import jinja2

Row = dict[str, t.Any]


@dataclasses.dataclass(frozen=True)
class Audit:
    """All that the report tells.

    Attributes:
        created: when the audit began, in UTC.
        criteria: those of the plan: stale_after, include, exclude.
        duration: seconds.
        topic: the topic that was read.
        summary: groups, offsets, records, stale_groups, findings, undecodable, delete_groups, delete_offsets.
        groups: rows of the table of groups.
        activity: day, commits, tombstones and rebalances of all groups together.
        findings: kind, group, topic, partition, evidence, action, and whether it is planned.
        plan: the path of plan.json.
    """

    cluster_id: str
    created: datetime.datetime
    criteria: Row
    duration: float
    topic: str
    summary: dict[str, int]
    groups: list[Row]
    activity: list[Row]
    findings: list[Row]
    warnings: list[str]
    plan: str


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

TILES = (
    ("groups", "Groups"),
    ("stale_groups", "Stale groups"),
    ("offsets", "Committed offsets"),
    ("findings", "Findings"),
    ("delete_groups", "Groups to delete"),
    ("delete_offsets", "Offsets to delete"),
    ("records", "Records read"),
    ("undecodable", "Undecodable records"),
)
_ALARMS = {"stale_groups", "findings", "undecodable"}


def write(path: str, audit: Audit) -> None:
    """Write the report whole to `path`, in place of an earlier one, readable for all whom the umask allows.

    Raises:
        TaskError: it could not be written; nothing is left of it, or the sentence says that it is there.
    """
    text = render(audit)
    try:
        document.put(path, text, os.replace, 0o644)
    except document.InPlace as exc:
        raise TaskError(
            f"report: {path} is written but cannot be synced to disk ({exc.strerror}): check the disk and audit again."
        ) from exc
    except OSError as exc:
        raise TaskError(
            f"report: {path} cannot be written ({exc.strerror}): look at its folder, and run the audit again."
        ) from exc


def render(audit: Audit) -> str:
    """Return the page."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(shown=wording.shown, shorten=wording.shorten, count=wording.count, moment=wording.moment)
    kinds = collections.Counter(row["kind"] for row in audit.findings)
    planned = collections.Counter(row["kind"] for row in audit.findings if row["planned"])
    digest = base64.b64encode(hashlib.sha256(page.SCRIPT.encode()).digest()).decode()
    return environment.from_string(page.TEMPLATE).render(
        audit=audit,
        style=page.STYLE,
        script=page.SCRIPT,
        script_hash=f"sha256-{digest}",
        criteria=wording.criteria(audit.criteria),
        tiles=[
            {
                "label": label,
                "number": audit.summary[key],
                "alarm": key in _ALARMS and audit.summary[key] > 0,
            }
            for key, label in TILES
        ],
        kinds=[
            {"advice": advice, "number": kinds[kind], "planned": planned[kind]}
            for kind, advice in wording.KINDS.items()
            if kinds[kind]
        ],
        plan_words=_plan_words(audit.summary),
        example=example(audit),
        charts=_charts(audit),
        tables=[
            {
                "name": "findings",
                "title": "Findings",
                "note": "Each finding, the evidence for it, and what to do about it. The plan proposes what to delete: "
                "ask the owners first.",
                "columns": FINDINGS,
                "json": embed("findings", FINDINGS, [_finding(row) for row in audit.findings]),
            },
            {
                "name": "groups",
                "title": "All groups",
                "note": "Idle is the time since the last commit, or since the group itself last changed. Lag is what "
                "the group has not read yet. It is unknown if the group has no committed offset, or if a log cannot "
                "be read; known lag sums the rest. Wasted counts committed offsets that no consumer of the "
                "group needs.",
                "columns": GROUPS,
                "json": embed("groups", GROUPS, [_group(row) for row in audit.groups]),
            },
        ],
    )


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


def _finding(row: Row) -> Row:
    return {**row, "kind": wording.KINDS[row["kind"]].few}


def _group(row: Row) -> Row:
    return {**row, "state": row["state"] or "not shown", "protocol_type": row["protocol_type"] or None}


def _charts(audit: Audit) -> list[charts.Chart]:
    return [
        charts.ages(audit.groups, audit.criteria["stale_after"]),
        charts.activity(audit.activity, audit.created.date()),
        charts.top(audit.groups, "known_lag", "Most lag", _lag_words(audit.groups)),
        charts.top(
            audit.groups,
            "wasted_partitions",
            "Most waste",
            "The groups with the most committed offsets that none of their consumers needs.",
        ),
    ]


def _lag_words(groups: list[Row]) -> str:
    unknown = sum(row["lag"] is None for row in groups)
    words = "The groups with the most records that they have not read."
    return f"{words} Of {wording.counted(unknown, 'group')}, all of the lag or a part is unknown." if unknown else words


def _plan_words(summary: c.Mapping[str, int]) -> str:
    parts = [
        wording.counted(summary["delete_groups"], "stale group"),
        f"{wording.counted(summary['delete_offsets'], 'committed offset')} of groups that stay",
    ]
    return f"The plan is to delete {' and '.join(parts)}."


def example(audit: Audit) -> str:
    """Return a playbook that applies the plan, or "" if the plan is empty."""
    tasks = [
        _task(audit.plan, "Delete the stale groups", "consumer_group", "groups", audit.summary["delete_groups"]),
        _task(
            audit.plan,
            "Delete the committed offsets that nobody needs",
            "consumer_group_offsets",
            "offsets",
            audit.summary["delete_offsets"],
        ),
    ]
    if not any(tasks):
        return ""
    return """- name: Clean up what the audit found
  hosts: localhost
  gather_facts: false
  module_defaults:
    group/kafkaops.groups.kafka:
      bootstrap_servers: [kafka-1.example.com:9092]
  tasks:
""" + "\n".join(task for task in tasks if task)


def _task(plan: str, name: str, module: str, what: str, changes: int) -> str:
    if not changes:
        return ""
    state = "        state: absent\n" if module == "consumer_group_offsets" else ""
    return f"""    - name: {name}
      kafkaops.groups.{module}:
        plan: {json.dumps(wording.shown(plan), ensure_ascii=False)}
{state}        backup: "/var/backups/kafka/{what}-{{{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}}}.json"
        max_changes: {changes}
"""
