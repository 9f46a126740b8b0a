# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The processes of an audit: their peaks of memory, and the time of their CPU."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.support.repeating import repeatedly

_TICKS = os.sysconf("SC_CLK_TCK")


class Failed(Exception):
    """A process failed; the message contains its output."""


class Took(NamedTuple):
    """What one audit took: seconds, and the peaks of memory in MB of the driver, its Java, and the Python workers."""

    seconds: float
    driver: float
    java: float
    workers: float


def run(command: Sequence[str], folder: Path) -> Took:
    """Run a process of an audit, with its logs in a folder, until it ends.

    :raises Failed: it exits with another code than 0.
    """
    log = folder / "process.log"
    with open(log, "wb") as output:
        started = time.monotonic()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        with watched(process.pid) as peaks:
            code = process.wait()
        seconds = time.monotonic() - started
    if code:
        logs = (path.read_text("utf-8", "replace")[-4000:] for path in (folder / "spark.log", log) if path.exists())
        raise Failed(f"{' '.join(command)} ended with {code}: " + "\n".join(logs))
    return Took(seconds, **peaks)


@contextlib.contextmanager
def watched(pid: int) -> Iterator[Mapping[str, float]]:
    """The peaks of memory of the driver, its Java, and the Python workers below a process, in MB, by their names."""
    peaks = {"driver": 0.0, "java": 0.0, "workers": 0.0}

    def look() -> None:
        now = dict.fromkeys(peaks, 0.0)
        for each in (pid, *descendants(pid)):
            kind = _kind(_command(each))
            if kind:
                now[kind] += memory(each)
        for name, size in now.items():
            peaks[name] = max(peaks[name], size)

    with repeatedly(look, 0.3):
        yield peaks


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, and those that they have."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            children.setdefault(int(_fields(folder / "stat")[1]), []).append(int(folder.name))
    found, ahead = [], [pid]
    while ahead:
        mine = children.get(ahead.pop(), [])
        found += mine
        ahead += mine
    return found


def memory(pid: int) -> float:
    """The memory of a process in MB; memory that it shares counts in part."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def cpu(pids: Sequence[int]) -> float:
    """The seconds of CPU that processes, and those of their children that have ended, have used so far."""
    used = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            used += sum(map(int, _fields(Path(f"/proc/{pid}/stat"))[11:15]))
    return used / _TICKS


def _kind(command: bytes) -> str | None:
    """What a process is by its command line; None for those that only start others."""
    if command.split(b"\0")[0].endswith(b"java"):
        return "java"
    if any(part in command for part in (b".engine.job\0", b"\0bare\0")):
        return "driver"
    return "workers" if b"pyspark" in command else None


def _fields(stat: Path) -> list[str]:
    """The fields of a process after its name, which may contain spaces: from the state on."""
    return stat.read_text("utf-8", "replace").rpartition(")")[2].split()


def _command(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""
