# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: stale_groups
short_description: List the groups that a plan deletes
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Returns the names of the groups that the plan of M(kafkaops.groups.consumer_offsets_audit) deletes. Stale groups
    that the audit only reports are not in the plan.
options:
  _input:
    description: The content of the plan file.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Show which groups of one team the plan deletes
  ansible.builtin.debug:
    msg: "{{ plan | kafkaops.groups.stale_groups | kafkaops.groups.matching('orders-*') }}"
  vars:
    plan: "{{ lookup('ansible.builtin.file', '/var/lib/kafka-audit/plan.json') | from_json }}"
"""

RETURN = r"""
_value:
  description: The names of the groups, sorted.
  type: list
  elements: str
"""

import collections.abc as c
import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.kafkaops.groups.plugins.module_utils._files.plan import PLAN


def stale_groups(plan: t.Any) -> list[str]:
    """Return the names of the groups that a plan deletes."""
    if not isinstance(plan, c.Mapping) or plan.get("format") != PLAN.format or plan.get("version") != PLAN.version:
        raise AnsibleFilterError(
            f"stale_groups: this is not a plan of version {PLAN.version}: read plan.json, and apply from_json"
        )
    return sorted(entry["group"] for entry in plan["delete_groups"])


class FilterModule:
    """Provides the filter."""

    def filters(self) -> dict[str, c.Callable[..., t.Any]]:
        return {"stale_groups": stale_groups}
