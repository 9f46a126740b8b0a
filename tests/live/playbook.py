# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Playbooks against a real cluster, run by ansible-runner, and what their tasks returned."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import ansible_runner

from tests.support.collection import install, interpreter, reused
from tests.support.java import lent

#: Before and after the rows of `play_role`.
BEGIN, RESCUE = "Begin ", "Rescue "

Event = tuple[str, dict[str, Any]]


class Play(NamedTuple):
    """What a run gave.

    Attributes:
        code: the exit code.
        tasks: what each task returned, by its name; of several hosts that ran it, the last.
        words: what failed said.
        artifacts: what was handed on.
        hosts: which hosts ran each task.
        retries: what each round of a task with C(until) returned, but the last.
    """

    code: int
    tasks: dict[str, dict[str, Any]]
    words: str
    artifacts: dict[str, Any]
    hosts: dict[str, list[str]]
    retries: list[dict[str, Any]]

    @property
    def changed(self) -> list[str]:
        """The tasks that changed something, or in check mode would."""
        return [name for name, result in self.tasks.items() if result.get("changed")]

    @property
    def passed_on(self) -> dict[str, Any]:
        """The variables of a role among the artifacts, without its summary."""
        return {name: value for name, value in self.artifacts.items() if not name.startswith("kafka_")}


def environment(bootstrap: str) -> dict[str, str]:
    """What Ansible needs to find the collection and the cluster."""
    return {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "ANSIBLE_COLLECTIONS_PATH": str(install()),
        "KAFKA_BOOTSTRAP_SERVERS": bootstrap,
        **reused(),
        **lent(),
    }


def play(
    playbook: str | list[dict[str, Any]],
    bootstrap: str,
    variables: Mapping[str, Any],
    *,
    check: bool = False,
    tags: str = "",
    inventory: Mapping[str, Mapping[str, Any]] | None = None,
    folder: Path | None = None,
) -> Play:
    """Run ``ansible-playbook``: a playbook of the collection by its name, or the plays that are given.

    `inventory` has the variables of each host, which all are this machine; it stays in `folder`, if that is given.
    """
    here = {"ansible_connection": "local", "ansible_python_interpreter": interpreter()}
    hosts = {name: here | dict(given) for name, given in (inventory or {}).items()}
    with run(playbook, bootstrap, variables, check, tags, {"all": {"hosts": hosts}} if hosts else None, folder) as done:
        return read(done)


@contextlib.contextmanager
def run(
    playbook: str | list[dict[str, Any]],
    bootstrap: str,
    variables: Mapping[str, Any],
    check: bool = False,
    tags: str = "",
    inventory: dict[str, Any] | None = None,
    folder: Path | None = None,
) -> Iterator[ansible_runner.Runner]:
    """Run a playbook as `play` does; what it gave is there until the end of the context."""
    options = [*(["--check"] if check else []), *([f"--tags {tags}"] if tags else [])]
    with tempfile.TemporaryDirectory(prefix="playbook-") as scratch:
        yield ansible_runner.run(
            private_data_dir=str(folder or scratch),
            playbook=f"kafkaops.groups.{playbook}" if isinstance(playbook, str) else playbook,
            inventory=inventory,
            extravars={"ansible_python_interpreter": interpreter(), **variables},
            cmdline=" ".join(options),
            envvars=environment(bootstrap),
            quiet=True,
            timeout=1800,
        )


def play_role(
    role: str, bootstrap: str, rows: Mapping[str, Mapping[str, Any]], common: Mapping[str, Any]
) -> dict[str, Play]:
    """Run a role once for each row, with its variables and the common ones, in one run of Ansible.

    What fails ends its own row. What rows hand on is not told apart, and left out.
    """
    tasks: list[dict[str, Any]] = []
    for name, variables in rows.items():
        included = {"name": f"kafkaops.groups.{role}"}
        tasks += [
            {"name": BEGIN + name, "ansible.builtin.debug": {}},
            {
                "name": name,
                "block": [{"ansible.builtin.include_role": included, "vars": {**common, **variables}}],
                "rescue": [{"name": RESCUE + name, "ansible.builtin.debug": {}}],
            },
        ]
    with run([{"hosts": "localhost", "gather_facts": False, "tasks": tasks}], bootstrap, {}) as done:
        events = _events(done)
    begun = {data["task"].removeprefix(BEGIN): at for at, (_event, data) in enumerate(events) if _begins(data)}
    ends = [*list(begun.values())[1:], len(events)]
    return {name: _play(events[at + 1 : end], {}) for (name, at), end in zip(begun.items(), ends, strict=True)}


def play_tasks(tasks: Sequence[Mapping[str, Any]], bootstrap: str) -> Play:
    """Run a play of tasks, on localhost."""
    return play([{"hosts": "localhost", "gather_facts": False, "tasks": [*tasks]}], bootstrap, {})


def shell(command: str, bootstrap: str) -> str:
    """Run a command as a run of ours has printed it, in a shell, and return its output."""
    done = subprocess.run(
        command,
        shell=True,
        env={**os.environ, **environment(bootstrap)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def read(done: ansible_runner.Runner) -> Play:
    """Return what a run of ansible-runner's gave, of which the files are still there."""
    events = _events(done)
    handed_on = [data["artifact_data"] for event, data in events if event == "playbook_on_stats"]
    assert handed_on, done.stdout.read()
    return _play(events, handed_on[-1])._replace(code=int(done.rc))


def _events(done: ansible_runner.Runner) -> list[Event]:
    return [(event["event"], event.get("event_data", {})) for event in done.events]


def _begins(data: Mapping[str, Any]) -> bool:
    return "res" in data and str(data.get("task")).startswith(BEGIN)


def _play(events: Sequence[Event], artifacts: dict[str, Any]) -> Play:
    finished = [data for event, data in events if event in ("runner_on_ok", "runner_on_failed")]
    hosts: dict[str, list[str]] = {}
    for data in finished:
        hosts.setdefault(data["task"], []).append(data["host"])
    failures = [
        str(data["res"]["msg"]) for event, data in events if event in ("runner_on_failed", "runner_item_on_failed")
    ]
    tasks = {data["task"]: data["res"] for data in finished}
    retries = [data["res"] for event, data in events if event == "runner_retry"]
    code = 2 if any(name.startswith(RESCUE) for name in tasks) else 0
    return Play(code, tasks, " ".join(failures), artifacts, hosts, retries)
