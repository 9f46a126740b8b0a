# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A bearer token from a server: what is asked for, and what is made of the answers."""

from __future__ import annotations

import base64
import collections.abc as c
import http.server
import threading
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._oauth import fetch_token

SECRET = "client-secret"


class Server:
    """Answers every request alike, and remembers them."""

    def __init__(self) -> None:
        self.status = 200
        self.body = b'{"access_token": "t", "expires_in": 60}'
        self.requests: list[tuple[str, str | None, bytes]] = []
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                owner.requests.append((self.path, self.headers["Authorization"], body))
                self.send_response(owner.status)
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", str(len(owner.body)))
                self.end_headers()
                self.wfile.write(owner.body)

            do_GET = do_POST

            def log_message(self, *_message: object) -> None:
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/token"


@pytest.fixture
def server() -> c.Iterator[Server]:
    made = Server()
    threading.Thread(target=made.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield made
    made.http.shutdown()
    made.http.server_close()


def ask(url: str, scope: str | None = None) -> tuple[str, float]:
    return fetch_token(url, "a client", SECRET, scope, None, 5.0)


def test_a_token(server: Server) -> None:
    assert ask(server.url, "s") == ("t", 60.0)
    basic = base64.b64encode(b"a%20client:client-secret").decode()
    assert server.requests == [("/token", f"Basic {basic}", b"grant_type=client_credentials&scope=s")]


@pytest.mark.parametrize(
    ("status", "body", "sentence"),
    [
        (401, b"", "answered 401 .*: look at sasl_oauth_client_id, sasl_oauth_client_secret and sasl_oauth_scope[.]"),
        (400, b"", "answered 400 .*sasl_oauth_scope[.]"),
        (404, b"", "answered 404 .*: look at the address[.]"),
        (200, b"<html>", "no token from http.*: look at the address[.]"),
        (200, b"[]", "the answer holds no access_token"),
        (200, b'{"access_token": 1}', "the answer holds no access_token"),
        (200, b'{"access_token": "t", "expires_in": {}}', "no token from"),
    ],
)
def test_no_token(server: Server, status: int, body: bytes, sentence: str) -> None:
    server.status, server.body = status, body
    with pytest.raises(TaskError, match=f"^sasl_oauth_token_url: .*{sentence}") as failure:
        ask(server.url)
    assert SECRET not in str(failure.value)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_secret_follows_no_redirect(server: Server, status: int) -> None:
    server.status = status
    with pytest.raises(TaskError, match=f"answered {status}"):
        ask(server.url)
    assert [path for path, _secret, _body in server.requests] == ["/token"]


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("ftp://h/token", "'ftp://h/token' is not an http or https address"),
        ("http://[", "is not an http or https address"),
        ("token", "is not an http or https address"),
        ("https://u:url-secret@h/token", "holds a user's name or password: give them as sasl_oauth_client_id"),
    ],
)
def test_refused_addresses(url: str, sentence: str) -> None:
    with pytest.raises(TaskError, match=f"^sasl_oauth_token_url.*{sentence}") as failure:
        ask(url)
    assert "url-secret" not in str(failure.value)


def test_nobody_listens() -> None:
    with pytest.raises(TaskError, match=r"no token from .*refused"):
        ask("http://127.0.0.1:1/token")


def test_the_life_has_a_default(server: Server) -> None:
    server.body = b'{"access_token": "t"}'
    answer: tuple[t.Any, t.Any] = ask(server.url)
    assert answer == ("t", 300.0)
