# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a module says on a host whose Python is too old for it: RHEL 9's is 3.9, and Ansible runs modules there."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._python import OLDEST, refusal

from tests.support.collection import CHECKOUT, install

PLUGINS = CHECKOUT / "plugins"
MODULES = sorted((PLUGINS / "modules").glob("[a-z]*.py"))
#: Ansible's own modules run on it.
OLDEST_OF_ANSIBLE = (3, 8)
OLD = [f"python3.{minor}" for minor in range(OLDEST_OF_ANSIBLE[1], OLDEST[1])]


def pythons() -> dict[str, str]:
    """The old Pythons of this machine: those of the PATH, and pyenv's."""
    found = {name: path for name in OLD if (path := shutil.which(name))}
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return found | {path.name: str(path) for name in OLD for path in root.glob(f"versions/*/bin/{name}")}


def failure(python: Path | str) -> str:
    """The message of a module that Ansible runs by another Python, where it fails without a traceback."""
    environment = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(install()), "ANSIBLE_LOCALHOST_WARNING": "false"}
    command = [str(Path(sys.executable).parent / "ansible"), "localhost", "-c", "local"]
    options = ["-m", "kafkaops.groups.consumer_group_info", "-a", "bootstrap_servers=127.0.0.1:1"]
    interpreter = ["-e", f"ansible_python_interpreter={python}"]
    ended = subprocess.run(
        [*command, *options, *interpreter], env=environment, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, "Traceback" in ended.stdout + ended.stderr) == (2, False)
    answer = json.loads(ended.stdout.partition(" => ")[2])
    assert "exception" not in answer
    return str(answer["msg"])


@pytest.mark.fast
@pytest.mark.parametrize("old", OLD)
def test_one_sentence(old: str) -> None:
    python = pythons().get(old)
    if python is None:
        pytest.skip(f"{old} is not installed")
    words = (
        rf"This needs Python 3[.]11 or newer on the host that the module runs on, and {python} is {old[6:]}[.]\d+: .*"
    )
    assert re.fullmatch(words, failure(python))


@pytest.mark.fast
def test_a_library_that_is_missing(tmp_path: Path) -> None:
    venv.create(tmp_path)
    assert failure(tmp_path / "bin" / "python").startswith(
        "Failed to import the required Python library (kafka-python>=3.0.12,<3.1)"
    )


@pytest.mark.fast
@pytest.mark.parametrize(
    "path",
    [*MODULES, *(PLUGINS / "module_utils" / name for name in ("_ansible.py", "_python.py"))],
    ids=lambda path: path.stem,
)
def test_an_old_python_compiles_what_comes_before_the_check(path: Path) -> None:
    """The rest is imported only after it: it is the first import of the collection, in the first file."""
    tree = ast.parse(path.read_text("utf-8"), feature_version=OLDEST_OF_ANSIBLE)
    ours = [
        (node.module or "", node.names[0].name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("ansible_collections"))
    ]
    if path.stem == "_python":
        assert ours == []
    elif path.stem == "_ansible":
        assert ours[0] == ("", "_python")
    else:
        assert ours[0][0] == "ansible_collections.kafkaops.groups.plugins.module_utils._ansible"


@pytest.mark.fast
@pytest.mark.parametrize(("version", "refused"), [((3, 9), True), ((3, 10), True), (OLDEST, False), ((4, 0), False)])
def test_the_oldest_python(version: tuple[int, int], refused: bool) -> None:
    assert (refusal(version) is not None) == refused
