# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """What the modules that change something have in common."""

    DOCUMENTATION = r"""
options: {}
notes:
  - One item that fails does not stop the others. The task fails after all of them were tried, and its
    RV(ignore:results) say what became of each. RV(ignore:msg) says how many failed, and why the first one did.
  - A request that changes something and gets no answer is never sent again blindly. The module first reads what
    became of it.
"""

    GUARDS = r"""
options:
  backup:
    description:
      - The path of a file to write the back-up to. It holds everything that the affected groups have committed, as
        the caller can see it.
      - It is written whole before the first change, with mode C(0600). If it cannot be written, nothing is changed.
      - On a file system without modes, such as FAT, the mount options set who can read the file.
      - Check mode writes the file and removes it immediately, so that check mode fails where the real run would.
      - The file system does not need hard links. Without them, a task that is killed at that moment can leave an empty
        file with the name of the back-up.
      - An existing file is never overwritten. The task fails instead, so use a name that is new each time, with a
        date in it.
      - No file is written if there is nothing to change. RV(ignore:backup_file) is then V(null).
      - It is a file of the host that the module runs on.
      - A back-up needs DESCRIBE on B(every topic) that the groups have committed offsets of. The broker leaves out
        the offsets of topics that the caller may not describe, and does not say so. Such offsets are not in the
        back-up.
      - To restore a back-up, use O(kafkaops.groups.consumer_group_offsets#module:restore).
    type: path
  max_changes:
    description:
      - The highest number of changes that this task may make. If more are planned, the task fails before anything is
        changed.
      - RV(ignore:results) then shows the whole plan, with the error C(POLICY_VIOLATION) on each planned change.
      - If it is not set, there is no limit.
    type: int
"""

    PLAN = r"""
options:
  plan:
    description:
      - The path of a plan that M(kafkaops.groups.consumer_offsets_audit) wrote (C(plan.json)). It says what to delete,
        and takes the place of the options that name groups. A plan for another cluster is refused.
      - Each entry is looked at again before the first change. It is B(left alone) if it is not any more what the audit
        saw, which is a group of the same type, in the same state, with the same committed offsets. Directly before its
        own change the offsets are compared once more.
      - To leave an entry alone is no failure. RV(ignore:results) say why, and a warning says how many there are. Audit
        again, and the next plan tells what has become of them.
      - What is gone already is unchanged.
      - Offsets are compared by their numbers. An offset that was committed again with the same number, before this task
        began, does not show.
      - It is a file of the host that the module runs on.
    type: path
"""
