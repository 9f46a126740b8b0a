# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The settings of groups that are deleted: brokers keep them, unless they are removed as well."""

from __future__ import annotations

import collections.abc as c
import typing as t

from .._kafka.errors import KafkaError
from .._kafka.model import Setting
from .._kafka.session import Session
from ._read_configs import Seen, configured_groups, overridden
from .results import DELETE_CONFIG, ConfigTarget, Item, counted

#: of a broker that has no settings of groups
_NO_SETTINGS = ("INVALID_REQUEST", "UNSUPPORTED_VERSION")


async def read(session: Session, names: list[str]) -> Seen:
    """Return the settings that groups override, of those that override any."""
    if not names:
        return {}
    listed = await configured_groups(session)
    # before Kafka 4.1, or without DESCRIBE_CONFIGS on the cluster, each group has to be asked about
    asked = names if isinstance(listed, KafkaError) else [name for name in names if name in listed]
    found = await overridden(session, asked)
    return {name: one for name, one in found.items() if not _has_no_settings(one)}


async def read_listed(session: Session, names: list[str]) -> Seen | None:
    """Return what `read` does; None where the groups that have settings cannot be listed."""
    if not names:
        return {}
    listed = await configured_groups(session)
    if isinstance(listed, KafkaError):
        return None
    return await overridden(session, [name for name in names if name in listed])


def _has_no_settings(found: t.Any) -> bool:
    return isinstance(found, KafkaError) and found.name in _NO_SETTINGS


def removals(found: Seen) -> list[Item[ConfigTarget]]:
    """Return the items that remove these settings."""
    items: list[Item[ConfigTarget]] = []
    for name, settings in found.items():
        if isinstance(settings, KafkaError):
            items.append(Item.refused(ConfigTarget(name), DELETE_CONFIG, settings))
        else:
            items += [Item.planned(ConfigTarget(name, key), DELETE_CONFIG, one) for key, one in settings.items()]
    return items


def removed_values(items: c.Iterable[Item[t.Any]]) -> dict[str, dict[str, str]]:
    """Return the values to back up, by group and setting."""
    values: dict[str, dict[str, str]] = {}
    for item in items:
        if item.changed and isinstance(item.target, ConfigTarget) and isinstance(item.before, Setting):
            values.setdefault(item.target.group, {})[str(item.target.setting)] = item.before.value
    return values


def as_result(found: Seen | None) -> dict[str, dict[str, str] | None] | None:
    """Return the RETURN shape: the values by group and setting; None for what cannot be read."""
    if found is None:
        return None
    return {
        name: None if isinstance(settings, KafkaError) else {key: one.value for key, one in settings.items()}
        for name, settings in found.items()
    }


def warning(found: Seen | None) -> list[str]:
    """Return a warning with the groups whose settings remain; empty if there are none."""
    names = sorted(name for name, settings in (found or {}).items() if not isinstance(settings, KafkaError))
    if not names:
        return []
    return [
        f"the settings of {counted(len(names), 'group')} remain after the deletion, first '{names[0]}': set configs to "
        "true to remove them too; a new group of the same name would use them"
    ]
