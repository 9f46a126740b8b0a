# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The data source on the executors: a Spark DataSource for one scan."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import importlib.util
import socket
import sys

from ..._errors import TaskError
from ..libraries import DataSource, DataSourceReader, InputPartition, StructType, from_arrow_schema, pa
from . import records
from .access import Access
from .scan import scan
from .splits import Split

NAME = "consumer_offsets"


@dataclasses.dataclass(frozen=True)
class Scan:
    """The work of the executors; `deadline` is in seconds since the epoch, `rate` in bytes per second of a split."""

    access: Access
    topic: str
    splits: list[Split]
    deadline: float
    rate: float | None


class ConsumerOffsets(DataSource):
    """The decoded latest record of each key in C(__consumer_offsets), the activity, and each partition's status."""

    scan: Scan

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return NAME

    def schema(self) -> StructType:
        """Return the schema of `records` as a Spark schema."""
        return from_arrow_schema(records.schema())

    def reader(self, schema: StructType) -> Reader:
        """Return the reader of the splits."""
        return Reader(self.scan)


class Reader(DataSourceReader):
    """The reader of the splits of one scan."""

    def __init__(self, wanted: Scan) -> None:
        self._scan = wanted

    def partitions(self) -> list[InputPartition]:
        """Return the splits that the driver planned."""
        return [InputPartition(split) for split in self._scan.splits]

    def read(self, partition: InputPartition) -> c.Iterator[pa.RecordBatch]:
        """Return the rows of one split; see `scan.scan`."""
        if importlib.util.find_spec("confluent_kafka") is None:
            raise TaskError(
                f"An executor requires confluent-kafka: install it for {sys.executable} on {socket.gethostname()}."
            )
        return scan(self._scan.access, self._scan.topic, partition.value, self._scan.deadline, self._scan.rate)


def bound(wanted: Scan) -> type[ConsumerOffsets]:
    """Return a data source class for one scan.

    Spark pickles the class, so secrets in the scan are not visible in options or in the configuration.
    """
    return type("BoundConsumerOffsets", (ConsumerOffsets,), {"scan": wanted})
