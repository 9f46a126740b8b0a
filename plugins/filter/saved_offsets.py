# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: saved_offsets
short_description: Read the offsets of a group from a back-up or a CSV file
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Parses a back-up of this collection, or a CSV file of C(kafka-consumer-groups.sh --export), with lines of the form
    C(TOPIC,PARTITION,OFFSET) or C(GROUP,TOPIC,PARTITION,OFFSET).
positional: group, cluster_id
options:
  _input:
    description: The content of the file.
    type: str
    required: true
  group:
    description: The name of the group. The rows of a CSV file with three columns are assigned to this group.
    type: str
    required: true
  cluster_id:
    description: The id of the cluster. It must match the cluster id of a back-up. CSV files do not contain a cluster
      id.
    type: str
    required: true
"""

EXAMPLES = r"""
- name: Read the offsets from a file
  ansible.builtin.set_fact:
    offsets: "{{ file.content | b64decode | kafkaops.groups.saved_offsets('reports', 'LqMsGZkBQkaXCRaSfF1jDg') }}"
"""

RETURN = r"""
_value:
  description: >-
    The offsets of the group, each with topic and partition. V(none) if the file is neither a back-up of the cluster
    nor a valid CSV file.
  type: list
  elements: dict
"""

import collections.abc as c
import json
import typing as t

from ansible_collections.kafkaops.groups.plugins.module_utils._files import csv_file
from ansible_collections.kafkaops.groups.plugins.module_utils._files.backup import BACKUP

Offset = dict[str, t.Any]


def saved_offsets(text: str, group: str, cluster_id: str) -> list[Offset] | None:
    """Return the offsets of a group in a file, or None if the format is unknown."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return _from_csv(text, group)
    if (
        not isinstance(document, dict)
        or document.get("format") != BACKUP.format
        or document.get("version") not in (*BACKUP.earlier, BACKUP.version)
        or document.get("cluster_id") != cluster_id
    ):
        return None
    try:
        return [offset for each in document["groups"] if each["name"] == group for offset in each["offsets"]]
    except (KeyError, TypeError):
        return None


def _from_csv(text: str, group: str) -> list[Offset] | None:
    try:
        rows = csv_file.parse(text)
    except ValueError:
        return None
    mine = [row for row in rows if row.group in (None, group)]
    found = [{"topic": row.topic, "partition": row.partition, "offset": row.offset} for row in mine]
    return found if rows else None


class FilterModule:
    """Provides the filter."""

    def filters(self) -> dict[str, c.Callable[..., t.Any]]:
        return {"saved_offsets": saved_offsets}
