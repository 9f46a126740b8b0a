# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connection options, and the configurations that they become."""

from __future__ import annotations

import os
import pathlib
import typing as t

import pytest
from ansible.errors import AnsibleError
from ansible.module_utils.basic import AnsibleFallbackNotFound
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.kafkaops.groups.plugins.lookup.connection import connection as from_environment
from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import CONNECTION_SPEC, environment
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka import options as code
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.options import FILES, Connection, write_contents


def connection(**options: t.Any) -> Connection:
    params = {name: spec.get("default") for name, spec in CONNECTION_SPEC.items()}
    return Connection.from_params({**params, "bootstrap_servers": ["broker:9092"], **options})


SASL = {"security_protocol": "SASL_PLAINTEXT"}
PLAIN = {**SASL, "sasl_mechanism": "PLAIN", "sasl_username": "u", "sasl_password": "secret"}
OAUTH = {**SASL, "sasl_mechanism": "OAUTHBEARER"}
MSK = {**OAUTH, "sasl_oauth_provider": "aws_msk_iam"}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"bootstrap_servers": []}, "bootstrap_servers is empty"),
        ({"bootstrap_servers": ["broker"]}, "'broker' is not of the form host:port"),
        ({"bootstrap_servers": ["broker:0"]}, "'broker:0' is not of the form"),
        ({"bootstrap_servers": ["broker:65536"]}, "not of the form"),
        ({"bootstrap_servers": ["kafka://broker:9092"]}, "not of the form"),
        ({"bootstrap_servers": ["a b:9092"]}, "not of the form"),
        ({"timeout": 0}, "timeout is 0: it must be greater than 0"),
        ({"request_timeout": -1}, "request_timeout is -1"),
        ({"ssl_cafile": "/nowhere"}, "ssl_cafile: the file /nowhere does not exist or cannot be read"),
        ({"sasl_oauth_token_url_cafile": "/nowhere"}, "sasl_oauth_token_url_cafile: the file /nowhere does not exist"),
        ({"bootstrap_servers": ["broker:\uff19"]}, "not of the form"),
        ({"bootstrap_servers": ["a\0:1"]}, "bootstrap_servers contains the character NUL"),
        ({"client_id": "\ud800"}, "client_id is not valid UTF-8"),
        ({"client_id": "x" * 1001}, "client_id is longer than 1000 bytes"),
        ({"ssl_cafile": "/no\0where"}, "ssl_cafile contains the character NUL"),
        ({**PLAIN, "sasl_password": "secret\0"}, "^sasl_password contains the character NUL. Nothing was sent.$"),
        (SASL, "sasl_mechanism is null: set a value"),
        (
            {"sasl_mechanism": "PLAIN"},
            "sasl_mechanism needs security_protocol SASL_PLAINTEXT or SASL_SSL, not PLAINTEXT",
        ),
        ({**SASL, "sasl_mechanism": "PLAIN"}, "sasl_mechanism PLAIN needs sasl_username and sasl_password"),
        (OAUTH, "OAUTHBEARER needs either sasl_oauth_provider, or sasl_oauth_token, or all of"),
        ({**MSK, "sasl_oauth_token": "t"}, "OAUTHBEARER needs either"),
        ({**MSK, "sasl_oauth_token_url": "u"}, "OAUTHBEARER needs either"),
        ({**MSK, "sasl_oauth_client_secret": "s"}, "OAUTHBEARER needs either"),
        ({**MSK, "security_protocol": "SSL"}, "sasl_mechanism needs security_protocol"),
        ({**OAUTH, "sasl_oauth_token": "t", "sasl_oauth_token_url": "u"}, "OAUTHBEARER needs either"),
        ({**OAUTH, "sasl_oauth_token_url": "u"}, "OAUTHBEARER needs either"),
    ],
)
def test_refused(options: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(TaskError, match=sentence):
        connection(**options)


@pytest.mark.parametrize("address", ["broker:9092", "10.0.0.1:1", "[::1]:65535", "b-1.example.org:9094"])
def test_addresses(address: str) -> None:
    assert connection(bootstrap_servers=[address]).wire_config()["bootstrap_servers"] == [address]


def test_both_clients_get_the_same() -> None:
    made = connection(**PLAIN)
    wire, cluster = made.wire_config(), made.cluster_config()
    assert wire["security_protocol"] == cluster["security.protocol"] == "SASL_PLAINTEXT"
    assert wire["sasl_mechanism"] == cluster["sasl.mechanism"] == "PLAIN"
    assert wire["sasl_plain_username"] == cluster["sasl.username"] == "u"
    assert wire["sasl_plain_password"] == cluster["sasl.password"] == "secret"
    assert wire["client_id"] == cluster["client.id"] == "kafkaops.groups"


def test_a_folder_for_a_file(tmp_path: pathlib.Path) -> None:
    for option, words in (("ssl_cafile", "contains no PEM certificate"), ("ssl_certfile", "cannot be used: not PEM")):
        with pytest.raises(TaskError, match=f"{option}.*{words}"):
            connection(security_protocol="SSL", **{option: str(tmp_path)}).wire_config()


def test_a_file_without_certificate(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text("no certificate")
    with pytest.raises(TaskError, match=rf"ssl_cafile \({file}\) contains no PEM certificate"):
        connection(security_protocol="SSL", ssl_cafile=str(file)).wire_config()


def test_a_file_without_certificate_for_the_token_url(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text("no certificate, für niemanden", "utf-8")
    by_url = {"sasl_oauth_token_url": "https://idp", "sasl_oauth_client_id": "i", "sasl_oauth_client_secret": "s"}
    made = connection(**OAUTH, **by_url, sasl_oauth_token_url_cafile=str(file))
    tokens = made.tokens(made.token_ca())
    assert tokens
    with pytest.raises(
        TaskError, match="sasl_oauth_token_url_cafile or sasl_oauth_token_url_ca contains no PEM certificate"
    ):
        tokens.prepare(1.0)


@pytest.mark.parametrize(
    ("options", "check"),
    [
        (MSK, "the AWS credentials, AWS_REGION, and whether an IAM policy allows kafka-cluster:Connect"),
        ({**OAUTH, "sasl_oauth_token": "t"}, "sasl_oauth_token, or the client"),
    ],
)
def test_what_to_check_if_a_token_is_refused(options: dict[str, t.Any], check: str) -> None:
    tokens = connection(**options).tokens(None)
    assert tokens
    assert tokens.check.startswith(check)


def test_another_mechanism_ignores_the_provider() -> None:
    assert connection(**PLAIN, sasl_oauth_provider="aws_msk_iam").tokens(None) is None


def test_both_clients_trust_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", __file__)
    assert connection(security_protocol="SSL").cluster_config()["ssl.ca.location"] == __file__


def test_librdkafka_has_no_gssapi() -> None:
    with pytest.raises(TaskError, match="come without GSSAPI"):
        connection(**SASL, sasl_mechanism="GSSAPI").cluster_config()


def test_a_connection_does_not_show_its_secrets() -> None:
    assert "secret" not in repr(connection(**PLAIN))


def test_an_empty_environment_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKA_SASL_MECHANISM", "PLAIN")
    assert environment("KAFKA_SASL_MECHANISM") == "PLAIN"
    monkeypatch.setenv("KAFKA_SASL_MECHANISM", "")
    with pytest.raises(AnsibleFallbackNotFound):
        environment("KAFKA_SASL_MECHANISM")


NO_CONTENT: dict[str, t.Any] = dict.fromkeys((*FILES, *FILES.values(), "sasl_kerberos_keytab"))


def test_contents_are_private_files(tmp_path: pathlib.Path) -> None:
    params = {
        **NO_CONTENT,
        "ssl_cafile": "/etc/other.pem",
        "ssl_certfile": "/etc/c.pem",
        "ssl_ca": "CA",
        "ssl_key": "KEY",
    }
    write_contents(params, lambda: str(tmp_path))
    written = {"ssl_cafile": tmp_path / "ssl_ca", "ssl_keyfile": tmp_path / "ssl_key"}
    assert {option: params[option] for option in FILES} == {
        **dict.fromkeys(FILES),
        "ssl_certfile": "/etc/c.pem",
        **{option: str(path) for option, path in written.items()},
    }
    assert [(path.read_text("ascii"), path.stat().st_mode & 0o777) for path in written.values()] == [
        ("CA", 0o600),
        ("KEY", 0o600),
    ]


@pytest.mark.parametrize(("given", "used"), [({}, "content"), ({"ssl_cafile": "/etc/ca.pem"}, "path")])
def test_a_path_takes_precedence_over_a_content_of_the_environment(
    given: dict[str, str], used: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAFKA_SSL_CA", "CA")
    params = ArgumentSpecValidator(CONNECTION_SPEC).validate({"bootstrap_servers": "h:1", **given}).validated_parameters
    write_contents(params, lambda: str(tmp_path))
    expected = {"content": ("CA", str(tmp_path / "ssl_ca")), "path": (None, "/etc/ca.pem")}
    assert (params["ssl_ca"], params["ssl_cafile"]) == expected[used]


def test_no_folder_is_needed_without_contents() -> None:
    def folder() -> str:
        raise AssertionError

    write_contents({**NO_CONTENT, "ssl_ca": ""}, folder)


def test_a_keytab_is_decoded(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code, "_keytabs", set())
    for variable in ("KRB5_CLIENT_KTNAME", "KRB5CCNAME"):
        monkeypatch.setenv(variable, "of the user")
    write_contents({**NO_CONTENT, "sasl_kerberos_keytab": "BQIA\n/w==\n"}, lambda: str(tmp_path))
    assert (tmp_path / "keytab").read_bytes() == b"\x05\x02\x00\xff"
    assert os.environ["KRB5_CLIENT_KTNAME"] == f"FILE:{tmp_path / 'keytab'}"
    assert os.environ["KRB5CCNAME"].startswith("MEMORY:")
    # of another source in the same process
    for folder in ("same", "other"):
        (tmp_path / folder).mkdir()
    write_contents({**NO_CONTENT, "sasl_kerberos_keytab": "BQIA/w=="}, lambda: str(tmp_path / "same"))
    with pytest.raises(TaskError, match="sasl_kerberos_keytab is not the keytab that this process uses already"):
        write_contents({**NO_CONTENT, "sasl_kerberos_keytab": "BQIB"}, lambda: str(tmp_path / "other"))
    assert os.environ["KRB5_CLIENT_KTNAME"] == f"FILE:{tmp_path / 'same' / 'keytab'}"


@pytest.mark.parametrize("keytab", ["no base64!", "BQI", "\xfc"])
def test_a_keytab_that_is_not_encoded(tmp_path: pathlib.Path, keytab: str) -> None:
    with pytest.raises(TaskError, match="sasl_kerberos_keytab is not Base64"):
        write_contents({**NO_CONTENT, "sasl_kerberos_keytab": keytab}, lambda: str(tmp_path))


def test_the_environment_of_the_controller(tmp_path: pathlib.Path) -> None:
    (tmp_path / "key").write_text("KEY", encoding="ascii")
    given = {
        "KAFKA_BOOTSTRAP_SERVERS": "a:1,b:2",
        "KAFKA_SASL_MECHANISM": "",
        "KAFKA_SSL_KEYFILE": str(tmp_path / "key"),
    }
    assert from_environment(given, {}) == {"bootstrap_servers": "a:1,b:2", "ssl_key": "KEY"}
    with pytest.raises(AnsibleError, match="KAFKA_SSL_CAFILE: /nowhere cannot be read on the controller"):
        from_environment({"KAFKA_SSL_CAFILE": "/nowhere"}, {})


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ({"ssl_cafile": "/etc/ca.pem"}, {"ssl_cafile": "/etc/ca.pem", "ssl_key": "KEY"}),
        ({"ssl_ca": "CA", "ssl_keyfile": "/k"}, {"ssl_ca": "CA", "ssl_keyfile": "/k"}),
        ({"ssl_ca": "CA", "client_id": "me"}, {"ssl_ca": "CA", "ssl_key": "KEY", "client_id": "me"}),
    ],
)
def test_given_options_override_the_environment(given: dict[str, str], options: dict[str, str]) -> None:
    of_environment = {"KAFKA_SSL_CAFILE": "/nowhere", "KAFKA_SSL_KEY": "KEY", "KAFKA_CLIENT_ID": "other"}
    assert from_environment(of_environment, given) == {"client_id": "other", **options}
