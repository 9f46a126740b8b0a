# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A Java consumer reads on from what the modules commit: it waits forever for a leader epoch that does not come."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from tests.live.task import Outcome, run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.clients import properties

NUMBERS = count()
#: More than any topic of these tests has.
FOREIGN = 12
RECORDS, COMMITTED = 10, 4


@pytest.fixture
def topic(cluster: Cluster) -> str:
    name = f"epochs-{next(NUMBERS)}"
    topics.create(cluster.client(), name, 1, records=RECORDS)
    return name


def java_reads(cluster: Cluster, group: str, topic: str, records: int, seconds: int = 60) -> int:
    """How many of so many records Kafka's own console consumer reads on from what the group has committed."""
    arguments = ["--topic", topic, "--group", group, "--from-beginning", "--max-messages", str(records)]
    tool = "org.apache.kafka.tools.consumer.ConsoleConsumer"
    read = truth.kafka_tool(cluster, tool, [*arguments, "--timeout-ms", str(seconds * 1000)], timeout=seconds + 60)
    truth.wait_state(cluster.client(), group, "Empty", 60)
    return len(read.stdout.splitlines())


def twice(cluster: Cluster, **args: Any) -> Outcome:
    """A task in check mode and for real, which say the same; the real one is returned."""
    predicted, done = (run("consumer_group_offsets", cluster.bootstrap, check, **args) for check in (True, False))
    assert [item.as_result() for item in predicted.items] == [item.as_result() for item in done.items]
    assert "OffsetCommit" not in predicted.requests
    return done


def recreate(cluster: Cluster, topic: str) -> None:
    topics.delete(cluster.client(), topic)
    topics.create(cluster.client(), topic, 1, records=RECORDS)


def back_up(cluster: Cluster, group: str, file: Path) -> None:
    """Write a back-up of the group, and delete it."""
    assert run("consumer_group", cluster.bootstrap, names=group, backup=str(file)).changed == 1


def rewrite(file: Path, **more: Any) -> None:
    """Write a back-up again without the ids of its topics."""
    content = json.loads(file.read_text())
    del content["topics"]
    file.write_text(json.dumps({**content, **more}))


def test_a_topic_that_was_created_anew(cluster: Cluster, topic: str, tmp_path: Path) -> None:
    client, where, file = cluster.client(), (topic, 0), tmp_path / "b.json"
    commits.commit_many(client, {"anew": {where: (COMMITTED, "m", FOREIGN)}, "beyond": {where: (50, "m", FOREIGN)}})
    assert run("consumer_group", cluster.bootstrap, names=["anew", "beyond"], backup=str(file)).changed == 2
    recreate(cluster, topic)
    refused = twice(cluster, restore={"path": str(file)})
    assert refused.errors == dict.fromkeys(("anew", "beyond"), "INCONSISTENT_TOPIC_ID")
    assert {"anew", "beyond"} & truth.groups(client).keys() == set()
    clamped = twice(cluster, restore={"path": str(file), "recreated": "clamp"})
    assert (clamped.changed, clamped.errors) == (2, {})
    assert truth.offsets(client, "anew") == {where: (COMMITTED, "m", -1)}
    assert truth.offsets(client, "beyond") == {where: (RECORDS, "m", -1)}
    assert java_reads(cluster, "anew", topic, RECORDS - COMMITTED) == RECORDS - COMMITTED
    again = run(
        "consumer_group_offsets", cluster.bootstrap, restore={"path": str(file), "recreated": "clamp"}, group="beyond"
    )
    assert (again.changed, again.errors) == (0, {})


def test_a_topic_that_did_not_exist_at_the_time(cluster: Cluster, topic: str, tmp_path: Path) -> None:
    """Current brokers delete the offsets of a topic with it; older ones, or a moment later, leave them."""
    client, file = cluster.client(), tmp_path / "b.json"
    commits.commit(client, "orphan", {(topic, 0): (COMMITTED, "", -1)})
    back_up(cluster, "orphan", file)
    rewrite(file, topics=[{"name": topic, "id": None}])
    assert twice(cluster, restore={"path": str(file)}).errors == {"orphan": "INCONSISTENT_TOPIC_ID"}


def test_the_same_topic_keeps_its_epoch(cluster: Cluster, topic: str, tmp_path: Path) -> None:
    client, file = cluster.client(), tmp_path / "b.json"
    assert java_reads(cluster, "same", topic, RECORDS) == RECORDS
    before = truth.offsets(client, "same")
    assert before == {(topic, 0): (RECORDS, "", 0)}
    back_up(cluster, "same", file)
    assert twice(cluster, restore={"path": str(file)}).warnings == []
    assert truth.offsets(client, "same") == before
    topics.produce(client, topic, RECORDS)
    assert java_reads(cluster, "same", topic, RECORDS) == RECORDS


def test_a_backup_of_version_1(cluster: Cluster, topic: str, tmp_path: Path) -> None:
    client, file = cluster.client(), tmp_path / "b.json"
    commits.commit(client, "earlier", {(topic, 0): (COMMITTED, "", 0)})
    back_up(cluster, "earlier", file)
    rewrite(file, version=1)
    restored = twice(cluster, restore={"path": str(file)})
    assert f"does not hold the ids of 1 topic, first '{topic}'" in restored.warnings[0]
    assert truth.offsets(client, "earlier") == {(topic, 0): (COMMITTED, "", -1)}


@pytest.mark.parametrize(
    ("name", "args"),
    [
        pytest.param("heal-reset", {"reset": {"to_offset": COMMITTED}}, id="a reset to an equal offset"),
        pytest.param("heal-offsets", {"offsets": {"leader_epoch": None}}, id="an equal offset"),
        pytest.param("heal-given", {"offsets": {"leader_epoch": FOREIGN}}, id="what consumer_group_info returns"),
    ],
)
def test_a_group_that_waits_forever_is_healed(cluster: Cluster, topic: str, name: str, args: dict[str, Any]) -> None:
    client, where = cluster.client(), (topic, 0)
    commits.commit(client, name, {where: (COMMITTED, "m", FOREIGN)})
    if "reset" in args:
        # what the modules must never commit
        assert java_reads(cluster, name, topic, RECORDS - COMMITTED, seconds=10) == 0
        args = {**args, "topics": [{"name": topic, "partitions": None}]}
    else:
        entry = {"topic": topic, "partition": 0, "offset": COMMITTED, "metadata": None, **args["offsets"]}
        args = {"offsets": [entry]}
    healed = twice(cluster, group=name, **args)
    assert (healed.changed, healed.errors) == (1, {})
    assert truth.offsets(client, name) == {where: (COMMITTED, "m", -1)}
    assert run("consumer_group_offsets", cluster.bootstrap, group=name, **args).changed == 0
    assert java_reads(cluster, name, topic, RECORDS - COMMITTED) == RECORDS - COMMITTED


@pytest.fixture
def elected(three: Cluster) -> str:
    """A topic whose leader has changed, on two brokers, of which each may lead with what it has."""
    name = f"elected-{next(NUMBERS)}"
    config = {"unclean.leader.election.enable": "true", "min.insync.replicas": "1"}
    admin = AdminClient(properties(three.client()))
    for answer in admin.create_topics([NewTopic(name, 1, replica_assignment=[[2, 3]], config=config)]).values():
        answer.result(30)
    topics.produce(three.client(), name, RECORDS)
    three.kill(2)
    wait(lambda: led_by(three, name) == 3, "broker 3 leads")
    three.restart(2)
    wait(lambda: in_sync(three, name) == {2, 3}, "both brokers are in sync")
    return name


def wait(done: Callable[[], bool], what: str, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, f"not so after {seconds:.0f} s: {what}"
        time.sleep(0.2)


def partition(cluster: Cluster, topic: str) -> Any:
    return AdminClient(properties(cluster.client())).list_topics(topic, timeout=20).topics[topic].partitions[0]


def led_by(cluster: Cluster, topic: str) -> int:
    return int(partition(cluster, topic).leader)


def in_sync(cluster: Cluster, topic: str) -> set[int]:
    return set(partition(cluster, topic).isrs)


def test_another_cluster(three: Cluster, cluster: Cluster, elected: str, tmp_path: Path) -> None:
    file = tmp_path / "b.json"
    topics.produce(three.client(), elected, RECORDS)
    assert java_reads(three, "mover", elected, 2 * RECORDS) == 2 * RECORDS
    # of the leader that was elected, which the other cluster never had
    offset, _metadata, epoch = truth.offsets(three.client(), "mover")[elected, 0]
    assert epoch > 0
    back_up(three, "mover", file)
    topics.create(cluster.client(), elected, 1, records=3 * RECORDS)
    moved = twice(cluster, restore={"path": str(file), "any_cluster": True})
    assert (moved.changed, moved.errors, moved.warnings) == (1, {}, [])
    assert truth.offsets(cluster.client(), "mover") == {(elected, 0): (offset, "", -1)}
    assert java_reads(cluster, "mover", elected, RECORDS) == RECORDS


def test_an_unclean_election(three: Cluster, elected: str, tmp_path: Path) -> None:
    """The committed offset is lost with the log, its epoch is not above the current one: the consumer goes on."""
    client, file = three.client(), tmp_path / "b.json"
    three.kill(2)
    wait(lambda: in_sync(three, elected) == {3}, "broker 3 is alone")
    topics.produce(client, elected, RECORDS)
    assert java_reads(three, "unclean", elected, 2 * RECORDS) == 2 * RECORDS
    lost, _metadata, epoch = truth.offsets(client, "unclean")[elected, 0]
    assert (lost, epoch) == (2 * RECORDS, 1)
    back_up(three, "unclean", file)
    three.kill(3)
    three.restart(2)
    wait(lambda: led_by(three, elected) == 2, "broker 2 leads, without what it missed")
    three.restart(3)
    restored = twice(three, restore={"path": str(file)})
    assert (restored.changed, restored.errors) == (1, {})
    assert truth.offsets(client, "unclean") == {(elected, 0): (lost, "", epoch)}
    topics.produce(client, elected, RECORDS)
    assert java_reads(three, "unclean", elected, RECORDS) == RECORDS
