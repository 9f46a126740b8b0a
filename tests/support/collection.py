# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The import path of the collection for Ansible and Python: a tree with a link to the checkout, or a copy of it."""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ansible

from tests.support.process import Process

CHECKOUT = Path(__file__).resolve().parents[2]


def tree() -> Path:
    """Build, outside the checkout, ``ansible_collections/kafkaops/groups`` as a link to it, and return the root.

    :raises PermissionError: when somebody else owns the folder.
    """
    digest = hashlib.sha256(str(CHECKOUT).encode()).hexdigest()[:12]
    root = Path(tempfile.gettempdir()) / f"kafkaops-groups-{os.getuid()}" / digest
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    if root.parent.stat().st_uid != os.getuid():
        raise PermissionError(f"{root.parent} belongs to another user")
    link = root / "ansible_collections" / "kafkaops" / "groups"
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink() or link.readlink() != CHECKOUT:
        # A name of its own, then a rename: others may be doing the same.
        fresh = link.with_name(f".groups-{os.getpid()}")
        fresh.symlink_to(CHECKOUT)
        fresh.replace(link)
    return root


def copy(root: Path) -> Path:
    """Copy the checkout's files to ``ansible_collections/kafkaops/groups`` below `root`: ansible-test follows no link.

    :returns: where they are.
    """
    folder = root / "ansible_collections" / "kafkaops" / "groups"
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (CHECKOUT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, folder / name)
    return folder


@functools.cache
def reused() -> dict[str, str]:
    """The environment in which runs of Ansible share what each would make anew from the same sources.

    Python compiles each source of a module once (`ansible/python/`). Ansible builds the archive of each module once,
    and loads its filters once a run (`ansible/callback/`).
    """
    here = Path(__file__).parent / "ansible"
    sources = sorted(path for path in (CHECKOUT / "plugins").rglob("*.py"))
    told = [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in sources]
    digest = hashlib.sha256(repr((sys.version, ansible.__version__, told)).encode()).hexdigest()[:12]
    archives, compiled = (tree() / name for name in (f"archives-{digest}", "compiled"))
    for folder in (archives, compiled):
        folder.mkdir(mode=0o700, exist_ok=True)
    return {
        "PYTHONPATH": str(here / "python"),
        "KAFKAOPS_COMPILED": str(compiled),
        "KAFKAOPS_ARCHIVES": str(archives),
        "ANSIBLE_CONFIG": str(here / "ansible.cfg"),
        "ANSIBLE_CALLBACK_PLUGINS": str(here / "callback"),
    }


@functools.cache
def interpreter() -> str:
    """A Python as this one, for modules of Ansible on this machine; quicker to start (`ansible/interpreter/`)."""
    here = Path(__file__).parent / "ansible" / "interpreter"
    folder = Path(tempfile.mkdtemp(prefix="python-"))
    atexit.register(shutil.rmtree, folder)
    address, python = folder / "socket", folder / "python"
    server = Process([sys.executable, str(here / "server.py"), str(address)], folder / "log", env=reused())
    atexit.register(server.stop)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -IS "{here}/client.py" "{address}" "$@"\n', encoding="utf-8")
    python.chmod(0o700)
    while not address.exists():
        assert server.alive, server.tail()
        time.sleep(0.01)
    return str(python)


def install() -> Path:
    """Make the collection importable here and in child processes, ``ansible-playbook`` among them."""
    root = str(tree())
    if root not in sys.path:
        sys.path.insert(0, root)
    paths = [root, *os.environ.get("ANSIBLE_COLLECTIONS_PATH", "").split(os.pathsep)]
    os.environ["ANSIBLE_COLLECTIONS_PATH"] = os.pathsep.join(dict.fromkeys(path for path in paths if path))
    return Path(root)


if __name__ == "__main__":
    print(tree())
