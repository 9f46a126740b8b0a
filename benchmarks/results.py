# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The results as JSON in .cache/: a case is an operation of one size on one cluster, measured in one run."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measure import Took

#: above so many groups there is one run only
LARGE = 10_000
#: what took longer than so many seconds is not run again
PATIENCE = 60.0
#: what others are compared with: the operation, the module's process, and the whole play
OURS = {"seconds": "ours", "wall": "module", "play": "task"}


class Case(NamedTuple):
    """An operation with a number of groups, a number of brokers, and a network delay in milliseconds."""

    operation: str
    size: int
    brokers: int
    delay: float


@dataclasses.dataclass
class Result:
    """The runs of each peer by name, one run through the counting proxies, and the reasons of peers without runs."""

    case: Case
    runs: dict[str, list[Took]] = dataclasses.field(default_factory=dict)
    counted: dict[str, Took] = dataclasses.field(default_factory=dict)
    failed: dict[str, str] = dataclasses.field(default_factory=dict)

    def values(self, peer: str, figure: str) -> list[float]:
        """A figure of each run of a peer; empty without runs."""
        found = [getattr(took, figure) for took in self.runs.get(peer, ())]
        return [value for value in found if value is not None]


class Results:
    """The file of all results, written after every case."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.machine: dict[str, Any] = {}
        self.by_case: dict[Case, Result] = {}
        if file.exists():
            read = json.loads(file.read_text(encoding="utf-8"))
            self.machine = read["machine"]
            for one in read["results"]:
                case = Case(*one["case"])
                runs = {name: [Took(**took) for took in runs] for name, runs in one["runs"].items()}
                counted = {name: Took(**took) for name, took in one["counted"].items()}
                self.by_case[case] = Result(case, runs, counted, one["failed"])

    def add(self, result: Result) -> None:
        """Add a case, or replace its earlier result."""
        self.by_case[result.case] = result
        self._file.parent.mkdir(parents=True, exist_ok=True)
        results = [dataclasses.asdict(one) for one in self.by_case.values()]
        self._file.write_text(json.dumps({"machine": self.machine, "results": results}, indent=1), encoding="utf-8")
