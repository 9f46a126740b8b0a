# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows of the scan of ``__consumer_offsets``: their kinds and their Arrow schema."""

from __future__ import annotations

import typing as t

from ..libraries import pa

TOPIC = "__consumer_offsets"

# CoordinatorRecordType of the broker, by the number at the start of each key
KINDS = {
    0: "offset_commit",
    1: "offset_commit",
    2: "group_metadata",
    3: "consumer_group_metadata",
    4: "consumer_group_partition_metadata",
    5: "consumer_group_member_metadata",
    6: "consumer_group_target_assignment_metadata",
    7: "consumer_group_target_assignment_member",
    8: "consumer_group_current_member_assignment",
    9: "share_group_partition_metadata",
    10: "share_group_member_metadata",
    11: "share_group_metadata",
    12: "share_group_target_assignment_metadata",
    13: "share_group_target_assignment_member",
    14: "share_group_current_member_assignment",
    15: "share_group_state_partition_metadata",
    16: "consumer_group_regular_expression",
    17: "streams_group_metadata",
    18: "streams_group_partition_metadata",
    19: "streams_group_member_metadata",
    20: "streams_group_target_assignment_metadata",
    21: "streams_group_target_assignment_member",
    22: "streams_group_current_member_assignment",
    23: "streams_group_topology",
    24: "streams_group_target_assignment_resolved_topic_ids",
}

OFFSET_COMMIT = "offset_commit"
# a record that cannot be decoded, with the reason in `problem`
UNDECODABLE = "undecodable"
# the activity of one group on one day: commits, tombstones, completed rebalances (KIP-496)
ACTIVITY = "activity"
# only of a partial or keyed scan: the first and last generation of a group in consecutive records of a partition
GENERATIONS = "generations"
# the read status of one partition, or of a part of it
PARTITION = "partition"


def schema() -> pa.Schema:
    """Return the schema of all rows of the scan; fields that a kind does not use are null."""
    fields: list[pa.Field[t.Any]] = [
        pa.field("kind", pa.string(), nullable=False),
        # position of the record in __consumer_offsets; for PARTITION, where the read ended; for GENERATIONS, the first
        # of the records
        pa.field("source_partition", pa.int32(), nullable=False),
        pa.field("source_offset", pa.int64()),
        pa.field("timestamp", pa.int64()),
        # from the key
        pa.field("group", pa.string()),
        pa.field("topic", pa.string()),
        pa.field("partition", pa.int32()),
        pa.field("tombstone", pa.bool_()),
        # for committed offsets; times in ms since the epoch, topic_id in the format of Kafka's Uuid
        pa.field("offset", pa.int64()),
        pa.field("leader_epoch", pa.int32()),
        pa.field("metadata", pa.string()),
        pa.field("commit_time", pa.int64()),
        pa.field("expire_time", pa.int64()),
        pa.field("topic_id", pa.string()),
        # for classic groups: the time of the last state change, and the number of members
        pa.field("state_time", pa.int64()),
        pa.field("members", pa.int32()),
        # for ACTIVITY; days since the epoch in UTC, timestamp is the last commit of the day
        pa.field("day", pa.int32()),
        pa.field("commits", pa.int64()),
        pa.field("tombstones", pa.int64()),
        pa.field("rebalances", pa.int64()),
        # for PARTITION: number of records read
        pa.field("records", pa.int64()),
        # for UNDECODABLE, and for a PARTITION that was not read completely
        pa.field("problem", pa.string()),
        # for PARTITION: whether `merge` must combine the rows of the partition
        pa.field("partial", pa.bool_()),
        # only of a partial or keyed scan: the bytes of the key, or of its record type and group for GENERATIONS
        pa.field("key", pa.binary()),
        # for GENERATIONS: null if the first record did not count as a rebalance, or if the last one was a tombstone;
        # day is the day of the first record
        pa.field("first_generation", pa.int32()),
        pa.field("last_generation", pa.int32()),
    ]
    return pa.schema(fields)
