# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The open transactions that block a group's partition of the offsets topic (KIP-664)."""

from __future__ import annotations

import typing as t

from .._kafka.errors import CallError, KafkaError, UnsupportedVersion
from .._kafka.model import OFFSETS_TOPIC, OpenTransaction, TopicPartition, offsets_partition
from .._kafka.rpc.describe_producers import DescribeProducers
from .._kafka.rpc.list_transactions import list_transactions_request, read_transactional_ids
from .._kafka.session import Session
from ._read_topics import describe_topics


class Blocked(t.NamedTuple):
    """The partition of the offsets topic that holds a group, and the open transactions there.

    They include those that commit offsets of other groups of the partition.
    """

    where: TopicPartition
    transactions: tuple[OpenTransaction, ...]

    def __str__(self) -> str:
        shown = "; ".join(str(each) for each in self.transactions)
        return f"open transactions in {self.where}: {shown}" if self.transactions else ""


async def find_open_transactions(session: Session, groups: list[str]) -> dict[str, Blocked | KafkaError]:
    """Return what is open in the partition of each group, or why that cannot be read: it needs READ on the topic."""
    if not groups:
        return {}
    topic = (await describe_topics(session, [OFFSETS_TOPIC]))[OFFSETS_TOPIC]
    if isinstance(topic, KafkaError):
        return dict.fromkeys(groups, topic)
    places = {name: offsets_partition(name, len(topic.partitions)) for name in groups}
    found = await session.driver.read(DescribeProducers(), set(places.values()))
    producers = {each.producer_id for open_ in found.values() if not isinstance(open_, KafkaError) for each in open_}
    names = await _transactional_ids(session, producers) if producers else {}
    return {name: _blocked(where, found[where], names) for name, where in places.items()}


def _blocked(
    where: TopicPartition,
    found: tuple[OpenTransaction, ...] | KafkaError,
    names: dict[int, tuple[str, str]],
) -> Blocked | KafkaError:
    if isinstance(found, KafkaError):
        return found
    unknown = (None, None)
    named = [(one, *names.get(one.producer_id, unknown)) for one in found]
    return Blocked(where, tuple(one._replace(transactional_id=id_, state=state) for one, id_, state in named))


async def _transactional_ids(session: Session, producers: set[int]) -> dict[int, tuple[str, str]]:
    """Return the transactional id and state of each visible producer; each broker knows those it coordinates."""
    request = list_transactions_request(producers)

    async def ask(node: int) -> dict[int, tuple[str, str]]:
        try:
            found = await session.wire.call(node, request, read_transactional_ids)
        except (CallError, UnsupportedVersion):
            # the transactions of this broker stay without a name
            return {}
        return {} if isinstance(found, KafkaError) else found

    answers = await session.wire.gather(ask(node) for node in session.wire.nodes)
    return {producer: named for answer in answers for producer, named in answer.items()}
