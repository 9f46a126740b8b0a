# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fetch the jars of the newest release, and make its archive of class data from a run of a broker."""

from __future__ import annotations

import sys

from tests.support.broker import Cluster
from tests.support.jars import CACHE, class_data, jars


def make() -> None:
    """Make the archive unless it exists. Raises RuntimeError as `jars` and `Cluster.start` do."""
    jars()
    archive = class_data()
    if archive.exists():
        return
    fresh = CACHE / f"{archive.name}.new"
    fresh.unlink(missing_ok=True)
    with Cluster.start(java_options=[f"-XX:ArchiveClassesAtExit={fresh}"]) as cluster:
        # Java writes it when it ends in good order
        cluster.stop(timeout=120)
    fresh.rename(archive)


if __name__ == "__main__":
    try:
        make()
    except (RuntimeError, OSError) as error:
        sys.exit(f"setup: {error}")
