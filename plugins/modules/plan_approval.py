#!/usr/bin/python

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: plan_approval
short_description: Review and approve the plan of an audit
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - With O(review_csv), write the entries of a plan of M(kafkaops.groups.consumer_offsets_audit) to a CSV file, for
    review in a spreadsheet.
  - With O(dest), write a new plan that contains only the selected entries, with the name of the person who approved
    them, the time, and a digest of the content.
  - This module only reads and writes files on the host that it runs on. It does not connect to the brokers.
  - The modules that apply a plan reject an approved plan whose content changed since. The role
    P(kafkaops.groups.cleanup#role) also rejects plans without an approval if C(cleanup_require_approval) is V(true).
extends_documentation_fragment:
  - kafkaops.groups.attributes
attributes:
  check_mode:
    support: full
    details:
      - The files are read and validated. No file is written.
  diff_mode:
    support: full
  idempotent:
    support: full
    details:
      - A file that an earlier run wrote with the same content is unchanged, and keeps its time of approval.
options:
  plan:
    description:
      - The path of the plan (C(plan.json)). It is not changed.
      - The approval of a plan that is approved already is replaced in O(dest).
    type: path
    required: true
  review_csv:
    description:
      - The path of the CSV file to write, with one line for each group and offset to delete.
      - The columns are C(action) (V(delete_group) or V(delete_offset)), C(group), C(topic), C(partition), C(owner) and
        C(evidence). C(owner) is empty if the owner is unknown.
      - Names and evidence begin with an apostrophe (C(')). Without it, a spreadsheet would execute names that begin
        with C(=), C(+), C(-) or C(@) as formulas, and convert names such as V(007) or V(2024-05) to numbers or dates.
      - An existing file with other content is never overwritten. The task fails instead.
    type: path
  dest:
    description:
      - The path of the approved plan to write, with mode C(0600). The complete file is written and synced before it
        gets its name.
      - An existing file with other content is never overwritten. The task fails instead.
      - The approved plan keeps the time of its audit, so that C(cleanup_plan_max_age) limits the age of the audit.
      - Requires O(approved_by).
    type: path
  approved_by:
    description:
      - The person who approves the plan. The name is not verified.
      - Requires O(dest).
    type: str
  match:
    description:
      - Approve only entries of groups whose names match one of these patterns, in the format of
        O(kafkaops.groups.consumer_group_info#module:match).
      - A list, or a single string, which is one pattern. This is why the type is V(raw).
    type: raw
  owner:
    description:
      - Approve only entries with this owner, as a name or a list of names, which is why the type is V(raw).
      - The owners are those of O(kafkaops.groups.consumer_offsets_audit#module:owners) in the audit. An owner that the
        audit did not know is an error. A variable without a value is an error, too.
      - By default, entries of all owners, and without an owner, are approved.
      - Requires O(dest).
    type: raw
    default: "*"
  selected_csv:
    description:
      - The path of a CSV file. Only the entries in the file are approved. Usually, this is the file of O(review_csv),
        from which somebody deleted the lines of the groups and offsets to keep.
      - Lines can be deleted and sorted. Other edits are rejected, such as a changed owner or evidence, or additional
        columns. A line that is not in the plan is an error, and so is a line that is there twice.
      - Only deleted lines count. Lines that a spreadsheet hides with a filter are in the file, and are approved.
      - The file must be UTF-8, and its first line must have the column names. The columns C(owner) and
        C(evidence) are optional. Commas, semicolons and tabs are accepted as separators, with or without a byte order
        mark and CRLF.
      - The apostrophes of O(review_csv) are optional. A name that begins with an apostrophe is written with two.
    type: path
notes:
  - By default, O(dest) contains all entries of the plan. With O(match), O(owner) and O(selected_csv), an entry must
    be selected by all that are set.
  - The digest protects against accidental changes, such as an edited or mixed up file. It is B(not) a signature.
    Everybody who can write the file can also write a valid approval. Protect the files and this task with
    permissions.
  - The digest covers the whole content of the plan, including the cluster, the criteria and time of the audit, all
    entries with their expected offsets, and the approval. It does not depend on the formatting of the file.
  - This module has no options for the connection, and is not in the action group C(kafkaops.groups.kafka).
seealso:
  - module: kafkaops.groups.consumer_offsets_audit
  - module: kafkaops.groups.consumer_group
  - module: kafkaops.groups.consumer_group_offsets
"""

EXAMPLES = r"""
- name: Review and approve a plan
  hosts: localhost
  gather_facts: false
  tasks:
    - name: Write the plan as CSV
      kafkaops.groups.plan_approval:
        plan: /var/lib/kafka-audit/plan.json
        review_csv: /var/lib/kafka-audit/review.csv

    - name: Approve the lines that are left in the edited file
      kafkaops.groups.plan_approval:
        plan: /var/lib/kafka-audit/plan.json
        selected_csv: /var/lib/kafka-audit/review-edited.csv
        approved_by: alice
        dest: /var/lib/kafka-audit/approved.json

    - name: Approve the groups of one team, in a job of AWX
      kafkaops.groups.plan_approval:
        plan: /var/lib/kafka-audit/plan.json
        owner: team-billing
        approved_by: "{{ awx_user_name }}"
        dest: "/var/lib/kafka-audit/approved-billing-{{ awx_job_id }}.json"
      register: approved

    - name: Show the digest
      ansible.builtin.debug:
        var: approved.plan.digest
"""

RETURN = r"""
path:
  description: The path of the file that was written, or would be written in check mode.
  returned: success
  type: str
  sample: /var/lib/kafka-audit/approved.json
plan:
  description: The approved plan, or with O(review_csv) the plan that was read.
  returned: success
  type: dict
  contains:
    digest:
      description:
        - The SHA-256 of the content of the plan, in hexadecimal. The modules that apply the plan return the same
          digest.
        - In check mode, an approval that is not written yet has the current time, so that its digest is not that of
          the real run.
      returned: success
      type: str
      sample: 1f825aa2f0020ef7cf91dfa30da4668d791c5d4824fc8e41354b89ec05795ab3
    approved_by:
      description: Who approved the plan. V(null) if the plan is not approved.
      returned: success
      type: str
      sample: alice
    approved_at:
      description: When the plan was approved. V(null) if the plan is not approved.
      returned: success
      type: str
      sample: "2026-01-31T14:00:00+00:00"
summary:
  description: The number of entries.
  returned: success
  type: dict
  contains:
    delete_groups:
      description: Groups to delete that are in the file.
      returned: success
      type: int
      sample: 12
    delete_offsets:
      description: Committed offsets of other groups to delete that are in the file.
      returned: success
      type: int
      sample: 3
    omitted:
      description: Entries of O(plan) that were not selected.
      returned: success
      type: int
      sample: 2
diff:
  description: The entries of O(plan) and those of the new file, with one line per entry.
  returned: in diff mode
  type: dict
  contains:
    before:
      description: With O(dest), the entries of O(plan). Empty with O(review_csv), and if the file is unchanged.
      returned: success
      type: str
      sample: "delete group 'reports'\ndelete group 'billing-old'\n"
    after:
      description: The entries of the new file. Empty if the file is unchanged.
      returned: success
      type: str
      sample: "delete group 'reports'\n"
"""

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import run_on_files
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import plan_approval


def main() -> None:
    run_on_files(
        {
            "plan": {"type": "path", "required": True},
            "review_csv": {"type": "path"},
            "dest": {"type": "path"},
            "approved_by": {"type": "str"},
            "match": {"type": "raw"},
            "owner": {"type": "raw", "default": "*"},
            "selected_csv": {"type": "path"},
        },
        plan_approval.parse,
        plan_approval.review_or_approve,
        mutually_exclusive=[("review_csv", "dest")],
        required_one_of=[("review_csv", "dest")],
        required_together=[("dest", "approved_by")],
        required_by={"match": ["dest"], "selected_csv": ["dest"]},
    )


if __name__ == "__main__":
    main()
