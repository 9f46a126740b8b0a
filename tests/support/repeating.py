# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Background actions during a test."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor


@contextlib.contextmanager
def repeatedly(action: Callable[[], object], pause: float) -> Iterator[None]:
    """Run `action` again and again while the block runs, in a thread of its own, with `pause` seconds before each time.

    Raises, after the block, what `action` raised; it ended with that.
    """
    ended = threading.Event()

    def go_on() -> None:
        while not ended.wait(pause):
            action()

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(go_on)
        try:
            yield
        finally:
            ended.set()
        running.result()
