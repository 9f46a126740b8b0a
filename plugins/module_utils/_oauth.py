# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A bearer token by OAuth 2 client credentials (RFC 6749, section 4.4)."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import urllib.error
import urllib.parse
import urllib.request

from ._errors import TaskError

_CREDENTIALS = "sasl_oauth_client_id, sasl_oauth_client_secret and sasl_oauth_scope"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Fails instead of going elsewhere: the client's secret would go along."""

    def redirect_request(self, *_args: object) -> None:
        return None


def fetch_token(
    url: str, client_id: str, client_secret: str, scope: str | None, cafile: str | None, timeout: float
) -> tuple[str, float]:
    """Ask a token URL for a bearer token; return it with its life in seconds.

    Raises:
        TaskError: there was no token in the answer, or no answer within `timeout` seconds.
    """
    _check(url)
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
        context = ssl.create_default_context(cafile=cafile) if url.startswith("https:") else None
        opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context), _NoRedirect())
        with opener.open(request, timeout=timeout) as response:
            answer = json.load(response)
        if not isinstance(answer, dict) or not isinstance(answer.get("access_token"), str):
            raise ValueError("the answer holds no access_token")
        return answer["access_token"], float(answer.get("expires_in", 300))
    except urllib.error.HTTPError as exc:
        look = _CREDENTIALS if exc.code in (400, 401, 403) else "the address"
        raise TaskError(f"sasl_oauth_token_url: {url} answered {exc.code} {exc.reason}: look at {look}.") from None
    except (OSError, ValueError, TypeError, http.client.HTTPException) as exc:
        reason = getattr(exc, "reason", None) or exc
        look = "ssl_cafile" if isinstance(reason, ssl.SSLCertVerificationError) else "the address"
        raise TaskError(f"sasl_oauth_token_url: no token from {url} ({reason}): look at {look}.") from None


def _check(url: str) -> None:
    try:
        parts = urllib.parse.urlsplit(url)
    except ValueError:
        parts = urllib.parse.SplitResult("", "", "", "", "")
    if parts.username is not None:
        raise TaskError(
            "sasl_oauth_token_url holds a user's name or password: give them as sasl_oauth_client_id and "
            "sasl_oauth_client_secret."
        )
    if parts.scheme not in ("http", "https"):
        raise TaskError(f"sasl_oauth_token_url: '{url}' is not an http or https address.")
