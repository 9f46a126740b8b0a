# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One request a coordinator and batch, for any number of groups (KIP-699; Java's AdminApiDriver).

The lookup stage finds each group's coordinator, the fulfilment stage asks all coordinators at the same time. Each group
ends with its own value or error. A group whose coordinator moved is looked up again; a mutating request that got no
answer is never sent again before a read showed whether it was done.
"""

from __future__ import annotations

import collections
import collections.abc as c
import functools
import random
import struct
import typing as t

from . import _messages as messages
from ._errors import CallError, KafkaError, UnreadableAnswer, UnsupportedVersion, error
from ._rpc._handler import Done, Failed, Handler, Outcome, Retry, Unmap, coordinator_outcome
from ._rpc.find_coordinator import BATCHED_VERSION, LOOKUP_BATCH, find_coordinator_request, read_coordinators
from ._wire import Wire

# requests that are on their way to one coordinator at most: enough to hide the network's delay
WINDOW = 128
# it works them off one by one, and the time of each runs since it was sent: so many seconds are left for each of them
_SECONDS_EACH = 0.2
BACKOFF = 0.1
BACKOFF_MAX = 1.0
# also the name of every code that Kafka does not know
_DOUBTFUL = "UNKNOWN_SERVER_ERROR"

V = t.TypeVar("V")

Settle = c.Callable[[list[str]], c.Coroutine[t.Any, t.Any, dict[str, V | KafkaError | None]]]  # pylint: disable=unsupported-binary-operation
"""Reads what became of groups: the value if the change was made, None if it was not, an error if nobody can tell.

The error C(POLICY_VIOLATION) ends it: the change must not be sent again, since somebody else's came after it was read.
"""


class Driver:
    """Runs handlers over the coordinators of one cluster, and remembers who coordinates what.

    Attributes:
        resent: groups for which a change was sent again, after a first request that may have been carried out: if the
            second finds nothing left to change, it was.
    """

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.coordinators: dict[str, int] = {}
        self.resent: set[str] = set()

    async def read(self, handler: Handler[V], groups: c.Iterable[str]) -> dict[str, V | KafkaError]:
        """Run one reading RPC for each group; return each group's value or error, in the order of the groups.

        Within the task's time: what is not finished by then fails as REQUEST_TIMED_OUT, with its last error. When some
        groups are read, the others are waited for no longer than half of the time that is left: a group without
        coordinator does not keep the task from what it can do.
        """
        return await _Run(self, handler, list(dict.fromkeys(groups)), settle=None).finish()

    async def change(
        self, handler: Handler[V], groups: c.Iterable[str], settle: Settle[V]
    ) -> dict[str, V | KafkaError]:
        """Run one mutating RPC for each group, as `read` does.

        A request that got no answer is not sent again before `settle` has read what became of it.
        """
        return await _Run(self, handler, list(dict.fromkeys(groups)), settle).finish()

    async def lookup(self, groups: list[str]) -> dict[str, Failed | Retry]:
        """Find the coordinators of groups; return those that could not be found, and why."""
        try:
            batch = LOOKUP_BATCH if await self._batched_lookup() else 1
        except (CallError, UnsupportedVersion) as exc:
            return dict.fromkeys(groups, Retry(error("NETWORK_EXCEPTION", str(exc))))
        missed: dict[str, Failed | Retry] = {}

        async def ask(keys: list[str]) -> None:
            batched = batch > 1
            read = functools.partial(read_coordinators, keys, batched=batched)
            try:
                asked, found = await self.wire.call_any(find_coordinator_request(keys, batched), read)
            except UnreadableAnswer as exc:
                missed.update(dict.fromkeys(keys, Failed(error("UNKNOWN_SERVER_ERROR", str(exc)))))
                return
            except (CallError, UnsupportedVersion) as exc:
                missed.update(dict.fromkeys(keys, Retry(error("NETWORK_EXCEPTION", str(exc)))))
                return
            where = self.wire.address(asked)
            words = f"{where}: its answer about coordinators does not speak of the group"
            missed.update(dict.fromkeys(keys, Retry(error("UNKNOWN_SERVER_ERROR", words))))
            for key, code, message, node in found:
                missed.pop(key, None)
                outcome = coordinator_outcome(code, message)
                if outcome is None:
                    self.coordinators[key] = node
                else:
                    kind = Failed if isinstance(outcome, Failed) else Retry
                    missed[key] = kind(_told_by(where, outcome.error))

        await self.work(ask, _chunks(groups, batch))
        found_at = {self.coordinators[group] for group in groups if group in self.coordinators}
        if not all(self.wire.knows(node) for node in found_at):
            try:
                await self.wire.refresh()
            except (CallError, UnsupportedVersion) as exc:
                missed.update(dict.fromkeys(groups, Retry(error("NETWORK_EXCEPTION", str(exc)))))
        return missed

    async def _batched_lookup(self) -> bool:
        failure: CallError | None = None
        for node in self.wire.nodes:
            try:
                return await self.wire.version(node, messages.FindCoordinatorRequest) >= BATCHED_VERSION
            except CallError as exc:
                failure = exc
        raise failure or CallError("no broker is known", sent=False)

    async def work(
        self, job: c.Callable[[list[str]], c.Coroutine[t.Any, t.Any, None]], batches: list[list[str]]
    ) -> None:
        """Run a job for each batch, at most WINDOW of them at a time, and fewer where requests have little time."""
        queue = collections.deque(batches)
        window = max(1, min(WINDOW, int(self.wire.request_timeout / _SECONDS_EACH), len(batches)))

        async def worker() -> None:
            while queue:
                await job(queue.popleft())

        await self.wire.gather(worker() for _number in range(window))


class _Run(t.Generic[V]):
    """The state of one handler's run over its groups."""

    def __init__(self, driver: Driver, handler: Handler[V], groups: list[str], settle: Settle[V] | None) -> None:
        self.driver = driver
        self.wire = driver.wire
        self.handler = handler
        self.settle = settle
        self.order = groups
        self.pending = dict.fromkeys(groups)
        self.results: dict[str, V | KafkaError] = {}
        self.last: dict[str, KafkaError] = {}
        self.unknown: dict[str, None] = {}
        # what may be carried out yet, whatever a read says: it is on its way to a slow broker, or waits for replicas
        self.late: set[str] = set()
        self.doubted: dict[str, V | KafkaError] = {}
        # time to read, after the last request was sent, what became of it
        self.reserve = min(5.0, self.wire.deadline.timeout / 10) if settle else 0.0
        self.half = self.wire.deadline.remaining / 2

    @property
    def _kept(self) -> float:
        """Seconds for what comes afterwards, in which nothing is asked again."""
        return self.half if self.results and not self.settle else self.reserve

    async def finish(self) -> dict[str, V | KafkaError]:
        attempt = 0
        while self.pending:
            await self._attempt()
            if self.unknown and self.settle:
                await self._settle(self.settle)
            if self.pending:
                delay = min(BACKOFF_MAX, BACKOFF * 2**attempt) * random.uniform(0.8, 1.2)
                attempt += 1
                if self.wire.deadline.remaining - self._kept <= delay:
                    break
                await self.wire.sleep(delay)
        for group in self.pending:
            self.results[group] = self._timed_out(group)
        return {group: self.results[group] for group in self.order}

    def _timed_out(self, group: str) -> KafkaError:
        last = self.last.get(group)
        because = f"; last: {last.name}: {last.message}" if last else ""
        if group in self.unknown or group in self.late:
            words = "the request was sent, but nothing tells whether it was carried out: run the task again"
        else:
            words = f"not finished within {self.wire.deadline.timeout - self._kept:.3g} s"
        return error("REQUEST_TIMED_OUT", words + because)

    async def _attempt(self) -> None:
        coordinators = self.driver.coordinators
        askable = [group for group in self.pending if group not in self.unknown]
        lost = [group for group in askable if group not in coordinators]
        if lost:
            for group, outcome in (await self.driver.lookup(lost)).items():
                self._take(group, outcome)
        by_node: dict[int, list[str]] = collections.defaultdict(list)
        for group in askable:
            if group in coordinators and group in self.pending:
                by_node[coordinators[group]].append(group)
        await self.wire.gather(self._ask_node(node, groups) for node, groups in by_node.items())

    async def _ask_node(self, node: int, groups: list[str]) -> None:
        async def ask(batch: list[str]) -> None:
            await self._ask(node, batch)

        try:
            version = await self.wire.version(node, self.handler.request(groups[:1]))
        except CallError as exc:
            self._not_answered(groups, exc)
            return
        except UnsupportedVersion as exc:
            self._unsupported(groups, exc)
            return
        await self.driver.work(ask, _chunks(groups, self.handler.batch_for(version)))

    async def _ask(self, node: int, groups: list[str]) -> None:
        read = functools.partial(self.handler.outcomes, groups)
        try:
            outcomes = await self.wire.call(node, self.handler.request(groups), read, self.reserve)
        except UnreadableAnswer as exc:
            self._unreadable(groups, exc)
        except CallError as exc:
            self._not_answered(groups, exc)
        except UnsupportedVersion as exc:
            self._unsupported(groups, exc)
        except (ValueError, OverflowError, struct.error) as exc:
            words = f"the request cannot be put into Kafka's protocol ({exc}), and was not sent"
            self._fail(groups, error("INVALID_REQUEST", words))
        else:
            for group in groups:
                self._answered(node, group, outcomes.get(group))

    def _answered(self, node: int, group: str, outcome: Outcome[V] | None) -> None:
        if isinstance(outcome, Done):
            if self.settle and _doubtful(outcome.value):
                self._doubt(group, outcome.value)
            else:
                self._end(group, outcome.value)
        elif outcome is None:
            where = self.wire.address(node)
            problem = error("UNKNOWN_SERVER_ERROR", f"{where}: its answer does not speak of the group")
            self._take(group, Retry(problem), sent=True)
        elif isinstance(outcome, Failed) and outcome.error.name == _DOUBTFUL:
            self._doubt(group, _told_by(self.wire.address(node), outcome.error))
        else:
            if self.settle and outcome.error.name == "NOT_COORDINATOR":
                # also for a write that a broker took, and then lost the group before it was replicated
                self.driver.resent.add(group)
            # a write that timed out on the broker comes back as COORDINATOR_NOT_AVAILABLE
            self._take(group, outcome, sent=outcome.error.name == "COORDINATOR_NOT_AVAILABLE")

    def _doubt(self, group: str, told: V | KafkaError) -> None:
        """Take errors that may have come after the change was made: they hold unless a read shows the change."""
        if self.settle:
            self.doubted[group] = told
            self.unknown[group] = None
        else:
            self._end(group, told)

    def _unreadable(self, groups: list[str], exc: UnreadableAnswer) -> None:
        """Fail what was only to be read; of a change, nobody knows whether it was carried out."""
        problem = error("UNKNOWN_SERVER_ERROR", str(exc))
        for group in groups:
            self._take(group, Unmap(problem) if self.settle else Failed(problem), sent=True)

    def _fail(self, groups: list[str], problem: KafkaError) -> None:
        for group in groups:
            self._take(group, Failed(problem))

    def _unsupported(self, groups: list[str], exc: UnsupportedVersion) -> None:
        self._fail(groups, error("UNSUPPORTED_VERSION", str(exc)))

    def _not_answered(self, groups: list[str], exc: CallError) -> None:
        problem = error("NETWORK_EXCEPTION", str(exc))
        # that the task's time ended meanwhile says less than what a broker answered before
        in_time = self.wire.deadline.remaining > self.reserve
        for group in groups:
            self._take(group, Unmap(problem if in_time else self.last.get(group, problem)), sent=exc.sent)

    def _take(self, group: str, outcome: Failed | Retry | Unmap, sent: bool = False) -> None:
        if isinstance(outcome, Failed):
            self._end(group, outcome.error)
        else:
            self.last[group] = outcome.error
            if isinstance(outcome, Unmap):
                self.driver.coordinators.pop(group, None)
            if self.settle and sent:
                self.unknown[group] = None
                self.late.add(group)

    def _end(self, group: str, result: V | KafkaError) -> None:
        self.results[group] = result
        del self.pending[group]

    async def _settle(self, settle: Settle[V]) -> None:
        for group, made in (await settle(list(self.unknown))).items():
            if isinstance(made, KafkaError) and made.name != "POLICY_VIOLATION":
                self.last[group] = made
                continue
            del self.unknown[group]
            doubted = self.doubted.pop(group, None)
            if made is None and doubted is not None:
                self._end(group, doubted)
            elif made is None:
                self.driver.resent.add(group)
            else:
                self._end(group, made)


def _told_by(where: str, problem: KafkaError) -> KafkaError:
    """Return the error, with the broker's address where nothing else tells what to look at."""
    return problem._replace(message=f"{where}: {problem.message}") if problem.name == _DOUBTFUL else problem


def _doubtful(value: t.Any) -> bool:
    """Whether a broker says of one part of a group that it does not know what went wrong."""
    answers = value.values() if isinstance(value, dict) else ()
    return any(isinstance(answer, KafkaError) and answer.name == _DOUBTFUL for answer in answers)


def _chunks(groups: list[str], size: int) -> list[list[str]]:
    return [groups[start : start + size] for start in range(0, len(groups), size)]
