# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: matching
short_description: Whether the name of a group matches a pattern
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Whether the name of a group matches one of the patterns, for conditions, and for C(select) and C(reject).
  - The patterns have the same format as those of the filter P(kafkaops.groups.matching#filter), which selects groups
    from a list.
positional: patterns
options:
  _input:
    description:
      - The name of a group, or one of the C(groups) that M(kafkaops.groups.consumer_group_info) returns.
    type: raw
    required: true
  patterns:
    description:
      - The patterns, as a list or as one pattern. A pattern must match the B(whole) name.
      - Patterns are shell-style, with V(*), V(?) and V([...]). A pattern that starts with V(~) is a regular expression.
    type: raw
    required: true
seealso:
  - plugin: kafkaops.groups.matching
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Validate that the group belongs to the team
  ansible.builtin.assert:
    that: "'orders-app' is kafkaops.groups.matching('orders-*')"

- name: Show the groups that belong to other teams
  ansible.builtin.debug:
    msg: "{{ ['orders-app', 'billing'] | reject('kafkaops.groups.matching', ['orders-*', '~invoices-[0-9]+']) }}"
"""

RETURN = r"""
_value:
  description: Whether the name matches.
  type: bool
"""

import collections.abc as c
import typing as t

from ansible_collections.kafkaops.groups.plugins.filter.matching import matching as select


def matching(group: t.Any, patterns: t.Any) -> bool:
    """Whether the name of a group matches one of the patterns."""
    return bool(select([group], patterns))


class TestModule:
    """Provides the test."""

    def tests(self) -> dict[str, c.Callable[..., bool]]:
        return {"matching": matching}
