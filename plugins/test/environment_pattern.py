# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: environment_pattern
short_description: Whether a pattern matches only one environment
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - The pattern must contain three consecutive literal characters. A regular expression must begin with them and must
    not contain C(|).
options:
  _input:
    description: The pattern, in the format of O(kafkaops.groups.consumer_group_info#module:match).
    type: raw
    required: true
"""

EXAMPLES = r"""
- name: Validate that the pattern matches one environment
  ansible.builtin.assert:
    that: "'test-*' is kafkaops.groups.environment_pattern"
"""

RETURN = r"""
_value:
  description: Whether the pattern meets these conditions.
  type: bool
"""

import collections.abc as c
import re
import typing as t

_SET = re.compile(r"\[!?\]?[^\]]*\]")
_LITERALS = re.compile(r"[^*?\s]{3}")
_BEGINS = re.compile(r"~(?:[A-Za-z0-9_-]|\\[.]){3,}(?![?*{|])")


def environment_pattern(pattern: t.Any) -> bool:
    """Whether a pattern has three consecutive literal characters."""
    if not isinstance(pattern, str):
        return False
    if pattern.startswith("~"):
        return _BEGINS.match(pattern) is not None and "|" not in pattern
    return _LITERALS.search(_SET.sub("*", pattern)) is not None


class TestModule:
    """Provides the test."""

    def tests(self) -> dict[str, c.Callable[..., bool]]:
        return {"environment_pattern": environment_pattern}
