# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real Spark: sessions in this process, and a standalone cluster from pyspark's own package."""

from __future__ import annotations

import contextlib
import functools
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pyspark
from pyspark.sql import SparkSession

from tests.support.jars import QUICK
from tests.support.lock import locked
from tests.support.ports import HOST, free, listening
from tests.support.process import Process

#: Of executors with little to do.
EXECUTORS = {"spark.executor.memory": "512m", "spark.executor.extraJavaOptions": " ".join(QUICK)}
#: As Spark runs queries by default, and not in the tests.
COMPILED = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}
_HOME = Path(pyspark.__file__).parent
_LIBRARIES = ("confluent-kafka", "pyarrow")


@contextlib.contextmanager
def local_session(config: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """A session with two local cores, and additional configuration."""
    with session("local[2]", sys.executable, config) as made:
        yield made


@contextlib.contextmanager
def session(master: str, python: str, config: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """A session with any master and a Python interpreter for the workers. Only one session at a time."""
    conf = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": HOST,
        "spark.driver.bindAddress": HOST,
        "spark.sql.shuffle.partitions": "2",
        # plans again after each shuffle, which takes longer than the queries of tests
        "spark.sql.adaptive.enabled": "false",
        # the next three as in the session of an audit
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.session.timeZone": "UTC",
        **(config or {}),
    }
    builder = SparkSession.builder.master(master).appName("tests")
    for name, value in conf.items():
        builder = builder.config(name, value)
    with mock.patch.dict(os.environ, {"PYSPARK_PYTHON": python}):
        made = builder.getOrCreate()
    try:
        made.sparkContext.setLogLevel("ERROR")
        yield made
    finally:
        made.stop()


class Stranger(NamedTuple):
    """Another user of the operating system, who shares no folder for temporary files with this one, and its Python.

    Its processes are in a mount namespace of their own, with an empty /tmp, and with PySpark in the folder `spark`,
    because this checkout may be below /tmp.
    """

    home: Path
    python: str
    spark: Path

    @property
    def prefix(self) -> list[str]:
        """What runs a command as this user."""
        mounts = f"mount --bind {shlex.quote(str(_HOME))} {self.spark} && mount -t tmpfs tmpfs /tmp"
        enter = f'{mounts} && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"'
        return ["unshare", "--mount", "sh", "-c", enter, "sh"]

    @property
    def environment(self) -> dict[str, str]:
        """Its environment."""
        return {"HOME": str(self.home), "TMPDIR": "/tmp", "USER": "nobody"}


@contextlib.contextmanager
def stranger() -> Iterator[Stranger]:
    """Another user, with what executors require in its Python.

    :raises RuntimeError: when this user may not act as another one, or no Python of this version is for all users.
    """
    folder = Path(tempfile.mkdtemp(prefix="kafkaops-stranger-", dir="/var/tmp"))
    try:
        folder.chmod(0o755)
        made = Stranger(folder / "home", str(folder / "python" / "bin" / "python"), folder / "spark")
        made.home.mkdir()
        made.spark.mkdir()
        base = f"/usr/bin/python{sys.version_info[0]}.{sys.version_info[1]}"
        try:
            shutil.chown(made.home, 65534, 65534)
            subprocess.run([*made.prefix, base, "-c", "import venv, ensurepip"], check=True, capture_output=True)
            subprocess.run([*made.prefix, "test", "-x", str(made.spark / "bin" / "spark-class")], check=True)
        except (OSError, subprocess.CalledProcessError) as exc:
            raise RuntimeError(f"processes of another user are not possible here: {exc}") from None
        executor_python(folder / "python", base)
        yield made
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def standalone(folder: Path, workers: int = 2, timeout: float = 120, user: Stranger | None = None) -> Iterator[str]:
    """A standalone cluster of workers with one core each; gives the master's URL. Logs go to `folder`.

    :param user: who runs the workers, if not this user.
    :raises RuntimeError: when it does not start in `timeout` seconds; the message ends with the log.
    """
    port, *uis = free(workers + 2)
    url = f"spark://{HOST}:{port}"
    with contextlib.ExitStack() as stack:
        master = _start(stack, folder / "master.log", "master.Master", "--port", str(port), "--webui-port", str(uis[0]))
        _wait(lambda: listening(port), master, timeout)
        for number, ui in enumerate(uis[1:], 1):
            work = user.home if user else folder
            options = ("--cores", "1", "--memory", "1g", "--webui-port", str(ui), "--work-dir", str(work / "work"))
            log = folder / f"worker-{number}.log"
            worker = _start(stack, log, "worker.Worker", *options, url, user=user)
            _wait(functools.partial(_says, log, "Successfully registered"), worker, timeout)
        yield url


def executor_python(folder: Path, base: str = sys.executable) -> str:
    """Create a virtual environment with only the packages for executors, as pinned in requirements/dev.lock."""
    subprocess.run([base, "-m", "venv", str(folder)], check=True)
    python, pinned = str(folder / "bin" / "python"), folder / "requirements.txt"
    pinned.write_text("".join(one.text for one in locked("dev") if one.requirement.name in _LIBRARIES), "utf-8")
    options = ("--quiet", "--no-deps", "--require-hashes", "-r", str(pinned))
    subprocess.run([python, "-m", "pip", "install", *options], check=True)
    return python


def _start(stack: contextlib.ExitStack, log: Path, name: str, *arguments: str, user: Stranger | None = None) -> Process:
    spark = user.spark if user else _HOME
    command = [str(spark / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", "--host", HOST, *arguments]
    env = {"SPARK_HOME": str(spark), "SPARK_LOCAL_IP": HOST, "SPARK_DAEMON_MEMORY": "256m"}
    env["SPARK_DAEMON_JAVA_OPTS"] = " ".join(QUICK)
    if user:
        command, env = [*user.prefix, *command], {**env, **user.environment}
    process = Process(command, log, env=env, folder=user.home if user else log.parent)
    stack.callback(process.kill)
    return process


def _says(log: Path, words: str) -> bool:
    return words in log.read_text("utf-8", "replace")


def _wait(ready: Callable[[], bool], process: Process, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    while not ready():
        if not process.alive or time.monotonic() > deadline:
            raise RuntimeError(f"Spark's cluster does not start:\n{process.tail()}")
        time.sleep(0.1)
