# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connection options -> configuration of either client."""

from __future__ import annotations

import base64
import collections.abc as c
import dataclasses
import functools
import os
import re
import ssl
import typing as t

from .. import _input as inputs
from .._errors import TaskError

if t.TYPE_CHECKING:
    from .tokens import Tokens

MAX_TIMEOUT = 86_400
LIBRDKAFKA_MAX_TIMEOUT_MS = 300_000
_LONGEST_CLIENT_ID = 1000
_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):([0-9]{1,5})")
#: Options with the path of a file, and the options with its content.
FILES = {
    "ssl_cafile": "ssl_ca",
    "ssl_certfile": "ssl_certificate",
    "ssl_keyfile": "ssl_key",
    "sasl_oauth_token_url_cafile": "sasl_oauth_token_url_ca",
}
# Kerberos' variables apply to the whole process, in which several event sources can run
_keytabs: set[bytes] = set()


class FromEnvironment(str):
    """The content of a file that an environment variable holds; a path of the same file takes precedence."""

    __slots__ = ()


def write_contents(params: dict[str, t.Any], folder: c.Callable[[], str]) -> None:
    """Write the files whose contents are options, and set the options with their paths, and Kerberos' variables.

    Args:
        params: the module's parameters. Contents that do not apply become None.
        folder: returns a folder that nobody else can read, and that is removed when the module ends.

    Raises:
        TaskError: a content is not valid UTF-8, or the keytab is not Base64 or not the one that the process uses.
    """
    for option, content in FILES.items():
        if params[option] and isinstance(params[content], FromEnvironment):
            params[content] = None
        elif params[content]:
            text = inputs.for_a_library(params[content], content)
            params[option] = _write(folder(), content, text.encode())
    if params["sasl_kerberos_keytab"]:
        try:
            # encoders break the lines
            keytab = base64.b64decode("".join(params["sasl_kerberos_keytab"].split()), validate=True)
        except ValueError:
            raise TaskError("sasl_kerberos_keytab is not Base64: encode the keytab with base64.") from None
        if _keytabs - {keytab}:
            raise TaskError(
                "sasl_kerberos_keytab is not the keytab that this process uses already: use the same keytab, or a "
                "process of ansible-rulebook for each keytab."
            )
        _keytabs.add(keytab)
        os.environ["KRB5_CLIENT_KTNAME"] = f"FILE:{_write(folder(), 'keytab', keytab)}"
        # else Kerberos uses a ticket of the module's user
        os.environ["KRB5CCNAME"] = "MEMORY:kafkaops.groups"


def _write(folder: str, name: str, content: bytes) -> str:
    path = os.path.join(folder, name)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    return path


@dataclasses.dataclass(frozen=True)
class Connection:
    """The connection options of a task, as its user gave them; see the doc fragment C(connection).

    Attributes:
        request_timeout: seconds for one request.
        timeout: seconds for the whole task.
        contents: the options of C(FILES) whose files hold the contents of other options; errors name the latter.
    """

    bootstrap_servers: tuple[str, ...]
    security_protocol: str
    sasl_mechanism: str | None
    sasl_username: str | None
    sasl_password: str | None = dataclasses.field(repr=False)
    sasl_oauth_provider: str | None
    sasl_oauth_token: str | None = dataclasses.field(repr=False)
    sasl_oauth_token_url: str | None
    sasl_oauth_token_url_cafile: str | None
    sasl_oauth_client_id: str | None
    sasl_oauth_client_secret: str | None = dataclasses.field(repr=False)
    sasl_oauth_scope: str | None
    sasl_kerberos_service_name: str
    ssl_cafile: str | None
    ssl_certfile: str | None
    ssl_keyfile: str | None
    ssl_keyfile_password: str | None = dataclasses.field(repr=False)
    ssl_check_hostname: bool
    client_id: str
    request_timeout: float
    timeout: float
    contents: tuple[str, ...] = ()

    @classmethod
    def from_params(cls, params: dict[str, t.Any]) -> Connection:
        """Return the connection options among a module's parameters.

        Raises:
            TaskError: they cannot be used together, or a file of theirs cannot be read.
        """
        values = {field.name: params[field.name] for field in dataclasses.fields(cls) if field.name != "contents"}
        values["bootstrap_servers"] = tuple(values["bootstrap_servers"] or ())
        values["contents"] = tuple(option for option, content in FILES.items() if params.get(content))
        connection = cls(**values)
        connection._check()
        return connection

    @property
    def uses_sasl(self) -> bool:
        """Whether the connection authenticates by SASL."""
        return self.security_protocol.startswith("SASL_")

    @property
    def uses_tls(self) -> bool:
        """Whether the connection is encrypted."""
        return self.security_protocol.endswith("SSL")

    def _check(self) -> None:
        for option, value in vars(self).items():
            if isinstance(value, str):
                inputs.for_a_library(value, option)
        if len(self.client_id.encode()) > _LONGEST_CLIENT_ID:
            raise TaskError(f"client_id is longer than {_LONGEST_CLIENT_ID} bytes: choose a shorter one.")
        if not self.bootstrap_servers:
            raise TaskError("bootstrap_servers is empty: give it, or set KAFKA_BOOTSTRAP_SERVERS.")
        for address in self.bootstrap_servers:
            match = _ADDRESS.fullmatch(inputs.for_a_library(address, "bootstrap_servers"))
            if match is None or not 0 < int(match[2]) < 65536:
                raise TaskError(f"bootstrap_servers: '{address}' is not of the form host:port.")
        for option in ("request_timeout", "timeout"):
            if not 0 < getattr(self, option) <= MAX_TIMEOUT:
                seconds = f"{getattr(self, option):g}"
                raise TaskError(f"{option} is {seconds}: it must be greater than 0 and at most {MAX_TIMEOUT} seconds.")
        for option in FILES:
            path = getattr(self, option)
            if path is not None and not os.access(path, os.R_OK):
                raise TaskError(f"{option}: the file {path} does not exist or cannot be read.")
        if self.ssl_keyfile and not self.ssl_certfile:
            raise TaskError(f"{self._file('ssl_keyfile')} requires ssl_certfile or ssl_certificate.")
        if self.uses_sasl:
            self._check_sasl()
        elif self.sasl_mechanism is not None:
            raise TaskError(
                f"sasl_mechanism needs security_protocol SASL_PLAINTEXT or SASL_SSL, not {self.security_protocol}."
            )

    def _check_sasl(self) -> None:
        mechanism = inputs.needed(self.sasl_mechanism, "sasl_mechanism")
        if mechanism == "OAUTHBEARER":
            by_url = (self.sasl_oauth_token_url, self.sasl_oauth_client_id, self.sasl_oauth_client_secret)
            sources = (self.sasl_oauth_provider, self.sasl_oauth_token, any(by_url))
            if sum(map(bool, sources)) != 1 or (any(by_url) and not all(by_url)):
                raise TaskError(
                    "sasl_mechanism OAUTHBEARER needs either sasl_oauth_provider, or sasl_oauth_token, or all of "
                    "sasl_oauth_token_url, sasl_oauth_client_id and sasl_oauth_client_secret."
                )
        elif mechanism != "GSSAPI" and not (self.sasl_username and self.sasl_password):
            raise TaskError(
                f"sasl_mechanism {mechanism} needs sasl_username and sasl_password, and one of them is empty."
            )

    def ssl_context(self) -> ssl.SSLContext | None:
        """Return the TLS settings, None for an unencrypted connection.

        Raises:
            TaskError: a file does not hold what its option asks for.
        """
        if not self.uses_tls:
            return None
        try:
            context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=self.ssl_cafile)
        except OSError:
            raise TaskError(f"{self._file('ssl_cafile')} contains no PEM certificate.") from None
        context.check_hostname = self.ssl_check_hostname
        if self.ssl_certfile:
            self._load_certificate(context, self.ssl_certfile)
        return context

    def _load_certificate(self, context: ssl.SSLContext, certfile: str) -> None:
        try:
            # an empty password keeps OpenSSL from asking at the terminal
            context.load_cert_chain(certfile, self.ssl_keyfile, password=self.ssl_keyfile_password or "")
        except OSError as exc:
            key = self._file("ssl_keyfile") if self.ssl_keyfile else "the key in it"
            raise TaskError(
                f"{self._file('ssl_certfile')} and {key} cannot be used: "
                f"{getattr(exc, 'reason', None) or 'not PEM, or they do not belong together'}; "
                "look also at ssl_keyfile_password if the key is encrypted."
            ) from None

    def _file(self, option: str) -> str:
        """Return the option that was set for a file, with the path if it is the user's."""
        return FILES[option] if option in self.contents else f"{option} ({getattr(self, option)})"

    def token_ca(self) -> str | None:
        """Return the certificates, PEM, that the token URL is trusted by; None for those of the system."""
        if self.sasl_oauth_token_url_cafile is None:
            return None
        with open(self.sasl_oauth_token_url_cafile, encoding="ascii", errors="ignore") as file:
            return file.read()

    def tokens(self, ca: str | None) -> Tokens | None:
        """Return the bearer tokens, None where none are used; `ca`: see `token_ca`."""
        if not self.uses_sasl or self.sasl_mechanism != "OAUTHBEARER":
            return None
        # not above: nothing else needs urllib, which takes as long as all options
        from .tokens import Tokens, fetch_token

        if self.sasl_oauth_provider:
            from . import aws

            return Tokens(aws.fetch_token, check=aws.CHECK)
        if self.sasl_oauth_token:
            return Tokens(None, self.sasl_oauth_token)
        return Tokens(
            functools.partial(
                fetch_token,
                t.cast(str, self.sasl_oauth_token_url),
                t.cast(str, self.sasl_oauth_client_id),
                t.cast(str, self.sasl_oauth_client_secret),
                self.sasl_oauth_scope,
                ca,
            )
        )

    def wire_config(self) -> dict[str, t.Any]:
        """Return the configuration of kafka-python's connection manager; the OAuth token provider is the wire's."""
        config: dict[str, t.Any] = {
            "bootstrap_servers": list(self.bootstrap_servers),
            "client_id": self.client_id,
            "security_protocol": self.security_protocol,
            "ssl_context": self.ssl_context(),
            "ssl_check_hostname": self.ssl_check_hostname,
        }
        if self.uses_sasl:
            config["sasl_mechanism"] = self.sasl_mechanism
            config["sasl_plain_username"] = self.sasl_username
            config["sasl_plain_password"] = self.sasl_password
            config["sasl_kerberos_service_name"] = self.sasl_kerberos_service_name
        return config

    def cluster_config(self) -> dict[str, t.Any]:
        """Return the configuration of librdkafka.

        Raises:
            TaskError: GSSAPI, which confluent-kafka's wheels come without.
        """
        if self.uses_sasl and self.sasl_mechanism == "GSSAPI":
            raise TaskError(
                "This needs confluent-kafka, whose wheels come without GSSAPI: use another sasl_mechanism for it, or "
                "source: snapshots for the audit."
            )
        config = {
            "bootstrap.servers": ",".join(self.bootstrap_servers),
            "client.id": self.client_id,
            "security.protocol": self.security_protocol,
            "socket.timeout.ms": min(max(10, int(self.request_timeout * 1000)), LIBRDKAFKA_MAX_TIMEOUT_MS),
            "log_level": 0,
        }
        if self.uses_sasl:
            config["sasl.mechanism"] = self.sasl_mechanism
            if self.sasl_mechanism != "OAUTHBEARER":
                config["sasl.username"] = self.sasl_username
                config["sasl.password"] = self.sasl_password
        if self.uses_tls:
            config.update(self._librdkafka_tls())
        return config

    def _librdkafka_tls(self) -> dict[str, t.Any]:
        keyfile = self.ssl_keyfile or self.ssl_certfile
        # librdkafka looks elsewhere, and not at SSL_CERT_FILE
        system = ssl.get_default_verify_paths()
        files = {
            "ssl.ca.location": self.ssl_cafile or system.cafile or system.capath,
            "ssl.certificate.location": self.ssl_certfile,
            "ssl.key.location": keyfile,
            "ssl.key.password": self.ssl_keyfile_password,
        }
        verification = "https" if self.ssl_check_hostname else "none"
        return {
            **{key: value for key, value in files.items() if value},
            "ssl.endpoint.identification.algorithm": verification,
        }
