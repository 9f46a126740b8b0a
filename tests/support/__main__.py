# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of the support library, for tests in YAML. The output is JSON."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from confluent_kafka import KafkaException

from tests.support import commits, consumers, state, topics, truth
from tests.support.broker import Cluster
from tests.support.clients import Client
from tests.support.consumers import Member
from tests.support.jars import DEFAULT_VERSION

Arguments = argparse.Namespace


def _client(given: Arguments) -> Client:
    more = json.loads(given.config.read_text(encoding="utf-8")) if given.config else {}
    if given.bootstrap:
        more["bootstrap.servers"] = given.bootstrap
    if not more.get("bootstrap.servers"):
        raise ValueError("no broker: give --bootstrap, KAFKA_BOOTSTRAP_SERVERS, or a --config with bootstrap.servers")
    return {str(key): str(value) for key, value in more.items()}


def _truth_groups(given: Arguments) -> Any:
    return {name: group._asdict() for name, group in sorted(truth.groups(_client(given)).items())}


def _truth_topics(given: Arguments) -> Any:
    return dict(sorted(truth.topics(_client(given)).items()))


def _truth_offsets(given: Arguments) -> Any:
    found = truth.offsets(_client(given), given.group)
    return [{"topic": topic, "partition": number, **found[topic, number]._asdict()} for topic, number in sorted(found)]


def _truth_members(given: Arguments) -> Any:
    return [member._asdict() for member in truth.members(_client(given), given.group)]


def _topic_create(given: Arguments) -> Any:
    topics.create(_client(given), given.name, given.partitions, records=given.records)
    return {"topic": given.name}


def _topic_delete(given: Arguments) -> Any:
    topics.delete(_client(given), given.name)
    return {"topic": given.name}


def _commit(given: Arguments) -> Any:
    names = [given.pattern.format(number) for number in range(given.count)] if given.pattern else [given.group]
    offset = {(given.topic, given.partition): (given.offset, given.metadata, given.leader_epoch)}
    commits.commit_many(_client(given), dict.fromkeys(names, offset))
    return {"groups": len(names)}


def _consumer(given: Arguments) -> Member:
    return consumers.Consumer(
        _client(given),
        given.group,
        given.topics,
        protocol=given.protocol,
        instance_id=given.instance_id,
        session_timeout_ms=given.session_timeout_ms,
        assignor=given.assignor,
        client_id=given.client_id,
    )


def _connect(given: Arguments) -> Member:
    return consumers.connect_like(_client(given), given.group)


def _share(given: Arguments) -> Member:
    client = _client(given)
    topics.configure_group(client, given.group, {"share.auto.offset.reset": "earliest"})
    return consumers.share_consumer(client, given.group, given.topics[0])


def _streams(given: Arguments) -> Member:
    return consumers.streams_app(_client(given), given.group, given.topics)


def _start(make: Callable[[Arguments], Member]) -> Callable[[Arguments], Any]:
    def start(given: Arguments) -> Any:
        member = make(given)
        member.start(given.state, detached=True)
        try:
            member.wait(given.timeout)
            truth.wait_stable(member.client, member.group, given.timeout)
        except BaseException:
            member.kill()
            raise
        return state.save_member(given.state, given.name or member.name, member)

    return start


def _stop(given: Arguments) -> Any:
    return {"members": state.end_members(given.state, given.name, hard=False)}


def _kill(given: Arguments) -> Any:
    return {"members": state.end_members(given.state, given.name, hard=True)}


def _cluster_start(given: Arguments) -> Any:
    state.stop_cluster(given.state)
    cluster = Cluster.start(given.profile, given.version, given.state, detached=True)
    return state.save_cluster(given.state, cluster)


def _cluster_stop(given: Arguments) -> Any:
    state.stop_cluster(given.state)
    return {}


def _parser() -> argparse.ArgumentParser:
    connection = argparse.ArgumentParser(add_help=False)
    connection.add_argument("--bootstrap", default=os.environ.get("KAFKA_BOOTSTRAP_SERVERS"), help="host:port,...")
    connection.add_argument("--config", type=Path, help="a JSON file with librdkafka properties")
    folder = argparse.ArgumentParser(add_help=False)
    folder.add_argument("--state", type=lambda value: Path(value).absolute(), required=True, help="state folder")

    parser = argparse.ArgumentParser(prog="python -m tests.support", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    ask = commands.add_parser("truth", help="what another client sees").add_subparsers(required=True)
    ask.add_parser("groups", parents=[connection]).set_defaults(run=_truth_groups)
    ask.add_parser("topics", parents=[connection]).set_defaults(run=_truth_topics)
    for name, run in (("offsets", _truth_offsets), ("members", _truth_members)):
        one = ask.add_parser(name, parents=[connection])
        one.add_argument("--group", required=True)
        one.set_defaults(run=run)

    topic = commands.add_parser("topic", help="create or delete topics").add_subparsers(required=True)
    create = topic.add_parser("create", parents=[connection])
    create.add_argument("name")
    create.add_argument("--partitions", type=int, default=1)
    create.add_argument("--records", type=int, default=0, help="spread over the partitions")
    create.set_defaults(run=_topic_create)
    delete = topic.add_parser("delete", parents=[connection])
    delete.add_argument("name")
    delete.set_defaults(run=_topic_delete)

    commit = commands.add_parser("commit", parents=[connection], help="make Empty groups")
    commit.add_argument("--group")
    commit.add_argument("--pattern", help="many groups: their names, such as g-{:05d}")
    commit.add_argument("--count", type=int, default=1, help="how many, with --pattern")
    commit.add_argument("--topic", required=True)
    commit.add_argument("--partition", type=int, default=0)
    commit.add_argument("--offset", type=int, required=True)
    commit.add_argument("--metadata", default="")
    commit.add_argument("--leader-epoch", type=int, default=-1)
    commit.set_defaults(run=_commit)

    for name, make in (("consumer", _consumer), ("connect", _connect), ("share", _share), ("streams", _streams)):
        verbs = commands.add_parser(name, help=f"live members: {name}").add_subparsers(required=True)
        start = verbs.add_parser("start", parents=[connection, folder])
        start.add_argument("--group", required=True)
        start.add_argument("--name", help="what stop and kill call it")
        start.add_argument("--timeout", type=float, default=40, help="seconds until it must have its assignment")
        if name != "connect":
            start.add_argument("--topics", type=lambda value: value.split(","), required=True)
        if name == "consumer":
            start.add_argument("--protocol", choices=("classic", "consumer"), default="classic")
            start.add_argument("--instance-id")
            start.add_argument("--client-id")
            start.add_argument("--session-timeout-ms", type=int)
            start.add_argument("--assignor")
        start.set_defaults(run=_start(make))
        for verb, end in (("stop", _stop), ("kill", _kill)):
            stop = verbs.add_parser(verb, parents=[folder])
            stop.add_argument("--name", help="one of them; all when left out")
            stop.set_defaults(run=end)

    cluster = commands.add_parser("cluster", help="brokers").add_subparsers(required=True)
    start = cluster.add_parser("start", parents=[folder], help="writes STATE/cluster.json")
    start.add_argument("--profile", choices=("single", "three", "secured", "old"), default="single")
    start.add_argument("--version", default=DEFAULT_VERSION)
    start.set_defaults(run=_cluster_start)
    cluster.add_parser("stop", parents=[folder]).set_defaults(run=_cluster_stop)
    return parser


def main() -> None:
    given = _parser().parse_args()
    try:
        answer = given.run(given)
    except (KafkaException, OSError, RuntimeError, ValueError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    print(json.dumps(answer, indent=2))


if __name__ == "__main__":
    main()
