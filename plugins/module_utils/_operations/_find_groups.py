# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Gather what there is of groups, listed or named: state, members, committed offsets, logs."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import itertools
import typing as t

from .._errors import NothingChanged, TaskError
from .._kafka import library
from .._kafka.driver import backoff
from .._kafka.errors import CallError, KafkaError, LoginRefused, UnreadableAnswer, error, from_call_error, from_code
from .._kafka.model import (
    OFFSETS_TOPIC,
    Committed,
    Group,
    Listing,
    Offsets,
    OpenTransaction,
    ShareOffsets,
    TopicPartition,
)
from .._kafka.rpc.list_groups import STATES_VERSION, TYPES_VERSION, list_groups_request, read_listings
from .._kafka.session import Session
from ._read_groups import committed_now, describe, read_start_offsets, unstable_groups
from ._read_topics import Logs, log_errors, read_logs, timestamps_at

_RETRIABLE = ("COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE")


class GroupLag(t.NamedTuple):
    """The lag of a group.

    Attributes:
        lag: None if a part of it cannot be known.
        known: the sum of the known parts, None if there is none.
        unknown_partitions: of how many partitions it is not known, None if the partitions of the members are unknown.
    """

    lag: int | None
    known: int | None
    unknown_partitions: int | None


@dataclasses.dataclass
class Found:
    """One group, with what was gathered of it.

    Attributes:
        undescribed: whether its coordinator was asked in vain.
        offsets: what it has committed, or the start offsets of a share group.
        assigned: the partitions that its members read; None where they cannot be known.
        start_offsets: those of a share group; None for other groups, and if the broker does not support them.
        lag: None if it was not asked for.
        timestamps: the highest one of the records up to each offset, in ms since the epoch, where there is one.
        open_transactions: those that may block its offsets; None if unknown, or not asked for.
    """

    listing: Listing
    group: Group | None = None
    undescribed: bool = False
    offsets: Offsets | None = None
    assigned: frozenset[TopicPartition] | None = None
    start_offsets: ShareOffsets | None = None
    lag: GroupLag | None = None
    timestamps: dict[TopicPartition, int] = dataclasses.field(default_factory=dict)
    open_transactions: tuple[OpenTransaction, ...] | None = None

    def set_start_offsets(self, start_offsets: ShareOffsets) -> None:
        """Set the start offsets of a share group; it has no offset on partitions that it has not read yet."""
        self.start_offsets = start_offsets
        self.offsets = {
            where: Committed(at.offset, at.leader_epoch) for where, at in start_offsets.items() if at.offset is not None
        }


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
    """List the groups of every broker; one that does not answer within the task's time is among the errors.

    When some brokers answer, the others are waited for no longer than half of the time that is left.
    """
    for node, answer in (await _Listing(session, states, types).ask_all()).items():
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


async def matching(session: Session, matches: c.Callable[[str], bool], share: bool) -> list[str]:
    """Return the existing groups that a pattern selects: share groups, or all others.

    Raises:
        TaskError: a broker does not list its groups.
    """
    gathered = Gathered({}, [], [], {})
    await listed(session, [], [], gathered)
    for problem in gathered.errors:
        words = problem.get("message") or f"{problem['error']['name']}: {problem['error']['message']}"
        raise NothingChanged(
            f"match: the broker at {problem['address']} does not list its groups: {words.rstrip('.')}."
        )
    found = gathered.groups.items()
    names = sorted(name for name, one in found if matches(name) and (one.listing.type == "share") == share)
    if not names:
        session.warnings.append("match: no existing group matches")
    return names


class _Listing:
    """One listing of all brokers: what is asked for, and until when."""

    def __init__(self, session: Session, states: list[str], types: list[str]) -> None:
        self._wire = session.wire
        self._states = states
        self._types = types
        self._half = session.wire.deadline.remaining / 2
        self._answered = False
        self._away = False

    @property
    def _kept(self) -> float:
        """Seconds for later requests, in which no broker is asked again."""
        return self._half if self._answered else 0.0

    async def ask_all(self) -> dict[int, list[Listing] | KafkaError | str]:
        """Return the groups of each broker, or why it does not list them."""
        answers: dict[int, list[Listing] | KafkaError | str] = {}
        asked = self._wire.nodes
        while asked:
            self._away = False
            answers.update(zip(asked, await self._wire.gather(self._ask(node) for node in asked), strict=True))
            # the groups of a broker that was away may have moved to one that had answered before
            asked = [node for node in asked if self._away and isinstance(answers[node], list)]
        return answers

    async def _ask(self, node: int) -> list[Listing] | KafkaError | str:
        """Return the groups of a broker, or why it does not list them, when the time for it is over."""
        why: KafkaError | str | None = None
        for attempt in itertools.count():
            answer = await self._try(node)
            if not isinstance(answer, _Again):
                self._answered |= isinstance(answer, list)
                return answer
            self._away = True
            delay = backoff(attempt)
            left = self._wire.deadline.remaining - self._kept
            # that the time ended meanwhile says less than what was wrong before
            why = answer.why if why is None or left > 0 else why
            if left <= delay:
                break
            await self._wire.sleep(delay)
        return t.cast("KafkaError | str", why)

    async def _try(self, node: int) -> list[Listing] | KafkaError | str | _Again:
        def read(response: t.Any) -> tuple[KafkaError | None, list[Listing]]:
            return from_code(response.error_code), read_listings(response, node)

        try:
            types = await self._types_for(node)
            # in the first half, one broker without a response does not mean that others do not respond
            reserve = self._half if self._wire.deadline.remaining > self._half else 0.0
            problem, listings = await self._wire.call(node, list_groups_request(self._states, types), read, reserve)
        except LoginRefused as exc:
            return from_call_error(exc)
        except UnreadableAnswer as exc:
            return str(exc)
        except CallError as exc:
            return _Again(str(exc))
        if problem is None:
            return listings
        return _Again(problem) if problem.name in _RETRIABLE else problem

    async def _types_for(self, node: int) -> list[str]:
        """Return the types to ask a broker for; raises TaskError if it is too old for what is asked."""
        version = await self._wire.version(node, library.ListGroupsRequest)
        address = self._wire.address(node)
        if self._states and version < STATES_VERSION:
            raise TaskError(
                f"UNSUPPORTED_VERSION: the broker at {address} is older than Kafka 2.6 and cannot list by states "
                "(KIP-518): leave states out."
            )
        if not self._types or version >= TYPES_VERSION:
            return self._types
        if "classic" not in self._types or set(self._types) - {"classic", "consumer"}:
            raise TaskError(
                f"UNSUPPORTED_VERSION: the broker at {address} is older than Kafka 3.8, whose groups are all classic, "
                "and cannot list by types: leave types out."
            )
        return []


class _Again(t.NamedTuple):
    """A broker may answer later, and why it has not yet."""

    why: KafkaError | str


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
            gathered.groups[name].undescribed = True
            gathered.errors.append({"group": name, "error": group.as_result()})


async def fetched(session: Session, gathered: Gathered) -> None:
    """Fetch all that the groups have committed; share groups commit nothing, see `fetched_start_offsets`."""
    names = [name for name, found in gathered.groups.items() if found.listing.type != "share"]
    for name, found in (await committed_now(session, names)).items():
        if isinstance(found, KafkaError):
            gathered.errors.append({"group": name, "error": found.as_result()})
        else:
            gathered.groups[name].offsets = found


async def blocked(session: Session, gathered: Gathered) -> None:
    """Find the open transactions that block groups which are about to commit; share groups commit nothing."""
    # not above: hardly any task needs it
    from ._open_transactions import find_open_transactions

    names = [name for name, found in gathered.groups.items() if found.listing.type != "share"]
    waiting = await unstable_groups(session, names)
    for name in names:
        gathered.groups[name].open_transactions = ()
    for name, found in (await find_open_transactions(session, waiting)).items():
        if isinstance(found, KafkaError):
            gathered.groups[name].open_transactions = None
            gathered.errors.append({"group": name, "error": _hidden(found).as_result()})
        else:
            gathered.groups[name].open_transactions = found.transactions


def _hidden(problem: KafkaError) -> KafkaError:
    if problem.name == "TOPIC_AUTHORIZATION_FAILED":
        return error(problem.name, f"showing its open transactions needs READ on topic '{OFFSETS_TOPIC}'")
    return problem


async def fetched_start_offsets(session: Session, gathered: Gathered) -> None:
    """Fetch the start offsets of share groups; they stay unknown if a broker does not support them."""
    names = [name for name, found in gathered.groups.items() if found.listing.type == "share"]
    for name, found in (await read_start_offsets(session, names)).items() if names else ():
        if not isinstance(found, KafkaError):
            gathered.groups[name].set_start_offsets(found)
        elif found.name != "UNSUPPORTED_VERSION":
            gathered.errors.append({"group": name, "error": found.as_result()})


async def logs(session: Session, gathered: Gathered, isolation: int) -> None:
    """Read the log of every partition that a group has committed, or that its members read."""
    partitions = {
        where
        for found in gathered.groups.values()
        for where in (*(found.start_offsets or found.offsets or ()), *(found.assigned or ()))
    }
    gathered.logs = await read_logs(session, partitions, isolation)
    gathered.errors += log_errors(gathered.logs)


async def read_timestamps(session: Session, gathered: Gathered) -> None:
    """Read the highest timestamp of the records up to each offset of the groups."""
    groups = [found for found in gathered.groups.values() if found.offsets]
    answers = await session.wire.gather(
        timestamps_at(session, {where: at.offset for where, at in (found.offsets or {}).items()}) for found in groups
    )
    for found, times in zip(groups, answers, strict=True):
        found.timestamps = {where: at for where, at in times.items() if isinstance(at, int)}
        gathered.errors += log_errors({where: at for where, at in times.items() if isinstance(at, KafkaError)})
