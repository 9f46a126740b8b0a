# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: broken_off
short_description: Whether a task was interrupted before it returned its results
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - A failed task of this collection returns results, or a message that nothing was read, sent or changed. Without
    either, the task was interrupted and its changes are unknown.
options:
  _input:
    description: The registered result of the task.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: List the groups if the result is incomplete
  kafkaops.groups.consumer_group_info:
    names: [reports]
  when: deleted is kafkaops.groups.broken_off
"""

RETURN = r"""
_value:
  description: Whether the changes of the task are unknown.
  type: bool
"""

import collections.abc as c
import typing as t


def broken_off(result: c.Mapping[str, t.Any]) -> bool:
    """Whether a registered result is a failure without results and without a message that nothing was changed."""
    return bool(result.get("failed")) and "results" not in result and "Nothing was " not in result.get("msg", "")


class TestModule:
    """Provides the test."""

    def tests(self) -> dict[str, c.Callable[..., bool]]:
        return {"broken_off": broken_off}
