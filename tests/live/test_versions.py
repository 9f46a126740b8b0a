# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Older brokers: the downgrades of KIP-699 and of OffsetFetch, and what a version lacks, in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError

from tests.live.task import run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.consumers import Consumer
from tests.support.jars import java
from tests.support.process import Process

pytestmark = pytest.mark.live

GROUPS = [f"g-{number}" for number in range(5)]
# FindCoordinator v4 and OffsetFetch v8 came with 3.0, ListGroups v4 with 2.6 and v5 with 3.8
BATCHED, STATES, TYPES = (3, 0), (2, 6), (3, 8)


def version(cluster: Cluster) -> tuple[int, ...]:
    return tuple(int(part) for part in cluster.version.split("."))


@pytest.fixture(scope="module")
def client(old: Cluster) -> dict[str, str]:
    """A client of the cluster, and a topic t."""
    topics.create(old.client(), "t", 1, records=4)
    return old.client()


@pytest.fixture
def groups(client: dict[str, str]) -> list[str]:
    """Empty groups with a committed offset each."""
    commits.commit_many(client, {name: {("t", 0): (1, "m", -1)} for name in GROUPS})
    return GROUPS


def test_delete_back_up_and_restore(old: Cluster, groups: list[str], tmp_path: Path) -> None:
    file = str(tmp_path / "backup.json")
    deleted = run("consumer_group", old.bootstrap, names=groups, backup=file)
    assert (deleted.changed, deleted.errors) == (5, {})
    one_by_one = 1 if version(old) >= BATCHED else 5
    assert deleted.requests["FindCoordinator"] == one_by_one
    # once for the back-up, and once more to see that nothing was committed since
    assert deleted.requests["OffsetFetch"] == 2 * one_by_one
    assert deleted.requests["DeleteGroups"] == 1
    assert not set(groups) & truth.groups(old.client()).keys()
    restored = run("consumer_group_offsets", old.bootstrap, restore_from=file)
    assert (restored.changed, restored.errors) == (5, {})
    assert {name: truth.offsets(old.client(), name) for name in groups} == {
        name: {("t", 0): (1, "m", -1)} for name in groups
    }


def test_delete_offsets(old: Cluster, groups: list[str]) -> None:
    outcome = run(
        "consumer_group_offsets", old.bootstrap, group="g-0", state="absent", topics=[{"name": "t", "partitions": None}]
    )
    assert (outcome.changed, outcome.errors) == (1, {})
    assert truth.offsets(old.client(), "g-0") == {}


def test_remove_members(old: Cluster, groups: list[str]) -> None:
    with Consumer(old.client(), "live", ["t"], instance_id="i", session_timeout_ms=60_000) as member:
        member.kill()
        refused = run("consumer_group", old.bootstrap, names="live")
        assert refused.errors == {"live": "NON_EMPTY_GROUP"}
        removed = run("consumer_group_members", old.bootstrap, names="live", remove_all=True)
    assert (removed.changed, removed.errors) == (1, {})
    assert run("consumer_group", old.bootstrap, names="live").changed == 1


def test_states_filter(old: Cluster, groups: list[str]) -> None:
    if version(old) < STATES:
        with pytest.raises(TaskError, match=r"UNSUPPORTED_VERSION: .* older than Kafka 2.6"):
            run("consumer_group_info", old.bootstrap, states=["Empty"])
        listed = run("consumer_group_info", old.bootstrap).given["groups"]
        assert {group["state"] for group in listed} == {None}
    else:
        listed = run("consumer_group_info", old.bootstrap, states=["Empty"]).given["groups"]
        assert {group["state"] for group in listed} == {"Empty"}
    assert set(groups) <= {group["name"] for group in listed}


def test_types_filter(old: Cluster, groups: list[str]) -> None:
    listed = run("consumer_group_info", old.bootstrap, types=["classic", "consumer"]).given["groups"]
    assert set(groups) <= {group["name"] for group in listed}
    if version(old) < TYPES:
        with pytest.raises(TaskError, match=r"UNSUPPORTED_VERSION: .* older than Kafka 3.8"):
            run("consumer_group_info", old.bootstrap, types=["share"])


def test_members_of_kip_848_groups_cannot_be_removed_before_4_0(
    old: Cluster, groups: list[str], tmp_path: Path
) -> None:
    if version(old) < TYPES:
        pytest.skip("this version has no KIP-848 groups")
    # librdkafka speaks only the protocol of 4.0
    tool = "org.apache.kafka.tools.consumer.ConsoleConsumer"
    options = ["--topic", "t", "--group", "kip848", "--consumer-property", "group.protocol=consumer"]
    command = java(old.version, 128, tool, "--bootstrap-server", old.bootstrap, *options)
    consumer = Process(command, tmp_path / "consumer.log")
    try:
        truth.wait_stable(old.client(), "kip848", 60)
        outcome = run("consumer_group_members", old.bootstrap, names="kip848", remove_all=True)
        assert outcome.errors == {"kip848": "UNSUPPORTED_VERSION"}
        assert "LeaveGroup" not in outcome.requests
        forced = run("consumer_group", old.bootstrap, names="kip848", force=True)
        assert forced.errors == {"kip848": "UNSUPPORTED_VERSION"}
    finally:
        consumer.kill()
