# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Has audits published, in processes that it can kill: the other end of `tests.support.publishing`."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def audit_names(output: Path) -> set[str]:
    """The folders of audits in a location, whole or not."""
    return set(os.listdir(output / "audits")) if (output / "audits").exists() else set()


def wait(until: Callable[[], Any], timeout: float = 500) -> None:
    """Wait until something is so. Raises AssertionError if it is not in time."""
    deadline = time.monotonic() + timeout
    while not until():
        assert time.monotonic() < deadline
        time.sleep(0.002)


class Publisher:
    """Publishes audits in processes of their own."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "tests.support.publishing", *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._said() == "ready"

    def _said(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def publish(self, output: Path, line: str, kill_after: float | None = None) -> float:
        """Publish an audit, and kill its process so many seconds after its folder appears.

        :return: how long it took from then on.
        """
        before = audit_names(output)
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        pid = int(self._said())
        wait(lambda: audit_names(output) - before or not Path(f"/proc/{pid}").exists())
        started = time.monotonic()
        if kill_after is not None:
            time.sleep(kill_after)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        allowed = {0} if kill_after is None else {0, -signal.SIGKILL}
        assert int(self._said()) in allowed
        return time.monotonic() - started

    def close(self) -> None:
        """End the processes."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)
