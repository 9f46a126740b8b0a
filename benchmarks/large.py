# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks large``: 100,000 groups with 10 offsets each, and the job event of 10,000 deletions.

The total lag of all groups beside a list of their states, as a module's process and as ``ansible-playbook``; and what
AWX stores of a task that deletes groups, with each `detail`, and how long the task takes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import ansible_runner
import yaml

from benchmarks.document import replace_section, table
from benchmarks.measure import Command, measure
from tests.support import commits, topics
from tests.support.broker import Cluster
from tests.support.collection import install

SIZE, PARTITIONS, DELETED = 100_000, 10, 10_000
AIM = 3
TOPIC = "bench"
DETAILS = ("full", "problems", "summary")
#: ansible-runner stores no results that are longer, unless MAX_EVENT_RES allows them
MAX_EVENT_RES = 700_000
_MODULE = "ansible_collections.kafkaops.groups.plugins.modules.consumer_group_info"
#: seconds for one read, also on a busy machine
PATIENCE = 1800
_BATCH = 10_000
_LOOK = 0.05
#: what is asked for, and how it is called
READS = {"list": ("list the states", ["state"]), "lag": ("total lag of each group", ["lag"])}


class Wrong(Exception):
    """A result is not what it should be."""


class Read(NamedTuple):
    """One run: seconds, seconds of CPU of the process and of those that it started, and the bytes of each at its peak.

    Attributes:
        playbook: the memory of ansible-playbook itself; 0 for a module alone.
    """

    wall: float
    cpu: float
    peak: int
    playbook: int = 0


class Event(NamedTuple):
    """A task in a job: the bytes of its event and of all its events, and its seconds in each run, as Ansible says."""

    largest: int
    every: int
    seconds: list[float]


def _read(cluster: Cluster, gather: list[str], folder: Path, size: int) -> Read:
    """Run the module as Ansible does."""
    arguments = {
        "ANSIBLE_MODULE_ARGS": {"gather": gather, "bootstrap_servers": [cluster.bootstrap], "timeout": PATIENCE}
    }
    command = Command([sys.executable, "-m", _MODULE], json.dumps(arguments))
    took = measure(command, "list", cluster, folder, counted=False, timeout=PATIENCE)
    if took.done != size:
        raise Wrong(f"{took.done} groups, and not {size}")
    return Read(took.wall, took.cpu, took.peak)


def _play(cluster: Cluster, gather: list[str], folder: Path, size: int) -> Read:
    """Run ``ansible-playbook`` with this task, and another one that counts the groups."""
    play = {
        "hosts": "localhost",
        "connection": "local",
        "gather_facts": False,
        "tasks": [
            {"kafkaops.groups.consumer_group_info": {"gather": gather, "timeout": PATIENCE}, "register": "info"},
            {"ansible.builtin.assert": {"that": f"info.groups | length == {size}", "quiet": True}},
        ],
    }
    path = folder / "play.yml"
    path.write_text(yaml.safe_dump([play]), encoding="utf-8")
    before, started, peak = os.times(), time.perf_counter(), 0
    with (folder / "play.log").open("w") as log:
        process = subprocess.Popen(
            [str(Path(sys.executable).with_name("ansible-playbook")), str(path)],
            env={**os.environ, **_environment(cluster)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        while process.poll() is None:
            peak = max(peak, _peak(process.pid))
            time.sleep(_LOOK)
    wall, after = time.perf_counter() - started, os.times()
    if process.returncode:
        raise Wrong((folder / "play.log").read_text(encoding="utf-8")[-1500:])
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Read(wall, cpu, 0, peak)


def _peak(pid: int) -> int:
    """The bytes that a process has used at its peak; 0 if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except FileNotFoundError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:"))


def _environment(cluster: Cluster) -> dict[str, str]:
    return {
        "ANSIBLE_COLLECTIONS_PATH": str(install()),
        "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
        "KAFKA_BOOTSTRAP_SERVERS": cluster.bootstrap,
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
    }


def events(cluster: Cluster, names: list[str], runs: int) -> dict[str, Event]:
    """The events of a job that would delete these groups, with each detail in turn.

    In check mode, in which the results are the same.
    """
    tasks = [
        {
            "name": f"{detail} {number}",
            "kafkaops.groups.consumer_group": {"names": "{{ names }}", "detail": detail},
            "check_mode": True,
        }
        for number in range(runs)
        for detail in DETAILS
    ]
    play = {"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": tasks}
    sizes: dict[str, list[int]] = defaultdict(list)
    seconds: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="large-") as folder:
        done = ansible_runner.run(
            private_data_dir=folder,
            playbook=[play],
            extravars={"names": names},
            # else the results of the largest event are missing
            envvars={**_environment(cluster), "MAX_EVENT_RES": str(10**9)},
            quiet=True,
        )
        if done.rc:
            raise Wrong(done.stdout.read()[-1500:])
        for event in done.events:
            detail, _space, number = event.get("event_data", {}).get("task", "").partition(" ")
            if detail not in DETAILS:
                continue
            if event["event"] == "runner_on_ok":
                seconds[detail].append(event["event_data"]["duration"])
            if number == "0":
                sizes[detail].append(len(json.dumps(event)))
    return {detail: Event(max(found), sum(found), seconds[detail]) for detail, found in sizes.items()}


def create(cluster: Cluster, size: int) -> list[str]:
    """Commit for so many groups, on each of the partitions."""
    client = cluster.client()
    topics.create(client, TOPIC, PARTITIONS, records=10 * PARTITIONS)
    names = [f"bench-{number:06d}" for number in range(size)]
    offsets = {(TOPIC, partition): (3, "", -1) for partition in range(PARTITIONS)}
    for start in range(0, size, _BATCH):
        commits.commit_many(client, dict.fromkeys(names[start : start + _BATCH], offsets))
    return names


Reads = dict[tuple[str, str], list[Read]]


def run(runs: int, size: int, deleted: int) -> tuple[Reads, dict[str, Event]]:
    """Measure both reads in turn, as a module and as a playbook, and then the events, on one broker."""
    taken: Reads = defaultdict(list)
    with Cluster.start("single") as cluster, tempfile.TemporaryDirectory(prefix="large-") as scratch:
        names = create(cluster, size)
        for _run in range(runs):
            for read, (_words, gather) in READS.items():
                taken[read, "module"].append(_read(cluster, gather, Path(scratch), size))
                taken[read, "playbook"].append(_play(cluster, gather, Path(scratch), size))
        return taken, events(cluster, names[:deleted], runs)


def page(size: int, deleted: int, taken: Reads, jobs: dict[str, Event]) -> str:
    """The result as Markdown."""
    rows = [["", "module, s", "its CPU, s", "its memory", "ansible-playbook, s", "its CPU, s", "its memory"]]
    for read, (words, _gather) in READS.items():
        alone, whole = taken[read, "module"], taken[read, "playbook"]
        rows.append(
            [
                words,
                *(f"{_median(alone, field):.1f}" for field in ("wall", "cpu")),
                f"{_median(alone, 'peak') / 1e6:.0f} MB",
                *(f"{_median(whole, field):.1f}" for field in ("wall", "cpu")),
                f"{_median(whole, 'playbook') / 1e6:.0f} MB",
            ]
        )
    ratios = {
        kind: {
            field: _median(taken["lag", kind], field) / _median(taken["list", kind], field) for field in ("wall", "cpu")
        }
        for kind in ("module", "playbook")
    }
    told = "; ".join(
        f"{words}: {ratios[kind]['wall']:.2f} times, {ratios[kind]['cpu']:.2f} times in CPU"
        for kind, words in (("module", "the module"), ("playbook", "ansible-playbook"))
    )
    reached = ratios["playbook"]["wall"] <= AIM
    shown = [["detail", "event of the task", "all its events", "the task", ""]]
    for detail, job in jobs.items():
        stored = "stored without results" * (job.largest > MAX_EVENT_RES)
        sizes = [f"{length / 1e3:,.1f} kB" for length in (job.largest, job.every)]
        shown.append([detail, *sizes, f"{statistics.median(job.seconds):.2f} s", stored])
    runs = len(taken["lag", "module"])
    return (
        f"Medians of {runs} runs in turn, on one broker: {size:,} groups with {PARTITIONS} committed offsets each. The "
        f"memory is that of each process at its peak.\n\n{table(rows)}\n\nThe total lag takes, compared with the list: "
        f"{told}. The aim is at most {AIM} times for ansible-playbook: {'reached' if reached else '**missed**'}.\n\n"
        f"What AWX stores of a task that deletes {deleted:,} groups, by default without results that are longer than "
        f"{MAX_EVENT_RES / 1e3:,.0f} kB (`MAX_EVENT_RES` of ansible-runner), and how long the task takes, in check "
        f"mode:\n\n{table(shown)}"
    )


def _median(reads: Sequence[Read], field: str) -> float:
    return float(statistics.median(getattr(read, field) for read in reads))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--size", type=int, default=SIZE, help="number of groups")
    parser.add_argument("--deleted", type=int, default=DELETED, help="how many of them a job would delete")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    given = parser.parse_args()
    text = page(given.size, given.deleted, *run(given.runs, given.size, given.deleted))
    print(text)
    if given.write:
        replace_section("large", text)


if __name__ == "__main__":
    main()
