# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connections to the brokers: `call(node, request) -> response`, with plain errors.

Built on kafka-python's connection manager and its event loop; its admin client is not used.
"""

from __future__ import annotations

import collections
import collections.abc as c
import logging
import re
import time
import typing as t

from .._errors import TaskError
from . import library
from .errors import (
    LOGIN_ERRORS,
    CallError,
    CredentialsRefused,
    LoginRefused,
    NothingSent,
    UnreadableAnswer,
    UnsupportedVersion,
)
from .library import AbstractTokenProvider, Future, KafkaConnectionManager, kafka_errors
from .patches import Net, is_refusal, keep

if t.TYPE_CHECKING:
    from .tokens import Tokens

# Answers about many groups are several MB; a TLS alert that is read as a frame's length is 336 MiB, and refused.
MAX_ANSWER_BYTES = 256 * 1024 * 1024
MAX_IN_FLIGHT = 256
CONNECT_TIMEOUT = 10.0

T = t.TypeVar("T")


def request_name(request: t.Any) -> str:
    """Return the RPC's name as Kafka's protocol guide spells it, without C(Request)."""
    return str(request.name).removesuffix("Request")


class Deadline:
    """The end of the task's time: `timeout` in seconds from now."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self.restart()

    def restart(self) -> None:
        """Let the time begin now."""
        self._end = time.monotonic() + self.timeout

    @property
    def remaining(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self._end - time.monotonic())

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.remaining <= 0


class _TokenProvider(AbstractTokenProvider):
    """Hands tokens to kafka-python, which asks for one at each login, and when a broker wants another (KIP-368)."""

    def __init__(self, tokens: Tokens, request_timeout: float, deadline: Deadline) -> None:
        self._tokens = tokens
        self._request_timeout = request_timeout
        self._deadline = deadline

    def token(self) -> str:
        return self._tokens.current(min(self._request_timeout, self._deadline.remaining))


class Wire:
    """Connections of one task to the brokers of one cluster.

    Args:
        config: configuration of kafka-python's connection manager.
        tokens: bearer tokens for OAUTHBEARER.
        request_timeout: seconds that one request may take.
        deadline: the end of the whole task.
    """

    def __init__(
        self,
        config: dict[str, t.Any],
        tokens: Tokens | None,
        request_timeout: float,
        deadline: Deadline,
    ) -> None:
        logging.getLogger("kafka").addHandler(logging.NullHandler())
        logging.getLogger("kafka").propagate = False
        self._net = Net()
        self._manager = KafkaConnectionManager(
            self._net,
            receive_message_max_bytes=MAX_ANSWER_BYTES,
            max_in_flight_requests_per_connection=MAX_IN_FLIGHT,
            reconnect_backoff_max_ms=1000,
            request_timeout_ms=int(request_timeout * 1000),
            sasl_oauth_token_provider=_TokenProvider(tokens, request_timeout, deadline) if tokens else None,
            **config,
        )
        self._protocol = config["security_protocol"]
        self._mechanism = config.get("sasl_mechanism")
        self._login = tokens.check if tokens else _LOGIN.get(self._mechanism or "", "sasl_username and sasl_password")
        self._failed: dict[t.Any, CallError] = {}
        self.request_timeout = request_timeout
        self.deadline = deadline
        self.cluster_id = ""
        self.requests: collections.Counter[str] = collections.Counter()

    def run(self, function: c.Callable[..., c.Coroutine[t.Any, t.Any, T]], *args: t.Any) -> T:
        """Run a coroutine function of this wire to its end, and return what it returns."""
        return t.cast(T, self._net.run(function, *args))

    def close(self) -> None:
        """Close every connection."""
        self._manager.close()
        self._net.close()

    async def gather(self, calls: c.Iterable[c.Coroutine[t.Any, t.Any, T]]) -> list[T]:
        """Run coroutines at the same time; return their results in order, or raise the first error."""
        futures = [self.start(call) for call in calls]
        return [await future for future in futures]

    def start(self, call: c.Coroutine[t.Any, t.Any, T]) -> c.Awaitable[T]:
        """Begin a coroutine; await what is returned for its result."""
        return t.cast(c.Awaitable[T], self._manager.call_soon(call))

    async def sleep(self, seconds: float) -> None:
        """Wait, while other calls go on."""
        await self._net.sleep(seconds)

    async def connect(self) -> None:
        """Connect to the first configured address that answers, and learn the brokers from it.

        Raises:
            TaskError: no address answered as a Kafka broker; names each address and its cause.
            CredentialsRefused: one of them refused the login.
        """
        bootstrap = self._manager.cluster.bootstrap_brokers()
        causes: list[Exception] = []
        connected = Future()

        async def attempt(node: t.Any) -> None:
            try:
                await self.refresh(node.node_id)
                if not self.nodes:
                    raise CallError("the response contains no brokers: the broker may be starting", sent=False)
            except (CallError, UnsupportedVersion) as exc:
                causes.append(exc)
            if not connected.is_done and (self.nodes or len(causes) == len(bootstrap)):
                connected.success(None)

        for node in bootstrap:
            self._manager.call_soon(attempt, node)
        timer = self._net.call_later(self.deadline.remaining, lambda: connected.is_done or connected.success(None))
        await connected
        self._net.cancel(timer)
        for node in bootstrap:
            keep(self._manager, node)
            self._manager.close(node.node_id)
        if not self.nodes:
            kind = CredentialsRefused if any(isinstance(exc, LoginRefused) for exc in causes) else TaskError
            words = "; ".join(map(str, causes)) or "no answer in time"
            raise kind(f"Cannot connect to the cluster: {words}.")

    async def refresh(self, node_id: t.Any = None) -> None:
        """Refresh the brokers and the cluster id, from one node or from any that responds.

        Raises:
            CallError: no node answered.
        """
        request = library.MetadataRequest(topics=[], allow_auto_topic_creation=False)
        await (self.call_any(request, self._learn) if node_id is None else self.call(node_id, request, self._learn))

    def _learn(self, response: t.Any) -> None:
        self._manager.cluster.update_metadata(response)
        self.cluster_id = response.cluster_id

    @property
    def nodes(self) -> list[int]:
        """The ids of the brokers known so far."""
        return sorted(broker.node_id for broker in self._manager.cluster.brokers())

    @property
    def controller(self) -> int | None:
        """The id of the broker that changes topics, by the last metadata; None if there is none."""
        controller = self._manager.cluster.controller
        return None if controller is None else int(controller.node_id)

    def address(self, node_id: t.Any) -> str:
        """Return C(host:port) of a node."""
        node = self._manager.cluster.broker_metadata(node_id)
        return f"{node.host}:{node.port}" if node else f"broker {node_id}"

    def knows(self, node_id: int) -> bool:
        """Whether the node is among the brokers known so far."""
        return self._manager.cluster.broker_metadata(node_id) is not None

    async def version(self, node_id: int, request_type: t.Any) -> int:
        """Return the highest version of an RPC that both sides know; raises as `call` does."""
        connection = await self._connection(node_id)
        return self._negotiate(connection, request_type)

    def _negotiate(self, connection: t.Any, request: t.Any) -> int:
        try:
            return int(connection.broker_version_data.api_version(request))
        except kafka_errors.IncompatibleBrokerVersion:
            raise UnsupportedVersion(
                f"the broker at {self.address(connection.node_id)} does not support {request_name(request)}"
                " as it is needed here: its version of Kafka is too old or too new"
            ) from None

    async def call(self, node_id: t.Any, request: t.Any, read: c.Callable[[t.Any], T], reserve: float = 0.0) -> T:
        """Send one request to one node and return its response as decoded by `read`.

        Args:
            reserve: seconds of the task's timeout to keep for later requests.

        Raises:
            CallError: there was no response; if C(sent) is true, the outcome is unknown.
            UnreadableAnswer: the response cannot be decoded.
            UnsupportedVersion: the node does not support the RPC in any version that the request allows.
        """
        connection = await self._connection(node_id)
        request.API_VERSION = self._negotiate(connection, request)
        while connection.paused and not self.deadline.over:
            # throttled by a quota, or too many requests in flight
            await self.sleep(0.05)
        timeout = min(self.request_timeout, self.deadline.remaining - reserve)
        if timeout <= 0 or connection.closed or connection.paused:
            raise NothingSent(f"{self.address(node_id)}: no time or connection left to send the request", sent=False)
        self.requests[request_name(request)] += 1
        try:
            response = await connection.send_request(request, request_timeout_ms=timeout * 1000)
        except kafka_errors.KafkaProtocolError as exc:
            raise self._unreadable(node_id, _plain(str(exc))) from exc
        except kafka_errors.KafkaError as exc:
            # before the first metadata, the listener may be one of another protocol
            lost = self.nodes and _LOST.search(str(exc))
            cause = "the broker closed the connection" if lost else self._cause(exc)
            raise CallError(f"{self.address(node_id)}: {cause}", sent=True) from exc
        try:
            return read(response)
        except Exception as exc:  # what a broken answer raises cannot be foreseen
            raise self._unreadable(node_id, f"{type(exc).__name__}: {exc}") from exc

    def _unreadable(self, node_id: t.Any, detail: str) -> UnreadableAnswer:
        return UnreadableAnswer(
            f"{self.address(node_id)}: the response cannot be decoded ({detail}): check what listens there, and its "
            "version of Kafka"
        )

    async def call_any(self, request: t.Any, read: c.Callable[[t.Any], T]) -> tuple[int, T]:
        """Ask the first broker that answers, and return it, too; raises as `call` does, the last node's error.

        LoginRefused is raised only if every broker refused the login.
        """
        return await self._first(lambda node: self.call(node, request, read))

    async def reach_any(self, request_type: t.Any) -> tuple[int, int]:
        """Connect to the first broker that answers; return it, and what `version` does; raises as `call_any` does."""
        return await self._first(lambda node: self.version(node, request_type))

    async def _first(self, ask: c.Callable[[int], c.Coroutine[t.Any, t.Any, T]]) -> tuple[int, T]:
        error: CallError | None = None
        connected = {connection.node_id for connection in self._manager.least_used_connections()}
        for node_id in sorted(self.nodes, key=lambda node: (node not in connected, node)):
            try:
                return node_id, await ask(node_id)
            except LoginRefused as exc:
                error = error or exc
            except CallError as exc:
                error = exc
            except UnsupportedVersion as exc:
                # in the middle of a rolling upgrade, another one may know it
                error = CallError(str(exc), sent=False)
        raise error or CallError("no broker is available", sent=False)

    async def _connection(self, node_id: t.Any) -> t.Any:
        failed = self._failed.get(node_id)
        if isinstance(failed, LoginRefused):
            raise failed
        timeout = min(self.request_timeout, self.deadline.remaining, CONNECT_TIMEOUT)
        try:
            connection = self._manager.get_connection(node_id, timeout_ms=timeout * 1000, refresh_metadata_on_err=False)
            if not connection.connected:
                await self._manager.wait_for(connection.init_future, timeout * 1000)
        except kafka_errors.NodeNotReadyError:
            # too early after the last attempt
            raise failed or CallError(f"{self.address(node_id)}: the last connection failed", sent=False) from None
        except kafka_errors.UnknownBrokerIdError:
            raise CallError(f"broker {node_id} is not in the cluster's metadata", sent=False) from None
        except Exception as exc:  # what a library for authentication raises, gssapi for one, is no error of Kafka's
            self._manager.close(node_id)
            words = f"{self.address(node_id)}: {self._cause(exc)}"
            name = getattr(exc, "message", "")
            self._failed[node_id] = (
                LoginRefused(words, name if name in LOGIN_ERRORS else "SASL_AUTHENTICATION_FAILED")
                if is_refusal(exc)
                else CallError(words, sent=False)
            )
            raise self._failed[node_id] from exc
        return connection

    def _cause(self, exc: Exception) -> str:
        """Say in words, with the option to check, why a connection failed or was lost."""
        text = str(exc)
        if isinstance(exc, TaskError):
            # from the source of tokens, which says enough
            return text.rstrip(".")
        for pattern, words in _CAUSES:
            if re.search(pattern, text):
                return words.format(
                    protocol=self._protocol, mechanism=self._mechanism, login=self._login, detail=_plain(text)
                )
        return _plain(text)


def _plain(text: str) -> str:
    """Drop the class names that kafka-python puts before a message, and what GSSAPI says before Kerberos' own error."""
    return _PREFIX.sub("", text).strip() or text


_PREFIX = re.compile(r"^((\[Error -?\w+\] )?(\w+Error|Cancelled): )+|^Major .*, Minor \(\d+\): ")
_LOST = re.compile("socket disconnected|ECONNRESET|reset by peer")
_PROTOCOL_MISMATCH = (
    "the listener closed the connection or does not speak {protocol}: "
    "check security_protocol, and which listener the port belongs to"
)
# what to check besides the user name and password; bearer tokens say it themselves
_LOGIN = {
    "GSSAPI": (
        "sasl_kerberos_service_name, and the ticket or the keytab of the user that the module runs as "
        "(KRB5_CONFIG, KRB5CCNAME, KRB5_CLIENT_KTNAME)"
    ),
}
_CAUSES = [
    (r"SaslAuthenticationFailed|AUTHENTICATION_FAILED", "authentication failed ({detail}): check {login}"),
    (
        r"GSSAPI lib not found",
        "GSSAPI needs the Python library gssapi: install it where the module runs",
    ),
    (r"^Major \(\d+\)", "Kerberos failed ({detail}): check {login}"),
    (
        r"UnsupportedSaslMechanism",
        "the listener does not offer sasl_mechanism {mechanism}, only {detail}: set sasl_mechanism to one of these, or "
        "check which listener the port belongs to",
    ),
    (r"IllegalSaslState", "the listener does not use SASL: check security_protocol"),
    (
        r"hostname|IP address mismatch",
        "the certificate is for another host ({detail}): check ssl_check_hostname and the address",
    ),
    (r"certificate has expired", "the broker's certificate has expired ({detail}): renew it on the broker"),
    (
        r"certificate verify failed|CERTIFICATE_VERIFY_FAILED",
        "the certificate is not trusted ({detail}): check ssl_cafile or ssl_ca",
    ),
    (
        r"(?i)certificate[ _]required|bad[ _]certificate|unknown[ _]ca|certificate[ _](expired|unknown)",
        "the broker did not accept the client certificate ({detail}): check ssl_certfile and ssl_keyfile, or "
        "ssl_certificate and ssl_key; "
        "it may be missing, have expired, or be signed by an issuer that the broker does not trust",
    ),
    (r"DNS", "the name does not resolve: check bootstrap_servers"),
    (r"ECONNREFUSED", "the connection was refused: nothing listens on that port"),
    (r"EHOSTUNREACH|ENETUNREACH", "the host cannot be reached"),
    (r"Timed ?[oO]ut|timed out", "no answer in time"),
    (
        r"Handshake failed|[Ii]nvalid frame|InvalidReceive|socket disconnected|ECONNRESET|reset by peer"
        r"|Unrecognized|Unable to decode|[Cc]orrelation",
        _PROTOCOL_MISMATCH,
    ),
]
