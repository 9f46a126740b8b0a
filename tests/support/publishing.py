# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Publishes audits in processes that can be killed: ``python -m tests.support.publishing generated OUTPUT``.

For each number that it reads from standard input, it publishes an audit of so many groups in a child, of which it
prints the process id, and then the exit code. Spark is the same for all, so that each begins at once; what Spark
does for a child that was killed, it ends with it.

With C(audits BOOTSTRAP), each line has the options of a whole audit of a cluster as JSON, and C(answer), the path of a
file for what the audit returns.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pyspark.sql import SparkSession

from tests.support.collection import install

install()

from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import pipeline, store  # noqa: E402
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.facts import Facts  # noqa: E402
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.publish import publish  # noqa: E402

from tests.live.task import audit_settings  # noqa: E402
from tests.support.spark import local_session  # noqa: E402
from tests.support.worlds import NOW, World, commit  # noqa: E402

# publishes what a line asks for
Run = Callable[[SparkSession, str], None]


def publish_groups(output: str, spark: SparkSession, line: str) -> None:
    """Publish an audit with a number of groups, all stale."""
    groups = int(line)
    rows = [commit(f"g{number}", 31) for number in range(groups)]
    world = World(rows, {row["group"]: {} for row in rows})
    settings = audit_settings(output)
    facts = Facts("of no cluster", NOW, time.monotonic(), groups, {}, [], None)
    compared = pipeline.compare(settings, facts, world.scan(spark), world.frames(spark), world.fetch)
    publish(settings, facts, compared, store.Store.of(spark, settings))


def audit(bootstrap: str, spark: SparkSession, line: str) -> None:
    """Audit a cluster."""
    given = json.loads(line)
    answer = given.pop("answer")
    returned = pipeline.audit(spark, audit_settings(given.pop("output"), bootstrap, **given))
    Path(answer).write_text(json.dumps(returned), "utf-8")


def _in_a_child(run: Run, spark: SparkSession, line: str) -> int:
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        # a new thread has its own connection to Java
        with ThreadPoolExecutor(1) as pool:
            pool.submit(run, spark, line).result()
        status = 0
    finally:
        os._exit(status)


def main(kind: str, where: str) -> None:
    """Run until standard input ends."""
    run: Run = functools.partial({"generated": publish_groups, "audits": audit}[kind], where)
    with local_session() as spark:
        print("ready", flush=True)
        for line in sys.stdin:
            pid = _in_a_child(run, spark, line)
            print(pid, flush=True)
            _pid, status = os.waitpid(pid, 0)
            spark.sparkContext.cancelAllJobs()
            # what a child has cached, it has not released
            spark.catalog.clearCache()
            print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
