# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One task of the collection against a real cluster: in this process, or through Ansible."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import CONNECTION_SPEC
from ansible_collections.kafkaops.groups.plugins.module_utils._audit import audit
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.settings import Settings
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.options import Connection
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.session import Session
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import (
    _offset_request,
    delete_groups,
    info,
    members,
    offsets,
    topics,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.results import Item

from tests.support.collection import install

#: Seconds in which a task that cannot connect says so.
REFUSED_WITHIN = 5.0
OPERATIONS: dict[str, tuple[Callable[[Any], Any], Callable[..., Coroutine[Any, Any, Any]], dict[str, Any]]] = {
    "consumer_group": (
        delete_groups.parse,
        delete_groups.delete_groups,
        {"names": None, "plan": None, "force": False, "backup": None, "max_changes": None},
    ),
    "consumer_group_members": (
        members.parse,
        members.remove_members,
        {"remove_all": False, "members": None, "reason": "test", "settle_time": 0, "timeout": 120.0},
    ),
    "consumer_group_offsets": (
        _offset_request.parse,
        offsets.change_offsets,
        {
            **dict.fromkeys(
                ("group", "groups", "plan", "topics", "offsets", "reset_to", "reset_value", "restore_from")
            ),
            "state": "present",
            "unsubscribed": False,
            "force": False,
            "missing_only": False,
            "recreated": "fail",
            "backup": None,
            "max_changes": None,
        },
    ),
    "topic": (topics.parse_deletion, topics.delete_topics, {"max_changes": None}),
    "topic_info": (topics.parse_question, topics.topic_info, {"names": None, "match": None, "log": False}),
    "consumer_group_info": (
        info.parse,
        info.gather_info,
        {"names": None, "match": None, "states": None, "types": None, "gather": ["state"]},
    ),
}


AUDIT: dict[str, Any] = {
    "stale_after": "30d",
    "include": ["*"],
    "exclude": [],
    "master": "local[1]",
    "spark_conf": {},
    "topic": "__consumer_offsets",
}


def connection(bootstrap: str, **options: Any) -> Connection:
    """Connection options with their defaults."""
    params = {name: spec.get("default") for name, spec in CONNECTION_SPEC.items()}
    return Connection.from_params({**params, "bootstrap_servers": bootstrap.split(","), **options})


def audit_settings(output: Path | str, bootstrap: str = "127.0.0.1:1", **given: Any) -> Settings:
    """What an audit is asked for, with defaults. Raises TaskError as the module's options do."""
    return audit.parse({**AUDIT, **vars(connection(bootstrap)), "output": str(output), **given})


class Outcome:
    """What a task run in this process gave: its items or its answer, how many of each RPC it sent, and its warnings."""

    def __init__(self, given: Any, requests: Mapping[str, int], warnings: list[str]) -> None:
        self.given = given
        self.requests = dict(requests)
        self.warnings = warnings

    @property
    def items(self) -> list[Item[Any]]:
        """The items of a changing task."""
        return list(self.given.items)

    @property
    def changed(self) -> int:
        """How many items were changed."""
        return sum(item.changed for item in self.items)

    @property
    def errors(self) -> dict[str, str]:
        """The failed groups, and the name of each one's error."""
        return {item.target.group: item.error.name for item in self.items if item.error}


def run(
    module: str, bootstrap: str, check: bool = False, connect: Mapping[str, Any] | None = None, **args: Any
) -> Outcome:
    """Run a module's operation in this process, without Ansible. Raises TaskError as the operation does."""
    parse, operation, defaults = OPERATIONS[module]
    request = parse({**defaults, **args})
    with Session(connection(bootstrap, **(connect or {})), check) as session:
        given = session.wire.run(operation, request, session)
        return Outcome(given, session.wire.requests, session.warnings)


def run_audit(output: Path, bootstrap: str, **given: Any) -> dict[str, Any]:
    """Run C(consumer_offsets_audit) in this process, without Ansible. Raises TaskError as the module fails."""
    wanted = audit_settings(output, bootstrap, **given)
    with Session(wanted.connection, check_mode=False) as session:
        return session.wire.run(audit.audit, wanted, session)


def look(bootstrap: str, **connect: Any) -> Outcome:
    """Run a task that only reads."""
    return run("consumer_group_info", bootstrap, connect=connect)


def refusal(bootstrap: str, task: Callable[..., object] = look, **connect: Any) -> str:
    """Return the one sentence with which a task fails that cannot connect; below `REFUSED_WITHIN` seconds."""
    started = time.monotonic()
    with pytest.raises(TaskError) as failure:
        task(bootstrap, **connect)
    assert time.monotonic() - started < REFUSED_WITHIN
    sentence = str(failure.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


def ansible(module: str, bootstrap: str, check: bool = False, **args: Any) -> dict[str, Any]:
    """Run a module as a task of Ansible's, and return what it returned; C(rc) is ansible's own exit code."""
    folder = Path(sys.executable).parent
    command = [
        *(
            str(folder / "ansible"),
            "localhost",
            "-c",
            "local",
            "-m",
            f"kafkaops.groups.{module}",
            "-a",
            json.dumps(args),
        ),
        *("-e", f"ansible_python_interpreter={sys.executable}", *(["--check"] if check else [])),
    ]
    environment = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(install()),
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
        "KAFKA_BOOTSTRAP_SERVERS": bootstrap,
    }
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    _head, found, answer = ended.stdout.partition(" => ")
    if not found:
        raise RuntimeError(ended.stdout + ended.stderr)
    returned: dict[str, Any] = json.loads(answer)
    return {**returned, "rc": ended.returncode}
