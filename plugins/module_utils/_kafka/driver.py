# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One request a broker and batch, for any number of groups, partitions or topics (Java's AdminApiDriver).

The lookup stage finds the broker of each key, such as a group's coordinator; the fulfilment stage asks all brokers at
the same time. Each key ends with its own value or error. A key whose broker moved is looked up again; a mutating
request that got no answer is never sent again before a read showed whether it was done.
"""

from __future__ import annotations

import collections
import collections.abc as c
import contextlib
import functools
import random
import struct
import typing as t

from .batches import in_batches
from .errors import (
    AMBIGUOUS_ERROR,
    LOGIN_ERRORS,
    CallError,
    KafkaError,
    LoginRefused,
    NothingSent,
    UnreadableAnswer,
    UnsupportedVersion,
    error,
    from_call_error,
)
from .lookup import AnyBroker, Controller, Coordinators, Leaders, Lookup, with_address
from .rpc.handler import UNCONFIRMED, Broker, Done, Failed, Handler, Outcome, Retry, Unmap
from .wire import Wire

BACKOFF = 0.1
BACKOFF_MAX = 1.0
# seconds for the check of what is sent again
_CHECK = 5.0
K = t.TypeVar("K", bound=c.Hashable)
V = t.TypeVar("V")

Verify = c.Callable[[list[K]], c.Coroutine[t.Any, t.Any, dict[K, V | KafkaError | None]]]  # pylint: disable=unsupported-binary-operation
"""Reads the outcome for each key: the value if the change was made, None if it was not, an error if it is unknown.

The error C(POLICY_VIOLATION) ends it: the change must not be sent again, because another client made a change since.
"""

Check = c.Callable[[list[K]], c.Coroutine[t.Any, t.Any, dict[K, V | KafkaError]]]  # pylint: disable=unsupported-binary-operation
"""Reads which keys must not be changed any longer: their values or C(POLICY_VIOLATION), and errors if it is unknown."""


def backoff(attempt: int, first: float = BACKOFF, most: float = BACKOFF_MAX) -> float:
    """Return the seconds to wait after an attempt, counted from 0, that was not the last: from `first` to `most`."""
    # a power that a float can hold, however long the task may run
    return min(most, first * 2.0 ** min(attempt, 10)) * random.uniform(0.8, 1.2)


class Changed(t.NamedTuple, t.Generic[K, V]):
    """The outcome of a mutating RPC.

    Attributes:
        answers: the value or error of each key, in the order of the keys.
        resent: keys for which this change was sent again, after a first request that may have been carried out: if
            the second finds nothing to change, the first was carried out.
    """

    answers: dict[K, V | KafkaError]
    resent: frozenset[K]


class Driver:
    """Runs handlers over the brokers of one cluster, and remembers which broker is whose."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.coordinators = Coordinators(wire)
        self.leaders = Leaders(wire)
        self.kept: float | None = None
        self._lookups: dict[Broker, Lookup[t.Any]] = {
            Broker.COORDINATOR: self.coordinators,
            Broker.LEADER: self.leaders,
            Broker.CONTROLLER: Controller(wire),
            Broker.ANY: AnyBroker(wire),
        }

    @contextlib.contextmanager
    def in_chunks(self) -> c.Iterator[None]:
        """Let all reads in the block together wait for what does not answer no longer than one read does."""
        with self.keeping(self.wire.deadline.remaining / 2):
            yield

    @contextlib.contextmanager
    def keeping(self, seconds: float) -> c.Iterator[None]:
        """Let reads in the block leave so many seconds of the task's time, whatever does not answer."""
        before, self.kept = self.kept, seconds
        try:
            yield
        finally:
            self.kept = before

    async def read(self, handler: Handler[K, V], keys: c.Iterable[K]) -> dict[K, V | KafkaError]:
        """Run one reading RPC for each key; return each key's value or error, in the order of the keys.

        Within the task's time: what is not finished by then fails as REQUEST_TIMED_OUT, with its last error. When some
        keys are read, the others are waited for no longer than half of the time that is left: a group without
        coordinator does not keep the task from what it can do.
        """
        return await _Run(self, handler, list(dict.fromkeys(keys)), verify=None).finish()

    async def change(
        self,
        handler: Handler[K, V],
        keys: c.Iterable[K],
        verify: Verify[K, V],
        check: Check[K, V] | None = None,
    ) -> Changed[K, V]:
        """Run one mutating RPC for each key, as `read` does.

        A request that got no answer is not sent again before `verify` has read its outcome, and one that was refused
        not before `check`.
        """
        run = _Run(self, handler, list(dict.fromkeys(keys)), verify, check)
        return Changed(await run.finish(), frozenset(run.resent))

    async def locate(self, handler: Handler[K, V], keys: c.Iterable[K]) -> None:
        """Look up the brokers of keys once, for several handlers that will ask about the same ones."""
        lookup = self.lookup(handler)
        lost = [key for key in keys if key not in lookup.nodes]
        if lost:
            await lookup.find(lost)

    def lookup(self, handler: Handler[K, V]) -> Lookup[K]:
        """Return what finds the brokers that the handler's requests go to."""
        return self._lookups[handler.broker]


class _Run(t.Generic[K, V]):
    """The state of one handler's run over its keys."""

    def __init__(
        self,
        driver: Driver,
        handler: Handler[K, V],
        keys: list[K],
        verify: Verify[K, V] | None,
        check: Check[K, V] | None = None,
    ) -> None:
        self.driver = driver
        self.wire = driver.wire
        self.handler = handler
        self.lookup = driver.lookup(handler)
        self.verify = verify
        self.check = check
        self.order = keys
        self.pending = dict.fromkeys(keys)
        self.results: dict[K, V | KafkaError] = {}
        self.last: dict[K, KafkaError] = {}
        self.unknown: dict[K, None] = {}
        # what may be carried out yet, whatever a read says: it is on its way to a slow broker, or waits for replicas
        self.late: set[K] = set()
        self.resent: set[K] = set()
        self.ambiguous: dict[K, V | KafkaError] = {}
        # time to read the outcome after the last request was sent
        self.reserve = min(5.0, self.wire.deadline.timeout / 10) if verify else 0.0
        self.half = self.wire.deadline.remaining / 2
        self.kept = driver.kept

    @property
    def _kept(self) -> float:
        """Seconds for what comes afterwards, in which nothing is asked again."""
        if self.kept is not None:
            return self.kept
        return self.half if self.results and not self.verify else self.reserve

    async def finish(self) -> dict[K, V | KafkaError]:
        attempt = 0
        while self.pending:
            await self._attempt(self.check if attempt else None)
            if self.unknown and self.verify:
                await self._verify(self.verify)
            if self.pending:
                delay = backoff(attempt)
                attempt += 1
                if self.wire.deadline.remaining - self._kept <= delay:
                    break
                await self.wire.sleep(delay)
        for key in self.pending:
            self.results[key] = self._timed_out(key)
        return {key: self.results[key] for key in self.order}

    def _timed_out(self, key: K) -> KafkaError:
        last = self.last.get(key)
        because = f"; last: {last.name}: {last.message}" if last else ""
        if key in self.unknown or key in self.late:
            words = "the request was sent, but its outcome is unknown: run the task again"
        else:
            words = f"not finished within {self.wire.deadline.timeout - self._kept:.3g} s"
        return error("REQUEST_TIMED_OUT", words + because)

    async def _attempt(self, check: Check[K, V] | None) -> None:
        nodes = self.lookup.nodes
        askable = [key for key in self.pending if key not in self.unknown]
        lost = [key for key in askable if key not in nodes]
        if lost:
            for key, outcome in (await self.lookup.find(lost)).items():
                self._take(key, outcome)
        ready = [key for key in askable if key in nodes and key in self.pending]
        if check and ready:
            ready = await self._checked(check, ready)
        by_node: dict[int, list[K]] = collections.defaultdict(list)
        for key in ready:
            if key in nodes:
                by_node[nodes[key]].append(key)
        await self.wire.gather(self._ask_node(node, keys) for node, keys in by_node.items())

    async def _ask_node(self, node: int, keys: list[K]) -> None:
        async def ask(batch: list[K]) -> None:
            await self._ask(node, batch)

        try:
            version = await self.wire.version(node, self.handler.request(keys[:1]))
        except CallError as exc:
            self._not_answered(keys, exc)
            return
        except UnsupportedVersion as exc:
            self._unsupported(keys, exc)
            return
        await in_batches(self.wire, ask, keys, self.handler.batch_for(version))

    async def _ask(self, node: int, keys: list[K]) -> None:
        read = functools.partial(self.handler.outcomes, keys)
        try:
            outcomes = await self.wire.call(node, self.handler.request(keys), read, self.reserve)
        except UnreadableAnswer as exc:
            self._unreadable(keys, exc)
        except CallError as exc:
            self._not_answered(keys, exc)
        except UnsupportedVersion as exc:
            self._unsupported(keys, exc)
        except (ValueError, OverflowError, struct.error) as exc:
            words = f"the request cannot be encoded ({exc}) and was not sent"
            self._fail(keys, error("INVALID_REQUEST", words))
        else:
            for key in keys:
                self._answered(node, key, outcomes.get(key))

    def _answered(self, node: int, key: K, outcome: Outcome[V] | None) -> None:
        if isinstance(outcome, Done):
            if self.verify and _has_ambiguous_error(outcome.value):
                self._keep_ambiguous(key, outcome.value)
            else:
                self._end(key, outcome.value)
        elif outcome is None:
            where = self.wire.address(node)
            problem = error("UNKNOWN_SERVER_ERROR", f"{where}: the response did not include '{key}'")
            self._take(key, Retry(problem), sent=True)
        elif isinstance(outcome, Failed) and outcome.error.name == AMBIGUOUS_ERROR:
            self._keep_ambiguous(key, with_address(self.wire.address(node), outcome.error))
        else:
            self._take(key, outcome, sent=outcome.error.name in UNCONFIRMED)

    def _keep_ambiguous(self, key: K, answer: V | KafkaError) -> None:
        """Take errors that may have come after the change was made: they hold unless a read shows the change."""
        if self.verify:
            self.ambiguous[key] = answer
            self.unknown[key] = None
        else:
            self._end(key, answer)

    def _unreadable(self, keys: list[K], exc: UnreadableAnswer) -> None:
        """Fail a read; the outcome of a change is unknown."""
        problem = error("UNKNOWN_SERVER_ERROR", str(exc))
        for key in keys:
            self._take(key, Unmap(problem) if self.verify else Failed(problem), sent=True)

    def _fail(self, keys: list[K], problem: KafkaError) -> None:
        for key in keys:
            self._take(key, Failed(problem))

    def _unsupported(self, keys: list[K], exc: UnsupportedVersion) -> None:
        self._fail(keys, error("UNSUPPORTED_VERSION", str(exc)))

    def _not_answered(self, keys: list[K], exc: CallError) -> None:
        problem = from_call_error(exc)
        if isinstance(exc, LoginRefused):
            self._fail(keys, problem)
            return
        # that nothing could be sent any more says less than what a broker answered before
        says_less = isinstance(exc, NothingSent) or self.wire.deadline.remaining <= self.reserve
        for key in keys:
            self._take(key, Unmap(self.last.get(key, problem) if says_less else problem), sent=exc.sent)

    def _take(self, key: K, outcome: Failed | Retry | Unmap, sent: bool = False) -> None:
        if isinstance(outcome, Failed):
            self._end(key, outcome.error)
        else:
            self.last[key] = outcome.error
            if isinstance(outcome, Unmap):
                self.lookup.nodes.pop(key, None)
            if self.verify and (sent or key in self.late):
                self.unknown[key] = None
                self.late.add(key)

    def _end(self, key: K, result: V | KafkaError) -> None:
        self.results[key] = result
        del self.pending[key]

    async def _checked(self, check: Check[K, V], keys: list[K]) -> list[K]:
        """Return the keys that may be sent again; end those that must not be changed any longer."""
        remaining = self.wire.deadline.remaining
        with self.driver.keeping(remaining - min(_CHECK, remaining / 2)):
            problems = await check(keys)
        for key, found in problems.items():
            if isinstance(found, KafkaError) and found.name not in ("POLICY_VIOLATION", *LOGIN_ERRORS):
                self.last[key] = found
            else:
                self._end(key, found)
        return [key for key in keys if key not in problems]

    async def _verify(self, verify: Verify[K, V]) -> None:
        for key, made in (await verify(list(self.unknown))).items():
            if isinstance(made, KafkaError) and made.name != "POLICY_VIOLATION":
                self.last[key] = made
                if made.name in LOGIN_ERRORS:
                    # nothing can be read any more
                    self._end(key, self._timed_out(key))
                    del self.unknown[key]
                continue
            del self.unknown[key]
            ambiguous = self.ambiguous.pop(key, None)
            if made is None and ambiguous is not None:
                self._end(key, ambiguous)
            elif made is None:
                self.resent.add(key)
            else:
                self._end(key, made)


def _has_ambiguous_error(value: t.Any) -> bool:
    """Whether a broker says of one part of a key that it does not know what went wrong."""
    answers = value.values() if isinstance(value, dict) else ()
    return any(isinstance(answer, KafkaError) and answer.name == AMBIGUOUS_ERROR for answer in answers)
