# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The data of an audit before it is published: facts, and the frames that its tables are made of."""

from __future__ import annotations

import dataclasses
import datetime

from ..judge.findings import Criteria
from ..judge.frames import LiveFrames
from ..judge.observed import Observation
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
        listed: whether all brokers listed their groups.
        unread: why each incomplete partition was not read completely.
        retention: C(offsets.retention.minutes) of the brokers in ms, None if unknown.
        reading: what an incremental audit has read; None of another audit.
        observation: of an audit of snapshots; None if the topic was read.
    """

    cluster_id: str
    created: datetime.datetime
    started: float
    records: int
    unread: dict[int, str]
    warnings: list[str]
    retention: int | None
    listed: bool = True
    reading: Reading | None = None
    observation: Observation | None = None

    @property
    def known_records(self) -> int | None:
        """The number of records that the audit is based on, or a lower bound; None if the topic was not read."""
        return None if self.observation else self.records + (self.reading.before if self.reading else 0)

    @property
    def complete(self) -> bool:
        """Whether the topic was read completely, if it was read, and all groups are known."""
        return self.listed and not self.unread

    def criteria(self, settings: Settings) -> Criteria:
        """Return the criteria for stale groups and offsets."""
        limit = self.created - datetime.timedelta(milliseconds=settings.stale_after_ms)
        least = settings.snapshots.least if settings.snapshots else 0
        return Criteria(limit, settings.stale_after, tuple(self.unread), least)


@dataclasses.dataclass(frozen=True)
class Compared:
    """The data of an audit, before its tables are written; `fetched` is the result of `live_state.committed`."""

    offsets: DataFrame
    groups: DataFrame
    activity: DataFrame
    undecoded: DataFrame
    live: LiveFrames
    fetched: DataFrame
