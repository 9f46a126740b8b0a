# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: matching
short_description: Select groups whose names match a pattern
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Returns the groups whose names match one of the patterns. The patterns have the same format as in the modules of
    this collection, so that a playbook can select groups as O(kafkaops.groups.consumer_group_info#module:match) does.
positional: patterns
options:
  _input:
    description:
      - Names of groups, or the C(groups) that M(kafkaops.groups.consumer_group_info) returns.
    type: list
    elements: raw
    required: true
  patterns:
    description:
      - The patterns, as a list or as one pattern. A pattern must match the B(whole) name.
      - Patterns are shell-style, with V(*), V(?) and V([...]). A pattern that starts with V(~) is a regular expression.
    type: raw
    required: true
"""

EXAMPLES = r"""
- name: Show the stale groups of one team
  ansible.builtin.debug:
    msg: "{{ audit.stale_groups | kafkaops.groups.matching('orders-*') }}"
"""

RETURN = r"""
_value:
  description: The groups whose names match, in the order and the form of the input.
  type: list
  elements: raw
"""

import collections.abc as c
import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.kafkaops.groups.plugins.module_utils import _input as inputs
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError


def matching(groups: c.Iterable[t.Any], patterns: t.Any) -> list[t.Any]:
    """Return the groups whose names match one of the patterns."""
    try:
        matches = inputs.patterns(inputs.needed(patterns, "patterns"), "patterns")
    except TaskError as exc:
        raise AnsibleFilterError(f"matching: {exc}") from exc
    if isinstance(groups, c.Mapping | str):
        # of the keys or letters, none would match
        raise AnsibleFilterError(f"matching: {groups!r:.100} is not a list of groups")
    return [group for group in groups if matches(_name(group))]


def _name(group: t.Any) -> str:
    name = group.get("name") if isinstance(group, c.Mapping) else group
    if not isinstance(name, str):
        raise AnsibleFilterError(f"matching: {group!r:.100} is not the name of a group, and has no name")
    return name


class FilterModule:
    """Provides the filter."""

    def filters(self) -> dict[str, c.Callable[..., t.Any]]:
        return {"matching": matching}
