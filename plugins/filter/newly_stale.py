# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: newly_stale
short_description: Select the groups that an earlier plan does not list
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Returns the groups that the earlier plan does not delete, for notifications of what is new since an earlier audit.
positional: earlier
options:
  _input:
    description: The names of the groups that are stale now.
    type: list
    elements: str
    required: true
  earlier:
    description: The content of the file of the earlier plan.
    type: str
    required: true
"""

EXAMPLES = r"""
- name: Show what is new since the plan of last week
  ansible.builtin.debug:
    msg: "{{ names | kafkaops.groups.newly_stale(lookup('ansible.builtin.file', '/data/kafka-audit/last-week.json')) }}"
"""

RETURN = r"""
_value:
  description: The names, in the order of the input, or null if the earlier plan is not readable.
  type: list
  elements: str
"""

import collections.abc as c
import json
import typing as t


def newly_stale(names: c.Iterable[str], earlier: str) -> list[str] | None:
    """Return the groups that an earlier plan does not list, None if that plan cannot be read."""
    try:
        known = {entry["group"] for entry in json.loads(earlier)["delete_groups"]}
    except (KeyError, TypeError, ValueError):
        return None
    return [name for name in names if name not in known]


class FilterModule:
    """Provides the filter."""

    def filters(self) -> dict[str, c.Callable[..., t.Any]]:
        return {"newly_stale": newly_stale}
