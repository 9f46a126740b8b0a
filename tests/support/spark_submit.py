# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""In the place of Spark's ``spark-submit``: lend PySpark a Java that runs already, until the standard input ends.

``spark_submit.py LENT ARGUMENT...`` with a file of `Lent` as JSON. Spark's own ``spark-submit`` takes over while
somebody else has the Java, for other releases, and for other settings of Java itself.
"""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import struct
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from py4j.clientserver import ClientServer, JavaParameters, PythonParameters

#: Sessions apply the others by themselves.
_OF_JAVA = ("spark.driver.extraClassPath", "spark.driver.memory", "spark.hadoop.", "spark.jars")


class Lent(TypedDict):
    """A Java: the package of PySpark, the file that tells how to connect, and the settings of `_OF_JAVA` it has."""

    pyspark: str
    connection: str
    settings: dict[str, str]


def of_java(settings: Mapping[str, str]) -> dict[str, str]:
    """Those of some settings that only a new Java applies."""
    return {name: value for name, value in settings.items() if name.startswith(_OF_JAVA)}


def java(told: bytes) -> Any:
    """The classes of a Java that has told how to connect to it."""
    (port,), secret = struct.unpack("!i", told[:4]), told[8:].decode()
    gateway = ClientServer(JavaParameters(port=port, auth_token=secret), PythonParameters(port=0, eager_load=False))
    return gateway.jvm


def lend(lent: Lent, path: str) -> bytes | None:
    """Apply a file of settings in the place of earlier ones, and return how to connect; None if Java has other ones."""
    told = Path(lent["connection"]).read_bytes()
    jvm = java(told)
    given, file = jvm.java.util.Properties(), jvm.java.io.FileReader(path)
    given.load(file)
    file.close()
    settings = {name: given.getProperty(name) for name in given.stringPropertyNames()}
    if not settings["spark.master"].startswith(("local", "spark://")) or of_java(settings) != lent["settings"]:
        return None
    left = jvm.org.apache.spark.sql.SparkSession.getDefaultSession()
    # of a process that was killed
    if left.isDefined():
        left.get().stop()
    jvm.org.apache.hadoop.fs.FileSystem.closeAll()
    system = jvm.java.lang.System
    for name in system.getProperties().stringPropertyNames():
        if name.startswith("spark."):
            system.clearProperty(name)
    for name, value in settings.items():
        system.setProperty(name, value)
    system.setProperty("spark.local.dir", os.environ["SPARK_LOCAL_DIRS"])
    return told


def main(file: str, *arguments: str) -> None:
    """Lend the Java, or run Spark's own program."""
    found = importlib.util.find_spec("pyspark")
    assert found
    assert found.submodule_search_locations
    (pyspark,) = found.submodule_search_locations
    lent: Lent = json.loads(Path(file).read_text("utf-8"))
    with Path(file).open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            free = pyspark == lent["pyspark"]
        except BlockingIOError:
            free = False
        told = lend(lent, arguments[arguments.index("--properties-file") + 1]) if free else None
        if told is not None:
            asked = Path(os.environ["_PYSPARK_DRIVER_CONN_INFO_PATH"])
            whole = asked.with_suffix(".whole")
            whole.write_bytes(told)
            whole.rename(asked)
            sys.stdin.read()
            return
    os.environ["SPARK_HOME"] = pyspark
    program = f"{pyspark}/bin/spark-submit"
    os.execv(program, [program, *arguments])


if __name__ == "__main__":
    main(*sys.argv[1:])
