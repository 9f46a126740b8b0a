# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The data source on the driver: plan a scan of C(__consumer_offsets), and register it with Spark."""

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


def read(
    spark: SparkSession,
    connection: Connection,
    topic: str,
    deadline: float,
    client_rack: str | None = None,
    read_rate: int | None = None,
) -> DataFrame:
    """Return the records of the topic up to the current end offsets, in about one split per core; see `records`.

    C(spark.default.parallelism) overrides the number of splits.

    Args:
        deadline: seconds since the epoch; the clocks of the executors must be synchronized with this host.
        client_rack: the rack of the executors (KIP-392).
        read_rate: the maximum number of bytes per second of all splits together; None for no limit.

    Raises:
        TaskError: the topic cannot be read; later errors are inside the exception of Spark, see `cause`.
    """
    limited = dataclasses.replace(connection, timeout=max(1.0, deadline - time.time()))
    with Session(limited, check_mode=True) as session:
        wanted = session.wire.run(splits.ranges, session, topic)
    planned = splits.group(wanted, spark.sparkContext.defaultParallelism)
    rate = None if read_rate is None else read_rate / len(planned)
    shipping.ship(spark)
    spark.dataSource.register(bound(Scan(Access.of(connection, client_rack), topic, planned, deadline, rate)))
    return spark.read.format(NAME).load()


def cause(exc: Exception) -> str:
    """Return the cause of an exception of Spark: the TaskError of a scan, or the first Python error."""
    text = str(exc)
    found = _TASK_ERROR.search(text) or _PYTHON_ERROR.search(text)
    return found[1] if found else text.partition("\n")[0]
