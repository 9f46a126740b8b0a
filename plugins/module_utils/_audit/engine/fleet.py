# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The latest audits of all clusters of a location: counted by Spark from their tables, for the page of the fleet."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import datetime
import os
import typing as t

from ..._errors import TaskError
from ..._files import readable_file
from ..libraries import DataFrame, F, Py4JJavaError, PySparkException, SparkSession, StructType
from ..report import fleet as page
from . import store, tables
from .folders import Folder, HadoopFolder, LocalFolder, cause, is_uri
from .settings import SparkSettings, take
from .spark import stage
from .store import Audit

Row = dict[str, t.Any]

# audits of each cluster that the trends show
_AUDITS = 30
# the columns that are read
_SCHEMAS = {
    "groups": "audit_id string, stale boolean, known_lag bigint",
    "findings": "audit_id string, planned boolean",
}
# the counts of an audit
_TOTALS = ("groups", "stale_groups", "findings", "planned")


@dataclasses.dataclass(frozen=True, kw_only=True)
class FleetSettings(SparkSettings):
    """The options of C(fleet_report), checked.

    Attributes:
        output: the location of the audits.
        dest: the path of the page.
        names: the names of clusters, by their id.
        max_age: the duration as the user wrote it.
        max_age_ms: the duration in ms.
        base_url: the URL of the location for browsers, None if it has none.
    """

    TASK = "fleet report"
    OPTION = "dest"

    output: str
    dest: str
    names: dict[str, str]
    max_age: str
    max_age_ms: int
    base_url: str | None
    check_mode: bool

    @property
    def log(self) -> str:
        return f"{self.dest}.log"

    @property
    def libraries(self) -> tuple[str, ...]:
        return ("pyspark", "pyarrow", "jinja2")

    @classmethod
    def load(cls, folder: str) -> FleetSettings:
        """Read the settings that `save` wrote, and remove the file."""
        return cls(**take(folder))


def report(spark: SparkSession, settings: FleetSettings) -> Row:
    """Write the page unless it is there already; return the result of the module.

    Raises:
        TaskError: the location cannot be read or has no audits, or the page cannot be written.
    """
    stage(spark, "Read the manifests of the audits")
    folder: Folder = (
        HadoopFolder(spark, settings.output, store.MANIFEST)
        if is_uri(settings.output)
        else LocalFolder(settings.output, [])
    )
    audits, unreadable = _survey(folder)
    if not audits and not unreadable:
        raise TaskError(f"output: {folder.path()} contains no audits: check output, and audit a cluster first.")
    stage(spark, "Count groups and findings")
    counts, damaged = _counts(spark, folder, _recent(audits))
    unreadable |= damaged
    clusters = [
        _cluster(settings, folder, [audit for audit in audits if audit.cluster_id == cluster_id], counts)
        for cluster_id in sorted({audit.cluster_id for audit in audits})
        if any(audit.audit_id in counts for audit in audits if audit.cluster_id == cluster_id)
    ]
    problems = [
        *(
            f"Audit {audit_id} of {folder.path()} cannot be read: {why}."
            for audit_id, why in sorted(unreadable.items())
        ),
        *(
            f"Cluster {name} ({cluster_id}) has no audit in {folder.path()} that can be read."
            for cluster_id, name in settings.names.items()
            if cluster_id not in {cluster.cluster_id for cluster in clusters}
        ),
    ]
    text = page.render(page.Fleet(folder.path(), settings.max_age, settings.max_age_ms // 1000, clusters, problems))
    changed = _content(settings.dest) != text
    if changed and not settings.check_mode:
        stage(spark, "Write the page")
        readable_file.write(settings.dest, text, "dest")
    return {
        "changed": changed,
        "report": settings.dest,
        "clusters": [cluster.returned() for cluster in clusters],
        "unreadable": [{"audit_id": audit_id, "reason": why} for audit_id, why in sorted(unreadable.items())],
        "warnings": problems,
    }


def _survey(folder: Folder) -> tuple[list[Audit], dict[str, str]]:
    try:
        return store.survey(folder)
    except OSError as exc:
        raise TaskError(f"output: {exc.filename} cannot be read ({exc.strerror}): check its permissions.") from exc


def _recent(audits: c.Iterable[Audit]) -> list[Audit]:
    """Return the last audits of each cluster."""
    of_cluster: dict[str, list[Audit]] = {}
    for audit in audits:
        of_cluster.setdefault(audit.cluster_id, []).append(audit)
    return [audit for each in of_cluster.values() for audit in each[-_AUDITS:]]


def _counts(spark: SparkSession, folder: Folder, audits: list[Audit]) -> tuple[dict[str, Row], dict[str, str]]:
    """Return the counts of each audit, and why each of the others cannot be read.

    One job counts them all. If it fails, both halves are counted separately, until the audits that fail are known.
    """
    if not audits:
        return {}, {}
    try:
        counted = {row["audit_id"]: row for row in _aggregated(spark, folder, audits).toArrow().to_pylist()}
    except (PySparkException, Py4JJavaError) as exc:
        if len(audits) == 1:
            (audit,) = audits
            # without the file, which is another one each time, and would change the page
            why = f"a table cannot be read ({cause(exc).partition(': ')[0]})"
            if audit.table_format != store.PARQUET:
                why += f": check the JARs of {audit.table_format} in spark_conf"
            return {}, {audit.audit_id: why}
        middle = len(audits) // 2
        halves = [_counts(spark, folder, half) for half in (audits[:middle], audits[middle:])]
        return halves[0][0] | halves[1][0], halves[0][1] | halves[1][1]
    whole: dict[str, Row] = {}
    partial: dict[str, str] = {}
    for audit in audits:
        row = counted.get(audit.audit_id, dict.fromkeys(_TOTALS, 0))
        missing = [name for name in _SCHEMAS if row[name] != audit.rows.get(name)]
        if missing:
            partial[audit.audit_id] = (
                f"{missing[0]} has {row[missing[0]]} rows, but {audit.rows.get(missing[0])} were written"
            )
        else:
            whole[audit.audit_id] = row
    return whole, partial


def _aggregated(spark: SparkSession, folder: Folder, audits: c.Iterable[Audit]) -> DataFrame:
    """Return a row for each audit that has rows in one of the tables."""

    def table(name: str) -> DataFrame:
        found = (tables.of(audit, name, folder) for audit in audits)
        return tables.read(spark, found, t.cast("StructType", StructType.fromDDL(_SCHEMAS[name])))

    one, none = F.lit(1), F.lit(0)
    groups = table("groups").select(
        "audit_id",
        one.alias("groups"),
        F.col("stale").cast("int").alias("stale_groups"),
        # the sum of the lags of all groups may exceed a bigint
        F.col("known_lag").cast("decimal(38, 0)").alias("known_lag"),
    )
    findings = table("findings").select(
        "audit_id", one.alias("findings"), F.col("planned").cast("int").alias("planned")
    )
    return (
        groups.unionByName(findings, allowMissingColumns=True)
        .groupBy("audit_id")
        .agg(*(F.coalesce(F.sum(name), none).alias(name) for name in _TOTALS), F.sum("known_lag").alias("known_lag"))
    )


def _cluster(settings: FleetSettings, folder: Folder, audits: list[Audit], counts: dict[str, Row]) -> page.Cluster:
    """Return the data of a cluster that has an audit with counts.

    Args:
        audits: the audits of the cluster, oldest first.
    """
    readable = [audit for audit in audits if audit.audit_id in counts]
    latest = readable[-1]
    # other criteria make other groups stale
    compared = [audit for audit in readable if audit.criteria == latest.criteria]
    now = datetime.datetime.now(datetime.UTC)
    path = (store.AUDITS, latest.audit_id, store.REPORT)
    return page.Cluster(
        cluster_id=latest.cluster_id,
        name=settings.names.get(latest.cluster_id),
        audit_id=latest.audit_id,
        audited_at=latest.created,
        old=now - latest.created > datetime.timedelta(milliseconds=settings.max_age_ms),
        complete=latest.complete,
        stale_after=str(latest.criteria.get("stale_after", "")),
        audits=len(audits),
        report=folder.path(*path),
        link=_link(settings, folder, path),
        trend=[_point(audit, counts[audit.audit_id]) for audit in compared],
    )


def _point(audit: Audit, row: Row) -> page.Point:
    lag = row.get("known_lag")
    return page.Point(
        audit.created,
        groups=row["groups"],
        stale_groups=row["stale_groups"],
        findings=row["findings"],
        planned=row["planned"],
        known_lag=None if lag is None else int(lag),
    )


def _link(settings: FleetSettings, folder: Folder, path: tuple[str, ...]) -> str | None:
    """Return the URL of a file for the page, None if browsers cannot open it."""
    if settings.base_url is not None:
        return "/".join([settings.base_url, *path])
    return None if is_uri(settings.output) else page.relative(folder.path(*path), os.path.dirname(settings.dest))


def _content(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, ValueError):
        return None
