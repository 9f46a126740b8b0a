# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files that an option names and that are never overwritten."""

from __future__ import annotations

import collections.abc as c
import os

from .._errors import NothingChanged
from . import atomic_write


def exists(path: str, option: str, content: str = "") -> NothingChanged:
    """Return the error of a path that is taken, by a file whose content is described."""
    return NothingChanged(f"{option}: {path}{content} exists already and is never overwritten: name another file.")


def check(path: str, option: str) -> None:
    """Raise TaskError, in one sentence, if a new file cannot be written to `path`."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.lexists(path):
        raise exists(path, option)
    if not os.path.isdir(folder):
        raise NothingChanged(f"{option}: {folder} is not a folder: create it first.")
    # a folder is opened for reading to sync it
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise NothingChanged(f"{option}: no permission to read and write in {folder}.")


def write(path: str, parts: c.Iterable[str], option: str) -> None:
    """Write a file whole: mode 0600, synced to disk before it gets its name, never over an existing file.

    Raises:
        TaskError: it could not be written; nothing is left of it, or the sentence says what is.
    """
    check(path, option)
    try:
        atomic_write.put(path, parts, atomic_write.as_new)
    except OSError as exc:
        problem = f"{option}: {path} cannot be written ({exc.strerror})"
        if isinstance(exc, atomic_write.InPlace):
            remove(path, problem)
        raise NothingChanged(f"{problem}.") from exc


def remove(path: str, problem: str) -> None:
    """Remove a file again; raises TaskError with the problem if it cannot be removed."""
    try:
        os.unlink(path)
    except OSError as exc:
        raise NothingChanged(f"{problem} and cannot be removed ({exc.strerror}): remove the file.") from exc
