# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A coordinator that dies: its groups are looked up again, and the task is done within its time."""

from __future__ import annotations

import threading

import pytest

from tests.live.task import run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster

pytestmark = pytest.mark.live

NAMES = [f"failover-{number:03d}" for number in range(300)]


@pytest.fixture(scope="module")
def client(three: Cluster) -> dict[str, str]:
    """A client of the cluster, and a topic."""
    topics.create(three.client(), "failover", 1, records=1)
    return three.client()


@pytest.fixture
def groups(client: dict[str, str]) -> list[str]:
    """Empty groups, spread over three coordinators."""
    commits.commit_many(client, {name: {("failover", 0): (1, "", -1)} for name in NAMES})
    return NAMES


def test_requests_go_to_all_coordinators(three: Cluster, groups: list[str]) -> None:
    outcome = run("consumer_group", three.bootstrap, names=groups)
    assert (outcome.changed, outcome.errors) == (300, {})
    assert outcome.requests["DeleteGroups"] == 3
    assert not set(groups) & truth.groups(three.client()).keys()


@pytest.mark.parametrize("delay", [0.0, 0.15])
def test_a_coordinator_is_killed(three: Cluster, groups: list[str], delay: float) -> None:
    """`delay`: seconds between the start of the task and the kill; 0 for a broker that is dead before."""
    killer = threading.Timer(delay, three.kill, args=[2])
    try:
        if delay:
            killer.start()
        else:
            three.kill(2)
        outcome = run("consumer_group", three.bootstrap, names=groups, connect={"timeout": 90.0})
        assert (outcome.changed, outcome.errors) == (300, {})
    finally:
        if delay:
            killer.join()
        three.restart(2)
    assert not set(groups) & truth.groups(three.client()).keys()
    assert run("consumer_group", three.bootstrap, names=groups).changed == 0
