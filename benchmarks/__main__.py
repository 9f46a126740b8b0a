# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks [NAME]``, with one of `NAMES`.

Without a name all but check, each of which writes its section of docs/benchmarks.md.
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys

from tests.support.collection import CHECKOUT, install

ALL = (
    ("one_task", "--write"),
    ("compare",),
    ("whole_tasks", "--write"),
    ("large", "--write"),
    ("share_groups", "--write"),
    ("audit",),
    ("jvm_source", "--write"),
    ("cold", "--write"),
    ("audit_scale", "--write"),
    ("sizing", "--write"),
    ("incremental", "--write"),
    ("snapshots", "--write"),
)
NAMES = (*(name for name, *_write in ALL), "check")


def main(*arguments: str) -> None:
    if not arguments:
        for command in ALL:
            subprocess.run([sys.executable, "-m", "benchmarks", *command], check=True)
    elif arguments[0] in NAMES:
        # for the programs that are measured
        os.environ["PYTHONPATH"] = os.pathsep.join([str(CHECKOUT), str(install())])
        sys.argv = [f"benchmarks {arguments[0]}", *arguments[1:]]
        runpy.run_module(f"benchmarks.{arguments[0]}", run_name="__main__")
    else:
        sys.exit(f"there is no benchmark {arguments[0]}: name one of {', '.join(NAMES)}, or none for all.")


if __name__ == "__main__":
    main(*sys.argv[1:])
