# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks incremental``: an incremental audit after 1 % new records, beside one of an empty topic.

All are processes of their own, in turn in one run on one broker: what a user waits for. Each run writes the new
records, and then audits the empty topic, the records since the last run, and all records.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.audit import PARTITIONS, records
from benchmarks.audits import audit
from benchmarks.document import replace_section, table
from benchmarks.figures import times
from tests.support import offsets_topic, topics
from tests.support.broker import Cluster
from tests.support.collection import install
from tests.support.jars import DEFAULT_VERSION

RECORDS = 4_000_000
GROUPS, OFFSETS_A_GROUP = [500, 5_000], 20
NEW = 0.01
AIM = 1.3
_EMPTY, _TOPIC = "empty", "copy"
_PARTS = {
    "empty": "an empty topic",
    "incremental": "incremental, after 1 % new records",
    "full": "full, of all records",
}


class Wrong(Exception):
    """A result is not what it should be."""


def took(part: str, bootstrap: str, folder: str) -> tuple[float, dict[str, Any]]:
    """Seconds of one process, and what its audit returned."""
    answer = Path(folder) / "answer.json"
    started = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "benchmarks.incremental", "--part", part, bootstrap, folder, str(answer)],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    seconds = time.monotonic() - started
    returned: dict[str, Any] = json.loads(answer.read_text("utf-8"))
    return seconds, returned


def measure(runs: int, count: int, groups: int) -> dict[str, list[float]]:
    """Seconds of each process in each run, of a topic with commits of a number of groups."""
    seconds: dict[str, list[float]] = {part: [] for part in _PARTS}
    new = round(count * NEW)
    with Cluster.start("single") as cluster, tempfile.TemporaryDirectory(prefix="kafkaops-bench-") as folder:
        client = cluster.client()
        for topic in (_EMPTY, _TOPIC):
            topics.create(client, topic, PARTITIONS, config={"retention.ms": "-1"})
        written = 0
        for run in range(runs + 1):
            numbers = range(written, written + (new if run else count))
            written = numbers.stop
            offsets_topic.write(client, records(numbers, count + runs * new, groups, OFFSETS_A_GROUP), _TOPIC)
            # the first ones have nothing to continue, or to compare with
            parts = _PARTS if run else ["empty", "incremental"]
            answers = {}
            for part in parts:
                wall, answers[part] = took(part, cluster.bootstrap, folder)
                print(f"run {run}: {part} {wall:.1f} s", flush=True)
                if run:
                    seconds[part].append(wall)
            if run:
                _compare(answers, new, written)
    return seconds


def _compare(answers: dict[str, dict[str, Any]], new: int, written: int) -> None:
    """Raise Wrong unless the incremental audit read only what is new, and found what the full one found."""
    read = {part: answer["summary"]["records"] for part, answer in answers.items()}
    if read != {"empty": 0, "incremental": new, "full": written}:
        raise Wrong(f"{read} records were read, of which {new} were new")
    found, full = (
        pq.read_table(answers[part]["tables"]["offsets"], columns=["group", "topic", "partition", "offset"]).sort_by(
            [("group", "ascending"), ("topic", "ascending"), ("partition", "ascending")]
        )
        for part in ("incremental", "full")
    )
    if not found.equals(full):
        raise Wrong("the offsets of the incremental audit are not those of the full one")


def page(seconds: dict[int, dict[str, list[float]]], count: int) -> str:
    """The result as Markdown.

    :param seconds: what `measure` returned for each number of groups.
    """
    runs = len(next(iter(seconds.values()))["empty"])
    rows = [["groups", "committed offsets", "audit of", "time", "/ empty topic"]]
    reached = []
    for groups, taken in seconds.items():
        keys = f"{min(count, groups * OFFSETS_A_GROUP):,}"
        ratios = times(taken, "empty")
        rows += [
            [f"{groups:,}", keys, words, f"{statistics.median(taken[part]):.1f} s", f"{ratios[part]:.2f}"]
            for part, words in _PARTS.items()
        ]
        reached.append(f"{'reached' if ratios['incremental'] <= AIM else '**missed**'} with {keys} committed offsets")
    counted = "one run" if runs == 1 else f"medians of {runs} runs in turn"
    return (
        f"{count:,} records, on {os.cpu_count()} cores ({platform.machine()}, Python {platform.python_version()}, "
        f"Kafka {DEFAULT_VERSION}); {counted}. The aim is at most {AIM} times the audit of an "
        f"empty topic: {', '.join(reached)}.\n\n" + table(rows)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--groups", type=int, nargs="+", default=GROUPS)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    parser.add_argument("--part", nargs=4, metavar=("PART", "BOOTSTRAP", "FOLDER", "ANSWER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        part, bootstrap, folder, answer = given.part
        topic = _EMPTY if part == "empty" else _TOPIC
        options = {"topic": topic, "incremental": part == "incremental", "keep_audits": 2}
        Path(answer).write_text(json.dumps(audit(bootstrap, f"{folder}/{part}", **options)), "utf-8")
        return
    install()
    text = page({groups: measure(given.runs, given.records, groups) for groups in given.groups}, given.records)
    print(text)
    if given.write:
        replace_section("incremental", text)


if __name__ == "__main__":
    main()
