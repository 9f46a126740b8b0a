# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the documentation site: ``python -m tests.support.docsite [FOLDER]``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import yaml

from tests.support.collection import CHECKOUT, tree

SITE = CHECKOUT / "docs" / "site"
#: What the generated pages refer to in Ansible's own documentation: label, page and title.
ANSIBLE = [("common_return_values", "reference_appendices/common_return_values.html", "Return Values")]
_BIN = Path(sys.executable).parent


def guides() -> list[str]:
    """Return the names of the guides, in the order of ``docs/docsite/extra-docs.yml``."""
    listed = yaml.safe_load((CHECKOUT / "docs" / "docsite" / "extra-docs.yml").read_text(encoding="utf-8"))
    return [name for section in listed["sections"] for name in section["toctree"]]


def build(folder: Path) -> Path:
    """Build the site in a folder, and return its index page; what an earlier build left there is replaced.

    :raises subprocess.CalledProcessError: when there is a warning or an error; the tools have written which.
    """
    pages, html = folder / "rst", folder / "html"
    for old in (pages, html):
        if old.exists():
            shutil.rmtree(old)
    # antsibull-docs requires a folder that other users cannot write to
    pages.mkdir(mode=0o700, parents=True)
    _run(folder, "antsibull-docs", "--config-file", SITE / "antsibull-docs.cfg", "collection", "--use-current",
         "--fail-on-error", "--squash-hierarchy", "--dest-dir", pages, "kafkaops.groups")  # fmt: skip
    # without variables, because the documentation of module options contains them
    (pages / "environment_variables.rst").unlink()
    index = (SITE / "index.rst").read_text(encoding="utf-8")
    listed = "\n".join(f"   docsite/{name}" for name in guides())
    (pages / "index.rst").write_text(index.replace("GUIDES", listed), encoding="utf-8")
    for page in (CHECKOUT / "docs").glob("**/*.md"):
        copy = pages / "measured" / page.relative_to(CHECKOUT / "docs")
        copy.parent.mkdir(exist_ok=True, parents=True)
        shutil.copy(page, copy)
    (folder / "ansible.inv").write_bytes(_inventory())
    _run(folder, "sphinx-build", "-q", "-b", "html", "--fail-on-warning", "--keep-going", "-c", SITE, pages, html)
    return html / "index.html"


def _inventory() -> bytes:
    """Return an inventory as Sphinx writes them, with the labels of `ANSIBLE`."""
    lines = "".join(f"{label} std:label -1 {page} {title}\n" for label, page, title in ANSIBLE)
    head = "# Sphinx inventory version 2\n# Project: Ansible\n# Version:\n# The remainder is compressed using zlib.\n"
    return head.encode() + zlib.compress(lines.encode())


def _run(home: Path, tool: str, *arguments: str | Path) -> None:
    # antsibull-docs writes a log to the home folder
    environment = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(tree()), "HOME": str(home)}
    # antsibull-docs calls ansible-doc
    environment["PATH"] = os.pathsep.join([str(_BIN), environment.get("PATH", os.defpath)])
    subprocess.run([_BIN / tool, *arguments], env=environment, check=True)


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else CHECKOUT / ".cache" / "docs"
    try:
        index = build(folder.resolve())
    except subprocess.CalledProcessError as error:
        print(f"docs: {Path(error.cmd[0]).name} failed, see above", file=sys.stderr)
        return 1
    print(index)
    return 0


if __name__ == "__main__":
    sys.exit(main())
