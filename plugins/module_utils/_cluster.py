# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Topics and their logs, by confluent-kafka: partitions, permissions, log offsets, offsets by time, deletion."""

from __future__ import annotations

import base64
import collections.abc as c
import concurrent.futures
import traceback
import typing as t

from ._errors import KafkaError, TaskError, error, from_code
from ._model import Topic, TopicPartition, is_internal
from ._wire import Deadline

if t.TYPE_CHECKING:
    from ._oauth import Tokens

CONFLUENT_IMPORT_ERROR: str | None = None
try:
    import confluent_kafka
    from confluent_kafka.admin import AdminClient, ConfigResource, OffsetSpec
except ImportError:
    CONFLUENT_IMPORT_ERROR = traceback.format_exc()


T = t.TypeVar("T")

# librdkafka refuses a longer time-out
_MAX_TIMEOUT = 3600.0
# what it gives for a timestamp after the last record
_NO_RECORD = -1


class Cluster:
    """Topics of one cluster.

    Args:
        config: configuration of librdkafka.
        deadline: the end of the task's time.
        tokens: bearer tokens for OAUTHBEARER.
    """

    def __init__(self, config: dict[str, t.Any], deadline: Deadline, tokens: Tokens | None) -> None:
        self._deadline = deadline
        causes: list[str] = []
        self._causes = causes
        # without self: librdkafka's client would live, and connect, until the next garbage collection
        config = {**config, "error_cb": lambda problem: causes.append(problem.str())}
        if tokens is not None:
            config = {**config, "oauth_cb": lambda _config: tokens.leased(deadline.remaining)}
        # waits until the callback has handed over the token
        self._admin = AdminClient(config)

    def topics(self, names: c.Iterable[str]) -> dict[str, Topic | KafkaError]:
        """Return each topic, or the error that the cluster gives for it (UNKNOWN_TOPIC_OR_PARTITION and the like)."""
        return self.ask_topics(names)()

    def ask_topics(self, names: c.Iterable[str]) -> c.Callable[[], dict[str, Topic | KafkaError]]:
        """Ask for topics, without waiting; what is returned waits, and returns what `topics` does."""
        wanted = sorted(set(names))
        if not wanted:
            return dict
        futures = self._admin.describe_topics(
            confluent_kafka.TopicCollection(wanted),
            include_authorized_operations=True,
            request_timeout=self._timeout(),
        )
        return lambda: {name: self._result(future, _topic) for name, future in futures.items()}

    def topic_names(self) -> list[str]:
        """Return the names of all topics that the caller may DESCRIBE."""
        try:
            return sorted(self._admin.list_topics(timeout=self._timeout()).topics)
        except confluent_kafka.KafkaException as exc:
            raise self._unasked(exc.args[0].str()) from None

    def delete_topics(self, names: c.Iterable[str]) -> dict[str, KafkaError | None]:
        """Delete topics; return None for each that is deleted, or why it is not.

        After REQUEST_TIMED_OUT the outcome is unknown: there was no answer, or the brokers are not done with it.
        """
        wanted = list(names)
        if not wanted:
            return {}
        futures = self._admin.delete_topics(wanted, request_timeout=self._timeout())
        return {name: self._deletion(future) for name, future in futures.items()}

    def log_offsets(
        self, partitions: c.Collection[TopicPartition]
    ) -> dict[TopicPartition, tuple[int, int] | KafkaError]:
        """Return the start and the end offset of each partition's log, or why it cannot be told."""
        specs = (OffsetSpec.earliest(), OffsetSpec.latest())
        # both are on their way before the first is waited for
        asked = [self._ask_offsets(dict.fromkeys(partitions, spec)) for spec in specs]
        starts, ends = (self._answered_offsets(futures) for futures in asked)
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
        return self._answered_offsets(self._ask_offsets(dict.fromkeys(partitions, OffsetSpec.for_timestamp(timestamp))))

    def broker_config(self, node: int) -> dict[str, str] | KafkaError:
        """Return the configuration of a broker, or why it cannot be told (it needs DESCRIBE_CONFIGS on the cluster)."""
        resource = ConfigResource(ConfigResource.Type.BROKER, str(node))
        future = self._admin.describe_configs([resource], request_timeout=self._timeout())[resource]
        return self._result(future, lambda entries: {name: entry.value for name, entry in entries.items()})

    def _ask_offsets(self, asked: dict[TopicPartition, t.Any]) -> dict[t.Any, concurrent.futures.Future[t.Any]]:
        partitions = {confluent_kafka.TopicPartition(*where): spec for where, spec in asked.items()}
        return self._admin.list_offsets(partitions, request_timeout=self._timeout()) if asked else {}

    def _answered_offsets(
        self, futures: dict[t.Any, concurrent.futures.Future[t.Any]]
    ) -> dict[TopicPartition, int | KafkaError]:
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
                raise self._unasked(problem.str()) from None
            return known
        except concurrent.futures.TimeoutError:
            raise self._unasked("no answer in time") from None

    def _deletion(self, future: concurrent.futures.Future[None]) -> KafkaError | None:
        try:
            return self._result(future, lambda done: done)
        except TaskError:
            return error("REQUEST_TIMED_OUT", "the brokers did not say in time whether it is deleted")

    def _unasked(self, problem: str) -> TaskError:
        # librdkafka says only "timed out" in an answer, and the cause to the callback that this serves
        self._admin.poll(0)
        because = f" ({self._causes[-1]})" if self._causes else ""
        return TaskError(
            f"The brokers could not be asked about topics: {problem}{because}: look at whether the addresses "
            "that they advertise can be reached from here, and at request_timeout."
        )


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
        _uuid(description.topic_id),
        description.is_internal or is_internal(description.name),
    )


def _uuid(found: t.Any) -> str:
    """Return an id as Kafka spells it, empty for none; librdkafka's own words are of another alphabet."""
    halves = (found.get_most_significant_bits(), found.get_least_significant_bits())
    if not any(halves):
        return ""
    both = b"".join(half.to_bytes(8, "big", signed=True) for half in halves)
    return base64.urlsafe_b64encode(both).decode().rstrip("=")
