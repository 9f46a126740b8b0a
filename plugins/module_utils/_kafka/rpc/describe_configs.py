# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""DescribeConfigs: the configuration of a broker, of a topic, and of groups."""

from __future__ import annotations

import typing as t

from .. import library
from ..errors import KafkaError, from_code
from ..model import Setting
from .handler import Broker, Done, Failed, Handler, Outcome, requested, unique

# Kafka's ConfigResource.Type
_TOPIC = 2
_BROKER = 4
GROUP = 32
# Kafka's DescribeConfigsResponse.ConfigSource of a setting that the group overrides
_GROUP_CONFIG = 8
# Kafka 4.0 and newer know the resource type GROUP; they all answer this version
_WITH_SOURCES = 1


def broker_config_request(node: int, names: list[str]) -> t.Any:
    """Return the request for these settings of a broker, which only that broker can answer."""
    return _request(_BROKER, str(node), names)


def topic_config_request(topic: str, names: list[str]) -> t.Any:
    """Return the request for these settings of a topic, which every broker can answer."""
    return _request(_TOPIC, topic, names)


def _request(kind: int, name: str, settings: list[str]) -> t.Any:
    resource = library.DescribeConfigsRequest.DescribeConfigsResource
    return library.DescribeConfigsRequest(
        resources=[resource(resource_type=kind, resource_name=name, configuration_keys=settings)],
        include_synonyms=False,
        include_documentation=False,
    )


def read_config(response: t.Any) -> dict[str, str | None] | KafkaError:
    """Return the settings of the one resource of an answer, or why they cannot be read."""
    (result,) = response.results
    problem = from_code(result.error_code, result.error_message)
    return problem or {config.name: config.value for config in result.configs}


class DescribeGroupConfigs(Handler[str, dict[str, Setting]]):
    """Reads all settings of groups that the brokers know, by name, with their defaults; the group need not exist."""

    broker = Broker.ANY

    def batch_for(self, version: int) -> int:
        return 1000

    def request(self, keys: list[str]) -> t.Any:
        resource = library.DescribeConfigsRequest.DescribeConfigsResource
        return library.DescribeConfigsRequest(
            resources=[resource(resource_type=GROUP, resource_name=group, configuration_keys=None) for group in keys],
            include_synonyms=False,
            include_documentation=False,
            min_version=_WITH_SOURCES,
        )

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[dict[str, Setting]]]:
        return requested(keys, unique((answer.resource_name, _settings(answer)) for answer in response.results))


def _settings(answer: t.Any) -> Outcome[dict[str, Setting]]:
    problem = from_code(answer.error_code, answer.error_message)
    if problem is not None:
        return Failed(problem)
    return Done({one.name: Setting(one.value or "", one.config_source == _GROUP_CONFIG) for one in answer.configs})
