# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The molecule scenarios, run as a developer runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import state
from tests.support.collection import CHECKOUT, reused
from tests.support.java import lent

LIMIT = 900


@pytest.mark.parametrize("scenario", ["cleanup", "demo", "streams_reset", "teardown"])
def test_scenario(scenario: str, tmp_path: Path) -> None:
    binaries = Path(sys.executable).parent
    path = os.pathsep.join([str(binaries), os.environ["PATH"]])
    try:
        done = subprocess.run(
            [binaries / "molecule", "test", "--scenario-name", scenario],
            cwd=CHECKOUT / "extensions",
            env={
                **os.environ,
                "PATH": path,
                "NO_COLOR": "1",
                "MOLECULE_EPHEMERAL_DIRECTORY": str(tmp_path),
                **reused(),
                # molecule has an ansible.cfg of its own
                "ANSIBLE_CALLBACKS_ENABLED": "made_once",
                "ANSIBLE_PIPELINING": "true",
                **lent(),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=LIMIT,
        )
        assert done.returncode == 0, done.stdout
        assert not (tmp_path / "world").exists()
    finally:
        # what an interrupted run leaves behind
        state.end_members(tmp_path / "world", None, hard=True)
        state.stop_cluster(tmp_path / "world")
