# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""List and describe groups (KIP-518): nothing here changes anything."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import fnmatch
import re
import typing as t

from .. import _input as inputs
from .. import _messages as messages
from .._errors import CallError, KafkaError, TaskError, from_code
from .._model import Group, Listing, Member, Offsets, TopicPartition
from .._results import member_result
from .._rpc.list_groups import STATES_VERSION, TYPES_VERSION, list_groups_request, read_listings
from .._session import Session
from ._read import committed, describe

_RETRIES = 5
_BACKOFF = 0.2
_RETRIABLE = ("COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE")


@dataclasses.dataclass
class Found:
    """One group, with what was gathered of it."""

    listing: Listing
    group: Group | None = None
    offsets: Offsets | None = None


@dataclasses.dataclass
class Gathered:
    """What was found, which of the named groups do not exist, and what could not be asked."""

    groups: dict[str, Found]
    missing: list[str]
    errors: list[dict[str, t.Any]]
    logs: dict[TopicPartition, t.Any]


@dataclasses.dataclass(frozen=True)
class Request:
    """The task: which groups, and what to gather of each."""

    names: list[str] | None
    matches: c.Callable[[str], bool]
    states: list[str]
    types: list[str]
    gather: frozenset[str]


async def gather_info(request: Request, session: Session) -> dict[str, t.Any]:
    """Return C(groups), C(missing) and C(errors) as C(consumer_group_info) asks."""
    gather = request.gather
    gathered = Gathered({}, [], [], {})
    if request.names is not None:
        await _named(session, request.names, request, gathered)
    else:
        await _listed(session, request.states, request.types, gathered)
        gathered.groups = {name: found for name, found in gathered.groups.items() if request.matches(name)}
        if gather & {"members", "permissions"}:
            await _describe(session, gathered, request.states)
    if gather & {"offsets", "lag"}:
        await _fetch(session, gathered)
    if "lag" in gather:
        partitions = {where for found in gathered.groups.values() for where in found.offsets or ()}
        gathered.logs = dict(session.cluster.log_offsets(partitions))
        gathered.errors += [
            {**where._asdict(), "error": log.as_result()}
            for where, log in gathered.logs.items()
            if isinstance(log, KafkaError)
        ]
    return {
        "groups": [
            _group_result(found, gather, gathered.logs, session) for _name, found in sorted(gathered.groups.items())
        ],
        "missing": gathered.missing,
        "errors": gathered.errors,
    }


def parse(params: dict[str, t.Any]) -> Request:
    """Return what C(consumer_group_info) asks for; raises TaskError where an option cannot be."""
    for option in ("states", "types", "gather"):
        if params[option] is not None and not params[option]:
            raise TaskError(f"{option} is an empty list: name at least one, or leave {option} out. Nothing was sent.")
    return Request(
        names=None if params["names"] is None else inputs.group_names(params["names"]),
        matches=matcher(["*"] if params["match"] is None else inputs.texts(params["match"], "match")),
        states=params["states"] or [],
        types=params["types"] or [],
        gather=frozenset(params["gather"]),
    )


def matcher(patterns: c.Sequence[str]) -> c.Callable[[str], bool]:
    """Return whether a name matches one of the patterns: shell-style, or a regex when it starts with C(~).

    Raises:
        TaskError: a regex cannot be read.
    """
    expressions = []
    for pattern in patterns:
        try:
            expressions.append(re.compile(pattern[1:] if pattern.startswith("~") else fnmatch.translate(pattern)))
        except re.error as exc:
            raise TaskError(f"match: '{pattern}' is not a regular expression ({exc}). Nothing was sent.") from None
    return lambda name: any(expression.fullmatch(name) for expression in expressions)


async def _named(session: Session, names: list[str], request: Request, gathered: Gathered) -> None:
    for name, group in (await describe(session, names)).items():
        if group is None:
            gathered.missing.append(name)
        elif isinstance(group, KafkaError):
            gathered.errors.append({"group": name, "error": group.as_result()})
        elif group.state in (request.states or [group.state]) and group.type in (request.types or [group.type]):
            node = session.driver.coordinators[name]
            gathered.groups[name] = Found(Listing(name, group.type, group.protocol_type, group.state, node), group)


async def _listed(session: Session, states: list[str], types: list[str], gathered: Gathered) -> None:
    async def ask(node: int) -> list[Listing] | KafkaError | str:
        try:
            return await _list_node(session, node, states, types)
        except CallError as exc:
            return str(exc)

    nodes = session.wire.nodes
    for node, answer in zip(nodes, await session.wire.gather(ask(node) for node in nodes), strict=True):
        if isinstance(answer, list):
            gathered.groups.update((listing.name, Found(listing)) for listing in answer)
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
    problem: KafkaError | None = None
    for attempt in range(_RETRIES):
        response = await session.wire.call(node, list_groups_request(states, types))
        problem = from_code(response.error_code)
        if problem is None:
            return read_listings(response, node)
        if problem.name not in _RETRIABLE or session.deadline.over:
            break
        await session.wire.sleep(_BACKOFF * 2**attempt)
    return t.cast(KafkaError, problem)


async def _describe(session: Session, gathered: Gathered, states: list[str]) -> None:
    for name, group in (await describe(session, gathered.groups)).items():
        if isinstance(group, Group) and group.state in (states or [group.state]):
            gathered.groups[name].group = group
        elif not isinstance(group, KafkaError):
            # deleted, or in another state, since it was listed
            del gathered.groups[name]
        else:
            gathered.errors.append({"group": name, "error": group.as_result()})


async def _fetch(session: Session, gathered: Gathered) -> None:
    shared = [name for name, found in gathered.groups.items() if found.listing.type == "share"]
    for name in shared:
        gathered.groups[name].offsets = {}
    for name, found in (await committed(session, [name for name in gathered.groups if name not in shared])).items():
        if isinstance(found, KafkaError):
            gathered.errors.append({"group": name, "error": found.as_result()})
        else:
            gathered.groups[name].offsets = found


def _group_result(
    found: Found, gather: frozenset[str], logs: dict[TopicPartition, tuple[int, int] | KafkaError], session: Session
) -> dict[str, t.Any]:
    listing, group = found.listing, found.group
    host, _colon, port = session.wire.address(listing.coordinator).rpartition(":")
    result: dict[str, t.Any] = {
        "name": listing.name,
        "type": group.type if group else listing.type,
        "protocol_type": listing.protocol_type,
        "state": group.state if group else listing.state,
        "coordinator": {"id": listing.coordinator, "host": host, "port": int(port)},
    }
    if "members" in gather:
        result["assignor"] = group.assignor if group else None
        result["members"] = [_member_result(member) for member in group.members] if group else None
    if "permissions" in gather:
        result["permissions"] = sorted(group.operations) if group and group.operations is not None else None
    if gather & {"offsets", "lag"}:
        result["offsets"] = None if found.offsets is None else _offsets_result(found.offsets, logs)
    if "lag" in gather:
        result["lag"] = _sum(
            [offset["lag"] for offset in result["offsets"]] if result["offsets"] is not None else [None]
        )
    return result


def _member_result(member: Member) -> dict[str, t.Any]:
    return {
        **member_result(member),
        "topics": None if member.topics is None else list(member.topics),
        "assignment": [where._asdict() for where in member.assignment],
    }


def _offsets_result(
    offsets: Offsets, logs: dict[TopicPartition, tuple[int, int] | KafkaError]
) -> list[dict[str, t.Any]]:
    return [
        {**where._asdict(), **at.as_result(), **_log_result(at.offset, logs.get(where))}
        for where, at in sorted(offsets.items())
    ]


def _sum(lags: list[int | None]) -> int | None:
    """Return the sum, None if one of the lags cannot be told: half a sum would look like a group that caught up."""
    known = [lag for lag in lags if lag is not None]
    return sum(known) if len(known) == len(lags) else None


def _log_result(offset: int, log: tuple[int, int] | KafkaError | None) -> dict[str, int | None]:
    if log is None or isinstance(log, KafkaError):
        return {"log_start": None, "log_end": None, "lag": None}
    return {"log_start": log[0], "log_end": log[1], "lag": max(0, log[1] - offset)}
