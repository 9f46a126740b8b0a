# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The data of the report, which Spark computes from the tables of the audit: counts, and the first rows of lists."""

from __future__ import annotations

import collections.abc as c
import datetime
import functools
import typing as t

from ..judge.caveats import is_future
from ..libraries import Column, DataFrame, F, Window
from . import charts, embedded, wording

Row = dict[str, t.Any]

# rows of a table of the page at most
MOST = 5_000
# owners that have a section, and findings in it at most
OWNERS, OWNED = 50, 5
_METERS = ("commits", "tombstones", "rebalances")
_DAY = 86_400_000_000
_STATES = ("fresh", "stale")


class Count(t.NamedTuple):
    """The number of findings of a kind, and how many of them are planned."""

    found: int
    planned: int


def group_counts(now: datetime.datetime) -> list[Column]:
    """Return the aggregates of C(groups) that `ages` reads, and C(unknown_lags).

    Args:
        now: the start of the audit.
    """
    age = _age(now)
    label = F.when(age.isNull(), charts.UNKNOWN)
    for limit, name in charts.AGES:
        label = label.when(age < limit, name)
    counts = [
        F.count_if((label == name) & (F.col("stale") == (state == "stale"))).alias(f"{state} {name}")
        for name in charts.LABELS
        for state in _STATES
    ]
    return [*counts, F.count_if(F.col("lag").isNull()).alias("unknown_lags")]


def ages(counted: Row) -> charts.Buckets:
    """Return the numbers of groups that are not stale and stale, by the time since their last commit or change."""
    return {name: (counted[f"fresh {name}"], counted[f"stale {name}"]) for name in charts.LABELS}


def finding_counts() -> list[Column]:
    """Return the aggregates of C(findings) that `kinds` reads."""
    of_kinds = {kind: F.col("kind") == kind for kind in wording.KINDS}
    counts = [F.count_if(is_kind).alias(f"found {kind}") for kind, is_kind in of_kinds.items()]
    return [
        *counts,
        *(F.count_if(is_kind & F.col("planned")).alias(f"planned {kind}") for kind, is_kind in of_kinds.items()),
    ]


def kinds(counted: Row) -> dict[str, Count]:
    """Return the numbers of findings of each kind that was found."""
    counts = {kind: Count(counted[f"found {kind}"], counted[f"planned {kind}"]) for kind in wording.KINDS}
    return {kind: count for kind, count in counts.items() if count.found}


def owners(table: DataFrame, found: DataFrame) -> list[Row]:
    """Return how many groups, stale groups, findings and planned findings each owner has; those without an owner first.

    Args:
        table: the table C(groups).
        found: the table C(findings).
    """
    one, none = F.lit(1), F.lit(0)
    of_groups = table.select("owner", one.alias("groups"), F.col("stale").cast("int").alias("stale"))
    of_findings = found.select("owner", one.alias("findings"), F.col("planned").cast("int").alias("planned"))
    each = of_groups.unionByName(of_findings, allowMissingColumns=True)
    totals = [F.coalesce(F.sum(name), none).alias(name) for name in ("groups", "stale", "findings", "planned")]
    counted = _collected(each.groupBy("owner").agg(*totals))
    return sorted(counted, key=lambda row: (row["owner"] is not None, row["owner"]))


def of_owners(counted: c.Sequence[Row], found: DataFrame) -> dict[str | None, list[Row]]:
    """Return the first findings of the owners with a section: no owner, and the owners with most findings.

    Args:
        counted: the result of `owners`.
        found: the table C(findings).
    """
    most = sorted(counted, key=lambda row: (row["owner"] is not None, -row["findings"]))[:OWNERS]
    first: dict[str | None, list[Row]] = {row["owner"]: [] for row in most}
    place = F.array_position(F.array(*map(F.lit, wording.KINDS)), F.col("kind"))
    order = Window.partitionBy("owner").orderBy(F.desc("planned"), place, "group", "topic", "partition")
    owned = found.filter(F.col("owner").isNull() | F.col("owner").isin([name for name in first if name is not None]))
    numbered = owned.withColumn("number", F.row_number().over(order)).filter(F.col("number") <= OWNED)
    for row in sorted(_collected(numbered), key=lambda row: t.cast(int, row["number"])):
        first[row["owner"]].append(row)
    return first


def activity(table: DataFrame) -> list[Row]:
    """Return the total commits, tombstones and rebalances of all groups per day."""
    days = table.groupBy("day").agg(*(F.sum(name).alias(name) for name in _METERS))
    return sorted(_collected(days), key=lambda row: t.cast(datetime.date, row["day"]))


class Groups(t.NamedTuple):
    """The first groups of the table of the page, and the groups with the highest lag and most unneeded offsets."""

    listed: list[Row]
    lags: list[Row]
    unneeded: list[Row]


def groups(table: DataFrame, now: datetime.datetime) -> Groups:
    """Return the rows of the table C(groups) that the page contains, with their idle time in days."""
    rows = table.withColumn("age_days", _age(now)).select(*(column.key for column in embedded.GROUPS))
    lists = [
        rows.orderBy(F.desc("stale"), F.desc("unneeded_offsets"), F.desc_nulls_last("known_lag"), "group").limit(MOST),
        *(
            rows.filter(F.col(column) > 0).orderBy(F.desc(column), "group").limit(charts.TOP)
            for column in ("known_lag", "unneeded_offsets")
        ),
    ]
    # one action for all lists
    numbered = [each.withColumn("list", F.lit(number)) for number, each in enumerate(lists)]
    found = _collected(functools.reduce(DataFrame.unionByName, numbered))
    return Groups(*([row for row in found if row["list"] == number] for number in range(len(lists))))


def findings(table: DataFrame, counted: c.Mapping[str, Count]) -> list[Row]:
    """Return the rows of the table C(findings) that the page contains, some of each kind."""
    numbers = {kind: count.found for kind, count in counted.items()}
    if not numbers:
        return []
    if sum(numbers.values()) > MOST:
        each = [
            table.filter(F.col("kind") == kind).orderBy("group", "topic", "partition").limit(number)
            for kind, number in shares(numbers, MOST).items()
        ]
        table = functools.reduce(DataFrame.unionByName, each)
    places = {kind: place for place, kind in enumerate(wording.KINDS)}

    def order(row: Row) -> tuple[int, str, str, int]:
        return places[row["kind"]], row["group"] or "", row["topic"] or "", row["partition"] or 0

    return sorted(_collected(table), key=order)


def shares(numbers: c.Mapping[str, int], most: int) -> dict[str, int]:
    """Return how many of each kind to take, so that they are `most` at most: all of the rare kinds."""
    given: dict[str, int] = {}
    for place, (kind, number) in enumerate(sorted(numbers.items(), key=lambda each: each[1])):
        given[kind] = min(number, (most - sum(given.values())) // (len(numbers) - place))
    return given


def _age(now: datetime.datetime) -> Column:
    """Return the idle time of a group in days, null if unknown; 0 if the group committed during the audit."""
    micros = F.unix_micros(F.lit(now)) - F.unix_micros("idle_since")
    return F.when(~is_future(now), F.greatest(F.lit(0.0), micros / _DAY))


def _collected(frame: DataFrame) -> list[Row]:
    rows: list[Row] = frame.toArrow().to_pylist()
    return rows
