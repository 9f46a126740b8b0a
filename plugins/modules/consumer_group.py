#!/usr/bin/python

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import delete_groups


def main() -> None:
    run(
        {
            "names": {"type": "raw", "required": True, "aliases": ["name"]},
            "state": {"type": "str", "choices": ["absent"], "default": "absent"},
            "force": {"type": "bool", "default": False},
            "backup": {"type": "path"},
            "max_changes": {"type": "int"},
        },
        delete_groups.parse,
        delete_groups.delete_groups,
    )


if __name__ == "__main__":
    main()
