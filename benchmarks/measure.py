# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One measured run of one peer: its process, its output, the CPU time of the brokers, and the network traffic."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import tasks
from benchmarks.processes import cpu
from tests.support.broker import Cluster

TIMEOUT = 300
_LAUNCHER = Path(__file__).with_name("launcher.py")


class Failed(Exception):
    """A peer failed; the message contains its output."""


@dataclass(frozen=True)
class Command:
    """A process to measure: its arguments, standard input, and additional environment variables."""

    arguments: Sequence[str]
    stdin: str = ""
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Took:
    """What one run took: seconds of the operation (None if the process does not say), of the whole process, of its CPU
    and of that of the brokers; bytes of memory at its peak; what it says it did; requests and bytes if they were
    counted.
    """

    seconds: float | None
    wall: float
    cpu: float
    broker_cpu: float
    peak: int
    done: int | None
    requests: int | None = None
    bytes: int | None = None


def measure(
    command: Command, operation: str, cluster: Cluster, folder: Path, counted: bool, timeout: int = TIMEOUT
) -> Took:
    """Run a command until it ends.

    :param counted: whether it goes through the proxies of the cluster.
    :raises Failed: it exits with another code than 0, or not within `timeout` seconds.
    """
    given, said, wrote, report = (folder / name for name in ("stdin", "stdout", "stderr", "report"))
    given.write_text(command.stdin, encoding="utf-8")
    for proxy in cluster.proxies.values():
        proxy.clear()
    before = cpu(cluster.pids)
    with given.open() as source, said.open("w") as out, wrote.open("w") as problems:
        launch = [sys.executable, "-I", "-S", str(_LAUNCHER), str(timeout), str(report), *command.arguments]
        subprocess.run(
            launch, stdin=source, stdout=out, stderr=problems, env={**os.environ, **command.environment}, check=True
        )
    broker_cpu = cpu(cluster.pids) - before
    took = json.loads(report.read_text(encoding="utf-8"))
    output = said.read_text(encoding="utf-8", errors="replace")
    if took["code"]:
        words = (output + wrote.read_text(encoding="utf-8", errors="replace"))[-1500:]
        raise Failed(f"exit code {took['code']} after {took['wall']:.0f} s: {words}")
    seconds, done = _answer(output, operation)
    proxies = cluster.proxies.values()
    return Took(
        seconds,
        took["wall"],
        took["cpu"],
        broker_cpu,
        took["peak"],
        done,
        sum(len(proxy.requests) for proxy in proxies) if counted else None,
        sum(proxy.traffic for proxy in proxies) if counted else None,
    )


def _answer(output: str, operation: str) -> tuple[float | None, int | None]:
    """The seconds and the count, from the line of a peer, the result of a module, or the group lines of a tool."""
    last = output.strip().rpartition("\n")[2]
    if last.startswith("{"):
        answer = json.loads(last)
        if "seconds" in answer:
            return answer["seconds"], answer["done"]
        return None, tasks.done(operation, answer)
    if operation == "offsets":
        # GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG
        return None, sum(int(line.split()[5]) for line in re.findall(r"(?m)^bench-.*$", output)) or None
    if operation in tasks.READING:
        return None, len(re.findall(r"(?m)^bench-", output)) or None
    return None, None
