#!/usr/bin/python

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _offset_request, offsets

TOPICS = {
    "type": "list",
    "elements": "dict",
    "options": {
        "name": {"type": "raw", "required": True},
        "partitions": {"type": "list", "elements": "int"},
    },
}


def main() -> None:
    run(
        {
            "group": {"type": "raw"},
            "topics": TOPICS,
            "groups": {
                "type": "list",
                "elements": "dict",
                "options": {"name": {"type": "raw", "required": True}, "topics": TOPICS},
            },
            "state": {"type": "str", "choices": ["absent", "present"], "default": "present"},
            "unsubscribed": {"type": "bool", "default": False},
            "offsets": {
                "type": "list",
                "elements": "dict",
                "options": {
                    "topic": {"type": "raw", "required": True},
                    "partition": {"type": "int", "required": True},
                    "offset": {"type": "int", "required": True},
                    "metadata": {"type": "str"},
                    "leader_epoch": {"type": "int"},
                },
            },
            "reset_to": {
                "type": "str",
                "choices": ["earliest", "latest", "timestamp", "duration", "offset", "shift"],
            },
            "reset_value": {"type": "raw"},
            "restore_from": {"type": "path"},
            "force": {"type": "bool", "default": False},
            "backup": {"type": "path"},
            "max_changes": {"type": "int"},
        },
        _offset_request.parse,
        offsets.change_offsets,
        mutually_exclusive=[("group", "groups")],
    )


if __name__ == "__main__":
    main()
