# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The RPCs about start offsets of share groups: what brokers answer, and what it means."""

from __future__ import annotations

import types
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka import typed_messages
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import ShareOffset
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.alter_share_group_offsets import (
    AlterShareGroupOffsets,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.delete_share_group_offsets import (
    DeleteShareGroupOffsets,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.describe_share_group_offsets import (
    DescribeShareGroupOffsets,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.handler import Done, Failed, Retry, Unmap

from tests.unit.values import at

LOADING, NOT_COORDINATOR, NOT_EMPTY, UNKNOWN_TOPIC, LEADER = 14, 16, 68, 3, 5


def part(**fields: t.Any) -> t.Any:
    return types.SimpleNamespace(**{"error_code": 0, "error_message": None, **fields})


def start(partition: int, offset: int, lag: int = -1, code: int = 0) -> t.Any:
    return part(partition_index=partition, start_offset=offset, leader_epoch=4, lag=lag, error_code=code)


@pytest.mark.parametrize(
    ("partitions", "code", "outcome"),
    [
        ([start(0, 7, 3)], 0, Done({at(): ShareOffset(7, 4, 3)})),
        ([start(0, 0, 0)], 0, Done({at(): ShareOffset(0, 4, 0)})),
        # a broker without lag; before the first fetch; after the end of the log
        ([start(0, 7), start(1, -1), start(2, 9, -2)], 0, {at(): (7, None), at(1): (None, None), at(2): (9, None)}),
        ([start(0, 7), start(1, -1, code=LEADER)], 0, Failed),
        ([], LOADING, Retry),
        ([], NOT_COORDINATOR, Unmap),
        ([], NOT_EMPTY, Failed),
    ],
)
def test_start_offsets(partitions: list[t.Any], code: int, outcome: t.Any) -> None:
    topic = part(topic_name="a", partitions=partitions)
    response = part(groups=[part(group_id="g", topics=[topic], error_code=code)])
    got = DescribeShareGroupOffsets().outcomes(["g"], response)["g"]
    if isinstance(outcome, dict):
        assert isinstance(got, Done)
        assert {where: (one.offset, one.lag) for where, one in got.value.items()} == outcome
    else:
        assert got == outcome or type(got) is outcome


def test_brokers_are_asked_about_one_group_at_a_time() -> None:
    """They take longer for the groups of one request than for as many requests."""
    assert DescribeShareGroupOffsets().batch_for(1) == 1


OFFSETS = {"g": {at(): 3, at(1): 4}}


@pytest.mark.parametrize("handler", [AlterShareGroupOffsets(OFFSETS), DeleteShareGroupOffsets({"g": [at(), at(1)]})])
@pytest.mark.parametrize(("code", "kind"), [(0, Done), (LOADING, Retry), (NOT_COORDINATOR, Unmap), (NOT_EMPTY, Failed)])
def test_changes(handler: t.Any, code: int, kind: type[t.Any]) -> None:
    partitions = [part(partition_index=number) for number in (0, 1)]
    response = part(error_code=code, responses=[part(topic_name="a", partitions=partitions)])
    got = handler.outcomes(["g"], response)["g"]
    assert isinstance(got, kind)
    if isinstance(got, Done):
        assert got.value == {at(): None, at(1): None}


def test_a_partition_that_cannot_be_set() -> None:
    partitions = [part(partition_index=0), part(partition_index=1, error_code=UNKNOWN_TOPIC)]
    response = part(responses=[part(topic_name="a", partitions=partitions)])
    got: t.Any = AlterShareGroupOffsets(OFFSETS).outcomes(["g"], response)["g"]
    assert [one and one.name for one in got.value.values()] == [None, "UNKNOWN_TOPIC_OR_PARTITION"]


@pytest.mark.parametrize("handler", [AlterShareGroupOffsets(OFFSETS), DeleteShareGroupOffsets({"g": [at()]})])
def test_a_response_that_leaves_out_what_was_asked(handler: t.Any) -> None:
    with pytest.raises(ValueError, match="it does not include a"):
        handler.outcomes(["g"], part(responses=[]))


def test_a_whole_topic_is_deleted_once() -> None:
    request = DeleteShareGroupOffsets({"g": [at(1), at(0), at(0, "b")]}).request(["g"])
    assert [topic.topic_name for topic in request.topics] == ["a", "b"]


@pytest.mark.parametrize(
    ("message", "key", "newest"),
    [
        (typed_messages.DescribeShareGroupOffsetsRequest, 90, 1),
        (typed_messages.AlterShareGroupOffsetsRequest, 91, 0),
        (typed_messages.DeleteShareGroupOffsetsRequest, 92, 0),
    ],
)
def test_messages(message: t.Any, key: int, newest: int) -> None:
    assert (message.API_KEY, message.max_version) == (key, newest)
