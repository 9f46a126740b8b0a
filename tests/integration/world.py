# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the targets need of tests.support: groups made from a document, and groups as another client sees them.

``python -m tests.integration.world`` makes them, from JSON on its standard input: the arguments of `make`. `seen` shows
them at an address, since a process for each look would take a third of the targets' time.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from confluent_kafka import KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from tests.support import commits, consumers, state, topics, truth
from tests.support.clients import Client, properties
from tests.support.consumers import Member
from tests.support.ports import HOST

DAY = 86_400
#: Longer than any target takes; librdkafka loses its way with an hour.
SESSION_MS = 600_000

Partition = tuple[str, int]


def make(client: Client, folder: str, world: Mapping[str, Any]) -> None:
    """Make a document's ``topics`` (see `_topic`), ``groups`` and ``members`` (`_member`).

    A member that ends with ``stop`` leaves its group, one that ends with ``kill`` is left behind in it; the others live
    on until the members of the folder are ended (``python -m tests.support consumer kill --state FOLDER``).
    """
    for name, topic in world.get("topics", {}).items():
        _topic(client, name, **topic)
    groups = world.get("groups", {})
    commits.commit_many(client, {name: dict(map(_offset, offsets)) for name, offsets in groups.items()})
    _start(client, world.get("members", ()), Path(folder))


def see(
    client: Client,
    watch: Sequence[str],
    logs: bool = False,
    topics: Sequence[str] = (),
    configs: Sequence[str] = (),
    shares: bool = False,
) -> dict[str, Any]:
    """Return what another client sees of the groups of `watch`, and of `topics`: None for what does not exist.

    ``others`` counts the groups that are not watched; ``ids`` tells members that came back from those that stayed;
    ``logs`` holds the start and the end of every partition with an offset, ``topics`` how many partitions each has,
    ``configs`` what the groups of `configs` override; with ``shares``, the offsets of share groups are their start
    offsets, by Kafka's own tool.
    """
    listed = truth.groups(client)
    names = [name for name in dict.fromkeys(watch) if name in listed]
    # older brokers tell less in their lists
    listed |= {name: truth.described(client, name) or listed[name] for name in names if "" in listed[name]}
    with ThreadPoolExecutor(4) as pool:
        members = dict(zip(names, pool.map(lambda name: _members(client, name, listed[name]), names), strict=True))
        offsets = dict(zip(names, pool.map(lambda name: _offsets(client, name, listed[name]), names), strict=True))
    groups = dict.fromkeys(watch) | {
        name: {
            **listed[name]._asdict(),
            "members": sorted(members[name]),
            "offsets": [_text(where, *offset) for where, offset in sorted(offsets[name].items())],
        }
        for name in names
    }
    if shares:
        for name, starts in truth.start_offsets(
            client, [name for name in names if listed[name].type == "share"]
        ).items():
            groups[name] = {**(groups[name] or {}), "offsets": starts}
    answer = {"groups": groups, "ids": members, "others": len(listed.keys() - groups.keys())}
    if topics:
        answer["topics"] = _partitions(client, topics)
    if configs:
        answer["configs"] = truth.group_configs(client, configs)
    return (
        {**answer, "logs": _logs(client, {where for found in offsets.values() for where in found})} if logs else answer
    )


@contextlib.contextmanager
def seen(client: Client) -> Iterator[str]:
    """Serve `see`, and yield the address that takes its other arguments as JSON in the query."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(see(client, **json.loads(unquote(self.path.partition("?")[2])))).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_message: object) -> None:
            pass

    with ThreadingHTTPServer((HOST, 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://{HOST}:{server.server_port}/"
        finally:
            server.shutdown()


def _members(client: Client, name: str, group: truth.Group) -> dict[str, str]:
    """Return the ids of members by instance or client id."""
    if group.type not in ("classic", "consumer") or group.state == "Empty":
        return {}
    try:
        return {one.group_instance_id or one.client_id: one.member_id for one in truth.members(client, name)}
    except KafkaException as error:
        # librdkafka does not describe groups of Connect: what tells then is their state
        if error.args[0].code() != KafkaError._INVALID_ARG:
            raise
        return {}


def _offsets(client: Client, name: str, group: truth.Group) -> dict[Partition, truth.Offset]:
    return {} if group.type == "share" else truth.offsets(client, name)


def _partitions(client: Client, names: Sequence[str]) -> dict[str, int | None]:
    found = truth.topics(client)
    return {name: found.get(name) for name in names}


def _text(where: Partition, offset: int, metadata: str, leader_epoch: int) -> str:
    epoch = f" @{leader_epoch}" if leader_epoch >= 0 else ""
    return f"{where[0]}-{where[1]}={offset}{epoch}{metadata and ' ' + metadata}"


def _offset(text: str) -> tuple[Partition, tuple[int, str, int]]:
    match = re.fullmatch(r"(.+)-(\d+)=(\d+)(?: @(\d+))?(?: (.*))?", text)
    assert match, text
    return (match[1], int(match[2])), (int(match[3]), match[5] or "", int(match[4] or -1))


def _logs(client: Client, partitions: set[Partition]) -> dict[str, list[int]]:
    admin = AdminClient(properties(client))
    ends: dict[str, list[int]] = {f"{topic}-{number}": [] for topic, number in partitions}
    for spec in (OffsetSpec.earliest(), OffsetSpec.latest()):
        asked = {TopicPartition(*where): spec for where in partitions}
        for where, answer in (admin.list_offsets(asked) if asked else {}).items():
            ends[f"{where.topic}-{where.partition}"].append(answer.result().offset)
    return ends


def _topic(client: Client, name: str, *, partitions: int = 1, records: int = 0, daily: int = 0, start: int = 0) -> None:
    """Create a topic: `records` over its partitions, or `daily` ones on partition 0, one a day, the last a day ago.

    `start` is where the log of partition 0 begins.
    """
    topics.create(client, name, partitions, records=records, config={"retention.ms": "-1"})
    producer = Producer(properties(client))
    for day in range(daily, 0, -1):
        producer.produce(name, b"x", partition=0, timestamp=int((time.time() - day * DAY) * 1000))
    producer.flush(30)
    if start:
        admin = AdminClient(properties(client))
        for answer in admin.delete_records([TopicPartition(name, 0, start)]).values():
            answer.result()


def _start(client: Client, wanted: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Start members side by side, wait until they are seen, and end those that are to end."""
    started = [(_member(client, **each), each.get("end")) for each in wanted]
    for member, _end in started:
        member.start(folder, detached=True)
        state.save_member(folder, member.name, member)
    for member, _end in started:
        member.wait(60)
    for group in {member.group for member, _end in started}:
        truth.wait_stable(client, group)
    for member, end in started:
        if end == "stop":
            member.stop()
        elif end == "kill":
            member.kill()
    for member, end in started:
        if end == "stop":
            truth.wait_state(client, member.group, "Empty")


def _member(client: Client, group: str, kind: str = "classic", end: str = "", **more: Any) -> Member:
    """A member: `kind` is classic, consumer, connect, share or streams, `more` is what it takes in tests.support."""
    if kind == "connect":
        return consumers.connect_like(client, group, session_timeout_ms=SESSION_MS)
    if kind == "streams":
        return consumers.streams_app(client, group, more["topics"])
    if kind == "share":
        topics.configure_group(client, group, {"share.auto.offset.reset": "earliest"})
        return consumers.share_consumer(client, group, more["topics"][0])
    if kind == "consumer" and end == "kill":
        topics.configure_group(client, group, {"consumer.session.timeout.ms": str(SESSION_MS)})
    if kind == "classic" and end == "kill":
        more["session_timeout_ms"] = SESSION_MS
    return consumers.Consumer(client, group, protocol=kind, **more)  # type: ignore[arg-type]


if __name__ == "__main__":
    make(**json.load(sys.stdin))
