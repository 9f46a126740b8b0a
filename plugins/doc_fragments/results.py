# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """What the modules that change something have in common."""

    DOCUMENTATION = r"""
options:
  detail:
    description:
      - The items to return in RV(ignore:results). Tasks that change many items are faster, and their output is smaller,
        if they do not return all of them.
      - V(full) returns all items.
      - V(problems) returns only failed items, and items that were skipped because they changed after they were planned.
      - V(summary) returns no items. RV(ignore:results) is then an empty list.
      - With V(problems) and V(summary), C(invocation), in which Ansible repeats the options of the task, contains the
        length of a list with more than 100 entries instead of the list.
      - RV(ignore:summary) always counts all items. The changes, the back-up and RV(ignore:msg) do not depend on this
        option. In diff mode, RV(ignore:diff) always contains all changes.
      - Roles of this collection that evaluate the items set this option themselves.
    type: str
    choices: [full, problems, summary]
    default: full
notes:
  - A failed item does not stop the other items. The task fails after all items were processed. RV(ignore:results) has
    the outcome of each item that O(detail) selects, and RV(ignore:msg) the number of failed items and the first error.
  - If a request that changes the cluster gets no response, the module reads the current state before it retries the
    request.
"""

    GUARDS = r"""
options:
  backup:
    description:
      - The path of the back-up file to write. The back-up contains all committed offsets of the affected groups that
        the caller has permission to read. Of share groups, it contains the start offsets.
      - The complete file is written before the first change, with mode C(0600). If the file cannot be written,
        nothing is changed.
      - On file systems without file modes, such as FAT, the mount options determine who can read the file.
      - Check mode writes the file and removes it immediately, so that it fails where the real run would fail.
      - The file system does not need to support hard links. Without hard links, a task that is killed while it writes
        the back-up can leave an empty file.
      - Existing files are never overwritten. The task fails instead, so use a unique name, for example with a
        timestamp.
      - If there are no changes, no file is written and RV(ignore:backup_file) is V(null).
      - The path is on the host that the module runs on.
      - A back-up requires DESCRIBE on B(every topic) for which the groups have committed offsets. Without this
        permission, the broker omits the offsets of the topic without an error, and the back-up does not contain them.
      - To restore a back-up, use O(kafkaops.groups.consumer_group_offsets#module:restore), and for share groups
        O(kafkaops.groups.share_group_offsets#module:restore).
    type: path
  max_changes:
    description:
      - Maximum number of changes in this task. If more changes are planned, the task fails before anything is
        changed.
      - RV(ignore:results) then lists all planned changes with the error C(POLICY_VIOLATION).
      - By default, there is no limit.
    type: int
"""

    PLAN = r"""
options:
  plan:
    description:
      - The path of a plan of M(kafkaops.groups.consumer_offsets_audit) (C(plan.json)). The plan lists what to delete,
        and replaces the options that name groups. A plan for another cluster is rejected.
      - A plan that was changed after M(kafkaops.groups.plan_approval) approved it is rejected. An approval is not
        required. RV(ignore:plan) has the digest and the approval.
      - Each entry is checked again before the first change. It is B(skipped) unless the group has the same type,
        state and committed offsets as in the audit. The offsets are compared once more directly before each deletion.
      - Skipped entries do not fail the task. RV(ignore:results) has the reasons, and a warning has the number of
        skipped entries. Run the audit again to get an updated plan.
      - Items that do not exist are reported as unchanged.
      - Offsets are compared by value. The task cannot detect that a group committed the same offset again before the
        task started.
      - The path is on the host that the module runs on.
    type: path
  owner:
    description:
      - Apply only the entries of O(plan) with this owner, as a name or a list of names. Entries of other owners, and
        entries without an owner, are not read and not changed, and are not in RV(ignore:results).
      - The owners are those of O(kafkaops.groups.consumer_offsets_audit#module:owners) in the audit. An owner that the
        audit did not know is an error. An owner whose groups are not in the plan is not; nothing is changed then.
      - RV(ignore:plan) has the digest and the approval of the whole plan.
      - Numbers are rejected. Quote them. This is why the type is V(raw).
      - By default, all entries are applied. A variable without a value is an error, and does not mean all owners.
      - Requires O(plan).
    type: raw
    default: "*"
"""
