# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The client for topics."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._cluster import Cluster
from ansible_collections.kafkaops.groups.plugins.module_utils._wire import Deadline


@pytest.fixture
def uncollected() -> Iterator[None]:
    """No garbage collection."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
def test_its_threads_end_with_it() -> None:
    before = set(os.listdir("/proc/self/task"))
    cluster = Cluster({"bootstrap.servers": "127.0.0.1:1"}, Deadline(5), None)
    own = set(os.listdir("/proc/self/task")) - before
    del cluster
    assert own
    assert not own & set(os.listdir("/proc/self/task"))
