# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What travels to the executors: contents in the place of files, and no secret that shows."""

from __future__ import annotations

import pathlib
import pickle
import re
import socket
import ssl
import sys
import types
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import CONNECTION_SPEC
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.access import Access
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.options import Connection
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.tokens import Token

OAUTH = {"security_protocol": "SASL_SSL", "sasl_mechanism": "OAUTHBEARER"}
BY_URL = {
    "sasl_oauth_token_url": "https://idp/token",
    "sasl_oauth_client_id": "me",
    "sasl_oauth_client_secret": "secret",
}


def connection(**options: t.Any) -> Connection:
    params = {name: spec.get("default") for name, spec in CONNECTION_SPEC.items()}
    return Connection.from_params({**params, "bootstrap_servers": ["broker:9092"], **options})


@pytest.mark.parametrize(
    ("given", "contents"),
    [
        ({}, {}),
        ({"ssl_cafile": "ca"}, {"ssl.ca.pem": "ca"}),
        (
            {"ssl_certfile": "certificate", "ssl_keyfile": "key"},
            {"ssl.certificate.pem": "certificate", "ssl.key.pem": "key"},
        ),
        ({"ssl_certfile": "both"}, {"ssl.certificate.pem": "both", "ssl.key.pem": "both"}),
    ],
)
def test_files_travel_as_their_contents(
    given: dict[str, str], contents: dict[str, str], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = types.SimpleNamespace(cafile=None, capath=None)
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: nowhere)
    options = {}
    for option, name in given.items():
        (tmp_path / name).write_text(f"the {name} in PEM", "utf-8")
        options[option] = str(tmp_path / name)
    config = Access.of(connection(security_protocol="SSL", **options)).config
    assert {name: text for name, text in config.items() if name.endswith(".pem")} == {
        name: f"the {text} in PEM" for name, text in contents.items()
    }
    assert str(tmp_path) not in str(config)


def test_the_authorities_of_the_system_travel_too(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "system.pem").write_text("all of them", "utf-8")
    file, folder = str(tmp_path / "system.pem"), str(tmp_path)
    for given, config in ((file, {"ssl.ca.pem": "all of them"}), (folder, {"ssl.ca.location": folder})):
        found = types.SimpleNamespace(cafile=given, capath=None)
        monkeypatch.setattr(ssl, "get_default_verify_paths", lambda found=found: found)
        access = Access.of(connection(security_protocol="SSL"))
        assert {name: value for name, value in access.config.items() if name.startswith("ssl.ca")} == config


def test_nothing_shows() -> None:
    plain = {"security_protocol": "SASL_SSL", "sasl_mechanism": "PLAIN", "sasl_username": "me"}
    access = Access.of(connection(**plain, sasl_password="secret"))
    assert access.config["sasl.password"] == "secret"
    assert "secret" not in f"{access!r} {access}"


def test_a_token_is_fetched_where_it_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    ca = tmp_path / "ca.pem"
    ca.write_text("the authority", "utf-8")
    access = Access.of(connection(**OAUTH, **BY_URL, sasl_oauth_token_url_cafile=str(ca)))
    ca.unlink()
    tokens = iter(["first", "second"])

    def fetch(url: str, name: str, secret: str, scope: None, ca: str, timeout: float) -> Token:
        assert (url, name, secret, ca) == (*BY_URL.values(), "the authority")
        return Token(next(tokens), now[0], now[0] + 60)

    monkeypatch.setattr("ansible_collections.kafkaops.groups.plugins.module_utils._kafka.tokens.fetch_token", fetch)
    now = [1000.0]
    monkeypatch.setattr("time.time", lambda: now[0])
    callback = access.consumer_config(print)["oauth_cb"]
    assert callback("") == ("first", 1060.0)
    now[0] += 50
    assert callback("") == ("second", 1110.0)


def test_a_token_that_cannot_be_had_is_told_before_anything_is_read() -> None:
    access = Access.of(connection(**OAUTH, **{**BY_URL, "sasl_oauth_token_url": "ftp://idp"}))
    with pytest.raises(TaskError, match=r"^sasl_oauth_token_url: "):
        access.consumer_config(print)


def test_an_executor_without_the_library_of_a_provider_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    access = pickle.loads(pickle.dumps(Access.of(connection(**OAUTH, sasl_oauth_provider="aws_msk_iam"))))
    monkeypatch.setitem(sys.modules, "aws_msk_iam_sasl_signer", None)
    with pytest.raises(TaskError, match=f"requires the Python library .* on {re.escape(socket.gethostname())} "):
        access.consumer_config(print)


def test_a_consumer_commits_nothing_and_reads_only_what_is_committed() -> None:
    config = Access.of(connection(client_id="me")).consumer_config(print)
    wanted = {"enable.auto.commit": False, "isolation.level": "read_committed", "group.id": "me", "error_cb": print}
    assert {name: config[name] for name in wanted} == wanted
    assert "oauth_cb" not in config


@pytest.mark.parametrize(
    ("rate", "partition_bytes", "queue_kb", "messages"),
    [
        (None, 4_194_304, 16_384, 50_000),
        (20e6, 4_194_304, 16_384, 50_000),
        (1e6, 250_000, 976, 10_000),
        (10, 256, 1, 10),
    ],
)
def test_what_is_prefetched(rate: float | None, partition_bytes: int, queue_kb: int, messages: int) -> None:
    config = Access.of(connection()).consumer_config(print, rate)
    prefetched = ("max.partition.fetch.bytes", "queued.max.messages.kbytes", "queued.min.messages")
    assert tuple(config[name] for name in prefetched) == (partition_bytes, queue_kb, messages)


def test_the_rack() -> None:
    assert Access.of(connection(), "zone-1").consumer_config(print)["client.rack"] == "zone-1"
    assert "client.rack" not in Access.of(connection()).consumer_config(print)
