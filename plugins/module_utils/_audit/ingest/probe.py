# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check the executors of a cluster before the scan: their libraries, their connections to the brokers, their clocks."""

from __future__ import annotations

import collections.abc as c
import importlib
import importlib.metadata
import re
import socket
import sys
import time
import typing as t

from ..._errors import TaskError
from ..libraries import Consumer, Py4JJavaError, PySparkException, SparkSession, TopicPartition, confluent_kafka
from .access import Access
from .executor import Scan

# as in meta/requirements.txt
LIBRARIES = {"confluent-kafka": "2.16.1", "pyarrow": "26.0.1"}
# seconds; the timeout of the audit is a point in time
_MAX_SKEW = 5.0
# seconds
_CALLBACK = 0.1
_OTHER_PYTHON = re.compile(r"\[PYTHON_VERSION_MISMATCH\].* version: (\S+) than that in driver: (\S+),")
_LOST_TASK = re.compile(r"\((\S+) executor \S+\)")


class Finding(t.NamedTuple):
    """What an executor found: its host, its time in seconds since the epoch, and its problems as sentences."""

    host: str
    time: float
    problems: list[str]


Check = c.Callable[[Scan], c.Iterator[str]]


def check(spark: SparkSession, wanted: Scan, cores: int) -> None:
    """Run the checks on all cores of the cluster.

    Raises:
        TaskError: an executor cannot take part in the scan; the message names it, and what to do.
    """
    context, before = spark.sparkContext, time.time()
    try:
        found = context.parallelize([wanted] * cores, cores).map(_look).collect()
    except (Py4JJavaError, PySparkException) as exc:
        raise _other_python(str(exc)) or exc from None
    problems = {one.host: problem for one in found for problem in (*one.problems, *skew(one, before, time.time()))}
    if problems:
        first, *others = sorted(problems)
        more = f" (problems on other hosts, too: {', '.join(others)})" if others else ""
        raise TaskError(f"{problems[first]}{more}")


def _look(wanted: Scan) -> Finding:
    """Run on an executor: return its problems."""
    now, host = time.time(), socket.gethostname()
    found: list[str] = []
    for one in CHECKS:
        found = [f"The executor on {host} {problem}" for problem in one(wanted)]
        # what follows needs what was checked before
        if found:
            break
    return Finding(host, now, found)


def skew(found: Finding, before: float, after: float) -> c.Iterator[str]:
    """Return the problem of a clock that is not between two times of this host."""
    seconds = max(before - found.time, found.time - after)
    if seconds > _MAX_SKEW:
        yield (
            f"The clock of the executor on {found.host} differs from the clock of this host by {seconds:.0f} s: "
            "synchronize the clocks."
        )


def _other_python(text: str) -> TaskError | None:
    """Return the error for a Python of another minor version, which Spark refuses."""
    versions, host = _OTHER_PYTHON.search(text), _LOST_TASK.search(text)
    if versions is None:
        return None
    where = f"on {host[1]} " if host else ""
    return TaskError(
        f"The executor {where}has Python {versions[1]}, but this host has Python {versions[2]}: set "
        "spark.pyspark.python in spark_conf to a Python of the same minor version."
    )


def libraries(_wanted: Scan) -> c.Iterator[str]:
    """Check the libraries, which are all that the scan imports."""
    for name, minimum in LIBRARIES.items():
        try:
            importlib.import_module(name.replace("-", "_"))
            version = importlib.metadata.version(name)
        except ImportError as exc:
            yield f"cannot import {name} ({exc}): install {name}>={minimum} for {sys.executable}."
            continue
        if _numbers(version) < _numbers(minimum):
            yield f"has {name} {version}: install {name}>={minimum} for {sys.executable}."


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def brokers(wanted: Scan) -> c.Iterator[str]:
    """Check the connection to each broker that has a partition of the topic."""
    errors: list[str] = []
    consumer = None
    where = "any broker"
    try:
        consumer = Consumer(wanted.access.consumer_config(lambda error: errors.append(error.str())))
        seconds = _patience(wanted.access, wanted.deadline)
        cluster = consumer.list_topics(wanted.topic, seconds)
        leaders = {one.leader: number for number, one in cluster.topics[wanted.topic].partitions.items()}
        for leader, partition in leaders.items():
            where = f"the broker {cluster.brokers[leader]}" if leader in cluster.brokers else f"the broker {leader}"
            consumer.get_watermark_offsets(TopicPartition(wanted.topic, partition), seconds)
    except (confluent_kafka.KafkaException, TaskError) as exc:
        if consumer is not None:
            # calls the callback with the cause
            consumer.poll(_CALLBACK)
        why = exc.args[0].str() if isinstance(exc, confluent_kafka.KafkaException) else str(exc)
        causes = "; ".join(dict.fromkeys([*errors[:1], why]))
        yield (
            f"cannot reach {where} ({' '.join(causes.split())}): executors need connections to all brokers at their "
            "advertised addresses, and the credentials must be valid there."
        )
    finally:
        if consumer is not None:
            consumer.close()


def _patience(access: Access, deadline: float) -> float:
    return max(1.0, min(access.request_timeout, deadline - time.time()))


CHECKS: tuple[Check, ...] = (libraries, brokers)
