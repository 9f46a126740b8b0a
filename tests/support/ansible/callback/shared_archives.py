# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Share the archives of modules between runs of Ansible, which otherwise builds each one anew in each run."""

from __future__ import annotations

import os
from pathlib import Path

from ansible import constants
from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: shared_archives
type: aggregate
short_description: Share the archives of modules between runs
description:
  - Keeps them in the folder E(KAFKAOPS_ARCHIVES), whose name tells the sources that they were built from.
"""


class CallbackModule(CallbackBase):
    """Does its work before the first task."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "shared_archives"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        Path(constants.DEFAULT_LOCAL_TMP, "ansiballz_cache").symlink_to(os.environ["KAFKAOPS_ARCHIVES"])
