# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A relative path would count from the collection's own folder: each playbook refuses it before it connects."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live.playbook import play

CLEANUP = {"cleanup_output": "/tmp", "cleanup_backup_folder": "/tmp"}
TEARDOWN = {"teardown_groups": ["test-4711-*"]}
STREAMS_RESET = {"streams_reset_application_id": "app", "streams_reset_input_topics": ["in"]}


@pytest.mark.parametrize(
    ("playbook", "variables", "path"),
    [
        ("audit", {"audit_output": "found"}, "found"),
        ("audit", {"audit_output": "/tmp", "audit_owners_file": "found"}, "found"),
        ("audit", {"audit_output": "/tmp", "audit_metrics_file": "found"}, "found"),
        ("cleanup", {**CLEANUP, "cleanup_output": "found"}, "found"),
        ("cleanup", {**CLEANUP, "cleanup_backup_folder": "found"}, "found"),
        ("cleanup", {**CLEANUP, "cleanup_plan": "found"}, "found"),
        ("cleanup", {**CLEANUP, "cleanup_owners_file": "found"}, "found"),
        ("cleanup", {**CLEANUP, "cleanup_backup_folder": ""}, "(empty)"),
        ("restore", {"restore_from": ["/tmp/good.json", "found"]}, "found"),
        ("streams_reset", {**STREAMS_RESET, "streams_reset_backup_folder": "found"}, "found"),
        ("streams_reset", {**STREAMS_RESET, "streams_reset_to": "file", "streams_reset_file": "found"}, "found"),
        ("teardown", {**TEARDOWN, "teardown_backup_folder": "found"}, "found"),
    ],
)
def test_refused(playbook: str, variables: dict[str, Any], path: str) -> None:
    done = play(playbook, "127.0.0.1:1", variables)
    assert done.code == 2
    assert done.words.startswith(f"{path}: must be an absolute path: start it with / or ~. Nothing was ")
