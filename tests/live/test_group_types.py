# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Share groups, streams groups and settings of groups on Kafka 4.0 to 4.2: what a release lacks is one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live.task import run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster

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
