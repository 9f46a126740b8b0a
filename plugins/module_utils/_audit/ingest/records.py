# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the scan of ``__consumer_offsets`` gives: the kinds of its rows, and their one Arrow schema."""

from __future__ import annotations

import typing as t

from ..libraries import pa

TOPIC = "__consumer_offsets"

# the record types of the broker's CoordinatorRecordType, by the number that starts each key
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
# a record that cannot be decoded; its `problem` says why
UNDECODABLE = "undecodable"
# what one group did on one day: commits, tombstones, completed rebalances (KIP-496)
ACTIVITY = "activity"
# how one partition was read
PARTITION = "partition"


def schema() -> pa.Schema:
    """Return the schema of every row that the scan gives; what a kind does not have is null."""
    fields: list[pa.Field[t.Any]] = [
        pa.field("kind", pa.string(), nullable=False),
        # where the record stands in __consumer_offsets; of PARTITION, where reading ended
        pa.field("source_partition", pa.int32(), nullable=False),
        pa.field("source_offset", pa.int64()),
        pa.field("timestamp", pa.int64()),
        # from the key
        pa.field("group", pa.string()),
        pa.field("topic", pa.string()),
        pa.field("partition", pa.int32()),
        pa.field("tombstone", pa.bool_()),
        # of a committed offset; times in ms since the epoch, topic_id as Kafka spells a Uuid
        pa.field("offset", pa.int64()),
        pa.field("leader_epoch", pa.int32()),
        pa.field("metadata", pa.string()),
        pa.field("commit_time", pa.int64()),
        pa.field("expire_time", pa.int64()),
        pa.field("topic_id", pa.string()),
        # of a classic group: since when it is in its state, and how many members it has
        pa.field("state_time", pa.int64()),
        pa.field("members", pa.int32()),
        # of ACTIVITY; day counts from the epoch, in UTC, and timestamp is that of the day's last commit
        pa.field("day", pa.int32()),
        pa.field("commits", pa.int64()),
        pa.field("tombstones", pa.int64()),
        pa.field("rebalances", pa.int64()),
        # of PARTITION: how many were read
        pa.field("records", pa.int64()),
        # of UNDECODABLE, and of a PARTITION that could not be read to its end
        pa.field("problem", pa.string()),
    ]
    return pa.schema(fields)
