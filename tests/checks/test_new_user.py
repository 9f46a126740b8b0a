# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What somebody has who only knows the README: an empty home, an empty virtual environment, and a cluster."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.checks.conftest import run
from tests.support import commits, offsets_topic, topics, truth
from tests.support.broker import Cluster
from tests.support.collection import CHECKOUT
from tests.support.offsets_topic import Record

pytestmark = pytest.mark.live

MODULES = sorted(path.stem for path in (CHECKOUT / "plugins" / "modules").glob("*.py"))
HEADING = "## Delete stale groups\n"
PARTITIONS = 10
OLD = int((time.time() - 120 * 86_400) * 1000)


@dataclass(frozen=True)
class Home:
    """A new user's home, and nothing else: the collection installed from the tarball, with what its file requires."""

    folder: Path

    @property
    def collection(self) -> Path:
        return self.folder / ".ansible" / "collections" / "ansible_collections" / "kafkaops" / "groups"

    @property
    def python(self) -> Path:
        return self.folder / "venv" / "bin" / "python"

    def run(self, *command: str | Path, **environment: str) -> str:
        """Run a command in the home and the virtual environment, with nothing of the checkout in its environment."""
        outside = [part for part in os.environ["PATH"].split(os.pathsep) if not part.startswith(str(CHECKOUT))]
        path = os.pathsep.join([str(self.python.parent), *outside])
        clean = {"HOME": str(self.folder), "PATH": path, "LANG": "C.UTF-8", **environment}
        assert not any(str(CHECKOUT) in value for value in clean.values())
        return run(["env", "-i", *(f"{name}={value}" for name, value in clean.items()), *command], self.folder)


@pytest.fixture(scope="module")
def home(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Home:
    made = Home(tmp_path_factory.mktemp("home"))
    run([sys.executable, "-m", "venv", made.folder / "venv"], made.folder)
    pip: list[str | Path] = [made.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, f"ansible-core=={importlib.metadata.version('ansible-core')}"], made.folder)
    made.run("ansible-galaxy", "collection", "install", "--offline", built)
    run([*pip, "-r", made.collection / "meta" / "requirements.txt"], made.folder)
    return made


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Two groups that nobody has used for 120 days, and one of Kafka Connect, beside three that are in use."""
    with Cluster.start("single", config={"offsets.retention.minutes": "525600"}) as started:
        client = started.client()
        topics.create(client, "orders", records=10)
        commits.commit_many(client, {f"used-{number}": {("orders", 0): (number, "", -1)} for number in range(3)})
        value = offsets_topic.commit_value(3, OLD, "a note")
        offsets_topic.write(
            client,
            [
                Record(
                    offsets_topic.partition_of(group, PARTITIONS),
                    offsets_topic.commit_key(group, "orders", 0),
                    value,
                    OLD,
                )
                for group in ("old-1", "old-2", "connect-old")
            ],
        )
        # what is written by hand gets to the coordinator when it loads its partitions
        started.restart()
        yield started


def test_ten_lines_clean_a_cluster(home: Home, cluster: Cluster) -> None:
    readme = (home.collection / "README.md").read_text(encoding="utf-8")
    playbook = readme.partition(HEADING)[2].partition("```yaml\n")[2].partition("```")[0]
    assert 1 < len(playbook.splitlines()) <= 10
    (home.folder / "cleanup.yml").write_text(playbook, encoding="utf-8")
    (home.folder / "backups").mkdir()
    folders = {"cleanup_output": str(home.folder / "audit"), "cleanup_backup_folder": str(home.folder / "backups")}
    before = set(truth.groups(cluster.client()))
    command = ["ansible-playbook", "cleanup.yml", "-e", json.dumps(folders)]
    told = home.run(*command, KAFKA_BOOTSTRAP_SERVERS=cluster.bootstrap)
    assert before - truth.groups(cluster.client()).keys() == {"old-1", "old-2"}
    (backup,) = (home.folder / "backups").iterdir()
    saved = json.loads(backup.read_text(encoding="utf-8"))["groups"]
    assert [(group["name"], group["offsets"][0]["metadata"]) for group in saved] == [
        ("old-1", "a note"),
        ("old-2", "a note"),
    ]
    assert f"kafkaops.groups.restore -e '{{restore_from: [{backup}" in told


def test_every_module_imports_there(home: Home) -> None:
    names = [f"ansible_collections.kafkaops.groups.plugins.modules.{module}" for module in MODULES]
    root = str(home.collection.parents[2])
    code = f"import importlib; print(*(importlib.import_module(name).__file__ for name in {names}), sep='\\n')"
    files = home.run(home.python, "-c", code, PYTHONPATH=root).splitlines()
    assert [Path(file).parents[2] for file in files] == [home.collection] * len(MODULES)


def test_an_execution_environment_gets_what_is_installed(home: Home, tmp_path: Path) -> None:
    """ansible-builder reads meta/execution-environment.yml from the root of the collection."""
    root = tmp_path / "groups"
    shutil.copytree(home.collection, root)
    shutil.copy(root / "meta" / "execution-environment.yml", root)
    for definition, context in (
        ("execution-environment.yml", "context"),
        ("awx/execution-environment.yml", "awx-context"),
    ):
        run(["ansible-builder", "create", "--file", root / definition, "--context", tmp_path / context], tmp_path)
    for name in ("requirements.txt", "bindep.txt"):
        taken = (tmp_path / "context" / "_build" / name).read_text(encoding="utf-8")
        assert taken == (home.collection / "meta" / name).read_text(encoding="utf-8")
    wanted = (tmp_path / "awx-context" / "_build" / "requirements.yml").read_text(encoding="utf-8")
    assert "kafkaops.groups" in wanted


def test_an_execution_environment_without_spark(home: Home, tmp_path: Path) -> None:
    """What ansible-builder then asks the collection for, in the image."""
    definition = home.collection / "awx" / "execution-environment-modules.yml"
    run(["ansible-builder", "create", "--file", definition, "--context", tmp_path / "context"], tmp_path)
    build = tmp_path / "context" / "_build"
    files = {
        "--exclude-pip-reqs": build / "exclude-requirements.txt",
        "--exclude-bindep-reqs": build / "exclude-bindep.txt",
        "--write-pip": tmp_path / "pip.txt",
        "--write-bindep": tmp_path / "bindep.txt",
    }
    options = [f"{option}={file}" for option, file in files.items()]
    root = home.collection.parents[2]
    run(["ansible-builder", "introspect", "--sanitize", root, *options], tmp_path)
    left = (tmp_path / "pip.txt").read_text(encoding="utf-8").split("\n")
    assert {re.split(r"[<>=\s]", line)[0] for line in left if line} == {"kafka-python", "jinja2"}
    assert not (tmp_path / "bindep.txt").exists()
