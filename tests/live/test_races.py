# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Consumers join, commit and leave while their groups are drained, deleted and restored: all is as reported.

Every change of a committed offset, and every look at it, is known with the times between which it happened: commits
from the consumers' journals, the others from what tasks reported. What is seen must be what some change left there that
no other, reported change came after.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import Committed
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.results import (
    DELETE_GROUP,
    DELETE_OFFSET,
    NONE,
    REMOVE_MEMBER,
    SET_OFFSET,
    Item,
    Items,
    MemberTarget,
)

from tests.live.accounting import UNKNOWN
from tests.live.task import run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.collection import CHECKOUT
from tests.support.process import Process
from tests.support.restless import SESSION_MS

pytestmark = pytest.mark.live

TOPIC = "races"
SECONDS = 60
GROUPS = {kind: [f"race-{kind}-{number:03d}" for number in range(150)] for kind in ("classic", "consumer")}
NAMES = [*GROUPS["classic"], *GROUPS["consumer"]]
PROCESSES, VISITORS, TASKS, AT_ONCE = 2, 6, 2, 40


@dataclasses.dataclass(frozen=True)
class Event:
    """A change of a group's offset, or a look at it, that happened between two times; None is no offset.

    `sure`: whether a change was reported as made; else nobody knows, and it may be made at any time later.
    """

    offset: int | None
    began: float
    ended: float
    sure: bool = True
    told: str = ""


@dataclasses.dataclass
class History:
    """What is known of one group."""

    changes: list[Event] = dataclasses.field(default_factory=list)
    looks: list[Event] = dataclasses.field(default_factory=list)
    #: when somebody was, or may have been, a member
    visits: list[tuple[float, float]] = dataclasses.field(default_factory=list)
    #: when a task said that it had members
    met: list[tuple[float, float]] = dataclasses.field(default_factory=list)
    #: since when tasks that deleted it ran
    deleted: list[float] = dataclasses.field(default_factory=list)

    @property
    def gone(self) -> bool:
        """Whether it was deleted, and nobody can have made it anew."""
        last = max([0.0, *(ended + SESSION_MS / 1000 for _began, ended in self.visits)])
        last = max([last, *(change.ended for change in self.changes if change.offset is not None)])
        return any(began > last for began in self.deleted)

    def contradictions(self) -> list[str]:
        """What cannot be, if everything is as it was reported."""
        unexplained = [f"nothing explains {look}" for look in self.looks if not self._explained(look)]
        alone = [f"no member was there at {met}" for met in self.met if not self._visited(*met)]
        return unexplained + alone

    def _explained(self, look: Event) -> bool:
        sure = [change for change in self.changes if change.sure]
        return any(
            change.offset == look.offset
            and change.began <= look.ended
            and not any(change.ended < later.began and later.ended < look.began for later in sure)
            for change in self.changes
        )

    def _visited(self, began: float, ended: float) -> bool:
        return any(first <= ended and began <= last + SESSION_MS / 1000 for first, last in self.visits)


Histories = dict[str, History]


@contextmanager
def restless(client: Mapping[str, str], folder: Path) -> Iterator[list[Path]]:
    """Consumers at work, and the files of what they do; complete at the end."""
    files = [folder / f"{number}.events" for number in range(PROCESSES)]
    started = []
    for number, file in enumerate(files):
        spec = {
            "client": dict(client),
            "groups": GROUPS,
            "topic": TOPIC,
            "visitors": [number * VISITORS, VISITORS],
            "events": str(file),
        }
        command = [sys.executable, "-m", "tests.support.restless", json.dumps(spec)]
        started.append(Process(command, folder / f"{number}.log", folder=CHECKOUT))
    try:
        yield files
        assert all(process.alive for process in started), [process.tail() for process in started]
    finally:
        for process in started:
            process.stop(300)
    ends = [(lines(file)[-1], process.tail()) for file, process in zip(files, started, strict=True)]
    assert [last["event"] for last, _output in ends] == ["stopped"] * PROCESSES, ends


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def journals(files: Sequence[Path], histories: Histories) -> Counter[str]:
    """Put in what the consumers did; return how often they did what."""
    done: Counter[str] = Counter()
    for event in itertools.chain.from_iterable(map(lines, files)):
        done[event["event"]] += 1
        if event["event"] == "visited":
            histories[event["group"]].visits.append((event["began"], event["ended"]))
        elif event["event"] in ("committed", "unclear"):
            sure = event["event"] == "committed"
            ended = event["ended"] if sure else math.inf
            histories[event["group"]].changes.append(Event(event["offset"], event["began"], ended, sure))
    return done


class Tasks:
    """Runs tasks at random, one after the other, and keeps what they reported."""

    def __init__(self, bootstrap: str, folder: Path, number: int) -> None:
        self._bootstrap = bootstrap
        self._folder = folder
        self._random = random.Random(number)
        self._files: list[str] = []
        self.reports: list[tuple[float, float, list[Item[Any]]]] = []
        self.rejoined = 0

    def work(self, until: float) -> None:
        """Run tasks until a time."""
        kinds = (self._delete, self._delete_with_backup, self._drain, self._delete_offsets, self._restore)
        for number in itertools.count():
            if time.time() > until:
                return
            names = sorted(self._random.sample(NAMES, AT_ONCE))
            self._random.choice(kinds)(names, number)

    def _run(self, module: str, **args: Any) -> Any:
        began = time.time()
        outcome = run(module, self._bootstrap, **args)
        self.reports.append((began, time.time(), outcome.items))
        return outcome

    def _delete(self, names: list[str], _number: int) -> None:
        self._run("consumer_group", names=names)

    def _delete_with_backup(self, names: list[str], number: int) -> None:
        file = str(self._folder / f"{number}.json")
        if self._run("consumer_group", names=names, backup=file).given.backup_file:
            self._files.append(file)

    def _drain(self, names: list[str], _number: int) -> None:
        outcome = self._run("consumer_group_members", names=names, remove_all=True, settle_time=0.5)
        self.rejoined += len(outcome.given.extra["rejoined"])

    def _delete_offsets(self, names: list[str], _number: int) -> None:
        wanted = [{"name": name, "topics": [{"name": TOPIC, "partitions": None}]} for name in names]
        self._run("consumer_group_offsets", state="absent", groups=wanted)

    def _restore(self, _names: list[str], _number: int) -> None:
        if self._files:
            self._run("consumer_group_offsets", restore={"path": self._random.choice(self._files)})


def reported(began: float, ended: float, items: Items, histories: Histories) -> Counter[str]:
    """Put in what a task reported; return how often it did what."""
    done: Counter[str] = Counter()
    for item in items:
        history = histories[item.target.group]
        done[item.error.name if item.error else item.action] += 1
        if item.error and UNKNOWN in item.error.message:
            history.changes.append(Event(offset(item.after), began, math.inf, sure=False))
        elif item.error and item.error.name in ("NON_EMPTY_GROUP", "GROUP_SUBSCRIBED_TO_TOPIC"):
            history.met.append((began, ended))
        elif item.changed and item.action in (DELETE_GROUP, DELETE_OFFSET, SET_OFFSET):
            history.changes.append(Event(offset(item.after), began, ended))
            history.deleted += [began] if item.action == DELETE_GROUP else []
        elif item.changed and item.action == REMOVE_MEMBER:
            history.met.append((began, ended))
        if item.action in (DELETE_OFFSET, SET_OFFSET):
            history.looks.append(Event(offset(item.before), began, ended, told=str(item)))
        elif item.action == NONE and item.before is None and not isinstance(item.target, MemberTarget):
            history.looks.append(Event(None, began, ended, told=str(item)))
    return done


def offset(state: object) -> int | None:
    return state.offset if isinstance(state, Committed) else None


def test_consumers_and_tasks_at_the_same_time(cluster: Cluster, tmp_path: Path) -> None:
    client = cluster.client()
    topics.create(client, TOPIC, 1, records=10)
    planted = {name: 900_000_000 + number for number, name in enumerate(NAMES)}
    commits.commit_many(client, {name: {(TOPIC, 0): (offset, "", -1)} for name, offset in planted.items()})
    # a consumer that could not say that it leaves is gone as soon as a classic one is
    for name in GROUPS["consumer"]:
        topics.configure_group(client, name, {"consumer.session.timeout.ms": str(SESSION_MS)})
    histories: Histories = defaultdict(History)
    for name, value in planted.items():
        histories[name].changes.append(Event(value, 0.0, 0.0))

    workers = []
    for number in range(TASKS):
        (tmp_path / f"tasks-{number}").mkdir()
        workers.append(Tasks(cluster.bootstrap, tmp_path / f"tasks-{number}", number))
    with restless(client, tmp_path) as files, ThreadPoolExecutor(TASKS) as threads:
        for running in [threads.submit(worker.work, time.time() + SECONDS) for worker in workers]:
            running.result()

    visits = journals(files, histories)
    done: Counter[str] = Counter()
    for report in itertools.chain.from_iterable(worker.reports for worker in workers):
        done += reported(*report, histories)
    time.sleep(SESSION_MS / 1000 + 2)
    now = time.time()
    seen = truth.world(client, "race-")
    for name in NAMES:
        histories[name].looks.append(Event(seen.offsets.get(name, {}).get((TOPIC, 0)), now, time.time()))

    wrong = {name: found for name, history in histories.items() if (found := history.contradictions())}
    assert not wrong, f"{len(wrong)} groups: {dict(list(wrong.items())[:3])}"
    assert seen.members == {}
    gone = {name for name in NAMES if histories[name].gone}
    assert not gone & truth.groups(client).keys()
    assert len(gone) > 20
    # all of it did happen
    for event in ("visited", "committed"):
        assert visits[event] > 100, visits
    for outcome in (DELETE_GROUP, DELETE_OFFSET, SET_OFFSET, REMOVE_MEMBER, "NON_EMPTY_GROUP"):
        assert done[outcome] > 20, done
    assert sum(worker.rejoined for worker in workers) > 0
