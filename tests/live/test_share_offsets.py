# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Start offsets of share groups: what Kafka's own clients read and show, lost answers, check mode, older brokers."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live.playbook import play
from tests.live.task import Outcome, ansible, run
from tests.live.test_check_mode import READING
from tests.support import commits, coordinators, offsets_topic, topics, truth
from tests.support.broker import Cluster
from tests.support.jars import DEFAULT_VERSION
from tests.support.proxy import Proxy

TOPIC, OTHER = "share-offsets", "share-offsets-other"
RECORDS = 10
CLIENT_ID = "share-offsets-test"
ALTER, DELETE = 91, 92
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def proxy(cluster: Cluster) -> Iterator[Proxy]:
    """The recording proxy before the cluster, and topics with records behind it."""
    topics.create(cluster.client(), TOPIC, records=RECORDS)
    topics.create(cluster.client(), OTHER, records=3)
    assert cluster.proxy is not None
    yield cluster.proxy
    cluster.proxy.reset()


@pytest.fixture
def group(cluster: Cluster, proxy: Proxy) -> str:
    """An Empty share group whose start offset is 4."""
    name = f"share-offsets-{next(NUMBERS)}"
    assert set_start(cluster.bootstrap, name, 4).changed == 1
    return name


def set_start(address: str, name: str, offset: int, **more: Any) -> Outcome:
    return run("share_group_offsets", address, group=name, offsets=[at(offset)], **more)


def at(offset: int, topic: str = TOPIC) -> dict[str, Any]:
    return {"topic": topic, "partition": 0, "offset": offset}


def delete(address: str, name: str, *names: str) -> Outcome:
    return run("share_group_offsets", address, group=name, state="absent", topics=[{"name": each} for each in names])


def reset(address: str, name: str, **to: Any) -> Outcome:
    return run("share_group_offsets", address, group=name, topics=[{"name": TOPIC}], reset=to)


def lag(address: str, name: str) -> Any:
    return run("consumer_group_info", address, names=name, gather=["lag"]).given["groups"][0]["lag"]


def read(cluster: Cluster, name: str, most: int) -> list[int]:
    """Read so many records with Kafka's own share consumer, and return the offsets; the group is Empty again."""
    tool = "org.apache.kafka.tools.consumer.ConsoleShareConsumer"
    shown = ["--formatter-property", "print.offset=true", "--timeout-ms", "40000", "--max-messages", str(most)]
    ended = truth.kafka_tool(cluster, tool, ["--topic", TOPIC, "--group", name, *shown])
    truth.wait_state(cluster.client(), name, "Empty")
    return [int(offset) for offset in re.findall(r"^Offset:(\d+)", ended.stdout, re.MULTILINE)]


def test_kafkas_share_consumer_reads_from_where_a_reset_says(cluster: Cluster, proxy: Proxy) -> None:
    name = f"share-offsets-{next(NUMBERS)}"
    made = reset(cluster.bootstrap, name, to_offset=7)
    assert [item.creates_group for item in made.items] == [True]
    assert read(cluster, name, 3) == [7, 8, 9]
    assert lag(cluster.bootstrap, name) == 0

    # its start offset may still be 7, but nothing after that is left to read
    again = reset(cluster.bootstrap, name, to_offset=7)
    assert (again.changed, again.errors) == (1, {})
    assert lag(cluster.bootstrap, name) == 3
    assert reset(cluster.bootstrap, name, to_offset=7).changed == 0
    assert read(cluster, name, 3) == [7, 8, 9]

    assert reset(cluster.bootstrap, name, to_earliest=True).changed == 1
    assert truth.start_offsets(cluster.client(), [name]) == {name: [f"{TOPIC}-0=0 lag {RECORDS}"]}
    assert read(cluster, name, RECORDS) == list(range(RECORDS))

    assert delete(cluster.bootstrap, name, TOPIC).changed == 1
    assert truth.start_offsets(cluster.client(), [name]) == {name: []}
    topics.configure_group(cluster.client(), name, {"share.auto.offset.reset": "earliest"})
    assert read(cluster, name, RECORDS) == list(range(RECORDS)), "it starts where its setting says"


def test_what_the_info_module_returns_is_what_kafkas_tool_shows_and_can_be_given_back(
    cluster: Cluster, group: str
) -> None:
    set_start(cluster.bootstrap, group, 4)
    run("share_group_offsets", cluster.bootstrap, group=group, offsets=[at(1, OTHER)])
    ways: list[dict[str, Any]] = [{"names": group}, {"match": group}]
    for asked in ways:
        (found,) = run("consumer_group_info", cluster.bootstrap, gather=["offsets", "lag"], **asked).given["groups"]
        shown = [f"{one['topic']}-{one['partition']}={one['offset']} lag {one['lag']}" for one in found["offsets"]]
        assert shown == [f"{TOPIC}-0=4 lag 6", f"{OTHER}-0=1 lag 2"]
        assert truth.start_offsets(cluster.client(), [group]) == {group: sorted(shown)}
        assert (found["lag"], found["known_lag"]) == (8, 8)
        assert [(one["log_start"], one["log_end"]) for one in found["offsets"]] == [(0, RECORDS), (0, 3)]
    back = ansible("share_group_offsets", cluster.bootstrap, group=group, offsets=found["offsets"])
    assert (back["summary"]["unchanged"], back["changed"]) == (2, False)
    copied = ansible("share_group_offsets", cluster.bootstrap, group=f"{group}-copy", offsets=found["offsets"])
    assert copied["summary"]["changed"] == 2


@pytest.mark.parametrize(("api_key", "state"), [(ALTER, "present"), (DELETE, "absent")])
def test_a_lost_answer(cluster: Cluster, proxy: Proxy, group: str, api_key: int, state: str) -> None:
    proxy.clear()
    proxy.drop_answers(api_key)
    outcome = set_start(proxy.address, group, 2) if state == "present" else delete(proxy.address, group, TOPIC)
    assert (proxy.count()[api_key], outcome.changed, outcome.errors) == (1, 1, {})
    expected = [f"{TOPIC}-0=2 lag 8"] if state == "present" else []
    assert truth.start_offsets(cluster.client(), [group]) == {group: expected}


@pytest.mark.parametrize(("api_key", "state"), [(ALTER, "present"), (DELETE, "absent")])
def test_what_is_used_after_a_lost_answer_is_kept(
    cluster: Cluster, proxy: Proxy, group: str, api_key: int, state: str
) -> None:
    proxy.clear()
    proxy.drop_answers(api_key)
    proxy.after(api_key, 1, lambda: set_start(cluster.bootstrap, group, 9))
    outcome = set_start(proxy.address, group, 2) if state == "present" else delete(proxy.address, group, TOPIC)
    assert (proxy.count()[api_key], outcome.changed) == (1, 0)
    assert set(outcome.errors.values()) == {"POLICY_VIOLATION"}
    assert truth.start_offsets(cluster.client(), [group]) == {group: [f"{TOPIC}-0=9 lag 1"]}


def test_a_consumer_that_joins_while_the_task_runs(cluster: Cluster, proxy: Proxy, group: str) -> None:
    from tests.support.consumers import share_consumer

    member = share_consumer(cluster.client(), group, TOPIC)

    def join() -> None:
        member.start()
        truth.wait_stable(cluster.client(), group)

    try:
        proxy.clear()
        proxy.before(ALTER, 1, join)
        outcome = set_start(proxy.address, group, 2)
    finally:
        proxy.reset()
        member.close()
    assert outcome.errors == {group: "NON_EMPTY_GROUP"}
    assert outcome.changed == 0


@pytest.mark.parametrize(
    ("args", "mutating"),
    [
        ({"topics": [{"name": TOPIC}], "reset": {"to_earliest": True}}, {ALTER}),
        ({"topics": [{"name": TOPIC}], "state": "absent"}, {DELETE}),
    ],
)
def test_check_mode_sends_nothing_that_mutates(
    cluster: Cluster, proxy: Proxy, group: str, args: dict[str, Any], mutating: set[int]
) -> None:
    proxy.clear()
    predicted = ansible("share_group_offsets", proxy.address, check=True, client_id=CLIENT_ID, group=group, **args)
    seen = proxy.count(CLIENT_ID)
    assert seen.keys() <= READING, f"check mode sent {seen}"
    assert 90 in seen, "the proxy did not see the task"
    assert truth.start_offsets(cluster.client(), [group]) == {group: [f"{TOPIC}-0=4 lag 6"]}

    proxy.clear()
    done = ansible("share_group_offsets", proxy.address, client_id=CLIENT_ID, group=group, **args)
    assert proxy.count(CLIENT_ID).keys() - READING == mutating
    assert done["changed"] is True
    assert {key: predicted[key] for key in ("changed", "results", "summary")} == {
        key: done[key] for key in ("changed", "results", "summary")
    }


@pytest.mark.parametrize("state", ["present", "absent"])
def test_an_older_broker(release: Cluster, state: str) -> None:
    if release.version == DEFAULT_VERSION:
        pytest.skip("it has start offsets")
    topics.create(release.client(), f"{TOPIC}-{state}")
    args: dict[str, Any] = {"topics": [{"name": f"{TOPIC}-{state}"}]}
    args |= {"reset": {"to_earliest": True}} if state == "present" else {"state": "absent"}
    for check in (True, False):
        outcome = run("share_group_offsets", release.bootstrap, check, group="none", **args)
        ((name, message),) = [(item.error.name, item.error.message) for item in outcome.items if item.error]
        assert name == "UNSUPPORTED_VERSION"
        assert message.startswith("the broker does not support start offsets of share groups: upgrade the cluster")
        assert outcome.requests.keys() & {"AlterShareGroupOffsets", "DeleteShareGroupOffsets"} == set()


def test_a_backup_of_groups_of_two_types_is_restored_by_the_role(cluster: Cluster, group: str, tmp_path: Path) -> None:
    client, backup, classic = cluster.client(), tmp_path / "both.json", f"{group}-classic"
    commits.commit(client, classic, {(TOPIC, 0): (3, "kept", -1)})
    settings = {
        group: {"share.auto.offset.reset": "earliest"},
        f"{group}-none": {"consumer.session.timeout.ms": "50000"},
    }
    for name, config in settings.items():
        topics.configure_group(client, name, config)
    names = [group, classic, f"{group}-none"]
    deleted = run("consumer_group", cluster.bootstrap, names=names, configs=True, backup=str(backup))
    assert (deleted.changed, deleted.errors) == (4, {})
    assert not truth.groups(client).keys() & {group, classic}
    assert truth.group_configs(client, [*settings]) == {name: {} for name in settings}

    # each module restores its own type, and says so of the other
    for name, module in ((group, "consumer_group_offsets"), (classic, "share_group_offsets")):
        whole = run(module, cluster.bootstrap, check=True, restore={"path": str(backup)})
        assert (whole.changed, whole.given.extra["other_groups"]) == (1, [name])
        assert [item.target.group for item in whole.items if item.skip_reason] == [name]
        named = run(module, cluster.bootstrap, check=True, groups=[{"name": name}], restore={"path": str(backup)})
        assert (named.changed, named.errors) == (0, {name: "INVALID_REQUEST"})

    variables: dict[str, Any] = {"restore_from": str(backup)}
    every = ["Restore committed offsets", "Restore start offsets of share groups", "Restore settings"]
    assert play("restore", cluster.bootstrap, variables, check=True).changed == every
    assert not truth.groups(client).keys() & {group, classic}
    only = play("restore", cluster.bootstrap, {**variables, "restore_groups": [group]})
    assert (only.code, only.changed) == (0, every[1:])
    assert truth.group_configs(client, [*settings]) == {**settings, f"{group}-none": {}}
    topics.configure_group(client, group, {"share.auto.offset.reset": "latest"})
    assert play("restore", cluster.bootstrap, variables).changed == [every[0], every[2]]
    kept = {**settings, group: {"share.auto.offset.reset": "latest"}}
    assert truth.group_configs(client, [*settings]) == kept, "settings that were set again are kept"
    assert truth.start_offsets(client, [group]) == {group: [f"{TOPIC}-0=4 lag 6"]}
    assert truth.offsets(client, classic) == {(TOPIC, 0): truth.Offset(3, "kept", -1)}
    assert play("restore", cluster.bootstrap, variables).changed == []

    set_start(cluster.bootstrap, group, 9)
    moved = play("restore", cluster.bootstrap, variables)
    assert (moved.code, moved.changed) == (2, [])
    assert f"{group}: the offsets of these groups changed since the back-up" in moved.words
    assert truth.start_offsets(client, [group]) == {group: [f"{TOPIC}-0=9 lag 1"]}


def test_a_group_that_is_used_between_its_backup_and_its_change_is_kept(
    cluster: Cluster, proxy: Proxy, group: str, tmp_path: Path
) -> None:
    """Its start offsets are read once to be saved, and once more before the change."""
    describe = 90
    for change in (
        {"state": "absent", "topics": [{"name": TOPIC}]},
        {"reset": {"to_latest": True}, "topics": [{"name": TOPIC}]},
    ):
        set_start(cluster.bootstrap, group, 4)
        proxy.clear()
        proxy.before(describe, 2, lambda: set_start(cluster.bootstrap, group, 9))
        backup = tmp_path / f"{change.get('state', 'present')}.json"
        outcome = run("share_group_offsets", proxy.address, group=group, backup=str(backup), **change)
        assert (outcome.changed, set(outcome.errors.values())) == (0, {"POLICY_VIOLATION"})
        assert truth.start_offsets(cluster.client(), [group]) == {group: [f"{TOPIC}-0=9 lag 1"]}
        (saved,) = json.loads(backup.read_text())["groups"]
        assert [(entry["topic"], entry["offset"]) for entry in saved["offsets"]] == [(TOPIC, 4)]
    set_start(cluster.bootstrap, group, 4)
    proxy.clear()
    proxy.before(describe, 2, lambda: set_start(cluster.bootstrap, group, 9))
    deletion = run("consumer_group", proxy.address, names=group, backup=str(tmp_path / "group.json"))
    assert (deletion.changed, deletion.errors) == (0, {group: "POLICY_VIOLATION"})


def test_a_backup_does_not_hold_what_a_group_has_not_read(cluster: Cluster, proxy: Proxy, tmp_path: Path) -> None:
    from tests.support.consumers import share_consumer

    name = f"share-offsets-{next(NUMBERS)}"
    topics.create(cluster.client(), f"{name}-empty")
    member = share_consumer(cluster.client(), name, f"{name}-empty")
    try:
        # it has no assignment to wait for before the first record
        member.start()
        truth.wait_stable(cluster.client(), name)
    finally:
        member.close()
    truth.wait_state(cluster.client(), name, "Empty")
    found = run("consumer_group", cluster.bootstrap, check=True, names=name, backup=str(tmp_path / "unread.json"))
    assert (found.changed, found.errors) == (1, {})
    assert any("backup: it " in words for words in found.warnings)


@pytest.mark.parametrize("state", ["present", "absent"])
def test_coordinators_move(three: Cluster, state: str) -> None:
    """Broker 1 hands its groups over after it was asked for their start offsets, and answers NOT_COORDINATOR."""
    client, topic = three.client(), f"share-moves-{state}"
    topics.create(client, topic, records=RECORDS)
    names = [f"{topic}-{number}" for number in range(20)]
    chosen = [{"name": name, "topics": [{"name": topic}]} for name in names]
    run("share_group_offsets", three.bootstrap, groups=chosen, reset={"to_offset": 4})
    before = coordinators.replicas(client)
    moved = {number: [2, 3, 1] for number, leader in coordinators.leaders(client).items() if leader == 1}
    assert any(offsets_topic.partition_of(name, len(before)) in moved for name in names)

    def hand_over() -> None:
        coordinators.assign(client, moved)
        coordinators.wait_resigned(client, 1)

    try:
        three.proxies[1].after(90, 1, hand_over)
        change = {"reset": {"to_offset": 9}} if state == "present" else {"state": "absent"}
        done = run("share_group_offsets", three.listeners["PROXIED"], groups=chosen, **change)
    finally:
        three.proxies[1].reset()
        coordinators.assign(client, before)
    assert (done.changed, done.errors) == (len(names), {})
    assert done.requests["FindCoordinator"] > 1
    expected = [f"{topic}-0=9 lag 1"] if state == "present" else []
    assert truth.start_offsets(client, names) == dict.fromkeys(names, expected)
