# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: shares
short_description: Compute percentages of totals
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Returns percentages and descriptions for pairs of a part and a total. Entries with a part of 0 are omitted.
options:
  _input:
    description: >-
      For each name, a list of two numbers: the part and the total.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Validate the share of deletions
  ansible.builtin.assert:
    that: "{'groups': [1, 4]} | kafkaops.groups.shares | selectattr('share', 'gt', 50) | length == 0"
"""

RETURN = r"""
_value:
  description: One item for each part that is not 0.
  type: list
  elements: dict
  contains:
    share:
      description: The part as a percentage of the total.
      type: float
      sample: 25.0
    words:
      description: A description of the share.
      type: str
      sample: 1 of the 4 groups (25.000 %)
"""

import collections.abc as c
import typing as t


def shares(parts: c.Mapping[str, c.Sequence[int]]) -> list[dict[str, t.Any]]:
    """Return the percentage and a description for each part that is not 0."""
    found = []
    for things, (part, whole) in parts.items():
        if part:
            share = part * 100 / max(whole, 1)
            found.append({"share": share, "words": f"{part} of the {whole} {things} ({share:.3f} %)"})
    return found


class FilterModule:
    """Provides the filter."""

    def filters(self) -> dict[str, c.Callable[..., t.Any]]:
        return {"shares": shares}
