# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every way into a secured broker, as connection options."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support import msk
from tests.support.broker import Cluster
from tests.support.ca import KEY_PASSWORD, Authority
from tests.support.kerberos import Realm
from tests.support.oauth import TokenServer

USER = "admin"
CLIENT_SECRET = "oauth-client-secret"
_CERTIFICATE = ("ssl_certfile", "ssl_keyfile")

Options = dict[str, Any]


@dataclass(frozen=True)
class Doors:
    """A secured broker, the Kerberos realm and the OAuth 2 server that it trusts, and an authority that nobody trusts.

    `USER` is a super user, however it comes in.
    """

    cluster: Cluster
    realm: Realm
    tokens: TokenServer
    authority: Authority
    stranger: Authority

    @classmethod
    @contextlib.contextmanager
    def open(cls, folder: Path) -> Iterator[Doors]:
        """Start it all in a folder, and stop it at the end."""
        authority = Authority(folder / "kafka" / "certificates")
        with (
            Realm(folder / "realm") as realm,
            TokenServer({USER: CLIENT_SECRET}, authority) as tokens,
            Cluster.start(
                "secured",
                folder=folder / "kafka",
                config={**realm.broker_properties, **tokens.broker_properties, **msk.broker_properties(USER)},
                java_options=[*realm.java_options, *tokens.java_options, *msk.java_options()],
            ) as cluster,
        ):
            yield cls(cluster, realm, tokens, authority, Authority(folder / "stranger", "stranger"))

    def tls(self, name: str | None = None, *, expired: bool = False, encrypted: bool = False) -> Options:
        """Trust the broker, and show a client certificate where its name is given."""
        options: Options = {"security_protocol": "SSL", "ssl_cafile": str(self.authority.certificate)}
        if name is not None:
            options |= zip(_CERTIFICATE, map(str, self.authority.issue(name, expired=expired)), strict=True)
        if name is not None and encrypted:
            options |= {"ssl_keyfile": str(self.authority.encrypted_key(name)), "ssl_keyfile_password": KEY_PASSWORD}
        return options

    def strangers_certificate(self) -> Options:
        """A client certificate that the broker does not trust."""
        return dict(zip(_CERTIFICATE, map(str, self.stranger.issue(USER)), strict=True))

    def sasl(self, mechanism: str, **options: Any) -> Options:
        """The options of a mechanism, for either protocol."""
        made: Options = {"sasl_mechanism": mechanism}
        if mechanism in ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"):
            made |= {"sasl_username": USER, "sasl_password": self.cluster.users[USER]}
        return {**made, **options}

    def client(self, url: str, **options: Any) -> Options:
        """The options of client credentials."""
        known = {"sasl_oauth_client_id": USER, "sasl_oauth_client_secret": CLIENT_SECRET}
        return {"sasl_mechanism": "OAUTHBEARER", "sasl_oauth_token_url": url, **known, **options}

    def over(self, listener: str, options: Options) -> Options:
        """The options, with the protocol of a SASL listener."""
        trust = {"ssl_cafile": str(self.authority.certificate)} if listener == "SASL_SSL" else {}
        return {"security_protocol": listener, **trust, **options}

    def msk(self) -> Options:
        """The options of Amazon MSK with IAM, for `msk.LISTENER`; who comes in is in the environment."""
        return self.over("SASL_SSL", self.sasl("OAUTHBEARER", sasl_oauth_provider="aws_msk_iam"))
