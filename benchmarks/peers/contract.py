# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every peer is: a program ``PEER BOOTSTRAP OPERATION NAMES SAVED`` that prints one line of JSON.

NAMES is a file with one group a line, SAVED the file that `backup` writes and `restore` reads (CSV: group, topic,
partition, offset). The line has `seconds`, from making the client to the last answer, and `done`: what was listed,
described, deleted, removed, saved or set, and for `offsets` the lag of all groups together.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

#: Each group has committed one offset, COMMITTED, on this topic's only partition, which ends at END.
TOPIC = "bench"
COMMITTED = 5
END = 8


class Job(NamedTuple):
    """What a peer is asked for."""

    bootstrap: str
    groups: list[str]
    saved: Path


Operation = Callable[[Job], int]


def serve(operations: Mapping[str, Operation]) -> None:
    """Do what the command line asks for, and print the line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("bootstrap")
    parser.add_argument("operation", choices=sorted(operations))
    parser.add_argument("names", type=Path)
    parser.add_argument("saved", type=Path)
    given = parser.parse_args()
    job = Job(given.bootstrap, given.names.read_text(encoding="utf-8").split(), given.saved)
    started = time.perf_counter()
    done = operations[given.operation](job)
    print(json.dumps({"seconds": time.perf_counter() - started, "done": done}))


def save(file: Path, offsets: Iterable[tuple[str, str, int, int]]) -> None:
    """Write a back-up: group, topic, partition, offset."""
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows(offsets)


def load(file: Path) -> list[tuple[str, str, int, int]]:
    """Read a back-up as `save` writes it."""
    with file.open(encoding="utf-8", newline="") as saved:
        return [(group, topic, int(number), int(offset)) for group, topic, number, offset in csv.reader(saved)]
