# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What operations read of topics, of the logs of their partitions, and of a broker's configuration."""

from __future__ import annotations

import collections.abc as c
import typing as t

from .._errors import TaskError
from .._input import INT64_MAX
from .._kafka.errors import CallError, KafkaError, UnsupportedVersion, error
from .._kafka.model import Topic, TopicPartition
from .._kafka.rpc.describe_configs import broker_config_request, read_config, topic_config_request
from .._kafka.rpc.describe_log_dirs import PartitionSizes
from .._kafka.rpc.list_offsets import EARLIEST, LATEST, NO_RECORD, READ_UNCOMMITTED, ListOffsets
from .._kafka.rpc.metadata import DescribeTopics, metadata_request, topic_names
from .._kafka.session import Session

Seen = dict[str, Topic | KafkaError]  # pylint: disable=unsupported-binary-operation
"""Topics by name, or the error that the cluster gives for one (UNKNOWN_TOPIC_OR_PARTITION and the like)."""

Log = tuple[int, int]
"""The start and the end offset of a partition's log."""

Logs = dict[TopicPartition, Log | KafkaError]  # pylint: disable=unsupported-binary-operation


async def describe_topics(session: Session, names: c.Iterable[str]) -> Seen:
    """Return each topic, or why it cannot be described."""
    return await session.driver.read(DescribeTopics(), names)


async def list_topics(session: Session) -> list[str]:
    """Return the names of all topics that the caller may DESCRIBE.

    Raises:
        TaskError: no broker answers.
    """
    try:
        _node, names = await session.wire.call_any(metadata_request(None), topic_names)
    except (CallError, UnsupportedVersion) as exc:
        raise TaskError(f"The topics cannot be listed: {exc}.") from None
    return names


async def read_logs(
    session: Session, partitions: c.Collection[TopicPartition], isolation: int = READ_UNCOMMITTED
) -> Logs:
    """Return the start and the end offset of each partition's log, or why they cannot be read; see ListOffsets."""
    await session.driver.locate(ListOffsets(EARLIEST), partitions)
    starts, ends = await session.wire.gather(
        session.driver.read(ListOffsets(which, isolation), partitions) for which in (EARLIEST, LATEST)
    )
    return {where: _log(starts[where], ends[where]) for where in starts}


def _log(start: int | KafkaError, end: int | KafkaError) -> Log | KafkaError:
    if isinstance(start, KafkaError):
        return start
    return end if isinstance(end, KafkaError) else (start, end)


async def partition_sizes(
    session: Session, partitions: c.Collection[TopicPartition]
) -> dict[TopicPartition, int | KafkaError]:
    """Return the bytes of each partition's log, or why they cannot be read; see PartitionSizes."""
    return await session.driver.read(PartitionSizes(), partitions)


def log_errors(logs: Logs) -> list[dict[str, t.Any]]:
    """Return the partitions whose logs could not be read, and why, as C(errors) has them."""
    return [{**where._asdict(), "error": log.as_result()} for where, log in logs.items() if isinstance(log, KafkaError)]


async def offsets_at(
    session: Session, timestamps: c.Mapping[TopicPartition, int]
) -> dict[TopicPartition, int | KafkaError]:
    """Return the first offset at or after a time (ms since the epoch) of each partition, NO_RECORD if there is none."""
    return await session.driver.read(ListOffsets(timestamps), timestamps)


async def timestamps_at(
    session: Session, offsets: c.Mapping[TopicPartition, int]
) -> dict[TopicPartition, int | KafkaError | None]:
    """Return the highest timestamp (ms since the epoch) of the records up to each offset, itself included.

    Found by halves, by lookups of the first record at or after a time: no record is read. It is None where the log has
    no record up to there, or none with a timestamp.
    """
    low = dict.fromkeys(offsets, -1)
    high = dict.fromkeys(offsets, INT64_MAX)
    problems: dict[TopicPartition, KafkaError] = {}
    while True:
        middle = {
            where: (low[where] + high[where] + 1) // 2
            for where in offsets
            if where not in problems and low[where] < high[where]
        }
        if not middle:
            break
        for where, found in (await offsets_at(session, middle)).items():
            if isinstance(found, KafkaError):
                problems[where] = found
            elif NO_RECORD < found <= offsets[where]:
                low[where] = middle[where]
            else:
                high[where] = middle[where] - 1
    return {where: problems.get(where, None if low[where] < 0 else low[where]) for where in offsets}


async def broker_setting(session: Session, name: str) -> str | KafkaError | None:
    """Return a setting of one broker, None where it does not show it (a managed service may show a part only).

    Or why it cannot be read: this needs DESCRIBE_CONFIGS on the cluster.
    """
    try:
        node, _version = await session.wire.reach_any(broker_config_request(-1, [name]))
        found = await session.wire.call(node, broker_config_request(node, [name]), read_config)
    except (CallError, UnsupportedVersion) as exc:
        return error("NETWORK_EXCEPTION", str(exc))
    return found if isinstance(found, KafkaError) else found.get(name)


async def topic_config(session: Session, topic: str, name: str) -> str | KafkaError | None:
    """Return the value of a setting of a topic, None if the brokers do not know the setting.

    Or why it cannot be read: this needs DESCRIBE_CONFIGS on the topic.
    """
    try:
        _node, found = await session.wire.call_any(topic_config_request(topic, [name]), read_config)
    except (CallError, UnsupportedVersion) as exc:
        return error("NETWORK_EXCEPTION", str(exc))
    return found if isinstance(found, KafkaError) else found.get(name)
