# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Generated input of an audit: rows of the scan, and the state of the cluster."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import records
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge import frames, live_state
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge.frames import LiveFrames
from pyspark.sql import DataFrame, SparkSession

Row = dict[str, Any]

NOW = datetime.datetime(2026, 6, 1, 12, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)
RETENTION = 7 * 86_400_000
_LIVE_OFFSET = ("group", "topic", "partition", "live_offset")


def ms(days_ago: float) -> int:
    """The time a number of days before NOW."""
    return int((NOW - days_ago * DAY).timestamp() * 1000)


def commit(group: str, days_ago: float, topic: str = "t", offset: int = 5, **more: Any) -> Row:
    time = ms(days_ago)
    record = {"kind": "offset_commit", "source_partition": 0, "source_offset": 1, "timestamp": time, "tombstone": False}
    key = {"group": group, "topic": topic, "partition": 0}
    return record | key | {"offset": offset, "leader_epoch": -1, "metadata": "", "commit_time": time} | more


def group_record(group: str, days_ago: float, kind: str = "group_metadata", members: int = 0, **more: Any) -> Row:
    time = ms(days_ago)
    record = {"kind": kind, "source_partition": 0, "source_offset": 2, "timestamp": time, "tombstone": False}
    return record | {"group": group, "state_time": time, "members": members} | more


def active(group: str, days_ago: float, commits: int = 1) -> Row:
    meters = {"commits": commits, "tombstones": 1, "rebalances": 0}
    day = {"day": ms(days_ago) // 86_400_000, "timestamp": ms(days_ago) if commits else None}
    return {"kind": "activity", "source_partition": 0, "group": group, **day, **meters}


def undecodable(**known: Any) -> Row:
    return {"kind": "undecodable", "source_partition": 0, "source_offset": 3, "problem": "it is too short", **known}


class World:
    """The content of the topic and the state of the cluster; by default, commits are live, of topic C(t), 0 to 10."""

    def __init__(self, rows: list[Row], live: Mapping[str, Row], **more: Any) -> None:
        self.rows = rows
        self.asked: list[str] = []
        listed = {"type": "classic", "state": "Empty", "protocol_type": "consumer", "members": 0, "included": True}
        self.groups = [{"group": name, **listed, **said} for name, said in live.items()]
        for row in self.groups:
            subscription = more.get("subscription", {})
            row |= {"topics": None, "patterns": None, "subscription_known": None, **subscription}
        self.patterns = [{"pattern": pattern, "topics": names} for pattern, names in more.get("patterns", {}).items()]
        self.refused = [row["group"] for row in self.groups if more.get("refused")]
        moved = more.get("live_offsets", {})
        self.offsets = [
            {
                "group": row["group"],
                "topic": row["topic"],
                "partition": row["partition"],
                "live_offset": moved.get(row["group"], row["offset"]),
            }
            for row in rows
            if row["kind"] == "offset_commit" and not row["tombstone"] and moved.get(row["group"], 0) is not None
        ]
        self.offsets += [{key: row[key] for key in _LIVE_OFFSET} for row in more.get("since", ())]
        self.start_offsets = more.get("start_offsets", [])
        topic = {"topic": "t", "partition": 0, "exists": True, "current_topic_id": "A", "log_start": 0, "log_end": 10}
        self.partitions = [{**topic, **each} for each in more.get("partitions", [{}])]
        self.orphaned_configs = [{"group": name, "configs": configs} for name, configs in more.get("orphans", ())]
        self.owners = [{"group": name, "owner": owner} for name, owner in more.get("owners", ())]

    def add(self, other: World, number: int | None = None) -> None:
        """Add another world; with a number, its groups and topics have names of their own."""
        for mine, others in zip(self._parts(), other._parts(), strict=True):
            mine += [{key: _renamed(key, value, number) for key, value in row.items()} for row in others]
        self.refused += [_renamed("group", group, number) for group in other.refused]

    def _parts(self) -> list[list[Row]]:
        return [
            self.rows,
            self.groups,
            self.offsets,
            self.start_offsets,
            self.partitions,
            self.orphaned_configs,
            self.patterns,
            self.owners,
        ]

    def fetch(self, names: list[str]) -> tuple[pa.Table, list[str]]:
        """The committed offsets of groups, as the audit fetches them."""
        self.asked = names
        rows = [
            {"group": name, "offsets": [row for row in self.offsets if row["group"] == name]}
            for name in names
            if name not in self.refused
        ]
        return pa.Table.from_pylist(rows, schema=live_state._committed_schema()), []

    def scan(self, spark: SparkSession) -> DataFrame:
        """The content of the topic, as rows of the scan."""
        return spark.createDataFrame(pa.Table.from_pylist(self.rows, schema=records.schema()))

    def frames(self, spark: SparkSession) -> LiveFrames:
        """The tables of the cluster state."""
        string, int32, int64, boolean = pa.string(), pa.int32(), pa.int64(), pa.bool_()
        partition: dict[str, pa.DataType] = {
            "topic": string,
            "partition": int32,
            "exists": boolean,
            "current_topic_id": string,
        }

        def frame(rows: list[Row], columns: Mapping[str, pa.DataType]) -> DataFrame:
            return spark.createDataFrame(pa.Table.from_pylist(rows, schema=pa.schema(list(columns.items()))))

        groups = spark.createDataFrame(pa.Table.from_pylist(self.groups, schema=live_state._group_schema()))
        patterns = frame(self.patterns, {"pattern": string, "topics": pa.list_(string)})
        return LiveFrames(
            groups=frames.with_matched_topics(groups, patterns),
            start_offsets=frame(
                self.start_offsets,
                {"group": string, "topic": string, "partition": int32, "start_offset": int64, "lag": int64},
            ),
            partitions=frame(self.partitions, {**partition, "log_start": int64, "log_end": int64}),
            orphaned_configs=frame(self.orphaned_configs, {"group": string, "configs": string}),
            owners=frame(self.owners, {"group": string, "owner": string}),
            small=frozenset(),
            retention=RETENTION,
        )


def _renamed(key: str, value: Any, number: int | None) -> Any:
    """A name, or the names in a list, with a number; other values as they are."""
    if number is None:
        return value
    if key in ("group", "topic", "pattern"):
        return f"{value}-{number}"
    if key in ("topics", "patterns") and value is not None:
        return [f"{name}-{number}" for name in value]
    return value
