# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The event source of the collection for ansible-rulebook, and its rulebooks."""

from __future__ import annotations

import runpy
from typing import Any

from tests.support.collection import CHECKOUT, tree

SOURCE = tree() / "ansible_collections/kafkaops/groups/extensions/eda/plugins/event_source/consumer_groups.py"
RULEBOOKS = sorted((CHECKOUT / "extensions" / "eda" / "rulebooks").glob("*.yml"))


def load() -> dict[str, Any]:
    """Return what the file of the event source defines, as ansible-rulebook loads it."""
    return runpy.run_path(str(SOURCE))
