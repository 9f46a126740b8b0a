# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What brokers answer and connections end with: the error of one resource, and the exceptions between the layers."""

from __future__ import annotations

import functools
import typing as t

from .._errors import TaskError
from .library import kafka_errors

# kafka-python spells some of Kafka's names in its own way
_KAFKA_NAMES = {
    "INVALID_REPLICATION_ASSIGNMENT": "INVALID_REPLICA_ASSIGNMENT",
    "INVALID_TOPIC": "INVALID_TOPIC_EXCEPTION",
    "MESSAGE_SIZE_TOO_LARGE": "MESSAGE_TOO_LARGE",
    "NOT_LEADER_FOR_PARTITION": "NOT_LEADER_OR_FOLLOWER",
    "UNKNOWN": "UNKNOWN_SERVER_ERROR",
}

# also the name of every code that Kafka does not know
AMBIGUOUS_ERROR = "UNKNOWN_SERVER_ERROR"


class CredentialsRefused(TaskError):
    """A server refused the credentials: the same request would be refused again, and may lock the account."""


class TokenRefused(CredentialsRefused):
    """The server that gives bearer tokens refused the client."""


class CallError(Exception):
    """A request got no answer.

    Attributes:
        sent: whether the request may have reached the broker, so that its outcome is unknown.
    """

    def __init__(self, message: str, sent: bool) -> None:
        super().__init__(message)
        self.sent = sent


class NothingSent(CallError):
    """The time was over, or the connection was closed, before the request was sent."""


class UnreadableAnswer(CallError):
    """A broker sent what is no answer to the request; the outcome of a change is unknown."""

    def __init__(self, message: str) -> None:
        super().__init__(message, sent=True)


LOGIN_ERRORS = ("SASL_AUTHENTICATION_FAILED", "UNSUPPORTED_SASL_MECHANISM", "ILLEGAL_SASL_STATE")


class LoginRefused(CallError):
    """A broker refused the login, which must not be tried again: some wrong passwords lock an account.

    Attributes:
        name: the error as Kafka spells it, one of LOGIN_ERRORS.
    """

    def __init__(self, message: str, name: str) -> None:
        super().__init__(message, sent=False)
        self.name = name


class UnsupportedVersion(Exception):
    """The broker's version does not know the request, or not the version of it that is needed."""


class KafkaError(t.NamedTuple):
    """The error of one resource, named as Kafka's `Errors` enum spells it."""

    code: int
    name: str
    message: str
    retriable: bool

    def as_result(self) -> dict[str, t.Any]:
        """Return the RETURN shape: C(code), C(name), C(message), C(retriable)."""
        return self._asdict()


@functools.cache
def _classes_by_name() -> dict[str, t.Any]:
    kinds: list[t.Any] = [kind for kind in vars(kafka_errors).values() if isinstance(kind, type)]
    known = [kind for kind in kinds if issubclass(kind, kafka_errors.BrokerResponseError) and kind.errno is not None]
    return {_name(kind): kind for kind in known}


def _name(kind: t.Any) -> str:
    return str(_KAFKA_NAMES.get(kind.message, kind.message))


def error(name: str, message: str | None = None) -> KafkaError:
    """Return the error that Kafka calls `name`; `message` replaces Kafka's own description."""
    kind = _classes_by_name()[name]
    return KafkaError(int(kind.errno), name, message or kind.description, kind.retriable)


def from_call_error(exc: CallError) -> KafkaError:
    """Return the error of a resource that could not be asked for."""
    return error(exc.name if isinstance(exc, LoginRefused) else "NETWORK_EXCEPTION", str(exc))


def from_code(code: int, message: str | None = None) -> KafkaError | None:
    """Return the error of a wire error code, or None for 0; `message` is the broker's own, where it sent one."""
    if code == 0:
        return None
    kind = kafka_errors.for_code(code)
    if kind.message == "UNKNOWN":
        return KafkaError(code, _name(kind), message or f"the broker answered with error code {code}", False)
    return KafkaError(code, _name(kind), message or kind.description, kind.retriable)
