# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Audits with the options of the module, without Ansible."""

from __future__ import annotations

from typing import Any

from tests.support.modules import module_of


class Wrong(Exception):
    """A result is not what it should be."""


def settings(bootstrap: str, output: str, **options: Any) -> Any:
    """The settings of an audit; what is not given has its default."""
    spec, _rules, parse, _operation = module_of("consumer_offsets_audit")
    defaults = {name: option.get("default") for name, option in spec.items()}
    given = {"bootstrap_servers": [bootstrap], "output": output, "timeout": 7200.0, **options}
    return parse({**defaults, **given})


def audit(bootstrap: str, output: str, **options: Any) -> dict[str, Any]:
    """Audit a cluster as the module does: in a process of its own."""
    from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import process

    return process.run(settings(bootstrap, output, **options))


def expect(what: str, found: object, expected: object) -> None:
    """Compare a part of a result.

    :raises Wrong: it is not what is expected.
    """
    if found != expected:
        raise Wrong(f"{what}: {str(found)[:200]}, and not {str(expected)[:200]}")
