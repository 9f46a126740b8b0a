# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lets `import kafka.net` and the like leave out kafka-python's clients, which a task has no use for.

The package's own C(__init__) imports all of them: a fifth of the time that a task on one group takes. It is run when
somebody asks the package for what only it has.
"""

from __future__ import annotations

import importlib.util
import sys
import typing as t


def defer_clients() -> None:
    """Put the package C(kafka) in place without running its C(__init__) yet; nothing happens if it was imported."""
    spec = importlib.util.find_spec("kafka") if "kafka" not in sys.modules else None
    if spec is None or spec.loader is None:
        return
    loader, package = spec.loader, importlib.util.module_from_spec(spec)

    def complete(name: str) -> t.Any:
        try:
            return importlib.import_module(f"kafka.{name}")
        except ModuleNotFoundError:
            vars(package).pop("__getattr__", None)
            loader.exec_module(package)
            return getattr(package, name)

    vars(package)["__getattr__"] = complete
    sys.modules["kafka"] = package


defer_clients()
