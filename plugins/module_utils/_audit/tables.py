# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tables that an audit leaves: written by Spark as Parquet, read back here."""

from __future__ import annotations

import contextlib
import os
import re

from .._errors import TaskError
from .settings import Settings

# reported by engine.py
with contextlib.suppress(ImportError):
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyspark.sql import DataFrame


NAMES = ("offsets", "groups", "activity", "findings")
# what Spark writes beside and for the files of a table
_SPARKS = re.compile(r"(_SUCCESS|part-.*|\..*\.crc)")


def check_output(output: str) -> None:
    """Raise TaskError if writing a table into the output folder would erase something that is no table."""
    for name in NAMES:
        _check_replaceable(os.path.join(output, name))


def _check_replaceable(folder: str) -> None:
    try:
        foreign = [name for name in os.listdir(folder) if not _SPARKS.fullmatch(name)] if os.path.isdir(folder) else []
    except OSError as exc:
        raise TaskError(f"output: {folder} cannot be looked into ({exc.strerror}). Nothing was read.") from None
    if foreign or (os.path.lexists(folder) and not os.path.isdir(folder)):
        what = f"holds {foreign[0]}" if foreign else "is no folder"
        raise TaskError(
            f"output: {folder} {what}, and a table would take its place: name another folder. Nothing was read."
        )


def write(frame: DataFrame, name: str, settings: Settings) -> pa.Table:
    """Write a table into the output folder, in place of an earlier one, and return it as it stands there.

    Raises:
        TaskError: executors wrote it where this host does not see it.
    """
    folder = settings.path(name)
    frame.write.mode("overwrite").parquet(f"file://{folder}")
    table = pq.read_table(folder)
    if not settings.local and (not table.num_columns or table.num_rows != frame.count()):
        raise TaskError(
            f"output: the executors of {settings.master} wrote the table {name} to a folder that this host does not "
            f"share: name a folder that is the same everywhere, in place of {settings.output}."
        )
    return table
