# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Limits how many bytes a split reads per second."""

from __future__ import annotations

import time


class Pace:
    """The bytes that were read since the start, against a rate in bytes per second; None for no limit."""

    def __init__(self, rate: float | None) -> None:
        self._rate = rate
        self._started = time.monotonic()
        self._bytes = 0

    def add(self, size: int) -> None:
        """Count bytes that were read."""
        self._bytes += size

    @property
    def limited(self) -> bool:
        """Whether there is a rate."""
        return self._rate is not None

    @property
    def wait(self) -> float:
        """The seconds to wait before more may be read."""
        if self._rate is None:
            return 0.0
        return max(0.0, self._started + self._bytes / self._rate - time.monotonic())
