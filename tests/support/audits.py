# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sample audits for reports: many groups, some with hostile names."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from typing import Any

from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import tables
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.report import charts, since
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.report.embedded import Rows, Table
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.report.render import Audit

FOLDER = "/var/lib/kafkaops/audits/20260301T123000Z-0123abcd"
CREATED = datetime.datetime(2026, 3, 1, 12, 30, tzinfo=datetime.UTC)
HOSTILE = [
    "</script><script>document.title='broken'</script>",
    "<img src=x onerror=\"document.title='broken'\">",
    "<!--<script>",
    "a&amp;b & 'c' \"d\"",
    "{{ 7 * 7 }} $x^2$",
    "line\u2028separator\u2029paragraph",
    "\u202egnp.exe",
    "tab\tnewline\nnull\x00",
    "zero\u200bwidth",
    "lone \ud800 surrogate",
    "שלום-عالم",
    "日本語-グループ",
    "🚀 deploy 👩‍💻",
    "  spaces  ",
    "",
    "long-" + "x" * 5000 + "-end",
    "W" * 249,
]
_KINDS = [
    ("unsubscribed", "No member of the group subscribes to the topic.", "Delete the offset. It is in the plan."),
    ("topic_gone", "The topic does not exist.", "Nothing to do: it expires, or goes with the group."),
    ("topic_recreated", "The topic was created after the commit.", "Set the offset in the new topic."),
    ("before_log_start", "The log starts after the offset 1204.", "Set the offset to the start of the log."),
    ("after_log_end", "The log ends before the offset 99812.", "Find out what happened to the topic."),
    ("no_commits", "5 members, the last commit is 41 days old.", "Check the application."),
]
_TEAMS = ("billing", "shipping", "search", "fraud", "reports", "payments", "inventory")


def group(name: str, **fields: Any) -> dict[str, Any]:
    """Return the row of a group: by default Stable, without findings, and with known lag."""
    return {
        "group": name,
        "type": "classic",
        "state": "Stable",
        "protocol_type": "consumer",
        "members": 1,
        "topics": 1,
        "partitions": 1,
        "lag": 0,
        "known_lag": fields.get("lag", 0),
        "last_commit": CREATED,
        "commits": 1,
        "tombstones": 0,
        "rebalances": 0,
        "age_days": 0.0,
        "expires": None,
        "unneeded_offsets": 0,
        "stale": False,
        "owner": None,
    } | fields


def audit(groups: list[dict[str, Any]], findings: list[dict[str, Any]], **fields: Any) -> Audit:
    """Return an audit with these rows."""
    stale = sum(row["stale"] for row in groups)
    kinds = Counter(row["kind"] for row in findings)
    planned = Counter(row["kind"] for row in findings if row["planned"])
    given = {
        "cluster_id": "MkU3OEVBNTcwNTJENDM2Qk",
        "created": CREATED,
        "criteria": {"stale_after": "30d", "include": ["*"], "exclude": ["console-*"], "topic": "__consumer_offsets"},
        "duration": 12.34,
        "topic": "__consumer_offsets",
        "summary": {
            "groups": len(groups),
            "offsets": sum(row["partitions"] for row in groups),
            "records": 74 * len(groups),
            "stale_groups": stale,
            "findings": len(findings),
            "undecodable": sum(row["kind"] == "undecodable" for row in findings),
            "delete_groups": stale,
            "delete_offsets": sum(row["planned"] and row["kind"] != "stale_group" for row in findings),
        },
        "kinds": {kind: (number, planned[kind]) for kind, number in kinds.items()},
        "ages": dict.fromkeys(charts.LABELS, (0, 0)),
        "activity": [],
        "lags": _highest(groups, "known_lag"),
        "unneeded": _highest(groups, "unneeded_offsets"),
        "unknown_lags": sum(row["lag"] is None for row in groups),
        "groups": Rows(groups, Table("groups", len(groups), f"{FOLDER}/groups")),
        "findings": Rows(findings, Table("findings", len(findings), f"{FOLDER}/findings")),
        "warnings": [],
        "owners": [],
        "of_owners": {},
        "plan": f"{FOLDER}/plan.json",
        "tables": [Table(name, number, f"{FOLDER}/{name}") for number, name in enumerate(tables.NAMES)],
        "folder": "audits/20260301T123000Z-0123abcd",
    }
    return Audit(**{**given, **fields})


def _highest(groups: list[dict[str, Any]], column: str) -> list[dict[str, Any]]:
    return sorted((row for row in groups if row[column]), key=lambda row: -row[column])[: charts.TOP]


def owners(groups: list[dict[str, Any]], findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of the section of owners."""
    counted = {
        "groups": Counter(row["owner"] for row in groups),
        "stale": Counter(row["owner"] for row in groups if row["stale"]),
        "findings": Counter(row["owner"] for row in findings),
        "planned": Counter(row["owner"] for row in findings if row["planned"]),
    }
    names = sorted({*counted["groups"], *counted["findings"]}, key=lambda owner: (owner is not None, owner))
    return [{"owner": owner, **{name: numbers[owner] for name, numbers in counted.items()}} for owner in names]


def first_of_owners(findings: list[dict[str, Any]]) -> dict[str | None, list[dict[str, Any]]]:
    """The first findings of each owner, those without an owner first."""
    names = sorted({row["owner"] for row in findings}, key=lambda owner: (owner is not None, owner))
    return {owner: [row for row in findings if row["owner"] == owner][:5] for owner in names}


def many(groups: int, findings: int) -> Audit:
    """Return an audit with that many groups, HOSTILE ones first, and at least that many findings."""
    rows = [_one_of_many(number) for number in range(groups)]
    found = [
        {
            "kind": "stale_group",
            "group": row["group"],
            "topic": None,
            "partition": None,
            "evidence": f"no commit since {row['last_commit']:%Y-%m-%dT%H:%M:%S+00:00} (stale_after 30d)",
            "action": "Delete the group. It is in the plan.",
            "planned": True,
            "owner": row["owner"],
        }
        for row in rows
        if row["stale"]
    ]
    found.append(
        {
            "kind": "undecodable",
            "group": None,
            "topic": None,
            "partition": None,
            "evidence": "__consumer_offsets-17 at offset 4711: key version 99 is not known",
            "action": "Check for a newer release.",
            "planned": False,
            "owner": None,
        }
    )
    for number in range(findings - len(found)):
        kind, evidence, action = _KINDS[number * 7 % 11 % len(_KINDS)]
        of = rows[number * 13 % groups]
        found.append(
            {
                "kind": kind,
                "group": of["group"],
                "topic": f"{_TEAMS[number % 7]}.events.v{number % 40}",
                "partition": number % 48,
                "evidence": evidence,
                "action": action,
                "planned": kind == "unsubscribed",
                "owner": of["owner"],
            }
        )
    activity = [
        {
            "day": (CREATED - datetime.timedelta(days=day)).date(),
            "commits": int(80_000 * (1.3 + math.sin(day / 3)) / (1 + day / 20)),
            "tombstones": day * 37 % 11 * 120,
            "rebalances": day * 17 % 5 * 9,
        }
        for day in range(60)
    ]
    warnings = [
        "Partition 17 of __consumer_offsets has 1 record that cannot be decoded: its key is never in the plan.",
        f"The topic {HOSTILE[1]} could not be described (TOPIC_AUTHORIZATION_FAILED).",
    ]
    ages = {label: (place * 100, place * 10) for place, label in enumerate(charts.LABELS)}
    names = [row["group"] for row in rows]
    return audit(
        rows,
        found,
        ages=ages,
        activity=activity,
        warnings=warnings,
        owners=owners(rows, found),
        of_owners=first_of_owners(found),
        earlier=True,
        last=CREATED - datetime.timedelta(days=1),
        changes=since.changes(
            {
                "new_stale_groups": (1234, names[:100]),
                "revived_groups": (1, names[20:21]),
                "deleted_groups": None,
                "new_groups": (0, []),
                "new_findings": (2, [since.finding(row) for row in found[:2]]),
            }
        ),
        unknown=["Deleted groups"],
        multiples=[_multiple(name, place) for place, name in enumerate([*names[:16:3], *names[20:26]])],
    )


def _multiple(name: str, place: int) -> since.Multiple:
    """Return the drawings of one of the groups with the highest lag, of which some have no commits or unknown lags."""
    days = range(29, -1, -1)
    lags = [
        (
            CREATED - datetime.timedelta(days=day),
            None if place == 2 and day == 9 else (day * (place + 3)) % 17 * 10**place,
        )
        for day in days
    ]
    commits = [((CREATED - datetime.timedelta(days=day)).date(), day % (place + 2) * 50 * (place != 4)) for day in days]
    return since.multiple(name, lags, commits)


def _one_of_many(number: int) -> dict[str, Any]:
    hostile = number < len(HOSTILE)
    name = HOSTILE[number] if hostile else f"{_TEAMS[number % 7]}-consumer-{number}"
    # from minutes to years
    age = 10 ** (number * 7919 % 1000 / 1000 * 5.8 - 2.8)
    stale = age > 30 and number % 3 > 0
    partitions = 1 + number * 31 % 24
    return group(
        name,
        type=("classic", "consumer", "share", "streams")[min(3, number % 9)],
        state="Empty" if stale else "Stable",
        protocol_type="" if number % 50 == 0 else "consumer",
        members=0 if stale else 1 + number % 5,
        topics=1 + number % 3,
        partitions=partitions,
        lag=None if number % 11 == 5 else number * 104_729 % 9_999_991 * (number % 4),
        last_commit=CREATED - datetime.timedelta(days=age) if number % 97 else None,
        age_days=age if number % 97 else None,
        commits=number * 37 % 50_000,
        tombstones=number % 13,
        rebalances=number % 7,
        expires=CREATED + datetime.timedelta(days=7) if stale else None,
        unneeded_offsets=partitions if stale else number % 2,
        stale=stale and number % 97 != 0,
        owner=f"Team \u202e{name}" if hostile else None if number % 7 == 3 else f"team {_TEAMS[number % 7]} & co",
    )
