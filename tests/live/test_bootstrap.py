# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What keeps a task from connecting: each address with its cause, in one sentence, at once."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError

from tests.live.task import run
from tests.support.broker import Cluster
from tests.support.ports import free

pytestmark = pytest.mark.live

LIMIT = 5.0
PASSWORD = "wrong-password-123"


@pytest.fixture(scope="module")
def silent() -> Iterator[str]:
    """An address that accepts connections and never answers."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield f"127.0.0.1:{server.getsockname()[1]}"


def refusal(bootstrap: str, **connect: Any) -> str:
    """The sentence with which a task fails; below `LIMIT` seconds."""
    started = time.monotonic()
    with pytest.raises(TaskError) as failure:
        run("consumer_group_info", bootstrap, connect=connect)
    assert time.monotonic() - started < LIMIT
    sentence = str(failure.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


def sasl(secured: Cluster, **options: Any) -> dict[str, Any]:
    assert secured.authority is not None
    return {
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_username": "admin",
        "sasl_password": secured.users["admin"],
        "ssl_cafile": str(secured.authority.certificate),
        **options,
    }


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_right_password(secured: Cluster, mechanism: str) -> None:
    connect = sasl(secured, sasl_mechanism=mechanism)
    found = run("consumer_group_info", secured.listeners["SASL_SSL"], connect=connect, gather=["offsets", "lag"])
    assert found.given["errors"] == []


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_wrong_password(secured: Cluster, mechanism: str) -> None:
    address = secured.listeners["SASL_SSL"]
    sentence = refusal(address, **sasl(secured, sasl_mechanism=mechanism, sasl_password=PASSWORD))
    assert f"{address}: authentication failed" in sentence
    assert "look at sasl_username and sasl_password" in sentence
    assert PASSWORD not in sentence


def test_untrusted_certificate(secured: Cluster) -> None:
    sentence = refusal(secured.listeners["SASL_SSL"], **sasl(secured, ssl_cafile=None))
    assert "the certificate is not trusted" in sentence
    assert "look at ssl_cafile" in sentence


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
    assert "look at security_protocol" in refusal(secured.listeners[listener], **options)


def test_a_listener_without_sasl(secured: Cluster) -> None:
    connect = sasl(secured, security_protocol="SASL_PLAINTEXT")
    assert "does not use SASL: look at security_protocol" in refusal(secured.listeners["PLAINTEXT"], **connect)


def test_a_client_certificate_is_missing(secured: Cluster, tmp_path: Path) -> None:
    assert secured.authority is not None
    options = {"security_protocol": "SSL", "ssl_cafile": str(secured.authority.certificate)}
    assert "ssl_certfile" in refusal(secured.listeners["SSL"], **options)


def test_each_address_has_its_cause() -> None:
    refused = f"127.0.0.1:{free(1)[0]}"
    sentence = refusal(f"{refused},no-such-host.invalid:9092")
    assert f"{refused}: the connection was refused: nothing listens on that port" in sentence
    assert "no-such-host.invalid:9092: the name does not resolve: look at bootstrap_servers" in sentence


def test_one_good_address_is_enough(cluster: Cluster, silent: str) -> None:
    started = time.monotonic()
    run("consumer_group_info", f"{silent},127.0.0.1:{free(1)[0]},{cluster.bootstrap}")
    assert time.monotonic() - started < LIMIT


def test_a_silent_address(silent: str) -> None:
    assert f"{silent}: no answer in time" in refusal(silent, request_timeout=1.0)
