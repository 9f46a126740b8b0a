# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the modules return is accepted, as it is, by the options of the same name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer as Client
from confluent_kafka import TopicPartition

from tests.live.playbook import Play, play_tasks
from tests.live.task import ansible
from tests.support import commits, consumers, topics, truth
from tests.support.broker import Cluster
from tests.support.clients import properties

TOPIC = "given-back"
PARTITIONS = 6

Commit = Callable[[Cluster, str], None]


@pytest.fixture(scope="module")
def bootstrap(cluster: Cluster) -> str:
    topics.create(cluster.client(), TOPIC, PARTITIONS, records=60)
    return cluster.bootstrap


def _librdkafka(cluster: Cluster, group: str, **config: Any) -> Client:
    reset = {"auto.offset.reset": "earliest", "enable.auto.commit": False}
    return Client({**properties(cluster.client()), "group.id": group, **reset, **config})


def with_an_epoch(cluster: Cluster, group: str, **config: Any) -> None:
    """Read records, and commit what was read."""
    consumer = _librdkafka(cluster, group, **config)
    consumer.subscribe([TOPIC])
    assert consumer.consume(20, timeout=60)
    consumer.commit(asynchronous=False)
    consumer.close()


def by_kip_848(cluster: Cluster, group: str) -> None:
    with_an_epoch(cluster, group, **{"group.protocol": "consumer"})


def without_an_epoch(cluster: Cluster, group: str) -> None:
    """Commit numbers, as a consumer with assign() does."""
    consumer = _librdkafka(cluster, group)
    offsets = [TopicPartition(TOPIC, partition, partition * 2, metadata="näher ✓") for partition in range(PARTITIONS)]
    consumer.commit(offsets=offsets, asynchronous=False)
    consumer.close()


def by_java(cluster: Cluster, group: str) -> None:
    tool = "org.apache.kafka.tools.consumer.ConsoleConsumer"
    given = ["--topic", TOPIC, "--group", group, "--from-beginning", "--max-messages", "20"]
    ended = truth.kafka_tool(cluster, tool, given)
    assert ended.returncode == 0, ended.stderr


def by_hand(cluster: Cluster, group: str) -> None:
    """Commit what the protocol can carry, and a consumer hardly writes."""
    values = [(0, "", -1), (2**63 - 1, "x" * 4096, -1), (10**12, "ü" * 4096, 0), (3, "\0\n{{ x }}", -7), (5, "5", -1)]
    commits.commit(cluster.client(), group, {(TOPIC, number): value for number, value in enumerate(values)})
    commits.commit(cluster.client(), group, {(TOPIC, len(values)): (-5, "no offset", -1)})


def look(name: str, group: str) -> dict[str, Any]:
    asked = {"name": group, "gather": ["offsets", "lag"]}
    return {"name": name, "kafkaops.groups.consumer_group_info": asked}


def give_back(name: str, group: str, **more: Any) -> dict[str, Any]:
    given = {"group": group, "offsets": "{{ returned.groups[0].offsets }}"}
    return {"name": name, "kafkaops.groups.consumer_group_offsets": given, **more}


COMMITS: dict[str, Commit] = {
    commit.__name__: commit for commit in (with_an_epoch, by_kip_848, without_an_epoch, by_java, by_hand)
}


@pytest.fixture(scope="module")
def offsets_given_back(cluster: Cluster, bootstrap: str) -> Play:
    """One run in which the offsets of a group for each kind of commit are given back, and to another group."""
    tasks = []
    for name, commit in COMMITS.items():
        group = f"given-back-{name}"
        commit(cluster, group)
        truth.wait_state(cluster.client(), group, "Empty")
        tasks += [
            {**look(f"returned {name}", group), "register": "returned"},
            give_back(f"predicted {name}", group, check_mode=True),
            give_back(f"set {name}", group),
            look(f"after {name}", group),
            give_back(f"copied {name}", f"{group}-copy"),
            look(f"copy {name}", f"{group}-copy"),
        ]
    return play_tasks(tasks, bootstrap)


@pytest.mark.parametrize("commit", COMMITS)
def test_offsets(offsets_given_back: Play, commit: str) -> None:
    assert offsets_given_back.words == ""
    done = {name.removesuffix(f" {commit}"): result for name, result in offsets_given_back.tasks.items()}
    offsets = done["returned"]["groups"][0]["offsets"]
    for name in ("predicted", "set"):
        assert done[name]["summary"]["unchanged"] == len(offsets)
    assert [name for name in ("predicted", "set", "copied") if done[name]["changed"]] == ["copied"]
    for name in ("after", "copy"):
        assert done[name]["groups"][0]["offsets"] == offsets
    epochs = [each["leader_epoch"] for each in offsets]
    if commit == "by_hand":
        assert epochs == [-1, -1, 0, -1, -1], "what the broker keeps of numbers that are no offset and no epoch"
    else:
        assert (-1 if commit == "without_an_epoch" else 0) in epochs


@pytest.fixture(scope="module")
def returned(cluster: Cluster, bootstrap: str) -> Iterator[dict[str, Any]]:
    """Groups with a static member that was killed, and with a dynamic one that lives."""
    static = consumers.Consumer(cluster.client(), "given-back-static", [TOPIC], instance_id="i-1")
    dynamic = consumers.Consumer(cluster.client(), "given-back-dynamic", [TOPIC], protocol="consumer")
    consumers.start_many([static, dynamic])
    static.kill()
    try:
        yield ansible("consumer_group_info", bootstrap, match="given-back-*", gather=["members"])
    finally:
        dynamic.close()


@pytest.mark.parametrize("group", ["given-back-static", "given-back-dynamic"])
def test_members(bootstrap: str, returned: dict[str, Any], group: str) -> None:
    members = next(each["members"] for each in returned["groups"] if each["name"] == group)
    assert members
    removed = ansible("consumer_group_members", bootstrap, check=True, name=group, members=members)
    assert removed.get("msg") is None
    assert [item["action"] for item in removed["results"]] == ["remove_member"] * len(members)


@pytest.mark.parametrize(
    ("option", "key"), [("names", "name"), ("match", "name"), ("states", "state"), ("types", "type")]
)
def test_groups(bootstrap: str, returned: dict[str, Any], option: str, key: str) -> None:
    given: dict[str, Any] = {option: list(dict.fromkeys(each[key] for each in returned["groups"]))}
    found = ansible("consumer_group_info", bootstrap, **given)
    assert found.get("msg") is None
    assert {each["name"] for each in found["groups"]} >= {each["name"] for each in returned["groups"]}


@pytest.mark.parametrize("module", ["consumer_group", "consumer_group_members", "topic", "topic_info"])
def test_names(bootstrap: str, returned: dict[str, Any], module: str) -> None:
    if module.startswith("topic"):
        found = ansible("topic_info", bootstrap, match="given-back*")["topics"]
    else:
        found = returned["groups"]
    more: dict[str, Any] = {"remove_all": True} if module == "consumer_group_members" else {}
    taken = ansible(module, bootstrap, check=True, names=[each["name"] for each in found], **more)
    shown = taken["topics"] if module == "topic_info" else taken["results"]
    assert len(shown) >= len(found) > 0
