# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page of a fleet: the latest audit of each cluster, one self-contained HTML file.

The script of the page computes the age of each audit when the page is opened, so that a page that nobody renews also
marks old audits.
"""

from __future__ import annotations

import collections.abc as c
import dataclasses
import datetime
import os
import typing as t
import urllib.parse

from . import fleet_page, page, since, template, wording

Row = dict[str, t.Any]


class Point(t.NamedTuple):
    """The numbers of an audit; `planned` are the findings in the plan, and a lag of None is unknown."""

    created: datetime.datetime
    groups: int
    stale_groups: int
    findings: int
    planned: int
    known_lag: int | None


@dataclasses.dataclass(frozen=True)
class Cluster:
    """A cluster, and its latest audit that can be read.

    Attributes:
        name: the name that the user gave to the cluster, None if there is none.
        old: whether the audit was older than max_age when the page was written.
        complete: whether the audit read the whole topic and all groups.
        audits: how many audits are kept.
        report: where the report of the audit is.
        link: the URL of the report in the page, None if browsers cannot open it.
        trend: this audit and earlier ones with the same criteria, oldest first.
    """

    cluster_id: str
    name: str | None
    audit_id: str
    audited_at: datetime.datetime
    old: bool
    complete: bool
    stale_after: str
    audits: int
    report: str
    link: str | None
    trend: c.Sequence[Point]

    @property
    def last(self) -> Point:
        """The numbers of the latest audit."""
        return self.trend[-1]

    def returned(self) -> Row:
        """Return the cluster as the module does."""
        return {
            "cluster_id": self.cluster_id,
            "name": self.name,
            "audit_id": self.audit_id,
            "audited_at": self.audited_at.isoformat(timespec="seconds"),
            "old": self.old,
            "complete": self.complete,
            "audits": self.audits,
            "report": self.report,
            **{key: value for key, value in self.last._asdict().items() if key != "created"},
        }


class Line(t.NamedTuple):
    """A number over time: its title, polylines, the last value and the highest one."""

    title: str
    lines: list[str]
    last: int
    highest: int


class Fleet(t.NamedTuple):
    """The data of the page.

    Attributes:
        location: where the audits are.
        max_age: the duration after which an audit is old, as the user wrote it.
        limit: the same in seconds.
        problems: the audits and clusters that are not on the page, and why.
    """

    location: str
    max_age: str
    limit: int
    clusters: c.Sequence[Cluster]
    problems: c.Sequence[str]


_TILES = (
    ("groups", "Groups"),
    ("stale_groups", "Stale groups"),
    ("findings", "Findings"),
    ("planned", "In the plans"),
)
_LINES = (("groups", "Groups"), ("stale_groups", "Stale groups"), ("known_lag", "Known lag"))


def render(fleet: Fleet) -> str:
    """Return the page."""
    return template.render(
        fleet_page.TEMPLATE,
        page.STYLE + fleet_page.STYLE,
        fleet_page.SCRIPT,
        title=f"Consumer groups of {wording.pluralize(len(fleet.clusters), 'Kafka cluster')}",
        fleet=fleet,
        clusters=sorted(fleet.clusters, key=lambda cluster: (_name(cluster).lower(), cluster.cluster_id)),
        name=_name,
        tiles=[
            {"label": label, "number": sum(getattr(cluster.last, key) for cluster in fleet.clusters)}
            for key, label in _TILES
        ],
        old=sum(cluster.old for cluster in fleet.clusters),
        drawn=drawn,
    )


def drawn(cluster: Cluster) -> list[Line]:
    """Return the drawings of a cluster, of the numbers that are known; of one audit, they have no lines."""
    found = []
    for key, title in _LINES:
        values = [(point.created, t.cast(int | None, getattr(point, key))) for point in cluster.trend]
        known = [value for _time, value in values if value is not None]
        if known:
            found.append(Line(title, since.lines(values) if len(values) > 1 else [], known[-1], max(known)))
    return found


def relative(path: str, folder: str) -> str:
    """Return the URL of a file for a page in a folder of the same host."""
    return f"./{urllib.parse.quote(os.path.relpath(path, folder), errors='surrogateescape')}"


def _name(cluster: Cluster) -> str:
    return wording.printable(cluster.cluster_id if cluster.name is None else cluster.name)
