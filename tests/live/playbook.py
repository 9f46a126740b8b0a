# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A playbook of the collection against a real cluster, run by ansible-runner, and what its tasks returned."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import ansible_runner

from tests.support.collection import install


class Play(NamedTuple):
    """What a run gave: the exit code, what each task returned, by its name, what failed said, what was handed on."""

    code: int
    tasks: dict[str, dict[str, Any]]
    words: str
    artifacts: dict[str, Any]

    @property
    def changed(self) -> list[str]:
        """The tasks that changed something, or in check mode would."""
        return [name for name, result in self.tasks.items() if result.get("changed")]


def play(
    name: str, bootstrap: str, variables: Mapping[str, Any], *, check: bool = False, tags: str = "", skip_tags: str = ""
) -> Play:
    """Run ``ansible-playbook kafkaops.groups.NAME``."""
    chosen = {"--tags": tags, "--skip-tags": skip_tags}
    options = [*(["--check"] if check else []), *(f"{option} {given}" for option, given in chosen.items() if given)]
    return _run(f"kafkaops.groups.{name}", bootstrap, variables, " ".join(options))


def play_tasks(tasks: Sequence[Mapping[str, Any]], bootstrap: str) -> Play:
    """Run a play of tasks, on localhost."""
    interpreter = {"ansible_python_interpreter": sys.executable}
    return _run([{"hosts": "localhost", "gather_facts": False, "tasks": [*tasks]}], bootstrap, interpreter, "")


def _run(playbook: str | list[dict[str, Any]], bootstrap: str, variables: Mapping[str, Any], options: str) -> Play:
    with tempfile.TemporaryDirectory(prefix="playbook-") as folder:
        done = ansible_runner.run(
            private_data_dir=folder,
            playbook=playbook,
            extravars=dict(variables),
            cmdline=options,
            envvars={
                "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
                "ANSIBLE_COLLECTIONS_PATH": str(install()),
                "KAFKA_BOOTSTRAP_SERVERS": bootstrap,
            },
            quiet=True,
            timeout=900,
        )
        return read(done)


def read(done: ansible_runner.Runner) -> Play:
    """Return what a run of ansible-runner's gave, of which the files are still there."""
    events = [(event["event"], event.get("event_data", {})) for event in done.events]
    tasks = {data["task"]: data["res"] for event, data in events if event in ("runner_on_ok", "runner_on_failed")}
    failures = [
        str(data["res"]["msg"]) for event, data in events if event in ("runner_on_failed", "runner_item_on_failed")
    ]
    handed_on = [data["artifact_data"] for event, data in events if event == "playbook_on_stats"]
    assert tasks, done.stdout.read()
    return Play(int(done.rc), tasks, " ".join(failures), handed_on[-1])
