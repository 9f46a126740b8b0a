# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The state of the cluster: groups and committed offsets before the scan, topics and logs after it."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import typing as t

from ... import _input as inputs
from ..._kafka.errors import KafkaError
from ..._kafka.model import Group, Topic, TopicPartition
from ..._kafka.session import Session
from ..._operations import _find_groups, _read_configs
from ..._operations._find_groups import Gathered
from ..._operations._read_configs import Settings
from ..._operations._read_groups import describe
from ..._operations._read_topics import broker_setting, describe_topics, read_logs
from ..._operations.results import counted
from ..libraries import pa
from .frames import EMPTY

_RETENTION = "offsets.retention.minutes"
_MINUTE = 60_000
_UNKNOWN_TOPIC = "UNKNOWN_TOPIC_OR_PARTITION"


@dataclasses.dataclass(frozen=True)
class Live:
    """Arrow tables to join with the records of the topic; unknown values are null.

    Attributes:
        groups: C(group), C(type), C(state), C(protocol_type), C(members) (their number), C(included).
        offsets: C(group), C(topic), C(partition), C(live_offset).
        start_offsets: C(group), C(topic), C(partition), C(start_offset), C(lag): of share groups.
        subscriptions: C(group), C(topic), C(subscribed): for each committed topic of a group with members.
        orphaned_configs: C(group), C(configs) (as text): settings of groups that do not exist.
        retention: offsets.retention.minutes of the brokers, in ms.
        warnings: requests that failed.
    """

    groups: pa.Table
    offsets: pa.Table
    start_offsets: pa.Table
    subscriptions: pa.Table
    orphaned_configs: pa.Table
    retention: int | None
    warnings: list[str]


async def read(session: Session, included: c.Callable[[str], bool]) -> Live:
    """Describe all groups of the cluster, and fetch their committed offsets.

    This runs before the end offsets of the scan are read, so that the scan contains a record of each member that left
    before.

    Args:
        included: whether the audit classifies a group.

    Raises:
        CallError, TaskError: the brokers do not respond.
    """
    gathered = Gathered({}, [], [], {})
    await _find_groups.listed(session, [], [], gathered)
    await _find_groups.described(session, gathered, [])
    await _find_groups.fetched(session, gathered)
    await _find_groups.fetched_start_offsets(session, gathered)
    minutes = await broker_setting(session, _RETENTION)
    warnings = [_problem(problem) for problem in gathered.errors]
    if not isinstance(minutes, str):
        why = minutes.name if isinstance(minutes, KafkaError) else "the response of the broker did not include it"
        warnings.append(f"expire_time is unknown, because {_RETENTION} cannot be read: {why}")
    return Live(
        _groups(gathered, included),
        _offsets(gathered),
        _start_offsets(gathered),
        _subscriptions(gathered),
        await _orphaned_configs(session, gathered, included, warnings),
        int(minutes) * _MINUTE if isinstance(minutes, str) else None,
        warnings,
    )


async def recheck_empty(session: Session, seen: Live) -> Live:
    """Describe the Empty groups again after the scan, because a member may have joined without a record in the scan.

    Returns:
        `seen` with the current states; null where the state is unknown or the group does not exist.
    """
    rows = seen.groups.to_pylist()
    now = await describe(session, [row["group"] for row in rows if row["state"] == EMPTY])
    for row in rows:
        if row["group"] in now:
            group = now[row["group"]]
            row.update(_usage(group if isinstance(group, Group) else None))
    return dataclasses.replace(seen, groups=pa.Table.from_pylist(rows, schema=seen.groups.schema))


def _problem(problem: dict[str, t.Any]) -> str:
    where = f"group '{problem['group']}'" if "group" in problem else f"the broker at {problem['address']}"
    why = problem.get("message") or f"{problem['error']['name']}: {problem['error']['message']}"
    return f"{where} cannot be described: {why}"


def _groups(gathered: Gathered, included: c.Callable[[str], bool]) -> pa.Table:
    rows = []
    for name, found in gathered.groups.items():
        group = found.group
        rows.append(
            {
                "group": name,
                "type": group.type if group else found.listing.type,
                "protocol_type": group.protocol_type if group else found.listing.protocol_type,
                **_usage(group),
                "included": included(name),
            }
        )
    return _table(
        rows,
        group=pa.string(),
        type=pa.string(),
        state=pa.string(),
        protocol_type=pa.string(),
        members=pa.int32(),
        included=pa.bool_(),
    )


def _usage(group: Group | None) -> dict[str, t.Any]:
    """Return the state and the number of members of a group; null if unknown."""
    return {"state": group.state if group else None, "members": len(group.members) if group else None}


def _offsets(gathered: Gathered) -> pa.Table:
    rows = [
        {"group": name, **where._asdict(), "live_offset": committed.offset}
        for name, found in gathered.groups.items()
        if found.start_offsets is None
        for where, committed in (found.offsets or {}).items()
    ]
    return _table(rows, group=pa.string(), topic=pa.string(), partition=pa.int32(), live_offset=pa.int64())


def _start_offsets(gathered: Gathered) -> pa.Table:
    rows = [
        {"group": name, **where._asdict(), "start_offset": at.offset, "lag": at.lag}
        for name, found in sorted(gathered.groups.items())
        for where, at in sorted((found.start_offsets or {}).items())
    ]
    return _table(
        rows,
        group=pa.string(),
        topic=pa.string(),
        partition=pa.int32(),
        start_offset=pa.int64(),
        lag=pa.int64(),
    )


def _subscriptions(gathered: Gathered) -> pa.Table:
    rows = [
        {"group": name, "topic": topic, "subscribed": found.group.subscribes(topic)}
        for name, found in gathered.groups.items()
        if found.group and found.group.members and found.start_offsets is None
        for topic in sorted({where.topic for where in found.offsets or ()})
    ]
    return _table(rows, group=pa.string(), topic=pa.string(), subscribed=pa.bool_())


async def partitions(session: Session, committed: c.Collection[TopicPartition]) -> pa.Table:
    """Describe the partitions with committed offsets, and read the start and end of their logs.

    Columns: C(topic), C(partition), C(exists), C(current_topic_id), C(log_start), C(log_end). Unknown values are null.
    """
    # records may contain invalid topic names, which clients reject
    names = {where.topic for where in committed if inputs.TOPIC.fullmatch(where.topic)}
    topics = await describe_topics(session, names)
    existing: list[TopicPartition] = []
    for where in committed:
        topic = topics.get(where.topic)
        if isinstance(topic, Topic) and where.partition in topic.partitions:
            existing.append(where)
    logs = await read_logs(session, existing)
    rows = []
    for where in committed:
        topic, log = topics.get(where.topic), logs.get(where)
        start, end = (None, None) if log is None or isinstance(log, KafkaError) else log
        if isinstance(topic, Topic):
            exists: bool | None = where.partition in topic.partitions
        else:
            exists = False if topic is None or topic.name == _UNKNOWN_TOPIC else None
        rows.append(
            {
                **where._asdict(),
                "exists": exists,
                "current_topic_id": topic.id or None if isinstance(topic, Topic) else None,
                "log_start": start,
                "log_end": end,
            }
        )
    return _table(
        rows,
        topic=pa.string(),
        partition=pa.int32(),
        exists=pa.bool_(),
        current_topic_id=pa.string(),
        log_start=pa.int64(),
        log_end=pa.int64(),
    )


async def _orphaned_configs(
    session: Session, gathered: Gathered, included: c.Callable[[str], bool], warnings: list[str]
) -> pa.Table:
    """Return the settings of groups that do not exist; none before Kafka 4.1, where brokers do not list them."""
    configured = await _read_configs.configured_groups(session)
    if isinstance(configured, KafkaError):
        if configured.name != "UNSUPPORTED_VERSION":
            warnings.append(f"settings of groups that do not exist are unknown, and not reported: {configured.name}")
        configured = frozenset()
    absent = [name for name in sorted(configured) if name not in gathered.groups and included(name)]
    # a broker that did not list its groups may have some of them
    seen = await describe(session, absent)
    unknown = [name for name, group in seen.items() if isinstance(group, KafkaError)]
    if unknown:
        warnings.append(
            f"it is unknown whether {counted(len(unknown), 'group')} with settings exist, first '{unknown[0]}': they "
            "cannot be described, and their settings are not reported"
        )
    found = await _read_configs.overridden(session, [name for name, group in seen.items() if group is None])
    rows = [{"group": name, "configs": _configs_text(settings)} for name, settings in found.items()]
    return _table(rows, group=pa.string(), configs=pa.string())


def _configs_text(settings: Settings | KafkaError) -> str:
    if isinstance(settings, KafkaError):
        return f"settings that cannot be read ({settings.name}: {settings.message})"
    return ", ".join(f"{key}={setting.value}" for key, setting in settings.items())


def _table(rows: list[dict[str, t.Any]], **columns: pa.DataType) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=pa.schema(list(columns.items())))
