# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Settings of groups on brokers that do not have them, and on those that do."""

from __future__ import annotations

import pytest

from tests.live.task import run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.jars import DEFAULT_VERSION

pytestmark = pytest.mark.live

TOPIC, GROUP = "settings", "settings-group"
SETTINGS = {"consumer.session.timeout.ms": "50000"}


@pytest.fixture
def group(release: Cluster) -> str:
    """An Empty group."""
    client = release.client()
    if TOPIC not in truth.topics(client):
        topics.create(client, TOPIC, records=1)
    commits.commit(client, GROUP, {(TOPIC, 0): (1, "", -1)})
    return GROUP


@pytest.mark.parametrize("config", [None, SETTINGS])
def test_settings(release: Cluster, group: str, config: dict[str, str] | None) -> None:
    outcome = run("group_config", release.bootstrap, names=group, config=config)
    if release.version == DEFAULT_VERSION:
        assert (outcome.changed, outcome.errors) == (1 if config else 0, {})
        run("group_config", release.bootstrap, names=group, state="absent", remove_all=True)
        return
    (item,) = outcome.items
    assert item.error
    assert item.error.name in ("INVALID_REQUEST", "UNSUPPORTED_VERSION")
    assert item.error.message.startswith("settings of groups need Kafka 4.0 or newer")
    assert not outcome.changed


@pytest.mark.parametrize("configs", [True, False])
def test_a_deletion_goes_on_without_settings(release: Cluster, group: str, configs: bool) -> None:
    outcome = run("consumer_group", release.bootstrap, names=[group, "settings-missing"], configs=configs)
    assert (outcome.changed, outcome.errors, outcome.warnings) == (1, {}, [])
    unknown: dict[str, str] | None = None if release.version != DEFAULT_VERSION else {}
    assert outcome.given.extra == ({} if configs else {"remaining_configs": unknown})
    assert group not in truth.groups(release.client())


def test_every_broker_shows_what_a_task_has_set(three: Cluster) -> None:
    """The controller answers before the brokers have learned of it: the task waits for them."""
    brokers = three.bootstrap.split(",")
    assert len(brokers) == 3
    for number in range(10):
        value = str(50_000 + number)
        done = run("group_config", three.bootstrap, names=GROUP, config={"consumer.session.timeout.ms": value})
        assert (done.changed, done.errors) == (1, {})
        again = run("group_config", three.bootstrap, names=GROUP, config={"consumer.session.timeout.ms": value})
        assert (again.changed, again.errors) == (0, {})
    for broker in brokers:
        client = {**three.client(), "bootstrap.servers": broker}
        assert truth.group_configs(client, [GROUP]) == {GROUP: {"consumer.session.timeout.ms": value}}
    removed = run("group_config", three.bootstrap, names=GROUP, state="absent", remove_all=True)
    assert (removed.changed, truth.group_configs(three.client(), [GROUP])) == (1, {GROUP: {}})
