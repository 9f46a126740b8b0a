# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real file systems with limits: one without hard links (exFAT, by FUSE, in a file), and one that gets full."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

_MIB = 1024 * 1024


@contextlib.contextmanager
def exfat(folder: Path, size: int = 8 * _MIB) -> Iterator[Path]:
    """Mount a new exFAT of `size` bytes below `folder`, and yield its root.

    :raises RuntimeError: when a program is missing, or this machine does not mount it.
    """
    image, root = folder / "exfat.img", folder / "exfat"
    with image.open("wb") as file:
        file.truncate(size)
    root.mkdir()
    _run("mkfs.exfat", str(image))
    device = _run("losetup", "--find", "--show", str(image)).strip()
    try:
        _run("mount.exfat-fuse", device, str(root))
        try:
            yield root
        finally:
            _run("umount", str(root))
    finally:
        _run("losetup", "--detach", device)


@contextlib.contextmanager
def small(folder: Path, size: int) -> Iterator[Path]:
    """Mount a file system in memory of `size` bytes below `folder`, and yield its root.

    :raises RuntimeError: when this machine does not mount it.
    """
    root = folder / "small"
    root.mkdir()
    _run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(root))
    try:
        yield root
    finally:
        _run("umount", str(root))


def _run(program: str, *arguments: str) -> str:
    path = shutil.which(program, path=os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"]))
    if path is None:
        raise RuntimeError(f"{program} is missing: install it (Debian, Ubuntu: apt-get install exfat-fuse exfatprogs)")
    become = [] if os.geteuid() == 0 else ["sudo", "-n"]
    ended = subprocess.run([*become, path, *arguments], capture_output=True, text=True, check=False, timeout=60)
    if ended.returncode:
        raise RuntimeError(
            f"{program} failed; it needs root, exFAT also /dev/fuse and a loop device: {ended.stderr.strip()}"
        )
    return ended.stdout
