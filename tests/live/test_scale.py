# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many groups: few requests, each group's own outcome, nothing lost on the way to a back-up and back."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.delete_groups import DELETE_BATCH
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import delete_groups, offsets
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._safeguards import back_up

from tests.live.task import ansible, run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.consumers import Consumer

pytestmark = pytest.mark.live

TOPIC = "scale"


@pytest.fixture(scope="module")
def topic(cluster: Cluster) -> str:
    """A topic of four partitions."""
    topics.create(cluster.client(), TOPIC, 4, records=8)
    return TOPIC


def test_ten_thousand_groups_in_a_handful_of_requests(cluster: Cluster, topic: str) -> None:
    names = [f"many-{number:05d}" for number in range(10_000)]
    commits.commit_many(cluster.client(), {name: {(topic, 0): (1, "", -1)} for name in names})
    outcome = run("consumer_group", cluster.bootstrap, names=names)
    assert (outcome.changed, outcome.errors) == (10_000, {})
    batches = math.ceil(len(names) / DELETE_BATCH)
    assert outcome.requests["DeleteGroups"] == batches
    assert all(count <= batches for count in outcome.requests.values())
    assert not set(names) & truth.groups(cluster.client()).keys()


def test_one_bad_group_among_500(cluster: Cluster, topic: str) -> None:
    names = [f"good-{number:03d}" for number in range(499)]
    commits.commit_many(cluster.client(), {name: {(topic, 0): (1, "", -1)} for name in names})
    with Consumer(cluster.client(), "bad", [topic]):
        returned = ansible("consumer_group", cluster.bootstrap, names=[*names[:250], "bad", *names[250:]])
    assert returned["rc"] != 0
    assert returned["summary"] == {"total": 500, "changed": 499, "unchanged": 0, "failed": 1}
    assert [result["group"] for result in returned["results"] if result["failed"]] == ["bad"]
    assert returned["msg"].startswith("1 of 500 failed: group 'bad': NON_EMPTY_GROUP: ")
    left = truth.groups(cluster.client())
    assert "bad" in left
    assert not set(names) & left.keys()


def test_back_up_delete_restore_200_groups(cluster: Cluster, topic: str, tmp_path: Path) -> None:
    def offset(number: int, partition: int) -> tuple[int, str, int]:
        return number * 7 + partition, f"métadonnée {number}" if number % 3 else "", -1 if number % 2 else 0

    groups = {
        f"kept-{number:03d}": {(topic, partition): offset(number, partition) for partition in range(1 + number % 4)}
        for number in range(200)
    }
    client = cluster.client()
    commits.commit_many(client, groups)
    before = {name: truth.offsets(client, name) for name in groups}
    assert before == groups
    file = tmp_path / "backup.json"

    assert run("consumer_group", cluster.bootstrap, names=list(groups), backup=str(file)).changed == 200
    assert not groups.keys() & truth.groups(client).keys()
    restored = run("consumer_group_offsets", cluster.bootstrap, restore={"path": str(file)})
    assert (restored.changed, restored.errors) == (sum(len(offsets) for offsets in groups.values()), {})
    assert all(item.creates_group for item in restored.items)
    assert {name: truth.offsets(client, name) for name in groups} == before
    assert run("consumer_group_offsets", cluster.bootstrap, restore={"path": str(file)}).changed == 0


BOTH = [{"name": name, "topics": [{"name": TOPIC, "partitions": [0, 1]}]} for name in ("quiet", "busy")]


@pytest.mark.parametrize(
    ("operation", "module", "args", "changed", "left"),
    [
        pytest.param(delete_groups, "consumer_group", {"names": ["quiet", "busy"]}, 1, [], id="delete groups"),
        pytest.param(
            offsets, "consumer_group_offsets", {"state": "absent", "groups": BOTH}, 2, [], id="delete offsets"
        ),
        pytest.param(
            offsets,
            "consumer_group_offsets",
            {"reset": {"to_earliest": True}, "groups": BOTH},
            2,
            [0, 0],
            id="set offsets",
        ),
    ],
)
def test_what_is_committed_after_the_backup_is_kept(
    cluster: Cluster,
    topic: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    operation: Any,
    module: str,
    args: dict[str, Any],
    changed: int,
    left: list[int],
) -> None:
    client, first, second = cluster.client(), (topic, 0), (topic, 1)
    commits.commit_many(client, {name: {first: (1, "", -1), second: (1, "", -1)} for name in ("quiet", "busy")})

    async def back_up_then_commit(*args: Any) -> str | None:
        path = await back_up(*args)
        commits.commit(client, "busy", {first: (2, "", -1)})
        return path

    monkeypatch.setattr(operation, "back_up", back_up_then_commit)
    outcome = run(module, cluster.bootstrap, backup=str(tmp_path / "b.json"), **args)
    assert (outcome.changed, outcome.errors) == (changed, {"busy": "POLICY_VIOLATION"})
    assert truth.offsets(client, "busy") == {first: (2, "", -1), second: (1, "", -1)}
    assert [offset for offset, _metadata, _epoch in truth.offsets(client, "quiet").values()] == left


def test_a_backup_that_cannot_be_written_stops_everything(cluster: Cluster, topic: str, tmp_path: Path) -> None:
    names = [f"safe-{number}" for number in range(3)]
    commits.commit_many(cluster.client(), {name: {(topic, 0): (1, "", -1)} for name in names})
    (tmp_path / "taken").write_text("mine")
    # on Linux nobody, not even root, writes there
    for file in (tmp_path / "taken", tmp_path / "no-folder" / "b", Path("/proc/b.json")):
        for check in (True, False):
            returned = ansible("consumer_group", cluster.bootstrap, check=check, names=names, backup=str(file))
            if check and file.parent == Path("/proc"):
                # what only the writing itself shows
                continue
            assert returned["rc"] != 0
            assert returned["changed"] is False
            assert returned["msg"].startswith("backup: ")
    assert (tmp_path / "taken").read_text() == "mine"
    assert set(names) <= truth.groups(cluster.client()).keys()


def test_answers_of_several_megabytes(cluster: Cluster, topic: str) -> None:
    names = [f"{'long-name-' * 24}{number:05d}" for number in range(6_000)]
    assert len(names[0]) == 245
    commits.commit_many(cluster.client(), {name: {(topic, 0): (1, "m" * 200, -1)} for name in names})
    found = run("consumer_group_info", cluster.bootstrap, match=["long-name-*"], gather=["offsets", "members"])
    assert {group["name"] for group in found.given["groups"]} == set(names)
    assert found.requests["ListGroups"] == 1
    assert run("consumer_group", cluster.bootstrap, names=names).changed == 6_000
