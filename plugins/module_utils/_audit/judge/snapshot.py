# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A snapshot of the cluster by administrative requests: groups, their committed offsets, and the logs of these."""

from __future__ import annotations

import collections.abc as c
import hashlib
import json
import typing as t

from ..._kafka.errors import KafkaError
from ..._kafka.model import Offsets, TopicPartition
from ..._kafka.session import Session
from ..._operations._read_groups import committed_now
from ..libraries import pa, pc
from . import live_state
from .live_state import Live


class Taken(t.NamedTuple):
    """A snapshot, as Arrow tables; unknown values are null.

    Attributes:
        live: the groups and the other parts of `live_state.read`.
        groups: C(group), C(type), C(state), C(protocol_type), C(members), C(known): whether the group was described
            and its offsets were fetched; and C(partition_set): a digest of the names of its committed partitions.
        offsets: C(group), C(topic), C(partition), C(offset), C(leader_epoch), C(metadata).
        partitions: the result of `live_state.partitions`.
    """

    live: Live
    groups: pa.Table
    offsets: pa.Table
    partitions: pa.Table


async def take(session: Session, included: c.Callable[[str], bool]) -> Taken:
    """Take a snapshot of all groups.

    Empty groups are described before and after their offsets are fetched, so that a member that joins meanwhile is
    seen.

    Args:
        included: whether the audit classifies a group.

    Raises:
        CallError, TaskError: the brokers do not respond.
    """
    live = await live_state.read(session, included)
    names = live.groups.filter(pc.not_equal(live.groups["type"], pa.scalar("share")))["group"].to_pylist()
    offsets, sets = await _committed(session, t.cast("list[str]", names), live.warnings)
    live = await live_state.recheck_empty(session, live)
    where = offsets.group_by(["topic", "partition"]).aggregate([]).to_pylist()
    partitions = await live_state.partitions(session, [TopicPartition(**row) for row in where])
    return Taken(live, _groups(live.groups, sets), offsets, partitions)


async def _committed(session: Session, names: list[str], warnings: list[str]) -> tuple[pa.Table, dict[str, str]]:
    """Return all committed offsets, and the C(partition_set) of each group whose offsets can be fetched."""
    batches, sets, failed = [], {}, {}
    with session.driver.in_chunks():
        for chunk in live_state.chunks(names):
            rows = []
            for name, found in (await committed_now(session, chunk)).items():
                if isinstance(found, KafkaError):
                    failed[name] = found
                    continue
                sets[name] = _digest(found)
                rows += [{"group": name, **where._asdict(), **at._asdict()} for where, at in found.items()]
            batches.append(pa.RecordBatch.from_pylist(rows, schema=_offset_schema()))
    if failed:
        why = next(iter(failed.values()))
        warnings.append(
            f"the committed offsets of {live_state.first_of(list(failed))} cannot be fetched, so this snapshot is no "
            f"evidence for them: {why.name}: {why.message}"
        )
    return live_state.of_batches(batches, _offset_schema()), sets


def _digest(offsets: Offsets) -> str:
    """Return the same text for the same topics and partitions, in any order and in any snapshot."""
    return hashlib.blake2b(json.dumps(sorted(offsets)).encode(), digest_size=8).hexdigest()


def _groups(groups: pa.Table, sets: dict[str, str]) -> pa.Table:
    """Return the table C(groups) of a snapshot."""
    batches = []
    for batch in groups.select(["group", "type", "state", "protocol_type", "members"]).to_batches(
        max_chunksize=live_state.CHUNK
    ):
        rows = batch.to_pylist()
        for row in rows:
            found = sets.get(row["group"])
            row["known"] = row["state"] is not None and (found is not None or row["type"] == "share")
            row["partition_set"] = found
        batches.append(pa.RecordBatch.from_pylist(rows, schema=_group_schema()))
    return live_state.of_batches(batches, _group_schema())


def _group_schema() -> pa.Schema:
    columns: dict[str, pa.DataType] = {
        "group": pa.string(),
        "type": pa.string(),
        "state": pa.string(),
        "protocol_type": pa.string(),
        "members": pa.int32(),
        "known": pa.bool_(),
        "partition_set": pa.string(),
    }
    return pa.schema(columns)


def _offset_schema() -> pa.Schema:
    columns: dict[str, pa.DataType] = {
        "group": pa.string(),
        "topic": pa.string(),
        "partition": pa.int32(),
        "offset": pa.int64(),
        "leader_epoch": pa.int32(),
        "metadata": pa.string(),
    }
    return pa.schema(columns)
