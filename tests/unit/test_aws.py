# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bearer tokens for Amazon MSK: where AWS's library finds region and credentials, and what is said if it does not."""

from __future__ import annotations

import base64
import collections.abc as c
import http.server
import os
import pathlib
import re
import socket
import sys
import threading
import time
import urllib.parse

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka import aws

HOST = re.escape(socket.gethostname())
SECRET = "an-aws-secret"
KEYS = {"AWS_ACCESS_KEY_ID": "AKIAUSER", "AWS_SECRET_ACCESS_KEY": SECRET}
PROFILES = "[profile ops]\nregion = eu-south-1\naws_access_key_id = AKIAOPS\naws_secret_access_key = an-aws-secret\n"
ROLE_OF_PROFILE = "[profile role]\nrole_arn = arn:aws:iam::1:role/ops\nsource_profile = ops\n"
ROLE = {"AWS_REGION": "eu-west-1", "AWS_ROLE_ARN": "arn:aws:iam::1:role/ops"}
ASSUMED = """<ACTIONResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><ACTIONResult><Credentials><AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey>
<SessionToken>of the role</SessionToken><Expiration>2100-01-01T00:00:00Z</Expiration></Credentials>
</ACTIONResult></ACTIONResponse>"""
DENIED = """<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>
<Code>AccessDenied</Code><Message>The request with an-aws-secret is denied</Message></Error></ErrorResponse>"""


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    """A host without AWS, but for a profile."""
    for variable in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(variable)
    (tmp_path / "config").write_text(PROFILES + ROLE_OF_PROFILE, "ascii")
    (tmp_path / "identity").write_text("a token of the cluster", "ascii")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def become(monkeypatch: pytest.MonkeyPatch, environment: c.Mapping[str, str]) -> None:
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)


def parts(token: str) -> tuple[str, dict[str, str]]:
    """The host and the query of the URL that a token is."""
    url = urllib.parse.urlsplit(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode())
    return str(url.hostname), dict(urllib.parse.parse_qsl(url.query))


@pytest.mark.parametrize(
    ("environment", "region", "key"),
    [
        ({**KEYS, "AWS_REGION": "eu-west-1"}, "eu-west-1", "AKIAUSER"),
        ({**KEYS, "AWS_DEFAULT_REGION": "eu-west-2"}, "eu-west-2", "AKIAUSER"),
        ({**KEYS, "AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "eu-west-2"}, "eu-west-1", "AKIAUSER"),
        ({**KEYS, "AWS_REGION": "", "AWS_DEFAULT_REGION": "eu-west-2"}, "eu-west-2", "AKIAUSER"),
        ({"AWS_PROFILE": "ops"}, "eu-south-1", "AKIAOPS"),
        ({"AWS_PROFILE": "ops", "AWS_REGION": "eu-west-1"}, "eu-west-1", "AKIAOPS"),
    ],
)
def test_a_token(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], region: str, key: str) -> None:
    become(monkeypatch, environment)
    before = time.time()
    token = aws.fetch_token(1.0)
    host, query = parts(token.text)
    assert (host, query["Action"]) == (f"kafka.{region}.amazonaws.com", "kafka-cluster:Connect")
    assert query["X-Amz-Credential"].split("/")[::2] == [key, region, "aws4_request"]
    assert before <= token.fetched <= time.time()
    assert token.expires is not None
    # the time of the signature is in whole seconds
    assert before + 899 <= token.expires <= time.time() + 900


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({}, f"found no region on {HOST}: set AWS_REGION or AWS_DEFAULT_REGION, or a region in the AWS profile[.]$"),
        (KEYS, f"found no region on {HOST}: "),
        (
            {"AWS_REGION": "eu-west-1"},
            f"found no credentials on {HOST}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or ",
        ),
        (
            {"AWS_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": "AKIAUSER"},
            f"no credentials on {HOST} .Partial credentials found in env, missing: AWS_SECRET_ACCESS_KEY",
        ),
        ({**KEYS, "AWS_PROFILE": "other"}, "profile .other. could not be found.*: check the environment variables and"),
        ({**ROLE, "AWS_WEB_IDENTITY_TOKEN_FILE": "/nowhere"}, f"no credentials on {HOST} .*No such file"),
    ],
)
def test_no_token(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], words: str) -> None:
    become(monkeypatch, environment)
    with pytest.raises(TaskError, match=f"^sasl_oauth_provider aws_msk_iam.* {words}") as failure:
        aws.fetch_token(1.0)
    assert SECRET not in str(failure.value)


@pytest.mark.parametrize("library", ["aws_msk_iam_sasl_signer", "botocore.exceptions"])
def test_no_library(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    command = re.escape(f"{sys.executable} -m pip install aws-msk-iam-sasl-signer-python.")
    with pytest.raises(
        TaskError, match=f"requires the Python library {aws.LIBRARY} on {HOST} .*: install it with {command}"
    ):
        aws.fetch_token(1.0)


class Sts(http.server.ThreadingHTTPServer):
    """Answers every request alike, or not at all: C(status) is then 0. Remembers them, and how they are signed."""

    def __init__(self) -> None:
        self.status, self.body = 200, ASSUMED
        self.asked: list[tuple[str, str]] = []
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                (action,) = asked["Action"]
                owner.asked.append((action, self.headers.get("Authorization", "")))
                if owner.status == 0:
                    time.sleep(3)
                    return
                body = owner.body.replace("ACTION", action).encode()
                self.send_response(owner.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_message: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)


@pytest.fixture
def sts(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> c.Iterator[Sts]:
    """Where the role is assumed."""
    server = Sts()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    identity = {"AWS_WEB_IDENTITY_TOKEN_FILE": str(tmp_path / "identity")}
    become(monkeypatch, {**ROLE, **identity, "AWS_ENDPOINT_URL_STS": f"http://127.0.0.1:{server.server_port}"})
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("profile", "action", "signed"),
    [({}, "AssumeRoleWithWebIdentity", ""), ({"AWS_PROFILE": "role"}, "AssumeRole", "AKIAOPS/.*/eu-west-1/sts/")],
    ids=["identity", "profile"],
)
def test_a_role(sts: Sts, monkeypatch: pytest.MonkeyPatch, profile: dict[str, str], action: str, signed: str) -> None:
    if profile:
        monkeypatch.delenv("AWS_ROLE_ARN")
    become(monkeypatch, profile)
    _host, query = parts(aws.fetch_token(5.0).text)
    assert query["X-Amz-Credential"].startswith("ASIAROLE/")
    assert query["X-Amz-Security-Token"] == "of the role"
    ((asked, authorization),) = sts.asked
    assert asked == action
    assert re.search(signed, authorization)


def test_a_role_that_is_refused(sts: Sts) -> None:
    sts.status, sts.body = 403, DENIED
    words = f"AWS refused the credentials on {HOST} .AssumeRoleWithWebIdentity: AccessDenied.: check the environment"
    with pytest.raises(TaskError, match=words) as failure:
        aws.fetch_token(5.0)
    assert SECRET not in str(failure.value)


def test_a_role_that_nobody_answers_for(sts: Sts) -> None:
    sts.status = 0
    started = time.monotonic()
    with pytest.raises(TaskError, match=f"no credentials on {HOST} .*(Read timeout|timed out)"):
        aws.fetch_token(0.4)
    # two attempts of 0.1 s, and a pause of at most 1 s
    assert time.monotonic() - started < 2.5
