# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Single Kafka messages, for requests that librdkafka does not support or crashes on."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from kafka.errors import KafkaError
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector
from kafka.protocol.admin import DescribeGroupsRequest
from kafka.protocol.metadata import FindCoordinatorRequest

from tests.support.clients import Client, properties

#: COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR, REBALANCE_IN_PROGRESS.
PASSING = frozenset({14, 15, 16, 27})

_Some = TypeVar("_Some")
_GROUP_ID_NOT_FOUND = 69
_NAMES = {
    "bootstrap.servers": "bootstrap_servers",
    "client.id": "client_id",
    "security.protocol": "security_protocol",
    "sasl.mechanism": "sasl_mechanism",
    "sasl.username": "sasl_plain_username",
    "sasl.password": "sasl_plain_password",
    "ssl.ca.location": "ssl_cafile",
    "ssl.certificate.location": "ssl_certfile",
    "ssl.key.location": "ssl_keyfile",
    "ssl.key.password": "ssl_password",
}

# It reports every refused connection, and these tests kill brokers.
logging.getLogger("kafka").addHandler(logging.NullHandler())
logging.getLogger("kafka").propagate = False


def insist(what: str, ask: Callable[[list[_Some]], list[_Some]], wanted: Iterable[_Some], timeout: float = 60) -> None:
    """Call `ask`, then repeat it with the items that it returns, until it returns none.

    :raises TimeoutError: when there are some after `timeout` seconds; says `what` there is none of for them.
    """
    deadline = time.monotonic() + timeout
    pending = list(wanted)
    while pending := ask(pending):
        if time.monotonic() > deadline:
            raise TimeoutError(f"no {what} for {pending[:3]} after {timeout:.0f} s")
        time.sleep(0.1)


class Wire:
    """Connections to the brokers of a cluster. A context manager; one thread at a time."""

    def __init__(self, client: Client, timeout: float = 30) -> None:
        """Connect. `timeout` is in seconds; ``kafka.errors.KafkaTimeoutError`` when nobody answers."""
        given = {_NAMES[key]: value for key, value in properties(client).items() if key in _NAMES}
        given["bootstrap_servers"] = str(given["bootstrap_servers"]).split(",")  # type: ignore[assignment]
        self._net = NetworkSelector()
        self._manager = KafkaConnectionManager(
            self._net,
            receive_message_max_bytes=100_000_000,
            max_in_flight_requests_per_connection=1000,
            socket_connection_setup_timeout_ms=2000,
            reconnect_backoff_max_ms=500,
            **given,
        )
        self._manager.bootstrap(timeout_ms=timeout * 1000)

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self._manager.close()
        self._net.close()

    def call(self, request: Any, node: int | None = None) -> Any:
        """The response of a broker to one request; by default of any broker. Raises ``kafka.errors.KafkaError``."""
        return self.calls([(request, node)])[0]

    def calls(self, requests: Sequence[tuple[Any, int | None]]) -> list[Any]:
        """The responses to many requests, sent at once."""

        async def everything() -> list[Any]:
            sent = [self._manager.send(request, node) for request, node in requests]
            return [await answer for answer in sent]

        answers: list[Any] = self._net.run(everything)
        return answers

    def brokers(self) -> set[int]:
        """The IDs of the brokers in the cluster metadata, which is refreshed."""
        self._net.run(self._manager.cluster.refresh_metadata)
        return {broker.node_id for broker in self._manager.cluster.brokers()}

    def coordinators(self, groups: Iterable[str], timeout: float = 90) -> dict[str, int]:
        """The coordinator of each group, asked for until there is one.

        :raises TimeoutError: when there is none for one of the groups after `timeout` seconds.
        """
        found: dict[str, int] = {}

        def find(missing: list[str]) -> list[str]:
            found.update(self._find(missing))
            return [group for group in missing if group not in found]

        insist("coordinator", find, dict.fromkeys(groups), timeout)
        return found

    def answering(self, groups: Sequence[str]) -> bool:
        """Whether the coordinators of these groups currently respond; the groups need not exist."""
        try:
            where = self._find(groups)
            answers = self.calls([(DescribeGroupsRequest(groups=[group]), node) for group, node in where.items()])
        except KafkaError:
            return False
        codes = [one.error_code for answer in answers for one in answer.groups]
        return len(codes) == len(groups) and all(code in (0, _GROUP_ID_NOT_FOUND) for code in codes)

    def settle(self, groups: Sequence[str], timeout: float = 90) -> None:
        """Wait until `answering`. Raises ``TimeoutError`` after `timeout` seconds."""
        deadline = time.monotonic() + timeout
        while not self.answering(groups):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the coordinators of {groups[:3]} do not answer after {timeout:.0f} s")
            time.sleep(0.1)

    def _find(self, groups: Sequence[str]) -> dict[str, int]:
        # One key a request: every broker since 2.4 takes it.
        requests = [(FindCoordinatorRequest(key=group, key_type=0, max_version=3), None) for group in groups]
        answers = self.calls(requests)
        pairs = zip(groups, answers, strict=True)
        return {group: answer.node_id for group, answer in pairs if answer.error_code == 0}
