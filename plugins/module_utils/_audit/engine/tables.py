# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tables that an audit leaves: written by Spark as Parquet, read back here."""

from __future__ import annotations

from ..._errors import TaskError
from ..libraries import DataFrame, pa, pq
from .settings import Settings
from .store import Draft

NAMES = ("offsets", "groups", "activity", "findings")


def write(frame: DataFrame, name: str, draft: Draft, settings: Settings) -> pa.Table:
    """Write a table into the folder of the audit, and return it as it stands there.

    Raises:
        TaskError: executors wrote it where this host does not see it.
    """
    folder = draft.path(name)
    frame.write.parquet(f"file://{folder}")
    table = pq.read_table(folder)
    if not settings.local and (not table.num_columns or table.num_rows != frame.count()):
        raise TaskError(
            f"output: the executors of {settings.master} wrote the table {name} to a folder that this host does not "
            f"share: name a folder that is the same everywhere, in place of {settings.output}."
        )
    draft.rows[name] = table.num_rows
    return table
