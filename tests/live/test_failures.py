# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Brokers that die, move, load, dawdle and throttle under a task, and a task that dies: nothing is lost or misreported.

Three brokers with replicated offsets. Each trial accounts for every group, also for those that the task was not about.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka import wire
from kafka.protocol.admin import DescribeGroupsRequest

from tests.live.accounting import UNKNOWN, account
from tests.live.task import Outcome, run
from tests.support import absentees, commits, coordinators, offsets_topic, topics, truth
from tests.support.broker import Cluster
from tests.support.collection import install
from tests.support.truth import World
from tests.support.wire import Wire

pytestmark = pytest.mark.live

OFFSET_COMMIT, OFFSET_FETCH, LEAVE_GROUP, DESCRIBE_GROUPS, DELETE_GROUPS, OFFSET_DELETE = 8, 9, 13, 15, 42, 47
LIST_GROUPS = 16
CONSUMER_GROUP_DESCRIBE = 69
TOPIC = "failures"
GROUPS, FEW = 600, 200
COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR = 14, 16
NUMBERS = itertools.count()
#: A group of each partition of the offsets topic.
ALIVE = {offsets_topic.partition_of(name, 10): name for name in (f"alive-{number}" for number in range(200))}


@dataclass(frozen=True)
class Kind:
    """A kind of task: its module and options, the request that changes something, and the last one that reads before.

    `count`: how many items it changes.
    """

    module: str
    args: dict[str, Any]
    changes: int
    reads: tuple[int, int]
    count: int


def delete_groups(client: dict[str, str], prefix: str, _folder: Path) -> Kind:
    names = plant(client, prefix, GROUPS)
    return Kind("consumer_group", {"names": names}, DELETE_GROUPS, (DESCRIBE_GROUPS, 1), GROUPS)


def delete_offsets(client: dict[str, str], prefix: str, _folder: Path) -> Kind:
    wanted = [{"name": name, "topics": [{"name": TOPIC, "partitions": None}]} for name in plant(client, prefix, FEW)]
    args = {"state": "absent", "groups": wanted}
    return Kind("consumer_group_offsets", args, OFFSET_DELETE, (OFFSET_FETCH, 1), 2 * FEW)


def restore(client: dict[str, str], prefix: str, folder: Path) -> Kind:
    file = str(folder / "backup.json")
    names = plant(client, prefix, FEW)
    assert run("consumer_group", client["bootstrap.servers"], names=names, backup=file).changed == FEW
    # the third asks what one may do with groups that are not there
    return Kind(
        "consumer_group_offsets", {"restore": {"path": str(file)}}, OFFSET_COMMIT, (DESCRIBE_GROUPS, 3), 2 * FEW
    )


def remove_members(client: dict[str, str], prefix: str, _folder: Path) -> Kind:
    names = plant(client, prefix, FEW)
    absentees.leave_behind(client, names, TOPIC)
    return Kind("consumer_group_members", {"names": names, "remove_all": True}, LEAVE_GROUP, (DESCRIBE_GROUPS, 1), FEW)


Plant = Callable[[dict[str, str], str, Path], Kind]
KINDS: list[Plant] = [delete_groups, delete_offsets, restore, remove_members]


def plant(client: dict[str, str], prefix: str, count: int) -> list[str]:
    """Make groups with two offsets each, and as many that no task names."""
    names = [f"{prefix}{number:04d}" for number in range(count)]
    offsets = {(TOPIC, 0): (1, "", -1), (TOPIC, 1): (2, "", -1)}
    commits.commit_many(client, dict.fromkeys([*names, *(f"{prefix}kept-{number}" for number in range(30))], offsets))
    return names


@dataclass(frozen=True)
class Trial:
    """A task that is about to run, on groups of its own, and what there was before."""

    cluster: Cluster
    prefix: str
    kind: Kind
    before: World

    def run(self, **connect: Any) -> Outcome:
        """Run the task through the proxies, within its time; every item of it tells the truth."""
        began = time.monotonic()
        given = {"timeout": 60.0, **connect}
        outcome = run(self.kind.module, self.cluster.listeners["PROXIED"], connect=given, **self.kind.args)
        assert time.monotonic() - began < given["timeout"] + 1
        return outcome

    def account(self, outcome: Outcome) -> None:
        """Account for it, once all coordinators answer."""
        account(self.before, outcome.items, truth.world(self.cluster.client(), self.prefix))

    def succeeds(self, **connect: Any) -> Outcome:
        """Run it, account for it, and run it again: it is done, and the second time finds nothing to do."""
        outcome = self.run(**connect)
        self.account(outcome)
        assert (outcome.errors, outcome.changed) == ({}, self.kind.count)
        self.is_done()
        return outcome

    def is_done(self) -> None:
        """Assert that there is nothing left to do."""
        again = run(self.kind.module, self.cluster.bootstrap, **self.kind.args)
        assert (again.changed, again.errors) == (0, {})


@pytest.fixture(scope="module")
def brokers(three: Cluster) -> Cluster:
    """The cluster, with a topic."""
    topics.create(three.client(), TOPIC, 2, records=10)
    return three


@pytest.fixture
def healed(brokers: Cluster) -> Iterator[Cluster]:
    """The cluster, where groups of every partition commit; in the end all brokers run and lead their share again."""
    brokers_of = coordinators.replicas(brokers.client())
    try:
        with commits.steadily(brokers.client(), ALIVE.values(), {(TOPIC, 0): (1, "", -1)}):
            yield brokers
    finally:
        for proxy in brokers.proxies.values():
            proxy.reset()
        for node in brokers.stopped:
            brokers.restart(node)
        coordinators.assign(brokers.client(), brokers_of)


Prepare = Callable[[Plant], Trial]


@pytest.fixture
def prepare(healed: Cluster, tmp_path: Path) -> Prepare:
    def made(plant_it: Plant) -> Trial:
        prefix = f"{plant_it.__name__}-{next(NUMBERS)}-"
        kind = plant_it(healed.client(), prefix, tmp_path)
        return Trial(healed, prefix, kind, truth.world(healed.client(), prefix))

    return made


def test_requests_go_to_all_coordinators(prepare: Prepare) -> None:
    assert prepare(delete_groups).succeeds().requests["DeleteGroups"] == 3


def test_killed_before_the_lookup(healed: Cluster, prepare: Prepare) -> None:
    trial = prepare(delete_groups)
    healed.kill(1)
    trial.succeeds()


@pytest.mark.parametrize("kind", [delete_groups, restore])
def test_killed_between_the_lookup_and_the_request(healed: Cluster, prepare: Prepare, kind: Plant) -> None:
    trial = prepare(kind)
    healed.proxies[2].after(*trial.kind.reads, lambda: healed.kill(2))
    trial.succeeds()
    assert healed.stopped == [2]


def test_killed_before_offsets_are_read(healed: Cluster, prepare: Prepare) -> None:
    """Who takes over may not know yet that deletions of this moment are replicated, and describe the groups."""
    trial = prepare(restore)
    healed.proxies[2].after(DESCRIBE_GROUPS, 2, lambda: healed.kill(2))
    trial.succeeds()
    assert healed.stopped == [2]


@pytest.mark.parametrize("kind", [delete_offsets])
def test_killed_while_the_request_is_on_its_way(healed: Cluster, prepare: Prepare, kind: Plant) -> None:
    trial = prepare(kind)
    healed.proxies[3].before(trial.kind.changes, 1, lambda: healed.kill(3))
    trial.succeeds()
    assert healed.stopped == [3]


@pytest.mark.parametrize("kind", KINDS)
def test_killed_after_the_request_and_before_its_answer(healed: Cluster, prepare: Prepare, kind: Plant) -> None:
    trial = prepare(kind)
    healed.proxies[2].drop_answers(trial.kind.changes, 1000)
    healed.proxies[2].after(trial.kind.changes, 1, lambda: healed.kill(2))
    trial.succeeds()
    assert healed.stopped == [2]


@pytest.mark.parametrize("kind", KINDS)
def test_every_first_answer_is_lost(healed: Cluster, prepare: Prepare, kind: Plant) -> None:
    trial = prepare(kind)
    for proxy in healed.proxies.values():
        proxy.drop_answers(trial.kind.changes, 3)
    trial.succeeds()


@pytest.mark.parametrize(
    ("module", "args"), [("consumer_group_members", {"remove_all": True}), ("consumer_group", {"force": True})]
)
def test_killed_after_it_described_kip848_groups(healed: Cluster, module: str, args: dict[str, Any]) -> None:
    """Whether their members can be removed is told with them, and not asked of a dead broker."""
    client = healed.client()
    names = [f"kip848-{next(NUMBERS)}-{number}" for number in range(12)]
    for name in names:
        absentees.leave_crowd_behind(client, name, TOPIC, 1)
    healed.proxies[2].after(CONSUMER_GROUP_DESCRIBE, 1, lambda: healed.kill(2))
    # until the connection to broker 2 is known to be lost
    healed.proxies[3].after(CONSUMER_GROUP_DESCRIBE, 1, lambda: time.sleep(2))
    outcome = run(module, healed.listeners["PROXIED"], names=names, connect={"timeout": 60.0}, **args)
    assert healed.stopped == [2]
    assert (outcome.changed, outcome.errors) == (len(outcome.items), {})
    assert all(truth.members(client, name) == [] for name in names if name in truth.groups(client))


def test_a_broker_that_is_silent_delays_no_lookup(healed: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one, which has no part in these groups: nothing waits for a connection to it."""
    patience = 60.0
    monkeypatch.setattr(wire, "CONNECT_TIMEOUT", patience)
    client = healed.client()
    names = [ALIVE[number] for number, leader in coordinators.leaders(client).items() if leader != 1]
    healed.pause(1)
    try:
        began = time.monotonic()
        asked: dict[str, Any] = {
            "names": names,
            "gather": ["state", "offsets"],
            "connect": {"request_timeout": patience},
        }
        outcome = run("consumer_group_info", healed.bootstrap, **asked)
        lasted = time.monotonic() - began
    finally:
        healed.resume(1)
    assert {group["name"] for group in outcome.given["groups"]} == set(names)
    assert outcome.requests["FindCoordinator"] == 1
    assert lasted < patience


@pytest.mark.parametrize("kind", [delete_offsets])
def test_stopped_in_good_order(healed: Cluster, prepare: Prepare, kind: Plant) -> None:
    trial = prepare(kind)
    healed.proxies[1].after(*trial.kind.reads, lambda: healed.stop(1))
    trial.succeeds()
    assert healed.stopped == [1]


@pytest.mark.parametrize("kind", KINDS)
def test_coordinators_move(healed: Cluster, prepare: Prepare, kind: Plant) -> None:
    """Broker 1 hands its groups over, and lives: it answers NOT_COORDINATOR."""
    client = healed.client()
    trial = prepare(kind)
    moved = {number: [2, 3, 1] for number, leader in coordinators.leaders(client).items() if leader == 1}
    assert moved

    def hand_over() -> None:
        coordinators.assign(client, moved)
        coordinators.wait_resigned(client, 1)

    healed.proxies[1].after(*trial.kind.reads, hand_over)
    assert trial.succeeds().requests["FindCoordinator"] > 1


@pytest.mark.parametrize("kind", [delete_offsets, remove_members])
def test_a_slow_broker(healed: Cluster, prepare: Prepare, kind: Plant) -> None:
    trial = prepare(kind)
    healed.proxies[3].delay(30)
    trial.succeeds()


@pytest.mark.parametrize("kind", [delete_offsets])
def test_a_broker_slower_than_request_timeout(healed: Cluster, prepare: Prepare, kind: Plant) -> None:
    """What was asked for may happen after the task: then the task says that it does not know."""
    trial = prepare(kind)
    slow = healed.proxies[3]
    slow.before(trial.kind.changes, 1, lambda: slow.delay(1500))
    outcome = trial.run(timeout=5.0, request_timeout=1.0)
    assert 0 < outcome.changed < trial.kind.count
    assert {item.error.name for item in outcome.items if item.error} == {"REQUEST_TIMED_OUT"}
    slow.reset()
    time.sleep(2)
    trial.account(outcome)
    assert trial.run().errors == {}
    trial.is_done()


@pytest.fixture
def throttled(healed: Cluster) -> Iterator[dict[str, str]]:
    """A client whose every request has to wait for a second."""
    coordinators.limit(healed.client(), "throttled", 0.01)
    yield {**healed.client(), "client.id": "throttled"}
    coordinators.limit(healed.client(), "throttled", None)


def test_a_throttled_client(throttled: dict[str, str], prepare: Prepare) -> None:
    prepare(delete_groups).succeeds(client_id="throttled")
    with Wire(throttled) as wire:
        asked = [(DescribeGroupsRequest(groups=["any"]), node) for node in (1, 2, 3)]
        # a broker that has answered quickly so far does not throttle at once
        assert any(all(answer.throttle_time_ms > 0 for answer in wire.calls(asked)) for _attempt in range(5))


@pytest.mark.usefixtures("throttled")
def test_a_client_that_is_throttled_until_its_time_is_up(prepare: Prepare) -> None:
    trial = prepare(delete_offsets)
    outcome = trial.run(timeout=10.0, client_id="throttled")
    assert 0 < outcome.changed < trial.kind.count
    assert set(outcome.errors.values()) == {"REQUEST_TIMED_OUT"}
    trial.account(outcome)
    assert trial.run().errors == {}
    trial.is_done()


def test_a_partition_of_the_offsets_topic_without_leader(healed: Cluster, prepare: Prepare) -> None:
    client = healed.client()
    trial = prepare(delete_groups)
    coordinators.assign(client, {0: [3]})
    # a killed broker may have lost records, so that the brokers would not let it lead again
    healed.stop(3)
    outcome = trial.run(timeout=12.0)
    failed = {name for name in trial.kind.args["names"] if offsets_topic.partition_of(name, 10) == 0}
    assert outcome.errors == dict.fromkeys(failed, "REQUEST_TIMED_OUT")
    assert outcome.changed == GROUPS - len(failed)
    healed.restart(3)
    coordinators.assign(client, {0: [3, 1, 2]})
    trial.account(outcome)
    assert trial.run().changed == len(failed)
    trial.is_done()


@pytest.mark.parametrize("kind", [restore])
def test_too_few_replicas(healed: Cluster, prepare: Prepare, kind: Plant) -> None:
    """The brokers answer COORDINATOR_NOT_AVAILABLE, as they do when a write that was made timed out."""
    client = healed.client()
    trial = prepare(kind)
    coordinators.require(client, 3)
    healed.stop(1)
    try:
        outcome = trial.run(timeout=8.0)
        assert outcome.changed == 0
        assert {item.error.name for item in outcome.items if item.error} == {"REQUEST_TIMED_OUT"}
        assert any(UNKNOWN in item.error.message for item in outcome.items if item.error)
    finally:
        coordinators.require(client, None)
    healed.restart(1)
    trial.account(outcome)
    assert trial.run().errors == {}
    trial.is_done()


@pytest.mark.parametrize("kind", [delete_groups, delete_offsets])
def test_the_client_is_killed(healed: Cluster, prepare: Prepare, tmp_path: Path, kind: Plant) -> None:
    trial = prepare(kind)
    file = tmp_path / "first.json"
    connect = {"bootstrap_servers": healed.listeners["PROXIED"].split(",")}
    given = {"ANSIBLE_MODULE_ARGS": {**connect, **trial.kind.args, "backup": str(file)}}
    arguments = tmp_path / "arguments.json"
    arguments.write_text(json.dumps(given), encoding="utf-8")
    module = f"ansible_collections.kafkaops.groups.plugins.modules.{trial.kind.module}"
    client = subprocess.Popen(
        [sys.executable, "-m", module, str(arguments)], cwd=install(), stdout=subprocess.DEVNULL, start_new_session=True
    )
    begun = threading.Event()
    for proxy in healed.proxies.values():
        proxy.after(trial.kind.changes, 1, begun.set)

    def kill() -> None:
        """Once something has changed; nothing more goes to broker 1."""
        begun.wait(30)
        client.kill()
        raise ConnectionResetError

    healed.proxies[1].before(trial.kind.changes, 1 if kind is delete_groups else FEW // 6, kill)
    assert client.wait(60) == -9

    assert begun.is_set()
    # brokers may still be about what they had received
    between, later = World({}, {}), truth.world(healed.client(), trial.prefix)
    while between != later:
        time.sleep(0.5)
        between, later = later, truth.world(healed.client(), trial.prefix)
    assert len(between.offsets) < len(trial.before.offsets)
    again = trial.run()
    account(between, again.items, truth.world(healed.client(), trial.prefix))
    trial.is_done()
    assert 0 < again.changed < trial.kind.count
    restored = run("consumer_group_offsets", healed.bootstrap, restore={"path": str(file)})
    assert restored.errors == {}
    assert truth.world(healed.client(), trial.prefix) == trial.before


@pytest.mark.parametrize("down", [0.0, 8.0], ids=["at once", "after 8 s"])
def test_a_broker_restarts_while_groups_are_listed(healed: Cluster, down: float) -> None:
    """The other brokers have answered, and take its groups over meanwhile."""
    names = plant(healed.client(), f"listed-{next(NUMBERS)}-", FEW)
    node = coordinators.leaders(healed.client())[offsets_topic.partition_of(names[0], 10)]
    back = threading.Timer(down, healed.restart, [node])

    def restart() -> None:
        healed.kill(node)
        back.start()

    healed.proxies[node].before(LIST_GROUPS, 1, restart)
    outcome = run("consumer_group_info", healed.listeners["PROXIED"], gather=["state", "offsets"])
    back.join()
    assert outcome.given["errors"] == []
    assert set(names) <= {found["name"] for found in outcome.given["groups"]}


def test_a_broker_that_stays_away_leaves_time_for_the_others(healed: Cluster) -> None:
    names = plant(healed.client(), f"listed-{next(NUMBERS)}-", FEW)
    healed.proxies[2].before(LIST_GROUPS, 1, lambda: healed.kill(2))
    outcome = run(
        "consumer_group_info", healed.listeners["PROXIED"], connect={"timeout": 60.0}, gather=["state", "offsets"]
    )
    (problem,) = outcome.given["errors"]
    assert problem["broker"] == 2
    found = {found["name"]: found for found in outcome.given["groups"]}
    assert all(len(found[name]["offsets"]) == 2 for name in names)


@pytest.mark.parametrize("kind", [delete_groups])
def test_a_coordinator_loads(healed: Cluster, prepare: Prepare, kind: Plant) -> None:
    """Comes last: what makes the coordinator of partition 0 load for a while stays there."""
    client = healed.client()
    trial = prepare(kind)
    now = int(time.time() * 1000)
    key, value = offsets_topic.commit_key("ballast", TOPIC, 0), offsets_topic.commit_value(1, now)
    offsets_topic.write(client, itertools.repeat(offsets_topic.Record(0, key, value, now), 200_000))
    leader = coordinators.leaders(client)[0]
    after = leader % 3 + 1
    codes: list[int] = []
    watcher = threading.Thread(target=watch, args=(client, after, codes), daemon=True)

    def move() -> None:
        watcher.start()
        coordinators.assign(client, {0: [after, *({1, 2, 3} - {after})]})

    healed.proxies[leader].after(*trial.kind.reads, move)
    trial.succeeds()
    watcher.join(60)
    assert not watcher.is_alive(), codes[-1:]
    assert COORDINATOR_LOAD_IN_PROGRESS in codes


def watch(client: dict[str, str], node: int, codes: list[int]) -> None:
    """Ask a broker about a group of partition 0, and note its answers, until it has loaded it."""
    with Wire(client) as wire:
        while not codes or codes[-1] in (NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS):
            codes.append(wire.call(DescribeGroupsRequest(groups=[ALIVE[0]]), node).groups[0].error_code)
            time.sleep(0.005)
