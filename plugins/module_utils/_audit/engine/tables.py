# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tables of an audit: written by Spark as Parquet, Delta or Iceberg, and read back.

Each audit has its own tables, also in the formats that could add to the tables of earlier audits. So an audit appears
as a whole or not at all, and it is removed without the others.
"""

from __future__ import annotations

import collections.abc as c
import contextlib
import datetime
import functools
import typing as t

from ..._errors import TaskError
from ..libraries import DataFrame, F, Observation, Py4JJavaError, PySparkException, SparkSession, StructType
from .folders import Folder, cause
from .spark import stage
from .store import AUDITS, ICEBERG, PARQUET, Audit, Draft, new_name

NAMES = ("offsets", "start_offsets", "groups", "activity", "findings")
# of Iceberg, in the session of the task
_CATALOG = "kafka_audits"


class Table(t.NamedTuple):
    """The location and the format of a table."""

    folder: Folder
    path: tuple[str, ...]
    table_format: str

    def write(self, frame: DataFrame) -> None:
        """Write the rows; raises an exception of Spark if the table exists."""
        if self.table_format == ICEBERG:
            frame.writeTo(self._identifier(frame.sparkSession)).create()
        else:
            frame.write.format(self.table_format).save(self.folder.uri(*self.path))

    def read(self, spark: SparkSession) -> DataFrame:
        """Return the rows."""
        if self.table_format == ICEBERG:
            return spark.read.table(self._identifier(spark))
        return spark.read.format(self.table_format).load(self.folder.uri(*self.path))

    def _identifier(self, spark: SparkSession) -> str:
        """Return the name in a Hadoop catalog, whose tables have the path of their name."""
        catalog = f"spark.sql.catalog.{_CATALOG}"
        spark.conf.set(catalog, "org.apache.iceberg.spark.SparkCatalog")
        spark.conf.set(f"{catalog}.type", "hadoop")
        spark.conf.set(f"{catalog}.warehouse", self.folder.uri())
        return ".".join([_CATALOG, *(f"`{name}`" for name in self.path)])


def of(audit: Audit | Draft, name: str, folder: Folder) -> Table:
    """Return a table of an audit in a location."""
    return Table(folder, (AUDITS, audit.audit_id, name), audit.table_format)


def write(frame: DataFrame, name: str, draft: Draft) -> DataFrame:
    """Write a table to the audit, and return what was written.

    In the files, each row starts with the columns of `Draft.identity`; the returned table does not have them.
    """
    stage(frame.sparkSession, f"Write the table {name}")
    rows = Observation()
    identity = [F.lit(value).alias(column) for column, value in draft.identity.items()]
    complete = frame.select(*identity, "*")
    table = of(draft, name, draft.output)
    table.write(complete.observe(rows, F.count(F.lit(1)).alias("rows")))
    draft.rows[name] = rows.get["rows"]
    return read(frame.sparkSession, [table], complete.schema).drop(*draft.identity)


def read(spark: SparkSession, tables: c.Iterable[Table], schema: StructType) -> DataFrame:
    """Return the rows of the same table of some audits, at least one; columns that a table does not have are null."""
    files, others = [], []
    for table in tables:
        if table.table_format == PARQUET:
            files.append(table.folder.uri(*table.path))
        else:
            others.append(_with_columns(table.read(spark), schema))
    # one scan for all
    parts = [spark.read.schema(schema).parquet(*files), *others] if files else others
    return functools.reduce(DataFrame.unionAll, parts)


def check(spark: SparkSession, output: Folder, table_format: str) -> None:
    """Write and read a small table, because formats other than Parquet require JARs for the release of Spark.

    Raises:
        TaskError: Spark cannot write or read the format.
    """
    if table_format == PARQUET:
        return
    stage(spark, f"Check that Spark can write {table_format} tables")
    # removed as an audit without a manifest if the task is killed
    name = new_name(datetime.datetime.now(datetime.UTC))
    probe = Table(output, (AUDITS, name, "probe"), table_format)
    try:
        probe.write(spark.range(1))
        probe.read(spark).collect()
    except (PySparkException, Py4JJavaError) as exc:
        raise TaskError(
            f"table_format: Spark {spark.version} cannot write and read {table_format} tables ({cause(exc)}): check "
            f"that the JARs of {table_format} for this release of Spark, and its properties, are in spark_conf."
        ) from None
    finally:
        # without the permission to delete, old audits remain, which their removal reports
        with contextlib.suppress(OSError, TaskError):
            output.remove(AUDITS, name)


def _with_columns(frame: DataFrame, schema: StructType) -> DataFrame:
    found = {name: F.col(name) for name in frame.columns}
    return frame.select(
        *(found.get(field.name, F.lit(None)).cast(field.dataType).alias(field.name) for field in schema)
    )
