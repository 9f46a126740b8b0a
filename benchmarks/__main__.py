# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks``: every benchmark, one after the other; each writes its section of docs/benchmarks.md."""

from __future__ import annotations

import subprocess
import sys

COMMANDS = (("one_task", "--write"), ("compare",), ("audit",))

for command in COMMANDS:
    subprocess.run([sys.executable, "-m", f"benchmarks.{command[0]}", *command[1:]], check=True)
