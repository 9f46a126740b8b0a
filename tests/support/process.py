# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Child processes that never outlive the test run, however it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

# Reads "+pid" and "-pid" lines; when the parent is gone, even by SIGKILL, the pipe ends and so do its process groups.
_REAPER = """
import os, sys
alive = set()
for line in sys.stdin:
    (alive.add if line[0] == "+" else alive.discard)(int(line[1:]))
for pid in alive:
    try:
        os.killpg(pid, 9)
    except OSError:
        pass
"""


class _Reaper:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pipe: IO[str] | None = None

    def tell(self, line: str) -> None:
        with self._lock:
            if self._pipe is None:
                child = subprocess.Popen(
                    [sys.executable, "-S", "-c", _REAPER], stdin=subprocess.PIPE, text=True, start_new_session=True
                )
                self._pipe = child.stdin
            assert self._pipe is not None
            self._pipe.write(line + "\n")
            self._pipe.flush()


_reaper = _Reaper()


class Process:
    """A child in a process group of its own, with its output in a file.

    A `detached` one outlives the process that starts it, and has to be stopped by its pid (`end`).
    """

    def __init__(
        self,
        command: Sequence[str],
        log: Path,
        *,
        env: Mapping[str, str] | None = None,
        folder: Path | None = None,
        detached: bool = False,
    ) -> None:
        self.log = log
        self._detached = detached
        self._ended = False
        with log.open("ab") as output:
            self._child = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(env or {})},
                cwd=folder,
                start_new_session=True,
            )
        if not detached:
            _reaper.tell(f"+{self.pid}")

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def alive(self) -> bool:
        return self._child.poll() is None

    def stop(self, timeout: float = 20) -> None:
        """Ask with SIGTERM; SIGKILL after `timeout` seconds."""
        if self.alive:
            self._child.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(timeout)
        self.kill()

    def kill(self) -> None:
        """SIGKILL the process and its children, and wait until the process is gone."""
        if self._ended:
            return
        self._ended = True
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._child.wait()
        if not self._detached:
            _reaper.tell(f"-{self.pid}")

    def tail(self, lines: int = 30) -> str:
        """The last lines of the output."""
        return tail(self.log, lines)


def tail(log: Path, lines: int = 30) -> str:
    """The last lines of a text file, empty when there is none."""
    if not log.exists():
        return ""
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def command_lines() -> dict[int, str]:
    """The command lines of all processes of this machine, by process id."""
    commands = {}
    for folder in Path("/proc").glob("[0-9]*"):
        # the process may have ended, which glob does not expect of a file in it
        with contextlib.suppress(OSError):
            commands[int(folder.name)] = (
                (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            )
    return commands


def end(pid: int, start_time: str, *, hard: bool, timeout: float = 20) -> None:
    """Stop (SIGTERM, then SIGKILL after `timeout` seconds) or kill the process group of a detached process.

    Nothing happens when the pid belongs to another process by now.
    """
    deadline = time.monotonic() + (0 if hard else timeout)
    with contextlib.suppress(ProcessLookupError):
        if not hard and started(pid) == start_time:
            os.kill(pid, signal.SIGTERM)
        while started(pid) == start_time and time.monotonic() < deadline:
            time.sleep(0.05)
        if started(pid) == start_time:
            os.killpg(pid, signal.SIGKILL)
    while started(pid) == start_time:
        time.sleep(0.02)


def started(pid: int) -> str:
    """The start time of a process in clock ticks since boot, empty when there is none: tells a reused pid."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] == "Z" else fields[19]
