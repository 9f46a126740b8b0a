# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lets `import kafka.net` and the like leave out kafka-python's clients, and messages that a task has no use for.

A package's own C(__init__) imports all of them: a fourth of the time that a task on one group takes. It is run when
somebody asks the package for what only it has.
"""

from __future__ import annotations

import importlib.util
import sys
import typing as t


def defer(name: str, used: str | None = None) -> None:
    """Put a package in place without running its C(__init__) yet; nothing happens if it was imported, or is missing.

    Args:
        used: the module of it that has what is asked of the package here.
    """
    try:
        spec = importlib.util.find_spec(name) if name not in sys.modules else None
    except ImportError:
        # the package that it belongs to
        return
    if spec is None or spec.loader is None:
        return
    loader, package = spec.loader, importlib.util.module_from_spec(spec)

    def complete(attribute: str) -> t.Any:
        if used and not attribute.startswith("__"):
            found = getattr(importlib.import_module(f"{name}.{used}"), attribute, None)
            if found is not None:
                return found
        try:
            return importlib.import_module(f"{name}.{attribute}")
        except ModuleNotFoundError:
            vars(package).pop("__getattr__", None)
            loader.exec_module(package)
            return getattr(package, attribute)

    vars(package)["__getattr__"] = complete
    sys.modules[name] = package


defer("kafka")
# kafka-python's connections ask these for ListGroupsRequest and OffsetFetchRequest
defer("kafka.protocol.admin", used="groups")
defer("kafka.protocol.consumer", used="group")
