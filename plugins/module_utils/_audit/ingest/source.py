# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The data source on the driver's side: plan a scan of C(__consumer_offsets), and give it to Spark."""

from __future__ import annotations

import dataclasses
import re
import time

from ..._kafka.options import Connection
from ..._kafka.session import Session
from ..libraries import DataFrame, SparkSession
from . import shipping, splits
from .access import Access
from .datasource import NAME, Scan, bound

_TASK_ERROR = re.compile(r"^[\w.]*\bTaskError: (.+)$", re.MULTILINE)
_PYTHON_ERROR = re.compile(r"^([A-Za-z_][\w.]*(?:Error|Exception): .+)$", re.MULTILINE)


def read(spark: SparkSession, connection: Connection, topic: str, deadline: float) -> DataFrame:
    """Return what the topic holds up to its end offsets of now, in about one split a core; see `records`.

    C(spark.default.parallelism) sets another number of splits.

    Args:
        deadline: seconds since the epoch; the clocks of the executors have to agree with this one.

    Raises:
        TaskError: the topic cannot be read; or later, inside of Spark's exception: see `cause`.
    """
    left = dataclasses.replace(connection, timeout=max(1.0, deadline - time.time()))
    with Session(left, check_mode=True) as session:
        wanted = session.wire.run(splits.ranges, session, topic)
    planned = splits.group(wanted, spark.sparkContext.defaultParallelism)
    shipping.ship(spark)
    spark.dataSource.register(bound(Scan(Access.of(connection), topic, planned, deadline)))
    return spark.read.format(NAME).load()


def cause(exc: Exception) -> str:
    """Return one sentence from Spark's exception: why a scan failed, or the first error that it tells of."""
    text = str(exc)
    found = _TASK_ERROR.search(text) or _PYTHON_ERROR.search(text)
    return found[1] if found else text.partition("\n")[0]
