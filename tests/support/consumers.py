# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live members of groups, as child processes that run during a test and can be killed."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from tests.support import jars, truth
from tests.support.clients import Client, properties
from tests.support.collection import CHECKOUT
from tests.support.process import Process

Event = dict[str, Any]
Partition = tuple[str, int]


class Member:
    """One member of one group. A context manager: started on entry, stopped on exit.

    ``start`` and ``wait`` may be called for many members in turn, so that they start at the same time.
    """

    def __init__(self, client: Client, group: str, command: Callable[[Path], list[str]], name: str) -> None:
        self.client = client
        self.group = group
        self.name = name
        self._command = command
        self._process: Process | None = None
        self._events = Path()

    def start(self, folder: Path | None = None, *, detached: bool = False) -> None:
        """Start the process. Its events and output go to `folder`; a `detached` one outlives this process."""
        if folder is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="member-", ignore_cleanup_errors=True)
        where = folder or Path(self._scratch.name)
        where.mkdir(parents=True, exist_ok=True)
        self._events = where / f"{self.name}.events"
        self._process = Process(
            self._command(self._events), where / f"{self.name}.log", folder=CHECKOUT, detached=detached
        )

    def wait(self, timeout: float = 90) -> None:
        """Wait until it has its assignment.

        :raises RuntimeError: when it ends or gets none within `timeout` seconds; the message ends with its output.
        """
        deadline = time.monotonic() + timeout
        while not self._ready():
            if not self.alive or time.monotonic() > deadline:
                found = f"{self.events}\n{self._running.tail()}"
                raise RuntimeError(f"{self.name} of {self.group} has no assignment:\n{found}")
            time.sleep(0.05)

    def stop(self, timeout: float = 20) -> None:
        """Stop cleanly (a static classic member remains in its group); SIGKILL after `timeout` s."""
        self._running.stop(timeout)

    def kill(self) -> None:
        """SIGKILL: the member remains in the group until its session timeout."""
        self._running.kill()

    def close(self) -> None:
        """Stop the member if it is running."""
        if self.alive:
            self.stop()

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.alive

    @property
    def pid(self) -> int:
        return self._running.pid

    @property
    def events(self) -> list[Event]:
        """The events: dicts with `time` and `event`: started, assigned, revoked, lost, error, left."""
        if not self._events.is_file():
            return []
        return [json.loads(line) for line in self._events.read_text(encoding="utf-8").splitlines()]

    @property
    def assignments(self) -> int:
        """The number of assignments; a higher number than before means that the member rejoined."""
        return sum(event["event"] == "assigned" for event in self.events)

    @property
    def assignment(self) -> set[Partition]:
        """The current assignment."""
        owned: set[Partition] = set()
        for event in self.events:
            partitions = {(one[0], one[1]) for one in event.get("partitions", ())}
            owned = owned | partitions if event["event"] == "assigned" else owned - partitions
        return owned

    def _ready(self) -> bool:
        return self.assignments > 0

    @property
    def _running(self) -> Process:
        if self._process is None:
            raise RuntimeError(f"{self.name} was not started")
        return self._process

    def __enter__(self) -> Member:
        self.start()
        try:
            self.wait()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()


class Consumer(Member):
    """A confluent-kafka consumer that polls and does not commit."""

    def __init__(
        self,
        client: Client,
        group: str,
        topics: Sequence[str],
        *,
        protocol: Literal["classic", "consumer"] = "classic",
        instance_id: str | None = None,
        session_timeout_ms: int | None = None,
        assignor: str | None = None,
        client_id: str | None = None,
        config: Mapping[str, str | int | bool] | None = None,
    ) -> None:
        """
        :param protocol: `consumer` is KIP-848's.
        :param session_timeout_ms: classic only; with KIP-848 the broker decides.
        :param assignor: of the client for classic (range, roundrobin, cooperative-sticky), of the broker for KIP-848.
        :param config: more librdkafka properties.
        """
        name = f"{client_id or instance_id or group}-{uuid4().hex[:6]}"
        chosen: dict[str, Any] = {"group.protocol": protocol, "client.id": client_id or name}
        if instance_id:
            chosen["group.instance.id"] = instance_id
        if session_timeout_ms:
            # librdkafka wants a poll interval that is not shorter.
            longest = max(300_000, session_timeout_ms)
            chosen |= {"session.timeout.ms": session_timeout_ms, "max.poll.interval.ms": longest}
        if protocol == "classic":
            interval = min(1000, (session_timeout_ms or 45_000) // 3)
            chosen |= {"heartbeat.interval.ms": interval, "partition.assignment.strategy": assignor or "range"}
        elif assignor:
            chosen["group.remote.assignor"] = assignor
        self._silent = protocol == "consumer"
        self._client_id = str(chosen["client.id"])
        more = {**chosen, **(config or {})}
        super().__init__(client, group, _worker("consumer", client, group, topics=list(topics), config=more), name)

    def _ready(self) -> bool:
        if super()._ready() or not self._silent:
            return super()._ready()
        # A KIP-848 member that gets no partition is told nothing: ask the broker, which is slower.
        time.sleep(0.3)
        group = truth.groups(self.client).get(self.group)
        if group is None or group.state != "Stable":
            return False
        return any(one.client_id == self._client_id for one in truth.members(self.client, self.group))


def connect_like(
    client: Client, group: str, *, session_timeout_ms: int = 30_000, client_id: str = "connect-1"
) -> Member:
    """A live member of a classic group with the protocol type "connect"."""
    config = {"client.id": client_id}
    command = _worker("connect", client, group, config=config, session_timeout_ms=session_timeout_ms)
    return Member(client, group, command, f"{client_id}-{uuid4().hex[:6]}")


def share_consumer(client: Client, group: str, topic: str, *, client_id: str = "share-1") -> Member:
    """A live member of a share group (KIP-932). Share groups start at the end of a topic: it waits for its first record
    unless the group's `share.auto.offset.reset` is earliest (`topics.configure_group`)."""
    command = _worker("share", client, group, topics=[topic], config={"client.id": client_id})
    return Member(client, group, command, f"{client_id}-{uuid4().hex[:6]}")


def streams_app(
    client: Client, group: str, topics: Sequence[str], *, protocol: Literal["classic", "streams"] = "streams"
) -> Member:
    """A live Kafka Streams application (the group is its application id); `streams` is KIP-1071's protocol.

    It keeps its state below the temporary folder. Plain text only.
    """
    name = f"{group}-{uuid4().hex[:6]}"
    serde = "org.apache.kafka.common.serialization.Serdes$ByteArraySerde"
    settings = {"application.id": group, "client.id": name}
    return Member(client, group, _streams("StreamsMember", client, ",".join(topics), protocol, serde, settings), name)


def streams_counter(
    client: Client, groups: Sequence[str], *, protocol: Literal["classic", "streams"] = "classic"
) -> Member:
    """Live Kafka Streams applications in one process, that count what is in their topics GROUP-input.

    They write to GROUP-mid and GROUP-output, and have internal topics. A killed one that is not of the streams protocol
    is left behind for minutes.
    """
    serde = "org.apache.kafka.common.serialization.Serdes$StringSerde"
    settings: dict[str, str | int] = {"statestore.cache.max.bytes": 0, "default.dsl.store": "in_memory"}
    if protocol == "classic":
        settings |= {"session.timeout.ms": 300_000, "heartbeat.interval.ms": 1000}
    name = f"{groups[0]}-{uuid4().hex[:6]}"
    return Member(
        client, groups[0], _streams("StreamsCounter", client, ",".join(groups), protocol, serde, settings), name
    )


def _streams(
    program: str, client: Client, names: str, protocol: str, serde: str, settings: Mapping[str, str | int]
) -> Callable[[Path], list[str]]:
    common = {
        "bootstrap.servers": properties(client)["bootstrap.servers"],
        "group.protocol": protocol,
        "num.stream.threads": 1,
        "auto.offset.reset": "earliest",
        "commit.interval.ms": 500,
        "default.key.serde": serde,
        "default.value.serde": serde,
    }
    given = [f"{key}={value}" for key, value in {**common, **settings}.items()]

    def command(events: Path) -> list[str]:
        state = f"state.dir={events.with_suffix('.state')}"
        return jars.program(program, 128, str(events), names, *given, state)

    return command


def start_many(members: Iterable[Member], timeout: float = 120) -> list[Member]:
    """Start members side by side, and wait until each has an assignment and their groups are stable.

    :raises RuntimeError, TimeoutError: when one does not within `timeout` seconds; all are stopped then.
    """
    started = list(members)
    deadline = time.monotonic() + timeout
    try:
        for member in started:
            member.start()
        for member in started:
            member.wait(deadline - time.monotonic())
        for group in {member.group for member in started}:
            truth.wait_stable(started[0].client, group, timeout=deadline - time.monotonic())
    except BaseException:
        for member in started:
            member.close()
        raise
    return started


def _worker(kind: str, client: Client, group: str, **details: Any) -> Callable[[Path], list[str]]:
    spec = {"kind": kind, "client": properties(client), "group": group, **details}

    def command(events: Path) -> list[str]:
        return [sys.executable, "-m", "tests.support.workers", json.dumps({**spec, "events": str(events)})]

    return command
