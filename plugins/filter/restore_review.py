# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: restore_review
short_description: Review a restore before it is applied
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Returns the offsets that a restore would set, and the groups that require a decision first.
options:
  _input:
    description:
      - The C(results) of M(kafkaops.groups.consumer_group_offsets) in check mode with
        O(kafkaops.groups.consumer_group_offsets#module:restore), for all back-ups. Or
        those of M(kafkaops.groups.share_group_offsets).
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Show the offsets to set
  ansible.builtin.debug:
    msg: "{{ (foreseen.results | kafkaops.groups.restore_review).lines }}"
"""

RETURN = r"""
_value:
  description: The review of the restore.
  type: dict
  contains:
    lines:
      description: One line for each offset that would be set, or that cannot be set, with the reason.
      type: list
      elements: str
    repeated:
      description: Groups with an offset that is in more than one back-up.
      type: list
      elements: str
    moved:
      description: Groups with a committed offset that differs from the back-up.
      type: list
      elements: str
"""

import collections.abc as c
import typing as t

Entry = c.Mapping[str, t.Any]


def restore_review(results: c.Iterable[Entry]) -> dict[str, list[str]]:
    """Return `lines`, `repeated` and `moved` of a restore in check mode."""
    lines: list[str] = []
    places: set[tuple[str, str, int]] = set()
    # dictionaries keep the order of their keys
    repeated: dict[str, None] = {}
    moved: dict[str, None] = {}
    for item in results:
        place = (item["group"], item["topic"], item["partition"])
        if place in places:
            repeated[item["group"]] = None
        places.add(place)
        # null for a partition that a share group has not read yet
        now = (item.get("before") or {"offset": None})["offset"]
        # includes items that fail now, because they may succeed in the restore
        if item["action"] == "set_offset" and now is not None:
            moved[item["group"]] = None
        if item["changed"] or item["failed"]:
            lines.append(_line(item, now))
    return {"lines": lines, "repeated": [*repeated], "moved": [*moved]}


def _line(item: Entry, now: int | None) -> str:
    # a failed item stays as it is
    wanted = "" if item["failed"] else f" {item['after']['offset']},"
    line = "Group {}, {}-{}:{} now {}".format(
        item["group"], item["topic"], item["partition"], wanted, "none" if now is None else now
    )
    return f"{line}, cannot be set: {item['error']['message']}" if item["failed"] else line


class FilterModule:
    """Provides the filter."""

    def filters(self) -> dict[str, c.Callable[..., t.Any]]:
        return {"restore_review": restore_review}
