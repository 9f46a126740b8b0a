# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The targets of ansible-test, each against real brokers."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.older import fit
from tests.integration.world import seen
from tests.support import state
from tests.support.broker import Cluster
from tests.support.collection import CHECKOUT, copy, interpreter
from tests.support.jars import DEFAULT_VERSION

pytestmark = pytest.mark.live

TARGETS = Path(__file__).parent / "targets"
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
LIMIT = 600
GROUP_TARGETS = ["consumer_group", "consumer_group_info", "consumer_group_members", "consumer_group_offsets"]
ON_EVERY_VERSION = [*GROUP_TARGETS, "topic"]


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout's files at the path that ansible-test wants."""
    return copy(tmp_path_factory.mktemp("targets"))


@pytest.fixture
def secured() -> Iterator[dict[str, Any]]:
    with Cluster.start("secured") as cluster:
        assert cluster.authority
        yield {
            "listeners": cluster.listeners,
            "cafile": str(cluster.authority.certificate),
            "users": cluster.users,
        }


@pytest.mark.parametrize("target", sorted(path.parent.name for path in TARGETS.glob("*/aliases")))
def test_target(
    target: str,
    collection: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    if target in ON_EVERY_VERSION:
        record_property("row", row(target))
        record_property("version", DEFAULT_VERSION)
    if target == "connection":
        play(target, request.getfixturevalue("secured"), collection, tmp_path)
    else:
        with Cluster.start() as cluster, seen(cluster.client()) as address:
            play(target, plain(cluster, address), collection, tmp_path)


@pytest.mark.parametrize("target", ON_EVERY_VERSION)
def test_target_on_an_older_version(
    target: str, older: str, collection: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    record_property("row", row(target))
    record_property("version", older)
    copied = collection / "tests/integration/targets" / target / "vars" / "main.yml"
    newest = copied.read_text(encoding="utf-8")
    copied.write_text(yaml.safe_dump(fit(target, yaml.safe_load(newest), older)), encoding="utf-8")
    try:
        with Cluster.start("old", older) as cluster, seen(cluster.client()) as address:
            play(target, plain(cluster, address), collection, tmp_path)
    finally:
        copied.write_text(newest, encoding="utf-8")


def row(target: str) -> str:
    """The row of a target in the table of versions."""
    modules = "`topic` and `topic_info`" if target == "topic" else f"`{target}`"
    return f"{modules}: all integration tests of classic groups"


def plain(cluster: Cluster, address: str) -> dict[str, Any]:
    """What a target wants to know about a cluster."""
    return {"client": cluster.client(), "seen": address, "bootstrap_servers": [cluster.bootstrap]}


def play(target: str, kafka: dict[str, Any], collection: Path, folder: Path) -> None:
    """Run a target."""
    members = folder / "members"
    config = {
        "kafka": {**kafka, "folder": str(members)},
        "python": sys.executable,
        "checkout": str(CHECKOUT),
        "ansible_python_interpreter": interpreter(),
    }
    (collection / "tests/integration/integration_config.yml").write_text(json.dumps(config), encoding="utf-8")
    # ansible-test looks for the Python, and Ansible for ansible-playbook, in the PATH.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    log = folder / "output.txt"
    command = ["ansible-test", "integration", "--local", "--python", PYTHON, "--color", "no", target]
    with log.open("wb") as output:
        run = subprocess.Popen(
            command,
            cwd=collection,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = run.wait(LIMIT)
        except subprocess.TimeoutExpired:
            code = -1
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
            state.end_members(members, None, hard=True)
    if code:
        pytest.fail(
            f"exit code {code} (-1: not done after {LIMIT} s)\n{log.read_text('utf-8', 'replace')}", pytrace=False
        )
