# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The open transactions of a partition: what brokers answer, and what is said of it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace as Simple
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import (
    CallError,
    UnsupportedVersion,
    error,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import (
    OFFSETS_TOPIC,
    OpenTransaction,
    TopicPartition,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.describe_producers import DescribeProducers
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.handler import Done, Failed, Retry, Unmap
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._open_transactions import (
    find_open_transactions,
)

from tests.unit.values import topic

WHERE = TopicPartition(OFFSETS_TOPIC, 0)
NOT_LEADER, DENIED, TIMED_OUT = 6, 29, 7
FIRST, SECOND = OpenTransaction(7, 0, 3, 100), OpenTransaction(8, 1, 9, 200)


def producer(of: OpenTransaction, start: int | None = None) -> Any:
    return Simple(
        producer_id=of.producer_id,
        producer_epoch=of.producer_epoch,
        current_txn_start_offset=of.start_offset if start is None else start,
        last_timestamp=of.last_timestamp,
    )


def response(code: int, *producers: Any) -> Any:
    partition = Simple(partition_index=0, error_code=code, error_message=None, active_producers=list(producers))
    return Simple(topics=[Simple(name=OFFSETS_TOPIC, partitions=[partition])])


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (response(0), Done(())),
        (response(0, producer(SECOND), producer(FIRST)), Done((FIRST, SECOND))),
        # a producer without an open transaction
        (response(0, producer(FIRST, -1), producer(SECOND)), Done((SECOND,))),
        (response(NOT_LEADER), Unmap),
        (response(DENIED), Failed),
        (response(TIMED_OUT), Retry),
    ],
)
def test_what_the_leader_answers(answer: Any, outcome: Any) -> None:
    got = DescribeProducers().outcomes([WHERE], answer)[WHERE]
    assert got == outcome or type(got) is outcome


class Cluster:
    """Two brokers: what the leader says of the partition, and what each coordinator says of transactions."""

    def __init__(self, found: Any, answers: list[Any]) -> None:
        self.driver = self.wire = self
        self.nodes = [1, 2]
        self._found = found
        self._answers = dict(zip(self.nodes, answers, strict=False))

    async def read(self, handler: Any, keys: Any) -> dict[Any, Any]:
        is_leader = isinstance(handler, DescribeProducers)
        return {key: self._found if is_leader else topic(OFFSETS_TOPIC, 1) for key in keys}

    async def call(self, node: int, request: Any, read: Any) -> Any:
        assert request.producer_id_filters == [7, 8]
        answer = self._answers[node]
        if isinstance(answer, Exception):
            raise answer
        code, told = answer if isinstance(answer, tuple) else (0, answer)
        states = [Simple(producer_id=id_, transactional_id=name, transaction_state=state) for id_, name, state in told]
        return read(Simple(error_code=code, transaction_states=states))

    async def gather(self, calls: Any) -> list[Any]:
        return list(await asyncio.gather(*calls))


NAMED = [(7, "payments", "Ongoing")]
PAYMENTS = "producer id 7, transactional id 'payments' (Ongoing), start offset 3"
HIDDEN = "producer id 8, start offset 9"


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([NAMED, []], f"{PAYMENTS}; {HIDDEN}"),
        (
            [[], [(8, "x", "Empty")]],
            "producer id 7, start offset 3; producer id 8, transactional id 'x' (Empty), start offset 9",
        ),
        # one that nobody asked for
        ([[(9, "other", "Ongoing")], NAMED], f"{PAYMENTS}; {HIDDEN}"),
        # what a broker does not tell stays without a name
        ([CallError("it is silent", sent=True), NAMED], f"{PAYMENTS}; {HIDDEN}"),
        ([UnsupportedVersion("too old"), (15, [])], f"producer id 7, start offset 3; {HIDDEN}"),
    ],
)
def test_each_broker_names_the_transactions_that_it_coordinates(answers: list[Any], words: str) -> None:
    cluster: Any = Cluster((FIRST, SECOND), answers)
    found = asyncio.run(find_open_transactions(cluster, ["g"]))["g"]
    assert str(found) == f"open transactions in {OFFSETS_TOPIC}-0: {words}"


@pytest.mark.parametrize(("found", "words"), [((), ""), (error("TOPIC_AUTHORIZATION_FAILED"), None)])
def test_nothing_is_open_or_it_is_hidden(found: Any, words: str | None) -> None:
    cluster: Any = Cluster(found, [])
    blocked = asyncio.run(find_open_transactions(cluster, ["g"]))["g"]
    assert blocked is found if words is None else str(blocked) == words
