# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check mode at the wire: a recording proxy sees every request, and no mutating one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from tests.live.task import ansible
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.consumers import Consumer, start_many
from tests.support.proxy import Proxy

pytestmark = pytest.mark.live

CLIENT_ID = "check-mode-test"
DELETE_TOPICS, DELETE_GROUPS, OFFSET_DELETE, LEAVE_GROUP, OFFSET_COMMIT = 20, 42, 47, 13, 8
ALTER_CONFIGS = 44
# ListOffsets, Metadata, OffsetFetch, FindCoordinator, DescribeGroups, ListGroups, SaslHandshake, ApiVersions,
# DescribeConfigs, DescribeCluster, ListConfigResources, the describe RPCs of the newer groups and of start offsets, and
# librdkafka's telemetry subscription
READING = {2, 3, 9, 10, 15, 16, 17, 18, 32, 60, 69, 71, 74, 77, 89, 90}
TOPIC = "check-mode"
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def proxy(cluster: Cluster) -> Iterator[Proxy]:
    """The recording proxy before the cluster, and a topic with records behind it."""
    topics.create(cluster.client(), TOPIC, 2, records=20)
    assert cluster.proxy is not None
    yield cluster.proxy
    cluster.proxy.reset()


@pytest.fixture
def empty(cluster: Cluster) -> str:
    """An Empty group with committed offsets."""
    name = f"check-mode-{next(NUMBERS)}"
    commits.commit(cluster.client(), name, {(TOPIC, 0): (1, "m", -1), (TOPIC, 1): (2, "", -1)})
    return name


@pytest.fixture
def configured(cluster: Cluster, empty: str) -> str:
    """An Empty group with a setting of its own."""
    topics.configure_group(cluster.client(), empty, {"consumer.session.timeout.ms": "50000"})
    return empty


@pytest.fixture
def left_behind(cluster: Cluster) -> str:
    """A group with a static member that was killed."""
    name = f"check-mode-{next(NUMBERS)}"
    (member,) = start_many([Consumer(cluster.client(), name, [TOPIC], instance_id="i", session_timeout_ms=300_000)])
    member.kill()
    return name


CASES: list[Any] = [
    pytest.param("consumer_group", "empty", {"names": ["GROUP"]}, {DELETE_GROUPS}, id="delete"),
    pytest.param(
        "consumer_group", "left_behind", {"names": ["GROUP"], "force": True}, {LEAVE_GROUP, DELETE_GROUPS}, id="force"
    ),
    pytest.param(
        "consumer_group",
        "configured",
        {"names": ["GROUP"], "configs": True},
        {DELETE_GROUPS, ALTER_CONFIGS},
        id="delete with settings",
    ),
    pytest.param(
        "group_config",
        "configured",
        {"names": ["GROUP"], "config": {"consumer.session.timeout.ms": 55000}},
        {ALTER_CONFIGS},
        id="settings",
    ),
    pytest.param(
        "consumer_group_members", "left_behind", {"names": ["GROUP"], "remove_all": True}, {LEAVE_GROUP}, id="members"
    ),
    pytest.param(
        "consumer_group_offsets",
        "empty",
        {"group": "GROUP", "state": "absent", "topics": [{"name": TOPIC}]},
        {OFFSET_DELETE},
        id="delete offsets",
    ),
    pytest.param(
        "consumer_group_offsets",
        "empty",
        {"group": "GROUP", "state": "present", "reset": {"to_latest": True}, "topics": [{"name": TOPIC}]},
        {OFFSET_COMMIT},
        id="set offsets",
    ),
]


@pytest.mark.parametrize(("module", "kind", "args", "mutating"), CASES)
def test_check_mode_sends_nothing_that_mutates(
    cluster: Cluster,
    proxy: Proxy,
    request: pytest.FixtureRequest,
    module: str,
    kind: str,
    args: dict[str, Any],
    mutating: set[int],
) -> None:
    group = request.getfixturevalue(kind)
    args = {key: [group] if value == ["GROUP"] else group if value == "GROUP" else value for key, value in args.items()}
    before = everything(cluster, group)

    proxy.clear()
    predicted = ansible(module, proxy.address, check=True, client_id=CLIENT_ID, **args)
    seen = proxy.count(CLIENT_ID)
    assert seen.keys() <= READING, f"check mode sent {seen}"
    assert 15 in seen or 32 in seen, "the proxy did not see the task"
    assert everything(cluster, group) == before

    proxy.clear()
    done = ansible(module, proxy.address, client_id=CLIENT_ID, **args)
    assert proxy.count(CLIENT_ID).keys() - READING == mutating
    assert done["changed"] is True
    assert {key: predicted[key] for key in ("changed", "results", "summary")} == {
        key: done[key] for key in ("changed", "results", "summary")
    }


def everything(cluster: Cluster, group: str) -> tuple[Any, ...]:
    """What another client sees of a group."""
    client = cluster.client()
    return truth.groups(client)[group], truth.offsets(client, group), truth.group_configs(client, [group])


def test_check_mode_deletes_no_topic(cluster: Cluster, proxy: Proxy) -> None:
    name = f"check-mode-topic-{next(NUMBERS)}"
    topics.create(cluster.client(), name)

    proxy.clear()
    predicted = ansible("topic", proxy.address, check=True, client_id=CLIENT_ID, name=name)
    assert proxy.count(CLIENT_ID).keys() <= READING
    assert 3 in proxy.count(CLIENT_ID), "the proxy did not see the task"
    assert name in truth.topics(cluster.client())

    proxy.clear()
    done = ansible("topic", proxy.address, client_id=CLIENT_ID, name=name)
    assert proxy.count(CLIENT_ID).keys() - READING == {DELETE_TOPICS}
    assert name not in truth.topics(cluster.client())
    assert done["results"] == predicted["results"]
