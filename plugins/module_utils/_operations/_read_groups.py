# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What every operation reads first: groups as their coordinators describe them, and their committed offsets."""

from __future__ import annotations

import itertools
import typing as t

from .._kafka.driver import backoff
from .._kafka.errors import CallError, KafkaError, UnsupportedVersion, error, from_call_error, from_code
from .._kafka.model import Committed, Group, Offsets, ShareOffsets
from .._kafka.rpc.describe_groups import AbsentGroupOperations, DescribeGroups
from .._kafka.rpc.describe_handler import DescribeHandler
from .._kafka.rpc.list_groups import list_groups_request
from .._kafka.rpc.offset_fetch import OffsetFetch
from .._kafka.session import Session

Described = Group | None | KafkaError  # pylint: disable=unsupported-binary-operation
StartOffsets = ShareOffsets | KafkaError  # pylint: disable=unsupported-binary-operation

_UNSTABLE = "UNSTABLE_OFFSET_COMMIT"
_NO_START_OFFSETS = (
    "the broker does not support start offsets of share groups: upgrade the cluster to Kafka 4.2 or newer, and enable "
    "the feature share.version"
)
_REBALANCING = ("PreparingRebalance", "CompletingRebalance")
_REBALANCE_WAIT = 10.0
_UNSTABLE_WAIT = 10.0
# of the task's time
_WAIT_SHARE = 4
_NO_FEATURE = (
    "it exists, and its broker does not describe groups of its type while the cluster lacks their feature, such as "
    "group.version: finish the upgrade of the cluster"
)


async def describe(session: Session, names: t.Iterable[str], needed: str = "DESCRIBE") -> dict[str, Described]:
    """Return each group, whatever its type, None if it does not exist, or why it cannot be described.

    Classic first, which most groups are, then KIP-848, then the types that only newer brokers know. At last classic
    again: a KIP-848 group that classic consumers took over between the first two was neither.

    Args:
        needed: the permission that the task needs on its groups, for those that one may not even describe.
    """
    seen: dict[str, Described] = dict.fromkeys(names)
    refused: dict[str, None] = {}
    missing = list(seen)
    for handler in describe_handlers():
        unsupported = []
        for name, answer in (await session.driver.read(handler, missing)).items():
            if isinstance(answer, Group):
                seen[name] = answer
            elif answer and answer.name == "UNSUPPORTED_VERSION" and not isinstance(handler, DescribeGroups):
                unsupported.append(name)
            elif answer:
                seen[name] = _in_words(name, answer, needed)
        # a broker that does not know a type has no group of it
        refused.update(dict.fromkeys([name for name in unsupported if await _knows(session, name, handler)]))
        missing = [name for name in missing if seen[name] is None]
        if not missing:
            # before the next handler is imported
            break
    return {**seen, **await _undescribed(session, [name for name in refused if seen[name] is None])}


async def _knows(session: Session, name: str, handler: DescribeHandler) -> bool:
    """Whether the coordinator of a group knows an RPC, which it then refused: the cluster may lack its feature."""
    node = session.driver.coordinators.nodes.get(name)
    try:
        if node is not None:
            await session.wire.version(node, handler.request([name]))
    except UnsupportedVersion:
        return False
    except CallError:
        # reported when its groups are listed
        return True
    return True


async def _undescribed(session: Session, names: list[str]) -> dict[str, KafkaError]:
    """Return those of these groups that exist, although their brokers refuse to describe groups of their type.

    In the middle of an upgrade, KIP-848 groups of Kafka 3.9 do. Or why this is unknown.
    """
    found = dict.fromkeys(names, error("COORDINATOR_NOT_AVAILABLE"))
    groups: dict[int, list[str]] = {}
    for name in names:
        if name in session.driver.coordinators.nodes:
            groups.setdefault(session.driver.coordinators.nodes[name], []).append(name)
    for node, at in groups.items():
        try:
            listed = await session.wire.call(node, list_groups_request([], []), _listed_names)
        except CallError as exc:
            found.update(dict.fromkeys(at, from_call_error(exc)))
            continue
        for name in at:
            if isinstance(listed, KafkaError):
                found[name] = listed
            elif name in listed:
                found[name] = error("UNSUPPORTED_VERSION", _NO_FEATURE)
            else:
                del found[name]
    return found


def _listed_names(response: t.Any) -> set[str] | KafkaError:
    return from_code(response.error_code) or {group.group_id for group in response.groups}


def describe_handlers() -> t.Iterator[DescribeHandler]:
    """Yield the RPCs that look for groups, in the order in which they are asked."""
    yield DescribeGroups()
    # not above: most tasks are done before they would be imported
    from .._kafka.rpc.consumer_group_describe import ConsumerGroupDescribe
    from .._kafka.rpc.share_group_describe import ShareGroupDescribe
    from .._kafka.rpc.streams_group_describe import StreamsGroupDescribe

    yield ConsumerGroupDescribe()
    yield ShareGroupDescribe()
    yield StreamsGroupDescribe()
    yield DescribeGroups()


def _in_words(name: str, answer: KafkaError, needed: str) -> KafkaError:
    words = {
        "GROUP_AUTHORIZATION_FAILED": f"this needs {needed} on group '{name}'",
        "TOPIC_AUTHORIZATION_FAILED": f"describing group '{name}' needs DESCRIBE on the topics of its members",
    }
    return error(answer.name, words[answer.name]) if answer.name in words else answer


async def describe_at_rest(session: Session, names: t.Iterable[str], needed: str) -> dict[str, Described]:
    """Describe groups; wait a while for those that rebalance, since their subscriptions do not show meanwhile."""
    seen = await describe(session, names, needed)
    patience = min(_REBALANCE_WAIT, session.deadline.remaining / _WAIT_SHARE)
    while patience > 0:
        moving = [name for name, group in seen.items() if isinstance(group, Group) and group.state in _REBALANCING]
        if not moving:
            break
        await session.wire.sleep(0.5)
        patience -= 0.5
        seen.update(await describe(session, moving, needed))
    return seen


async def committed(session: Session, names: t.Iterable[str]) -> dict[str, Offsets | KafkaError]:
    """Return all that each group has committed; nothing for a group that does not exist.

    What a group is about to commit is waited for, a while.
    """
    patience = min(_UNSTABLE_WAIT, session.deadline.remaining / _WAIT_SHARE)
    end = session.deadline.remaining - patience
    found = await _fetch(session, names, stable=True)
    for attempt in itertools.count():
        unstable, delay = _unstable(found), backoff(attempt)
        if not unstable or session.deadline.remaining - delay <= end:
            break
        await session.wire.sleep(delay)
        found.update(await _fetch(session, unstable, stable=True))
    return {**found, **await _still_unstable(session, _unstable(found), patience)}


async def _still_unstable(session: Session, names: list[str], patience: float) -> dict[str, KafkaError]:
    """Return the error of groups whose commits were pending for so many seconds, with their open transactions."""
    if not names:
        return {}
    # not above: hardly any task needs it
    from ._open_transactions import find_open_transactions

    problems = {}
    for name, blocked in (await find_open_transactions(session, names)).items():
        if isinstance(blocked, KafkaError):
            known = f" (its producer cannot be shown: {blocked.name})"
        else:
            known = f" ({blocked})" if blocked.transactions else ""
        words = (
            f"a commit of its offsets was pending for {patience:.2g} s, possibly in an open transaction{known}: wait "
            "until the transaction ends, or abort it with kafka-transactions.sh, and run the task again"
        )
        problems[name] = error(_UNSTABLE, words)
    return problems


async def unstable_groups(session: Session, names: list[str]) -> list[str]:
    """Return the groups that are about to commit."""
    return _unstable(await _fetch(session, names, stable=True)) if names else []


async def committed_now(session: Session, names: t.Iterable[str]) -> dict[str, Offsets | KafkaError]:
    """Return what each group has committed, also where its coordinator has just taken over; see OffsetFetch.

    What a group is about to commit is not waited for.
    """
    found = await _fetch(session, names, stable=True)
    return {**found, **await _fetch(session, _unstable(found), stable=False)}


async def _fetch(session: Session, names: t.Iterable[str], stable: bool) -> dict[str, Offsets | KafkaError]:
    return await session.driver.read(OffsetFetch(stable), names)


def _unstable(found: dict[str, Offsets | KafkaError]) -> list[str]:
    return [name for name, answer in found.items() if isinstance(answer, KafkaError) and answer.name == _UNSTABLE]


async def read_start_offsets(session: Session, names: t.Iterable[str]) -> dict[str, StartOffsets]:
    """Return the start offsets of each share group; none for a group that does not exist or is of another type."""
    # not above: most tasks need no messages of share groups
    from .._kafka.rpc.describe_share_group_offsets import DescribeShareGroupOffsets

    found = await session.driver.read(DescribeShareGroupOffsets(), names)
    return {name: _with_remedy(answer) for name, answer in found.items()}


def _with_remedy(answer: StartOffsets) -> StartOffsets:
    if isinstance(answer, KafkaError) and answer.name == "UNSUPPORTED_VERSION":
        return error(answer.name, _NO_START_OFFSETS)
    return answer


def known_offsets(found: dict[str, StartOffsets]) -> dict[str, Offsets | KafkaError]:
    """Return the start offsets as offsets to back up; without those that are unknown."""
    return {
        name: answer
        if isinstance(answer, KafkaError)
        else {where: Committed(at.offset) for where, at in answer.items() if at.offset is not None}
        for name, answer in found.items()
    }


async def absent_group_operations(
    session: Session, names: t.Iterable[str]
) -> dict[str, frozenset[str] | KafkaError | None]:
    """Return what the caller may do with each of these missing groups; None where the broker does not say."""
    return await session.driver.read(AbsentGroupOperations(), names)
