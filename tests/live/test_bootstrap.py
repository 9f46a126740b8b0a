# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What keeps a task from connecting: each address with its cause, in one sentence, at once."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.live.task import REFUSED_WITHIN, refusal, run
from tests.support.broker import Cluster
from tests.support.ports import free

pytestmark = pytest.mark.live

API_VERSIONS = 18


@pytest.fixture(scope="module")
def silent() -> Iterator[str]:
    """An address that accepts connections and never answers."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize(
    ("listener", "options"),
    [
        ("SASL_SSL", {"security_protocol": "PLAINTEXT"}),
        ("SSL", {"security_protocol": "PLAINTEXT"}),
        ("PLAINTEXT", {"security_protocol": "SSL"}),
        ("SASL_PLAINTEXT", {"security_protocol": "PLAINTEXT"}),
    ],
)
def test_the_wrong_protocol(secured: Cluster, listener: str, options: dict[str, Any]) -> None:
    assert "check security_protocol" in refusal(secured.listeners[listener], **options)


def test_a_listener_without_sasl(secured: Cluster) -> None:
    sentence = refusal(
        secured.listeners["PLAINTEXT"],
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism="PLAIN",
        sasl_username="admin",
        sasl_password=secured.users["admin"],
    )
    assert "does not use SASL: check security_protocol" in sentence


def test_each_address_has_its_cause() -> None:
    refused = f"127.0.0.1:{free(1)[0]}"
    sentence = refusal(f"{refused},no-such-host.invalid:9092")
    assert f"{refused}: the connection was refused: nothing listens on that port" in sentence
    assert "no-such-host.invalid:9092: the name does not resolve: check bootstrap_servers" in sentence


def test_one_good_address_is_enough(cluster: Cluster, silent: str) -> None:
    started = time.monotonic()
    run("consumer_group_info", f"{silent},127.0.0.1:{free(1)[0]},{cluster.bootstrap}")
    assert time.monotonic() - started < REFUSED_WITHIN


def test_a_silent_address(silent: str) -> None:
    assert f"{silent}: no answer in time" in refusal(silent, request_timeout=1.0)


@pytest.mark.parametrize(("host", "connections"), [("127.0.0.1", 1), ("localhost", 2)])
def test_the_first_connection_is_kept_if_its_broker_advertises_its_address(
    cluster: Cluster, host: str, connections: int
) -> None:
    assert cluster.proxy
    name = f"counted-{host}"
    run("consumer_group", f"{host}:{cluster.proxy.port}", connect={"client_id": name}, names=["nobody"])
    assert cluster.proxy.count(name)[API_VERSIONS] == connections
