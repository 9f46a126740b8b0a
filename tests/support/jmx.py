# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metrics of a running broker, by Java's management extensions (JMX) and Kafka's own tool for them."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.support.jars import DEFAULT_VERSION, java
from tests.support.ports import HOST, free
from tests.support.process import Process

_INTERVAL_MS = 500
_TOOL = "org.apache.kafka.tools.JmxTool"


class Metric:
    """An attribute of a metric, which the tool writes to its log every 0.5 s."""

    def __init__(self, process: Process, log: Path) -> None:
        self._process = process
        self._log = log

    def samples(self, since: float, timeout: float = 60) -> list[tuple[float, float]]:
        """Wait for a value after a time (seconds since the epoch); return all values, each after its time.

        :raises RuntimeError: when there is none after `timeout` seconds; the message ends with the log.
        """
        deadline = time.monotonic() + timeout
        while True:
            lines = self._log.read_text("utf-8").splitlines(keepends=True)
            # other lines are the names of the columns, and what Java says
            rows = [line.split(",") for line in lines if line[:1].isdigit() and line.endswith("\n")]
            if rows and int(rows[-1][0]) / 1000 > since:
                return [(int(moment) / 1000, float(value)) for moment, value in rows]
            if not self._process.alive or time.monotonic() > deadline:
                raise RuntimeError(f"The metric cannot be read:\n{self._process.tail()}")
            time.sleep(0.1)


@contextlib.contextmanager
def metric(pid: int, name: str, attribute: str, folder: Path) -> Iterator[Metric]:
    """Read an attribute of a metric from a broker's process, which must have the metric within 10 s.

    :raises subprocess.CalledProcessError: when the broker does not open its metrics.
    """
    (port,) = free(1)
    remote = {"port": port, "rmi.port": port, "host": HOST, "authenticate": "false", "ssl": "false"}
    options = [f"jmxremote.{option}={value}" for option, value in remote.items()]
    subprocess.run(["jcmd", str(pid), "ManagementAgent.start", *options], check=True, capture_output=True)
    command = java(DEFAULT_VERSION, 64, _TOOL, "--jmx-url", f"service:jmx:rmi:///jndi/rmi://{HOST}:{port}/jmxrmi")
    command += ["--object-name", name, "--attributes", attribute]
    command += ["--reporting-interval", str(_INTERVAL_MS), "--wait"]
    with contextlib.ExitStack() as stack:
        stop = ["jcmd", str(pid), "ManagementAgent.stop"]
        stack.callback(subprocess.run, stop, check=False, capture_output=True)
        # Java leaves it when the broker is killed
        stack.callback(Path(tempfile.gettempdir(), f".java_pid{pid}").unlink, missing_ok=True)
        process = Process(command, folder / "jmx.log")
        stack.callback(process.kill)
        yield Metric(process, folder / "jmx.log")
