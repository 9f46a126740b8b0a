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
    description: Can run in check mode and predict changes without making them.
  diff_mode:
    description: Returns details of what changed, or would change in check mode, when in diff mode.
  idempotent:
    description: When run twice in a row outside check mode with the same arguments, the second run reports no
      changes.
  platform:
    description: Operating systems on which the module can run.
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
      - The prediction is based on the state of each group, its subscriptions, and the permissions that the brokers
        report.
      - Check mode fails where the real run would fail. It sends no request that changes the cluster, and leaves no
        file.
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
