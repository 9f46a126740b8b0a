# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Java that runs the Spark sessions of many tasks in turn, which take a third of the time in it."""

from __future__ import annotations

import atexit
import functools
import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path

import pyspark

from tests.support.process import Process

_SUBMIT = Path(__file__).with_name("spark_submit.py")


@functools.cache
def lent() -> dict[str, str]:
    """The environment of tasks whose sessions run in it (`spark_submit`); it ends with this process.

    :raises RuntimeError: when it does not start; the message ends with what it has written.
    """
    home, folder = Path(pyspark.__file__).parent, Path(tempfile.mkdtemp(prefix="java-"))
    atexit.register(shutil.rmtree, folder)
    connection, program = folder / "connection", folder / "bin" / "spark-submit"
    environment = {
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(connection),
        "SPARK_CONNECT_MODE": "0",
        "PYSPARK_PYTHON": sys.executable,
        # as in the process of an audit
        "LC_ALL": "C.UTF-8",
    }
    # it ends with its standard input
    command = f"sleep infinity | exec {shlex.quote(str(home / 'bin' / 'spark-submit'))} pyspark-shell"
    java = Process(["sh", "-c", command], folder / "log", env=environment, folder=folder)
    atexit.register(java.kill)
    program.parent.mkdir()
    words = shlex.join([sys.executable, str(_SUBMIT), str(home), str(connection)])
    program.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
    program.chmod(0o700)
    while not connection.exists():
        if not java.alive:
            raise RuntimeError(f"Spark's Java does not start:\n{java.tail()}")
        time.sleep(0.05)
    return {"SPARK_HOME": str(folder)}
