# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads one split with confluent-kafka: all committed records in the ranges of its partitions."""

from __future__ import annotations

import collections.abc as c
import json
import time
import typing as t

from ..._errors import TaskError
from ..libraries import Consumer, Message, TopicPartition, confluent_kafka
from .access import Access
from .pace import Pace
from .splits import Progress, Split, unreadable

_MESSAGES = 10_000
# with a limit of the rate, so that a batch does not take many seconds
_FEW_MESSAGES = 500
_POLL = 0.1
# interval of the statistics of librdkafka, which include fetch positions without visible records
_STATISTICS_MS = 500
# seconds until a blocking transaction counts as open
_OPEN_TRANSACTION_AFTER = 1.0
# a failover to another broker takes at least this time
_MIN_SILENCE_TIMEOUT = 20.0


class Batch(t.NamedTuple):
    """Records in order of offsets within each partition."""

    partitions: list[int]
    messages: list[Message]


def batches(
    access: Access, topic: str, split: Split, progress: Progress, deadline: float, rate: float | None = None
) -> c.Iterator[Batch]:
    """Read a split; afterwards, `progress` contains the read status of each partition.

    Args:
        deadline: seconds since the epoch.
        rate: the maximum number of bytes (keys and values) per second; None for no limit.

    Raises:
        TaskError: a partition cannot be read, or the deadline has passed; the message names the partition.
    """
    reader = _Reader(access, topic, progress, deadline, rate)
    try:
        yield from reader.batches(split)
    finally:
        reader.close()


class _Reader:
    """Reads the partitions of a split until each is done, blocked or silent.

    A leader is silent if it does not send records, the fetch offset does not move (over aborted transactions), and the
    client is not throttled by a quota.
    """

    def __init__(self, access: Access, topic: str, progress: Progress, deadline: float, rate: float | None) -> None:
        self._pace = Pace(rate)
        self._batch_size = _MESSAGES if rate is None else _FEW_MESSAGES
        self._topic = topic
        self._progress = progress
        self._deadline = deadline
        self._silence_timeout = max(_MIN_SILENCE_TIMEOUT, access.request_timeout)
        self._last_error = ""
        # in the future while this client is throttled
        self._last_activity = time.monotonic()
        self._fetched: dict[int, int] = {}
        config = {
            **access.consumer_config(self._on_error, rate),
            "statistics.interval.ms": _STATISTICS_MS,
            "stats_cb": self._on_statistics,
            "throttle_cb": self._on_throttle,
        }
        try:
            self._consumer = Consumer(config)
        except confluent_kafka.KafkaException as exc:
            raise TaskError(f"{topic} cannot be read: {exc.args[0].str()}.") from None

    def close(self) -> None:
        self._consumer.close()

    def _on_error(self, error: t.Any) -> None:
        """Remember an error that librdkafka retries."""
        self._last_error = " ".join(error.str().split())

    def _on_statistics(self, statistics: str) -> None:
        """Detect a leader whose responses contain no visible records."""
        topics = json.loads(statistics)["topics"]
        partitions = topics[self._topic]["partitions"] if self._topic in topics else {}
        fetched = {int(number): partition["next_offset"] for number, partition in partitions.items()}
        moved = any(fetched.get(partition) != self._fetched.get(partition) for partition in self._progress.remaining)
        self._fetched = fetched
        if moved:
            self._record_activity()

    def _on_throttle(self, event: t.Any) -> None:
        """Extend the silence timeout while a quota throttles this client."""
        self._last_error = (
            f"{event.broker_name} throttled this client for {event.throttle_time:.1f} s because of a quota"
        )
        self._record_activity(event.throttle_time)

    def _record_activity(self, wait: float = 0.0) -> None:
        self._last_activity = max(self._last_activity, time.monotonic() + wait)

    def batches(self, split: Split) -> c.Iterator[Batch]:
        starts = [TopicPartition(self._topic, one.partition, one.start) for one in split if one.size > 0]
        self._consumer.incremental_assign(starts)
        self._record_activity()
        while self._progress.remaining:
            self._check_deadline()
            messages = self._consumer.consume(self._batch_size, _POLL)
            events = [message for message in messages if message.error() is not None]
            batch = self._within([message for message in messages if message.error() is None] if events else messages)
            if batch.messages:
                self._keep_pace(batch)
                yield batch
            for event in events:
                self._handle_event(event)
            if messages:
                self._record_activity()
            elif self._only_blocked(time.monotonic() - self._last_activity):
                break

    def _keep_pace(self, batch: Batch) -> None:
        """Wait until the rate allows to read more."""
        self._pace.add(sum(len(message.key() or b"") + len(message.value() or b"") for message in batch.messages))
        while (wait := self._pace.wait) > 0:
            self._check_deadline()
            time.sleep(min(wait, _POLL))

    def _within(self, messages: list[t.Any]) -> Batch:
        """Return the records that belong to the split."""
        partitions, positions = _positions(messages)
        if self._progress.exceeds(positions):
            messages = [one for one in messages if self._progress.within(one.partition(), one.offset())]
            partitions, positions = _positions(messages)
        self._unassign(self._progress.add(partitions, positions))
        return Batch(partitions, messages)

    def _handle_event(self, event: t.Any) -> None:
        error, partition = event.error(), event.partition()
        if event.topic() != self._topic or partition not in self._progress.remaining:
            self._on_error(error)
        elif error.code() == confluent_kafka.KafkaError._PARTITION_EOF:
            self._unassign(self._progress.end_of_log(partition, event.offset()))
        elif error.code() == confluent_kafka.KafkaError._AUTO_OFFSET_RESET:
            self._resume(partition, f"{error.name()}: {error.str()}")
        else:
            raise unreadable(self._topic, partition, f"{error.name()}: {error.str()}")

    def _resume(self, partition: int, why: str) -> None:
        """Continue at the log start, which is now after the next offset to read."""
        where = TopicPartition(self._topic, partition)
        try:
            start, _end = self._consumer.get_watermark_offsets(where, self._silence_timeout)
        except confluent_kafka.KafkaException as exc:
            raise unreadable(self._topic, partition, exc.args[0].str()) from None
        done = self._progress.removed(partition, start)
        if done is None:
            raise unreadable(self._topic, partition, why)
        self._consumer.incremental_unassign([where])
        if not done:
            self._consumer.incremental_assign([TopicPartition(self._topic, partition, start)])

    def _unassign(self, partitions: set[int]) -> None:
        if partitions:
            self._consumer.incremental_unassign([TopicPartition(self._topic, one) for one in partitions])

    def _only_blocked(self, seconds: float) -> bool:
        """Return whether only partitions with an open transaction remain, after `seconds` without activity."""
        silent = self._progress.remaining - self._progress.blocked
        if silent and seconds > self._silence_timeout:
            raise unreadable(
                self._topic, min(silent), f"its leader has not responded for {seconds:.0f} s{self._error_suffix()}"
            )
        return not silent and seconds > _OPEN_TRANSACTION_AFTER

    def _check_deadline(self) -> None:
        remaining = self._progress.remaining
        if time.time() > self._deadline:
            others = f" and {len(remaining) - 1} more" if len(remaining) > 1 else ""
            raise TaskError(
                f"The timeout expired before partition {min(remaining)} of {self._topic}{others} was read completely"
                f"{self._error_suffix()}: increase timeout."
            )

    def _error_suffix(self) -> str:
        return f" (last error: {self._last_error})" if self._last_error else ""


def _positions(messages: list[Message]) -> tuple[list[int], dict[int, int]]:
    """Return the partition of each record, and the last offset of each partition."""
    partitions: list[t.Any] = list(map(Message.partition, messages))
    return partitions, dict(zip(partitions, map(Message.offset, messages), strict=True))
