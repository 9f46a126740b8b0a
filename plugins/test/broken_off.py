# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: broken_off
short_description: Whether a task failed and does not say how much it did
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - A task of this collection that fails has a result for each group, offset or topic, or says that nothing was changed
    or sent. It is broken off if it has neither.
options:
  _input:
    description: What the task registered.
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
  description: Whether it is not known what the task did.
  type: bool
"""

import collections.abc as c
import typing as t


def broken_off(result: c.Mapping[str, t.Any]) -> bool:
    """Whether a registered result tells of a failure, and of nothing that was done or left."""
    return bool(result.get("failed")) and "results" not in result and "Nothing was " not in result.get("msg", "")


class TestModule:
    """Names the test."""

    def tests(self) -> dict[str, c.Callable[..., bool]]:
        return {"broken_off": broken_off}
