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
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import CONNECTION_SPEC
from ansible_collections.kafkaops.groups.plugins.module_utils._audit import audit
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.settings import Settings
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.options import Connection
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.session import Session
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.results import Item

from tests.support.collection import install, interpreter, reused
from tests.support.java import lent
from tests.support.modules import Operation, module_of

#: Seconds in which a task that cannot connect says so.
REFUSED_WITHIN = 5.0
AUDIT: dict[str, Any] = {
    "source": "topic",
    "min_snapshots": 5,
    "keep_snapshots_for": "365d",
    "local_output": None,
    "keep_audits": 1,
    "keep_for": None,
    "table_format": "parquet",
    "stale_after": "30d",
    "include": ["*"],
    "exclude": [],
    "owners": None,
    "owners_file": None,
    "master": "local[1]",
    "spark_conf": {},
    "topic": "__consumer_offsets",
    "client_rack": None,
    "read_rate": None,
    "metrics_file": None,
    "incremental": False,
}


def connection(bootstrap: str, **options: Any) -> Connection:
    """Connection options with their defaults."""
    params = {name: spec.get("default") for name, spec in CONNECTION_SPEC.items()}
    return Connection.from_params({**params, "bootstrap_servers": bootstrap.split(","), **options})


def audit_settings(output: Path | str, bootstrap: str = "127.0.0.1:1", **given: Any) -> Settings:
    """What an audit is asked for, with defaults. Raises TaskError as the module's options do."""
    # enough on a machine that does much else
    patient = vars(connection(bootstrap, timeout=600.0))
    return audit.parse({**AUDIT, **patient, "output": str(output), **given})


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


def asked(module: str, args: Mapping[str, Any]) -> tuple[Any, Operation]:
    """What a module is asked for with these options, and the operation that does it; raises as its C(parse) does."""
    spec, _rules, parse, operation = module_of(module)
    return parse(_with_defaults(spec, args)), operation


def _with_defaults(spec: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    values = {**{name: option.get("default") for name, option in spec.items()}, **given}
    for name, option in spec.items():
        value = values[name]
        if "options" in option and isinstance(value, dict):
            values[name] = _with_defaults(option["options"], value)
        elif "options" in option and isinstance(value, list):
            values[name] = [_with_defaults(option["options"], each) for each in value]
    return values


def run(
    module: str, bootstrap: str, check: bool = False, connect: Mapping[str, Any] | None = None, **args: Any
) -> Outcome:
    """Run a module's operation in this process, without Ansible. Raises TaskError as the operation does."""
    request, operation = asked(module, args)
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


def ansible(
    module: str, bootstrap: str, check: bool = False, java: Mapping[str, str] | None = None, **args: Any
) -> dict[str, Any]:
    """Run a module as a task of Ansible's, and return what it returned; C(rc) is ansible's own exit code.

    `java` is the environment of the Java for Spark, by default of one that tasks share.
    """
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
        *("-e", f"ansible_python_interpreter={interpreter()}", *(["--check"] if check else [])),
    ]
    environment = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(install()),
        "ANSIBLE_LOAD_CALLBACK_PLUGINS": "true",
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
        "KAFKA_BOOTSTRAP_SERVERS": bootstrap,
        **reused(),
        **(lent() if java is None else java),
    }
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900, check=False)
    _head, found, answer = ended.stdout.partition(" => ")
    if not found:
        raise RuntimeError(ended.stdout + ended.stderr)
    returned: dict[str, Any] = json.loads(answer)
    return {**returned, "rc": ended.returncode}
