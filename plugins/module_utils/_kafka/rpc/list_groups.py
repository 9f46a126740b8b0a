# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""ListGroups: the groups that one broker coordinates, by state (KIP-518) and by type (KIP-848)."""

from __future__ import annotations

import typing as t

from ..._kafka import library
from ..model import Listing

STATES_VERSION = 4
TYPES_VERSION = 5


def list_groups_request(states: list[str], types: list[str]) -> t.Any:
    """Return the request; a filter that is not empty asks for a version that knows it."""
    needed = TYPES_VERSION if types else STATES_VERSION if states else 0
    return library.ListGroupsRequest(
        min_version=needed,
        **({"states_filter": states} if states else {}),
        **({"types_filter": types} if types else {}),
    )


def read_listings(response: t.Any, node: int) -> list[Listing]:
    """Return the groups of an answer; state below v4, and type below v5, are None."""
    version = response.version
    return [
        Listing(
            name=group.group_id,
            type=group.group_type.lower() if version >= TYPES_VERSION else None,
            protocol_type=group.protocol_type,
            state=group.group_state if version >= STATES_VERSION else None,
            coordinator=node,
        )
        for group in response.groups
    ]
