# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The Spark session of one audit."""

from __future__ import annotations

import collections.abc as c
import contextlib
import os
import shlex
import sys
import threading

from ..._errors import TaskError
from ..libraries import PySparkRuntimeError, SparkContext, SparkSession
from .settings import LOG, Settings, private_file, save_answer

_PROPERTIES = "spark.properties"
# a session of a master that answers starts in 6 to 12 s, on a busy machine in 30; Spark itself gives up after 60
_MASTER_PATIENCE = 50.0
_LOCAL = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # one machine: more only costs time
    "spark.sql.shuffle.partitions": "4",
    # half the time of a cold start, which every audit is; the scan is not Java's work
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}


@contextlib.contextmanager
def spark_session(settings: Settings, folder: str) -> c.Iterator[SparkSession]:
    """Start Spark, and stop it at the end; raises TaskError where Java does not start.

    The configuration goes through a file in the private `folder`: on a command line, others would see what the user's
    C(spark_conf) holds. A standalone master that does not answer ends the process, with the reason in its answer.
    """
    conf = {
        "spark.master": settings.master,
        "spark.app.name": "kafkaops.groups audit",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        # times with their zone, where others read the tables too
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        **(_LOCAL if settings.local else {}),
        **settings.spark_conf,
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
            f"Java did not start for Spark: check spark_conf, and the output of Java in {settings.path(LOG)}."
        ) from None
    os.unlink(path)
    patience = threading.Timer(_MASTER_PATIENCE, _give_up, [settings, folder])
    # of others, the start may have to wait for machines, which only the task's time limits
    if settings.standalone:
        patience.start()
    try:
        spark = SparkSession.builder.getOrCreate()
    finally:
        patience.cancel()
    try:
        yield spark
    finally:
        spark.stop()


def _give_up(settings: Settings, folder: str) -> None:
    words = f"The Spark master {settings.master} did not answer within {_MASTER_PATIENCE:.0f} s: check master."
    save_answer(folder, {"error": words})
    os._exit(1)


def _escaped(text: str) -> str:
    """Return a key or a value as java.util.Properties reads it."""
    for raw, escape in (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), (" ", "\\ "), ("=", "\\="), (":", "\\:")):
        text = text.replace(raw, escape)
    return text
