# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Show, set and remove the settings of groups: read, plan, apply."""

from __future__ import annotations

import typing as t

from .. import _input as inputs
from .._errors import InvalidOption, NothingChanged
from .._kafka.driver import backoff
from .._kafka.errors import KafkaError, error
from .._kafka.model import Setting
from .._kafka.rpc.incremental_alter_configs import AlterGroupConfigs
from .._kafka.session import Session
from ._names import group_names
from ._read_configs import Seen, Settings, overridden_settings, read
from ._safeguards import limit
from .results import DELETE_CONFIG, NONE, SET_CONFIG, ConfigTarget, Item, Report

_LOOKS, _FIRST_PAUSE = 8, 0.02
ConfigItem = Item[ConfigTarget]


Config = dict[str, str | None] | None  # pylint: disable=unsupported-binary-operation


class Restore(t.NamedTuple):
    """The back-up to restore, and what to do if it is of another cluster, or a setting is set again."""

    path: str
    any_cluster: bool
    missing_only: bool


class Request(t.NamedTuple):
    """The task of C(group_config).

    Attributes:
        configs: of each group, the wanted value of each setting, None to remove it; None to remove every setting that
            is set, and empty to show them.
        restore: the back-up to restore instead, of these groups, or of all if there are none.
    """

    configs: dict[str, Config]
    max_changes: int | None
    restore: Restore | None = None


def parse(params: dict[str, t.Any]) -> Request:
    """Return what the options ask for; raises TaskError where an option cannot be."""
    if params["restore"] is not None:
        return _restoring(params)
    names = group_names(params["names"])
    max_changes = inputs.optional_natural(params["max_changes"], "max_changes")
    present = params["state"] == "present"
    misplaced = "keys" if present else "config"
    if params[misplaced] is not None:
        raise InvalidOption(f"{misplaced} requires state {'absent' if present else 'present'}: set state, or omit it.")
    if present and params["remove_all"]:
        raise InvalidOption("remove_all requires state absent: set state, or omit it.")
    if present:
        given = params["config"] or {}
        config = {_name(key, "config"): _value(key, value) for key, value in given.items()}
        return Request(dict.fromkeys(names, config), max_changes)
    if params["remove_all"] and params["keys"] is not None:
        raise InvalidOption("remove_all and keys are mutually exclusive: set one of them.")
    if params["remove_all"]:
        return Request(dict.fromkeys(names), max_changes)
    if params["keys"] is None:
        raise InvalidOption("state absent needs keys or remove_all: set the names of settings, or remove_all to true.")
    return Request(dict.fromkeys(names, dict.fromkeys(inputs.texts(params["keys"], "keys"))), max_changes)


def _restoring(params: dict[str, t.Any]) -> Request:
    if params["state"] != "present" or params["remove_all"]:
        raise InvalidOption("restore requires state present: set state, or omit it.")
    given = params["restore"]
    restore = Restore(inputs.path(given["path"], "restore.path"), given["any_cluster"], given["missing_only"])
    names = [] if params["names"] is None else group_names(params["names"])
    return Request(dict.fromkeys(names), inputs.optional_natural(params["max_changes"], "max_changes"), restore)


def _name(key: t.Any, option: str) -> str:
    return inputs.text(key, option)


def _value(key: str, value: t.Any) -> str | None:
    """Return a value in Kafka's spelling, None to remove the setting."""
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return inputs.for_a_library(value, f"config: {key}")
    raise InvalidOption(f"config: {key} is {value!r:.60}, and must be a string, an integer, a boolean or null.")


async def change_configs(request: Request, session: Session) -> Report:
    """Set and remove settings as C(group_config) asks; without any, show those that are set."""
    if request.restore is not None:
        request = request._replace(configs=_saved(request.restore, list(request.configs), session.wire.cluster_id))
    seen = await read(session, list(request.configs))
    items = limit(plan(request, seen), [SET_CONFIG, DELETE_CONFIG], request.max_changes)
    if not session.check_mode:
        items = await apply(session, items)
    return Report(items)


def _saved(restore: Restore, names: list[str], cluster_id: str) -> dict[str, Config]:
    """Return the settings in a back-up, of the named groups or of all.

    Raises:
        TaskError: the back-up cannot be read, or contains neither offsets nor settings of a group.
    """
    from .._files import backup as snapshot

    backup = snapshot.read(restore.path, cluster_id, restore.any_cluster)
    for name in names:
        if name not in backup.groups and name not in backup.settings:
            raise NothingChanged(f"restore.path: {restore.path} does not contain group '{name}'.")
    return {name: dict(backup.settings[name]) for name in names or backup.settings if name in backup.settings}


def plan(request: Request, seen: Seen) -> list[ConfigItem]:
    """Return what to do with each setting of each group.

    Raises:
        TaskError: a setting is unknown to the brokers.
    """
    items: list[ConfigItem] = []
    for name, config in request.configs.items():
        found = seen[name]
        if isinstance(found, KafkaError):
            items.append(Item.refused(ConfigTarget(name), NONE, found))
        else:
            _check_known(config, found)
            items += _plan_group(name, _missing(request, config, found), found)
    return items


def _missing(request: Request, config: Config, found: Settings) -> Config:
    """Return the settings to set, without those that are to be kept as they are."""
    if request.restore is None or not request.restore.missing_only:
        return config
    now = overridden_settings(found)
    return {key: now[key].value if key in now else value for key, value in (config or {}).items()}


def _check_known(config: Config, found: Settings) -> None:
    unknown = [key for key in config or {} if key not in found]
    if unknown:
        raise NothingChanged(
            f"The brokers do not know the group setting {', '.join(map(repr, unknown))}: they know "
            f"{', '.join(sorted(found))}."
        )


def _plan_group(name: str, config: Config, found: Settings) -> list[ConfigItem]:
    now = overridden_settings(found)
    if config:
        wanted = config
    elif config is None:
        wanted = dict.fromkeys(now)
    else:
        wanted = {key: setting.value for key, setting in now.items()}
    items = [_plan_setting(ConfigTarget(name, key), now.get(key), value) for key, value in wanted.items()]
    return items or [Item.unchanged(ConfigTarget(name))]


def _plan_setting(target: ConfigTarget, before: Setting | None, value: str | None) -> ConfigItem:
    if value is None:
        return Item.unchanged(target) if before is None else Item.planned(target, DELETE_CONFIG, before)
    if before is not None and _is_equal(before.value, value):
        return Item.unchanged(target, before)
    return Item.planned(target, SET_CONFIG, before, Setting(value))


def _is_equal(now: str, wanted: str) -> bool:
    """Whether a broker, which returns numbers and booleans in its own spelling, has the wanted value."""
    wanted = wanted.strip()
    if now in ("true", "false"):
        return wanted.lower() == now
    return wanted == now or (now.isdecimal() and wanted.isdecimal() and int(wanted) == int(now))


async def apply(session: Session, items: list[Item[t.Any]]) -> list[Item[t.Any]]:
    """Set and remove the planned settings; return the items with their outcomes."""
    changes: dict[str, dict[str, str | None]] = {}
    for item in items:
        if _is_planned(item):
            after = item.after.value if isinstance(item.after, Setting) else None
            changes.setdefault(item.target.group, {})[item.target.setting] = after
    if not changes:
        return items

    async def verify(names: list[str]) -> dict[str, bool | KafkaError | None]:
        return {name: _is_made(found, changes[name]) for name, found in (await read(session, names)).items()}

    answers, _resent = await session.driver.change(AlterGroupConfigs(changes), changes, verify)
    await _wait_until_shown(session, [name for name, answer in answers.items() if answer is True], changes)
    return [
        item.failed(_refused(item.target.group, answer))
        if _is_planned(item) and isinstance(answer := answers[item.target.group], KafkaError)
        else item
        for item in items
    ]


async def _wait_until_shown(session: Session, names: list[str], changes: dict[str, dict[str, str | None]]) -> None:
    """Wait, a while, until changes show: the controller answers before brokers have learned of them."""
    for attempt in range(_LOOKS):
        found = await read(session, names) if names else {}
        names = [name for name, settings in found.items() if _is_made(settings, changes[name]) is None]
        if not names:
            return
        await session.wire.sleep(backoff(attempt, _FIRST_PAUSE))


def _is_planned(item: Item[t.Any]) -> bool:
    return item.changed and isinstance(item.target, ConfigTarget)


def _is_made(found: Settings | KafkaError, changes: dict[str, str | None]) -> bool | KafkaError | None:
    """Return the outcome of a change without a response, as the driver's C(Verify) defines it."""
    if isinstance(found, KafkaError):
        return found
    now = overridden_settings(found)
    made = all(
        key not in now if value is None else key in now and _is_equal(now[key].value, value)
        for key, value in changes.items()
    )
    return True if made else None


def _refused(name: str, problem: KafkaError) -> KafkaError:
    if problem.name == "GROUP_AUTHORIZATION_FAILED":
        return error(problem.name, f"changing settings needs ALTER_CONFIGS on group '{name}'")
    return problem
