# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the set-up installs is what is asked for, on each Python, and nothing without a checksum (``make lock``)."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support import jars
from tests.support.collection import CHECKOUT
from tests.support.lock import BESIDE, KINDS, asked, locked

PYTHONS = ("3.11", "3.12", "3.13")

pytestmark = pytest.mark.fast


def on(python: str, requirements: Iterable[Requirement]) -> dict[str, str]:
    """The version of each package that one Python gets."""
    environment = {"python_version": python, "python_full_version": f"{python}.0"}
    taken = [one for one in requirements if one.marker is None or one.marker.evaluate(environment)]
    versions = {str(canonicalize_name(one.name)): str(one.specifier) for one in taken}
    assert len(versions) == len(taken)
    assert all(re.fullmatch(r"==[^*,]+", version) for version in versions.values())
    return versions


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("kind", [*KINDS, *BESIDE])
def test_what_is_asked_for_is_locked(kind: str, python: str) -> None:
    pinned = on(python, [one.requirement for one in locked(kind)])
    assert on(python, asked(kind)).items() <= pinned.items()


@pytest.mark.parametrize("kind", [*KINDS, *BESIDE])
def test_each_file_has_a_checksum_and_no_address(kind: str) -> None:
    entries = locked(kind)
    text = (CHECKOUT / f"requirements/{kind}.lock").read_text("utf-8")
    assert "".join(one.text for one in entries) == "".join(re.findall(r"^(?!#).*\n", text, re.MULTILINE))
    assert not re.search(r"://|--(?!hash=)", text)
    for one in entries:
        assert one.hashes
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", each) for each in one.hashes), one.requirement


def test_what_is_installed_is_all_that_is_locked_and_needed() -> None:
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    pinned: dict[str, str] = {}
    for kind in KINDS:
        pinned |= on(python, [one.requirement for one in locked(kind)])
    installed = {one.name: one for one in importlib.metadata.distributions() if one.name != "pip"}
    versions = {str(canonicalize_name(name)): one.version for name, one in installed.items()}
    assert {name: f"=={version}" for name, version in versions.items()}.items() <= pinned.items()
    for name, one in installed.items():
        for needed in map(Requirement, one.requires or ()):
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                assert needed.specifier.contains(versions[canonicalize_name(needed.name)], prereleases=True), name


def test_jars_that_are_not_as_they_were_are_refused(tmp_path: Path) -> None:
    shutil.copytree(jars.jars(), tmp_path / "libs")
    jars.check(jars.DEFAULT_VERSION, tmp_path / "libs")
    victim = next((tmp_path / "libs").glob("kafka-clients-*.jar"))
    with victim.open("ab") as file:
        file.write(b"more")
    (tmp_path / "libs" / "another.jar").touch()
    with pytest.raises(RuntimeError, match=f"not the jars of jars.sha256: another.jar, {victim.name}$"):
        jars.check(jars.DEFAULT_VERSION, tmp_path / "libs")
    with pytest.raises(RuntimeError, match=r"0\.0\.0: these are not the jars"):
        jars.check("0.0.0", tmp_path / "libs")
