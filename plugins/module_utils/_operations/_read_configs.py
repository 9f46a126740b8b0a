# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read the settings of groups, which tasks that delete groups do, too."""

from __future__ import annotations

from .._kafka.errors import KafkaError, error
from .._kafka.model import Setting
from .._kafka.rpc.describe_configs import GROUP, DescribeGroupConfigs
from .._kafka.rpc.list_config_resources import ListConfigResources
from .._kafka.session import Session

Settings = dict[str, Setting]
Seen = dict[str, Settings | KafkaError]  # pylint: disable=unsupported-binary-operation


async def read(session: Session, names: list[str]) -> Seen:
    """Read all settings of groups, with the defaults of the brokers."""
    found = await session.driver.read(DescribeGroupConfigs(), names)
    return {name: explained(name, one) if isinstance(one, KafkaError) else one for name, one in found.items()}


async def configured_groups(session: Session) -> frozenset[str] | KafkaError:
    """Return all groups that override settings, whether they exist or not, or why they cannot be listed (KIP-1142)."""
    return (await session.driver.read(ListConfigResources(), [GROUP]))[GROUP]


async def overridden(session: Session, names: list[str]) -> Seen:
    """Return the settings that groups override, without groups that override none."""
    found = await read(session, names)
    kept = {name: one if isinstance(one, KafkaError) else overridden_settings(one) for name, one in found.items()}
    return {name: one for name, one in kept.items() if one}


def overridden_settings(found: Settings) -> Settings:
    """Return the settings of a group that it overrides."""
    return {key: setting for key, setting in sorted(found.items()) if setting.overridden}


def explained(name: str, problem: KafkaError) -> KafkaError:
    """Return the error of a group whose settings cannot be read, with what to do."""
    if problem.name == "GROUP_AUTHORIZATION_FAILED":
        return error(problem.name, f"reading settings needs DESCRIBE_CONFIGS on group '{name}'")
    if problem.name in ("INVALID_REQUEST", "UNSUPPORTED_VERSION"):
        return error(problem.name, f"settings of groups need Kafka 4.0 or newer ({problem.message})")
    return problem
