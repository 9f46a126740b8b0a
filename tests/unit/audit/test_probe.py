# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an executor lacks, in one sentence that names it."""

from __future__ import annotations

import importlib.metadata
import pathlib
import re
import subprocess
import sys
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import probe, shipping
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.probe import Finding

from tests.support.collection import CHECKOUT

ANYTHING = t.cast(t.Any, None)
# a Python without site-packages
BARE = """
import sys
sys.path.insert(0, sys.argv[1])
import importlib
found = importlib.import_module(sys.argv[2] + "._audit.ingest.probe")._look(None)
print("\\n".join(found.problems))
"""


def test_the_versions_are_those_of_the_requirements() -> None:
    text = (CHECKOUT / "meta" / "requirements.txt").read_text("utf-8")
    required = dict(re.findall(r"^([\w-]+)>=([\d.]+)$", text, re.MULTILINE))
    assert {name: required[name] for name in probe.LIBRARIES} == probe.LIBRARIES


@pytest.mark.parametrize(
    ("version", "problems"),
    [
        ("26.0.1", 0),
        ("26.0.1.post1", 0),
        ("100.0", 0),
        ("26.0.0", 1),
        ("2.99.99", 1),
    ],
)
def test_an_old_library(monkeypatch: pytest.MonkeyPatch, version: str, problems: int) -> None:
    known = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version if name == "pyarrow" else known(name))
    sentence = f"has pyarrow {version}: install pyarrow>=26.0.1 for {sys.executable}."
    assert list(probe.libraries(ANYTHING)) == [sentence] * problems


def test_no_libraries(tmp_path: pathlib.Path) -> None:
    archive = tmp_path / "shipped.zip"
    shipping.write(str(archive))
    root = "ansible_collections.kafkaops.groups.plugins.module_utils"
    command = [sys.executable, "-I", "-S", "-c", BARE, str(archive), root]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert [line.partition(":")[0].partition(" (")[0].split(" ", 4)[4] for line in lines] == [
        "cannot import confluent-kafka",
        "cannot import pyarrow",
    ]
    assert all(line.startswith("The executor on ") and ": install " in line for line in lines)


@pytest.mark.parametrize(
    ("clock", "seconds"), [(100.0, None), (95.0, None), (94.0, 6), (103.0, None), (108.0, None), (111.0, 8)]
)
def test_a_clock(clock: float, seconds: int | None) -> None:
    problems = list(probe.skew(Finding("spark-1", clock, []), 100.0, 103.0))
    words = "The clock of the executor on spark-1 differs from the clock of this host by"
    assert problems == ([] if seconds is None else [f"{words} {seconds} s: synchronize the clocks."])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "Lost task 1.3 in stage 0.0 (TID 7) (10.0.0.9 executor 1): PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] "
            "Python in worker has different version: 3.12 than that in driver: 3.11, PySpark cannot run with different",
            "The executor on 10.0.0.9 has Python 3.12, but this host has Python 3.11: set spark.pyspark.python in "
            "spark_conf to a Python of the same minor version.",
        ),
        ("Lost task 1.3 in stage 0.0 (TID 7) (10.0.0.9 executor 1): OutOfMemoryError", None),
    ],
)
def test_another_python(text: str, sentence: str | None) -> None:
    found = probe._other_python(text)
    assert sentence == (None if found is None else str(found))
