# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declaration of each module for Ansible, and its operation."""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import json
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, NamedTuple
from unittest.mock import patch

from ansible.module_utils.testing import patch_module_args
from ansible_collections.kafkaops.groups.plugins.module_utils import _ansible
from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import declared

from tests.support.collection import CHECKOUT

MODULES = sorted(path.stem for path in (CHECKOUT / "plugins" / "modules").glob("*.py"))

#: The rules by which options go together: of the first three each is a list of options, of the others they are a part.
RULES = ("mutually_exclusive", "required_together", "required_one_of", "required_if", "required_by")

#: Those of modules without brokers are no coroutines.
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


def connects(name: str) -> bool:
    """Whether a module connects to the brokers; the others only read and write files."""
    return hasattr(code(name), "run")


@functools.cache
def module_of(name: str) -> Module:
    """Return the declaration of a module, with the options and rules of the connection if it connects."""
    module = code(name)
    with patch.object(module, "run" if connects(name) else "run_on_files") as run:
        module.main()
    ((spec, parse, operation), given) = run.call_args
    rules = {name: given[name] for name in RULES if name in given}
    said = declared(spec, rules) if connects(name) else {"argument_spec": spec, **rules}
    return Module(said.pop("argument_spec"), said, parse, operation)


def answer(name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Run a module with its options in this process, and return what it prints for Ansible."""
    printed = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with (
        patch_module_args(dict(args)),
        patch.object(_ansible, "collect_rarely"),
        contextlib.redirect_stdout(printed),
        contextlib.suppress(SystemExit),
    ):
        code(name).main()
    printed.seek(0)
    returned: dict[str, Any] = json.loads(printed.read())
    return returned


def code(name: str) -> Any:
    """The Python module of a module."""
    return importlib.import_module(f"ansible_collections.kafkaops.groups.plugins.modules.{name}")


CONNECTING = [name for name in MODULES if connects(name)]
