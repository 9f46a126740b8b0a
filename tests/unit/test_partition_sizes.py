# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""DescribeLogDirs: the size of partitions, or why it is not known."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import TopicPartition
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.describe_log_dirs import PartitionSizes
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.handler import Done, Failed

KEYS = [TopicPartition("t", 0), TopicPartition("t", 1)]
Sizes = dict[int, tuple[int, bool]]


def log_dir(sizes: Sizes) -> SimpleNamespace:
    partitions = [
        SimpleNamespace(partition_index=index, partition_size=size, is_future_key=future)
        for index, (size, future) in sizes.items()
    ]
    return SimpleNamespace(topics=[SimpleNamespace(name="t", partitions=partitions)])


@pytest.mark.parametrize(
    ("code", "log_dirs", "sizes"),
    [
        (0, [{0: (5, False), 1: (6, False)}], [5, 6]),
        (0, [{0: (5, False)}, {1: (6, False)}], [5, 6]),
        # a replica that is being moved
        (0, [{0: (5, False)}, {0: (1, True), 1: (6, False)}], [5, 6]),
        (0, [{0: (5, False)}], [5, "CLUSTER_AUTHORIZATION_FAILED"]),
        # without permission, in old and new versions
        (0, [], ["CLUSTER_AUTHORIZATION_FAILED"] * 2),
        (31, [], ["CLUSTER_AUTHORIZATION_FAILED"] * 2),
    ],
)
def test_sizes(code: int, log_dirs: list[Sizes], sizes: list[int | str]) -> None:
    response = SimpleNamespace(error_code=code, results=[log_dir(one) for one in log_dirs])
    found = PartitionSizes().outcomes(KEYS, response)
    shown = [one.value if isinstance(one, Done) else one.error.name for one in found.values()]
    assert (list(found), shown) == (KEYS, sizes)
    assert all(isinstance(one, Done | Failed) for one in found.values())
