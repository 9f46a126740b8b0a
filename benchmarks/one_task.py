# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks one_task``: compare one task on one group with ``ansible.builtin.ping`` in the same play.

The tasks stand in turn; what a task takes is what Ansible's callbacks see, the start of its worker included.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import ansible_runner
import yaml

from benchmarks import figures
from benchmarks.document import replace_section, table
from benchmarks.stages import STAGES
from tests.support import commits, topics
from tests.support.broker import Cluster
from tests.support.collection import CHECKOUT, install

GROUP, SHARE = "one", "shared"
PING = "ansible.builtin.ping"
AIM = 1.35
#: tasks whose stages are shown: the number of groups, and which items they return
STAGED = ((1, "full"), (10_000, "full"), (10_000, "problems"))
#: what each run deletes: a group of its own
DOOMED = "doomed-{{ run }}"
#: arguments by the name of the task, which begins with that of its module
TASKS = {
    PING: {},
    "kafkaops.groups.consumer_group_info": {"names": [GROUP]},
    "kafkaops.groups.consumer_group": {"names": [DOOMED]},
    "kafkaops.groups.consumer_group, no such group": {"names": [DOOMED]},
    "kafkaops.groups.consumer_group_members": {"names": [GROUP], "remove_all": True},
    "kafkaops.groups.consumer_group_offsets": {
        "group": GROUP,
        "state": "present",
        "offsets": [{"topic": GROUP, "partition": 0, "offset": 1}],
    },
    "kafkaops.groups.share_group_offsets": {
        "group": SHARE,
        "topics": [{"name": GROUP}],
        "reset": {"to_earliest": True},
    },
    "kafkaops.groups.group_config": {"name": GROUP},
    "kafkaops.groups.topic_info": {"names": [GROUP]},
}


def durations(bootstrap: str, runs: int) -> dict[str, list[float]]:
    """Seconds of each task, per run."""
    todo = [
        {"name": name, name.partition(",")[0]: arguments, "vars": {"run": run}}
        for run in range(runs + 1)
        for name, arguments in TASKS.items()
    ]
    play = {"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": todo}
    with tempfile.TemporaryDirectory(prefix="one-task-") as folder:
        (Path(folder) / "project").mkdir()
        (Path(folder) / "project" / "play.yml").write_text(yaml.safe_dump([play]), encoding="utf-8")
        done = ansible_runner.run(
            private_data_dir=folder,
            playbook="play.yml",
            envvars={
                "ANSIBLE_COLLECTIONS_PATH": str(install()),
                "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
                "KAFKA_BOOTSTRAP_SERVERS": bootstrap,
                "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            },
            quiet=True,
        )
        if done.rc:
            raise RuntimeError(done.stdout.read())
        taken = defaultdict(list)
        for event in done.events:
            if event["event"] == "runner_on_ok":
                taken[event["event_data"]["task"]].append(event["event_data"]["duration"])
    # the first of each makes Ansible build the module's payload, once a play
    return {name: values[1:] for name, values in taken.items()}


def stages(bootstrap: str, runs: int, groups: list[str], detail: str) -> dict[str, list[float]]:
    """Milliseconds of each stage of one task that would delete these groups, per run."""
    parameters = {"names": groups, "detail": detail, "bootstrap_servers": [bootstrap], "_ansible_check_mode": True}
    given = json.dumps({"ANSIBLE_MODULE_ARGS": parameters})
    command = [sys.executable, "-m", "benchmarks.stages"]
    taken = defaultdict(list)
    for _run in range(runs):
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=True, cwd=CHECKOUT)
        for stage, value in json.loads(done.stdout).items():
            taken[stage].append(value)
    return taken


def measure(
    runs: int, staged: Sequence[tuple[int, str]]
) -> tuple[dict[str, list[float]], dict[tuple[int, str], dict[str, list[float]]]]:
    """The durations, and the stages of each task of `staged`, on one broker."""
    with Cluster.start("single") as cluster:
        topics.create(cluster.client(), GROUP, 1, records=1)
        offsets = {(GROUP, 0): (1, "", -1)}
        doomed = [DOOMED.replace("{{ run }}", str(run)) for run in range(runs + 1)]
        commits.commit_many(cluster.client(), dict.fromkeys([GROUP, *doomed], offsets))
        taken = durations(cluster.bootstrap, runs)
        most = max((size for size, _detail in staged), default=1)
        groups = [GROUP, *(f"{GROUP}-{number}" for number in range(1, most))]
        commits.commit_many(cluster.client(), dict.fromkeys(groups, offsets))
        return taken, {
            (size, detail): stages(cluster.bootstrap, runs, groups[:size], detail) for size, detail in staged
        }


def page(taken: dict[str, list[float]], by_task: dict[tuple[int, str], dict[str, list[float]]]) -> str:
    """The result as Markdown."""
    rows = [["task", "ms", "times ping", ""]]
    for name, values in taken.items():
        times = figures.ratio(values, taken[PING])
        verdict = "" if name == PING else "reached" if times <= AIM else "**missed**"
        rows.append([name, f"{statistics.median(values) * 1000:.0f}", f"{times:.2f}", verdict])
    where = [["where the time of a task that deletes groups goes, in check mode, in ms"]]
    where[0] += [
        f"{size:,} group{'s' * (size > 1)}" + (f", detail: {detail}" if detail != "full" else "")
        for size, detail in by_task
    ]
    where += [[stage, *(f"{statistics.median(one[stage]):.0f}" for one in by_task.values())] for stage in STAGES]
    runs = len(taken[PING])
    return (
        f"Medians of {runs} tasks in turn in one play; the aim is {AIM} times ping.\n\n{table(rows)}\n\n{table(where)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    given = parser.parse_args()
    text = page(*measure(given.runs, STAGED))
    print(text)
    if given.write:
        replace_section("one-task", text)


if __name__ == "__main__":
    main()
