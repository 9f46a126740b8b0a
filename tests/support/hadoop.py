# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hadoop's servers from its released jars: their configuration, and how Java starts them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from xml.sax.saxutils import escape

import pyspark

from tests.support import jars
from tests.support.process import Process

POM = Path(__file__).resolve().parent / "storage" / "pom.xml"


def java(configuration: Path) -> list[str]:
    """The command that starts a class of Hadoop with the configuration in a folder; raises as `jars.fetched` does."""
    # the rest of the classpath is in the package of PySpark
    folders = (jars.fetched(POM, "hadoop", "-Phadoop"), Path(pyspark.__file__).parent / "jars")
    classpath = ":".join([str(configuration), *(f"{folder}/*" for folder in folders)])
    return ["java", "-Xmx256m", *jars.QUICK, "-cp", classpath]


def configure(folder: Path, name: str, properties: Mapping[str, str]) -> None:
    """Write a file of the configuration."""
    lines = [
        f"<property><name>{key}</name><value>{escape(value)}</value></property>" for key, value in properties.items()
    ]
    (folder / name).write_text("\n".join(["<configuration>", *lines, "</configuration>"]), "utf-8")


@contextlib.contextmanager
def servers(
    folder: Path,
    names: tuple[str, ...],
    ready: Callable[[], bool],
    timeout: float,
    env: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """Start classes of Hadoop with the configuration in a folder, and stop them at the end; their logs go there, too.

    :raises RuntimeError: when one of them ends, or they are not ready in `timeout` seconds; the message has their logs.
    """
    with contextlib.ExitStack() as stack:
        processes = []
        for name in names:
            processes.append(Process([*java(folder), name], folder / f"{name.rpartition('.')[2]}.log", env=env))
            # killed, a NodeManager would leave its containers
            stack.callback(processes[-1].stop, 20)
        deadline = time.monotonic() + timeout
        while not ready():
            if time.monotonic() > deadline or not all(process.alive for process in processes):
                raise RuntimeError("Hadoop does not start:\n" + "\n".join(process.tail() for process in processes))
            time.sleep(0.2)
        yield
