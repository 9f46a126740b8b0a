# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A bearer token from a server: what is asked for, and what is made of the answers."""

from __future__ import annotations

import base64
import collections.abc as c
import http.server
import json
import threading
import time
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import TokenRefused
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.tokens import Token, Tokens, expiry, fetch_token

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


NOW = 1_800_000_000.0


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which a test may set."""
    now = [NOW]
    monkeypatch.setattr("time.time", lambda: now[0])
    return now


def ask(url: str, scope: str | None = None) -> Token:
    return fetch_token(url, "a client", SECRET, scope, None, 5.0)


def jwt(claims: t.Any) -> str:
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"e30.{payload}.signature"


def test_a_token(server: Server) -> None:
    assert ask(server.url, "s") == Token("t", NOW, NOW + 60)
    basic = base64.b64encode(b"a%20client:client-secret").decode()
    assert server.requests == [("/token", f"Basic {basic}", b"grant_type=client_credentials&scope=s")]


@pytest.mark.parametrize(
    ("status", "body", "sentence"),
    [
        (401, b"", "answered 401 .*: check sasl_oauth_client_id, sasl_oauth_client_secret and sasl_oauth_scope[.]"),
        (400, b"", "answered 400 .*sasl_oauth_scope[.]"),
        (404, b"", "answered 404 .*: check the address[.]"),
        (200, b"<html>", "no token from http.*: check the address[.]"),
        (200, b"[]", "the response contains no access_token"),
        (200, b'{"access_token": 1}', "the response contains no access_token"),
        (200, b'{"access_token": "t", "expires_in": {}}', "no token from"),
        (200, b'{"access_token": "t", "expires_in": NaN}', "is not a number of seconds"),
        (200, b'{"access_token": "t", "expires_in": 1' + b"0" * 400 + b"}", "is not a number of seconds"),
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
        ("http://idp.example/token", "sasl_oauth_client_secret unencrypted: set an https address"),
        ("http://127.0.0.1.example/token", "unencrypted"),
        ("http://localhost@idp.example/token", "holds a user's name"),
        ("http://10.0.0.1:8080/token", "unencrypted"),
        ("http://[::2]/token", "unencrypted"),
        ("https://u:url-secret@h/token", "holds a user's name or password: give them as sasl_oauth_client_id"),
    ],
)
def test_refused_addresses(url: str, sentence: str) -> None:
    with pytest.raises(TaskError, match=f"^sasl_oauth_token_url.*{sentence}") as failure:
        ask(url)
    assert "url-secret" not in str(failure.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "localhost", "[::1]"])
def test_nobody_listens(host: str) -> None:
    with pytest.raises(TaskError, match=r"no token from .*(refused|assign)"):
        ask(f"http://{host}:1/token")


def test_no_proxy_gets_the_secret(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert ask(server.url).text == "t"


@pytest.mark.parametrize(
    ("token", "said", "expires"),
    [
        pytest.param("t", {"expires_in": "60"}, NOW + 60, id="as a text"),
        pytest.param(jwt({"exp": NOW + 7}), {}, NOW + 7, id="a JWT"),
        pytest.param(jwt({"exp": NOW + 7}), {"expires_in": None}, NOW + 7, id="null"),
        pytest.param(jwt({"exp": NOW + 7}), {"expires_in": 60}, NOW + 60, id="both"),
        pytest.param("t", {}, None, id="nothing tells"),
    ],
)
def test_how_long_a_token_lives(server: Server, token: str, said: dict[str, t.Any], expires: float | None) -> None:
    server.body = json.dumps({"access_token": token, **said}).encode()
    assert ask(server.url) == Token(token, NOW, expires)


@pytest.mark.parametrize(
    "token",
    [
        "",
        "t",
        "a.b.c",
        "a.b",
        jwt({}),
        jwt([1]),
        jwt({"exp": "soon"}),
        jwt({"exp": None}),
        jwt({"exp": 10**400}),
        "a." + "ü" * 8 + ".c",
    ],
)
def test_nothing_tells(token: str) -> None:
    assert expiry(token) is None


class Issuer:
    """Gives tokens of one life."""

    def __init__(self, life: float | None) -> None:
        self.life = life
        self.asked = 0
        self.problem: TaskError | None = None

    def __call__(self, timeout: float) -> Token:
        self.asked += 1
        if self.problem is not None:
            raise self.problem
        now = time.time()
        return Token(f"token-{self.asked}", now, None if self.life is None else now + self.life)


@pytest.mark.parametrize(
    ("life", "after", "tokens"),
    [
        pytest.param(100, [0, 0, 79], ["token-1"] * 3, id="kept"),
        pytest.param(100, [0, 81, 0, 81], ["token-1", "token-2", "token-2", "token-3"], id="about to expire"),
        pytest.param(None, [0, 0, 0], ["token-1", "token-2", "token-3"], id="nobody knows when"),
        pytest.param(0, [0, 0], ["token-2", "token-3"], id="expired at once"),
    ],
)
def test_a_token_is_fetched_anew(clock: list[float], life: float | None, after: list[float], tokens: list[str]) -> None:
    held = Tokens(Issuer(life))
    held.prepare(1.0)
    seen = []
    for seconds in after:
        clock[0] += seconds
        seen.append(held.current(1.0))
    assert seen == tokens


def test_a_token_that_was_given_stays() -> None:
    given = jwt({"exp": NOW - 1})
    held = Tokens(None, given)
    assert [held.current(1.0), held.current(1.0)] == [given, given]
    assert held.leased(1.0) == (given, NOW - 1)


@pytest.mark.parametrize(("problem", "asked"), [(TokenRefused("401"), 1), (TaskError("no answer"), 3)])
def test_a_refused_client_asks_once(problem: TaskError, asked: int) -> None:
    issuer = Issuer(60)
    issuer.problem = problem
    held = Tokens(issuer)
    for _attempt in range(3):
        with pytest.raises(type(problem)):
            held.current(1.0)
    assert issuer.asked == asked
