# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bearer tokens: one that was given, or those of a source, such as a token URL (RFC 6749, section 4.4)."""

from __future__ import annotations

import base64
import collections.abc as c
import http.client
import ipaddress
import json
import math
import ssl
import time
import typing as t
import urllib.error
import urllib.parse
import urllib.request

from .._errors import TaskError
from .errors import TokenRefused

_CHECK = "sasl_oauth_token, or the client and the scope that sasl_oauth_token_url gives a token for"
_CREDENTIALS = "sasl_oauth_client_id, sasl_oauth_client_secret and sasl_oauth_scope"
# as Java's sasl.login.refresh.window.factor: after this part of its life a token counts as about to expire
_FRESH = 0.8
# librdkafka takes no token without an end: when it is to ask for the next one, in seconds
_ASK_AGAIN = 60.0


class Token(t.NamedTuple):
    """A bearer token: C(fetched) and C(expires) are seconds since the epoch; C(expires) is None if unknown."""

    text: str
    fetched: float
    expires: float | None


class Tokens:
    """The bearer tokens of one connection, each until it is about to expire, or for one login if that time is unknown.

    Args:
        fetch: returns a new token within so many seconds, or raises TaskError; None if there is only one token.
        given: that token.
        check: what to check if a broker refuses a token, in words.
    """

    def __init__(self, fetch: c.Callable[[float], Token] | None, given: str = "", check: str = _CHECK) -> None:
        self.check = check
        self._fetch = fetch
        self._refused: TokenRefused | None = None
        self._held = Token(given, time.time(), expiry(given)) if fetch is None else None
        self._used = False

    def prepare(self, timeout: float) -> Token:
        """Return the token for the next login, which may be a new one.

        Raises:
            TaskError: there is none to be had within `timeout` seconds.
        """
        if self._fetch is None or (self._held is not None and self._fresh(self._held)):
            return t.cast(Token, self._held)
        if self._refused is not None:
            # some wrong secrets lock a client
            raise self._refused
        try:
            self._held, self._used = self._fetch(timeout), False
        except TokenRefused as exc:
            self._refused = exc
            raise
        return self._held

    def _fresh(self, held: Token) -> bool:
        if held.expires is None:
            return not self._used
        return time.time() - held.fetched < (held.expires - held.fetched) * _FRESH

    def current(self, timeout: float) -> str:
        """Return the token to log in with; raises as `prepare` does."""
        token = self.prepare(timeout)
        self._used = True
        return token.text

    def leased(self, timeout: float) -> tuple[str, float]:
        """Return what librdkafka asks for: a token, and when it is to ask for another; raises as `prepare` does."""
        text = self.current(timeout)
        expires = t.cast(Token, self._held).expires
        return text, time.time() + _ASK_AGAIN if expires is None else expires


def expiry(token: str) -> float | None:
    """Return the C(exp) of a token that is a JWT (RFC 7519), None if it is unknown."""
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return _seconds(claims["exp"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def _seconds(value: t.Any) -> float:
    """Return a number of seconds, which some servers give as a text."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("the life of the token is not a number of seconds")
    return number


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Fails instead of going elsewhere: the client's secret would go along."""

    def redirect_request(self, *_args: object) -> None:
        return None


def fetch_token(
    url: str, client_id: str, client_secret: str, scope: str | None, ca: str | None, timeout: float
) -> Token:
    """Ask a token URL for a bearer token.

    Args:
        ca: the certificates to trust, PEM; the system's if there are none.

    Raises:
        TokenRefused: the server refused the client.
        TaskError: there was no token in the answer, or no answer within `timeout` seconds.
    """
    handlers = _handlers(url, ca)
    form = {"grant_type": "client_credentials", **({"scope": scope} if scope else {})}
    quoted = ":".join(urllib.parse.quote(part, safe="") for part in (client_id, client_secret))
    request = urllib.request.Request(
        url,
        data=urllib.parse.urlencode(form).encode(),
        headers={
            "Authorization": "Basic " + base64.b64encode(quoted.encode()).decode(),
            "Accept": "application/json",
        },
    )
    try:
        fetched = time.time()
        with urllib.request.build_opener(*handlers, _NoRedirect()).open(request, timeout=timeout) as response:
            answer = json.load(response)
        if not isinstance(answer, dict) or not isinstance(answer.get("access_token"), str):
            raise ValueError("the response contains no access_token")
        token, life = answer["access_token"], answer.get("expires_in")
        return Token(token, fetched, expiry(token) if life is None else fetched + _seconds(life))
    except urllib.error.HTTPError as exc:
        words = f"sasl_oauth_token_url: {url} answered {exc.code} {exc.reason}: check "
        if exc.code in (400, 401, 403):
            raise TokenRefused(f"{words}{_CREDENTIALS}.") from None
        raise TaskError(f"{words}the address.") from None
    except (OSError, ValueError, TypeError, http.client.HTTPException) as exc:
        reason = getattr(exc, "reason", None) or exc
        untrusted = isinstance(reason, ssl.SSLCertVerificationError)
        look = "set sasl_oauth_token_url_cafile or sasl_oauth_token_url_ca" if untrusted else "check the address"
        raise TaskError(f"sasl_oauth_token_url: no token from {url} ({reason}): {look}.") from None


def _handlers(url: str, ca: str | None) -> list[urllib.request.BaseHandler]:
    """Return how to open the URL; raises TaskError if the client's secret must not be sent there."""
    try:
        parts = urllib.parse.urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        parts, host = urllib.parse.SplitResult("", "", "", "", ""), ""
    if parts.username is not None:
        raise TaskError(
            "sasl_oauth_token_url holds a user's name or password: give them as sasl_oauth_client_id and "
            "sasl_oauth_client_secret."
        )
    if parts.scheme == "https":
        try:
            return [urllib.request.HTTPSHandler(context=ssl.create_default_context(cadata=ca))]
        except OSError:
            raise TaskError(
                "sasl_oauth_token_url_cafile or sasl_oauth_token_url_ca contains no PEM certificate."
            ) from None
    if parts.scheme != "http":
        raise TaskError(f"sasl_oauth_token_url: '{url}' is not an http or https address.")
    if not _loopback(host):
        raise TaskError(
            f"sasl_oauth_token_url: '{url}' would send sasl_oauth_client_secret unencrypted: set an https address. "
            "http is allowed for the host itself only (localhost, 127.0.0.0/8, ::1)."
        )
    # a proxy is another host
    return [urllib.request.ProxyHandler({})]


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
