# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The Spark session of one task."""

from __future__ import annotations

import collections.abc as c
import contextlib
import logging
import os
import shlex
import subprocess
import sys
import threading
import typing as t

from ..._errors import TaskError
from ..libraries import PySparkRuntimeError, SparkContext, SparkSession
from .settings import SparkSettings, private_file, save_answer

PROGRESS = logging.getLogger("kafkaops.groups")
_PROPERTIES = "spark.properties"
# seconds for Java to end; it takes 0.3 s, or 20 s if it writes an archive of class data
_END_TIMEOUT = 120.0
# sessions start in 6 to 12 s, on a busy machine in 30 s; the timeout of Spark is 60 s
_MASTER_TIMEOUT = 50.0
_LOCAL = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # more partitions are slower on one machine
    "spark.sql.shuffle.partitions": "4",
    # the first one halves the time of a cold start, as the scan does not run in Java; without the second one, the large
    # buffers of cached rows fragment G1's heap until it is full; other collectors ignore it
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:G1HeapRegionSize=16m",
}
# of queries
_INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}


@contextlib.contextmanager
def spark_session(settings: SparkSettings, folder: str) -> c.Iterator[SparkSession]:
    """Start Spark, and stop it at the end; raises TaskError if Java does not start.

    The configuration is passed in a file in the private `folder`, because other users can read command lines, and
    C(spark_conf) may contain secrets. If a standalone master does not respond, the process exits, with the error in its
    result.
    """
    conf = {
        "spark.master": settings.master,
        "spark.app.name": f"kafkaops.groups {settings.TASK}",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # asks Java for the place in Python of each column, which doubles the time to build the queries
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        # other readers of the tables also get timestamps with a time zone
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        **(_LOCAL if settings.local else {}),
        **settings.spark_conf,
        # of all times in texts
        "spark.sql.session.timeZone": "UTC",
    }
    path = os.path.join(folder, _PROPERTIES)
    with private_file(path) as file:
        file.writelines(f"{_escaped(name)}={_escaped(value)}\n" for name, value in conf.items())
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--properties-file {shlex.quote(path)} --load-spark-defaults pyspark-shell"
    python = conf.get("spark.pyspark.python") or (sys.executable if settings.local else None)
    if python:
        os.environ["PYSPARK_PYTHON"] = python
    try:
        SparkContext._ensure_initialized()
    except PySparkRuntimeError:
        raise TaskError(
            f"Java did not start for Spark: check spark_conf, and the output of Java in {settings.log}."
        ) from None
    os.unlink(path)
    timer = threading.Timer(_MASTER_TIMEOUT, _exit_without_master, [settings, folder])
    # other masters may have to allocate machines first, which only the timeout of the task limits
    if settings.standalone:
        timer.start()
    try:
        spark = SparkSession.builder.getOrCreate()
    finally:
        timer.cancel()
    try:
        yield spark
    finally:
        spark.stop()


def end_java() -> None:
    """Let Java end by itself after the session, so that it can write an archive of its class data if configured."""
    gateway: t.Any = SparkContext._gateway
    if gateway is None:
        return
    with contextlib.suppress(OSError):
        gateway.proc.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        gateway.proc.wait(_END_TIMEOUT)


def stage(spark: SparkSession, name: str) -> None:
    """Write the name of the next stage of the task to the log, and show it with its jobs in the Spark UI."""
    PROGRESS.info(name)
    spark.sparkContext.setJobDescription(name)


def interpret_queries(spark: SparkSession, settings: SparkSettings) -> None:
    """Let Spark interpret the queries of a small topic, for which it takes longer to generate and compile code."""
    # what the user has configured applies as it is: each of the two also disables what the other one enables
    if not _INTERPRETED.keys() & settings.spark_conf.keys():
        for name, value in _INTERPRETED.items():
            spark.conf.set(name, value)


def _exit_without_master(settings: SparkSettings, folder: str) -> None:
    message = f"The Spark master {settings.master} did not respond within {_MASTER_TIMEOUT:.0f} s: check master."
    save_answer(folder, {"error": message})
    os._exit(1)


def _escaped(text: str) -> str:
    """Escape a key or a value for java.util.Properties."""
    for raw, escape in (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), (" ", "\\ "), ("=", "\\="), (":", "\\:")):
        text = text.replace(raw, escape)
    return text
