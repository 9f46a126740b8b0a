# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The data of an audit before it is published: facts, and the frames that its tables are made of."""

from __future__ import annotations

import dataclasses
import datetime

from ..judge.findings import Criteria
from ..judge.frames import LiveFrames
from ..libraries import DataFrame
from .settings import Settings
from .state import Reading


@dataclasses.dataclass(frozen=True)
class Facts:
    """Facts about an audit that are known before groups are classified.

    Attributes:
        created: the start of the audit.
        started: the start of the audit, by the monotonic clock.
        records: the number of records read.
        unread: why each incomplete partition was not read completely.
        retention: C(offsets.retention.minutes) of the brokers in ms, None if unknown.
        reading: what an incremental audit has read; None of another audit.
    """

    cluster_id: str
    created: datetime.datetime
    started: float
    records: int
    unread: dict[int, str]
    warnings: list[str]
    retention: int | None
    reading: Reading | None = None

    @property
    def known_records(self) -> int:
        """The number of records that the audit is based on, or a lower bound."""
        return self.records + (self.reading.before if self.reading else 0)

    def criteria(self, settings: Settings) -> Criteria:
        """Return the criteria for stale groups and offsets."""
        limit = self.created - datetime.timedelta(milliseconds=settings.stale_after_ms)
        return Criteria(limit, settings.stale_after, tuple(self.unread))


@dataclasses.dataclass(frozen=True)
class Compared:
    """The data of an audit, before its tables are written; `fetched` is the result of `live_state.committed`."""

    offsets: DataFrame
    groups: DataFrame
    activity: DataFrame
    undecoded: DataFrame
    live: LiveFrames
    fetched: DataFrame
