# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/versions.md, from a run of the tests on every version of Kafka: ``python -m tests.support.matrix``.

A test that takes part tells its row of the table, its version, and what that has in the row (properties of those names,
and `cell`).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree import ElementTree

from tests.support.collection import CHECKOUT
from tests.support.jars import VERSIONS

PAGE = CHECKOUT / "docs" / "versions.md"
TESTS = ("tests/live/test_versions.py", "tests/integration/test_targets.py", "-k", "not connection and not odd_input")
WORKS = "yes"
_HEAD = """# Versions of Kafka

Supported features by version of Kafka, tested on real brokers (3.9 and newer with KRaft, older ones with ZooKeeper).
*yes*: the test of the row passes. Other cells contain the message of the module, or the limitation of the brokers.
`make test-matrix` runs the tests on all of these versions and generates this page. `make test` runs them on the first
and the last version.

"""

Rows = dict[str, dict[str, str]]


def rows(report: Path) -> Rows:
    """The table of a JUnit report: the cells of each row by version."""
    found: Rows = {}
    for case in ElementTree.parse(report).iter("testcase"):
        told = {one.get("name", ""): one.get("value", "") for one in case.iter("property")}
        if "row" not in told:
            continue
        found.setdefault(told["row"], {})[told["version"]] = told.get("cell", WORKS)
    return found


def page(table: Mapping[str, Mapping[str, str]]) -> str:
    """The page of a table; a version that a row says nothing of stays empty."""
    lines = [_line(["", *VERSIONS]), _line(["---"] * (len(VERSIONS) + 1))]
    lines += [_line([row, *(cells.get(version, "") for version in VERSIONS)]) for row, cells in table.items()]
    return _HEAD + "\n".join(lines) + "\n"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def main() -> int:
    """Run the tests, and write the page if they pass."""
    with tempfile.TemporaryDirectory(prefix="matrix-") as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "--matrix", f"--junitxml={report}", *TESTS]
        code = subprocess.run(command, cwd=CHECKOUT, check=False).returncode
        if code == 0:
            PAGE.write_text(page(rows(report)), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
