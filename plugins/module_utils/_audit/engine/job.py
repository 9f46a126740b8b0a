# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The process that Spark runs in: C(python -m ... job FOLDER), with the settings in the folder."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time

from ..._errors import TaskError
from ..._kafka.errors import CallError
from ..ingest import source
from ..libraries import PySparkException
from . import pipeline
from .settings import Settings, save_answer
from .spark import spark_session

# seconds for those that were killed to be gone
_LEAVING_TIME = 5.0


def main(folder: str) -> None:
    """Run the audit that the folder's settings describe, and leave its answer there."""
    threading.Thread(target=_end_with_module, args=[folder], daemon=True).start()
    settings = Settings.load(folder)
    try:
        with spark_session(settings, folder) as spark:
            answer = pipeline.audit(spark, settings)
    except (CallError, TaskError) as exc:
        answer = {"error": str(exc)}
    except PySparkException as exc:
        answer = {"error": f"Spark failed: {source.cause(exc)}"}
    save_answer(folder, answer)


def _end_with_module(folder: str) -> None:
    """Wait for the end of standard input, which the module holds open as long as it lives; leave nothing behind.

    This process leads its session. A child of it removes the folder when all that write there are killed.
    """
    sys.stdin.read()
    group = os.getpgrp()
    if os.fork():
        return
    os.setsid()
    os.killpg(group, signal.SIGKILL)
    deadline = time.monotonic() + _LEAVING_TIME
    while os.path.exists(folder) and time.monotonic() < deadline:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
