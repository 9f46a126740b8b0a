# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: lag_above
short_description: Select groups whose lag is above a limit
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Returns the groups whose lag is above the limit. A group whose lag is unknown (V(null)) may be above any limit,
    and is also returned, unless O(unknown) is V(false).
positional: limit
options:
  _input:
    description:
      - The C(groups) that M(kafkaops.groups.consumer_group_info) returns with C(gather=[lag]).
    type: list
    elements: dict
    required: true
  limit:
    description: The highest accepted lag of a group, in records.
    type: int
    required: true
  unknown:
    description: Whether groups are returned whose lag is unknown.
    type: bool
    default: true
"""

EXAMPLES = r"""
- name: Read the lag of all groups
  kafkaops.groups.consumer_group_info:
    gather: [lag]
  register: info

- name: Fail if a group is behind
  ansible.builtin.assert:
    that: behind | length == 0
    fail_msg: "{{ behind | map(attribute='name') | join(', ') }}: the lag is above 10000 records, or unknown."
  vars:
    behind: "{{ info.groups | kafkaops.groups.lag_above(10000) }}"
"""

RETURN = r"""
_value:
  description: The groups, in the order of the input.
  type: list
  elements: dict
"""

import collections.abc as c
import typing as t

from ansible.errors import AnsibleFilterError

Group = c.Mapping[str, t.Any]


def lag_above(groups: c.Iterable[Group], limit: int, unknown: bool = True) -> list[Group]:
    """Return the groups whose lag is above the limit, and those whose lag is unknown."""
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise AnsibleFilterError(f"lag_above: the limit is {limit!r:.100}, and must be an integer")
    return [group for group in groups if _above(group, limit, unknown)]


def _above(group: Group, limit: int, unknown: bool) -> bool:
    if not isinstance(group, c.Mapping):
        raise AnsibleFilterError(f"lag_above: {group!r:.100} is not a group: use the groups of consumer_group_info")
    if "lag" not in group:
        raise AnsibleFilterError(f"lag_above: group '{group.get('name')}' has no lag: set gather to [lag]")
    return unknown if group["lag"] is None else group["lag"] > limit


class FilterModule:
    """Provides the filter."""

    def filters(self) -> dict[str, c.Callable[..., t.Any]]:
        return {"lag_above": lag_above}
