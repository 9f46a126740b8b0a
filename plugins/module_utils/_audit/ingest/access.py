# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The connection of executors to the brokers: the options of the task, with file contents instead of paths."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import os
import typing as t

from ..._kafka.options import Connection

if t.TYPE_CHECKING:
    from ..._kafka.tokens import Tokens

_FILES = ("ssl.ca", "ssl.certificate", "ssl.key")
# tuned for reading a whole topic
_FETCH_BYTES = 4 * 1024 * 1024
_QUEUE_BYTES = 16 * 1024 * 1024
_QUEUE_MESSAGES = 50_000
# a typical record of the topic; librdkafka counts the bytes of values, but not of keys
_RECORD_BYTES = 100
_CONSUMER_CONFIG = {
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "auto.offset.reset": "error",
    "isolation.level": "read_committed",
    "enable.partition.eof": True,
    "check.crcs": True,
    "fetch.wait.max.ms": 20,
    "fetch.queue.backoff.ms": 5,
    "max.partition.fetch.bytes": _FETCH_BYTES,
    # larger queues are slower
    "queued.min.messages": _QUEUE_MESSAGES,
    "queued.max.messages.kbytes": _QUEUE_BYTES // 1024,
}


@dataclasses.dataclass(frozen=True, repr=False)
class Access:
    """Connection settings for executors, pickled in the data source; contains secrets, so there is no repr.

    Attributes:
        config: configuration of librdkafka, without file paths.
        token_ca: CA certificates for the token URL in PEM; None for the system CA certificates of the executor.
        oauth: the connection if it uses OAUTHBEARER, otherwise None.
        request_timeout: timeout of one request in seconds.
    """

    config: dict[str, t.Any]
    token_ca: str | None
    oauth: Connection | None
    request_timeout: float

    @classmethod
    def of(cls, connection: Connection, client_rack: str | None = None) -> Access:
        """Return the access for a connection; reads the files of the connection.

        Args:
            client_rack: the rack of the executors, from which brokers choose the replica to read (KIP-392).

        Raises:
            TaskError: the connection uses GSSAPI, which the wheels of confluent-kafka do not support.
        """
        config = connection.cluster_config()
        if client_rack is not None:
            config["client.rack"] = client_rack
        for name in _FILES:
            path = config.get(f"{name}.location")
            # a folder of CA certificates belongs to the system of each host
            if path is not None and not os.path.isdir(path):
                with open(config.pop(f"{name}.location"), encoding="utf-8") as file:
                    config[f"{name}.pem"] = file.read()
        oauth = connection if connection.sasl_mechanism == "OAUTHBEARER" else None
        return cls(config, connection.token_ca(), oauth, connection.request_timeout)

    def consumer_config(self, on_error: c.Callable[[t.Any], None], rate: float | None = None) -> dict[str, t.Any]:
        """Return the configuration of a consumer that does not join a group or commit offsets.

        Args:
            rate: bytes per second that the consumer will read, so that it does not prefetch more; None for no limit.

        Raises:
            TaskError: no bearer token is available.
        """
        config = {**self.config, **_CONSUMER_CONFIG, "group.id": self.config["client.id"], "error_cb": on_error}
        if rate is not None:
            ahead = max(1024, int(rate))
            config["max.partition.fetch.bytes"] = min(_FETCH_BYTES, ahead // 4)
            config["queued.max.messages.kbytes"] = min(_QUEUE_BYTES, ahead) // 1024
            config["queued.min.messages"] = min(_QUEUE_MESSAGES, ahead // _RECORD_BYTES)
        if self.oauth is not None:
            tokens = t.cast("Tokens", self.oauth.tokens(self.token_ca))
            # get the first token here, where a failure can be reported
            tokens.prepare(self.request_timeout)
            config["oauth_cb"] = lambda _config: tokens.leased(self.request_timeout)
        return config
