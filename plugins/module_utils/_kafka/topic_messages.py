# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The RPC messages about topics and brokers, from kafka-python's protocol layer."""

from __future__ import annotations

# before the first import of kafka-python
from . import deferred  # noqa: F401 # pylint: disable=unused-import

try:
    from kafka.protocol.admin.configs import DescribeConfigsRequest
    from kafka.protocol.admin.topics import DeleteTopicsRequest
    from kafka.protocol.consumer.offsets import ListOffsetsRequest
except ImportError:
    # reported by _ansible.py, with the traceback that messages.py keeps
    DeleteTopicsRequest = DescribeConfigsRequest = ListOffsetsRequest = None

__all__ = ["DeleteTopicsRequest", "DescribeConfigsRequest", "ListOffsetsRequest"]
