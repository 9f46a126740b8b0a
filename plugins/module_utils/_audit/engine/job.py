# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The process that Spark runs in for an audit: C(python -m ... job FOLDER), with the settings in the folder."""

from __future__ import annotations

import collections.abc as c
import logging
import os
import re
import shutil
import signal
import sys
import threading
import time
import typing as t

from ..._errors import TaskError
from ..._kafka.errors import CallError
from ..libraries import Py4JJavaError, Py4JNetworkError, PySparkException, SparkSession
from . import folders, from_snapshots, pipeline
from .settings import Settings, SparkSettings, save_answer
from .spark import PROGRESS, end_java, spark_session

S = t.TypeVar("S", bound=SparkSettings)

# a task failed as often as Spark starts one; an executor that uses too much memory is killed
_LOST = re.compile(r"failed \d+ times, .* \((\S+) executor \S+\): ExecutorLostFailure \(.*?\) Reason: ([^\n]+)")
# seconds for killed processes to end
_CLEANUP_TIMEOUT = 5.0


def run(folder: str, load: c.Callable[[str], S], task: c.Callable[[SparkSession, S], dict[str, t.Any]]) -> None:
    """Run a task with the settings in the folder, and write its result to the folder.

    Args:
        load: reads the settings.
    """
    threading.Thread(target=_end_with_module, args=[folder], daemon=True).start()
    settings = load(folder)
    logging.basicConfig(format="%(asctime)s %(name)s: %(message)s")
    PROGRESS.setLevel(logging.INFO)
    try:
        with spark_session(settings, folder) as spark:
            answer = task(spark, settings)
    except (CallError, TaskError) as exc:
        answer = {"error": str(exc)}
    except (Py4JNetworkError, ConnectionError):
        answer = {"error": f"Java ended: check its memory in spark_conf, and {settings.log}."}
    except (PySparkException, Py4JJavaError) as exc:
        answer = {"error": _lost_executors(str(exc)) or f"Spark failed: {folders.cause(exc)}"}
    save_answer(folder, answer)
    end_java()


def _lost_executors(text: str) -> str | None:
    """Return the error for executors that end again and again, None if the message of Spark is another one."""
    lost = _LOST.search(text)
    return lost and (
        f"Spark lost its executors repeatedly, the last one on {lost[1]} ({lost[2].strip()}): check the log of the "
        "executor, and its memory (spark.executor.memoryOverhead in spark_conf)."
    )


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


def _audit(spark: SparkSession, settings: Settings) -> dict[str, t.Any]:
    return from_snapshots.audit(spark, settings) if settings.snapshots else pipeline.audit(spark, settings)


if __name__ == "__main__":
    run(sys.argv[1], Settings.load, _audit)
