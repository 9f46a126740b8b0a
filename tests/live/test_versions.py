# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Older and newer brokers: the downgrades of KIP-699 and of OffsetFetch, and what a version lacks, in words.

Each test tells what it saw (`Says`): ``make test-matrix`` makes docs/versions.md of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError

from tests.live.task import Outcome, ansible, run
from tests.support import absentees, commits, topics, truth
from tests.support.broker import Cluster
from tests.support.consumers import connect_like, share_consumer, streams_app
from tests.support.jars import java
from tests.support.process import Process

pytestmark = pytest.mark.live

TOPIC = "versions"
GROUPS = [f"v-{number}" for number in range(5)]
# FindCoordinator v4 and OffsetFetch v8 came with 3.0, ListGroups v4 with 2.6 and v5 with 3.8
BATCHED, STATES, REASON, TYPES, KIP848, NEWEST = (3, 0), (2, 6), (3, 2), (3, 8), (3, 9), (4, 0)

Says = Callable[[str, str], None]


def version(cluster: Cluster) -> tuple[int, ...]:
    return tuple(int(part) for part in cluster.version.split("."))


@pytest.fixture
def says(release: Cluster, record_property: Callable[[str, object], None]) -> Says:
    """Tell the table's row, and what this version has in it."""

    def told(row: str, cell: str) -> None:
        record_property("version", release.version)
        record_property("row", row)
        record_property("cell", cell)

    return told


@pytest.fixture(scope="module")
def client(release: Cluster) -> dict[str, str]:
    """A client of the cluster, and a topic."""
    topics.create(release.client(), TOPIC, 1, records=4)
    return release.client()


@pytest.fixture
def groups(client: dict[str, str]) -> Iterator[list[str]]:
    """Empty groups with a committed offset each."""
    commits.commit_many(client, {name: {(TOPIC, 0): (1, "m", -1)} for name in GROUPS})
    yield GROUPS
    run("consumer_group", client["bootstrap.servers"], names=GROUPS)


def only(outcome: Outcome) -> str:
    """Return the words of the only error."""
    (error,) = [item.error for item in outcome.items if item.error]
    return f"{error.name}: {error.message}"


def refused(bootstrap: str, **args: Any) -> str:
    """Return the sentence with which C(consumer_group_info) fails."""
    with pytest.raises(TaskError) as failure:
        run("consumer_group_info", bootstrap, **args)
    return str(failure.value).replace(bootstrap, "HOST:PORT")


def test_delete_back_up_and_restore(release: Cluster, groups: list[str], tmp_path: Path, says: Says) -> None:
    file = str(tmp_path / "backup.json")
    deleted = run("consumer_group", release.bootstrap, names=groups, backup=file)
    assert (deleted.changed, deleted.errors) == (5, {})
    one_by_one = 1 if version(release) >= BATCHED else 5
    assert deleted.requests["FindCoordinator"] == one_by_one
    # once for the back-up, and once more to see that nothing was committed since
    assert deleted.requests["OffsetFetch"] == 2 * one_by_one
    assert deleted.requests["DeleteGroups"] == 1
    assert not set(groups) & truth.groups(release.client()).keys()
    restored = run("consumer_group_offsets", release.bootstrap, restore={"path": str(file)})
    assert (restored.changed, restored.errors) == (5, {})
    assert {name: truth.offsets(release.client(), name) for name in groups} == {
        name: {(TOPIC, 0): (1, "m", -1)} for name in groups
    }
    lookups, fetches = deleted.requests["FindCoordinator"], deleted.requests["OffsetFetch"] // 2
    says(
        "requests to look up the coordinators of 5 groups on one broker, and to fetch their offsets (KIP-699)",
        f"{lookups}, {fetches}",
    )


def test_remove_members(release: Cluster, groups: list[str], says: Says) -> None:
    """LeaveGroup takes a reason since 3.2; before, members are removed without it. Brokers of 3.9 do not log it."""
    absentees.leave_behind(release.client(), ["v-left"], TOPIC)
    assert run("consumer_group", release.bootstrap, names="v-left").errors == {"v-left": "NON_EMPTY_GROUP"}
    removed = run("consumer_group_members", release.bootstrap, names="v-left", remove_all=True, reason="a good reason")
    assert (removed.changed, removed.errors) == (1, {})
    assert truth.described(release.client(), "v-left") == ("Empty", "classic")
    assert run("consumer_group", release.bootstrap, names="v-left").changed == 1
    log = (release.folder / "node-1" / "broker.log").read_text(encoding="utf-8", errors="replace")
    logged = "a good reason" in log
    assert logged == (version(release) >= NEWEST)
    cell = "yes" if logged else "sent, but not logged" if version(release) >= REASON else "no: not sent"
    says("`reason` of `consumer_group_members`, in the broker's log", cell)


def test_states_filter(release: Cluster, groups: list[str], says: Says) -> None:
    cell = "yes"
    if version(release) < STATES:
        cell = refused(release.bootstrap, states=["Empty"])
        assert cell.startswith("UNSUPPORTED_VERSION: ")
        listed = run("consumer_group_info", release.bootstrap).given["groups"]
        assert {group["state"] for group in listed} == {None}
    else:
        listed = run("consumer_group_info", release.bootstrap, states=["Empty"]).given["groups"]
        assert {group["state"] for group in listed} == {"Empty"}
    assert set(groups) <= {group["name"] for group in listed}
    says("`states` of `consumer_group_info`", cell)


def test_types_filter(release: Cluster, groups: list[str], says: Says) -> None:
    listed = run("consumer_group_info", release.bootstrap, types=["classic", "consumer"]).given["groups"]
    assert set(groups) <= {group["name"] for group in listed}
    cell = "yes"
    if version(release) < TYPES:
        cell = refused(release.bootstrap, types=["share"])
        assert cell.startswith("UNSUPPORTED_VERSION: ")
    elif version(release) < NEWEST:
        assert set(run("consumer_group_info", release.bootstrap, types=["consumer"]).given["groups"]) == set()
    says("`types` of `consumer_group_info`; all versions support `classic` and `consumer`", cell)


def test_members_of_kip_848_groups(release: Cluster, groups: list[str], tmp_path: Path, says: Says) -> None:
    """They cannot be removed before 4.0."""
    row = "remove members of KIP-848 groups"
    if version(release) < KIP848:
        says(row, "no such groups")
        return
    # librdkafka speaks only the protocol of 4.0
    tool = "org.apache.kafka.tools.consumer.ConsoleConsumer"
    options = ["--topic", TOPIC, "--group", "v-kip848", "--consumer-property", "group.protocol=consumer"]
    command = java(release.version, 128, tool, "--bootstrap-server", release.bootstrap, *options)
    consumer = Process(command, tmp_path / "consumer.log")
    try:
        truth.wait_stable(release.client(), "v-kip848", 60)
        (described,) = run("consumer_group_info", release.bootstrap, names="v-kip848", gather=["members"]).given[
            "groups"
        ]
        assert (described["type"], described["state"], len(described["members"])) == ("consumer", "Stable", 1)
        if version(release) < NEWEST:
            outcome = run("consumer_group_members", release.bootstrap, names="v-kip848", remove_all=True)
            cell = only(outcome)
            assert cell.startswith("UNSUPPORTED_VERSION: ")
            assert "LeaveGroup" not in outcome.requests
            forced = run("consumer_group", release.bootstrap, names="v-kip848", force=True)
            assert forced.errors == {"v-kip848": "UNSUPPORTED_VERSION"}
        else:
            consumer.kill()
            cell = "yes"
            outcome = run("consumer_group_members", release.bootstrap, names="v-kip848", remove_all=True)
            assert (outcome.changed, outcome.errors) == (1, {})
    finally:
        consumer.kill()
    says(row, cell)


def test_share_and_streams_groups(release: Cluster, groups: list[str], says: Says) -> None:
    row = "describe and delete share and streams groups"
    if version(release) < NEWEST:
        assert run("consumer_group", release.bootstrap, names=["v-share", "v-streams"]).changed == 0
        says(row, "no such groups")
        return
    members = [share_consumer(release.client(), "v-share", TOPIC), streams_app(release.client(), "v-streams", [TOPIC])]
    for member in members:
        member.start()
        truth.wait_stable(release.client(), member.group)
    names = [member.group for member in members]
    found = run("consumer_group_info", release.bootstrap, names=names).given["groups"]
    assert [group["type"] for group in found] == ["share", "streams"]
    for member in members:
        member.kill()
    says(row, "yes")


def test_a_group_of_connect(release: Cluster, groups: list[str], says: Says) -> None:
    with connect_like(release.client(), "v-connect"):
        refusal = only(run("consumer_group", release.bootstrap, names="v-connect"))
    assert refusal.startswith("NON_EMPTY_GROUP: it is a classic group of protocol type connect in state Stable")
    assert run("consumer_group", release.bootstrap, names="v-connect").changed == 1
    says("refuse to delete a group with members, and name the members", "yes")


def test_the_audit(release: Cluster, groups: list[str], tmp_path: Path, says: Says) -> None:
    """It reads the records of this version, and its plan is applied."""
    audited = ansible(
        "consumer_offsets_audit",
        release.bootstrap,
        output=str(tmp_path),
        stale_after="1s",
        include=GROUPS,
        master="local[1]",
        timeout=600,
    )
    assert (audited["rc"], audited["stale_groups"]) == (0, GROUPS), audited["summary"]
    deleted = ansible("consumer_group", release.bootstrap, plan=audited["plan"])
    assert (deleted["rc"], deleted["summary"]["changed"]) == (0, len(GROUPS)), deleted.get("msg")
    assert not set(groups) & truth.groups(release.client()).keys()
    says("`consumer_offsets_audit`, and `plan` of `consumer_group`", "yes")
