# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write a file whole or not at all, synced to disk."""

from __future__ import annotations

import collections.abc as c
import contextlib
import errno
import os
import secrets


class InPlace(OSError):
    """The file has its name, but a step after that failed: it is not synced to disk, or as a new one not complete."""


def put(path: str, parts: c.Iterable[str], place: c.Callable[[str, str], None], mode: int = 0o600) -> None:
    """Write a file of these parts that is synced to disk before `place` (`as_new`, os.replace) gives it its name.

    Raises:
        InPlace: the file may be incomplete or not synced to disk.
        OSError: the file cannot be written; it does not exist.
    """
    folder = os.path.dirname(os.path.abspath(path))
    unnamed = os.path.join(folder, f".kafkaops-{secrets.token_hex(8)}")
    # opened first: a folder that cannot be synced fails before anything is written
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            with open(unnamed, "x", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, mode)) as file:
                file.writelines(parts)
                file.flush()
                os.fsync(file.fileno())
            place(unnamed, path)
        except BaseException:
            _discard(unnamed)
            raise
        try:
            _discard(unnamed)
            _sync_folder(handle)
        except OSError as exc:
            raise InPlace(exc.errno, exc.strerror) from exc
    finally:
        os.close(handle)


def as_new(unnamed: str, path: str) -> None:
    """Give a file its name; raises FileExistsError if the name is taken, and InPlace."""
    try:
        os.link(unnamed, path)
    except FileExistsError:
        raise
    except OSError:
        # FAT, SMB and some FUSE mounts have no hard links: an empty file reserves the name, and is then replaced
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            os.replace(unnamed, path)
        except OSError as exc:
            raise InPlace(exc.errno, exc.strerror) from exc


def _discard(unnamed: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(unnamed)


def _sync_folder(handle: int) -> None:
    try:
        os.fsync(handle)
    except OSError as exc:
        # file systems that cannot sync a folder answer so, SMB among them: its names are the server's to keep
        if exc.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
