# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Free loopback ports."""

from __future__ import annotations

import random
import socket

HOST = "127.0.0.1"

_held: list[socket.socket] = []


def free(count: int) -> list[int]:
    """Distinct free ports below the range of ephemeral ports.

    They are this process's until it ends, as far as `free` of others is concerned. Servers that set SO_REUSEADDR may
    take them.

    :raises OSError: when there are not so many.
    """
    found: list[int] = []
    for port in random.sample(range(15000, 32000), 2000):
        probe = socket.socket()
        try:
            probe.bind((HOST, port))
        except OSError:
            probe.close()
            continue
        # not before: the port would be shared with other probes
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _held.append(probe)
        found.append(port)
        if len(found) == count:
            return found
    raise OSError(f"no {count} free ports on {HOST}")


def listening(port: int) -> bool:
    """Whether something accepts connections on a loopback port."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0
