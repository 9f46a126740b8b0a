# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plan a scan on the driver: query the topic, and distribute it to splits."""

from __future__ import annotations

import dataclasses
import time
import typing as t

from ..._errors import TaskError
from ..._kafka.errors import KafkaError
from ..._kafka.model import TopicPartition
from ..._kafka.options import Connection
from ..._kafka.session import Session
from ..._operations._read_topics import describe_topics, partition_sizes, read_logs, topic_config
from . import distribution, marks
from .access import Access
from .distribution import RECORD_BYTES, Cores, Topic
from .executor import Origin, Scan
from .marks import Marks
from .scan import BOUND
from .splits import OTHER_SOURCE, Range, unreadable

_ADVICE = (
    "Check that a group has committed offsets on this cluster, and check READ and DESCRIBE on the topic, "
    f"{OTHER_SOURCE}."
)


def plan(
    connection: Connection,
    topic: str,
    deadline: float,
    cores: Cores,
    client_rack: str | None = None,
    read_rate: int | None = None,
    keyed: bool = False,
    earlier: Marks | None = None,
) -> Scan:
    """Return the scan of a topic up to its current end offsets.

    Args:
        deadline: seconds since the epoch.
        client_rack: the rack of the executors (KIP-392).
        read_rate: the maximum number of bytes per second of all splits together; None for no limit.
        keyed: whether rows of other scans can be combined with the rows of this one, see `merge`.
        earlier: the marks at which the scan continues, unless there is an obstacle.

    Raises:
        TaskError: the topic cannot be read.
    """
    began = time.time()
    limited = dataclasses.replace(connection, timeout=max(1.0, deadline - began))
    with Session(limited, check_mode=True) as session:
        found = session.wire.run(describe, session, topic)
        retention = session.wire.run(topic_config, session, topic, "delete.retention.ms") if earlier else None
    obstacle = marks.obstacle(earlier, found, retention, deadline) if earlier else None
    continued = earlier is not None and obstacle is None
    starts = {one.partition: one.start for one in found.ranges}
    origin = Origin(began, found.topic_id, starts, continued, obstacle)
    if earlier and continued:
        found = marks.after(earlier, found)
    if read_rate is None:
        planned, rate = distribution.plan(found, cores), None
    else:
        # splits that do not run at the same time would not use their part of the rate
        planned = distribution.distribute(found, cores.number)
        rate = read_rate / len(planned)
    small = read_rate is None and distribution.is_small(found, cores)
    return Scan(Access.of(connection, client_rack), topic, planned, deadline, rate, BOUND, small, keyed, origin)


async def describe(session: Session, topic: str) -> Topic:
    """Return the ranges and weights of all partitions.

    Raises:
        TaskError: the topic does not exist, or a partition cannot be read.
    """
    found = (await describe_topics(session, [topic]))[topic]
    if isinstance(found, KafkaError):
        raise TaskError(f"The topic {topic} cannot be read ({found.name}: {found.message}). {_ADVICE}")
    if not found.partitions:
        raise TaskError(f"The topic {topic} cannot be read: it has no partitions. {_ADVICE}")
    wanted = [TopicPartition(topic, partition) for partition in sorted(found.partitions)]
    ranges = []
    for where, log in (await read_logs(session, wanted)).items():
        if isinstance(log, KafkaError):
            raise unreadable(topic, where.partition, f"{log.name}: {log.message}")
        ranges.append(Range(where.partition, *log))
    sizes = {where.partition: size for where, size in (await partition_sizes(session, wanted)).items()}
    exact = not any(isinstance(size, KafkaError) for size in sizes.values())
    # of an empty partition, the files may remain
    weights = {
        one.partition: 0 if not one.size else sizes[one.partition] if exact else one.size * RECORD_BYTES
        for one in ranges
    }
    return Topic(ranges, t.cast("dict[int, int]", weights), exact, found.id)
