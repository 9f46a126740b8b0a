# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the checks run: the checkout, a copy at a real collection path, and the collection as users install it."""

from __future__ import annotations

import ast
import configparser
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.collection import CHECKOUT, copy, tree

#: The least that has to be there for the collection to work.
PARTS = ("meta", "plugins", "roles", "playbooks")

_BIN = Path(sys.executable).parent
# ansible-test runs this in place of pip's own get-pip.py, which it downloads from an address that is no package index.
_BOOTSTRAP = f"""\
import subprocess, sys
wanted = [argument for argument in sys.argv[1:] if not argument.startswith("--no-")]
sys.exit(subprocess.call([{sys.executable!r}, "-m", "pip", "--python", sys.executable, "install", *wanted]))
"""


def run(command: Sequence[str | Path], folder: Path, **environment: str) -> str:
    """Run a command with this interpreter's tools first in its PATH, and return what it wrote.

    The test fails, and shows that, unless the command exits 0.
    """
    path = os.pathsep.join([str(_BIN), os.environ.get("PATH", os.defpath)])
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, "PATH": path, "NO_COLOR": "1", **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        words = " ".join(map(str, command))
        pytest.fail(f"{words} exited with {done.returncode}:\n{done.stdout}", pytrace=False)
    return done.stdout


@pytest.fixture(scope="session")
def checkout() -> Path:
    return CHECKOUT


@pytest.fixture(scope="session")
def linked() -> Path:
    """The root of a tree whose ``ansible_collections/kafkaops/groups`` is a link to the checkout."""
    return tree()


@pytest.fixture(scope="session")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the checkout at a real ``ansible_collections/kafkaops/groups``: ansible-test follows no link."""
    return copy(tmp_path_factory.mktemp("copied"))


@pytest.fixture(scope="session")
def built(copied: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection's tarball."""
    folder = tmp_path_factory.mktemp("built")
    run(["ansible-galaxy", "collection", "build", "--output-path", folder], copied)
    (archive,) = folder.glob("kafkaops-groups-*.tar.gz")
    return archive


@pytest.fixture(scope="session")
def released(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the tarball, as Galaxy checks them."""
    folder = tmp_path_factory.mktemp("released") / "ansible_collections" / "kafkaops" / "groups"
    with tarfile.open(built) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="session")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root that the collection was built for and installed into, with nothing but `PARTS` of it."""
    work = tmp_path_factory.mktemp("installed")
    root = work / "collections"
    install: list[str | Path] = [
        "ansible-galaxy",
        "collection",
        "install",
        "--offline",
        "--collections-path",
        root,
        built,
    ]
    # else it finds the checkout, and installs nothing
    run(install, work, ANSIBLE_COLLECTIONS_PATH=str(root))
    collection = root / "ansible_collections" / "kafkaops" / "groups"
    for path in collection.iterdir():
        if path.name not in (*PARTS, "MANIFEST.json", "FILES.json"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return root


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def sanity_home() -> Path:
    """A home folder for ansible-test, kept between runs, that needs nothing but a package index.

    ansible-test hands no environment variable but HOME to its pip, so pip's settings go into a file there.
    """
    home = CHECKOUT / ".cache" / "ansible-test"
    cache = home / ".ansible" / "test" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    (cache / f"get_pip_{_pip_version().replace('.', '_')}.py").write_text(_BOOTSTRAP, encoding="utf-8")
    settings = home / ".config" / "pip" / "pip.conf"
    settings.parent.mkdir(parents=True, exist_ok=True)
    # an index's address may hold a password
    settings.touch(mode=0o600)
    with settings.open("w", encoding="utf-8") as file:
        _pip_settings().write(file)
    return home


def _pip_version() -> str:
    """The version of pip that ansible-test puts into its virtual environments."""
    code = (
        "import sys, types; from ansible_test._internal.python_requirements import get_venv_packages;"
        "print(get_venv_packages(types.SimpleNamespace(version='%d.%d' % sys.version_info[:2]))['pip'])"
    )
    return run([sys.executable, "-c", code], CHECKOUT).strip()


def _pip_settings() -> configparser.RawConfigParser:
    """The settings of this interpreter's pip, those of the environment included."""
    listed = run([sys.executable, "-m", "pip", "config", "list"], CHECKOUT).splitlines()
    settings: dict[str, dict[str, str]] = {"global": {}}
    # the environment overrides files, so it comes last
    for line in sorted(listed, key=lambda line: line.startswith(":env:")):
        name, _equals, value = line.partition("=")
        section, _dot, option = name.replace(":env:", "global").partition(".")
        settings.setdefault(section, {})[option] = str(ast.literal_eval(value))
    for option, variables in {"cert": ("REQUESTS_CA_BUNDLE",), "proxy": ("HTTPS_PROXY", "https_proxy")}.items():
        for variable in variables:
            if os.environ.get(variable):
                settings["global"].setdefault(option, os.environ[variable])
    parser = configparser.RawConfigParser()
    parser.read_dict(settings)
    return parser
