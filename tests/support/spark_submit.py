# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""In the place of Spark's ``spark-submit``: lend PySpark a Java that runs already, until the standard input ends.

``spark_submit.py SPARK_HOME JAVA ARGUMENT...``: Spark's own ``spark-submit`` takes over while somebody else has the
Java, whose connection is in the file JAVA, and for settings that are those of Java itself.
"""

from __future__ import annotations

import fcntl
import os
import struct
import sys
from pathlib import Path
from typing import Any

from py4j.clientserver import ClientServer, JavaParameters, PythonParameters

#: Sessions apply the others by themselves.
_OF_JAVA = ("spark.driver.extraClassPath", "spark.driver.memory", "spark.hadoop.", "spark.jars")


def lend(java: bytes, path: str) -> bool:
    """Give the Java the settings of a file in the place of earlier ones, and return whether they are not its own."""
    (port,), secret = struct.unpack("!i", java[:4]), java[8:].decode()
    gateway = ClientServer(JavaParameters(port=port, auth_token=secret), PythonParameters(port=0, eager_load=False))
    jvm: Any = gateway.jvm
    given = jvm.java.util.Properties()
    file = jvm.java.io.FileReader(path)
    given.load(file)
    file.close()
    settings = {name: given.getProperty(name) for name in given.stringPropertyNames()}
    if not settings["spark.master"].startswith("local") or any(name.startswith(_OF_JAVA) for name in settings):
        return False
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
    return True


def main(home: str, java: str, *arguments: str) -> None:
    """Lend the Java, or run Spark's own program."""
    with Path(java).open("rb") as connection:
        try:
            fcntl.flock(connection, fcntl.LOCK_EX | fcntl.LOCK_NB)
            free = True
        except BlockingIOError:
            free = False
        if free and lend(told := connection.read(), arguments[arguments.index("--properties-file") + 1]):
            asked = Path(os.environ["_PYSPARK_DRIVER_CONN_INFO_PATH"])
            whole = asked.with_suffix(".whole")
            whole.write_bytes(told)
            whole.rename(asked)
            sys.stdin.read()
            return
    os.environ["SPARK_HOME"] = home
    program = f"{home}/bin/spark-submit"
    os.execv(program, [program, *arguments])


if __name__ == "__main__":
    main(*sys.argv[1:])
