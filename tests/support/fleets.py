# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sample fleets for the page of clusters."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from ansible_collections.kafkaops.groups.plugins.module_utils._audit.report.fleet import Cluster, Fleet, Point

from tests.support.audits import HOSTILE

NOW = datetime.datetime(2026, 6, 1, 12, tzinfo=datetime.UTC)


def cluster(cluster_id: str, audits: Sequence[tuple[float, int, int]], **fields: Any) -> Cluster:
    """Return a cluster.

    :param audits: how many days ago each audit was, and its groups and stale groups.
    :param fields: of the cluster; `known_lag` of all audits.
    """
    lag = fields.pop("known_lag", 7)
    trend = [
        Point(NOW - datetime.timedelta(days=days), groups, stale, findings=10, planned=4, known_lag=lag)
        for days, groups, stale in audits
    ]
    given = {
        "name": None,
        "audit_id": "20260601T120000Z-00000001",
        "audited_at": trend[-1].created,
        "old": False,
        "complete": True,
        "stale_after": "30d",
        "audits": len(audits),
        "report": f"/data/{cluster_id}/report.html",
        "link": "./audits/20260601T120000Z-00000001/report.html",
        "trend": trend,
    }
    return Cluster(**{"cluster_id": cluster_id, **given, **fields})


def many(clusters: int) -> Fleet:
    """Return a fleet of that many clusters, HOSTILE names first; some audits are old, incomplete, or the only one."""
    made = [
        cluster(
            f"LqMsGZkBQkaXCRaSfF{number:04}",
            [
                (days * 1.0 + number % 9, 2000 + number * 37 + 29 - days, 30 + (days * number) % 23)
                for days in range(0 if number % 10 == 3 else 29, -1, -1)
            ],
            name=HOSTILE[number] if number < len(HOSTILE) else None if number % 3 else f"region-{number}-production",
            complete=number % 11 > 0,
            old=number % 9 > 7,
            known_lag=None if number % 10 == 7 else number**7,
            link=None if number % 6 == 5 else "./audits/20260601T120000Z-00000001/report.html",
            report=f"s3a://kafka-audits/production/audits/20260601T120000Z-{number:08}/report.html",
        )
        for number in range(clusters)
    ]
    return fleet(made, problems=["Audit 20260601T120000Z-0000beef of /data cannot be read: it has no manifest.json."])


def fleet(clusters: Sequence[Cluster], **fields: Any) -> Fleet:
    """Return a fleet of these clusters, without problems."""
    return Fleet(
        **{"location": "/data", "max_age": "7d", "limit": 604_800, "clusters": clusters, "problems": [], **fields}
    )
