# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Back-ups and plans on a real file system without hard links: exFAT, by FUSE."""

from __future__ import annotations

import contextlib
import datetime
import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._files import plan as plan_file

from tests.live.task import ansible
from tests.support import commits, mounts, topics, truth
from tests.support.broker import Cluster

TOPIC = "backups"
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def mount(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with contextlib.ExitStack() as stack:
        try:
            root = stack.enter_context(mounts.exfat(tmp_path_factory.mktemp("mount")))
        except RuntimeError as exc:
            pytest.fail(f"no file system without hard links: {exc}")
        (root / "a").touch()
        with pytest.raises(PermissionError):
            os.link(root / "a", root / "b")
        (root / "a").unlink()
        yield root


@pytest.fixture(scope="module")
def bootstrap(cluster: Cluster) -> str:
    topics.create(cluster.client(), TOPIC, records=9)
    return cluster.bootstrap


@pytest.fixture
def group(cluster: Cluster, bootstrap: str) -> str:
    name = f"backups-{next(NUMBERS)}"
    commits.commit(cluster.client(), name, {(TOPIC, 0): (5, "m", -1)})
    return name


def test_a_backup_without_hard_links(cluster: Cluster, bootstrap: str, group: str, mount: Path) -> None:
    file = mount / f"{group}.json"
    predicted = ansible("consumer_group", bootstrap, check=True, name=group, backup=str(file))
    assert predicted["changed"] is True
    assert predicted["backup_file"] == str(file)
    assert os.listdir(mount) == []

    done = ansible("consumer_group", bootstrap, name=group, backup=str(file))
    assert {key: done[key] for key in ("changed", "results")} == {key: predicted[key] for key in ("changed", "results")}
    assert os.listdir(mount) == [file.name]
    written = file.read_bytes()

    restored = ansible("consumer_group_offsets", bootstrap, restore={"path": str(file)})
    assert restored["changed"] is True
    assert truth.offsets(cluster.client(), group) == {(TOPIC, 0): (5, "m", -1)}

    for check in (True, False):
        refused = ansible("consumer_group", bootstrap, check=check, name=group, backup=str(file))
        assert "exists already" in refused["msg"]
    assert file.read_bytes() == written
    file.unlink()


@pytest.mark.parametrize(
    ("name", "filled", "reason"),
    [
        ("2026-01-31T12:00:00.json", False, "No such file or directory"),
        ("full.json", True, "No space left on device"),
    ],
    ids=["a colon in its name", "a full disk"],
)
def test_check_mode_fails_where_the_real_run_would(
    cluster: Cluster, bootstrap: str, group: str, mount: Path, name: str, filled: bool, reason: str
) -> None:
    ballast = mount / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while filled and file.write(bytes(4096)):
            pass
    before = os.listdir(mount)
    for check in (True, False):
        refused = ansible("consumer_group", bootstrap, check=check, name=group, backup=str(mount / name))
        assert refused["msg"] == f"backup: {mount / name} cannot be written ({reason}). Nothing was changed."
        assert os.listdir(mount) == before
    assert group in truth.groups(cluster.client())
    ballast.unlink()


def test_a_plan_replaces_an_earlier_one_without_hard_links(mount: Path) -> None:
    file = mount / "plan.json"
    for number in (1, 2):
        created = datetime.datetime(2026, 1, number, tzinfo=datetime.UTC)
        plan_file.write(str(file), plan_file.Plan("c", created, {}, [], []))
        assert plan_file.read(str(file), "c").created == created
    assert os.listdir(mount) == [file.name]
    file.unlink()
