# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Imports point one way."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.collection import CHECKOUT

UTILS = CHECKOUT / "plugins" / "module_utils"
#: A room may import what is named after it, and itself.
AUDIT = [
    "_audit/audit",
    "_audit/fleet",
    "_audit/options",
    "_audit/engine",
    "_audit/report",
    "_audit/judge",
    "_audit/ingest",
    "_audit/libraries",
]
FLOORS = ["notebook", "_ansible", *AUDIT, "_operations", "_files", "_kafka", "_input", "_errors"]
FILES = sorted(path for path in UTILS.rglob("*.py") if path.name != "__init__.py")


def imported(path: Path) -> Iterator[Path]:
    """The files of module_utils that a file imports, also within functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split(".")) if node.module else None
            base = folder or path.parents[node.level - 1]
            for name in node.names:
                of_folder = base / f"{name.name}.py"
                yield of_folder if of_folder.exists() else base.with_suffix(".py")


def floor(path: Path) -> int:
    module = path.relative_to(UTILS).with_suffix("")
    return next(number for number, room in enumerate(FLOORS) if module.is_relative_to(room))


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(UTILS)) for path in FILES])
def test_imports_point_down(path: Path) -> None:
    if path.name == "_python.py":
        assert list(imported(path)) == []
        return
    found = [other for other in imported(path) if other.name != "_python.py"]
    assert all(other.exists() for other in found)
    assert [str(other.relative_to(UTILS)) for other in found if floor(other) < floor(path)] == []


def test_no_file_imports_one_that_imports_it() -> None:
    graph = {path: {other for other in imported(path) if other != path} for path in FILES}
    reached: dict[Path, set[Path]] = {}
    for path in FILES:
        seen, ahead = set[Path](), list(graph[path])
        while ahead:
            other = ahead.pop()
            if other not in seen:
                seen.add(other)
                ahead += graph.get(other, ())
        reached[path] = seen
    assert [str(path.relative_to(UTILS)) for path in FILES if path in reached[path]] == []


def test_what_follows_a_message_is_in_one_place() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in UTILS.rglob("*.py")}
    assert [name for name, text in texts.items() if re.search(r"Nothing was (sent|changed|read)\b", text)] == [
        "_errors.py"
    ]
