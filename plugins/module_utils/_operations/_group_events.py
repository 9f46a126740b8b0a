# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What happened to groups between two reads: computed from what is known of them, what was read now, and the time."""

from __future__ import annotations

import collections.abc as c
import types
import typing as t

LAG_ABOVE = "lag_above"
LAG_RECOVERED = "lag_recovered"
GROUP_APPEARED = "group_appeared"
GROUP_VANISHED = "group_vanished"
GROUP_EMPTY = "group_empty"
MEMBER_STUCK = "member_stuck"

GroupResult = c.Mapping[str, t.Any]
Event = dict[str, t.Any]
Partition = tuple[str, int]


class Limits(t.NamedTuple):
    """When events are due; times in seconds.

    Attributes:
        max_lag: a greater lag is an event, None for no events of the lag.
        recovered_lag: a lag up to this one ends it.
        lag_for: how long the lag must be greater.
        stuck_for: how long a committed offset must not move, None for no events of members.
    """

    max_lag: int | None = None
    recovered_lag: int = 0
    lag_for: float = 0.0
    stuck_for: float | None = None


class Reading(t.NamedTuple):
    """What one read returned.

    Attributes:
        groups: the groups by name, as C(consumer_group_info) returns them.
        missing: groups that were known before and do not exist any more.
        complete: whether every broker listed its groups.
    """

    groups: c.Mapping[str, GroupResult]
    missing: frozenset[str] = frozenset()
    complete: bool = True


class Position(t.NamedTuple):
    """An offset at which a member has records to read, since when, and whether an event told so."""

    member_id: str
    offset: int
    since: float
    told: bool = False


class Known(t.NamedTuple):
    """What is known of one group.

    Attributes:
        state: the last state that was read.
        above: since when the lag has been too great; None if it is not.
        told: whether an event told so.
    """

    state: str | None = None
    above: float | None = None
    told: bool = False
    positions: c.Mapping[Partition, Position] = types.MappingProxyType({})


class Memory(t.NamedTuple):
    """What is known of all groups; `listed`: whether all of them have been listed once, so that others are new."""

    groups: c.Mapping[str, Known] = types.MappingProxyType({})
    listed: bool = False


def follow(memory: Memory, reading: Reading, limits: Limits, now: float) -> tuple[Memory, list[Event]]:
    """Return what is known after a read, and the events since the one before, by group.

    What could not be read is unknown: it begins nothing, and ends nothing.

    Args:
        now: seconds on a clock that never goes back.
    """
    groups = dict(memory.groups)
    events: list[Event] = []
    for name in sorted(reading.groups.keys() | reading.missing):
        group = reading.groups.get(name)
        if group is None:
            if groups.pop(name, None) is not None:
                events.append({"kind": GROUP_VANISHED, "group": name})
            continue
        if name not in groups and memory.listed:
            events.append(_event(GROUP_APPEARED, group))
        before = groups.get(name, Known())
        groups[name], found = _follow_group(before, group, limits, now)
        events += found
    return Memory(groups, memory.listed or reading.complete), events


def _follow_group(known: Known, group: GroupResult, limits: Limits, now: float) -> tuple[Known, list[Event]]:
    events = []
    state = group["state"] or known.state
    if state == "Empty" and known.state not in (None, "Empty"):
        events.append(_event(GROUP_EMPTY, group, previous_state=known.state))
    known, found = _follow_lag(known._replace(state=state), group, limits, now)
    events += found
    if limits.stuck_for is not None:
        known, found = _follow_members(known, group, limits.stuck_for, now)
        events += found
    return known, events


def _follow_lag(known: Known, group: GroupResult, limits: Limits, now: float) -> tuple[Known, list[Event]]:
    lag = group.get("lag")
    if limits.max_lag is None or lag is None:
        return known, []
    since = now if known.above is None else known.above
    seconds = round(now - since, 3)
    if known.told:
        if lag > limits.recovered_lag:
            return known, []
        event = _event(LAG_RECOVERED, group, lag=lag, recovered_lag=limits.recovered_lag, seconds=seconds)
        return known._replace(above=None, told=False), [event]
    if lag <= limits.max_lag:
        return known._replace(above=None), []
    if now - since < limits.lag_for:
        return known._replace(above=since), []
    event = _event(LAG_ABOVE, group, lag=lag, max_lag=limits.max_lag, seconds=seconds)
    return known._replace(above=since, told=True), [event]


def _follow_members(known: Known, group: GroupResult, stuck_for: float, now: float) -> tuple[Known, list[Event]]:
    members, offsets = group.get("members"), group.get("offsets")
    # several members read a partition of a share group, and its offset says nothing of one of them
    if members is None or offsets is None or group["type"] == "share":
        return known, []
    committed = {(each["topic"], each["partition"]): each for each in offsets}
    positions: dict[Partition, Position] = {}
    events = []
    for member in members:
        held = _positions(known.positions, member, committed, now)
        stuck = {
            where: position._replace(told=True)
            for where, position in sorted(held.items())
            if committed[where]["lag"] is not None and now - position.since >= stuck_for
        }
        if not all(held[where].told for where in stuck):
            events.append(_stuck_event(group, member, [committed[where] for where in stuck], stuck.values(), now))
        positions |= held | stuck
    return known._replace(positions=positions), events


def _positions(
    before: c.Mapping[Partition, Position],
    member: GroupResult,
    committed: c.Mapping[Partition, c.Mapping[str, t.Any]],
    now: float,
) -> dict[Partition, Position]:
    """Return where a member has records to read, and since when."""
    positions = {}
    for assigned in member["assignment"]:
        where = (assigned["topic"], assigned["partition"])
        at = committed.get(where)
        if at is None or at["lag"] == 0:
            continue
        old = before.get(where)
        if old is not None and (old.member_id, old.offset) == (member["member_id"], at["offset"]):
            positions[where] = old
        elif at["lag"] is not None:
            positions[where] = Position(member["member_id"], at["offset"], now)
    return positions


def _stuck_event(
    group: GroupResult,
    member: GroupResult,
    offsets: list[c.Mapping[str, t.Any]],
    positions: c.Iterable[Position],
    now: float,
) -> Event:
    return _event(
        MEMBER_STUCK,
        group,
        member={name: member[name] for name in ("member_id", "group_instance_id", "client_id", "host")},
        partitions=[{name: each[name] for name in ("topic", "partition", "offset", "lag")} for each in offsets],
        seconds=round(now - min(position.since for position in positions), 3),
    )


def _event(kind: str, group: GroupResult, **details: t.Any) -> Event:
    return {"kind": kind, "group": group["name"], "type": group["type"], "state": group["state"], **details}
