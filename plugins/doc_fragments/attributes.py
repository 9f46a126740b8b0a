# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Attributes of the modules."""

    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description: Can run in check mode, and says what would change without changing it.
  diff_mode:
    description: Says in diff mode what changes, or in check mode would change.
  idempotent:
    description: When run twice in a row outside check mode, with the same arguments, the second run changes nothing.
  platform:
    description: The operating systems that the module runs on.
    support: full
    platforms: posix
"""

    ACTIONGROUP_KAFKA = r"""
options: {}
attributes:
  action_group:
    description: Use C(group/kafkaops.groups.kafka) in C(module_defaults) to set defaults for this module.
    support: full
    membership:
      - kafkaops.groups.kafka
"""

    CHANGES = r"""
options: {}
attributes:
  check_mode:
    support: full
    details:
      - The prediction comes from the state of each group, its subscriptions, and the caller's permissions as the
        brokers tell them.
      - It fails where the real run would fail. No request that changes anything is sent, and no file is written.
  diff_mode:
    support: full
"""

    INFO = r"""
options: {}
attributes:
  check_mode:
    support: full
    details:
      - This module never changes anything.
  diff_mode:
    support: N/A
    details:
      - This module never changes anything.
  idempotent:
    support: full
    details:
      - This module never changes anything.
"""
