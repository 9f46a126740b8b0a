# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real parts that the other tests stand on do start, and are what they claim to be."""

from __future__ import annotations

import ast
import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.ca import Authority
from tests.support.clients import properties
from tests.support.collection import CHECKOUT, interpreter
from tests.support.consumers import Consumer, connect_like, share_consumer, start_many, streams_app
from tests.support.java import lent
from tests.support.process import started
from tests.support.spark_submit import java
from tests.support.truth import Offset

pytestmark = pytest.mark.live

LIST_GROUPS = 16
GROUP_TOOL = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"


@pytest.fixture(scope="module")
def topic(cluster: Cluster) -> str:
    topics.create(cluster.bootstrap, "support", 3, records=30)
    return "support"


def test_offsets_are_committed_and_seen(cluster: Cluster, topic: str) -> None:
    commits.commit(cluster.bootstrap, "support-offsets", {(topic, 0): (5, "", -1), (topic, 2): (6, "a note", 0)})

    seen = truth.offsets(cluster.bootstrap, "support-offsets")

    assert seen == {(topic, 0): Offset(5, "", -1), (topic, 2): Offset(6, "a note", 0)}
    assert truth.groups(cluster.bootstrap)["support-offsets"] == ("Empty", "classic")


def test_offsets_are_seen_once_their_transaction_has_ended(cluster: Cluster, topic: str) -> None:
    group = "support-transaction"
    commits.commit(cluster.client(), group, {(topic, 0): (3, "", -1)})
    with commits.transaction(cluster.client(), group, topic, 4) as producer:
        ending = threading.Timer(1, producer.commit_transaction, [30])
        ending.start()
        seen = truth.offsets(cluster.bootstrap, group)
        ending.join()

    assert seen == {(topic, 0): Offset(4, "", -1)}
    assert truth.world(cluster.bootstrap, group).offsets == {group: {(topic, 0): 4}}


def test_many_groups(cluster: Cluster, topic: str) -> None:
    names = [f"support-many-{number}" for number in range(2000)]
    commits.commit_many(cluster.bootstrap, {name: {(topic, 0): (1, "", -1)} for name in names})
    assert truth.groups(cluster.bootstrap).keys() >= set(names)
    # other tests look at every group; a client that is gone answers nothing
    admin = AdminClient(properties(cluster.bootstrap))
    answers = admin.delete_consumer_groups(names, request_timeout=20)
    assert [answer.result() for answer in answers.values()] == [None] * len(names)
    assert not truth.groups(cluster.bootstrap).keys() & set(names)


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_consumers_live_leave_and_die(cluster: Cluster, topic: str, protocol: Literal["classic", "consumer"]) -> None:
    group = f"support-{protocol}"
    # One more than there are partitions: the last one gets none.
    members = [Consumer(cluster.bootstrap, group, [topic], protocol=protocol, client_id=f"c-{n}") for n in range(4)]
    start_many(members)

    assert truth.groups(cluster.bootstrap)[group] == ("Stable", protocol)
    seen = truth.members(cluster.bootstrap, group)
    assert [one.client_id for one in seen] == ["c-0", "c-1", "c-2", "c-3"]
    assert sorted(part for one in seen for part in one.assignment) == [(topic, 0), (topic, 1), (topic, 2)]

    # first, as who leaves a rebalance that waits for a killed one does not wait for the answer
    for member in members[1:]:
        member.stop()
    members[0].kill()
    assert [one.client_id for one in truth.members(cluster.bootstrap, group)] == ["c-0"]


def test_a_static_member_is_left_behind(cluster: Cluster, topic: str) -> None:
    with Consumer(
        cluster.bootstrap, "support-static", [topic], instance_id="s-1", session_timeout_ms=300_000
    ) as member:
        assert member.assignment == {(topic, 0), (topic, 1), (topic, 2)}
        member.kill()

    assert [one.group_instance_id for one in truth.members(cluster.bootstrap, "support-static")] == ["s-1"]


def test_the_other_kinds_of_groups(cluster: Cluster, topic: str) -> None:
    topics.configure_group(cluster.bootstrap, "support-share", {"share.auto.offset.reset": "earliest"})
    kinds = {"support-connect": "classic", "support-share": "share", "support-streams": "streams"}
    members = start_many(
        [
            connect_like(cluster.bootstrap, "support-connect"),
            share_consumer(cluster.bootstrap, "support-share", topic),
            streams_app(cluster.bootstrap, "support-streams", [topic]),
        ]
    )

    seen = truth.groups(cluster.bootstrap)
    assert {group: seen[group] for group in kinds} == {group: ("Stable", kind) for group, kind in kinds.items()}

    for member in members:
        member.stop()
    for group in kinds:
        truth.wait_state(cluster.bootstrap, group, "Empty")


def test_the_proxy_records_delays_and_drops(cluster: Cluster) -> None:
    assert cluster.proxy
    assert cluster.proxy.address == cluster.listeners["PROXIED"]
    client = {"bootstrap.servers": cluster.proxy.address, "client.id": "support-proxy"}
    admin = AdminClient(properties(client))
    cluster.proxy.clear()

    admin.list_consumer_groups(request_timeout=10).result()
    assert cluster.proxy.count("support-proxy")[LIST_GROUPS] == 1

    cluster.proxy.drop_answers(LIST_GROUPS, 1)
    cluster.proxy.clear()
    dropped = admin.list_consumer_groups(request_timeout=10).result()
    # The broker saw it, the client did not see the answer.
    assert cluster.proxy.count("support-proxy")[LIST_GROUPS] >= 1
    assert dropped.errors or cluster.proxy.count("support-proxy")[LIST_GROUPS] == 2

    cluster.proxy.delay(300)
    begin = time.monotonic()
    admin.list_consumer_groups(request_timeout=10).result()
    assert time.monotonic() - begin >= 0.3
    cluster.proxy.reset()


def test_an_action_of_the_proxy_that_fails_is_told(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its `OSError` is not taken for the end of a connection."""
    assert cluster.proxy
    told: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
    monkeypatch.setattr(threading, "excepthook", lambda failure: told.put(failure.exc_value))
    admin = AdminClient(properties({"bootstrap.servers": cluster.proxy.address, "client.id": "support-action"}))
    for disturb in (cluster.proxy.before, cluster.proxy.after):
        disturb(LIST_GROUPS, 1, lambda: os.kill(2**22 + 1, signal.SIGKILL))
        admin.list_consumer_groups(request_timeout=10).result()
        assert "An action of the proxy failed: [Errno 3]" in str(told.get(timeout=10))


def test_kafkas_own_tools_run(cluster: Cluster, topic: str) -> None:
    commits.commit(cluster.bootstrap, "support-tool", {(topic, 1): (7, "", -1)})

    done = truth.kafka_tool(cluster, GROUP_TOOL, ["--describe", "--group", "support-tool"])

    assert done.returncode == 0
    assert "support-tool" in done.stdout


def ends(pid: int) -> bool:
    """Whether a process ends within 10 s."""
    deadline = time.monotonic() + 10
    while started(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not started(pid)


def test_everything_ends_when_the_parent_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from tests.support.process import Process\n"
        "child = Process(['sleep', '300'], Path(sys.argv[1])); print(child.pid, flush=True); time.sleep(300)"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "log")]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=CHECKOUT)
    assert parent.stdout
    child = int(parent.stdout.readline())
    assert started(child)

    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()

    assert ends(child)


@contextlib.contextmanager
def borrowed(folder: Path, **settings: str) -> Iterator[bytes]:
    """What PySpark is told about the Java that it starts with some settings."""
    folder.mkdir()
    told, file = folder / "told", folder / "spark.properties"
    given = {"spark.master": "local", **{f"spark.{name}": value for name, value in settings.items()}}
    file.write_text("".join(f"{name}={value}\n" for name, value in given.items()), "utf-8")
    environment = {"_PYSPARK_DRIVER_CONN_INFO_PATH": str(told), "SPARK_LOCAL_DIRS": str(folder)}
    program = subprocess.Popen(
        [f"{lent()['SPARK_HOME']}/bin/spark-submit", "--properties-file", str(file), "pyspark-shell"],
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert program.stdin
    while not told.exists():
        assert program.poll() is None
        time.sleep(0.05)
    yield told.read_bytes()
    program.stdin.close()
    assert program.wait(60) == 0


def test_the_java_of_tasks_is_lent_to_one_at_a_time(tmp_path: Path) -> None:
    """With the settings of that one alone; a second one gets a Java of its own, as one with settings of Java itself."""
    with borrowed(tmp_path / "first", one="1") as first:
        assert java(first).java.lang.System.getProperty("spark.one") == "1"
        with borrowed(tmp_path / "beside") as beside:
            assert beside != first
    with borrowed(tmp_path / "own", **{"driver.memory": "600m"}) as own:
        assert own != first
    with borrowed(tmp_path / "next", two="2") as following:
        assert following == first
        found = [java(following).java.lang.System.getProperty(f"spark.{name}") for name in ("one", "two")]
    assert found == [None, "2"]


@pytest.mark.parametrize("given", ["as a file", "as its input"])
def test_the_interpreter_of_modules_is_a_python(tmp_path: Path, given: str) -> None:
    program = (
        "import os, sys\n"
        "print([sys.argv[1:], sys.executable, os.getcwd(), __name__, dict(os.environ)])\n"
        "print('told', file=sys.stderr)\n"
        "sys.exit(7)\n"
    )
    script = tmp_path / "script.py"
    script.write_text(program, encoding="utf-8")
    arguments = [str(script), "a b", "c"] if given == "as a file" else []
    environment = {"LANG": "C.UTF-8", "OF_THE_TASK": "x\ny"}
    ended = [
        subprocess.run(
            [python, *arguments], input=program, capture_output=True, text=True, cwd=tmp_path, env=environment
        )
        for python in (interpreter(), sys.executable)
    ]
    assert [(each.returncode, each.stderr) for each in ended] == [(7, "told\n")] * 2
    (*seen, environ), (*expected, plain) = (ast.literal_eval(each.stdout) for each in ended)
    assert seen == expected
    # a shell starts it
    assert {name: value for name, value in environ.items() if name not in {"PWD", "SHLVL", "_", "OLDPWD"}} == plain


def test_a_module_ends_with_what_started_it(tmp_path: Path) -> None:
    script = "import os, sys, time; print(os.getpid(), flush=True); time.sleep(300)"
    client = subprocess.Popen([interpreter()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert client.stdin
    assert client.stdout
    client.stdin.write(script)
    client.stdin.close()
    module = int(client.stdout.readline())
    client.kill()
    client.wait()
    assert ends(module)


@pytest.fixture(scope="module")
def secured_group(secured: Cluster) -> str:
    topics.create(secured.client(), "support", 1)
    commits.commit(secured.client(), "support-secured", {("support", 0): (0, "", -1)})
    return "support-secured"


@pytest.mark.parametrize(
    ("listener", "mechanism"),
    [
        ("SSL", ""),
        *((listener, mechanism) for listener in ("SASL_SSL", "SASL_PLAINTEXT")
          for mechanism in ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")),
    ],
)  # fmt: skip
def test_every_way_in(secured: Cluster, secured_group: str, listener: str, mechanism: str) -> None:
    user = f"alice-{listener}-{mechanism}".rstrip("-") if listener == "SSL" or mechanism == "OAUTHBEARER" else "alice"
    topics.allow(secured.client(), user, "group", "support-", ["describe"], prefixed=True)

    assert _groups(secured, listener, user, mechanism) == {secured_group}


def test_permissions_hold(secured: Cluster, secured_group: str) -> None:
    assert _groups(secured, "SASL_SSL", "bob", "PLAIN") == set()
    assert _groups(secured, "SASL_SSL", "admin", "PLAIN") >= {secured_group}
    # ANONYMOUS is nobody.
    assert _groups(secured, "PLAINTEXT", "", "") == set()


@pytest.mark.parametrize("listener", ["EXPIRED", "WRONG_HOST"])
def test_bad_certificates_are_refused(secured: Cluster, listener: str) -> None:
    with pytest.raises(KafkaException):
        AdminClient(properties(secured.client(listener))).list_topics(timeout=5)


def test_certificates_of_another_authority_are_refused(secured: Cluster, tmp_path: Path) -> None:
    stranger = Authority(tmp_path, "stranger")
    client = {**secured.client("SSL"), "ssl.ca.location": str(stranger.certificate)}
    with pytest.raises(KafkaException):
        AdminClient(properties(client)).list_topics(timeout=5)
    assert secured.authority
    assert "ENCRYPTED" in secured.authority.encrypted_key("admin").read_text()


def test_a_broker_of_three_dies_and_comes_back(three: Cluster) -> None:
    topics.create(three.bootstrap, "support", 3, records=30)
    committed = {("support", 0): (3, "", 0)}
    commits.commit(three.bootstrap, "support-three", committed)

    with commits.steadily(three.bootstrap, ["support-three"], committed):
        three.kill(1)
        assert truth.offsets(three.bootstrap, "support-three") == committed
        three.restart(1)

        assert len(three.pids) == 3
        assert truth.offsets(three.bootstrap, "support-three") == committed


def test_brokers_of_other_versions(release: Cluster) -> None:
    topics.create(release.bootstrap, "support-old", 1, records=3)
    commits.commit(release.bootstrap, "support-old", {("support-old", 0): (3, "kept", -1)})
    release.restart()

    assert truth.offsets(release.bootstrap, "support-old") == {("support-old", 0): Offset(3, "kept", -1)}
    with Consumer(release.bootstrap, "support-live", ["support-old"]):
        assert truth.wait_stable(release.bootstrap, "support-live").state == "Stable"


def _groups(secured: Cluster, listener: str, user: str, mechanism: str) -> set[str]:
    admin = AdminClient(properties(secured.client(listener, user, mechanism)))
    answer = admin.list_consumer_groups(request_timeout=10).result()
    assert not answer.errors
    return {one.group_id for one in answer.valid}
