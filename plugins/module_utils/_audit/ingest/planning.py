# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plan a scan on the driver: query the topic, and distribute it to splits."""

from __future__ import annotations

import dataclasses
import time

from ..._kafka.options import Connection
from ..._kafka.session import Session
from . import splits
from .access import Access
from .executor import Scan
from .scan import BOUND
from .splits import Cores


def plan(
    connection: Connection,
    topic: str,
    deadline: float,
    cores: Cores,
    client_rack: str | None = None,
    read_rate: int | None = None,
) -> Scan:
    """Return the scan of a topic up to its current end offsets.

    Args:
        deadline: seconds since the epoch.
        client_rack: the rack of the executors (KIP-392).
        read_rate: the maximum number of bytes per second of all splits together; None for no limit.

    Raises:
        TaskError: the topic cannot be read.
    """
    limited = dataclasses.replace(connection, timeout=max(1.0, deadline - time.time()))
    with Session(limited, check_mode=True) as session:
        found = session.wire.run(splits.describe, session, topic)
    if read_rate is None:
        planned, rate = splits.plan(found, cores), None
    else:
        # splits that do not run at the same time would not use their part of the rate
        planned = splits.distribute(found, cores.number)
        rate = read_rate / len(planned)
    return Scan(Access.of(connection, client_rack), topic, planned, deadline, rate, BOUND)
