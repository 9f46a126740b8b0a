# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tasks that wait for groups, while real consumers stop and catch up."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import ConditionsNotMet

from tests.checks import examples
from tests.live.playbook import play, play_tasks
from tests.live.task import Outcome, run
from tests.support import commits, topics
from tests.support.broker import Cluster
from tests.support.consumers import Consumer

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


def test_the_playbook_of_the_guide(cluster: Cluster, bootstrap: str, tmp_path: Path) -> None:
    """The service of the guide is a consumer; to start and stop it are commands."""
    (guide,) = [
        block for block in examples.blocks() if block.file.endswith("/deploy.rst") and "deploy_group:" in block.text
    ]
    group, backup = "wait-deployed", tmp_path / "backup.json"
    topics.create(cluster.client(), "wait-deploy", records=300)
    commits.commit(cluster.client(), group, {("wait-deploy", 0): (300, "", -1)})
    program = (
        "import sys, time; from confluent_kafka import Consumer; "
        f"c = Consumer({{'bootstrap.servers': {bootstrap!r}, 'group.id': {group!r}, 'auto.commit.interval.ms': 500}}); "
        "c.subscribe(['wait-deploy']); end = time.monotonic() + 60\n"
        "while time.monotonic() < end: c.poll(0.2)\n"
        "c.close()"
    )
    script = tmp_path / "service.py"
    script.write_text(program, encoding="utf-8")
    start = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))} >/dev/null 2>&1 & echo $! >{tmp_path}/pid"
    with Consumer(cluster.client(), group, ["wait-deploy"]) as old:
        variables = {
            "deploy_group": group,
            "deploy_topic": "wait-deploy",
            "deploy_stop": ["kill", "-TERM", str(old.pid)],
            "deploy_start": ["sh", "-c", start],
            "deploy_backup": str(backup),
        }
        ran = play(yaml.safe_load(guide.text), bootstrap, variables)
        os.kill(int((tmp_path / "pid").read_text(encoding="utf-8")), signal.SIGKILL)
    assert ran.code == 0, ran.words
    assert "Back up the offsets, and read again what came in the last two hours" in ran.changed
    assert backup.is_file()
    final = ran.tasks["Wait until the new version has caught up"]
    assert (final["groups"][0]["state"], final["groups"][0]["lag"] <= 100, final["unmet"]) == ("Stable", True, [])
