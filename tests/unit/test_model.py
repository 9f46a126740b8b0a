# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What members subscribe to."""

from __future__ import annotations

import struct
import uuid

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import offsets_partition
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.metadata import spelt_id

from tests.unit.values import at, member


@pytest.mark.parametrize(
    ("regex", "subscribes"),
    [
        (None, False),
        ("ord.*", True),
        ("order", False),
        ("[a-z]+", True),
        ("^([a-z]+)+$", None),
        (".*.*.*.*", None),
        ("[[:alpha:]]+", None),
        ("(?P<", None),
    ],
)
def test_a_regex_is_matched_unless_that_could_take_for_ever(regex: str | None, subscribes: bool | None) -> None:
    assert member(topics=(), topic_regex=regex).subscribes("orders") is subscribes


def test_what_is_assigned_is_subscribed() -> None:
    assert member(topics=(), topic_regex="(x+)+", assignment=(at(0, "orders"),)).subscribes("orders") is True


@pytest.mark.parametrize(
    ("halves", "words"),
    [((-5, -3), "__________v__________Q"), ((1, 2), "AAAAAAAAAAEAAAAAAAAAAg")],
)
def test_topic_ids_are_spelt_as_kafka_does(halves: tuple[int, int], words: str) -> None:
    assert spelt_id(uuid.UUID(bytes=struct.pack(">qq", *halves))) == words


@pytest.mark.parametrize(
    ("group", "partition"),
    # the hash codes of Java: 97, 99162322, a negative one, the smallest number, and one of a surrogate pair
    [("a", 47), ("hello", 22), ("billing", 9), ("polygenelubricants", 0), ("\U0001f600", 49)],
)
def test_the_partition_of_a_group(group: str, partition: int) -> None:
    assert offsets_partition(group, 50) == at(partition, "__consumer_offsets")
