# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The child processes of `consumers`: ``python -m tests.support.workers SPEC``, one member of one group each.

Each writes what happens to it as JSON lines, until SIGTERM makes it leave its group.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from confluent_kafka import Consumer, KafkaError, ShareConsumer, TopicPartition
from kafka.protocol.consumer import HeartbeatRequest, JoinGroupRequest, LeaveGroupRequest, SyncGroupRequest

from tests.support.clients import properties
from tests.support.wire import Wire

_UNKNOWN_MEMBER_ID = 25

_stopping = threading.Event()


class Journal:
    """The file of events; each line is a single write, so that readers never see incomplete lines."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, event: str, **details: Any) -> None:
        line = json.dumps({"time": time.time(), "event": event, **details})
        os.write(self._file, line.encode() + b"\n")


def consume(spec: dict[str, Any], journal: Journal) -> None:
    """A consumer that polls, and commits only with ``enable.auto.commit`` in its configuration."""

    def tell(event: str) -> Callable[[Consumer, list[TopicPartition]], None]:
        def changed(_consumer: Consumer, partitions: list[TopicPartition]) -> None:
            journal.write(event, partitions=[[one.topic, one.partition] for one in partitions])

        return changed

    def failed(error: KafkaError) -> None:
        journal.write("error", name=error.name(), message=error.str(), fatal=error.fatal())

    config = {
        **properties(spec["client"]),
        "group.id": spec["group"],
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        # A new topic or group is seen at once instead of after minutes.
        "topic.metadata.refresh.interval.ms": 1000,
        "error_cb": failed,
        **spec["config"],
    }
    consumer = Consumer(config)
    consumer.subscribe(spec["topics"], on_assign=tell("assigned"), on_revoke=tell("revoked"), on_lost=tell("lost"))
    while not _stopping.is_set():
        message = consumer.poll(0.1)
        if message is not None and (error := message.error()):
            failed(error)
    consumer.close()


def share(spec: dict[str, Any], journal: Journal) -> None:
    """A member of a share group; "assigned" comes with its first records."""
    consumer = ShareConsumer({**properties(spec["client"]), "group.id": spec["group"], **spec["config"]})
    consumer.subscribe(spec["topics"])
    seen = False
    while not _stopping.is_set():
        if consumer.poll(0.2) and not seen:
            seen = True
            journal.write("assigned", partitions=[])
    consumer.close()


def connect(spec: dict[str, Any], journal: Journal) -> None:
    """A Kafka Connect worker as the group coordinator sees it: its protocol type and its assignment format."""
    with Wire({**spec["client"], "client.id": spec["config"]["client.id"]}) as wire:
        worker = _ConnectWorker(wire, spec["group"], spec["session_timeout_ms"])
        while not _stopping.is_set():
            if worker.generation < 0:
                if worker.join():
                    journal.write("assigned", partitions=[], member_id=worker.member_id)
            elif error := worker.heartbeat():
                journal.write("error", name=str(error), message="heartbeat", fatal=False)
            else:
                _stopping.wait(0.5)
        worker.leave()


class _ConnectWorker:
    def __init__(self, wire: Wire, group: str, session_timeout_ms: int) -> None:
        self._wire = wire
        self._group = group
        self._session_timeout_ms = session_timeout_ms
        self.member_id = ""
        self.generation = -1

    def join(self) -> bool:
        protocol = JoinGroupRequest.JoinGroupRequestProtocol(name="sessioned", metadata=b"\x00\x01worker")
        joined = self._call(
            JoinGroupRequest,
            session_timeout_ms=self._session_timeout_ms,
            rebalance_timeout_ms=60_000,
            protocol_type="connect",
            protocols=[protocol],
            max_version=5,
        )
        # MEMBER_ID_REQUIRED comes with the id to join again with.
        self.member_id = joined.member_id
        if joined.error_code:
            return False
        self.generation = joined.generation_id
        assignment = SyncGroupRequest.SyncGroupRequestAssignment
        tasks = [assignment(member_id=one.member_id, assignment=b"tasks") for one in joined.members]
        synced = self._call(SyncGroupRequest, generation_id=self.generation, assignments=tasks, max_version=3)
        if synced.error_code:
            self.generation = -1
        return self.generation >= 0

    def heartbeat(self) -> int:
        """Kafka's error code; after any, the worker has to join again."""
        code = int(self._call(HeartbeatRequest, generation_id=self.generation).error_code)
        if code:
            self.generation = -1
        if code == _UNKNOWN_MEMBER_ID:
            self.member_id = ""
        return code

    def leave(self) -> None:
        member = LeaveGroupRequest.MemberIdentity(member_id=self.member_id, group_instance_id=None)
        node = self._wire.coordinators([self._group])[self._group]
        self._wire.call(LeaveGroupRequest(group_id=self._group, member_id=self.member_id, members=[member]), node)

    def _call(self, kind: Any, **fields: Any) -> Any:
        request = kind(group_id=self._group, member_id=self.member_id, group_instance_id=None, **fields)
        return self._wire.call(request, self._wire.coordinators([self._group])[self._group])


KINDS = {"consumer": consume, "share": share, "connect": connect}


def main(spec: dict[str, Any]) -> None:
    journal = Journal(spec["events"])
    signal.signal(signal.SIGTERM, lambda *_signal: _stopping.set())
    journal.write("started", pid=os.getpid())
    KINDS[spec["kind"]](spec, journal)
    journal.write("left")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
