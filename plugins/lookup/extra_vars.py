# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: extra_vars
short_description: List the extra variables whose names start with a prefix
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Returns the names of extra variables that start with a prefix, from C(--extra-vars) or from extra variables and
    survey answers of AWX.
  - Extra variables take precedence over all other variables. The roles of this collection use this lookup to reject
    values for their internal variables, on which their limits depend.
options:
  _terms:
    description: The prefixes.
    type: list
    elements: str
    required: true
"""

EXAMPLES = r"""
- name: Validate that internal variables are not set
  ansible.builtin.assert:
    that: lookup('kafkaops.groups.extra_vars', '__example_') | length == 0
"""

RETURN = r"""
_list:
  description: The names, sorted.
  type: list
  elements: str
"""

import typing as t

from ansible.plugins.lookup import LookupBase
from ansible.utils.vars import load_extra_vars


class LookupModule(LookupBase):
    """Lists extra variables by prefix."""

    def run(self, terms: list[str], variables: dict[str, t.Any] | None = None, **kwargs: t.Any) -> list[str]:
        self.set_options(var_options=variables, direct=kwargs)
        return sorted(name for name in load_extra_vars(self._loader) if name.startswith(tuple(terms)))
