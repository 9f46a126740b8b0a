# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make once what each run of Ansible builds, the archives of modules, and what each task loads, filters and tests."""

from __future__ import annotations

import os
from pathlib import Path

from ansible import constants
from ansible.plugins.callback import CallbackBase
from ansible.plugins.loader import filter_loader, test_loader

DOCUMENTATION = """
name: made_once
type: aggregate
short_description: Share what is the same in all runs and tasks
description:
  - Keeps the archives of modules in the folder E(KAFKAOPS_ARCHIVES), whose name tells which sources they are made of.
  - Loads the filters and tests of Ansible before the first task, so that the process of each task has them.
"""


class CallbackModule(CallbackBase):
    """Does its work before the first task."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "made_once"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        Path(constants.DEFAULT_LOCAL_TMP, "ansiballz_cache").symlink_to(os.environ["KAFKAOPS_ARCHIVES"])
        for loader in (filter_loader, test_loader):
            list(loader.all())
