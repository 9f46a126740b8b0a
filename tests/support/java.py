# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Java that runs the Spark sessions of many tasks in turn, which take a third of the time in it."""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyspark

from tests.support.process import Process
from tests.support.spark_submit import Lent, of_java

_SUBMIT = Path(__file__).with_name("spark_submit.py")
_HOME = Path(pyspark.__file__).parent
_ENDS = contextlib.ExitStack()


@functools.cache
def lent() -> dict[str, str]:
    """The environment of tasks whose sessions run in it; it ends with this process. Raises as `lending` does."""
    atexit.register(_ENDS.close)
    return _ENDS.enter_context(lending({}))


@contextlib.contextmanager
def lending(settings: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Give the environment of tasks whose sessions run in a Java with these settings, among others (`spark_submit`).

    :raises RuntimeError: when it does not start; the message ends with what it has written.
    """
    with tempfile.TemporaryDirectory(prefix="java-") as name:
        folder = Path(name)
        connection, known, program = folder / "connection", folder / "lent.json", folder / "bin" / "spark-submit"
        environment = {
            "_PYSPARK_DRIVER_CONN_INFO_PATH": str(connection),
            "SPARK_CONNECT_MODE": "0",
            "PYSPARK_PYTHON": sys.executable,
            # as in the process of an audit
            "LC_ALL": "C.UTF-8",
        }
        kept: Lent = {"pyspark": str(_HOME), "connection": str(connection), "settings": of_java(settings)}
        known.write_text(json.dumps(kept), "utf-8")
        program.parent.mkdir()
        words = shlex.join([sys.executable, str(_SUBMIT), str(known)])
        program.write_text(f'#!/bin/sh\nexec {words} "$@"\n', "utf-8")
        program.chmod(0o700)
        options = [f"--conf={name}={value}" for name, value in kept["settings"].items()]
        command = shlex.join([str(_HOME / "bin" / "spark-submit"), *options, "pyspark-shell"])
        # it ends with its standard input
        java = Process(["sh", "-c", f"sleep infinity | exec {command}"], folder / "log", env=environment)
        try:
            while not connection.exists():
                if not java.alive:
                    raise RuntimeError(f"Spark's Java does not start:\n{java.tail()}")
                time.sleep(0.05)
            yield {"SPARK_HOME": str(folder)}
        finally:
            java.kill()
