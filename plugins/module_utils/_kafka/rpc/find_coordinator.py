# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""FindCoordinator: many groups a request since v4 (KIP-699), one below."""

from __future__ import annotations

import typing as t

from ..._kafka import library

BATCHED_VERSION = 4
LOOKUP_BATCH = 2500
_KEY_TYPE_GROUP = 0


def find_coordinator_request(groups: list[str], batched: bool) -> t.Any:
    """Return the request for these groups; exactly one of them unless `batched`."""
    if batched:
        return library.FindCoordinatorRequest(
            key_type=_KEY_TYPE_GROUP, coordinator_keys=groups, min_version=BATCHED_VERSION
        )
    return library.FindCoordinatorRequest(key=groups[0], key_type=_KEY_TYPE_GROUP, max_version=BATCHED_VERSION - 1)


def read_coordinators(groups: list[str], response: t.Any, batched: bool) -> list[tuple[str, int, str | None, int]]:
    """Return (group, error code, error message, node id) for each of these groups that the response includes."""
    if not batched:
        return [(groups[0], response.error_code, response.error_message, response.node_id)]
    asked = frozenset(groups)
    return [
        (found.key, found.error_code, found.error_message, found.node_id)
        for found in response.coordinators
        if found.key in asked
    ]
