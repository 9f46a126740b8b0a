# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The replaced parts of kafka-python, with reasons; tests/unit/test_patches.py fails when one can be removed."""

from __future__ import annotations

import collections.abc as c
import functools
import io
import re
import typing as t

from .errors import TokenRefused
from .library import (
    ApiMessage,
    ApiMessageData,
    BitField,
    Future,
    KafkaConnection,
    KafkaProtocol,
    NetworkSelector,
    SaslHandshakeResponse,
    kafka_connection,
    kafka_errors,
    kafka_manager,
    kafka_parser,
)

# kafka-python reads a number of any length, in quadratic time; Kafka's texts are shorter than that
_ENDLESS = re.compile(rb"[\x80-\xff]{32768}")
# what gssapi raises is no error of Kafka's; a KDC that cannot be reached may be back
_KERBEROS = re.compile(r"^Major \(\d+\)(?!.*Cannot contact any KDC)|GSSAPI lib not found")

Peer = tuple[str | None, str, int]  # pylint: disable=unsupported-binary-operation
"""An address and its port, and with TLS the name, by which a gateway may distinguish brokers that share the address."""


class Logins:
    """The logins of one task: one at a time for each broker, whatever addresses lead to it, and none after a refusal.

    An account that is locked after some wrong passwords must not be locked by one task.
    """

    def __init__(self) -> None:
        self.running: dict[Peer, t.Any] = {}
        self.refused: dict[Peer, Exception] = {}


class Net(NetworkSelector):
    """The event loop of one task, which its connections share; they share its logins, too."""

    def __init__(self) -> None:
        super().__init__(slow_task_threshold_secs=0)
        self.logins = Logins()


def is_refusal(exc: Exception) -> bool:
    """Whether a login was refused, so that another attempt would be refused, too; see KIP-43 and KIP-152."""
    refusals = (
        TokenRefused,
        kafka_errors.SaslAuthenticationFailedError,
        kafka_errors.UnsupportedSaslMechanismError,
        kafka_errors.IllegalSaslStateError,
    )
    return isinstance(exc, refusals) or _KERBEROS.search(str(exc)) is not None


class _Frame(io.BytesIO):
    """Grows with what has arrived, where kafka-python takes all the memory that a frame's length asks for."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    def __len__(self) -> int:
        return self._size


class _Protocol(KafkaProtocol):
    """Fails at once at an answer that cannot be read, where kafka-python would wait for the request's time-out.

    Attributes:
        offered: the mechanisms in the answer to SaslHandshake (KIP-43), which kafka-python drops with its error.
    """

    offered: c.Sequence[str] = ()

    def _process_response(self, read_buffer: _Frame) -> t.Any:
        try:
            if _ENDLESS.search(read_buffer.getbuffer()):
                raise ValueError("a number without an end")
            correlation, response = super()._process_response(read_buffer)
        except kafka_errors.KafkaProtocolError:
            raise
        except Exception as exc:  # what a broken answer raises cannot be foreseen
            raise kafka_errors.KafkaProtocolError(f"Unable to decode response: {exc}") from exc
        if isinstance(response, SaslHandshakeResponse):
            self.offered = response.mechanisms or ()
        return correlation, response


@functools.cache
def _bits(value: int) -> frozenset[int]:
    """Return the bits that are set: authorized operations, which are the same for thousands of groups.

    kafka-python looks at each bit for each group, which is a fifth of the time of a DescribeGroups response.
    """
    return frozenset(bit for bit in range(32) if value >> bit & 1)


class _Receive:
    """Hands over what came together with the end of a connection, which kafka-python drops: a refusal of a login."""

    def __init__(self, receive: c.Callable[[], tuple[bytes, Exception | None]]) -> None:
        self._receive = receive
        self._end: Exception | None = None

    def __call__(self) -> tuple[bytes, Exception | None]:
        if self._end is not None:
            return b"", self._end
        received, self._end = self._receive()
        return received, None if received else self._end


class _Connection(KafkaConnection):
    """Logs in once where it is refused, and says what a broker offers that does not offer the mechanism."""

    def __init__(self, net: t.Any, **config: t.Any) -> None:
        super().__init__(net, **config)
        # also made for other clients of kafka-python in the same process
        self._logins = net.logins if isinstance(net, Net) else Logins()

    def connection_made(self, transport: t.Any) -> None:
        transport._sock_recv = _Receive(transport._sock_recv)
        super().connection_made(transport)

    async def _sasl_authenticate(self, timeout_at: float | None = None) -> None:
        logins = self._logins
        address, port = self.transport.getPeer()[:2]
        peer: Peer = (self.transport.host if self.config["security_protocol"] == "SASL_SSL" else None, address, port)
        while peer in logins.running:
            await logins.running[peer]
        if self.closed:
            raise kafka_errors.KafkaConnectionError("closed")
        if peer in logins.refused:
            raise logins.refused[peer]
        done = logins.running[peer] = Future()
        try:
            await self._log_in(timeout_at)
        except Exception as exc:
            if is_refusal(exc):
                logins.refused[peer] = exc
            raise
        finally:
            del logins.running[peer]
            done.success(None)

    async def _log_in(self, timeout_at: float | None) -> None:
        parser = self.parser
        try:
            await super()._sasl_authenticate(timeout_at)
        except kafka_errors.UnsupportedSaslMechanismError:
            raise kafka_errors.UnsupportedSaslMechanismError(", ".join(sorted(parser.offered))) from None


def keep(manager: t.Any, bootstrap: t.Any) -> None:
    """Go on with a first connection as that of the broker that advertises the same address, where there is one.

    kafka-python would connect, and log in, a second time.
    """
    connections = manager._conns
    connection = connections.get(bootstrap.node_id)
    at = {(broker.host, broker.port): broker.node_id for broker in manager.cluster.brokers()}
    node = at.get((bootstrap.host, bootstrap.port))
    if node is not None and node not in connections and connection is not None and connection.connected:
        connection.node_id = node
        connections[node] = connections.pop(bootstrap.node_id)
        connection.close_future.add_both(lambda _closed: connections.pop(node, None))


def declare(loaded_as: str, schema: dict[str, t.Any]) -> t.Any:
    """Return the class of a message that kafka-python lacks.

    It reads the schema of a class by its name from its own package: it loads one that it has, `loaded_as`, and gets
    ours in its place.
    """
    patch = classmethod(lambda cls, json: schema)
    return ApiMessageData(loaded_as, (ApiMessage,), {"json_patch": patch, "__module__": __name__})


if kafka_parser is not None:
    # none of them can be configured
    kafka_connection.KafkaProtocol = _Protocol
    kafka_manager.KafkaConnection = _Connection
    kafka_parser.KafkaBytes = _Frame
    BitField.from_32_bit_field = staticmethod(_bits)
