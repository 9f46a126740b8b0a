# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Galaxy's importer with its run of ansible-lint; ansible-test, which it runs in a container, has its own check."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.checks.conftest import run


def test_galaxy_imports_the_collection(built: Path, tmp_path: Path) -> None:
    told = run(
        [sys.executable, "-m", "galaxy_importer.main", built], tmp_path, GALAXY_IMPORTER_RUN_ANSIBLE_TEST="false"
    )
    assert "Linting collection via ansible-lint" in told
    assert "Loading eda/plugins/event_source consumer_groups" in told
    assert told.splitlines()[-1] == "Importer processing completed successfully"
    # it gives ansible-lint 180 s, which a slow machine exceeds; tests/checks/test_static.py runs it without a limit
    assert {*re.findall("^(?:ERROR|WARNING).*", told, re.MULTILINE)} <= {"ERROR: Timeout on call to ansible-lint"}
