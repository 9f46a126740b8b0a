# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Events of real consumers in a real ansible-rulebook, and how many requests a poll sends."""

from __future__ import annotations

import ast
import contextlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import watch

from tests.checks import examples
from tests.live.playbook import environment
from tests.live.task import connection, run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.collection import interpreter
from tests.support.consumers import Consumer
from tests.support.event_source import RULEBOOKS, load
from tests.support.process import Process, command_lines
from tests.support.webhook import webhook

pytestmark = pytest.mark.live

TOPIC, STALE = "events", "events-stale"
EVENTS = "kafkaops.groups.consumer_groups"
AUDIT, NOTIFY = [f"kafkaops.groups.{path.stem}" for path in RULEBOOKS]
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


def notified(match: str, url: str) -> dict[str, Any]:
    """The variables of the rulebook that notifies."""
    return {"notify_url": url, "notify_match": match, **{f"notify_{key}": LIMITS[key] for key in LIMITS}}


class Rulebook:
    """A running ansible-rulebook: a rulebook of the collection by its name, as users start it, or one that is given."""

    def __init__(
        self,
        folder: Path,
        bootstrap: str,
        rulebook: str | list[dict[str, Any]],
        variables: dict[str, Any],
        options: Sequence[str] = (),
        **environ: str,
    ) -> None:
        folder.mkdir()
        local = {"ansible_connection": "local", "ansible_python_interpreter": interpreter()}
        files = {"inventory": {"all": {"hosts": {"localhost": local}}}, "vars": variables, "rulebook": rulebook}
        for name, content in files.items():
            (folder / f"{name}.yml").write_text(yaml.safe_dump(content), encoding="utf-8")
        self.log = folder / "rulebook.log"
        given = {name: f"{folder}/{name}.yml" for name in files}
        if isinstance(rulebook, str):
            given["rulebook"] = rulebook
        command = ["ansible-rulebook", *(word for name, value in given.items() for word in (f"--{name}", value))]
        command += options
        self._mark = f"STARTED_IN={folder}"
        marked = dict([self._mark.split("=")])
        self.process = Process(command, self.log, env=environment(bootstrap) | marked | environ, folder=folder)

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

    @property
    def processes(self) -> list[int]:
        """What it has started and still runs, also after its own end."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            # the process may have ended
            with contextlib.suppress(OSError):
                if self._mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
        return found

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
    quick = {"enable.auto.commit": True, "auto.commit.interval.ms": 500}
    posted: list[dict[str, Any]] = []

    def take(event: dict[str, Any]) -> int:
        """Keep the event; the first one fails."""
        posted.append(event)
        return 503 if len(posted) == 1 else 204

    source = {"name": "all", EVENTS: {"match": "events-*", "timeout": 20, **LIMITS}}
    rule = {"name": "p", "condition": "event.kind is defined", "action": {"print_event": {"pretty": False}}}
    printing = {"name": "Print", "hosts": "localhost", "sources": [source], "rules": [rule]}
    shown = [printing, *guide("events-*", cluster.bootstrap)]
    with (
        webhook(take) as url,
        Rulebook(tmp_path / "shown", cluster.bootstrap, shown, {}) as rulebook,
        Rulebook(tmp_path / "notify", cluster.bootstrap, NOTIFY, notified("events-*", url)) as notifying,
    ):
        # it exists before the rulebook does
        rulebook.wait(lambda: rulebook.kinds("events-old") == ["lag_above"])

        commits.commit(client, "events-new", {(TOPIC, 0): (0, "", -1)})
        rulebook.wait(lambda: rulebook.kinds("events-new")[1:] == ["lag_above"])
        with Consumer(client, "events-new", [TOPIC]) as still, Consumer(client, "events-unknown", [TOPIC]):
            rulebook.wait(lambda: rulebook.kinds("events-new")[2:] == ["member_stuck"])
            member = rulebook.events("events-new")[-1]["member"]["client_id"]
            assert member.startswith("events-new-")
            notifying.wait(lambda: "member_stuck" in [event["kind"] for event in posted])
            still.stop()
            rulebook.wait(lambda: rulebook.kinds("events-new")[3:] == ["group_empty"])
        with Consumer(client, "events-new", [TOPIC], config=quick):
            rulebook.wait(lambda: rulebook.kinds("events-new")[4:] == ["lag_recovered"])
        rulebook.wait(lambda: rulebook.kinds("events-new")[5:] == ["group_empty"])
        notifying.wait(lambda: len(posted) >= 4)

        before = rulebook.kinds("events-new"), rulebook.kinds("events-old")
        cluster.stop()
        rulebook.wait(lambda: "Waiting for the cluster." in rulebook.words)
        cluster.restart()
        rulebook.wait(lambda: "All groups can be read again." in rulebook.words)
        assert (rulebook.kinds("events-new"), rulebook.kinds("events-old")) == before

        assert run("consumer_group", cluster.bootstrap, names=["events-new", "events-old"]).changed == 2
        rulebook.wait(lambda: rulebook.kinds("events-old") == ["lag_above", "group_vanished"])

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
        assert "503" in notifying.words
        assert "events-new was Stable, and is Empty since " in rulebook.words
    run("consumer_group", cluster.bootstrap, names=["events-unknown"])


def test_a_password_of_the_environment(secured: Cluster, tmp_path: Path) -> None:
    """It logs in, and is in no line of the log."""
    user, password = "admin", secured.users["admin"]
    topics.create(secured.client(), "secret", records=RECORDS)
    commits.commit(secured.client(), "secret-group", {("secret", 0): (0, "", -1)})
    login = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "SCRAM-SHA-512", "sasl_username": user}
    source = {"name": "all", EVENTS: {"match": "secret-*", "interval": 1, "max_lag": 50, **login}}
    rule = {"name": "p", "condition": "event.kind is defined", "action": {"print_event": {"pretty": False}}}
    printing = [{"name": "Print", "hosts": "localhost", "sources": [source], "rules": [rule]}]
    address = secured.listeners["SASL_PLAINTEXT"]
    with Rulebook(tmp_path / "shown", address, printing, {}, ["-vv"], KAFKA_SASL_PASSWORD=password) as rulebook:
        rulebook.wait(lambda: rulebook.kinds("secret-group") == ["lag_above"])
        shown = command_lines()
        assert not [pid for pid in rulebook.processes if password in shown.get(pid, "")]
    assert password not in rulebook.words


def test_a_failed_notification_changes_nothing(cluster: Cluster, tmp_path: Path) -> None:
    client = cluster.client()
    topics.create(client, "unheard", records=RECORDS)
    commits.commit_many(client, {f"unheard-{number}": {("unheard", 0): (number, "", -1)} for number in range(3)})
    before = truth.world(client, "")
    posted: list[dict[str, Any]] = []

    def refuse(event: dict[str, Any]) -> int:
        posted.append(event)
        return 500

    with (
        webhook(refuse) as url,
        Rulebook(tmp_path / "notify", cluster.bootstrap, NOTIFY, notified("unheard-*", url)) as rulebook,
    ):
        rulebook.wait(lambda: len(posted) == 3 and rulebook.words.count("Status code was 500") >= 3)
        assert rulebook.process.alive
    assert sorted(event["group"] for event in posted) == ["unheard-0", "unheard-1", "unheard-2"]
    assert truth.world(client, "") == before


def test_a_stopped_rulebook_never_changes_what_is_deleted(cluster: Cluster, tmp_path: Path) -> None:
    """It is stopped while it audits; the next one audits, and deletes nothing, either."""
    client = cluster.client()
    topics.create(client, STALE, records=RECORDS)
    commits.commit_many(client, {STALE: {(STALE, 0): (RECORDS, "", -1)}, f"{STALE}-2": {(STALE, 0): (1, "", -1)}})
    before = truth.world(client, "")
    audit = tmp_path / "audit"
    given = {"audit_output": str(audit), "audit_include": [STALE], "audit_stale_after": "1s"}
    with Rulebook(tmp_path / "stopped", cluster.bootstrap, AUDIT, given) as stopped:
        stopped.wait(lambda: "TASK [kafkaops.groups.audit : Audit]" in stopped.words)
    assert not stopped.process.alive
    assert not (audit / "plan.json").exists(), "it was stopped too late"
    deadline = time.monotonic() + PATIENCE
    while stopped.processes:
        assert time.monotonic() < deadline, stopped.processes
        time.sleep(0.2)
    assert truth.world(client, "") == before

    with Rulebook(tmp_path / "completed", cluster.bootstrap, AUDIT, given) as completed:
        completed.wait(lambda: "PLAY RECAP" in completed.words)
        assert completed.process.alive
    assert truth.world(client, "") == before
    deleted = run("consumer_group", cluster.bootstrap, plan=str(audit / "plan.json"))
    assert [(item.target.group, item.changed) for item in deleted.items] == [(STALE, True)]
    after = truth.world(client, "")
    assert before.offsets.keys() - after.offsets.keys() == {STALE}


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
