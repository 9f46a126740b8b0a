# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run a task with Spark in a separate process: Spark never runs inside the process of the module."""

from __future__ import annotations

import collections.abc as c
import contextlib
import fcntl
import importlib.util
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import typing as t
import urllib.parse

from ..._errors import NothingRead, TaskError
from . import job
from .settings import SparkSettings, load_answer

_MASTER_TIMEOUT = 5.0
# environment variables with the configuration of YARN, or with an installation of Spark whose spark-env.sh may set one
_HADOOP = ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_CONF_DIR", "SPARK_HOME")
_TAIL_BYTES = 20_000
# seconds; the processes of a killed task end within this time
_LOCK_TIMEOUT = 15.0
_LOCK_PAUSE = 0.1


def check(settings: SparkSettings) -> None:
    """Raise TaskError if Spark cannot run on this host or its master cannot be reached."""
    missing = [name for name in settings.libraries if importlib.util.find_spec(name) is None]
    if missing:
        raise NothingRead(
            f"The {settings.TASK} requires {', '.join(missing)} for {sys.executable} on this host: "
            f"pip install {' '.join(missing)}."
        )
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else "java"
    if shutil.which(java) is None:
        where = f"JAVA_HOME is {home}, which does not contain bin/java" if home else "java is not on the PATH"
        raise NothingRead(
            f"The {settings.TASK} requires Java 17 or newer on this host, but {where}: install Java, or set JAVA_HOME."
        )
    if settings.standalone:
        _check_master(settings.master)
    if settings.master == "yarn" and not any(os.environ.get(name) for name in _HADOOP):
        raise NothingRead(
            "master is yarn, but HADOOP_CONF_DIR is not set: set it in the environment of the task, to the folder with "
            "the configuration of the Hadoop client."
        )


def _check_master(master: str) -> None:
    """Raise TaskError unless one of the addresses of a standalone master accepts a connection."""
    problem = ""
    addresses = master.removeprefix("spark://").split(",")
    for address in addresses:
        try:
            where = urllib.parse.urlsplit(f"//{address}")
            if where.hostname is None or where.port is None:
                raise ValueError("the format must be spark://host:port")
            with socket.create_connection((where.hostname, where.port), _MASTER_TIMEOUT / len(addresses)):
                return
        except (OSError, ValueError) as exc:
            problem = problem or str(getattr(exc, "strerror", None) or exc)
    raise NothingRead(f"The Spark master {master} cannot be reached ({problem}): check master.")


def run(settings: SparkSettings, entry: str = job.__name__) -> dict[str, t.Any]:
    """Run a task and return its result, by default of an audit; see `pipeline.audit`.

    Args:
        entry: the module to run; see `job`.

    Raises:
        TaskError: the task failed or timed out; its processes have ended.
    """
    try:
        return _run(settings, settings.log, entry)
    except OSError as exc:
        raise TaskError(
            f"The {settings.TASK} cannot write {exc.filename or 'its files'} ({exc.strerror}): check {settings.OPTION}."
        ) from exc


def _run(settings: SparkSettings, log: str, entry: str) -> dict[str, t.Any]:
    with tempfile.TemporaryDirectory(prefix="kafkaops-audit-") as folder, _open_log(settings, log) as output:
        settings.save(folder)
        child = subprocess.Popen(
            [sys.executable, "-m", entry, folder],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=_environment(folder),
            start_new_session=True,
        )
        late = False
        try:
            child.wait(max(0.0, settings.deadline - time.time()))
        except subprocess.TimeoutExpired:
            late = True
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        answer = load_answer(folder)
    # the task may have ended in time, and only Java has not
    if answer is None and late:
        raise TaskError(f"The {settings.TASK} did not finish within timeout: increase timeout, or check {log}.")
    if answer is None:
        raise TaskError(f"The Spark process ended with exit code {child.returncode} ({_last_error(log)}): check {log}.")
    if "error" in answer:
        raise TaskError(answer["error"])
    return answer


@contextlib.contextmanager
def _open_log(settings: SparkSettings, log: str) -> c.Iterator[t.BinaryIO]:
    """Open, lock and truncate the log; symbolic links are not followed.

    The processes of the task inherit the open file, so the lock is held until the last of them has ended.

    Raises:
        TaskError: another task uses the same log.
    """
    with open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o644), "wb") as file:
        deadline = time.monotonic() + _LOCK_TIMEOUT
        while not _try_lock(file):
            if time.monotonic() > deadline:
                raise NothingRead(
                    f"{settings.OPTION}: another {settings.TASK} is using {log}: "
                    f"wait until it has finished, or set another {settings.OPTION}."
                )
            time.sleep(_LOCK_PAUSE)
        file.truncate(0)
        yield file


def _try_lock(file: t.BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _environment(folder: str) -> dict[str, str]:
    """Return the environment of the process: the path of this collection, and a temporary folder that is removed."""
    collection = __file__.rpartition(f"{os.sep}ansible_collections{os.sep}")[0]
    temporary = f"-Djava.io.tmpdir={shlex.quote(folder)}"
    return {
        "SPARK_LOCAL_DIRS": folder,
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [collection, os.environ.get("PYTHONPATH")])),
        "TMPDIR": folder,
        "JAVA_TOOL_OPTIONS": " ".join(filter(None, [os.environ.get("JAVA_TOOL_OPTIONS"), temporary])),
        # Java reads and writes paths in the locale's encoding
        "LC_ALL": "C.UTF-8",
    }


def _last_error(log: str) -> str:
    """Return the last line of the log that contains an error."""
    with open(log, "rb") as file:
        file.seek(max(0, os.path.getsize(log) - _TAIL_BYTES))
        lines = file.read().decode("utf-8", "replace").splitlines()
    errors = [line.strip() for line in lines if "Error" in line or "Exception" in line]
    return errors[-1][:300] if errors else "no error in the log"
