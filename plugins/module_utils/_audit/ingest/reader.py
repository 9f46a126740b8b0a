# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads one split with confluent-kafka: all committed records in the ranges of its partitions."""

from __future__ import annotations

import collections
import collections.abc as c
import json
import time
import typing as t

from ..._errors import TaskError
from ..libraries import Consumer, Message, TopicPartition, confluent_kafka
from .access import Access
from .pace import Pace
from .splits import Progress, Range, Split, unreadable

_MESSAGES = 10_000
# with a limit of the rate, so that a batch does not take many seconds
_FEW_MESSAGES = 500
# a batch that is not full is returned only after this time
_POLL = 0.02
# interval of the statistics of librdkafka, which include fetch positions without visible records
_STATISTICS_MS = 500
# seconds until a blocking transaction counts as open
_OPEN_TRANSACTION_AFTER = 1.0
# a failover to another broker takes at least this time
_MIN_SILENCE_TIMEOUT = 20.0
# partitions are read one after the other, so that what is kept of each can be returned early; but at the same time as
# long as they have few offsets together, or are few
_OFFSETS_AT_A_TIME = 250_000
_PARTITIONS_AT_A_TIME = 4


class Batch(t.NamedTuple):
    """Records of one partition in order of offsets."""

    partition: int
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
        self._waiting: collections.deque[Range] = collections.deque()
        self._reading: dict[int, Range] = {}
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
        self._waiting.extend(one for one in split if one.size > 0)
        while self._progress.remaining:
            self._assign_more()
            self._check_deadline()
            messages = self._consumer.consume(self._batch_size, _POLL)
            events: list[Message] = []
            found = messages
            if any(map(Message.error, messages)):
                events = [one for one in messages if one.error() is not None]
                found = [one for one in messages if one.error() is None]
            for batch in self._by_partition(found):
                self._keep_pace(batch)
                yield batch
            for event in events:
                self._handle_event(event)
            if messages:
                self._record_activity()
            elif self._only_blocked(time.monotonic() - self._last_activity):
                break

    def _assign_more(self) -> None:
        """Start to read more partitions, up to the limits; blocked ones do not count."""
        reading = [one for partition, one in self._reading.items() if partition not in self._progress.blocked]
        offsets, count, more = sum(one.size for one in reading), len(reading), []
        while self._waiting:
            offsets, count = offsets + self._waiting[0].size, count + 1
            if offsets > _OFFSETS_AT_A_TIME and count > _PARTITIONS_AT_A_TIME:
                break
            more.append(self._waiting.popleft())
        if more:
            self._reading.update((one.partition, one) for one in more)
            self._consumer.incremental_assign([TopicPartition(self._topic, one.partition, one.start) for one in more])
            self._record_activity()

    def _keep_pace(self, batch: Batch) -> None:
        """Wait until the rate allows to read more."""
        if not self._pace.limited:
            return
        self._pace.add(sum(len(message.key() or b"") + len(message) for message in batch.messages))
        while (wait := self._pace.wait) > 0:
            self._check_deadline()
            time.sleep(min(wait, _POLL))

    def _by_partition(self, messages: list[Message]) -> c.Iterator[Batch]:
        """Return the records that belong to the split."""
        for partition, found in _grouped(messages):
            if partition not in self._reading:
                continue
            end = self._progress.end(partition)
            last = found[-1].offset() or 0
            records = found if last < end else [one for one in found if (one.offset() or 0) < end]
            self._unassign(self._progress.add(partition, len(records), last))
            if records:
                yield Batch(partition, records)

    def _handle_event(self, event: t.Any) -> None:
        error, partition = event.error(), event.partition()
        if event.topic() != self._topic or partition not in self._reading:
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
        self._unassign({partition})
        if not done:
            self._waiting.appendleft(Range(partition, start, self._progress.end(partition)))

    def _unassign(self, partitions: set[int]) -> None:
        for partition in partitions:
            del self._reading[partition]
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


def _grouped(messages: list[Message]) -> c.Iterable[tuple[int, list[Message]]]:
    """Return the records of each partition."""
    partitions: list[t.Any] = list(map(Message.partition, messages))
    if not partitions:
        return ()
    if partitions.count(partitions[0]) == len(partitions):
        return [(partitions[0], messages)]
    grouped: dict[int, list[Message]] = collections.defaultdict(list)
    for partition, message in zip(partitions, messages, strict=True):
        grouped[partition].append(message)
    return grouped.items()
