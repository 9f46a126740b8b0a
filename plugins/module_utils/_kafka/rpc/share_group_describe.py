# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""ShareGroupDescribe: share groups (KIP-932)."""

from __future__ import annotations

import typing as t

from .. import typed_messages
from .describe_handler import TypedDescribe


class ShareGroupDescribe(TypedDescribe):
    """Describes share groups."""

    type = "share"

    def request(self, keys: list[str]) -> t.Any:
        return typed_messages.ShareGroupDescribeRequest(group_ids=keys, include_authorized_operations=True)
