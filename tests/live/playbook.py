# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Playbooks against a real cluster, run by ansible-runner, and what their tasks returned."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import ansible_runner

from tests.support.collection import install


class Play(NamedTuple):
    """What a run gave.

    Attributes:
        code: the exit code.
        tasks: what each task returned, by its name; of several hosts that ran it, the last.
        words: what failed said.
        artifacts: what was handed on.
        hosts: which hosts ran each task.
    """

    code: int
    tasks: dict[str, dict[str, Any]]
    words: str
    artifacts: dict[str, Any]
    hosts: dict[str, list[str]]

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
    options = [*(["--check"] if check else []), *([f"--tags {tags}"] if tags else [])]
    here = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    hosts = {name: here | dict(given) for name, given in (inventory or {}).items()}
    with tempfile.TemporaryDirectory(prefix="playbook-") as scratch:
        done = ansible_runner.run(
            private_data_dir=str(folder or scratch),
            playbook=f"kafkaops.groups.{playbook}" if isinstance(playbook, str) else playbook,
            inventory={"all": {"hosts": hosts}} if hosts else None,
            extravars=dict(variables),
            cmdline=" ".join(options),
            envvars=environment(bootstrap),
            quiet=True,
            timeout=900,
        )
        return read(done)


def play_tasks(tasks: Sequence[Mapping[str, Any]], bootstrap: str) -> Play:
    """Run a play of tasks, on localhost."""
    interpreter = {"ansible_python_interpreter": sys.executable}
    return play([{"hosts": "localhost", "gather_facts": False, "tasks": [*tasks]}], bootstrap, interpreter)


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
    events = [(event["event"], event.get("event_data", {})) for event in done.events]
    finished = [data for event, data in events if event in ("runner_on_ok", "runner_on_failed")]
    hosts: dict[str, list[str]] = {}
    for data in finished:
        hosts.setdefault(data["task"], []).append(data["host"])
    failures = [
        str(data["res"]["msg"]) for event, data in events if event in ("runner_on_failed", "runner_item_on_failed")
    ]
    handed_on = [data["artifact_data"] for event, data in events if event == "playbook_on_stats"]
    assert handed_on, done.stdout.read()
    tasks = {data["task"]: data["res"] for data in finished}
    return Play(int(done.rc), tasks, " ".join(failures), handed_on[-1], hosts)
