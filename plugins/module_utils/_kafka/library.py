# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All imports from kafka-python: imported only here, so that a missing library is one error message."""

from __future__ import annotations

import traceback

# patches.py replaces parts of it, and is tried with these versions
REQUIREMENT = "kafka-python>=3.0.12,<3.1"
KAFKA_IMPORT_ERROR: str | None = None
try:
    from kafka import errors as kafka_errors
    from kafka.future import Future
    from kafka.net import connection as kafka_connection
    from kafka.net import manager as kafka_manager
    from kafka.net.connection import KafkaConnection
    from kafka.net.manager import KafkaConnectionManager
    from kafka.net.sasl.oauth import AbstractTokenProvider
    from kafka.net.selector import NetworkSelector
    from kafka.protocol import parser as kafka_parser
    from kafka.protocol.admin.cluster import DescribeLogDirsRequest
    from kafka.protocol.admin.configs import (
        DescribeConfigsRequest,
        IncrementalAlterConfigsRequest,
        ListConfigResourcesRequest,
    )
    from kafka.protocol.admin.groups import DeleteGroupsRequest, DescribeGroupsRequest, ListGroupsRequest
    from kafka.protocol.admin.topics import DeleteTopicsRequest
    from kafka.protocol.admin.transactions import DescribeProducersRequest, ListTransactionsRequest
    from kafka.protocol.api_message import ApiMessage, ApiMessageData
    from kafka.protocol.consumer.group import (
        LeaveGroupRequest,
        OffsetCommitRequest,
        OffsetDeleteRequest,
        OffsetFetchRequest,
    )
    from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment, ConsumerProtocolSubscription
    from kafka.protocol.consumer.offsets import ListOffsetsRequest
    from kafka.protocol.metadata import FindCoordinatorRequest, MetadataRequest
    from kafka.protocol.parser import KafkaProtocol
    from kafka.protocol.sasl import SaslHandshakeResponse
except ImportError:
    # _ansible.py reports it; until then, classes are derived from some of these
    KAFKA_IMPORT_ERROR = traceback.format_exc()
    AbstractTokenProvider = KafkaConnection = KafkaProtocol = NetworkSelector = object
    ApiMessage = ApiMessageData = ConsumerProtocolAssignment = ConsumerProtocolSubscription = None
    DeleteGroupsRequest = DeleteTopicsRequest = DescribeConfigsRequest = DescribeGroupsRequest = None
    DescribeLogDirsRequest = DescribeProducersRequest = ListTransactionsRequest = None
    FindCoordinatorRequest = Future = IncrementalAlterConfigsRequest = None
    KafkaConnectionManager = LeaveGroupRequest = ListConfigResourcesRequest = None
    ListGroupsRequest = ListOffsetsRequest = MetadataRequest = OffsetCommitRequest = None
    OffsetDeleteRequest = OffsetFetchRequest = SaslHandshakeResponse = kafka_connection = None
    kafka_errors = kafka_manager = kafka_parser = None

__all__ = [
    "KAFKA_IMPORT_ERROR",
    "REQUIREMENT",
    "AbstractTokenProvider",
    "ApiMessage",
    "ApiMessageData",
    "ConsumerProtocolAssignment",
    "ConsumerProtocolSubscription",
    "DeleteGroupsRequest",
    "DeleteTopicsRequest",
    "DescribeConfigsRequest",
    "DescribeGroupsRequest",
    "DescribeLogDirsRequest",
    "DescribeProducersRequest",
    "FindCoordinatorRequest",
    "Future",
    "IncrementalAlterConfigsRequest",
    "KafkaConnection",
    "KafkaConnectionManager",
    "KafkaProtocol",
    "LeaveGroupRequest",
    "ListConfigResourcesRequest",
    "ListGroupsRequest",
    "ListOffsetsRequest",
    "ListTransactionsRequest",
    "MetadataRequest",
    "NetworkSelector",
    "OffsetCommitRequest",
    "OffsetDeleteRequest",
    "OffsetFetchRequest",
    "SaslHandshakeResponse",
    "kafka_connection",
    "kafka_errors",
    "kafka_manager",
    "kafka_parser",
]
