# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The process that Spark runs in: C(python -m ... job FOLDER), with the settings in the folder."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import threading
import time

from ..._errors import TaskError
from ..._kafka.errors import CallError
from ..libraries import Py4JJavaError, Py4JNetworkError, PySparkException
from . import folders, from_snapshots, pipeline
from .settings import LOG, Settings, save_answer
from .spark import PROGRESS, spark_session

# seconds for killed processes to end
_CLEANUP_TIMEOUT = 5.0


def main(folder: str) -> None:
    """Run the audit with the settings in the folder, and write its result to the folder."""
    threading.Thread(target=_end_with_module, args=[folder], daemon=True).start()
    settings = Settings.load(folder)
    logging.basicConfig(format="%(asctime)s %(name)s: %(message)s")
    PROGRESS.setLevel(logging.INFO)
    try:
        with spark_session(settings, folder) as spark:
            answer = (from_snapshots if settings.snapshots else pipeline).audit(spark, settings)
    except (CallError, TaskError) as exc:
        answer = {"error": str(exc)}
    except (Py4JNetworkError, ConnectionError):
        answer = {"error": f"Java ended: check its memory in spark_conf, and {settings.path(LOG)}."}
    except (PySparkException, Py4JJavaError) as exc:
        answer = {"error": f"Spark failed: {folders.cause(exc)}"}
    save_answer(folder, answer)


def _end_with_module(folder: str) -> None:
    """Wait until the module ends, which closes standard input; then kill all processes and remove the folder.

    This process is the leader of its session. A child process in another session kills the group, then removes the
    folder.
    """
    sys.stdin.read()
    group = os.getpgrp()
    if os.fork():
        return
    os.setsid()
    os.killpg(group, signal.SIGKILL)
    deadline = time.monotonic() + _CLEANUP_TIMEOUT
    while os.path.exists(folder) and time.monotonic() < deadline:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
