# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Gather what there is of groups, listed or named: state, members, committed offsets, logs."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import typing as t

from .. import _messages as messages
from .._errors import CallError, KafkaError, TaskError, from_code
from .._model import Group, Listing, Offsets, TopicPartition
from .._rpc.list_groups import STATES_VERSION, TYPES_VERSION, list_groups_request, read_listings
from .._session import Session
from ._read import committed_now, describe
from ._read_topics import Logs, read_logs

_RETRIES = 5
_BACKOFF = 0.2
_RETRIABLE = ("COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE")


@dataclasses.dataclass
class Found:
    """One group, with what was gathered of it.

    Attributes:
        assigned: the partitions that its members read; None where they cannot be known.
    """

    listing: Listing
    group: Group | None = None
    offsets: Offsets | None = None
    assigned: frozenset[TopicPartition] | None = None


@dataclasses.dataclass
class Gathered:
    """What was found, which of the named groups do not exist, and what could not be asked."""

    groups: dict[str, Found]
    missing: list[str]
    errors: list[dict[str, t.Any]]
    logs: Logs


async def named(session: Session, names: list[str], states: list[str], types: list[str], gathered: Gathered) -> None:
    """Describe these groups; those of other states and types are left out."""
    for name, group in (await describe(session, names)).items():
        if group is None:
            gathered.missing.append(name)
        elif isinstance(group, KafkaError):
            gathered.errors.append({"group": name, "error": group.as_result()})
        elif group.state in (states or [group.state]) and group.type in (types or [group.type]):
            node = session.driver.coordinators.nodes[name]
            gathered.groups[name] = Found(Listing(name, group.type, group.protocol_type, group.state, node), group)


async def listed(session: Session, states: list[str], types: list[str], gathered: Gathered) -> None:
    """List the groups of every broker; one that does not answer is among the errors."""

    async def ask(node: int) -> list[Listing] | KafkaError | str:
        try:
            return await _list_node(session, node, states, types)
        except CallError as exc:
            return str(exc)

    nodes = session.wire.nodes
    for node, answer in zip(nodes, await session.wire.gather(ask(node) for node in nodes), strict=True):
        if isinstance(answer, list):
            # a broker lists what it coordinates; one that has just lost a group may not know that yet
            told_twice = [listing.name for listing in answer if listing.name in gathered.groups]
            gathered.groups.update((listing.name, Found(listing)) for listing in answer)
            session.driver.coordinators.nodes.update((listing.name, node) for listing in answer)
            for name in told_twice:
                session.driver.coordinators.nodes.pop(name, None)
        else:
            problem = {"error": answer.as_result()} if isinstance(answer, KafkaError) else {"message": answer}
            gathered.errors.append({"broker": node, "address": session.wire.address(node), **problem})


async def _list_node(session: Session, node: int, states: list[str], types: list[str]) -> list[Listing] | KafkaError:
    version = await session.wire.version(node, messages.ListGroupsRequest)
    address = session.wire.address(node)
    if states and version < STATES_VERSION:
        raise TaskError(
            f"UNSUPPORTED_VERSION: the broker at {address} is older than Kafka 2.6 and cannot list by states "
            "(KIP-518): leave states out."
        )
    if types and version < TYPES_VERSION:
        if "classic" not in types or set(types) - {"classic", "consumer"}:
            raise TaskError(
                f"UNSUPPORTED_VERSION: the broker at {address} is older than Kafka 3.8, whose groups are all classic, "
                "and cannot list by types: leave types out."
            )
        types = []

    def read(response: t.Any) -> tuple[KafkaError | None, list[Listing]]:
        return from_code(response.error_code), read_listings(response, node)

    problem: KafkaError | None = None
    for attempt in range(_RETRIES):
        problem, listings = await session.wire.call(node, list_groups_request(states, types), read)
        if problem is None:
            return listings
        if problem.name not in _RETRIABLE or session.deadline.over:
            break
        await session.wire.sleep(_BACKOFF * 2**attempt)
    return t.cast(KafkaError, problem)


async def described(
    session: Session, gathered: Gathered, states: list[str], names: c.Collection[str] | None = None
) -> None:
    """Describe the listed groups, or those of `names`; those that are gone or of another state by now are dropped."""
    for name, group in (await describe(session, gathered.groups if names is None else names)).items():
        if isinstance(group, Group) and group.state in (states or [group.state]):
            gathered.groups[name].group = group
        elif not isinstance(group, KafkaError):
            # deleted, or in another state, since it was listed
            del gathered.groups[name]
        else:
            gathered.errors.append({"group": name, "error": group.as_result()})


async def fetched(session: Session, gathered: Gathered) -> None:
    """Fetch all that the groups have committed; share groups commit nothing, and keep their positions elsewhere."""
    names = [name for name, found in gathered.groups.items() if found.listing.type != "share"]
    for name, found in (await committed_now(session, names)).items():
        if isinstance(found, KafkaError):
            gathered.errors.append({"group": name, "error": found.as_result()})
        else:
            gathered.groups[name].offsets = found


async def logs(session: Session, gathered: Gathered) -> None:
    """Read the log of every partition that a group has committed, or that its members read."""
    partitions = {
        where for found in gathered.groups.values() for where in (*(found.offsets or ()), *(found.assigned or ()))
    }
    gathered.logs = await read_logs(session, partitions)
    gathered.errors += log_errors(gathered.logs)


def log_errors(logs: Logs) -> list[dict[str, t.Any]]:
    """Return the partitions whose logs could not be read, and why, as C(errors) has them."""
    return [{**where._asdict(), "error": log.as_result()} for where, log in logs.items() if isinstance(log, KafkaError)]
