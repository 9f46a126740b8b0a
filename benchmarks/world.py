# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The groups for a measurement: created before the operation, and verified afterwards with another client."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ansible_collections.kafkaops.groups.plugins.module_utils._files import backup as snapshot
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import (
    Committed,
    GroupSnapshot,
    TopicPartition,
)

from benchmarks.peers.contract import COMMITTED, END, TOPIC, save
from benchmarks.tasks import READING
from tests.live.task import run
from tests.support import absentees, commits, topics, truth
from tests.support.broker import Cluster

#: What brokers need for members that nobody keeps alive, and for no waiting before a first rebalance.
CONFIG = {
    "group.consumer.max.session.timeout.ms": str(absentees.SESSION_MS),
    "group.consumer.session.timeout.ms": str(absentees.SESSION_MS),
}
_CONNECTIONS = 4
_SAMPLE = 10


class Wrong(Exception):
    """The result of a peer is wrong."""


class World:
    """The groups of a cluster. `folder` contains the files that peers read and write."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.cluster = cluster
        self.names = folder / "names"
        self._folder = folder
        self._client = cluster.client()
        # the operation and the groups that are there as it needs them
        self._ready: tuple[str, int] | None = None
        topics.create(self._client, TOPIC, 1, records=END)

    def groups(self, operation: str, size: int) -> list[str]:
        """The names of the groups for an operation of this size."""
        return ["bench-one"] if operation == "members-of-one" else [f"bench-{number:05d}" for number in range(size)]

    def saved(self, ours: bool) -> Path:
        """The back-up file: of the collection, or of all other peers."""
        return self._folder / ("saved.json" if ours else "saved.csv")

    def prepare(self, operation: str, size: int, ours: bool) -> None:
        """Create the required groups and no others; does nothing if they exist because they were only read."""
        groups = self.groups(operation, size)
        self.names.write_text("".join(f"{name}\n" for name in groups), encoding="utf-8")
        wanted = ("reading" if operation in READING else operation, size)
        if self._ready != wanted:
            self._clear()
            if operation == "members-of-one":
                absentees.leave_crowd_behind(self._client, groups[0], TOPIC, size)
            elif operation == "members-of-many":
                self._spread(lambda names: absentees.leave_behind(self._client, names, TOPIC, "absent"), groups)
            elif operation != "restore":
                offsets = {(TOPIC, 0): (COMMITTED, "", -1)}
                self._spread(lambda names: commits.commit_many(self._client, dict.fromkeys(names, offsets)), groups)
        self._ready = wanted if operation in READING else None
        self.saved(ours).unlink(missing_ok=True)
        if operation == "restore":
            self._save(groups, ours)

    def check(self, operation: str, size: int, ours: bool) -> None:
        """Verify the result of an operation that changes groups.

        :raises Wrong: it is not what it should be.
        """
        groups = self.groups(operation, size)
        left = {name: one for name, one in truth.groups(self._client).items() if name.startswith("bench-")}
        if operation in ("delete", "backup") and left:
            raise Wrong(f"{len(left)} groups are still there")
        if operation == "backup":
            text = self.saved(ours).read_text(encoding="utf-8")
            missing = [name for name in groups if name not in text]
            if missing:
                raise Wrong(f"{len(missing)} groups are not in the back-up")
        if operation.startswith("members") and any(one.state != "Empty" for one in left.values()):
            raise Wrong("there are members left")
        if operation == "restore" and len(left) != size:
            raise Wrong(f"there are {len(left)} groups")
        if operation in ("restore", "delete-offsets"):
            wanted = {(TOPIC, 0): COMMITTED} if operation == "restore" else {}
            for name in groups[:: max(1, size // _SAMPLE)]:
                found = {where: at.offset for where, at in truth.offsets(self._client, name).items()}
                if found != wanted:
                    raise Wrong(f"{name} has committed {found}")

    def _spread(self, make: Callable[[Sequence[str]], None], groups: list[str]) -> None:
        with ThreadPoolExecutor(_CONNECTIONS) as threads:
            list(threads.map(make, [groups[part::_CONNECTIONS] for part in range(min(_CONNECTIONS, len(groups)))]))

    def _clear(self) -> None:
        self._ready = None
        there = [name for name in truth.groups(self._client) if name.startswith("bench-")]
        if there:
            run("consumer_group", self.cluster.bootstrap, names=there, force=True)

    def _save(self, groups: list[str], ours: bool) -> None:
        if ours:
            offsets = {TopicPartition(TOPIC, 0): Committed(COMMITTED)}
            there = run("topic_info", self.cluster.bootstrap, names=[TOPIC]).given
            ids = {topic["name"]: topic["id"] for topic in there["topics"]}
            saved = [GroupSnapshot(name, "classic", "Empty", offsets) for name in groups]
            snapshot.write(str(self.saved(ours)), there["cluster_id"], ids, saved)
        else:
            save(self.saved(ours), ((name, TOPIC, 0, COMMITTED) for name in groups))
