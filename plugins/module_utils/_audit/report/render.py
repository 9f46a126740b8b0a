# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report of an audit: one self-contained HTML file."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import datetime
import typing as t

from ..._files import readable_file
from . import charts, embedded, owners, page, playbook, since, template, wording

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
        kinds: the numbers of findings and of planned ones, by kind.
        ages: numbers of groups, see `charts.Buckets`.
        activity: day, and the total commits, tombstones and rebalances of all groups.
        lags, unneeded: the groups with the highest lag, and with the most unneeded offsets.
        unknown_lags: the number of groups whose lag is partly or completely unknown.
        groups: rows of the table of groups.
        findings: kind, group, topic, partition, evidence, action, planned.
        owners: the numbers of each owner, none if the audit knows no owners.
        of_owners: the first findings of the owners that have a section.
        plan: the path of plan.json.
        tables: all tables of the audit.
        folder: the folder of the report and the tables, relative to C(output); None if the tables are elsewhere.
        earlier: whether earlier audits of the cluster are kept.
        last: the time of the last audit with the same criteria, None if there is none.
        changes: what changed since then.
        unknown: the kinds of changes that are unknown.
        multiples: the lag and the commits of groups over time.
        snapshots: the number of snapshots and the time of the first; None if the topic was read.
    """

    cluster_id: str
    created: datetime.datetime
    criteria: Row
    duration: float
    topic: str
    summary: dict[str, int]
    kinds: c.Mapping[str, tuple[int, int]]
    ages: charts.Buckets
    activity: list[Row]
    lags: list[Row]
    unneeded: list[Row]
    unknown_lags: int
    groups: embedded.Rows
    findings: embedded.Rows
    warnings: list[str]
    owners: list[Row]
    plan: str
    tables: c.Sequence[embedded.Table]
    folder: str | None
    earlier: bool = False
    last: datetime.datetime | None = None
    changes: c.Sequence[since.Change] = ()
    unknown: c.Sequence[str] = ()
    multiples: c.Sequence[since.Multiple] = ()
    of_owners: c.Mapping[str | None, list[Row]] = dataclasses.field(default_factory=dict)
    snapshots: tuple[int, datetime.datetime] | None = None


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
_OF_TOPIC = ("records", "undecodable")
_ALARMS = {"stale_groups", "findings", "undecodable"}


def write(path: str, audit: Audit) -> None:
    """Write the report; raises as `readable_file.write` does."""
    readable_file.write(path, render(audit), "report")


def render(audit: Audit) -> str:
    """Return the page."""
    return template.render(
        page.TEMPLATE,
        page.STYLE,
        page.SCRIPT,
        title=f"Consumer groups of {wording.printable(audit.cluster_id)}, {wording.format_time(audit.created)}",
        audit=audit,
        criteria=wording.criteria(audit.criteria),
        tiles=_tiles(audit),
        kinds=[
            {"advice": advice, "number": audit.kinds[kind][0], "planned": audit.kinds[kind][1]}
            for kind, advice in wording.kinds(audit.snapshots is not None).items()
            if kind in audit.kinds
        ],
        plan_summary=_plan_summary(audit.summary),
        example=playbook.example(audit.plan, audit.summary["delete_groups"], audit.summary["delete_offsets"]),
        charts=_charts(audit),
        owners=owners.listed(audit.owners, audit.of_owners),
        tables=embedded.tables(audit.findings, audit.groups, bool(audit.owners), audit.snapshots is not None),
    )


def _tiles(audit: Audit) -> list[Row]:
    tiles: tuple[tuple[str, str], ...] = TILES
    if audit.snapshots is not None:
        tiles = (*(tile for tile in TILES if tile[0] not in _OF_TOPIC), ("snapshots", "Snapshots"))
    numbers = {**audit.summary, "snapshots": audit.snapshots[0] if audit.snapshots else 0}
    return [
        {"label": label, "number": numbers[key], "alarm": key in _ALARMS and numbers[key] > 0} for key, label in tiles
    ]


def _charts(audit: Audit) -> list[charts.Chart]:
    return [
        charts.ages(audit.ages, audit.criteria["stale_after"], audit.snapshots is not None),
        *([charts.activity(audit.activity, audit.created.date())] if audit.snapshots is None else []),
        charts.top(audit.lags, "known_lag", "Highest lag", _lag_note(audit.unknown_lags)),
        charts.top(
            audit.unneeded,
            "unneeded_offsets",
            "Most unneeded offsets",
            "Groups with the most committed offsets that none of their consumers needs.",
        ),
    ]


def _lag_note(unknown: int) -> str:
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
