# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""ListConfigResources: what has settings of its own (KIP-1142, Kafka 4.1)."""

from __future__ import annotations

import typing as t

from .. import library
from ..errors import from_code
from .handler import Broker, Done, Failed, Handler, Outcome

# below, a broker lists the resources of client metrics alone
_TYPES_VERSION = 1


class ListConfigResources(Handler[int, frozenset[str]]):
    """Lists the names of all resources of a type that have settings; it needs DESCRIBE_CONFIGS on the cluster."""

    broker = Broker.ANY

    def request(self, keys: list[int]) -> t.Any:
        return library.ListConfigResourcesRequest(resource_types=keys, min_version=_TYPES_VERSION)

    def outcomes(self, keys: list[int], response: t.Any) -> dict[int, Outcome[frozenset[str]]]:
        problem = from_code(response.error_code)
        if problem is not None:
            return dict.fromkeys(keys, Failed(problem))
        return {
            key: Done(frozenset(one.resource_name for one in response.config_resources if one.resource_type == key))
            for key in keys
        }
