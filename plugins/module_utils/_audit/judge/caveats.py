# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The warnings of an audit: conditions that limit how far its results can be trusted."""

from __future__ import annotations

import datetime
import typing as t

Row = dict[str, t.Any]

# allows for clock skew and for the duration of the audit
FUTURE_TOLERANCE = datetime.timedelta(hours=1)

_MINUTE_MS = 60_000


class StaleAfter(t.NamedTuple):
    """C(stale_after) as the user wrote it and in ms, and C(offsets.retention.minutes) of the brokers in ms."""

    given: str
    ms: int
    retention: int | None


def caveats(
    groups: list[Row],
    records_read: int,
    unread: dict[int, str],
    topic: str,
    now: datetime.datetime,
    stale_after: StaleAfter,
) -> list[str]:
    """Return the warnings of an audit.

    Args:
        groups: the table C(groups).
        records_read: the number of records in the topic.
        unread: why each incomplete partition was not read completely.
        now: the start of the audit.
        stale_after: the limit and the retention of offsets.
    """
    committed = [row for row in groups if row["partitions"]]
    hidden = sum(row["state"] is None for row in committed)
    moved = sum(row["committed_since"] > 0 for row in groups)
    future = [row["group"] for row in groups if row["idle_since"] and row["idle_since"] > now + FUTURE_TOLERANCE]
    found = []
    if not records_read:
        found.append(f"{topic} contains no records, so the audit has no data about any group")
    if hidden:
        found.append(
            f"{hidden} of {len(committed)} groups with committed offsets are not visible in the cluster and are not "
            "classified: they were created or deleted during the audit, or you lack DESCRIBE on the cluster or on the "
            "groups"
        )
    if future:
        found.append(
            f"{len(future)} groups have a commit or a record with a timestamp in the future (first: '{min(future)}'): "
            "their idle time is unknown, and they are never stale; check the clocks of the brokers"
        )
    if 2 * moved > max(1, len(committed)):
        found.append(
            f"{moved} groups have offsets that differ from {topic} and are not classified: they commit continuously, "
            "or the topic belongs to another cluster"
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
