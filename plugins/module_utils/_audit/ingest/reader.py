# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One split, read by confluent-kafka: every committed record of its partitions, from their starts to their ends."""

from __future__ import annotations

import collections.abc as c
import json
import time
import typing as t

from ..._errors import TaskError
from ..libraries import Consumer, Message, TopicPartition, confluent_kafka
from .access import Access
from .splits import Progress, Split, unreadable

_MESSAGES = 10_000
_POLL = 0.1
# how often librdkafka tells how far it has fetched, also where no record is visible
_STATISTICS_MS = 500
# how long a partition may be stuck before its transaction counts as open
_OPEN_AFTER = 1.0
# shorter than that no broker that fails is replaced by another one
_LEAST_PATIENCE = 20.0


class Batch(t.NamedTuple):
    """Records as they were read: in the order of the offsets of each partition."""

    partitions: list[int]
    messages: list[Message]


def batches(access: Access, topic: str, split: Split, progress: Progress, deadline: float) -> c.Iterator[Batch]:
    """Read a split; `progress` tells afterwards how the reading of each partition ended.

    Args:
        deadline: seconds since the epoch.

    Raises:
        TaskError: a partition cannot be read, or was not read before the deadline; names it, and says why.
    """
    reader = _Reader(access, topic, progress, deadline)
    try:
        yield from reader.batches(split)
    finally:
        reader.close()


class _Reader:
    """Reads the partitions of a split until each is done, stuck, or silent.

    A leader is silent while it neither sends records, nor moves the offset to fetch next (over aborted transactions),
    nor says that a quota makes it wait.
    """

    def __init__(self, access: Access, topic: str, progress: Progress, deadline: float) -> None:
        self._topic = topic
        self._progress = progress
        self._deadline = deadline
        self._patience = max(_LEAST_PATIENCE, access.request_timeout)
        self._last_error = ""
        # in the future while a quota makes this client wait
        self._heard = time.monotonic()
        self._fetched: dict[int, int] = {}
        config = {
            **access.consumer_config(self._note),
            "statistics.interval.ms": _STATISTICS_MS,
            "stats_cb": self._measure,
            "throttle_cb": self._wait,
        }
        try:
            self._consumer = Consumer(config)
        except confluent_kafka.KafkaException as exc:
            raise TaskError(f"{topic} cannot be read: {exc.args[0].str()}.") from None

    def close(self) -> None:
        self._consumer.close()

    def _note(self, error: t.Any) -> None:
        """Remember what librdkafka tries to get over by itself."""
        self._last_error = " ".join(error.str().split())

    def _measure(self, statistics: str) -> None:
        """Take note of a leader whose answers hold no visible records."""
        topics = json.loads(statistics)["topics"]
        partitions = topics[self._topic]["partitions"] if self._topic in topics else {}
        fetched = {int(number): partition["next_offset"] for number, partition in partitions.items()}
        moved = any(fetched.get(partition) != self._fetched.get(partition) for partition in self._progress.left)
        self._fetched = fetched
        if moved:
            self._hear()

    def _wait(self, event: t.Any) -> None:
        """Take note of a broker that lets this client wait."""
        self._last_error = f"{event.broker_name} made this client wait for {event.throttle_time:.1f} s by a quota"
        self._hear(event.throttle_time)

    def _hear(self, wait: float = 0.0) -> None:
        self._heard = max(self._heard, time.monotonic() + wait)

    def batches(self, split: Split) -> c.Iterator[Batch]:
        starts = [TopicPartition(self._topic, one.partition, one.start) for one in split if one.size > 0]
        self._consumer.incremental_assign(starts)
        self._hear()
        while self._progress.left:
            self._check_deadline()
            messages = self._consumer.consume(_MESSAGES, _POLL)
            events = [message for message in messages if message.error() is not None]
            batch = self._within([message for message in messages if message.error() is None] if events else messages)
            if batch.messages:
                yield batch
            for event in events:
                self._take(event)
            if messages:
                self._hear()
            elif self._waited(time.monotonic() - self._heard):
                break

    def _within(self, messages: list[t.Any]) -> Batch:
        """Return those of the records that belong to the split."""
        partitions, positions = _positions(messages)
        if self._progress.exceeds(positions):
            messages = [one for one in messages if self._progress.within(one.partition(), one.offset())]
            partitions, positions = _positions(messages)
        self._drop(self._progress.add(partitions, positions))
        return Batch(partitions, messages)

    def _take(self, event: t.Any) -> None:
        error, partition = event.error(), event.partition()
        if event.topic() != self._topic or partition not in self._progress.left:
            self._note(error)
        elif error.code() == confluent_kafka.KafkaError._PARTITION_EOF:
            self._drop(self._progress.end_of_log(partition, event.offset()))
        elif error.code() == confluent_kafka.KafkaError._AUTO_OFFSET_RESET:
            self._resume(partition, f"{error.name()}: {error.str()}")
        else:
            raise unreadable(self._topic, partition, f"{error.name()}: {error.str()}")

    def _resume(self, partition: int, why: str) -> None:
        """Go on at the start of the log, which has moved beyond what was to be read next."""
        where = TopicPartition(self._topic, partition)
        try:
            start, _end = self._consumer.get_watermark_offsets(where, self._patience)
        except confluent_kafka.KafkaException as exc:
            raise unreadable(self._topic, partition, exc.args[0].str()) from None
        done = self._progress.removed(partition, start)
        if done is None:
            raise unreadable(self._topic, partition, why)
        self._consumer.incremental_unassign([where])
        if not done:
            self._consumer.incremental_assign([TopicPartition(self._topic, partition, start)])

    def _drop(self, partitions: set[int]) -> None:
        if partitions:
            self._consumer.incremental_unassign([TopicPartition(self._topic, one) for one in partitions])

    def _waited(self, seconds: float) -> bool:
        """Return whether all that is left is stuck for good, after so many seconds without a word."""
        silent = self._progress.left - self._progress.stuck
        if silent and seconds > self._patience:
            raise unreadable(self._topic, min(silent), f"its leader is silent for {seconds:.0f} s{self._why()}")
        return not silent and seconds > _OPEN_AFTER

    def _check_deadline(self) -> None:
        left = self._progress.left
        if time.time() > self._deadline:
            others = f" and {len(left) - 1} more" if len(left) > 1 else ""
            raise TaskError(
                f"The time was over before partition {min(left)} of {self._topic}{others} could be read to the end"
                f"{self._why()}: set timeout higher."
            )

    def _why(self) -> str:
        return f" (last error: {self._last_error})" if self._last_error else ""


def _positions(messages: list[Message]) -> tuple[list[int], dict[int, int]]:
    """Return the partition of each record, and the last offset of each partition."""
    partitions: list[t.Any] = list(map(Message.partition, messages))
    return partitions, dict(zip(partitions, map(Message.offset, messages), strict=True))
