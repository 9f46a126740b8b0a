# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: installed_collection
short_description: Whether a collection is installed
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Whether Ansible finds the collection on the controller.
options:
  _input:
    description: The name of the collection.
    type: str
    required: true
"""

EXAMPLES = r"""
- name: Validate that awx.awx is installed
  ansible.builtin.assert:
    that: "'awx.awx' is kafkaops.groups.installed_collection"
"""

RETURN = r"""
_value:
  description: Whether the collection is installed.
  type: bool
"""

import collections.abc as c
import importlib.util


def installed_collection(name: str) -> bool:
    """Whether Ansible's loader finds a collection."""
    try:
        return importlib.util.find_spec(f"ansible_collections.{name}") is not None
    except ModuleNotFoundError:
        # not even its namespace
        return False


class TestModule:
    """Provides the test."""

    def tests(self) -> dict[str, c.Callable[..., bool]]:
        return {"installed_collection": installed_collection}
