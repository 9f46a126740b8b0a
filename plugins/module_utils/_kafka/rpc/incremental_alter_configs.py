# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""IncrementalAlterConfigs: set and remove settings of groups."""

from __future__ import annotations

import typing as t

from .. import library
from ..errors import from_code
from .describe_configs import GROUP
from .handler import Broker, Done, Failed, Handler, Outcome, Retry, Unmap, requested, unique

# Kafka's ConfigResource.Type and AlterConfigOp.OpType
_SET = 0
_DELETE = 1


class AlterGroupConfigs(Handler[str, bool]):
    """Sets and removes settings of groups, all of a group or none; the value of a changed group is True.

    Args:
        changes: the new value of each setting, by group; None removes the setting.
    """

    broker = Broker.ANY

    def __init__(self, changes: dict[str, dict[str, str | None]]) -> None:
        self._changes = changes

    def batch_for(self, version: int) -> int:
        return 1000

    def request(self, keys: list[str]) -> t.Any:
        resource = library.IncrementalAlterConfigsRequest.AlterConfigsResource
        return library.IncrementalAlterConfigsRequest(
            resources=[
                resource(
                    resource_type=GROUP,
                    resource_name=group,
                    configs=[
                        resource.AlterableConfig(
                            name=name, config_operation=_DELETE if value is None else _SET, value=value
                        )
                        for name, value in self._changes[group].items()
                    ],
                )
                for group in keys
            ],
            validate_only=False,
        )

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[bool]]:
        return requested(keys, unique((answer.resource_name, _outcome(answer)) for answer in response.responses))


def _outcome(answer: t.Any) -> Outcome[bool]:
    problem = from_code(answer.error_code, answer.error_message)
    if problem is None:
        return Done(True)
    if problem.name == "NOT_CONTROLLER":
        return Unmap(problem)
    return Retry(problem) if problem.name == "THROTTLING_QUOTA_EXCEEDED" else Failed(problem)
