# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Topics and their logs, by confluent-kafka: partitions, permissions, log offsets, offsets by time."""

from __future__ import annotations

import collections.abc as c
import concurrent.futures
import dataclasses
import time
import traceback
import typing as t

from ._errors import KafkaError, TaskError, error, from_code
from ._model import TopicPartition
from ._wire import Deadline

CONFLUENT_IMPORT_ERROR: str | None = None
try:
    import confluent_kafka
    from confluent_kafka.admin import AdminClient, OffsetSpec
except ImportError:
    CONFLUENT_IMPORT_ERROR = traceback.format_exc()


T = t.TypeVar("T")

# librdkafka refuses a longer time-out
_MAX_TIMEOUT = 3600.0
# what it gives for a timestamp after the last record
_NO_RECORD = -1


@dataclasses.dataclass(frozen=True)
class Topic:
    """A topic: its partitions, and what the caller may do with it (READ and the like)."""

    name: str
    partitions: frozenset[int]
    operations: frozenset[str]


class Cluster:
    """Topics of one cluster.

    Args:
        config: configuration of librdkafka.
        deadline: the end of the task's time.
        token: bearer token for OAUTHBEARER and its life in seconds.
    """

    def __init__(self, config: dict[str, t.Any], deadline: Deadline, token: tuple[str, float] | None) -> None:
        self._deadline = deadline
        if token is not None:
            config = {**config, "oauth_cb": lambda _config: (token[0], time.time() + token[1])}
        self._admin = AdminClient(config)
        if token is not None:
            # serves the callback that hands over the token
            self._admin.poll(1.0)

    def topics(self, names: c.Iterable[str]) -> dict[str, Topic | KafkaError]:
        """Return each topic, or the error that the cluster gives for it (UNKNOWN_TOPIC_OR_PARTITION and the like)."""
        wanted = sorted(set(names))
        if not wanted:
            return {}
        futures = self._admin.describe_topics(
            confluent_kafka.TopicCollection(wanted),
            include_authorized_operations=True,
            request_timeout=self._timeout(),
        )
        return {name: self._result(future, _topic) for name, future in futures.items()}

    def log_offsets(
        self, partitions: c.Collection[TopicPartition]
    ) -> dict[TopicPartition, tuple[int, int] | KafkaError]:
        """Return the start and the end offset of each partition's log, or why it cannot be told."""
        starts = self._offsets(dict.fromkeys(partitions, OffsetSpec.earliest()))
        ends = self._offsets(dict.fromkeys(partitions, OffsetSpec.latest()))
        logs: dict[TopicPartition, tuple[int, int] | KafkaError] = {}
        for where in partitions:
            start, end = starts[where], ends[where]
            if isinstance(start, KafkaError):
                logs[where] = start
            elif isinstance(end, KafkaError):
                logs[where] = end
            elif min(start, end) < 0:
                logs[where] = error("UNKNOWN_SERVER_ERROR", "the leader of the partition gave no offsets of its log")
            else:
                logs[where] = (start, end)
        return logs

    def offsets_at(
        self, partitions: c.Collection[TopicPartition], timestamp: int
    ) -> dict[TopicPartition, int | KafkaError]:
        """Return the first offset at or after `timestamp` (ms since the epoch), -1 where there is none."""
        return self._offsets(dict.fromkeys(partitions, OffsetSpec.for_timestamp(timestamp)))

    def _offsets(self, asked: dict[TopicPartition, t.Any]) -> dict[TopicPartition, int | KafkaError]:
        if not asked:
            return {}
        futures = self._admin.list_offsets(
            {confluent_kafka.TopicPartition(*where): spec for where, spec in asked.items()},
            request_timeout=self._timeout(),
        )
        return {
            TopicPartition(where.topic, where.partition): self._result(future, _offset)
            for where, future in futures.items()
        }

    def _timeout(self) -> float:
        return min(max(0.1, self._deadline.remaining), _MAX_TIMEOUT)

    def _result(
        self, future: concurrent.futures.Future[t.Any], read: c.Callable[[t.Any], T | KafkaError]
    ) -> T | KafkaError:
        try:
            return read(future.result(timeout=self._timeout() + 1))
        except confluent_kafka.KafkaException as exc:
            problem = exc.args[0]
            # librdkafka's own errors have negative codes
            known = from_code(problem.code(), problem.str()) if problem.code() > 0 else None
            if known is None:
                raise TaskError(
                    f"The brokers could not be asked about topics: {problem.str()}: look at whether the addresses that "
                    "they advertise can be reached from here, and at request_timeout."
                ) from None
            return known


def _offset(found: t.Any) -> int | KafkaError:
    offset = int(found.offset)
    if offset < _NO_RECORD:
        # librdkafka gives its own "invalid" in place of an error when a leader does not answer
        return error("REQUEST_TIMED_OUT", "the leader of the partition did not tell the offsets of its log")
    return offset


def _topic(description: t.Any) -> Topic:
    return Topic(
        description.name,
        frozenset(partition.id for partition in description.partitions),
        frozenset(operation.name for operation in description.authorized_operations or ()),
    )
