# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""DeleteGroups (KIP-229): many groups a request."""

from __future__ import annotations

import typing as t

from ..._kafka import library
from .handler import Done, Handler, Outcome, coordinator_outcome, unique

DELETE_BATCH = 1000


class DeleteGroups(Handler[str, bool]):
    """Deletes groups; the value of a deleted group is True."""

    def batch_for(self, version: int) -> int:
        return DELETE_BATCH

    def request(self, keys: list[str]) -> t.Any:
        return library.DeleteGroupsRequest(groups_names=keys)

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[bool]]:
        deleted = Done(True)
        return unique(
            (result.group_id, coordinator_outcome(result.error_code) or deleted) for result in response.results
        )
