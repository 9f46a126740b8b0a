# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks share_groups``: describe and reset share groups, beside kafka-share-groups.sh.

Both are whole processes, in turn on one broker. Kafka's tool resets one group at a time: it is measured on a few,
and compared by the seconds a group.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from benchmarks import figures
from benchmarks.document import replace_section, table
from tests.live.task import run
from tests.support import topics, truth
from tests.support.broker import Cluster
from tests.support.jars import DEFAULT_VERSION, java

SIZE = 1_000
TOOL_SIZE = 10
TOPIC, RECORDS = "bench", 8
_MODULES = "ansible_collections.kafkaops.groups.plugins.modules"
_TOOL = "org.apache.kafka.tools.consumer.group.ShareGroupCommand"
_QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
_TO = ("to_latest", "to_earliest")


class Taken(NamedTuple):
    """Seconds of each run, and how many groups each changed or showed."""

    operation: str
    ours: list[float]
    size: int
    tool: list[float]
    tool_size: int


class Wrong(Exception):
    """A result is not what it should be."""


def _module(cluster: Cluster, name: str, **arguments: Any) -> tuple[float, dict[str, Any]]:
    """Run a module as Ansible does; return its seconds and its answer."""
    given = json.dumps({"ANSIBLE_MODULE_ARGS": {**arguments, "bootstrap_servers": [cluster.bootstrap]}})
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", f"{_MODULES}.{name}"], input=given, capture_output=True, text=True, check=True
    )
    return time.perf_counter() - started, json.loads(done.stdout)


def _tool(cluster: Cluster, *arguments: str) -> tuple[float, str]:
    command = java(DEFAULT_VERSION, 1024, _QUIET, _TOOL, "--bootstrap-server", cluster.bootstrap, *arguments)
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return time.perf_counter() - started, done.stdout


def measure(runs: int, size: int, tool_size: int) -> list[Taken]:
    """Measure both, in turn, so that a slow minute of the machine meets both.

    :raises Wrong: a result is not what it should be.
    """
    groups = [f"bench-{number:05d}" for number in range(size)]
    chosen = [{"name": name, "topics": [{"name": TOPIC}]} for name in groups]
    with Cluster.start("single") as cluster:
        topics.create(cluster.client(), TOPIC, 1, records=RECORDS)
        run("share_group_offsets", cluster.bootstrap, groups=chosen, reset={"to_earliest": True})
        described = Taken("describe, with start offsets and lag", [], size, [], size)
        changed = Taken("reset", [], size, [], tool_size)
        for _run in range(runs):
            seconds, answer = _module(cluster, "consumer_group_info", types=["share"], gather=["lag"])
            _expect("ours", [group["lag"] for group in answer["groups"]], [RECORDS] * size)
            described.ours.append(seconds)
            seconds, shown = _tool(cluster, "--describe", "--offsets", "--all-groups")
            lags = re.findall(rf"(?m)^bench-\d+ +{TOPIC} +0 +\d+ +(\d+)", shown)
            _expect("the tool", lags, [str(RECORDS)] * size)
            described.tool.append(seconds)
        for _run, to in zip(range(runs), itertools.cycle(_TO), strict=False):
            seconds, answer = _module(
                cluster, "share_group_offsets", groups=chosen, reset={to: True}, detail="problems"
            )
            _expect("ours", answer["summary"]["changed"], size)
            changed.ours.append(seconds)
            # back to where it was, so that the tool has something to change
            other = _TO[1 - _TO.index(to)]
            run("share_group_offsets", cluster.bootstrap, groups=chosen[:tool_size], reset={other: True})
            option = f"--{to.replace('_', '-')}"
            spent = 0.0
            for name in groups[:tool_size]:
                arguments = ["--reset-offsets", "--group", name, "--topic", TOPIC, option, "--execute"]
                spent += _tool(cluster, *arguments)[0]
            changed.tool.append(spent)
            start = 0 if to == "to_earliest" else RECORDS
            # another client than the module looks: Kafka's tool
            sample = [groups[0], groups[-1]]
            expected = {name: [f"{TOPIC}-0={start} lag {RECORDS - start}"] for name in sample}
            _expect("start offsets", truth.start_offsets(cluster.client(), sample), expected)
        return [described, changed]


def _expect(who: str, found: object, expected: object) -> None:
    if found != expected:
        raise Wrong(f"{who}: {str(found)[:200]}, and not {str(expected)[:200]}")


def page(taken: Sequence[Taken]) -> str:
    """The result as Markdown."""
    rows = [
        ["", "kafkaops.groups, module", f"kafka-share-groups.sh {DEFAULT_VERSION}", "the tool, times as long a group"]
    ]
    for one in taken:
        ours, tool = ([value / size for value in values] for values, size in (one[1:3], one[3:5]))
        rows.append(
            [
                one.operation,
                f"{figures.seconds(one.ours)} s for {one.size:,} groups",
                f"{figures.seconds(one.tool)} s for {one.tool_size:,} groups",
                figures.compared(tool, ours),
            ]
        )
    return f"Whole processes, medians of {len(taken[0].ours)} runs in turn, on one broker.\n\n{table(rows)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--size", type=int, default=SIZE, help="number of share groups")
    parser.add_argument("--tool-size", type=int, default=TOOL_SIZE, help="how many of them Kafka's tool resets")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    given = parser.parse_args()
    text = page(measure(given.runs, given.size, given.tool_size))
    print(text)
    if given.write:
        replace_section("share-groups", text)


if __name__ == "__main__":
    main()
