# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real OAuth 2 server: client credentials (RFC 6749, section 4.4), signed tokens, and the keys to verify them by."""

from __future__ import annotations

import base64
import json
import ssl
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote

from joserfc import jwt
from joserfc.jwk import ECKey, Key, KeySet, RSAKey

from tests.support.ca import Authority
from tests.support.ports import HOST

AUDIENCE = "kafka"
SCOPE = "groups"
LIFE = 600

_VALIDATOR = "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler"


class _Quiet(ThreadingHTTPServer):
    """Does not log clients that disconnect, such as clients that do not trust the server."""

    def handle_error(self, *_request: object) -> None:
        pass


class TokenServer:
    """The server, on a thread of its own. A context manager: on exit it is closed.

    `java_options` and `broker_properties` make a broker of `settings.secured` accept its tokens, and no others. With an
    `authority` it has a second address, by TLS. `issued` holds every token that was asked for over HTTP; each lives for
    `life` seconds, and the answer says so unless `tells_life` is false.
    """

    def __init__(self, clients: Mapping[str, str], authority: Authority | None = None) -> None:
        """Serve `clients`: ids and secrets."""
        self.issued: list[str] = []
        self.life = LIFE
        self.tells_life = True
        self._clients = dict(clients)
        self._keys: dict[str, Key] = {
            "RS256": RSAKey.generate_key(2048, {"kid": "rsa"}),
            "ES256": ECKey.generate_key("P-256", {"kid": "ec"}),
        }
        self._stranger = RSAKey.generate_key(2048, {"kid": "rsa"})
        self._servers = [self._serve(None)]
        self.issuer = f"http://{HOST}:{self._servers[0].server_port}"
        self.url = f"{self.issuer}/token"
        if authority is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(authority.keystore("oauth"))
            self._servers.append(self._serve(context))
            self.tls_url = f"https://{HOST}:{self._servers[1].server_port}/token"

    def __enter__(self) -> TokenServer:
        return self

    def __exit__(self, *_exc: object) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()

    @property
    def java_options(self) -> list[str]:
        return [f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={self.issuer}/keys"]

    @property
    def broker_properties(self) -> dict[str, str]:
        return {
            **{
                f"listener.name.{name}.oauthbearer.sasl.server.callback.handler.class": _VALIDATOR
                for name in ("sasl_plaintext", "sasl_ssl")
            },
            "sasl.oauthbearer.jwks.endpoint.url": f"{self.issuer}/keys",
            "sasl.oauthbearer.expected.issuer": self.issuer,
            "sasl.oauthbearer.expected.audience": AUDIENCE,
        }

    def token(self, user: str, algorithm: str = "RS256", *, stranger: bool = False, **claims: Any) -> str:
        """A token for a user, signed with RS256 or ES256, with other `claims` where they are given.

        A `stranger` signed it with a key that is not among the server's.
        """
        now = int(time.time())
        key = self._stranger if stranger else self._keys[algorithm]
        known = {"iss": self.issuer, "aud": AUDIENCE, "sub": user, "iat": now, "exp": now + LIFE, "scope": SCOPE}
        return jwt.encode({"alg": algorithm, "kid": key.kid}, known | claims, key)

    def _serve(self, context: ssl.SSLContext | None) -> ThreadingHTTPServer:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                keys = KeySet(list(owner._keys.values())).as_dict(private=False)
                self._answer(200 if self.path == "/keys" else 404, dict(keys))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self._answer(*owner._grant(self.path, self.headers.get("Authorization", ""), parse_qs(body)))

            def _answer(self, status: int, answer: dict[str, Any]) -> None:
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_message: object) -> None:
                pass

        server = _Quiet((HOST, 0), Handler)
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return server

    def _grant(self, path: str, authorization: str, form: Mapping[str, list[str]]) -> tuple[int, dict[str, Any]]:
        """The status and the response to a token request: RFC 6749, sections 4.4.3 and 5.2."""
        client, _colon, secret = base64.b64decode(authorization.removeprefix("Basic ")).decode().partition(":")
        name = unquote(client)
        if path != "/token":
            return 404, {}
        if name not in self._clients or self._clients[name] != unquote(secret):
            return 401, {"error": "invalid_client"}
        if form.get("grant_type") != ["client_credentials"]:
            return 400, {"error": "unsupported_grant_type"}
        if form.get("scope", [SCOPE]) != [SCOPE]:
            return 400, {"error": "invalid_scope"}
        token = self.token(name, "ES256", exp=int(time.time()) + self.life)
        self.issued.append(token)
        life = {"expires_in": self.life} if self.tells_life else {}
        return 200, {"access_token": token, "token_type": "Bearer", "scope": SCOPE, **life}
