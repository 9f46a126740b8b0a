# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The example playbook in the report, which applies the plan."""

from __future__ import annotations

import json

from . import wording


def example(plan: str, delete_groups: int, delete_offsets: int) -> str:
    """Return a playbook that applies the plan, or "" if the plan is empty."""
    tasks = [
        _task(plan, "Delete stale groups", "consumer_group", "groups", delete_groups),
        _task(
            plan,
            "Delete unneeded committed offsets",
            "consumer_group_offsets",
            "offsets",
            delete_offsets,
        ),
    ]
    if not any(tasks):
        return ""
    return """- name: Apply the plan of the audit
  hosts: localhost
  gather_facts: false
  module_defaults:
    group/kafkaops.groups.kafka:
      bootstrap_servers: [kafka-1.example.com:9092]
  tasks:
""" + "\n".join(task for task in tasks if task)


def _task(plan: str, name: str, module: str, what: str, changes: int) -> str:
    if not changes:
        return ""
    state = "        state: absent\n" if module == "consumer_group_offsets" else ""
    return f"""    - name: {name}
      kafkaops.groups.{module}:
        plan: {json.dumps(wording.printable(plan), ensure_ascii=False)}
{state}        backup: "/var/backups/kafka/{what}-{{{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}}}.json"
        max_changes: {changes}
"""
