# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: offsets_csv
short_description: Format offsets as a CSV file of Kafka's tools
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Returns the content of a CSV file for C(kafka-consumer-groups.sh --reset-offsets --from-file), or for
    O(kafkaops.groups.consumer_group_offsets#module:restore.path).
  - The offsets of one group have lines of the form C(TOPIC,PARTITION,OFFSET). The offsets of several groups have lines
    of the form C(GROUP,TOPIC,PARTITION,OFFSET).
options:
  _input:
    description:
      - The C(groups) that M(kafkaops.groups.consumer_group_info) returns with C(gather=[offsets]), or the C(results) of
        M(kafkaops.groups.consumer_group_offsets) or M(kafkaops.groups.share_group_offsets) with C(state=present).
      - Of results, the offsets after the change are used, in check mode also. Failed items are omitted. Use results
        with C(detail=full), because other values omit items.
      - A group whose offsets are unknown fails.
      - Share groups together with other groups fail, because the file does not contain the types of groups. Restore a
        file of share groups with M(kafkaops.groups.share_group_offsets).
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Predict a reset
  kafkaops.groups.consumer_group_offsets:
    group: reports
    topics:
      - name: orders
    reset:
      by_duration: P1D
  check_mode: true
  register: reset

- name: Export the prediction
  ansible.builtin.copy:
    content: "{{ reset.results | kafkaops.groups.offsets_csv }}"
    dest: /tmp/reports.csv
    mode: "0600"
"""

RETURN = r"""
_value:
  description: The content of the file.
  type: str
"""

import collections.abc as c
import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.kafkaops.groups.plugins.module_utils._files import csv_file
from ansible_collections.kafkaops.groups.plugins.module_utils._files.csv_file import Row

Found = c.Mapping[str, t.Any]


def offsets_csv(found: c.Iterable[Found]) -> str:
    """Return groups with offsets, or the results of setting offsets, as CSV."""
    given = list(found)
    names = {_name(each) for each in given}
    if len({each["type"] == "share" for each in given if "type" in each}) > 1:
        raise AnsibleFilterError(
            "offsets_csv: the input contains share groups and other groups, which a CSV file does not distinguish: "
            "write two files"
        )
    rows = [row for each in given for row in _rows(each)]
    return csv_file.text(row if len(names) > 1 else row._replace(group=None) for row in rows)


def _name(found: Found) -> str:
    name = found.get("group", found.get("name")) if isinstance(found, c.Mapping) else None
    if not isinstance(name, str) or not ("offsets" in found or found.get("action") in ("set_offset", "none")):
        raise AnsibleFilterError(
            "offsets_csv: the input must be groups of consumer_group_info with offsets, or results of "
            f"consumer_group_offsets that set offsets, but contains {found!s:.100}"
        )
    return name


def _rows(found: Found) -> list[Row]:
    name = _name(found)
    if "offsets" not in found:
        at = found.get("after")
        if not at or found.get("failed") or found.get("partition") is None:
            return []
        return [Row(name, found["topic"], found["partition"], at["offset"])]
    if found["offsets"] is None:
        raise AnsibleFilterError(f"offsets_csv: the offsets of group '{name}' are unknown")
    return [Row(name, one["topic"], one["partition"], one["offset"]) for one in found["offsets"]]


class FilterModule:
    """Provides the filter."""

    def filters(self) -> dict[str, c.Callable[..., t.Any]]:
        return {"offsets_csv": offsets_csv}
