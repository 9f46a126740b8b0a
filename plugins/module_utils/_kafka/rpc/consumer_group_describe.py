# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""ConsumerGroupDescribe: groups of the KIP-848 protocol."""

from __future__ import annotations

import typing as t

from .. import typed_messages
from ..model import Group
from .describe_handler import TypedDescribe
from .handler import Done, Outcome

# the first that a broker of 4.0 knows, which is the first that removes members (KIP-571 for KIP-848 groups)
_REMOVING_VERSION = 1


class ConsumerGroupDescribe(TypedDescribe):
    """Describes KIP-848 groups."""

    type = "consumer"

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[Group | None]]:
        removable = response.version >= _REMOVING_VERSION
        return {
            name: Done(outcome.value._replace(removable=removable))
            if isinstance(outcome, Done) and outcome.value
            else outcome
            for name, outcome in super().outcomes(keys, response).items()
        }

    def request(self, keys: list[str]) -> t.Any:
        return typed_messages.ConsumerGroupDescribeRequest(group_ids=keys, include_authorized_operations=True)
