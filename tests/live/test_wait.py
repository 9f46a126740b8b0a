# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tasks that wait for groups, while real consumers stop and catch up."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import ConditionsNotMet
from confluent_kafka import Producer

from tests.checks import examples
from tests.live.playbook import play, play_tasks
from tests.live.task import Outcome, run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.clients import Client, properties
from tests.support.consumers import Consumer
from tests.support.process import Process

pytestmark = pytest.mark.live

TOPIC = "wait"


@pytest.fixture(scope="module")
def bootstrap(cluster: Cluster) -> str:
    topics.create(cluster.client(), TOPIC, records=10)
    return cluster.bootstrap


def wait(bootstrap: str, timeout: float = 30, check: bool = False, **args: Any) -> Outcome:
    values = {"wait_timeout": timeout, "timeout": 120.0, **args}
    return run("consumer_group_info", bootstrap, check, **values)


@pytest.mark.parametrize("select", [{"names": "wait-drained"}, {"match": "wait-drain*"}], ids=["names", "match"])
def test_a_group_is_drained_while_the_task_waits(cluster: Cluster, bootstrap: str, select: dict[str, Any]) -> None:
    with Consumer(cluster.client(), "wait-drained", [TOPIC]) as consumer, ThreadPoolExecutor() as threads:
        empty = {"states": ["Empty"], "max_members": 0}
        waiting = threads.submit(wait, bootstrap, wait=empty, **select)
        with pytest.raises(TimeoutError):
            waiting.result(timeout=1.5)
        consumer.stop()
        returned = waiting.result(timeout=20).given
    assert (returned["unmet"], returned["waited"] > 1) == ([], True)
    assert returned["attempts"] > 1
    # a group that never committed may be gone as soon as it is empty
    assert [group["state"] for group in returned["groups"]] in ([], ["Empty"])


def test_a_group_appears_and_its_lag_goes_down_while_a_consumer_reads(cluster: Cluster, bootstrap: str) -> None:
    config = {"enable.auto.commit": True, "auto.commit.interval.ms": 500}
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(wait, bootstrap, match="wait-lag*", wait={"max_lag": 2})
        with pytest.raises(TimeoutError):
            waiting.result(timeout=1)
        commits.commit(cluster.client(), "wait-lag", {(TOPIC, 0): (0, "", -1)})
        with pytest.raises(TimeoutError):
            waiting.result(timeout=2)
        with Consumer(cluster.client(), "wait-lag", [TOPIC], config=config):
            returned = waiting.result(timeout=30).given
    assert returned["unmet"] == []
    assert returned["groups"][0]["lag"] <= 2


def test_a_time_out_names_what_is_missing(bootstrap: str, cluster: Cluster) -> None:
    commits.commit(cluster.client(), "wait-behind", {(TOPIC, 0): (3, "", -1)})
    given: dict[str, Any] = {"names": ["wait-behind", "wait-none"], "wait": {"states": ["Empty"], "max_lag": 5}}
    with pytest.raises(ConditionsNotMet, match=r"2 of 2 groups .*'wait-behind': lag is 7.*'wait-none': lag is unknown"):
        wait(bootstrap, 0, **given)
    checked = wait(bootstrap, 30, check=True, **given)
    assert [each["group"] for each in checked.given["unmet"]] == ["wait-behind", "wait-none"]
    assert checked.given["attempts"] == 1
    assert "Check mode does not wait" in checked.warnings[0]
    rounds = {"register": "waited", "until": "waited is success", "retries": 1, "delay": 0}
    ran = play_tasks(
        [{"name": "Wait", "kafkaops.groups.consumer_group_info": {**given, "wait_timeout": 1}, **rounds}], bootstrap
    )
    assert (ran.code, len(ran.retries)) == (2, 1)
    (returned,) = ran.tasks.values()
    # what a job of AWX shows after each round
    for each in (ran.retries[0], returned):
        assert each["unmet"][0] == {"group": "wait-behind", "condition": "max_lag", "required": 5, "actual": 7}
        assert "'wait-behind': lag is 7, max_lag is 5" in each["msg"]
    assert [group["name"] for group in returned["groups"]] == ["wait-behind"]
    assert returned["missing"] == ["wait-none"]
    assert "wait-none" in returned["msg"]


def test_a_pattern_without_groups_is_drained_and_not_ready(bootstrap: str) -> None:
    with pytest.raises(ConditionsNotMet, match="no group matches"):
        wait(bootstrap, 0, match="wait-nothing-*", wait={"states": ["Stable"]})
    outcome = wait(bootstrap, match="wait-nothing-*", wait={"states": ["Empty"]})
    assert outcome.given["attempts"] == 1
    assert "no group matches" in outcome.warnings[0]


#: The application of the guide: it processes up to LIMIT records, writes their offsets, and stops cleanly on SIGTERM.
SERVICE = """
import signal, sys, time
from confluent_kafka import Consumer
bootstrap, group, topic, path, limit = sys.argv[1:]
stopped = []
signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group, "auto.commit.interval.ms": 500})
consumer.subscribe([topic])
processed, end = 0, time.monotonic() + 300
with open(path, "w", buffering=1) as output:
    while not stopped and time.monotonic() < end:
        record = consumer.poll(0.1)
        if record is not None and not record.error():
            print(record.offset(), file=output)
            processed += 1
            if processed == int(limit):
                consumer.pause(consumer.assignment())
consumer.close()
"""
OLD_RECORDS, PROCESSED, RECORDS = 200, 250, 300
RESET = "Back up the offsets, and read again what came in the last two hours"


def produce(client: Client, topic: str) -> None:
    """Create the topic with records of three hours ago, and records of now."""
    topics.create(client, topic)
    producer = Producer(properties(client))
    for _ in range(OLD_RECORDS):
        producer.produce(topic, b"old", partition=0, timestamp=int((time.time() - 3 * 3600) * 1000))
    assert producer.flush(30) == 0
    topics.produce(client, topic, RECORDS - OLD_RECORDS)


def processed(path: Path, count: int) -> list[int]:
    """The offsets of the records that a service has processed, once there are this many."""
    deadline = time.monotonic() + 90
    while not path.exists() or len(path.read_text(encoding="ascii").splitlines()) < count:
        assert time.monotonic() < deadline, path
        time.sleep(0.1)
    return [int(line) for line in path.read_text(encoding="ascii").splitlines()]


def guide(words: str) -> Any:
    """The example of the guide that contains these words."""
    (found,) = [block for block in examples.blocks() if block.file.endswith("/deploy.rst") and words in block.text]
    return yaml.safe_load(found.text)


@pytest.mark.parametrize(
    ("reset", "begins"),
    [pytest.param(True, OLD_RECORDS, id="again"), pytest.param(False, PROCESSED, id="continues")],
)
def test_the_playbook_of_the_guide(cluster: Cluster, bootstrap: str, tmp_path: Path, reset: bool, begins: int) -> None:
    """No record is lost, and none is processed again but those of the last two hours, if the third task is there."""
    client, name = cluster.client(), f"wait-deployed-{reset}"
    produce(client, name)
    commits.commit(client, name, {(name, 0): (0, "", -1)})
    (tmp_path / "service.py").write_text(SERVICE, encoding="utf-8")
    service = [sys.executable, str(tmp_path / "service.py"), bootstrap, name, name]
    old, new, backup = tmp_path / "old", tmp_path / "new", tmp_path / "backup.json"
    playbook = guide("deploy_group:")
    if not reset:
        playbook[0]["tasks"] = [task for task in playbook[0]["tasks"] if task["name"] != RESET]
    start = f"{shlex.join([*service, str(new), str(RECORDS)])} >/dev/null 2>&1 & echo $! >{tmp_path}/pid"
    first = Process([*service, str(old), str(PROCESSED)], tmp_path / "old.log")
    try:
        assert processed(old, PROCESSED) == [*range(PROCESSED)]
        variables = {
            "deploy_group": name,
            "deploy_topic": name,
            "deploy_stop": ["kill", "-TERM", str(first.pid)],
            "deploy_start": ["sh", "-c", start],
            "deploy_backup": str(backup),
        }
        ran = play(playbook, bootstrap, variables)
        assert ran.code == 0, ran.words
        read = processed(new, RECORDS - begins)
        os.kill(int((tmp_path / "pid").read_text(encoding="utf-8")), signal.SIGTERM)
    finally:
        first.stop()
    truth.wait_state(client, name, "Empty")
    assert processed(old, PROCESSED) == [*range(PROCESSED)]
    assert read == processed(new, len(read)) == [*range(begins, RECORDS)]
    assert truth.offsets(client, name)[name, 0].offset == RECORDS
    drained = ran.tasks["Wait until all consumers have left"]
    assert [(group["name"], group["state"]) for group in drained["groups"]] == [(name, "Empty")]
    final = ran.tasks["Wait until the new version has caught up"]
    assert (final["groups"][0]["state"], final["groups"][0]["lag"] <= 100, final["unmet"]) == ("Stable", True, [])
    assert (RESET in ran.changed, backup.exists()) == (reset, reset)
    if reset:
        (changed,) = ran.tasks[RESET]["results"]
        assert (changed["before"]["offset"], changed["after"]["offset"]) == (PROCESSED, OLD_RECORDS)
        (saved,) = json.loads(backup.read_text(encoding="utf-8"))["groups"]
        assert saved["name"] == name
        assert [(one["topic"], one["partition"], one["offset"]) for one in saved["offsets"]] == [(name, 0, PROCESSED)]


def test_the_rounds_of_the_guide(cluster: Cluster, bootstrap: str, tmp_path: Path) -> None:
    """The consumer starts once the play has begun."""
    client, group = cluster.client(), "reports-rounds"
    topics.create(client, group, records=RECORDS)
    commits.commit(client, group, {(group, 0): (0, "", -1)})
    begun = tmp_path / "begun"
    tasks = [{"name": "Begin", "ansible.builtin.file": {"path": str(begun), "state": "touch"}}, *guide("retries: 9")]
    quick = {"enable.auto.commit": True, "auto.commit.interval.ms": 500}
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(play_tasks, tasks, bootstrap)
        while not begun.exists():
            assert not waiting.done(), waiting.result().words
            time.sleep(0.1)
        with Consumer(client, group, [group], config=quick):
            ran = waiting.result(timeout=600)
    assert ran.code == 0, ran.words
    (found,) = ran.tasks["Wait up to 10 minutes until the new version has caught up"]["groups"]
    assert (found["name"], found["state"], found["lag"] <= 100) == (group, "Stable", True)
