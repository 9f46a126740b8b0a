# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which broker the requests about something go to: its coordinator, leader, the controller, or any (Java's
AdminApiLookupStrategy).
"""

from __future__ import annotations

import abc
import collections.abc as c
import functools
import typing as t

from . import library
from .batches import in_batches
from .errors import (
    AMBIGUOUS_ERROR,
    CallError,
    KafkaError,
    LoginRefused,
    UnreadableAnswer,
    UnsupportedVersion,
    error,
    from_call_error,
)
from .model import TopicPartition
from .rpc.find_coordinator import BATCHED_VERSION, LOOKUP_BATCH, find_coordinator_request, read_coordinators
from .rpc.handler import Failed, Retry, coordinator_outcome
from .rpc.metadata import METADATA_BATCH, metadata_request, read_leaders
from .wire import Wire

K = t.TypeVar("K", bound=c.Hashable)

Missed = Failed | Retry  # pylint: disable=unsupported-binary-operation


class Lookup(abc.ABC, t.Generic[K]):
    """Finds the brokers of keys.

    Attributes:
        nodes: the broker of each key, until a request shows that it is not the right one.
    """

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.nodes: dict[K, int] = {}

    @abc.abstractmethod
    async def find(self, keys: list[K]) -> dict[K, Missed]:
        """Find the brokers of keys; return those that could not be found, and why."""

    async def know(self) -> None:
        """Learn the addresses of brokers that have joined the cluster since; raises as C(Wire.refresh) does."""
        if not all(self.wire.knows(node) for node in set(self.nodes.values())):
            await self.wire.refresh()


class Coordinators(Lookup[str]):
    """Groups: by FindCoordinator, in batches where the broker knows them (KIP-699)."""

    async def find(self, keys: list[str]) -> dict[str, Missed]:
        try:
            _node, version = await self.wire.reach_any(library.FindCoordinatorRequest)
        except (CallError, UnsupportedVersion) as exc:
            return dict.fromkeys(keys, _unasked(exc))
        batched = version >= BATCHED_VERSION
        missed: dict[str, Missed] = {}

        async def ask(groups: list[str]) -> None:
            read = functools.partial(read_coordinators, groups, batched=batched)
            try:
                asked, found = await self.wire.call_any(find_coordinator_request(groups, batched), read)
            except UnreadableAnswer as exc:
                missed.update(dict.fromkeys(groups, Failed(error(AMBIGUOUS_ERROR, str(exc)))))
                return
            except (CallError, UnsupportedVersion) as exc:
                missed.update(dict.fromkeys(groups, _unasked(exc)))
                return
            where = self.wire.address(asked)
            words = f"{where}: the FindCoordinator response did not include the group"
            missed.update(dict.fromkeys(groups, Retry(error(AMBIGUOUS_ERROR, words))))
            for key, code, message, node in found:
                missed.pop(key, None)
                outcome = coordinator_outcome(code, message)
                if outcome is None:
                    self.nodes[key] = node
                else:
                    kind = Failed if isinstance(outcome, Failed) else Retry
                    missed[key] = kind(with_address(where, outcome.error))

        await in_batches(self.wire, ask, keys, LOOKUP_BATCH if batched else 1)
        try:
            await self.know()
        except (CallError, UnsupportedVersion) as exc:
            missed.update(dict.fromkeys(keys, _unasked(exc)))
        return missed


# an election is under way, or no replica is there
_NO_LEADER = ("LEADER_NOT_AVAILABLE", "REPLICA_NOT_AVAILABLE", "NOT_LEADER_OR_FOLLOWER")


class Leaders(Lookup[TopicPartition]):
    """Partitions: by Metadata (Java's PartitionLeaderStrategy)."""

    async def find(self, keys: list[TopicPartition]) -> dict[TopicPartition, Missed]:
        missed: dict[TopicPartition, Missed] = {}

        async def ask(topics: list[str]) -> None:
            chosen = frozenset(topics)
            wanted = [key for key in keys if key.topic in chosen]
            read = functools.partial(read_leaders, wanted)
            try:
                _node, found = await self.wire.call_any(metadata_request(topics), read)
            except (CallError, UnsupportedVersion) as exc:
                missed.update(dict.fromkeys(wanted, _unasked(exc)))
                return
            for key, leader in found.items():
                if isinstance(leader, KafkaError):
                    missed[key] = Retry(leader) if leader.name in _NO_LEADER else Failed(leader)
                else:
                    self.nodes[key] = leader

        await in_batches(self.wire, ask, sorted({key.topic for key in keys}), METADATA_BATCH)
        try:
            await self.know()
        except (CallError, UnsupportedVersion) as exc:
            missed.update(dict.fromkeys(keys, _unasked(exc)))
        return missed


class Controller(Lookup[str]):
    """Topics that change: the controller, or in KRaft any broker, which forwards to it."""

    async def find(self, keys: list[str]) -> dict[str, Missed]:
        try:
            await self.wire.refresh()
        except (CallError, UnsupportedVersion) as exc:
            return dict.fromkeys(keys, _unasked(exc))
        controller = self.wire.controller
        if controller is None:
            return dict.fromkeys(keys, Retry(error("BROKER_NOT_AVAILABLE", "the cluster currently has no controller")))
        self.nodes.update(dict.fromkeys(keys, controller))
        return {}


class AnyBroker(Lookup[str]):
    """What every broker can answer: one that is connected, or the first that can be."""

    async def find(self, keys: list[str]) -> dict[str, Missed]:
        try:
            node, _version = await self.wire.reach_any(library.MetadataRequest)
        except (CallError, UnsupportedVersion) as exc:
            return dict.fromkeys(keys, _unasked(exc))
        self.nodes.update(dict.fromkeys(keys, node))
        return {}


def _unasked(exc: CallError | UnsupportedVersion) -> Missed:
    return (
        Failed(from_call_error(exc)) if isinstance(exc, LoginRefused) else Retry(error("NETWORK_EXCEPTION", str(exc)))
    )


def with_address(where: str, problem: KafkaError) -> KafkaError:
    """Return the error, with the broker's address if its name does not show the cause."""
    return problem._replace(message=f"{where}: {problem.message}") if problem.name == AMBIGUOUS_ERROR else problem
