# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Imports point one way: from a room of the audit to those below it, and from nowhere else into the audit."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePath

import pytest

from tests.support.collection import CHECKOUT

UTILS = CHECKOUT / "plugins" / "module_utils"
# from the top; the last one is all else
FLOORS = ("_audit/audit", "_audit/engine", "_audit/report", "_audit/judge", "_audit/ingest", "")


def floor(module: PurePath) -> int:
    """How far below the top a module or a room is."""
    return next(number for number, room in enumerate(FLOORS) if module.is_relative_to(room))


def imported(module: PurePath) -> Iterator[PurePath]:
    """The modules of the collection that a module imports."""
    for node in ast.walk(ast.parse((UTILS / module).with_suffix(".py").read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = module.parents[node.level - 1]
            for name in [node.module.replace(".", "/")] if node.module else [alias.name for alias in node.names]:
                yield folder / name


MODULES = [
    path.relative_to(UTILS).with_suffix("") for path in sorted(UTILS.rglob("*.py")) if path.name != "__init__.py"
]


@pytest.mark.fast
@pytest.mark.parametrize("module", MODULES, ids=str)
def test_imports_lead_down(module: PurePath) -> None:
    assert [str(other) for other in imported(module) if floor(other) < floor(module)] == []


@pytest.mark.fast
def test_each_room_is_there() -> None:
    assert {floor(module) for module in MODULES} == set(range(len(FLOORS)))
