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


def fetch_token(
    url: str, client_id: str, client_secret: str, scope: str | None, cafile: str | None, timeout: float
) -> tuple[str, float]:
    """Ask a token URL for a bearer token; return it with its life in seconds.

    Raises:
        TaskError: there was no token in the answer, or no answer within `timeout` seconds.
    """
    try:
        known = urllib.parse.urlsplit(url).scheme in ("http", "https")
    except ValueError:
        known = False
    if not known:
        raise TaskError(f"sasl_oauth_token_url: '{url}' is not an http or https address.")
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
        opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context))
        with opener.open(request, timeout=timeout) as response:
            answer = json.load(response)
        if not isinstance(answer, dict) or not isinstance(answer.get("access_token"), str):
            raise ValueError("the answer holds no access_token")
        return answer["access_token"], float(answer.get("expires_in", 300))
    except urllib.error.HTTPError as exc:
        raise TaskError(
            f"sasl_oauth_token_url: {url} answered {exc.code} {exc.reason}: "
            "look at sasl_oauth_client_id, sasl_oauth_client_secret and sasl_oauth_scope."
        ) from None
    except (OSError, ValueError, TypeError, http.client.HTTPException) as exc:
        reason = getattr(exc, "reason", None) or exc
        raise TaskError(f"sasl_oauth_token_url: no token from {url} ({reason}).") from None
