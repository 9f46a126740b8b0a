# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""DescribeConfigs: the configuration of a broker."""

from __future__ import annotations

import typing as t

from .. import library
from ..errors import KafkaError, from_code

# Kafka's ConfigResource.Type
_BROKER = 4


def broker_config_request(node: int, names: list[str]) -> t.Any:
    """Return the request for these settings of a broker, which only that broker can answer."""
    resource = library.DescribeConfigsRequest.DescribeConfigsResource
    return library.DescribeConfigsRequest(
        resources=[resource(resource_type=_BROKER, resource_name=str(node), configuration_keys=names)],
        include_synonyms=False,
        include_documentation=False,
    )


def read_config(response: t.Any) -> dict[str, str | None] | KafkaError:
    """Return the settings of the one resource of an answer, or why they cannot be told."""
    (result,) = response.results
    problem = from_code(result.error_code, result.error_message)
    return problem or {config.name: config.value for config in result.configs}
