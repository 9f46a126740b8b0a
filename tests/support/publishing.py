# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Publishes generated audits in processes that can be killed: ``python -m tests.support.publishing OUTPUT``.

For each number that it reads from standard input, it publishes an audit of so many groups in a child, of which it
prints the process id, and then the exit code. Spark is the same for all, so that each begins at once; what Spark
does for a child that was killed, it ends with it.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from pyspark.sql import SparkSession

from tests.support.collection import install

install()

from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import pipeline, store  # noqa: E402
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.facts import Facts  # noqa: E402
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.publish import publish  # noqa: E402

from tests.live.task import audit_settings  # noqa: E402
from tests.support.spark import local_session  # noqa: E402
from tests.support.worlds import NOW, World, commit  # noqa: E402


def publish_groups(spark: SparkSession, output: str, groups: int) -> None:
    """Publish an audit with a number of groups, all stale."""
    rows = [commit(f"g{number}", 31) for number in range(groups)]
    world = World(rows, {row["group"]: {} for row in rows})
    settings = audit_settings(output)
    facts = Facts("of no cluster", NOW, time.monotonic(), groups, {}, [], None)
    compared = pipeline.compare(settings, facts, world.scan(spark), world.frames(spark), world.fetch)
    publish(settings, facts, compared, store.Store.of(spark, settings))


def _in_a_child(spark: SparkSession, output: str, groups: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        # a new thread has its own connection to Java
        with ThreadPoolExecutor(1) as pool:
            pool.submit(publish_groups, spark, output, groups).result()
        status = 0
    finally:
        os._exit(status)


def main() -> None:
    """Run until standard input ends."""
    # as in the session of the audit
    with local_session({"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}) as spark:
        print("ready", flush=True)
        for line in sys.stdin:
            pid = _in_a_child(spark, sys.argv[1], int(line))
            print(pid, flush=True)
            _pid, status = os.waitpid(pid, 0)
            spark.sparkContext.cancelAllJobs()
            print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
