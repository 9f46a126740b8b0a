# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The state of the cluster: groups before the scan, topics and logs after it, and the committed offsets of some groups.

Groups are described in chunks, whose values are converted to Arrow before the next chunk is described.
"""

from __future__ import annotations

import collections.abc as c
import dataclasses
import itertools
import typing as t

from ... import _input as inputs
from ..._kafka.errors import KafkaError
from ..._kafka.model import Group, Topic, TopicPartition, topic_pattern
from ..._kafka.session import Session
from ..._operations import _find_groups, _read_configs
from ..._operations._find_groups import Gathered
from ..._operations._read_configs import Settings
from ..._operations._read_groups import committed_now, describe
from ..._operations._read_topics import broker_setting, describe_topics, read_logs
from ..._operations.results import counted
from ..libraries import pa, pc
from .frames import EMPTY

# groups that are described or fetched together
CHUNK = 2_000
_RETENTION = "offsets.retention.minutes"
_MINUTE = 60_000
_UNKNOWN_TOPIC = "UNKNOWN_TOPIC_OR_PARTITION"
Row = dict[str, t.Any]
_T = t.TypeVar("_T")


@dataclasses.dataclass(frozen=True)
class Live:
    """Arrow tables to join with the records of the topic; unknown values are null.

    Attributes:
        groups: C(group), C(type), C(state), C(protocol_type), C(members) (their number), C(included); and of groups
            with members, C(topics) and C(patterns) that they subscribe to, and whether these are all
            (C(subscription_known)).
        start_offsets: C(group), C(topic), C(partition), C(start_offset), C(lag): of share groups.
        orphaned_configs: C(group), C(configs) (as text): settings of groups that do not exist.
        retention: offsets.retention.minutes of the brokers, in ms.
        warnings: requests that failed.
        complete: whether all brokers listed their groups.
    """

    groups: pa.Table
    start_offsets: pa.Table
    orphaned_configs: pa.Table
    retention: int | None
    warnings: list[str]
    complete: bool


async def read(session: Session, included: c.Callable[[str], bool]) -> Live:
    """Describe all groups of the cluster, and read the start offsets of share groups.

    This runs before the end offsets of the scan are read, so that the scan contains a record of each member that left
    before.

    Args:
        included: whether the audit classifies a group.

    Raises:
        CallError, TaskError: the brokers do not respond.
    """
    listed = Gathered({}, [], [], {})
    await _find_groups.listed(session, [], [], listed)
    warnings = [f"the broker at {problem['address']} cannot be described: {_why(problem)}" for problem in listed.errors]
    problems: list[Row] = []
    existing: set[str] = set()
    groups, start_offsets = [], []
    with session.driver.in_chunks():
        for names in chunks(list(listed.groups)):
            part = Gathered({name: listed.groups.pop(name) for name in names}, [], [], {})
            await _find_groups.described(session, part, [])
            await _find_groups.fetched_start_offsets(session, part)
            groups.append(_groups(part, included))
            start_offsets.append(_start_offsets(part))
            existing.update(part.groups)
            problems += part.errors
    if problems:
        warnings.append(
            f"{first_of([problem['group'] for problem in problems])} cannot be described: {_why(problems[0])}"
        )
    minutes = await broker_setting(session, _RETENTION)
    if not isinstance(minutes, str):
        why = minutes.name if isinstance(minutes, KafkaError) else "the response of the broker did not include it"
        warnings.append(f"expire_time is unknown, because {_RETENTION} cannot be read: {why}")
    return Live(
        of_batches(groups, _group_schema()),
        of_batches(start_offsets, _start_offset_schema()),
        await _orphaned_configs(session, existing, included, warnings),
        int(minutes) * _MINUTE if isinstance(minutes, str) else None,
        warnings,
        not listed.errors,
    )


async def recheck_empty(session: Session, seen: Live) -> Live:
    """Describe the Empty groups again after the scan, because a member may have joined without a record in the scan.

    Returns:
        `seen` with the current states; null where the state is unknown, with a warning, or the group does not exist.
    """
    checked, failed = [], {}
    with session.driver.in_chunks():
        for batch in seen.groups.to_batches(max_chunksize=CHUNK):
            rows = batch.to_pylist()
            now = await describe(session, [row["group"] for row in rows if row["state"] == EMPTY])
            for row in rows:
                if row["group"] in now:
                    group = now[row["group"]]
                    row.update(_usage(group if isinstance(group, Group) else None))
                    if isinstance(group, KafkaError):
                        failed[row["group"]] = group
            checked.append(pa.RecordBatch.from_pylist(rows, schema=batch.schema))
    warnings = list(seen.warnings)
    if failed:
        why = next(iter(failed.values()))
        warnings.append(
            f"{first_of(list(failed))} cannot be described again, so the state is unknown: {why.name}: {why.message}"
        )
    return dataclasses.replace(seen, groups=of_batches(checked, seen.groups.schema), warnings=warnings)


async def committed(session: Session, names: c.Collection[str]) -> tuple[pa.Table, list[str]]:
    """Fetch the committed offsets of groups, and return them with warnings.

    Columns: C(group), C(offsets) (a list of C(topic), C(partition), C(live_offset)). The table has no row of a group
    whose offsets cannot be fetched.
    """
    batches, failed = [], {}
    with session.driver.in_chunks():
        for chunk in chunks(names):
            rows = []
            for name, offsets in (await committed_now(session, chunk)).items():
                if isinstance(offsets, KafkaError):
                    failed[name] = offsets
                    continue
                entries = [{**where._asdict(), "live_offset": at.offset} for where, at in offsets.items()]
                rows.append({"group": name, "offsets": entries})
            batches.append(pa.RecordBatch.from_pylist(rows, schema=_committed_schema()))
    warnings = []
    if failed:
        why = next(iter(failed.values()))
        warnings.append(
            f"the committed offsets of {first_of(list(failed))} cannot be fetched, so the plan does not contain "
            f"them: {why.name}: {why.message}"
        )
    return of_batches(batches, _committed_schema()), warnings


def no_offsets() -> pa.Table:
    """Return the result of `committed` for groups whose offsets are unknown."""
    return of_batches([], _committed_schema())


def subscribed_topics(groups: pa.Table, topics: c.Collection[str]) -> pa.Table:
    """Return which of these topics match the C(patterns) of groups; columns: C(pattern), C(topics)."""
    rows = []
    patterns: list[t.Any] = pc.unique(pc.list_flatten(groups["patterns"])).to_pylist()
    for pattern in patterns:
        expression = topic_pattern(pattern)
        matching = [topic for topic in topics if expression and expression.fullmatch(topic)]
        rows.append({"pattern": pattern, "topics": matching})
    return _table(rows, pattern=pa.string(), topics=pa.list_(pa.string()))


def chunks(names: c.Iterable[_T]) -> c.Iterator[list[_T]]:
    """Return the names in lists that are small enough to be described or fetched together."""
    rest = iter(names)
    while chunk := list(itertools.islice(rest, CHUNK)):
        yield chunk


def first_of(names: list[str]) -> str:
    """Return one name, and the number of the others."""
    others = f" and {counted(len(names) - 1, 'other group')}" if names[1:] else ""
    return f"group '{names[0]}'{others}"


def _why(problem: Row) -> str:
    return problem.get("message") or f"{problem['error']['name']}: {problem['error']['message']}"


def _groups(gathered: Gathered, included: c.Callable[[str], bool]) -> pa.RecordBatch:
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
                **(_subscription(group) if group and group.members and group.type != "share" else {}),
            }
        )
    return pa.RecordBatch.from_pylist(rows, schema=_group_schema())


def _usage(group: Group | None) -> Row:
    """Return the state and the number of members of a group; null if unknown."""
    return {"state": group.state if group else None, "members": len(group.members) if group else None}


def _subscription(group: Group) -> Row:
    """Return what `Group.subscribes` is computed from."""
    topics: set[str] = set()
    patterns: set[str] = set()
    known = True
    for member in group.members:
        if member.topics is None:
            known = False
            continue
        topics.update(member.topics, (owned.topic for owned in member.assignment))
        if member.topic_regex and topic_pattern(member.topic_regex):
            patterns.add(member.topic_regex)
        elif member.topic_regex:
            known = False
    return {"topics": sorted(topics), "patterns": sorted(patterns), "subscription_known": known}


def _start_offsets(gathered: Gathered) -> pa.RecordBatch:
    rows = [
        {"group": name, **where._asdict(), "start_offset": at.offset, "lag": at.lag}
        for name, found in sorted(gathered.groups.items())
        for where, at in sorted((found.start_offsets or {}).items())
    ]
    return pa.RecordBatch.from_pylist(rows, schema=_start_offset_schema())


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
    session: Session, existing: c.Container[str], included: c.Callable[[str], bool], warnings: list[str]
) -> pa.Table:
    """Return the settings of groups that do not exist; none before Kafka 4.1, where brokers do not list them."""
    configured = await _read_configs.configured_groups(session)
    if isinstance(configured, KafkaError):
        if configured.name != "UNSUPPORTED_VERSION":
            warnings.append(f"settings of groups that do not exist are unknown, and not reported: {configured.name}")
        configured = frozenset()
    absent = [name for name in sorted(configured) if name not in existing and included(name)]
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


def of_batches(batches: list[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """Return a table that Spark can take, also without batches."""
    # Spark does not take a column of lists without chunks
    return pa.Table.from_batches(batches or [pa.RecordBatch.from_pylist([], schema=schema)], schema)


def _group_schema() -> pa.Schema:
    names = pa.list_(pa.string())
    columns: dict[str, pa.DataType] = {
        "group": pa.string(),
        "type": pa.string(),
        "state": pa.string(),
        "protocol_type": pa.string(),
        "members": pa.int32(),
        "included": pa.bool_(),
        "topics": names,
        "patterns": names,
        "subscription_known": pa.bool_(),
    }
    return pa.schema(columns)


def _start_offset_schema() -> pa.Schema:
    columns: dict[str, pa.DataType] = {
        "group": pa.string(),
        "topic": pa.string(),
        "partition": pa.int32(),
        "start_offset": pa.int64(),
        "lag": pa.int64(),
    }
    return pa.schema(columns)


def _committed_schema() -> pa.Schema:
    offset = pa.struct([("topic", pa.string()), ("partition", pa.int32()), ("live_offset", pa.int64())])
    columns: dict[str, pa.DataType] = {"group": pa.string(), "offsets": pa.list_(offset)}
    return pa.schema(columns)
