# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tables of an audit: written by Spark as Parquet, and read back."""

from __future__ import annotations

from ..libraries import DataFrame, F, Observation
from .spark import stage
from .store import Draft

NAMES = ("offsets", "start_offsets", "groups", "activity", "findings")


def write(frame: DataFrame, name: str, draft: Draft) -> DataFrame:
    """Write a table to the audit, and return what was written.

    In the files, each row starts with the columns of `Draft.identity`; the returned table does not have them.
    """
    stage(frame.sparkSession, f"Write the table {name}")
    rows = Observation()
    identity = [F.lit(value).alias(column) for column, value in draft.identity.items()]
    complete = frame.select(*identity, "*")
    complete.observe(rows, F.count(F.lit(1)).alias("rows")).write.parquet(draft.location(name))
    draft.rows[name] = rows.get["rows"]
    return frame.sparkSession.read.schema(complete.schema).parquet(draft.location(name)).drop(*draft.identity)
