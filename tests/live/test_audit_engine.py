# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The process that Spark runs in: what is missing is said in one sentence, and nothing of it is left behind."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import job, process
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError

from tests.live.task import audit_settings as settings
from tests.live.task import run_audit
from tests.support import commits, topics
from tests.support.broker import Cluster
from tests.support.ports import HOST, free
from tests.support.process import command_lines
from tests.support.repeating import repeatedly

LIST_OFFSETS, OFFSET_FETCH, DESCRIBE_GROUPS, LIST_GROUPS = 2, 9, 15, 16


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"stale_after": "30"}, "stale_after is '30': a duration is written as P7D, PT1H30M, 7d or 1h30m."),
        ({"stale_after": "0d"}, "stale_after must be longer than 0"),
        ({"include": []}, "include is an empty list"),
        ({"include": "~("}, "include: '~(' is not a regular expression"),
        ({"exclude": "~["}, "exclude: '~[' is not a regular expression"),
        ({"exclude": [7]}, "exclude[0] is 7, which YAML reads as a number"),
        ({"spark_conf": {"driver.memory": "4g"}}, "spark_conf: 'driver.memory' must be a Spark property"),
        ({"spark_conf": {"spark.a": {"b": "c"}}}, "spark_conf: 'spark.a' must be a Spark property"),
        ({"spark_conf": {"spark.master": "local"}}, "spark_conf: spark.master cannot be set here: use master."),
        ({"stale_after": "800000d"}, "stale_after is '800000d', but must be 100 years or less."),
        ({"stale_after": "9" * 5000 + "d"}, "stale_after is '9999"),
        ({"master": ""}, "master is empty"),
        ({"topic": "a/b"}, "topic is 'a/b': a topic's name has at most 249 of the characters"),
        ({"output": "/proc/audit"}, "output: /proc/audit cannot be created (No such file or directory)."),
        ({"output": "/etc/passwd"}, "output: /etc/passwd cannot be created (File exists)."),
    ],
)
def test_odd_options_are_refused(tmp_path: Path, given: dict[str, Any], message: str) -> None:
    with pytest.raises(TaskError) as refused:
        settings(Path(given.pop("output", tmp_path)), **given)
    assert str(refused.value).startswith(message)


@pytest.mark.usefixtures("lent_java")
def test_groups_are_asked_before_the_end_of_the_topic_is_taken(cluster: Cluster, tmp_path: Path) -> None:
    """So that who stops meanwhile has left a record in the scan, and does not look as if it had been idle before it."""
    topics.create(cluster.client(), "audited-in-order")
    commits.commit(cluster.client(), "audited-in-order", {("audited-in-order", 0): (0, "", -1)})
    proxy = cluster.proxy
    assert proxy is not None
    proxy.clear()
    # idle, so that its offsets decide about the plan
    run_audit(tmp_path, proxy.address, include=["audited-in-order"], stale_after="1s")
    asked = [request.api_key for request in proxy.requests]
    proxy.reset()
    ends = asked.index(LIST_OFFSETS)
    for api_key, before, after in (
        (LIST_GROUPS, True, False),
        # once more after the scan whether those without members have some
        (DESCRIBE_GROUPS, True, True),
        (OFFSET_FETCH, False, True),
    ):
        assert (api_key in asked[:ends], api_key in asked[ends:]) == (before, after)


def test_an_empty_output_is_refused() -> None:
    with pytest.raises(TaskError, match="output must not be empty: set a folder"):
        settings("")


def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "spark.log").mkdir()
    with pytest.raises(TaskError) as failed:
        process.run(settings(tmp_path))
    assert str(failed.value).startswith(f"The audit cannot write {tmp_path}/spark.log (Is a directory)")


def _no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")


def _wrong_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")


def _no_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    known = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyspark" else known(name))


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (
            _no_java,
            "The audit requires Java 17 or newer on this host, but java is not on the PATH: install Java, or set "
            "JAVA_HOME.",
        ),
        (
            _wrong_home,
            "The audit requires Java 17 or newer on this host, but JAVA_HOME is /nowhere, which does not contain "
            "bin/java",
        ),
        (_no_pyspark, "The audit requires pyspark for "),
    ],
)
def test_what_is_missing_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, break_it: Callable[[pytest.MonkeyPatch], None], message: str
) -> None:
    wanted = settings(tmp_path)
    break_it(monkeypatch)
    with pytest.raises(TaskError) as missing:
        process.check(wanted)
    assert str(missing.value).startswith(message)


@pytest.fixture
def silent() -> Iterator[int]:
    """A port that accepts connections, and says nothing."""
    with socket.create_server((HOST, 0)) as server:
        yield server.getsockname()[1]


def test_a_master_that_cannot_be_reached(tmp_path: Path) -> None:
    (port,) = free(1)
    master = f"spark://{HOST}:{port}"
    with pytest.raises(TaskError) as missing:
        process.check(settings(tmp_path, master=master))
    assert str(missing.value).startswith(f"The Spark master {master} cannot be reached (Connection refused)")
    with pytest.raises(TaskError, match="the format must be spark://host:port"):
        process.check(settings(tmp_path, master="spark://nobody"))


def test_yarn_needs_a_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_CONF_DIR", "SPARK_HOME")
    for name in variables:
        monkeypatch.delenv(name, raising=False)
    wanted = settings(tmp_path, master="yarn")
    with pytest.raises(TaskError, match="master is yarn, but HADOOP_CONF_DIR is not set: "):
        process.check(wanted)
    for name in variables:
        with monkeypatch.context() as environment:
            environment.setenv(name, str(tmp_path))
            process.check(wanted)


def test_a_master_that_is_silent(tmp_path: Path, silent: int) -> None:
    wanted = settings(tmp_path, master=f"spark://{HOST}:{silent}", timeout=300)
    process.check(wanted)
    started = time.monotonic()
    with pytest.raises(TaskError, match="did not respond within 50 s: check master"):
        process.run(wanted)
    assert time.monotonic() - started < 80


@pytest.mark.usefixtures("lent_java")
def test_a_topic_that_is_not_there(cluster: Cluster, tmp_path: Path) -> None:
    with pytest.raises(TaskError) as failed:
        process.run(settings(tmp_path, cluster.bootstrap, topic="nothing", timeout=300))
    assert "nothing" in str(failed.value)
    assert "\n" not in str(failed.value)


def test_a_wrong_property_of_spark(tmp_path: Path) -> None:
    with pytest.raises(TaskError) as failed:
        process.run(settings(tmp_path, spark_conf={"spark.driver.memory": "plenty"}, timeout=300))
    assert str(failed.value).startswith("Java did not start for Spark: check spark_conf")
    assert "plenty" in (tmp_path / "spark.log").read_text(encoding="utf-8")


def test_an_archive_of_class_data(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Java writes it at the end of an audit, and takes classes from it in another; both fail, which is quicker."""
    # with the archive of the tests, Java does not write another one
    monkeypatch.delenv("SPARK_SUBMIT_OPTS", raising=False)
    archive, loaded = tmp_path / "spark.jsa", tmp_path / "loaded.txt"
    for java in (
        f"-XX:ArchiveClassesAtExit={archive}",
        f"-XX:SharedArchiveFile={archive} -Xlog:class+load:file={loaded}",
    ):
        conf = {"spark.driver.defaultJavaOptions": java}
        with pytest.raises(TaskError, match="nothing"):
            process.run(settings(tmp_path, cluster.bootstrap, topic="nothing", timeout=300, spark_conf=conf))
    assert "org.apache.spark.SparkContext source: shared objects file (top)" in loaded.read_text("utf-8")


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, of this test alone."""
    folder = tmp_path / "private"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_the_time_is_over(cluster: Cluster, tmp_path: Path, private: Path) -> None:
    with pytest.raises(TaskError) as failed:
        process.run(settings(tmp_path, cluster.bootstrap, timeout=3))
    assert str(failed.value).startswith("The audit did not finish within timeout: increase timeout")
    assert not _jobs(private)


def test_only_java_is_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A task that has saved its result is done, whatever it still waits for."""
    (tmp_path / "late.py").write_text(
        f"import sys, time\nfrom {process.__package__}.settings import save_answer\n"
        "save_answer(sys.argv[1], {'summary': {}})\ntime.sleep(300)\n",
        "utf-8",
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert process.run(settings(tmp_path / "output", timeout=5), "late") == {"summary": {}}


def test_options_are_private_and_do_not_stay(tmp_path: Path, private: Path, silent: int) -> None:
    """While the process waits for a silent master: its folder, its command lines; and afterwards."""
    wanted = settings(
        tmp_path / "output",
        master=f"spark://{HOST}:{silent}",
        spark_conf={"spark.hadoop.secret": "s3cr3t-of-spark"},
        sasl_password="s3cr3t-of-kafka",
        sasl_username="ops",
        sasl_mechanism="PLAIN",
        security_protocol="SASL_PLAINTEXT",
        timeout=20,
    )
    seen: dict[str, Any] = {}

    def look() -> None:
        for folder in private.glob("kafkaops-audit-*"):
            for name in ("", "settings.json", "spark.properties"):
                with contextlib.suppress(FileNotFoundError):
                    seen[name] = stat.S_IMODE((folder / name).stat().st_mode)
        seen["processes"] = max(seen.get("processes", 0), len(_jobs(private)))
        seen["told"] = seen.get("told", False) or bool(_telling("s3cr3t"))

    with repeatedly(look, 0.01), pytest.raises(TaskError, match="did not finish within timeout"):
        process.run(wanted)
    assert seen[""] == 0o700
    assert {seen["settings.json"], seen["spark.properties"]} == {0o600}
    assert seen["processes"]
    assert not seen["told"]
    assert not list(private.iterdir())
    assert "s3cr3t" not in (tmp_path / "output" / "spark.log").read_text(encoding="utf-8")


@pytest.mark.parametrize("with_java", [False, True])
def test_nothing_stays_when_the_module_is_killed(tmp_path: Path, silent: int, with_java: bool) -> None:
    """Neither files nor processes: as soon as the settings were read, and when Java, too busy to notice, has begun."""
    folder = tmp_path / "private"
    folder.mkdir()
    settings(tmp_path, master=f"spark://{HOST}:{silent}", timeout=300).save(str(folder))
    child = subprocess.Popen(
        [sys.executable, "-m", job.__name__, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=process._environment(str(folder)),
        start_new_session=True,
    )
    assert child.stdin is not None
    try:
        while (folder / "settings.json").exists() or (with_java and not _javas(folder)):
            assert child.poll() is None
            time.sleep(0.01)
        for pid in _javas(folder):
            os.kill(pid, signal.SIGSTOP)
        child.stdin.close()
        assert child.wait(60) == -signal.SIGKILL
        deadline = time.monotonic() + 20
        while (left := folder.exists() or bool(_telling(str(folder)))) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not left
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)


def _javas(folder: Path) -> list[int]:
    """The process ids of Spark's Java, without those of what starts it."""
    started = _telling(f"{folder}/spark.properties")
    return [pid for pid, command in started.items() if "bin/java" in command and "launcher.Main" not in command]


def _telling(text: str) -> dict[int, str]:
    return {pid: command for pid, command in command_lines().items() if text in command}


def _jobs(folder: Path) -> list[str]:
    return [command for command in _telling(str(folder)).values() if job.__name__ in command]
