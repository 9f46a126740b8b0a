# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many requests at the same time, as many as brokers and time allow."""

from __future__ import annotations

import collections
import collections.abc as c
import typing as t

from .wire import Wire

# requests that are on their way at most: enough to hide the network's delay
WINDOW = 128
# a broker works them off one by one, and the time of each runs since it was sent: so many seconds are left for each
_SECONDS_EACH = 0.2

K = t.TypeVar("K")

Job = c.Callable[[list[K]], c.Coroutine[t.Any, t.Any, None]]


async def in_batches(wire: Wire, job: Job[K], keys: list[K], size: int) -> None:
    """Run a job for each batch of `size` keys, WINDOW of them at a time, and fewer where requests have little time."""
    queue = collections.deque(keys[start : start + size] for start in range(0, len(keys), size))
    window = max(1, min(WINDOW, int(wire.request_timeout / _SECONDS_EACH), len(queue)))

    async def worker() -> None:
        while queue:
            await job(queue.popleft())

    await wire.gather(worker() for _number in range(window))
