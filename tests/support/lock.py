# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The packages that the set-up installs, and their checksums."""

from __future__ import annotations

import re
from typing import NamedTuple

from packaging.requirements import Requirement

from tests.support.collection import CHECKOUT

#: Of the environment, and beside it.
KINDS, BESIDE = ("build", "dev", "test"), ("spark41",)

_ENTRY = re.compile(r"^([^#\s].*?)((?: \\\n +--hash=\S+)*)\n", re.MULTILINE)


class Locked(NamedTuple):
    """A requirement of a lock file: the package, the hashes of its files, and the text."""

    requirement: Requirement
    hashes: list[str]
    text: str


def locked(kind: str) -> list[Locked]:
    """The pinned requirements in ``requirements/KIND.lock``."""
    text = (CHECKOUT / f"requirements/{kind}.lock").read_text("utf-8")
    found = _ENTRY.finditer(text)
    return [Locked(Requirement(one[1]), re.findall(r"--hash=(\S+)", one[2]), one[0]) for one in found]


def asked(kind: str) -> list[Requirement]:
    """The requirements in ``requirements/KIND.txt``."""
    lines = (CHECKOUT / f"requirements/{kind}.txt").read_text("utf-8").splitlines()
    return [Requirement(line) for line in lines if not line.startswith("#")]
