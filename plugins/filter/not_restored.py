# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: not_restored
short_description: List groups whose offsets were not restored
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Returns the groups with an offset that was not restored because the group committed it during the restore.
positional: foreseen
options:
  _input:
    description: The C(results) of the restore.
    type: list
    elements: dict
    required: true
  foreseen:
    description: The C(results) of the same restore in check mode, before the restore.
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Validate that all offsets were restored
  ansible.builtin.assert:
    that: restored.results | kafkaops.groups.not_restored(foreseen.results) | length == 0
"""

RETURN = r"""
_value:
  description: The names of the groups.
  type: list
  elements: str
"""

import collections.abc as c
import typing as t

Entry = c.Mapping[str, t.Any]


def not_restored(results: c.Iterable[Entry], foreseen: c.Iterable[Entry]) -> list[str]:
    """Return the groups with an offset that was not set and that differs from check mode."""
    wanted = {_place(item): _offset(item) for item in foreseen if not item["failed"]}
    kept = (item for item in results if item["action"] == "none" and _offset(item) != wanted.get(_place(item)))
    return list(dict.fromkeys(item["group"] for item in kept))


def _offset(item: Entry) -> Entry | None:
    """Return the offset of an item; without the lag of a share group, which may grow meanwhile."""
    return item["after"] and {name: value for name, value in item["after"].items() if name != "lag"}


def _place(item: Entry) -> tuple[str, str, int]:
    return item["group"], item["topic"], item["partition"]


class FilterModule:
    """Provides the filter."""

    def filters(self) -> dict[str, c.Callable[..., t.Any]]:
        return {"not_restored": not_restored}
