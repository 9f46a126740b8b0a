# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What makes the whole audit doubtful, in sentences."""

from __future__ import annotations

import datetime
import typing as t

Row = dict[str, t.Any]

# clocks may differ by so much, and an audit may last so long, before a time counts as one in the future
AHEAD = datetime.timedelta(hours=1)


_MINUTE_MS = 60_000


class StaleAfter(t.NamedTuple):
    """C(stale_after) as it was given and in ms, and the broker's C(offsets.retention.minutes) in ms, if it is known."""

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
    """Return what is to be said of the audit.

    Args:
        groups: the table C(groups).
        records_read: how many records the topic holds.
        unread: why a partition was not read completely.
        now: when the audit began.
        stale_after: the limit, beside the retention of offsets.
    """
    committed = [row for row in groups if row["partitions"]]
    hidden = sum(row["state"] is None for row in committed)
    moved = sum(row["committed_since"] > 0 for row in groups)
    ahead = [row["group"] for row in groups if row["idle_since"] and row["idle_since"] > now + AHEAD]
    found = []
    if not records_read:
        found.append(f"{topic} holds no records, so that nothing is known of any group")
    if hidden:
        found.append(
            f"{hidden} of {len(committed)} groups with committed offsets are not shown by the cluster, and not judged: "
            "they are new or gone since, or you lack DESCRIBE on the cluster or on them"
        )
    if ahead:
        found.append(
            f"{len(ahead)} groups have a commit or a record with a time in the future (first: '{min(ahead)}'): how "
            "long they have been idle is unknown, and they are never stale; check the clocks of the brokers"
        )
    if 2 * moved > max(1, len(committed)):
        found.append(
            f"{moved} groups have other offsets than {topic} holds, and are not judged: they commit all the time, "
            "or it is not the topic of this cluster"
        )
    if stale_after.retention is not None and stale_after.ms > stale_after.retention:
        minutes = stale_after.retention // _MINUTE_MS
        found.append(
            f"stale_after is {stale_after.given}, and offsets.retention.minutes of the brokers is {minutes}: they "
            "delete the offsets of an Empty group after that time, so that hardly any group becomes stale; set "
            f"stale_after to less than {minutes} minutes"
        )
    found += [
        f"partition {partition} of {topic} was not read completely: {problem}; its groups are not planned"
        for partition, problem in sorted(unread.items())
    ]
    return found
