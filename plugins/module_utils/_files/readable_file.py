# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files for other users to read, which replace earlier ones, such as reports."""

from __future__ import annotations

import collections.abc as c
import os

from .._errors import NothingChanged, TaskError
from . import atomic_write


def check(path: str, option: str) -> None:
    """Raise TaskError, in one sentence, if a file cannot be written to `path`, or over an existing one."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        raise NothingChanged(f"{option}: {path} is a folder: set the path of a file in it.")
    if not os.path.isdir(folder):
        raise NothingChanged(f"{option}: {folder} is not a folder: create it first.")
    # a folder is opened for reading to sync it
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise NothingChanged(f"{option}: no permission to read and write in {folder}.")


def write(path: str, text: str, option: str, place: c.Callable[[str, str], None] = os.replace) -> None:
    """Write a file atomically, with the permissions of the umask, over an existing one.

    Args:
        place: gives the complete file its name.

    Raises:
        TaskError: the file cannot be written or synced; the message says whether it exists.
    """
    try:
        atomic_write.put(path, [text], place, 0o644)
    except atomic_write.InPlace as exc:
        raise TaskError(
            f"{option}: {path} is written but cannot be synced to disk ({exc.strerror}): check the disk, and run the "
            "task again."
        ) from exc
    except OSError as exc:
        raise TaskError(
            f"{option}: {path} cannot be written ({exc.strerror}): check its folder, and run the task again."
        ) from exc


def everybody_reads(unnamed: str, path: str) -> None:
    """Give a file its name, and mode 0644 whatever the umask is."""
    os.chmod(unnamed, 0o644)
    os.replace(unnamed, path)
