# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What Spark runs on the executors to read the splits of one scan."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import importlib.util
import socket
import sys
import typing as t

from ..._errors import TaskError
from ..libraries import pa
from .access import Access
from .scan import Bound, scan
from .splits import Split


class Origin(t.NamedTuple):
    """Where a scan begins.

    Attributes:
        began: when the topic was described, in seconds since the epoch.
        topic_id: the id of the topic; empty if the brokers do not have topic ids.
        starts: the log start of each partition.
        continued: whether the scan begins at the marks of an earlier one, and not at the log start.
        obstacle: why it does not; None if it does, or if there is no earlier scan.
    """

    began: float
    topic_id: str
    starts: dict[int, int]
    continued: bool
    obstacle: str | None


@dataclasses.dataclass(frozen=True)
class Scan:
    """The work of the executors.

    Attributes:
        deadline: seconds since the epoch.
        rate: bytes per second of a split; None for no limit.
        small: whether the driver reads the splits itself.
        keyed: whether rows of other scans can be combined with the rows of this one.
    """

    access: Access
    topic: str
    splits: list[Split]
    deadline: float
    rate: float | None
    bound: Bound
    small: bool
    keyed: bool
    origin: Origin

    def rows(self, split: Split) -> c.Iterator[pa.RecordBatch]:
        """Return the rows of one split; see `scan.scan`."""
        if importlib.util.find_spec("confluent_kafka") is None:
            raise TaskError(
                f"An executor requires confluent-kafka: install it for {sys.executable} on {socket.gethostname()}."
            )
        yield from scan(self.access, self.topic, split, self.deadline, self.rate, self.bound, self.keyed)


class ReadSplits:
    """A table function of Spark that returns the rows of splits by their numbers."""

    scan: Scan

    def eval(self, numbers: pa.RecordBatch) -> c.Iterator[pa.RecordBatch]:
        """Return the rows of these splits."""
        rows: list[dict[str, int]] = numbers.to_pylist()
        for number in (row["id"] for row in rows):
            yield from self.scan.rows(self.scan.splits[number])


def bound_to(wanted: Scan) -> type[ReadSplits]:
    """Return the table function for one scan.

    Spark pickles the class, so secrets in the scan are not visible in options or in the configuration.
    """
    return type("BoundReadSplits", (ReadSplits,), {"scan": wanted})
