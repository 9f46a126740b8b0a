#!/usr/bin/python

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import members


def main() -> None:
    run(
        {
            "names": {"type": "raw", "required": True, "aliases": ["name"]},
            "remove_all": {"type": "bool", "default": False},
            "members": {
                "type": "list",
                "elements": "dict",
                "options": {"group_instance_id": {"type": "raw"}, "member_id": {"type": "raw"}},
            },
            "reason": {"type": "str", "default": "removed by kafkaops.groups.consumer_group_members"},
            "settle_time": {"type": "float", "default": 0},
        },
        members.parse,
        members.remove_members,
        required_one_of=[("remove_all", "members")],
        mutually_exclusive=[("remove_all", "members")],
    )


if __name__ == "__main__":
    main()
