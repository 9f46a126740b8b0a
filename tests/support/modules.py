# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declaration of each module for Ansible, and its operation."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple
from unittest.mock import patch

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import declared

from tests.support.collection import CHECKOUT

MODULES = sorted(path.stem for path in (CHECKOUT / "plugins" / "modules").glob("*.py"))

#: The rules by which options go together: of the first three each is a list of options, of the others they are a part.
RULES = ("mutually_exclusive", "required_together", "required_one_of", "required_if", "required_by")

Operation = Callable[..., Coroutine[Any, Any, Any]]


class Module(NamedTuple):
    """What a module gives to AnsibleModule (its options, and the rules by which they go together), and what it does.

    Attributes:
        parse: its own check of the options.
        operation: what it does then.
    """

    spec: dict[str, Any]
    rules: dict[str, Any]
    parse: Callable[[dict[str, Any]], Any]
    operation: Operation


@functools.cache
def module_of(name: str) -> Module:
    """Return the declaration of a module, with the options and rules of the connection."""
    code = importlib.import_module(f"ansible_collections.kafkaops.groups.plugins.modules.{name}")
    with patch.object(code, "run") as run:
        code.main()
    ((spec, parse, operation), rules) = run.call_args
    given = declared(spec, rules)
    return Module(given.pop("argument_spec"), given, parse, operation)
