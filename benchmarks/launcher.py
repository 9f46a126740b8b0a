# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -I -S launcher.py TIMEOUT REPORT COMMAND...``: run one command as a process, and write its resource usage.

The peak memory of a process counts from its parent's before it became the command: hence this small parent, of its own.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time


def main(timeout: str, report: str, *command: str) -> None:
    started = time.perf_counter()
    # a group of its own, so that the end of its time ends its children too
    child = os.posix_spawnp(command[0], command, os.environ, setpgroup=0)

    def stop(*_signal: object) -> None:
        os.killpg(child, signal.SIGKILL)

    signal.signal(signal.SIGALRM, stop)
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    signal.setitimer(signal.ITIMER_REAL, float(timeout))
    _pid, status, used = os.wait4(child, 0)
    seconds = time.perf_counter() - started
    took = {
        "wall": seconds,
        "cpu": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss * 1024,
        "code": os.waitstatus_to_exitcode(status),
    }
    with open(report, "w", encoding="utf-8") as out:
        json.dump(took, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
