# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fetch the jars of the newest release, and make archives of class data, with which Java starts quicker.

Of a run of a broker, and with the argument "test" of a run of audits.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.support import commits, topics
from tests.support.broker import Cluster
from tests.support.collection import install
from tests.support.jars import QUIET, class_data, jars, spark_class_data, spark_options


def of_kafka() -> None:
    """Make the archive of a broker unless it exists. Raises RuntimeError as `jars` and `Cluster.start` do."""
    jars()
    if not class_data().exists():
        with _making(class_data()) as fresh, Cluster.start(java_options=_writing(fresh)) as cluster:
            # Java writes it when it ends in good order
            cluster.stop(timeout=120)


def of_spark() -> None:
    """Make the archive of audits unless it exists; raises what an audit raises."""
    if not spark_class_data().exists():
        with (
            _making(spark_class_data()) as fresh,
            Cluster.start() as cluster,
            tempfile.TemporaryDirectory() as folder,
        ):
            os.environ["SPARK_SUBMIT_OPTS"] = spark_options(*_writing(fresh))
            _audits(cluster, folder)


@contextlib.contextmanager
def _making(archive: Path) -> Iterator[Path]:
    """Gives a name of its own, since another process may be making the same archive; at the end it is the archive."""
    fresh = archive.with_name(f"{archive.name}.{os.getpid()}")
    try:
        yield fresh
        fresh.rename(archive)
    finally:
        fresh.unlink(missing_ok=True)


def _writing(archive: Path) -> list[str]:
    return [f"-XX:ArchiveClassesAtExit={archive}", *QUIET]


def _audits(cluster: Cluster, folder: str) -> None:
    """Audit a cluster with a stale group, then what is new, and end Spark's Java."""
    install()
    from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import pipeline
    from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.spark import end_java

    from tests.live.task import audit_settings
    from tests.support.spark import local_session

    topics.create(cluster.client(), "read", 2, records=2)
    for commit in range(2):
        commits.commit_many(cluster.client(), {"stale": {("read", 0): (commit, "", -1)}})
    settings = audit_settings(folder, cluster.bootstrap, stale_after="1s", incremental=True)
    with local_session() as spark:
        for _time in range(2):
            pipeline.audit(spark, settings)
    end_java()


if __name__ == "__main__":
    try:
        of_kafka()
    except (RuntimeError, OSError) as error:
        sys.exit(f"setup: {error}")
    if "test" in sys.argv[1:]:
        try:
            of_spark()
        # tests also run without it, and tell more than this
        except Exception as error:
            print(f"setup: there is no archive of class data for Spark, so tests take longer: {error}", file=sys.stderr)
