# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How an executor reaches the brokers: the connection options of the task, with contents in the place of files."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import os
import typing as t

from ..._kafka.options import Connection

if t.TYPE_CHECKING:
    from ..._kafka.tokens import Tokens

_FILES = ("ssl.ca", "ssl.certificate", "ssl.key")
# what reads a whole topic fast
_READING = {
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "auto.offset.reset": "error",
    "isolation.level": "read_committed",
    "enable.partition.eof": True,
    "check.crcs": True,
    "fetch.wait.max.ms": 20,
    "fetch.queue.backoff.ms": 5,
    "max.partition.fetch.bytes": 4 * 1024 * 1024,
    # what waits in memory; more of it is slower
    "queued.min.messages": 50_000,
    "queued.max.messages.kbytes": 16 * 1024,
}


@dataclasses.dataclass(frozen=True, repr=False)
class Access:
    """Travels to the executors inside Spark's data source; holds secrets, and shows none.

    Attributes:
        config: configuration of librdkafka, without files.
        token_ca: the authorities of the token URL, PEM; None for the system's of the executor.
        oauth: the connection, where it takes bearer tokens.
        request_timeout: seconds for one request.
    """

    config: dict[str, t.Any]
    token_ca: str | None
    oauth: Connection | None
    request_timeout: float

    @classmethod
    def of(cls, connection: Connection) -> Access:
        """Return the access that a connection gives; reads its files.

        Raises:
            TaskError: GSSAPI, which confluent-kafka's wheels come without.
        """
        config = connection.cluster_config()
        for name in _FILES:
            path = config.get(f"{name}.location")
            # a folder of authorities is the system's, and each host has its own
            if path is not None and not os.path.isdir(path):
                with open(config.pop(f"{name}.location"), encoding="utf-8") as file:
                    config[f"{name}.pem"] = file.read()
        oauth = connection if connection.sasl_mechanism == "OAUTHBEARER" else None
        return cls(config, connection.token_ca(), oauth, connection.request_timeout)

    def consumer_config(self, on_error: c.Callable[[t.Any], None]) -> dict[str, t.Any]:
        """Return the configuration of a consumer that joins no group and commits nothing.

        Raises:
            TaskError: there is no bearer token to be had.
        """
        config = {**self.config, **_READING, "group.id": self.config["client.id"], "error_cb": on_error}
        if self.oauth is not None:
            tokens = t.cast("Tokens", self.oauth.tokens(self.token_ca))
            # here, where a failure can still be told
            tokens.prepare(self.request_timeout)
            config["oauth_cb"] = lambda _config: tokens.leased(self.request_timeout)
        return config
