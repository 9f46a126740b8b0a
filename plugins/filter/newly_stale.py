# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: newly_stale
short_description: Select the groups that the latest comparable plan does not list
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Returns the groups that the latest comparable plan does not delete, for notifications of what is new since then.
  - A plan is comparable if it has the same cluster and the same criteria, and no approval. An approved plan can lack
    groups that its audit found.
positional: earlier, plan
options:
  _input:
    description: The names of the groups that are stale now.
    type: list
    elements: str
    required: true
  earlier:
    description: The contents of the files of earlier plans, in any order. Files that are not plans are ignored.
    type: list
    elements: str
    required: true
  plan:
    description: The content of the plan file of the current audit.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Show what is new since the plan of last week
  ansible.builtin.debug:
    msg: "{{ plan | kafkaops.groups.stale_groups | kafkaops.groups.newly_stale([last_week], plan) }}"
  vars:
    plan: "{{ lookup('ansible.builtin.file', '/data/kafka-audit/plan.json') | from_json }}"
    last_week: "{{ lookup('ansible.builtin.file', '/data/kafka-audit/last-week.json') }}"
"""

RETURN = r"""
_value:
  description: The names, in the order of the input, or null if no earlier plan is comparable.
  type: list
  elements: str
"""

import collections.abc as c
import json
import typing as t

from ansible_collections.kafkaops.groups.plugins.module_utils._files.plan import APPROVED

Document = c.Mapping[str, t.Any]


def newly_stale(names: c.Iterable[str], earlier: c.Iterable[str], plan: Document) -> list[str] | None:
    """Return the groups that the latest comparable plan does not list, None if no plan is comparable."""
    comparable = [found for text in earlier if (found := _comparable(text, plan)) is not None]
    if not comparable:
        return None
    latest = max(created for created, _groups in comparable)
    # copies of one plan have the same time, and some lack the skipped groups
    known = {group for created, groups in comparable if created == latest for group in groups}
    return [name for name in names if name not in known]


def _comparable(text: str, plan: Document) -> tuple[str, set[str]] | None:
    """Return the time and the groups of an earlier plan, None if it is not comparable."""
    try:
        earlier = json.loads(text)
        if earlier.keys() & APPROVED or any(earlier[key] != plan[key] for key in ("cluster_id", "criteria")):
            return None
        return str(earlier["created"]), {entry["group"] for entry in earlier["delete_groups"]}
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


class FilterModule:
    """Provides the filter."""

    def filters(self) -> dict[str, c.Callable[..., t.Any]]:
        return {"newly_stale": newly_stale}
