# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The warnings of an audit: conditions that limit how far its results can be trusted."""

from __future__ import annotations

import datetime
import typing as t

from ..._operations.results import counted as numbered
from ..libraries import Column, F
from . import findings
from .findings import Criteria
from .observed import Observation

# allows for clock skew and for the duration of the audit
FUTURE_TOLERANCE = datetime.timedelta(hours=1)

_MINUTE_MS = 60_000


class StaleAfter(t.NamedTuple):
    """C(stale_after) as the user wrote it and in ms, and C(offsets.retention.minutes) of the brokers in ms."""

    given: str
    ms: int
    retention: int | None


class Counts(t.NamedTuple):
    """Numbers of groups.

    Attributes:
        committed: groups with committed offsets.
        invisible: those of them whose state is unknown.
        future: groups that are idle since a time in the future.
        first_future: the name of one of them.
        idle: groups that are idle in the topic, and whose offsets were fetched.
        moved: those of them whose offsets differ.
    """

    committed: int
    invisible: int
    future: int
    first_future: str | None
    idle: int
    moved: int


def counts(criteria: Criteria, now: datetime.datetime) -> list[Column]:
    """Return the aggregates of C(groups) that are the fields of `Counts`.

    Args:
        now: the start of the audit.
    """
    committed = F.col("partitions") > 0
    future = is_future(now)
    idle = findings.is_idle(criteria) & F.col("committed_since").isNotNull()
    aggregates = {
        "committed": F.count_if(committed),
        "invisible": F.count_if(committed & F.col("state").isNull()),
        "future": F.count_if(future),
        "first_future": F.min(F.when(future, F.col("group"))),
        "idle": F.count_if(idle),
        "moved": F.count_if(idle & (F.col("committed_since") > 0)),
    }
    return [column.alias(name) for name, column in aggregates.items()]


def of_snapshots(observation: Observation, criteria: Criteria) -> list[str]:
    """Return the warning of an audit of snapshots that cannot find a stale group yet."""
    if observation.since < criteria.limit and observation.number >= criteria.min_snapshots:
        return []
    since = observation.since.isoformat(timespec="seconds")
    return [
        f"no group can be stale yet, with {numbered(observation.number, 'snapshot')} since {since}: a group is "
        f"stale if it was observed idle for {criteria.stale_after}, in at least {criteria.min_snapshots} snapshots"
    ]


def is_future(now: datetime.datetime) -> Column:
    """Whether a group is idle since a time in the future, so that its idle time is unknown."""
    return F.col("idle_since") > F.lit(now + FUTURE_TOLERANCE)


def caveats(
    counted: Counts, records_read: int | None, unread: dict[int, str], topic: str, stale_after: StaleAfter
) -> list[str]:
    """Return the warnings of an audit.

    Args:
        counted: what `counts` returned.
        records_read: the number of records in the topic; None if the topic was not read.
        unread: why each incomplete partition was not read completely.
        stale_after: the limit and the retention of offsets.
    """
    found = []
    if records_read == 0:
        found.append(f"{topic} contains no records, so the audit has no data about any group")
    if counted.invisible:
        found.append(
            f"{counted.invisible} of {counted.committed} groups with committed offsets are not visible in the cluster "
            "and are not classified: they were created or deleted during the audit, or you lack DESCRIBE on the "
            "cluster or on the groups"
        )
    if counted.future:
        found.append(
            f"{counted.future} groups have a commit or a record with a timestamp in the future (first: "
            f"'{counted.first_future}'): their idle time is unknown, and they are never stale; check the clocks of the "
            "brokers"
        )
    if records_read is not None and 2 * counted.moved > max(1, counted.idle):
        found.append(
            f"{counted.moved} of {counted.idle} groups that are idle for longer than stale_after in {topic} have other "
            "offsets in the cluster, and are not stale: they committed during the audit, or the topic belongs to "
            "another cluster"
        )
    if stale_after.retention is not None and stale_after.ms > stale_after.retention:
        minutes = stale_after.retention // _MINUTE_MS
        found.append(
            f"stale_after is {stale_after.given}, but offsets.retention.minutes of the brokers is {minutes}: brokers "
            "delete the offsets of an Empty group after that time, so few groups become stale; set stale_after to less "
            f"than {minutes} minutes"
        )
    found += [
        f"partition {partition} of {topic} was not read completely: {problem}; its groups are excluded from the plan"
        for partition, problem in sorted(unread.items())
    ]
    return found
