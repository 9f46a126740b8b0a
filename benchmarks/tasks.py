# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The measured operations, and the task of the collection for each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.peers.contract import TOPIC

#: What each operation does; the first three change nothing.
OPERATIONS = {
    "list": "list all groups",
    "describe": "describe the groups",
    "offsets": "committed offsets and lag of all groups",
    "delete": "delete the groups",
    "delete-offsets": "delete one committed offset of each group",
    "members-of-one": "remove all members of one group",
    "members-of-many": "remove the only member of each group",
    "backup": "save all offsets of the groups to a file, then delete the groups",
    "restore": "set the offsets of groups that do not exist from a file",
}
READING = ("list", "describe", "offsets")


def task(operation: str, groups: list[str], saved: Path) -> tuple[str, dict[str, Any]]:
    """The module and its arguments for an operation."""
    info, group, offsets = "consumer_group_info", "consumer_group", "consumer_group_offsets"
    topics = [{"name": TOPIC, "partitions": [0]}]
    every: dict[str, tuple[str, dict[str, Any]]] = {
        "list": (info, {}),
        "describe": (info, {"names": groups, "gather": ["state", "members"]}),
        "offsets": (info, {"gather": ["offsets", "lag"]}),
        "delete": (group, {"names": groups}),
        "delete-offsets": (
            offsets,
            {"state": "absent", "groups": [{"name": name, "topics": topics} for name in groups]},
        ),
        "members-of-one": ("consumer_group_members", {"names": groups, "remove_all": True}),
        "members-of-many": ("consumer_group_members", {"names": groups, "remove_all": True}),
        "backup": (group, {"names": groups, "backup": str(saved)}),
        "restore": (offsets, {"state": "present", "restore": {"path": str(saved)}}),
    }
    return every[operation]


def done(operation: str, returned: dict[str, Any]) -> int:
    """The number of changes in the result of a task, as peers count them."""
    if operation not in READING:
        return int(returned["summary"]["changed"])
    if operation == "offsets":
        return sum(group["lag"] for group in returned["groups"])
    return len(returned["groups"])
