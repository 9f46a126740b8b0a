# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real clusters, each started when the first test asks for it, and kept until the last one is done."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.doors import Doors
from tests.support.broker import Cluster
from tests.support.jars import DEFAULT_VERSION
from tests.support.java import lent


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """One broker of the newest version; ``cluster.proxy`` records what goes to ``cluster.listeners["PROXIED"]``."""
    with Cluster.start("single", proxied=True) as started:
        yield started


@pytest.fixture
def lent_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audits in this process run in the Java that tasks of Ansible share."""
    for name, value in lent().items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="session")
def secured() -> Iterator[Cluster]:
    """One broker with TLS, SASL and ACLs."""
    with Cluster.start("secured") as started:
        yield started


@pytest.fixture(scope="session")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    """One broker that every mechanism leads to, with the realm and the token server that it trusts."""
    with Doors.open(tmp_path_factory.mktemp("doors")) as opened:
        yield opened


@pytest.fixture(scope="session")
def three() -> Iterator[Cluster]:
    """Three brokers, each behind a proxy (PROXIED). Whoever kills one restarts it; its partitions move after 2 s."""
    config = {
        "broker.session.timeout.ms": "2000",
        "broker.heartbeat.interval.ms": "400",
        "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
    }
    with Cluster.start("three", proxied=True, config=config) as started:
        yield started


@pytest.fixture(scope="session")
def recent(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """One broker of each release of Kafka 4 before the newest, with ``--matrix``."""
    with Cluster.start("single", request.param) as started:
        yield started


@pytest.fixture(scope="session")
def release(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """One broker of the oldest and one of the newest version in turn, with ``--matrix`` also of those between."""
    if request.param == DEFAULT_VERSION:
        yield request.getfixturevalue("cluster")
    else:
        with Cluster.start("old", request.param) as started:
            yield started
