# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The data source C(consumer_offsets) for notebooks, see C(notebooks.py)."""

from __future__ import annotations

import collections.abc as c
import time

from ..._kafka.options import Connection
from ..libraries import DataSource, DataSourceReader, InputPartition, SparkSession, StructType, from_arrow_schema, pa
from . import planning, records, shipping, spark_read
from .distribution import Cores
from .executor import Scan

NAME = "consumer_offsets"


class ConsumerOffsets(DataSource):
    """The decoded latest record of each key in C(__consumer_offsets), the activity, and each partition's status.

    Its only option is C(topic). The connection is not an option, because Spark shows options.
    """

    connection: Connection
    cores: Cores

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return NAME

    def schema(self) -> StructType:
        """Return the schema of `records` as a Spark schema."""
        return from_arrow_schema(records.schema())

    def reader(self, schema: StructType) -> Reader:
        """Plan the scan, and return the reader of its splits."""
        topic, deadline = self.options.get("topic", records.TOPIC), time.time() + self.connection.timeout
        return Reader(planning.plan(self.connection, topic, deadline, self.cores))


class Reader(DataSourceReader):
    """The reader of the splits of one scan."""

    def __init__(self, wanted: Scan) -> None:
        self._scan = wanted

    def partitions(self) -> list[InputPartition]:
        """Return the planned splits."""
        return [InputPartition(split) for split in self._scan.splits]

    def read(self, partition: InputPartition) -> c.Iterator[pa.RecordBatch]:
        """Return the rows of one split; see `scan.scan`."""
        return self._scan.rows(partition.value)


def register(spark: SparkSession, connection: Connection) -> None:
    """Register the data source with a connection, which Spark pickles: its secrets are not visible in options."""
    shipping.ship(spark)
    bound = {"connection": connection, "cores": spark_read.cores(spark)}
    spark.dataSource.register(type("BoundConsumerOffsets", (ConsumerOffsets,), bound))
