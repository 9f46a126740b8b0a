# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Delta, Iceberg and Kafka for Spark, and the release of PySpark that they have JARs for."""

from __future__ import annotations

import contextlib
import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support import jars
from tests.support.collection import CHECKOUT
from tests.support.hadoop import POM

_LOCK = CHECKOUT / "requirements" / "spark41.lock"
#: What each needs in the session, as its own documentation says.
_PROPERTIES = {
    "delta": {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        # otherwise 50 tasks read the log of each table
        "spark.databricks.delta.snapshotPartitions": "1",
    },
    "iceberg": {},
    "kafka": {},
}


def pyspark() -> Path:
    """The folder with this PySpark, to be put first into PYTHONPATH; the first call takes a minute.

    :raises subprocess.CalledProcessError: when it cannot be installed.
    """
    digest = hashlib.sha256(_LOCK.read_bytes()).hexdigest()[:12]
    folder = jars.CACHE.parent / f"{_LOCK.stem}-{digest}"
    if not folder.is_dir():
        folder.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            fresh = Path(scratch) / "installed"
            options = (
                "--quiet",
                "--disable-pip-version-check",
                "--no-build-isolation",
                "--no-deps",
                "--require-hashes",
            )
            command = [sys.executable, "-m", "pip", "install", *options, "--target", str(fresh), "-r", str(_LOCK)]
            subprocess.run(command, check=True)
            # another process may have been quicker
            with contextlib.suppress(OSError):
                fresh.rename(folder)
    return folder


def conf(*formats: str) -> dict[str, str]:
    """The properties of Spark for these; raises as `jars.fetched` does."""
    found = [jar for name in formats for jar in jars.fetched(POM, name, f"-P{name}").glob("*.jar")]
    made = {"spark.jars": ",".join(sorted(map(str, found)))}
    for name in formats:
        made |= _PROPERTIES[name]
    return made
