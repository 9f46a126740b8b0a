# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The RPC messages, from kafka-python's protocol layer.

Those about topics are in topic_messages.py, since most tasks need none; those that it lacks in typed_messages.py.
"""

from __future__ import annotations

import traceback
import typing as t

# before the first import of kafka-python
from . import deferred  # noqa: F401 # pylint: disable=unused-import

KAFKA_IMPORT_ERROR: str | None = None
try:
    from kafka.protocol.admin.groups import DeleteGroupsRequest, DescribeGroupsRequest, ListGroupsRequest
    from kafka.protocol.consumer.group import (
        LeaveGroupRequest,
        OffsetCommitRequest,
        OffsetDeleteRequest,
        OffsetFetchRequest,
    )
    from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment, ConsumerProtocolSubscription
    from kafka.protocol.metadata import FindCoordinatorRequest, MetadataRequest
except ImportError:
    KAFKA_IMPORT_ERROR = traceback.format_exc()

__all__ = [
    "KAFKA_IMPORT_ERROR",
    "ConsumerProtocolAssignment",
    "ConsumerProtocolSubscription",
    "DeleteGroupsRequest",
    "DescribeGroupsRequest",
    "FindCoordinatorRequest",
    "LeaveGroupRequest",
    "ListGroupsRequest",
    "MetadataRequest",
    "OffsetCommitRequest",
    "OffsetDeleteRequest",
    "OffsetFetchRequest",
    "request_name",
]


def request_name(request: t.Any) -> str:
    """Return the RPC's name as Kafka's protocol guide spells it, without C(Request)."""
    return str(request.name).removesuffix("Request")
