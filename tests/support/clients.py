# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The type of a cluster in other modules: an address, or a client configuration."""

from __future__ import annotations

from collections.abc import Mapping

#: An address such as "127.0.0.1:9092", or librdkafka properties with bootstrap.servers among them.
Client = str | Mapping[str, str]


def properties(client: Client) -> dict[str, str | int | float | bool]:
    """The librdkafka properties of a client, quiet on stderr: the brokers of these tests come and go."""
    given = {"bootstrap.servers": client} if isinstance(client, str) else client
    return {"log_level": 0, "socket.connection.setup.timeout.ms": 5000, **given}
