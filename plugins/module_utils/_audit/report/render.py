# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report of an audit: one self-contained HTML file."""

from __future__ import annotations

import base64
import collections
import collections.abc as c
import dataclasses
import datetime
import hashlib
import os
import typing as t

from ..._errors import TaskError
from ..._files import atomic_write
from . import charts, embedded, page, playbook, wording

Row = dict[str, t.Any]


@dataclasses.dataclass(frozen=True)
class Audit:
    """The data of the report.

    Attributes:
        created: the start of the audit, in UTC.
        criteria: the criteria of the plan: stale_after, include, exclude.
        duration: seconds.
        topic: the topic that was read.
        summary: groups, offsets, records, stale_groups, findings, undecodable, delete_groups, delete_offsets.
        groups: rows of the table of groups.
        activity: day, and the total commits, tombstones and rebalances of all groups.
        findings: kind, group, topic, partition, evidence, action, planned.
        owners: rows of the section of owners, none if the audit knows no owners.
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
    owners: list[Row]
    plan: str


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
    """Write the report to `path` atomically, with the permissions of the umask.

    Raises:
        TaskError: the report cannot be written or synced; the message says whether the file exists.
    """
    text = render(audit)
    try:
        atomic_write.put(path, text, os.replace, 0o644)
    except atomic_write.InPlace as exc:
        raise TaskError(
            f"report: {path} is written but cannot be synced to disk ({exc.strerror}): check the disk and audit again."
        ) from exc
    except OSError as exc:
        raise TaskError(
            f"report: {path} cannot be written ({exc.strerror}): check its folder, and run the audit again."
        ) from exc


def render(audit: Audit) -> str:
    """Return the page."""
    # imported late, because the library may be missing, which engine/process.py reports
    import jinja2

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        printable=wording.printable,
        shorten=wording.shorten,
        number=wording.format_number,
        time=wording.format_time,
    )
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
            {"label": label, "number": audit.summary[key], "alarm": key in _ALARMS and audit.summary[key] > 0}
            for key, label in TILES
        ],
        kinds=[
            {"advice": advice, "number": kinds[kind], "planned": planned[kind]}
            for kind, advice in wording.KINDS.items()
            if kinds[kind]
        ],
        plan_summary=_plan_summary(audit.summary),
        example=playbook.example(audit.plan, audit.summary["delete_groups"], audit.summary["delete_offsets"]),
        charts=_charts(audit),
        no_owner=wording.NO_OWNER,
        tables=embedded.tables(audit.findings, audit.groups, bool(audit.owners)),
    )


def _charts(audit: Audit) -> list[charts.Chart]:
    return [
        charts.ages(audit.groups, audit.criteria["stale_after"]),
        charts.activity(audit.activity, audit.created.date()),
        charts.top(audit.groups, "known_lag", "Highest lag", _lag_note(audit.groups)),
        charts.top(
            audit.groups,
            "unneeded_offsets",
            "Most unneeded offsets",
            "Groups with the most committed offsets that none of their consumers needs.",
        ),
    ]


def _lag_note(groups: list[Row]) -> str:
    unknown = sum(row["lag"] is None for row in groups)
    note = "Groups with the most unread records."
    return (
        f"{note} The lag of {wording.pluralize(unknown, 'group')} is partly or completely unknown." if unknown else note
    )


def _plan_summary(summary: c.Mapping[str, int]) -> str:
    parts = [
        wording.pluralize(summary["delete_groups"], "stale group"),
        f"{wording.pluralize(summary['delete_offsets'], 'committed offset')} of groups that are not deleted",
    ]
    return f"The plan deletes {' and '.join(parts)}."
