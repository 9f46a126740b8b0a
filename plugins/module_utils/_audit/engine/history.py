# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The history of a cluster: what changed since its last audit, and how groups developed over the audits kept."""

from __future__ import annotations

import dataclasses
import datetime
import typing as t

from ..judge import changes
from ..libraries import DataFrame, F, SparkSession
from . import tables
from .spark import stage
from .store import PARQUET, Audit, Draft, Store

Row = dict[str, t.Any]

# names and findings of each change that are returned
MOST = 100
# audits that the trends show
_AUDITS = 30
# groups that the trends show
_GROUPS = 12
# days that the trends show
_DAYS = 30


@dataclasses.dataclass(frozen=True)
class SinceLast:
    """The changes since an audit.

    Attributes:
        groups: the number of groups of each change (see `changes.GROUP_CHANGES`), and the names of the first ones; None
            if unknown, because one of the audits is not complete.
        findings: the number of new findings, and the first ones.
    """

    audit_id: str
    audited_at: datetime.datetime
    groups: dict[str, tuple[int, list[str]] | None]
    findings: tuple[int, list[Row]]

    def returned(self) -> Row:
        """Return the changes as the module does."""
        count, found = self.findings
        return {
            "audit_id": self.audit_id,
            "audited_at": self.audited_at.isoformat(timespec="seconds"),
            **{change: found and {"count": found[0], "names": found[1]} for change, found in self.groups.items()},
            changes.NEW_FINDINGS: {"count": count, "findings": found},
        }


class Trend(t.NamedTuple):
    """The lag of a group at each audit, None if unknown, and its commits on each day, oldest first."""

    group: str
    lags: list[tuple[datetime.datetime, int | None]]
    commits: list[tuple[datetime.date, int]]


def since_last(
    spark: SparkSession, store: Store, audits: list[Audit], draft: Draft, groups: DataFrame, found: DataFrame
) -> SinceLast | None:
    """Return what changed since the last audit of the cluster with the same criteria; None if there is none.

    Args:
        audits: the earlier audits of the cluster, oldest first.
        groups, found: the tables C(groups) and C(findings) of this audit.
    """
    last = next((audit for audit in reversed(audits) if audit.criteria == draft.criteria), None)
    if last is None:
        return None
    stage(spark, "Compare with the last audit")
    known = changes.GROUP_CHANGES if last.complete and draft.complete else (changes.NEW_STALE,)
    changed = changes.groups(groups, _table(spark, store, [last], "groups", groups))
    new = changes.findings(found, _table(spark, store, [last], "findings", found))
    both = changes.first(changed, MOST).unionByName(changes.first(new, MOST), allowMissingColumns=True)
    rows: list[Row] = both.toArrow().to_pylist()
    of_change: dict[str, list[Row]] = {change: [] for change in (*changes.GROUP_CHANGES, changes.NEW_FINDINGS)}
    for row in rows:
        of_change[row["change"]].append(row)
    findings = of_change.pop(changes.NEW_FINDINGS)
    return SinceLast(
        last.audit_id,
        last.created,
        {
            change: (_number(of), sorted(row["group"] for row in of)) if change in known else None
            for change, of in of_change.items()
        },
        (
            _number(findings),
            [{name: row[name] for name in ("kind", "group", "topic", "partition")} for row in findings],
        ),
    )


def _number(rows: list[Row]) -> int:
    return int(rows[0]["number"]) if rows else 0


def trends(
    spark: SparkSession, store: Store, audits: list[Audit], draft: Draft, groups: DataFrame, activity: DataFrame
) -> list[Trend]:
    """Return how the groups with the highest lag developed over the last audits; none without an earlier audit.

    Args:
        audits: the earlier audits of the cluster, oldest first.
        groups, activity: the tables C(groups) and C(activity) of this audit.
    """
    now, topic = draft.created, draft.criteria.get("topic")
    # Spark may not have the JARs of other formats
    known = (PARQUET, draft.table_format)
    audits = [audit for audit in audits if audit.criteria.get("topic") == topic and audit.table_format in known]
    audits = audits[-_AUDITS:]
    if not audits:
        return []
    stage(spark, "Compare with earlier audits")
    highest = groups.filter("known_lag > 0").orderBy(F.desc("known_lag"), "group").limit(_GROUPS)
    top: list[Row] = highest.select("group", "known_lag").toArrow().to_pylist()
    if not top:
        return []
    names = [row["group"] for row in top]
    earlier = _table(spark, store, audits, "groups", groups.withColumn("audited_at", F.lit(now)))
    lags = earlier.filter(F.col("group").isin(names)).select("group", "audited_at", "known_lag")
    counted = _table(spark, store, audits, "activity", activity).unionByName(activity)
    since = now.date() - datetime.timedelta(days=_DAYS - 1)
    # compaction removes commits from later audits
    commits = (
        counted.filter(F.col("group").isin(names) & F.col("day").between(F.lit(since), F.lit(now.date())))
        .groupBy("group", "day")
        .agg(F.max("commits").alias("commits"))
    )
    rows: list[Row] = lags.unionByName(commits, allowMissingColumns=True).toArrow().to_pylist()
    days = [since + datetime.timedelta(days=number) for number in range(_DAYS)]
    return [_trend(row, [each for each in rows if each["group"] == row["group"]], days, now) for row in top]


def _trend(top: Row, rows: list[Row], days: list[datetime.date], now: datetime.datetime) -> Trend:
    lags = [(row["audited_at"], row["known_lag"]) for row in rows if row["audited_at"] is not None]
    commits = {row["day"]: row["commits"] for row in rows if row["day"] is not None}
    return Trend(
        top["group"],
        [*sorted(lags, key=lambda each: each[0]), (now, top["known_lag"])],
        [(day, commits.get(day, 0)) for day in days],
    )


def _table(spark: SparkSession, store: Store, audits: list[Audit], name: str, like: DataFrame) -> DataFrame:
    """Return the rows of a table of some audits; columns that an audit does not have are null."""
    return tables.read(spark, (tables.of(audit, name, store.output) for audit in audits), like.schema)
