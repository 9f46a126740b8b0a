#!/usr/bin/python

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import info


def main() -> None:
    run(
        {
            "names": {"type": "raw", "aliases": ["name"]},
            "match": {"type": "raw"},
            "states": {
                "type": "list",
                "elements": "str",
                "choices": [
                    "Empty",
                    "Stable",
                    "PreparingRebalance",
                    "CompletingRebalance",
                    "Assigning",
                    "Reconciling",
                    "NotReady",
                    "Dead",
                ],
            },
            "types": {"type": "list", "elements": "str", "choices": ["classic", "consumer", "share", "streams"]},
            "gather": {
                "type": "list",
                "elements": "str",
                "choices": ["state", "members", "offsets", "lag", "permissions"],
                "default": ["state"],
            },
            "partial": {"type": "bool", "default": False},
        },
        info.parse,
        info.gather_info,
        mutually_exclusive=[("names", "match")],
    )


if __name__ == "__main__":
    main()
