# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Events of real consumers in a real ansible-rulebook, and how many requests a poll sends."""

from __future__ import annotations

import ast
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import watch

from tests.checks import examples
from tests.live.playbook import environment
from tests.live.task import connection, run
from tests.support import commits, topics
from tests.support.broker import Cluster
from tests.support.collection import interpreter
from tests.support.consumers import Consumer
from tests.support.event_source import RULEBOOKS, load
from tests.support.process import Process
from tests.support.webhook import webhook

pytestmark = pytest.mark.live

TOPIC, STALE = "events", "events-stale"
EVENTS = "kafkaops.groups.consumer_groups"
RECORDS = 100
LIMITS = {"interval": 1, "max_lag": 50, "recovered_lag": 10, "lag_for": 2, "stuck_for": 4}
PATIENCE = 120.0


def guide(match: str, bootstrap: str) -> list[dict[str, Any]]:
    """The rulebook of the guide, of these groups, and without its pauses."""
    (found,) = [
        block for block in examples.blocks() if block.file.endswith("/events.rst") and "- name: Watch the" in block.text
    ]
    rulebook: list[dict[str, Any]] = yaml.safe_load(found.text)
    for source in rulebook[0]["sources"]:
        source[EVENTS] |= {"bootstrap_servers": [bootstrap], "match": match, "interval": 1}
    return rulebook


class Rulebook:
    """A running ansible-rulebook, which prints all events of some groups, notifies of them, and audits the cluster.

    It runs the rulebook of the guide, too.
    """

    def __init__(self, folder: Path, bootstrap: str, match: str, url: str) -> None:
        shipped = [ruleset for path in RULEBOOKS for ruleset in yaml.safe_load(path.read_text("utf-8"))]
        source = {"name": "all", EVENTS: {"match": match, "timeout": 20, **LIMITS}}
        rule = {"name": "p", "condition": "event.kind is defined", "action": {"print_event": {"pretty": False}}}
        printing = {"name": "Print", "hosts": "localhost", "sources": [source], "rules": [rule]}
        rulebook = [printing, *shipped, *guide(match, bootstrap)]
        self.audit = folder / "audit"
        audit = {"audit_output": str(self.audit), "audit_include": [STALE], "audit_stale_after": "1s"}
        variables = {
            **audit,
            "notify_url": url,
            "notify_match": match,
            **{f"notify_{key}": LIMITS[key] for key in LIMITS},
        }
        local = {"ansible_connection": "local", "ansible_python_interpreter": interpreter()}
        files = {"rulebook": rulebook, "vars": variables, "inventory": {"all": {"hosts": {"localhost": local}}}}
        for name, content in files.items():
            (folder / f"{name}.yml").write_text(yaml.safe_dump(content), encoding="utf-8")
        self.log = folder / "rulebook.log"
        given = [word for name in files for word in (f"--{name}", f"{folder}/{name}.yml")]
        command = [sys.executable, "-m", "ansible_rulebook", *given]
        self.process = Process(command, self.log, env=environment(bootstrap), folder=folder)

    def __enter__(self) -> Rulebook:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.process.stop()

    @property
    def words(self) -> str:
        """What it has printed."""
        return self.log.read_text("utf-8")

    def events(self, group: str) -> list[dict[str, Any]]:
        """The events of one group, in the order in which they were printed."""
        events = [
            ast.literal_eval(line) for line in self.words.splitlines() if line.startswith("{") and "'kind'" in line
        ]
        return [event for event in events if event["group"] == group]

    def kinds(self, group: str) -> list[str]:
        """The kinds of these events."""
        return [event["kind"] for event in self.events(group)]

    def wait(self, ready: Callable[[], bool]) -> None:
        """Wait until something was printed."""
        deadline = time.monotonic() + PATIENCE
        while not ready():
            assert self.process.alive, self.words
            assert time.monotonic() < deadline, self.words
            time.sleep(0.1)


def test_a_rulebook_gets_the_events_of_real_consumers(cluster: Cluster, tmp_path: Path) -> None:
    client = cluster.client()
    topics.create(client, TOPIC, records=RECORDS)
    commits.commit(client, "events-old", {(TOPIC, 0): (0, "", -1)})
    commits.commit(client, STALE, {(TOPIC, 0): (RECORDS, "", -1)})
    quick = {"enable.auto.commit": True, "auto.commit.interval.ms": 500}
    posted: list[dict[str, Any]] = []

    def take(event: dict[str, Any]) -> int:
        """Keep the event; the first one fails."""
        posted.append(event)
        return 503 if len(posted) == 1 else 204

    with webhook(take) as url, Rulebook(tmp_path, cluster.bootstrap, "events-*", url) as rulebook:
        # it exists before the rulebook does
        rulebook.wait(lambda: rulebook.kinds("events-old") == ["lag_above"])

        commits.commit(client, "events-new", {(TOPIC, 0): (0, "", -1)})
        rulebook.wait(lambda: rulebook.kinds("events-new")[1:] == ["lag_above"])
        with Consumer(client, "events-new", [TOPIC]) as still, Consumer(client, "events-unknown", [TOPIC]):
            rulebook.wait(lambda: rulebook.kinds("events-new")[2:] == ["member_stuck"])
            member = rulebook.events("events-new")[-1]["member"]["client_id"]
            assert member.startswith("events-new-")
            rulebook.wait(lambda: "member_stuck" in [event["kind"] for event in posted])
            still.stop()
            rulebook.wait(lambda: rulebook.kinds("events-new")[3:] == ["group_empty"])
        with Consumer(client, "events-new", [TOPIC], config=quick):
            rulebook.wait(lambda: rulebook.kinds("events-new")[4:] == ["lag_recovered"])
        rulebook.wait(lambda: rulebook.kinds("events-new")[5:] == ["group_empty"])

        # it began with the rulebook
        rulebook.wait((rulebook.audit / "plan.json").exists)
        before = rulebook.kinds("events-new"), rulebook.kinds("events-old")
        cluster.stop()
        rulebook.wait(lambda: "Waiting for the cluster." in rulebook.words)
        cluster.restart()
        rulebook.wait(lambda: "All groups can be read again." in rulebook.words)
        assert (rulebook.kinds("events-new"), rulebook.kinds("events-old")) == before

        assert run("consumer_group", cluster.bootstrap, names=["events-new", "events-old"]).changed == 2
        rulebook.wait(lambda: rulebook.kinds("events-old") == ["lag_above", "group_vanished"])
        rulebook.wait(lambda: len(posted) >= 4)

        assert rulebook.kinds("events-new") == [
            "group_appeared",
            "lag_above",
            "member_stuck",
            "group_empty",
            "lag_recovered",
            "group_empty",
            "group_vanished",
        ]
        # nobody knows where it starts to read, so its lag is unknown
        assert {*rulebook.kinds("events-unknown")} <= {"group_appeared", "group_empty", "group_vanished"}
        assert "group_appeared" in rulebook.kinds("events-unknown")
        above = rulebook.events("events-new")[1]
        assert (above["lag"], above["max_lag"], above["seconds"] >= 2) == (RECORDS, 50, True)
        # the first notification failed, and the rulebook went on
        assert sorted((event["group"], event["kind"]) for event in posted) == [
            ("events-new", "lag_above"),
            ("events-new", "lag_recovered"),
            ("events-new", "member_stuck"),
            ("events-old", "lag_above"),
        ]
        assert "503" in rulebook.words
        assert "events-new was Stable, and is Empty since " in rulebook.words
    assert not rulebook.process.alive
    # neither the failed notification nor the end of the rulebook changes what its audit planned
    deleted = run("consumer_group", cluster.bootstrap, plan=str(rulebook.audit / "plan.json"))
    assert [(item.target.group, item.changed) for item in deleted.items] == [(STALE, True)]
    run("consumer_group", cluster.bootstrap, names=["events-unknown"])


def test_thousands_of_groups_in_a_handful_of_requests(cluster: Cluster) -> None:
    names = [f"polled-{number:04d}" for number in range(3000)]
    topics.create(cluster.client(), "polled", 4, records=8)
    commits.commit_many(cluster.client(), {name: {("polled", 0): (1, "", -1)} for name in names})
    options = load()["validated"]({"bootstrap_servers": cluster.bootstrap, **LIMITS, "match": "polled-*"})
    watcher = watch.Watcher(connection(cluster.bootstrap), watch.parse(options).groups)
    try:
        assert watcher.read([]).reading.groups.keys() == set(names)
        session = watcher._session
        assert session is not None
        session.wire.requests.clear()
        # the time of a poll is not that of the next one
        session.deadline._end = 0.0
        answer = watcher.read(names)
        assert (answer.problem, answer.reading.missing, answer.reading.complete) == (None, frozenset(), True)
        assert {group["lag"] for group in answer.reading.groups.values()} == {1}
        assert sum(session.wire.requests.values()) < 20, session.wire.requests
        assert watcher._session is session
        run("consumer_group", cluster.bootstrap, names=names)
        assert watcher.read(names).reading.missing == set(names)
    finally:
        watcher.close()
