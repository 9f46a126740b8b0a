# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fails the module on a Python that is too old for the rest, as ansible.module_utils.basic does.

Old Pythons have to compile this file, _ansible.py and the modules: nothing newer than Python 3.8 belongs there.
"""

from __future__ import annotations

import json
import platform
import sys

OLDEST = (3, 11)


def refusal(version: tuple[int, ...]) -> str | None:
    """Return why a version of Python cannot run the modules, None if it can."""
    if version >= OLDEST:
        return None
    return (
        f"This needs Python {'.'.join(map(str, OLDEST))} or newer on the host that the module runs on, and "
        f"{sys.executable} is {platform.python_version()}: install a newer one there, and set "
        "ansible_python_interpreter to it."
    )


_REFUSAL = refusal(sys.version_info[:2])
if _REFUSAL is not None:
    sys.stdout.write(json.dumps({"failed": True, "changed": False, "msg": _REFUSAL}) + "\n")
    raise SystemExit(1)
