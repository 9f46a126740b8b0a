# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""ConsumerGroupDescribe: groups of the KIP-848 protocol."""

from __future__ import annotations

import typing as t

from .. import _typed_messages as messages
from ._describe import TypedDescribe


class ConsumerGroupDescribe(TypedDescribe):
    """Describes KIP-848 groups."""

    type = "consumer"

    def request(self, groups: list[str]) -> t.Any:
        return messages.ConsumerGroupDescribeRequest(group_ids=groups, include_authorized_operations=True)
