# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Share groups, streams groups and settings of groups on Kafka 4.0 to 4.2: what a release lacks is one sentence."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.live.task import run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.consumers import streams_counter

TOPIC, GROUP = "group-types", "group-types-group"
SETTINGS = {"consumer.session.timeout.ms": "50000"}


@pytest.fixture(scope="module")
def world(recent: Cluster) -> Cluster:
    topics.create(recent.client(), TOPIC, records=10)
    commits.commit(recent.client(), GROUP, {(TOPIC, 0): (3, "", -1)})
    return recent


def has(cluster: Cluster, *version: int) -> bool:
    return tuple(int(part) for part in cluster.version.split(".")[:2]) >= version


@pytest.mark.parametrize("check", [True, False])
def test_start_offsets_of_share_groups(world: Cluster, check: bool) -> None:
    chosen: dict[str, Any] = {"group": "group-types-share", "topics": [{"name": TOPIC}], "reset": {"to_offset": 4}}
    done = run("share_group_offsets", world.bootstrap, check, **chosen)
    if has(world, 4, 2):
        assert (done.changed, done.errors) == (1, {})
        return
    ((name, message),) = [(item.error.name, item.error.message) for item in done.items if item.error]
    assert name == "UNSUPPORTED_VERSION"
    assert message.startswith("the broker does not support start offsets of share groups: upgrade the cluster")


def test_settings_are_shown_set_and_removed(world: Cluster) -> None:
    done = run("group_config", world.bootstrap, names=GROUP, config=SETTINGS)
    assert (done.changed, done.errors) == (1, {})
    assert truth.group_configs(world.client(), [GROUP]) == {GROUP: SETTINGS}
    deleted = run("consumer_group", world.bootstrap, names=GROUP)
    # brokers list what has settings since 4.1
    known = {GROUP: SETTINGS} if has(world, 4, 1) else None
    assert (deleted.changed, deleted.given.extra) == (1, {"remaining_configs": known})
    removed = run("group_config", world.bootstrap, names=GROUP, state="absent", remove_all=True)
    assert (removed.changed, removed.errors) == (1, {})
    assert truth.group_configs(world.client(), [GROUP]) == {GROUP: {}}


def test_groups_of_all_types_are_listed_and_described(world: Cluster) -> None:
    commits.commit(world.client(), "group-types-other", {(TOPIC, 0): (3, "", -1)})
    gather = ["members", "lag", "topology", "transactions", "timestamps"]
    found = run("consumer_group_info", world.bootstrap, match="group-types-*", gather=gather)
    assert found.given["errors"] == []
    (group,) = [group for group in found.given["groups"] if group["name"] == "group-types-other"]
    assert (group["lag"], group["topology"], group["open_transactions"]) == (7, None, [])
    assert group["offsets"][0]["timestamp"] > 0


def test_a_share_consumer_reads_from_where_it_is_set(world: Cluster) -> None:
    if not has(world, 4, 2):
        pytest.skip("it has no start offsets")
    name = "group-types-consumed"
    at = {"topic": TOPIC, "partition": 0, "offset": 7}
    run("share_group_offsets", world.bootstrap, group=name, offsets=[at])
    tool = "org.apache.kafka.tools.consumer.ConsoleShareConsumer"
    shown = ["--formatter-property", "print.offset=true", "--timeout-ms", "40000", "--max-messages", "3"]
    read = truth.kafka_tool(world, tool, ["--topic", TOPIC, "--group", name, *shown])
    assert re.findall(r"^Offset:(\d+)", read.stdout, re.MULTILINE) == ["7", "8", "9"]


def test_a_streams_group_shows_its_tasks_and_goes_with_its_internal_topics(world: Cluster, tmp_path: Path) -> None:
    """Beside Kafka's tool for streams groups."""
    if not has(world, 4, 2):
        pytest.skip("its streams groups are a preview")
    client, name = world.client(), "group-types-streams"
    for suffix, partitions in (("-input", 3), ("-mid", 1), ("-output", 1)):
        topics.create(client, name + suffix, partitions, records=4)
    with closing(streams_counter(client, [name], protocol="streams")) as application:
        application.start(tmp_path)
        application.wait(60)
        live = shown(world, name)
        described = ["--describe", "--members", "--verbose", "--group", name]
        theirs = truth.kafka_tool(world, "org.apache.kafka.tools.streams.StreamsGroupCommand", described).stdout
        (member,) = live["members"]
        tasks = [
            f"{task['subtopology_id']}-{task['partition']}" for task in member["tasks"] if task["role"] == "active"
        ]
        assert f"{live['topology']['epoch']}              {member['member_id']} streams" in theirs
        active = re.findall(r"(\d+):\[([\d,]+)\]", theirs.partition(" ACTIVE: ")[2].partition("TARGET")[0])
        assert tasks == [f"{sub}-{number}" for sub, numbers in active for number in numbers.split(",")]
        assert len(tasks) == 5
        in_use = run("consumer_group", world.bootstrap, names=name, internal_topics=True)
        assert (in_use.changed, in_use.errors) == (0, {name: "NON_EMPTY_GROUP"})
    truth.wait_state(client, name, "Empty")
    internal = live["topology"]["internal_topics"]
    assert internal == [f"{name}-by-value-repartition", f"{name}-counts-changelog"]
    backup = str(tmp_path / "streams.json")
    deleted = run("consumer_group", world.bootstrap, names=name, internal_topics=True, backup=backup)
    assert (deleted.changed, deleted.errors) == (3, {})
    assert name not in truth.groups(client)
    assert {topic for topic in truth.topics(client) if topic.startswith(name)} == {
        f"{name}{suffix}" for suffix in ("-input", "-mid", "-output")
    }
    # what is restored is a simple group, until the application is back
    restored = run(
        "consumer_group_offsets",
        world.bootstrap,
        restore={"path": backup, "topics": {f"{name}-input": f"{name}-input"}},
    )
    assert (restored.changed, restored.errors) == (3, {})
    with closing(streams_counter(client, [name], protocol="streams")) as again:
        again.start(tmp_path)
        again.wait(60)
        assert (shown(world, name)["type"], len(shown(world, name)["members"])) == ("streams", 1)


def shown(world: Cluster, name: str) -> Any:
    gather = ["members", "topology"]
    (found,) = run("consumer_group_info", world.bootstrap, names=name, gather=gather).given["groups"]
    return found
