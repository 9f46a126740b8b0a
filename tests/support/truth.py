# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The view of other clients on groups: librdkafka, and Kafka's tools."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from confluent_kafka import ConsumerGroupState, ConsumerGroupTopicPartitions, ConsumerGroupType, KafkaException
from confluent_kafka.admin import AdminClient
from kafka.protocol.admin import DescribeConfigsRequest, DescribeGroupsRequest, ListGroupsRequest
from kafka.protocol.consumer import OffsetFetchRequest

from tests.support.clients import Client, properties
from tests.support.jars import DEFAULT_VERSION, java
from tests.support.wire import PASSING, Wire, insist

if TYPE_CHECKING:
    from tests.support.broker import Cluster

_STATES = {
    ConsumerGroupState.PREPARING_REBALANCING: "PreparingRebalance",
    ConsumerGroupState.COMPLETING_REBALANCING: "CompletingRebalance",
    ConsumerGroupState.STABLE: "Stable",
    ConsumerGroupState.DEAD: "Dead",
    ConsumerGroupState.EMPTY: "Empty",
}
_Some = TypeVar("_Some")
_BATCH = 500
# seconds for brokers to load the partitions that they now lead
_PATIENCE = 60
_UNSTABLE_OFFSET_COMMIT = 88
_GROUP_RESOURCE, _GROUP_CONFIG_SOURCE = 32, 8
_TYPES = {ConsumerGroupType.CONSUMER: "consumer", ConsumerGroupType.CLASSIC: "classic"}


class Group(NamedTuple):
    """A listed group: state in Kafka's spelling, type in lower case; empty if the broker does not return it."""

    state: str
    type: str


class Offset(NamedTuple):
    """A committed offset; the leader epoch is -1 if not set."""

    offset: int
    metadata: str
    leader_epoch: int


class MemberView(NamedTuple):
    """A member of a classic or KIP-848 consumer group."""

    member_id: str
    group_instance_id: str | None
    client_id: str
    host: str
    assignment: list[tuple[str, int]]


def groups(client: Client) -> dict[str, Group]:
    """Every group by its name. Raises as `offsets` does."""
    admin = AdminClient(properties(client))
    deadline = time.monotonic() + _PATIENCE
    while (answer := admin.list_consumer_groups(request_timeout=20).result()).errors:
        if time.monotonic() > deadline or any(each.code() not in PASSING for each in answer.errors):
            raise KafkaException(answer.errors[0])
        time.sleep(0.1)
    seen = {one.group_id: (_STATES.get(one.state, ""), _TYPES.get(one.type, "")) for one in answer.valid}
    # librdkafka leaves out share groups, and does not know the streams type nor all states of the new types.
    listed = _listed(client)
    return {name: Group(*map(_first, seen.get(name, ("", "")), exact)) for name, exact in listed.items()}


def described(client: Client, name: str) -> Group | None:
    """A group, None if it does not exist; with state and type even if the list of the broker does not include them.

    Raises ``KafkaException``.
    """
    seen = groups(client).get(name)
    if seen is None or seen.state:
        return seen and seen._replace(type=seen.type or "classic")
    # before 2.6, lists do not include states
    with Wire(client) as wire:
        answer = wire.call(DescribeGroupsRequest(groups=[name]), wire.coordinators([name])[name])
    return Group(answer.groups[0].group_state, "classic")


def cluster_id(client: Client) -> str:
    return str(AdminClient(properties(client)).list_topics(timeout=20).cluster_id)


def topics(client: Client) -> dict[str, int]:
    """The number of partitions of each topic. Raises ``KafkaException``."""
    found = AdminClient(properties(client)).list_topics(timeout=20).topics
    return {name: len(topic.partitions) for name, topic in found.items()}


def offsets(client: Client, group: str) -> dict[tuple[str, int], Offset]:
    """The committed offsets of a group, without pending transactions. Raises as `all_offsets` does."""
    return all_offsets(client, [group])[group]


def all_offsets(client: Client, names: Iterable[str]) -> dict[str, dict[tuple[str, int], Offset]]:
    """What `offsets` returns, for each of these groups.

    :raises KafkaException, RuntimeError: when a broker refuses.
    :raises TimeoutError: when it is not so within 60 s.
    """
    groups = list(names)
    with Wire(client) as wire:
        # librdkafka 2.16 crashes when this request is answered NOT_COORDINATOR ...
        wire.settle(groups)
        # ... and reads metadata past its end.
        known = _committed(wire, groups)
    admin = AdminClient(properties(client))
    found: dict[str, dict[tuple[str, int], Offset]] = {name: {} for name in groups}
    for name in groups:
        # it takes one group at a time
        request = [ConsumerGroupTopicPartitions(name)]
        answer = admin.list_consumer_group_offsets(request, require_stable=True, request_timeout=20)[name].result()
        for one in answer.topic_partitions:
            if one.error:
                raise KafkaException(one.error)
            where = one.topic, one.partition
            # committed by a live member meanwhile
            metadata = known[name][where].metadata if where in known[name] else None
            epoch = -1 if one.leader_epoch is None else one.leader_epoch
            found[name][where] = Offset(one.offset, metadata or "", epoch)
    return found


def members(client: Client, group: str) -> list[MemberView]:
    """The members of a consumer group, by instance and client id. Raises ``KafkaException``."""
    with Wire(client) as wire:
        wire.settle([group])
    admin = AdminClient(properties(client))
    answer = admin.describe_consumer_groups([group], request_timeout=20)[group].result()
    found = [
        MemberView(
            one.member_id,
            one.group_instance_id,
            one.client_id,
            one.host,
            sorted((part.topic, part.partition) for part in one.assignment.topic_partitions),
        )
        for one in answer.members
    ]
    return sorted(found, key=lambda one: (one.group_instance_id or "", one.client_id, one.member_id))


class World(NamedTuple):
    """Groups: their committed offsets (without metadata), and the IDs of their members.

    A group that has neither is left out: brokers drop it.
    """

    offsets: dict[str, dict[tuple[str, int], int]]
    members: dict[str, set[str]]


def world(client: Client, prefix: str) -> World:
    """The classic and KIP-848 groups whose names start so, thousands of them in seconds. Raises as `offsets` does."""
    listed = {name: one for name, one in groups(client).items() if name.startswith(prefix)}
    names = list(listed)
    offsets: dict[str, dict[tuple[str, int], int]] = {}
    with Wire(client) as wire:
        # librdkafka, which may crash on this, is none for brokers that come and go
        for start in range(0, len(names), _BATCH):
            offsets |= _offsets_alone(_committed(wire, names[start : start + _BATCH]))
    admin = AdminClient(properties(client))
    busy = [name for name, one in listed.items() if one.state != "Empty"]
    answers = admin.describe_consumer_groups(busy, request_timeout=20) if busy else {}
    members = {name: {one.member_id for one in answer.result().members} for name, answer in answers.items()}
    return World(_filled(offsets), _filled(members))


def group_configs(client: Client, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """The settings that groups override; empty for groups without any."""
    resource = DescribeConfigsRequest.DescribeConfigsResource
    wanted = [resource(resource_type=_GROUP_RESOURCE, resource_name=name, configuration_keys=None) for name in names]
    with Wire(client) as wire:
        answer = wire.call(DescribeConfigsRequest(resources=wanted))
    return {
        one.resource_name: {
            config.name: config.value for config in one.configs if config.config_source == _GROUP_CONFIG_SOURCE
        }
        for one in answer.results
    }


def wait_state(client: Client, group: str, state: str, timeout: float = 90) -> Group:
    """Wait until a group is listed with a state.

    :raises TimeoutError: when it is not within `timeout` seconds.
    """
    deadline = time.monotonic() + timeout
    while (seen := described(client, group)) is None or seen.state != state:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{group} is {seen}, not {state}, after {timeout:.0f} s")
        time.sleep(0.1)
    return seen


def wait_stable(client: Client, group: str, timeout: float = 90) -> Group:
    """Wait until a group is Stable. Raises as `wait_state` does."""
    return wait_state(client, group, "Stable", timeout)


def kafka_tool(
    cluster: Cluster, tool: str, arguments: Sequence[str], timeout: float = 180
) -> subprocess.CompletedProcess[str]:
    """Run one of Kafka's own tools (a Java class), of the version of the cluster, against its first listener.

    ``--bootstrap-server`` is added when it is not among the arguments. Output is text; the exit code is not checked.
    """
    given = list(arguments)
    if "--bootstrap-server" not in given:
        given = ["--bootstrap-server", cluster.bootstrap, *given]
    quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
    command = java(cluster.version, 256, quiet, tool, *given)
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)


def start_offsets(client: Client, groups: Sequence[str]) -> dict[str, list[str]]:
    """The start offsets of share groups, as Kafka's own tool shows them: C(TOPIC-PARTITION=OFFSET lag LAG)."""
    found: dict[str, list[str]] = {group: [] for group in groups}
    given = [argument for group in groups for argument in ("--group", group)]
    tool = "org.apache.kafka.tools.consumer.group.ShareGroupCommand"
    arguments = ["--bootstrap-server", str(properties(client)["bootstrap.servers"]), "--describe", "--offsets", *given]
    quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
    command = java(DEFAULT_VERSION, 128, quiet, tool, *arguments)
    shown = subprocess.run(
        command if groups else ["true"], capture_output=True, text=True, check=True, timeout=180
    ).stdout
    for line in shown.splitlines():
        words = line.split()
        if len(words) == 5 and words[0] in found:
            group, topic, partition, start, lag = words
            found[group].append(f"{topic}-{partition}={start} lag {lag}")
    return {group: sorted(lines) for group, lines in found.items()}


def _filled(found: dict[str, _Some]) -> dict[str, _Some]:
    return {name: some for name, some in found.items() if some}


def _first(told: str, exact: str) -> str:
    return told or exact


def _listed(client: Client) -> dict[str, Group]:
    found: dict[str, Group] = {}

    def ask(nodes: list[int]) -> list[int]:
        # an error, and not all groups, from a broker that loads or gives partitions up
        again = []
        answers = wire.calls([(ListGroupsRequest(), node) for node in nodes])
        for node, answer in zip(nodes, answers, strict=True):
            if answer.error_code in PASSING:
                again.append(node)
            elif answer.error_code:
                raise RuntimeError(f"listing the groups of broker {node} failed with Kafka error {answer.error_code}")
            found.update(
                {one.group_id: Group(one.group_state or "", (one.group_type or "").lower()) for one in answer.groups}
            )
        return again

    with Wire(client) as wire:
        insist("list of groups", ask, wire.brokers())
    return found


def _committed(wire: Wire, names: list[str]) -> dict[str, dict[tuple[str, int], Any]]:
    """The committed offsets of groups, after their coordinators respond without errors or pending transactions.

    Raises as `insist` does, and ``RuntimeError`` when a broker refuses.
    """
    found: dict[str, dict[tuple[str, int], Any]] = {}

    def fetch(missing: list[str]) -> list[str]:
        where = wire.coordinators(missing)
        answers = wire.calls([(_fetch(name), where[name]) for name in missing])
        for name, answer in zip(missing, answers, strict=True):
            partitions = {(topic.name, one.partition_index): one for topic in answer.topics for one in topic.partitions}
            codes = {answer.error_code, *(one.error_code for one in partitions.values())} - {0}
            if refused := codes - PASSING - {_UNSTABLE_OFFSET_COMMIT}:
                raise RuntimeError(f"fetching the offsets of {name} failed with Kafka error {min(refused)}")
            if not codes:
                found[name] = partitions
        return [name for name in missing if name not in found]

    insist("stable offsets", fetch, names)
    return found


def _offsets_alone(found: dict[str, dict[tuple[str, int], Any]]) -> dict[str, dict[tuple[str, int], int]]:
    return {name: {where: one.committed_offset for where, one in some.items()} for name, some in found.items()}


def _fetch(group: str) -> Any:
    # Version 7 at most: one group a request, topics by name.
    return OffsetFetchRequest(group_id=group, topics=None, require_stable=True, max_version=7)
