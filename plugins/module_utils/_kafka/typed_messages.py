# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The messages of the newer types of groups, which kafka-python lacks (the schemas of Kafka 4.3.1).

Most tasks need none of them: they are loaded when a group is not classic.
"""

from __future__ import annotations

import typing as t

from .library import ApiMessageData
from .patches import declare

Schema = dict[str, t.Any]


def _field(name: str, kind: str, fields: list[Schema] | None = None, *, versions: str = "0+", **more: t.Any) -> Schema:
    return {"name": name, "type": kind, "versions": versions, **({"fields": fields} if fields else {}), **more}


def _nullable(name: str, kind: str, fields: list[Schema] | None = None) -> Schema:
    return _field(name, kind, fields, nullableVersions="0+", default="null")


_TOPIC_PARTITIONS = [
    _field("TopicId", "uuid"),
    _field("TopicName", "string"),
    _field("Partitions", "[]int32"),
]
_ASSIGNMENT = [_field("TopicPartitions", "[]TopicPartitions", _TOPIC_PARTITIONS)]
_KEY_VALUE = [_field("Key", "string"), _field("Value", "string")]
_TASK_IDS = [_field("SubtopologyId", "string"), _field("Partitions", "[]int32")]
_TASKS = [_field(name, "[]TaskIds", _TASK_IDS) for name in ("ActiveTasks", "StandbyTasks", "WarmupTasks")]
_TASK_OFFSET = [_field("SubtopologyId", "string"), _field("Partition", "int32"), _field("Offset", "int64")]
_TOPIC_INFO = [
    _field("Name", "string"),
    _field("Partitions", "int32"),
    _field("ReplicationFactor", "int16"),
    _field("TopicConfigs", "[]KeyValue", _KEY_VALUE),
]
_SUBTOPOLOGY = [
    _field("SubtopologyId", "string"),
    _field("SourceTopics", "[]string"),
    _field("RepartitionSinkTopics", "[]string"),
    _field("StateChangelogTopics", "[]TopicInfo", _TOPIC_INFO),
    _field("RepartitionSourceTopics", "[]TopicInfo", _TOPIC_INFO),
]
_CLIENT = [_field("ClientId", "string"), _field("ClientHost", "string")]

_CONSUMER_MEMBER = [
    _field("MemberId", "string"),
    _nullable("InstanceId", "string"),
    _nullable("RackId", "string"),
    _field("MemberEpoch", "int32"),
    *_CLIENT,
    _field("SubscribedTopicNames", "[]string"),
    _nullable("SubscribedTopicRegex", "string"),
    _field("Assignment", "Assignment", _ASSIGNMENT),
    _field("TargetAssignment", "Assignment", _ASSIGNMENT),
    _field("MemberType", "int8", versions="1+", default="-1", ignorable=True),
]
_SHARE_MEMBER = [
    _field("MemberId", "string"),
    _nullable("RackId", "string"),
    _field("MemberEpoch", "int32"),
    *_CLIENT,
    _field("SubscribedTopicNames", "[]string"),
    _field("Assignment", "Assignment", _ASSIGNMENT),
]
_STREAMS_MEMBER = [
    _field("MemberId", "string"),
    _field("MemberEpoch", "int32"),
    _nullable("InstanceId", "string"),
    _nullable("RackId", "string"),
    *_CLIENT,
    _field("TopologyEpoch", "int32"),
    _field("ProcessId", "string"),
    _nullable("UserEndpoint", "Endpoint", [_field("Host", "string"), _field("Port", "uint16")]),
    _field("ClientTags", "[]KeyValue", _KEY_VALUE),
    _field("TaskOffsets", "[]TaskOffset", _TASK_OFFSET),
    _field("TaskEndOffsets", "[]TaskOffset", _TASK_OFFSET),
    _field("Assignment", "StreamsAssignment", _TASKS),
    _field("TargetAssignment", "StreamsAssignment", _TASKS),
    _field("IsClassic", "bool"),
]
_TOPOLOGY = [_field("Epoch", "int32"), _nullable("Subtopologies", "[]Subtopology", _SUBTOPOLOGY)]


def _described_group(member: list[Schema], detail: Schema) -> list[Schema]:
    group = [
        _field("ErrorCode", "int16"),
        _nullable("ErrorMessage", "string"),
        _field("GroupId", "string"),
        _field("GroupState", "string"),
        _field("GroupEpoch", "int32"),
        _field("AssignmentEpoch", "int32"),
        detail,
        _field("Members", "[]Member", member),
        _field("AuthorizedOperations", "bitfield", default="-2147483648"),
    ]
    return [_field("Groups", "[]DescribedGroup", group)]


_ERROR = [_field("ErrorCode", "int16"), _nullable("ErrorMessage", "string")]
_TOPIC = [_field("TopicName", "string"), _field("TopicId", "uuid")]
_PARTITION = _field("PartitionIndex", "int32")
_START = _field("StartOffset", "int64")
_SHARE_TOPICS_ASKED = [_field("TopicName", "string"), _field("Partitions", "[]int32")]
_SHARE_GROUPS_ASKED = [_field("GroupId", "string"), _nullable("Topics", "[]Topic", _SHARE_TOPICS_ASKED)]
_SHARE_OFFSET = [
    _PARTITION,
    _START,
    _field("LeaderEpoch", "int32"),
    _field("Lag", "int64", versions="1+", default="-1", ignorable=True),
    *_ERROR,
]
_SHARE_OFFSETS = [_field("Partitions", "[]Partition", _SHARE_OFFSET)]
_SHARE_GROUP = [_field("GroupId", "string"), _field("Topics", "[]Topic", [*_TOPIC, *_SHARE_OFFSETS]), *_ERROR]
_ALTERED = [_field("Partitions", "[]Partition", [_PARTITION, *_ERROR])]
_TO_ALTER = [_field("TopicName", "string"), _field("Partitions", "[]Partition", [_PARTITION, _START])]


def _declare(name: str, key: int, versions: str, request: list[Schema], response: list[Schema]) -> tuple[t.Any, t.Any]:
    common = {"apiKey": key, "validVersions": versions, "flexibleVersions": "0+"}
    response = [_field("ThrottleTimeMs", "int32"), *response]
    return (
        declare("DescribeGroupsRequest", {**common, "type": "request", "name": f"{name}Request", "fields": request}),
        declare(
            "DescribeGroupsResponse", {**common, "type": "response", "name": f"{name}Response", "fields": response}
        ),
    )


def _declare_describe(name: str, key: int, versions: str, response: list[Schema]) -> tuple[t.Any, t.Any]:
    request = [_field("GroupIds", "[]string"), _field("IncludeAuthorizedOperations", "bool")]
    return _declare(name, key, versions, request, response)


if ApiMessageData is not None:
    # the response classes must stay referenced: kafka-python's registry holds them weakly
    ConsumerGroupDescribeRequest, _consumer_response = _declare_describe(
        "ConsumerGroupDescribe", 69, "0-1", _described_group(_CONSUMER_MEMBER, _field("AssignorName", "string"))
    )
    ShareGroupDescribeRequest, _share_response = _declare_describe(
        "ShareGroupDescribe", 77, "1", _described_group(_SHARE_MEMBER, _field("AssignorName", "string"))
    )
    StreamsGroupDescribeRequest, _streams_response = _declare_describe(
        "StreamsGroupDescribe", 89, "0", _described_group(_STREAMS_MEMBER, _nullable("Topology", "Topology", _TOPOLOGY))
    )
    DescribeShareGroupOffsetsRequest, _share_offsets_response = _declare(
        "DescribeShareGroupOffsets",
        90,
        "0-1",
        [_field("Groups", "[]Group", _SHARE_GROUPS_ASKED)],
        [_field("Groups", "[]Group", _SHARE_GROUP)],
    )
    AlterShareGroupOffsetsRequest, _altered_response = _declare(
        "AlterShareGroupOffsets",
        91,
        "0",
        [_field("GroupId", "string"), _field("Topics", "[]Topic", _TO_ALTER)],
        [*_ERROR, _field("Responses", "[]Topic", [*_TOPIC, *_ALTERED])],
    )
    DeleteShareGroupOffsetsRequest, _deleted_response = _declare(
        "DeleteShareGroupOffsets",
        92,
        "0",
        [_field("GroupId", "string"), _field("Topics", "[]Topic", [_field("TopicName", "string")])],
        [*_ERROR, _field("Responses", "[]Topic", [*_TOPIC, *_ERROR])],
    )
