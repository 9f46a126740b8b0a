# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan file is applied as far as groups still are what the audit saw; what has changed survives."""

from __future__ import annotations

import datetime
import itertools
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._files import plan as plan_file
from ansible_collections.kafkaops.groups.plugins.module_utils._files.plan import (
    Judged,
    Plan,
    PlannedGroup,
    PlannedOffset,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import TopicPartition
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _precondition, _read_groups
from confluent_kafka.admin import AdminClient

from tests.live.task import ansible, run
from tests.live.test_check_mode import DELETE_GROUPS, OFFSET_DELETE, READING
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.clients import properties
from tests.support.consumers import Consumer
from tests.support.proxy import Proxy

pytestmark = pytest.mark.live

OFFSET_FETCH, DESCRIBE_GROUPS = 9, 15
TOPIC, OTHER = "planned", "planned-other"
NUMBERS = itertools.count()
Write = Callable[..., str]


@pytest.fixture(scope="module")
def proxy(cluster: Cluster) -> Iterator[Proxy]:
    """The recording proxy before the cluster, and two topics behind it."""
    for name in (TOPIC, OTHER):
        topics.create(cluster.client(), name, 2, records=10)
    assert cluster.proxy is not None
    yield cluster.proxy
    cluster.proxy.reset()


@pytest.fixture(scope="module")
def cluster_id(cluster: Cluster) -> str:
    return str(AdminClient(properties(cluster.client())).list_topics(timeout=20).cluster_id)


@pytest.fixture
def write(tmp_path: Path, cluster_id: str) -> Write:
    """Writes a plan of groups and offsets, and returns its path."""

    def written(*entries: PlannedGroup | PlannedOffset) -> str:
        path = str(tmp_path / "plan.json")
        groups = [entry for entry in entries if isinstance(entry, PlannedGroup)]
        offsets = [entry for entry in entries if isinstance(entry, PlannedOffset)]
        owners = {entry.owner: Judged(9, 9) for entry in entries if entry.owner}
        now = datetime.datetime.now(datetime.UTC)
        plan_file.write(path, Plan(cluster_id, now, {}, groups, offsets, owners=owners))
        return path

    return written


def stale(name: str, at: int = 3) -> PlannedGroup:
    return PlannedGroup(name, "classic", "Empty", "no commit for long", {TopicPartition(TOPIC, 0): at})


def needless(name: str, topic: str = OTHER, partition: int = 0, at: int = 5, state: str = "Stable") -> PlannedOffset:
    return PlannedOffset(name, "classic", state, TopicPartition(topic, partition), at, "not subscribed")


def names(*roots: str) -> list[str]:
    number = next(NUMBERS)
    return [f"{root}-{number}" for root in roots]


def twice(proxy: Proxy, module: str, mutating: int, **args: Any) -> dict[str, Any]:
    """Run a task in check mode, which sends nothing that mutates, and then for real, which does what was predicted."""
    proxy.clear()
    predicted = ansible(module, proxy.address, check=True, **args)
    assert proxy.count("kafkaops.groups").keys() <= READING
    done = ansible(module, proxy.address, **args)
    assert proxy.count("kafkaops.groups")[mutating] == 1
    keys = ("changed", "results", "summary", "backup_file", "rc")
    assert {key: predicted[key] for key in keys} == {key: done[key] for key in keys}
    return done


def test_groups_are_deleted_that_are_still_what_the_audit_saw(
    cluster: Cluster, proxy: Proxy, write: Write, tmp_path: Path
) -> None:
    client = cluster.client()
    still, busy, back, gone = names("still", "busy", "back", "gone")
    commits.commit_many(client, {name: {(TOPIC, 0): (3, "", -1)} for name in (still, busy, back)})
    plan = write(*map(stale, (still, busy, gone, back)))
    commits.commit(client, busy, {(TOPIC, 0): (4, "", -1)})
    backup = str(tmp_path / "backup.json")
    with Consumer(client, back, [TOPIC]):
        done = twice(proxy, "consumer_group", DELETE_GROUPS, plan=plan, backup=backup)
        again = run("consumer_group", proxy.address, plan=plan)
    assert done["rc"] == 0
    assert [(item["group"], item["action"], item["changed"], item.get("left_alone")) for item in done["results"]] == [
        (still, "delete_group", True, None),
        (busy, "none", False, f"its committed offsets changed since the audit: {TOPIC}-0 is at 4, and was at 3"),
        (gone, "none", False, None),
        (back, "none", False, "it is Stable now, with 1 member, and was Empty"),
    ]
    assert done["summary"] == {"total": 4, "changed": 1, "unchanged": 3, "failed": 0, "left_alone": 2}
    assert "DeleteGroups" not in again.requests
    assert again.warnings == [
        f"plan: 2 of 4 skipped because they changed since the audit; first: group '{busy}': "
        f"{done['results'][1]['left_alone']}"
    ]
    assert [group["name"] for group in json.loads(Path(backup).read_text())["groups"]] == [still]
    assert still not in truth.groups(client)
    assert truth.offsets(client, busy) == {(TOPIC, 0): (4, "", -1)}
    assert truth.offsets(client, back) == {(TOPIC, 0): (3, "", -1)}


def test_offsets_are_deleted_that_are_still_what_the_audit_saw(
    cluster: Cluster, proxy: Proxy, write: Write, tmp_path: Path
) -> None:
    client = cluster.client()
    live, resting, gone = names("live", "resting", "gone")
    committed = {(TOPIC, 0): (1, "", -1), (OTHER, 0): (5, "", -1), (OTHER, 1): (6, "", -1)}
    commits.commit_many(client, {live: committed, resting: committed})
    entries = [needless(live), needless(live, partition=1), needless(live, TOPIC, at=1), needless(live, TOPIC, 1)]
    plan = write(*entries, needless(resting), needless(gone))
    backup = str(tmp_path / "backup.json")
    with Consumer(client, live, [TOPIC]):
        done = twice(proxy, "consumer_group_offsets", OFFSET_DELETE, state="absent", plan=plan, backup=backup)
    keys = ("group", "topic", "partition", "changed", "left_alone")
    assert [tuple(item.get(key) for key in keys) for item in done["results"]] == [
        (live, OTHER, 0, True, None),
        (live, OTHER, 1, False, f"its committed offsets changed since the audit: {OTHER}-1 is at 6, and was at 5"),
        (live, TOPIC, 0, False, f"it subscribes to topic '{TOPIC}' now"),
        (live, TOPIC, 1, False, None),
        (resting, OTHER, 0, False, "it is Empty now, with 0 members, and was Stable"),
        (gone, OTHER, 0, False, None),
    ]
    assert done["summary"] == {"total": 6, "changed": 1, "unchanged": 5, "failed": 0, "left_alone": 3}
    assert [group["name"] for group in json.loads(Path(backup).read_text())["groups"]] == [live]
    assert truth.offsets(client, live) == {where: offset for where, offset in committed.items() if where != (OTHER, 0)}
    assert truth.offsets(client, resting) == committed


def test_a_group_that_commits_before_the_deletion_survives(cluster: Cluster, proxy: Proxy, write: Write) -> None:
    client = cluster.client()
    still, racing, again = names("still", "racing", "again")
    commits.commit_many(client, {name: {(TOPIC, 0): (3, "", -1)} for name in (still, racing, again)})
    plan = write(*map(stale, (still, racing, again)))
    late = {racing: {(TOPIC, 0): (9, "", -1)}, again: {(TOPIC, 0): (3, "same number", -1)}}
    proxy.before(OFFSET_FETCH, 2, lambda: commits.commit_many(client, late))
    outcome = run("consumer_group", proxy.address, plan=plan)
    assert [(item.target.group, item.changed, item.skip_reason) for item in outcome.items] == [
        (still, True, None),
        (racing, False, "it has committed since the task began"),
        (again, False, "it has committed since the task began"),
    ]
    assert truth.groups(client).keys() & {still, racing, again} == {racing, again}
    assert truth.offsets(client, racing) == late[racing]


def test_an_offset_that_is_committed_before_its_deletion_survives(cluster: Cluster, proxy: Proxy, write: Write) -> None:
    client = cluster.client()
    (name,) = names("racing")
    commits.commit(client, name, {(OTHER, 0): (5, "", -1), (OTHER, 1): (5, "", -1)})
    plan = write(needless(name, state="Empty"), needless(name, partition=1, state="Empty"))
    proxy.before(OFFSET_FETCH, 2, lambda: commits.commit(client, name, {(OTHER, 0): (6, "", -1)}))
    outcome = run("consumer_group_offsets", proxy.address, state="absent", plan=plan)
    assert [(item.target.partition, item.changed, item.skip_reason) for item in outcome.items] == [
        (0, False, "it has committed since the task began"),
        (1, True, None),
    ]
    assert truth.offsets(client, name) == {(OTHER, 0): (6, "", -1)}


@pytest.mark.parametrize(
    ("module", "api_key", "args", "left_alone"),
    [
        ("consumer_group", DELETE_GROUPS, {}, "a consumer joined while the group was being deleted"),
        (
            "consumer_group_offsets",
            OFFSET_DELETE,
            {"state": "absent"},
            "a consumer joined while the offset was being deleted",
        ),
    ],
)
def test_a_consumer_that_joins_at_the_last_moment_keeps_its_group(
    cluster: Cluster, proxy: Proxy, write: Write, module: str, api_key: int, args: dict[str, Any], left_alone: str
) -> None:
    client = cluster.client()
    (name,) = names("joining")
    commits.commit(client, name, {(TOPIC, 0): (3, "", -1)})
    plan = write(stale(name), needless(name, TOPIC, at=3, state="Empty"))
    member = Consumer(client, name, [TOPIC])

    def join() -> None:
        member.start()
        member.wait()

    proxy.before(api_key, 1, join)
    try:
        outcome = run(module, proxy.address, plan=plan, **args)
    finally:
        member.close()
    assert [(item.changed, item.skip_reason) for item in outcome.items] == [(False, left_alone)]
    assert truth.offsets(client, name) == {(TOPIC, 0): (3, "", -1)}


def test_a_lost_answer_is_settled(cluster: Cluster, proxy: Proxy, write: Write) -> None:
    (name,) = names("settled")
    commits.commit(cluster.client(), name, {(TOPIC, 0): (3, "", -1), (OTHER, 0): (5, "", -1)})
    plan = write(needless(name, state="Empty"), stale(name))
    steps: list[tuple[str, int, dict[str, Any]]] = [
        ("consumer_group_offsets", OFFSET_DELETE, {"state": "absent"}),
        ("consumer_group", DELETE_GROUPS, {}),
    ]
    for module, api_key, args in steps:
        proxy.reset()
        proxy.drop_answers(api_key)
        outcome = run(module, proxy.address, plan=plan, **args)
        assert (proxy.count()[api_key], outcome.changed, outcome.errors) == (1, 1, {})


def test_a_group_that_is_made_anew_after_a_lost_answer_survives(cluster: Cluster, proxy: Proxy, write: Write) -> None:
    client = cluster.client()
    (name,) = names("anew")
    commits.commit(client, name, {(TOPIC, 0): (3, "", -1)})
    proxy.reset()
    proxy.drop_answers(DELETE_GROUPS)
    proxy.before(DESCRIBE_GROUPS, 2, lambda: commits.commit(client, name, {(TOPIC, 0): (4, "", -1)}))
    outcome = run("consumer_group", proxy.address, plan=write(stale(name)))
    assert [(item.changed, item.skip_reason, item.error and item.error.message) for item in outcome.items] == [
        (False, None, _precondition.DELETED_OR_USED)
    ]
    assert proxy.count()[DELETE_GROUPS] == 1
    assert truth.offsets(client, name) == {(TOPIC, 0): (4, "", -1)}


def test_a_group_whose_offsets_are_gone_after_a_lost_answer_was_deleted(
    cluster: Cluster, proxy: Proxy, write: Write
) -> None:
    """A consumer has created it again before the next look."""
    client = cluster.client()
    (name,) = names("back")
    commits.commit(client, name, {(TOPIC, 0): (3, "", -1), (OTHER, 0): (5, "", -1)})
    offsets = {TopicPartition(TOPIC, 0): 3, TopicPartition(OTHER, 0): 5}
    proxy.reset()
    proxy.drop_answers(DELETE_GROUPS)
    proxy.before(DESCRIBE_GROUPS, 2, lambda: commits.commit(client, name, {(TOPIC, 0): (4, "", -1)}))
    outcome = run("consumer_group", proxy.address, plan=write(stale(name)._replace(offsets=offsets)))
    assert (proxy.count()[DELETE_GROUPS], outcome.changed, outcome.errors) == (1, 1, {})
    assert truth.offsets(client, name) == {(TOPIC, 0): (4, "", -1)}


def test_an_offset_that_is_committed_after_a_lost_answer_is_left_alone(
    cluster: Cluster, proxy: Proxy, write: Write
) -> None:
    client = cluster.client()
    (name,) = names("anew")
    commits.commit(client, name, {(OTHER, 0): (5, "", -1)})
    proxy.reset()
    proxy.drop_answers(OFFSET_DELETE)
    proxy.after(OFFSET_DELETE, 1, lambda: commits.commit(client, name, {(OTHER, 0): (6, "", -1)}))
    outcome = run("consumer_group_offsets", proxy.address, state="absent", plan=write(needless(name, state="Empty")))
    assert [(item.changed, item.skip_reason, item.error) for item in outcome.items] == [
        (False, "it has committed since the task began", None)
    ]
    assert proxy.count()[OFFSET_DELETE] == 1
    assert truth.offsets(client, name) == {(OTHER, 0): (6, "", -1)}


def test_entries_of_other_owners_are_untouched(cluster: Cluster, proxy: Proxy, write: Write, tmp_path: Path) -> None:
    client = cluster.client()
    ours, theirs, nobodys, resting, others = names("ours", "theirs", "nobodys", "resting", "others")
    commits.commit_many(client, {name: {(TOPIC, 0): (3, "", -1)} for name in (ours, theirs, nobodys)})
    committed = {(OTHER, 0): (5, "", -1), (OTHER, 1): (6, "", -1)}
    commits.commit_many(client, {resting: committed, others: committed})
    plan = write(
        stale(ours)._replace(owner="team-a"),
        stale(theirs)._replace(owner="team-b"),
        stale(nobodys),
        needless(resting, state="Empty")._replace(owner="team-a"),
        needless(others, state="Empty")._replace(owner="team-b"),
    )
    whole = plan_file.approval_result(plan_file.load(plan, "plan"))
    given = {"plan": plan, "owner": "team-a", "max_changes": 1}
    done = [
        twice(proxy, "consumer_group", DELETE_GROUPS, backup=str(tmp_path / "groups.json"), **given),
        twice(proxy, "consumer_group_offsets", OFFSET_DELETE, state="absent", **given),
    ]
    assert [(item["group"], item["changed"]) for task in done for item in task["results"]] == [
        (ours, True),
        (resting, True),
    ]
    assert [task["plan"] for task in done] == [whole, whole]
    proxy.clear()
    refused = ansible("consumer_group", proxy.address, plan=plan, owner=["team-b", "team-x"])
    assert refused["msg"] == (
        "owner: 'team-x' is not an owner of the plan: its owners are team-a, team-b. Nothing was changed."
    )
    assert DELETE_GROUPS not in proxy.count("kafkaops.groups")
    assert truth.groups(client).keys() & {ours, theirs, nobodys, resting, others} == {theirs, nobodys, resting, others}
    assert truth.offsets(client, resting) == {(OTHER, 1): (6, "", -1)}
    assert truth.offsets(client, others) == committed


def test_more_than_max_changes(cluster: Cluster, proxy: Proxy, write: Write) -> None:
    limited, busy, other = names("limited", "busy", "other")
    commits.commit_many(cluster.client(), {name: {(TOPIC, 0): (3, "", -1)} for name in (limited, busy, other)})
    plan = write(stale(limited), stale(busy, at=2), stale(other))
    refused = run("consumer_group", proxy.address, plan=plan, max_changes=1)
    assert refused.errors == {limited: "POLICY_VIOLATION", other: "POLICY_VIOLATION"}
    assert "DeleteGroups" not in refused.requests
    assert run("consumer_group", proxy.address, plan=plan, max_changes=2).changed == 2
    assert busy in truth.groups(cluster.client())


def test_an_offset_that_is_gone_with_its_topic_is_unchanged(cluster: Cluster, proxy: Proxy, write: Write) -> None:
    client = cluster.client()
    name, topic = names("orphan", "planned-short")
    topics.create(client, topic, 1)
    commits.commit(client, name, {(topic, 0): (0, "", -1), (OTHER, 0): (5, "", -1)})
    plan = write(needless(name, topic, at=0, state="Empty"), needless(name, state="Empty"))
    topics.delete(client, topic)
    deadline = time.monotonic() + 30
    while (topic, 0) in truth.offsets(client, name) and time.monotonic() < deadline:
        time.sleep(0.1)
    outcome = run("consumer_group_offsets", proxy.address, state="absent", plan=plan)
    assert [(item.target.topic, item.changed, item.skip_reason, item.error) for item in outcome.items] == [
        (topic, False, None, None),
        (OTHER, True, None, None),
    ]
    assert outcome.warnings == [f"topic '{topic}' does not exist in this cluster"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"cluster_id": "elsewhere"}, "is a plan for cluster elsewhere, and this is cluster "),
        ({"delete_groups": [{"group": "g"}]}, "is damaged"),
        ({"version": 2}, "is of version 2"),
    ],
)
@pytest.mark.parametrize(("module", "args"), [("consumer_group", {}), ("consumer_group_offsets", {"state": "absent"})])
def test_a_plan_that_is_refused(
    cluster: Cluster,
    proxy: Proxy,
    write: Write,
    change: dict[str, Any],
    sentence: str,
    module: str,
    args: dict[str, Any],
) -> None:
    (name,) = names("kept")
    commits.commit(cluster.client(), name, {(TOPIC, 0): (3, "", -1), (OTHER, 0): (5, "", -1)})
    plan = Path(write(stale(name), needless(name, state="Empty")))
    plan.write_text(json.dumps({**json.loads(plan.read_text()), **change}))
    proxy.clear()
    with pytest.raises(TaskError, match=sentence):
        run(module, proxy.address, plan=str(plan), **args)
    assert proxy.count("kafkaops.groups").keys() <= READING
    assert len(truth.offsets(cluster.client(), name)) == 2


@contextmanager
def about_to_commit(client: dict[str, str], group: str) -> Iterator[None]:
    """Commit 3, then a transaction with 4, which ends with the block."""
    commits.commit(client, group, {(TOPIC, 0): (3, "", -1)})
    with commits.transaction(client, group, TOPIC, 4) as producer:
        yield
        producer.commit_transaction(30)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open transactions are waited for only a second."""
    monkeypatch.setattr(_read_groups, "_UNSTABLE_WAIT", 1.0)


def test_a_transaction_that_ends_meanwhile_is_waited_for(cluster: Cluster, tmp_path: Path) -> None:
    (ending,) = names("ending")
    commits.commit(cluster.client(), ending, {(TOPIC, 0): (3, "", -1)})
    file = tmp_path / "backup.json"
    with commits.transaction(cluster.client(), ending, TOPIC, 4) as producer:
        timer = threading.Timer(3, producer.commit_transaction, [30])
        timer.start()
        done = run("consumer_group", cluster.bootstrap, names=ending, backup=str(file))
        timer.join()
    assert (done.changed, done.errors) == (1, {})
    assert json.loads(file.read_text())["groups"][0]["offsets"][0]["offset"] == 4


@pytest.mark.usefixtures("proxy", "impatient")
def test_what_a_transaction_is_about_to_commit_is_not_lost(cluster: Cluster, write: Write) -> None:
    """The committed offset still is what the audit saw; the one of the open transaction would go with the group."""
    (pending,) = names("pending")
    with about_to_commit(cluster.client(), pending):
        refused = run("consumer_group", cluster.bootstrap, plan=write(stale(pending)))
    assert refused.errors == {pending: "UNSTABLE_OFFSET_COMMIT"}
    assert truth.offsets(cluster.client(), pending)[TOPIC, 0].offset == 4


@pytest.mark.usefixtures("proxy", "impatient")
def test_a_group_that_cannot_be_backed_up_fails_alone(cluster: Cluster, tmp_path: Path) -> None:
    pending, deleted = names("pending", "deleted")
    commits.commit(cluster.client(), deleted, {(TOPIC, 0): (3, "", -1)})
    with about_to_commit(cluster.client(), pending):
        done = run("consumer_group", cluster.bootstrap, names=[pending, deleted], backup=str(tmp_path / "backup.json"))
    assert (done.changed, done.errors) == (1, {pending: "UNSTABLE_OFFSET_COMMIT"})
    assert "open transaction" in next(item.error.message for item in done.items if item.error)
    assert [group["name"] for group in json.loads((tmp_path / "backup.json").read_text())["groups"]] == [deleted]
    assert truth.offsets(cluster.client(), pending)[TOPIC, 0].offset == 4


@pytest.mark.usefixtures("proxy")
def test_an_open_transaction_keeps_nobody_from_setting_offsets(cluster: Cluster) -> None:
    """What was committed last stays."""
    (pending,) = names("pending")
    wanted = [{"topic": TOPIC, "partition": 0, "offset": 1, "leader_epoch": None, "metadata": None}]
    with about_to_commit(cluster.client(), pending):
        done = run("consumer_group_offsets", cluster.bootstrap, group=pending, offsets=wanted)
    assert (done.changed, done.errors) == (1, {})
    assert truth.offsets(cluster.client(), pending)[TOPIC, 0].offset == 1


@pytest.mark.usefixtures("proxy", "impatient")
def test_the_transaction_that_blocks_a_group_is_named_and_can_be_aborted(cluster: Cluster, tmp_path: Path) -> None:
    """Kafka's tool aborts it, as the troubleshooting guide says."""
    blocked, other = names("blocked", "not-blocked")
    client, file = cluster.client(), tmp_path / "backup.json"
    for name in (blocked, other):
        commits.commit(client, name, {(TOPIC, 0): (3, "", -1)})
    with commits.transaction(client, blocked, TOPIC, 4):
        found = run("consumer_group_info", cluster.bootstrap, names=[blocked, other], gather=["transactions"])
        shown = {group["name"]: group["open_transactions"] for group in found.given["groups"]}
        assert shown[other] == []
        assert (f"{blocked}-4", "Ongoing") in [(one["transactional_id"], one["state"]) for one in shown[blocked]]

        refused = run("consumer_group", cluster.bootstrap, names=blocked, backup=str(file))
        (message,) = [item.error.message for item in refused.items if item.error]
        named = rf"open transactions in __consumer_offsets-(\d+): .*'{blocked}-4' \(Ongoing\), start offset (\d+)"
        (partition, start) = re.findall(named, message)[0]
        where = ["--topic", "__consumer_offsets", "--partition", partition, "--start-offset", start]
        aborted = truth.kafka_tool(cluster, "org.apache.kafka.tools.TransactionsCommand", ["abort", *where])
        assert aborted.returncode == 0, aborted.stdout + aborted.stderr
        done = run("consumer_group", cluster.bootstrap, names=blocked, backup=str(file))
    assert (done.changed, done.errors) == (1, {})
    assert json.loads(file.read_text())["groups"][0]["offsets"][0]["offset"] == 3
