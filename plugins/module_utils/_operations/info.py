# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""List and describe groups (KIP-518): nothing here changes anything."""

from __future__ import annotations

import collections.abc as c
import contextlib
import typing as t

from .. import _input as inputs
from .._errors import InvalidOption
from .._kafka.errors import CallError, KafkaError
from .._kafka.model import Group, Member, TopicPartition
from .._kafka.rpc.list_offsets import READ_COMMITTED, READ_UNCOMMITTED
from .._kafka.session import Session
from . import _find_groups, _selection
from ._find_groups import Found, Gathered
from ._lag import in_use, lag_of, measure
from ._names import group_names
from ._read_topics import Log, Logs
from ._selection import Selection
from .results import member_result

if t.TYPE_CHECKING:
    from ._wait import Wait

_DESCRIBED = {"members", "permissions", "topology"}
_OFFSETS = {"offsets", "timestamps"}
_FETCHED = {*_OFFSETS, "lag"}


class Request(t.NamedTuple):
    """The task: which groups, and what to gather of each; of more than `max_results`, the first by name."""

    names: list[str] | None
    matches: c.Callable[[str], bool]
    states: list[str]
    types: list[str]
    gather: frozenset[str]
    isolation: int
    selection: Selection
    max_results: int | None
    wait: Wait | None


async def gather_info(request: Request, session: Session) -> dict[str, t.Any]:
    """Return C(groups), how many there are, C(missing) and C(errors), when the groups are as the task waits for.

    Raises:
        TaskError: they were not in time.
    """
    if request.wait is None:
        return await _read(request, session, request.gather)
    # not above: most tasks do not wait
    from . import _wait

    answer, warnings = await _wait.wait_for(_Poller(request, session), request.wait, request.gather, session.check_mode)
    session.warnings += warnings
    return answer


class _Poller:
    """Reads the groups of a task again and again, from the brokers that there are by then."""

    def __init__(self, request: Request, session: Session) -> None:
        self._request = request
        self._session = session
        self._seen: dict[int, str] = {}

    async def read(self, gather: frozenset[str]) -> dict[str, t.Any]:
        if self._request.names is not None:
            return await _read(self._request, self._session, gather)
        wire = self._session.wire
        if self._seen:
            # if no broker answers, the listing below says so of each
            with contextlib.suppress(CallError):
                await wire.refresh()
        self._seen.update((node, wire.address(node)) for node in wire.nodes)
        answer = await _read(self._request, self._session, gather)
        # its groups may have no coordinator, and then no broker lists them
        gone = [
            {"broker": node, "address": address, "message": "it left the cluster while the task waited"}
            for node, address in self._seen.items()
            if node not in wire.nodes
        ]
        return {**answer, "total": None if gone else answer["total"], "errors": [*answer["errors"], *gone]}

    async def pause(self, seconds: float) -> None:
        await self._session.wire.sleep(seconds)


async def _read(request: Request, session: Session, gather: frozenset[str]) -> dict[str, t.Any]:
    gathered = Gathered({}, [], [], {})
    if request.names is not None:
        await _find_groups.named(session, request.names, request.states, request.types, gathered)
    else:
        await _find_groups.listed(session, request.states, request.types, gathered)
        gathered.groups = {name: found for name, found in gathered.groups.items() if request.matches(name)}
    conditions = request.selection.gather
    await _gather(request, session, gathered, conditions, done=frozenset())
    all_found = not gathered.errors
    _select(request.selection, gathered)
    left_out = _cut(gathered, request.max_results)
    await _gather(request, session, gathered, gather, done=conditions)
    # a group may have changed since it was listed
    _select(request.selection, gathered)
    if left_out:
        more = left_out if all_found else f"at least {left_out}"
        session.warnings.append(f"max_results is {request.max_results}, but {more} more groups match")
    coordinators = {found.listing.coordinator for found in gathered.groups.values()}
    addresses = {node: _address(session, node) for node in coordinators}
    return {
        "groups": [
            _group_result(gathered.groups[name], gather, gathered.logs, addresses) for name in sorted(gathered.groups)
        ],
        "total": len(gathered.groups) + left_out if all_found else None,
        "truncated": left_out > 0,
        "missing": gathered.missing,
        "errors": gathered.errors,
    }


async def _gather(
    request: Request, session: Session, gathered: Gathered, gather: frozenset[str], done: frozenset[str]
) -> None:
    """Gather this of each group, apart from what is done."""
    needs_state = request.wait is not None or request.selection.idle is not None
    names = [
        name
        for name, found in gathered.groups.items()
        if found.group is None
        and not found.undescribed
        and (
            gather & _DESCRIBED or ("lag" in gather and in_use(found)) or (needs_state and found.listing.state is None)
        )
    ]
    await _find_groups.described(session, gathered, request.states, names)
    if gather & _FETCHED and not done & _FETCHED:
        await _find_groups.fetched(session, gathered)
        await _find_groups.fetched_start_offsets(session, gathered)
    if "timestamps" in gather:
        await _find_groups.read_timestamps(session, gathered)
    if "transactions" in gather:
        await _find_groups.blocked(session, gathered)
    if "lag" in gather - done:
        await measure(session, gathered, request.isolation)


def _select(selection: Selection, gathered: Gathered) -> None:
    gathered.groups = {name: found for name, found in gathered.groups.items() if selection.includes(found)}


def _cut(gathered: Gathered, most: int | None) -> int:
    """Keep so many groups, the first by name; return how many are left out."""
    if most is None or len(gathered.groups) <= most:
        return 0
    left_out = len(gathered.groups) - most
    gathered.groups = {name: gathered.groups[name] for name in sorted(gathered.groups)[:most]}
    return left_out


def parse(params: dict[str, t.Any]) -> Request:
    """Return what C(consumer_group_info) asks for; raises TaskError where an option cannot be."""
    for option in ("states", "types", "gather"):
        if params[option] is not None and not params[option]:
            raise InvalidOption(f"{option} is an empty list: set at least one entry, or omit {option}.")
    selection = _selection.parse(params)
    return Request(
        names=None if params["names"] is None else group_names(params["names"]),
        matches=inputs.patterns(params["match"], "match"),
        states=params["states"] or [],
        types=params["types"] or [],
        gather=frozenset(params["gather"]) | selection.gather,
        isolation=READ_COMMITTED if params["isolation_level"] == "read_committed" else READ_UNCOMMITTED,
        selection=selection,
        max_results=_max_results(params["max_results"]),
        wait=_wait(params),
    )


def _wait(params: dict[str, t.Any]) -> Wait | None:
    if params["wait"] is None and params["wait_timeout"] is None:
        return None
    # not above: most tasks do not wait
    from ._wait import parse as parse_wait

    return parse_wait(params)


def _max_results(given: int | None) -> int | None:
    return None if given is None else inputs.whole(given, "max_results", 1, inputs.INT32_MAX)


def _address(session: Session, node: int) -> dict[str, t.Any]:
    if not session.wire.knows(node):
        # it has left the cluster since it listed the group
        return {"id": node, "host": None, "port": None}
    host, _colon, port = session.wire.address(node).rpartition(":")
    return {"id": node, "host": host, "port": int(port)}


def _group_result(
    found: Found,
    gather: frozenset[str],
    logs: Logs,
    addresses: dict[int, dict[str, t.Any]],
) -> dict[str, t.Any]:
    listing, group = found.listing, found.group
    result: dict[str, t.Any] = {
        "name": listing.name,
        "type": group.type if group else listing.type,
        "protocol_type": listing.protocol_type,
        "state": group.state if group else listing.state,
        "coordinator": addresses[listing.coordinator],
    }
    if "members" in gather:
        result["assignor"] = group.assignor if group else None
        result["members"] = [_member_result(member, group) for member in group.members] if group else None
    if "topology" in gather:
        result["topology"] = group.topology.as_result() if group and group.topology else None
    if "transactions" in gather:
        open_ = found.open_transactions
        result["open_transactions"] = None if open_ is None else [each._asdict() for each in open_]
    if "permissions" in gather:
        result["permissions"] = sorted(group.operations) if group and group.operations is not None else None
    if gather & _OFFSETS:
        result["offsets"] = _offsets_result(found, logs, "timestamps" in gather)
    if found.lag is not None:
        result["lag"], result["known_lag"], result["unknown_lag_partitions"] = found.lag
    return result


def _member_result(member: Member, group: Group) -> dict[str, t.Any]:
    # what a regular expression stands for shows in the assignment only, and before that not at all
    hidden = member.topics is None or (member.topic_regex and group.state != "Stable")
    result = {
        **member_result(member),
        "topics": None if hidden else list(member.topics or ()),
        "assignment": [where._asdict() for where in member.assignment],
    }
    if group.type == "streams":
        result["tasks"] = [task._asdict() for task in member.tasks]
    return result


def _offsets_result(found: Found, logs: Logs, with_timestamps: bool) -> list[dict[str, t.Any]] | None:
    if found.offsets is None:
        return None
    offsets = [
        {**where._asdict(), **at.as_result(), **_log_result(logs.get(where)), "lag": lag_of(found, where, logs)}
        for where, at in sorted(found.offsets.items())
    ]
    if with_timestamps:
        for offset in offsets:
            offset["timestamp"] = found.timestamps.get(TopicPartition(offset["topic"], offset["partition"]))
    return offsets


def _log_result(log: Log | KafkaError | None) -> dict[str, int | None]:
    start, end = (None, None) if log is None or isinstance(log, KafkaError) else log
    return {"log_start": start, "log_end": end}
