# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a kill leaves in a folder: a copy of it before each write of this process, or of its Spark, to it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from pyspark.sql.readwriter import DataFrameWriter

_CHANGES = {"open", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Moments:
    """Copies of a folder, before each event of Python that changes it (``sys.addaudithook``, which stays for ever)."""

    def __init__(self, folder: Path, copies: Path) -> None:
        self.folder = folder
        self.copies: list[Path] = []
        self._to = copies
        self._active = False
        sys.addaudithook(self._told)

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Copy the folder before each write in the block, and at its end."""
        write = DataFrameWriter.parquet

        def parquet(writer: DataFrameWriter, *arguments: Any, **named: Any) -> None:
            self._copy()
            write(writer, *arguments, **named)

        self._active = True
        try:
            with mock.patch.object(DataFrameWriter, "parquet", parquet):
                yield
            self._copy()
        finally:
            self._active = False

    def _told(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._active or event not in _CHANGES or (event == "open" and not arguments[2] & _WRITING):
            return
        paths = [os.fsdecode(path) for path in arguments if isinstance(path, (str, bytes, os.PathLike))]
        # where there is a folder that a name is relative to, it comes last
        if event in ("os.remove", "os.rmdir") and arguments[-1] >= 0:
            paths = [os.path.join(os.readlink(f"/proc/self/fd/{arguments[-1]}"), name) for name in paths]
        if any(Path(os.path.abspath(path)).is_relative_to(self.folder) for path in paths):
            self._copy()

    def _copy(self) -> None:
        self._active = False
        try:
            copy = self._to / f"{len(self.copies):03d}"
            shutil.copytree(self.folder, copy, symlinks=True)
            self.copies.append(copy)
        finally:
            self._active = True
