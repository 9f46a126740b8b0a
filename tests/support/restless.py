# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Consumers that join one group after the other, commit, and leave: ``python -m tests.support.restless SPEC``.

A process of several threads, each one consumer at a time, until SIGTERM. Its events tell of each visit when it began
and ended, and what was committed, between which times; every committed offset is another one.
"""

from __future__ import annotations

import itertools
import json
import random
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from tests.support.clients import properties
from tests.support.workers import Journal

#: After which a member is gone that could not say that it leaves.
SESSION_MS = 6000
#: What a coordinator answers that has not committed, and what librdkafka says that has not asked it.
REFUSED = frozenset(
    {
        KafkaError.UNKNOWN_MEMBER_ID,
        KafkaError.ILLEGAL_GENERATION,
        KafkaError.REBALANCE_IN_PROGRESS,
        KafkaError.STALE_MEMBER_EPOCH,
        KafkaError.FENCED_MEMBER_EPOCH,
        KafkaError.GROUP_ID_NOT_FOUND,
    }
)

_stopping = threading.Event()


class Visitor:
    """One thread: joins random groups for a short time each."""

    def __init__(self, spec: dict[str, Any], journal: Journal, number: int) -> None:
        self._spec = spec
        self._journal = journal
        self._random = random.Random(number)
        # of no other visitor
        self._offsets = itertools.count(number, 1000)

    def run(self) -> None:
        while not _stopping.is_set():
            protocol = self._random.choice(("classic", "consumer"))
            # a group has one protocol at a time: if both meet, the group is converted, or rejects the join
            self._visit(self._random.choice(self._spec["groups"][protocol]), protocol)

    def _visit(self, group: str, protocol: str) -> None:
        began = time.time()
        assigned = threading.Event()
        config: dict[str, Any] = {
            **properties(self._spec["client"]),
            "group.id": group,
            "group.protocol": protocol,
            "enable.auto.commit": False,
            "error_cb": lambda _error: None,
        }
        if protocol == "classic":
            config |= {"session.timeout.ms": SESSION_MS, "heartbeat.interval.ms": 500}
        consumer = Consumer(config)
        consumer.subscribe([self._spec["topic"]], on_assign=lambda *_given: assigned.set())
        leaves = time.time() + self._random.uniform(0.2, 4)
        while time.time() < leaves and not _stopping.is_set():
            consumer.poll(0.1)
            if assigned.is_set() and self._random.random() < 0.3:
                self._commit(consumer, group)
        consumer.close()
        self._journal.write("visited", group=group, began=began, ended=time.time())

    def _commit(self, consumer: Consumer, group: str) -> None:
        offset = next(self._offsets)
        began = time.time()
        code = 0
        try:
            where = TopicPartition(self._spec["topic"], 0, offset)
            (answer,) = consumer.commit(offsets=[where], asynchronous=False) or [where]
            code = answer.error.code() if answer.error else 0
        except KafkaException as failure:
            code = failure.args[0].code()
        outcome = "committed" if not code else "refused" if code in REFUSED else "unclear"
        self._journal.write(outcome, group=group, offset=offset, began=began, ended=time.time(), code=code)


def main(spec: dict[str, Any]) -> None:
    signal.signal(signal.SIGTERM, lambda *_signal: _stopping.set())
    journal = Journal(spec["events"])
    first, count = spec["visitors"]
    with ThreadPoolExecutor(count) as threads:
        running = [threads.submit(Visitor(spec, journal, first + number).run) for number in range(count)]
        for one in running:
            one.result()
    journal.write("stopped")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
