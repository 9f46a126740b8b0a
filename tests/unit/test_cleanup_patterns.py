# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which groups the role cleanup keeps and judges, however its variables are written."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from ansible.template import Templar, trust_as_template
from ansible_collections.kafkaops.groups.plugins.modules import consumer_offsets_audit

from tests.support.collection import CHECKOUT

ROLE = CHECKOUT / "roles" / "cleanup"
PROTECTED = ["connect-*", "_*"]


def taken(name: str, **given: Any) -> Any:
    """Return a variable of the role, with its defaults, if the user gives these values."""
    known: dict[str, Any] = {}
    for part in ("defaults", "vars"):
        known |= yaml.safe_load((ROLE / part / "main.yml").read_text(encoding="utf-8"))
    variables = {key: trust_as_template(value) if isinstance(value, str) else value for key, value in known.items()}
    return Templar(variables={**variables, **given}).template(variables[name])


def test_what_is_protected_is_what_the_module_protects() -> None:
    options = yaml.safe_load(consumer_offsets_audit.DOCUMENTATION)["options"]
    assert taken("__cleanup_protected") == options["exclude"]["default"] == PROTECTED


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({}, PROTECTED),
        *(({"cleanup_keep": nothing}, PROTECTED) for nothing in ("", "\n", [], None)),
        *(({"cleanup_protect": value}, PROTECTED) for value in (True, "yes", None)),
        *(({"cleanup_protect": value}, []) for value in (False, "false", "no")),
        # no option, and no way round one
        ({"cleanup_protected": []}, PROTECTED),
        ({"cleanup_keep": "payments-*"}, [*PROTECTED, "payments-*"]),
        ({"cleanup_keep": "a, b"}, [*PROTECTED, "a, b"]),
        ({"cleanup_keep": " a \r\n\n  b*  \n"}, [*PROTECTED, "a", "b*"]),
        ({"cleanup_keep": ["a", " b"]}, [*PROTECTED, "a", " b"]),
        ({"cleanup_keep": ["a"], "cleanup_protect": False}, ["a"]),
        # the module refuses these, in a sentence that names the first
        ({"cleanup_keep": 7}, [*PROTECTED, 7]),
        ({"cleanup_keep": 0}, [*PROTECTED, 0]),
        ({"cleanup_keep": False}, [*PROTECTED, False]),
        ({"cleanup_keep": ["null", None, {}]}, [*PROTECTED, "null", None, {}]),
    ],
)
def test_kept(given: dict[str, Any], kept: list[Any]) -> None:
    assert taken("__cleanup_kept", **given) == kept


@pytest.mark.parametrize(
    ("given", "needed"),
    [
        ({}, False),
        *(({"cleanup_require_approval": value}, True) for value in (True, "true", "yes", "y", 1, None, "", "nonsense")),
        *(({"cleanup_require_approval": value}, False) for value in (False, "false", "No", "0", 0)),
        # a report needs none
        ({"cleanup_require_approval": True, "cleanup_apply": False}, False),
    ],
)
def test_only_an_explicit_false_needs_no_approval(given: dict[str, Any], needed: bool) -> None:
    assert taken("__cleanup_needs_approval", **{"cleanup_apply": True, **given}) is needed


@pytest.mark.parametrize(
    ("given", "needed"),
    [
        ({}, False),
        *(({"cleanup_require_plan": value}, True) for value in (True, "true", "yes", "y", 1, None, "", "nonsense")),
        *(({"cleanup_require_plan": value}, False) for value in (False, "false", "No", "0", 0)),
        # a report needs none
        ({"cleanup_require_plan": True, "cleanup_apply": False}, False),
    ],
)
def test_only_an_explicit_false_needs_no_plan(given: dict[str, Any], needed: bool) -> None:
    assert taken("__cleanup_needs_plan", **{"cleanup_apply": True, **given}) is needed


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({}, []),
        *(({"cleanup_owners": nothing}, []) for nothing in ("", "\n", [], None)),
        ({"cleanup_owners": "team-a"}, ["team-a"]),
        ({"cleanup_owners": " team-a \r\n\n  Team B  \n"}, ["team-a", "Team B"]),
        ({"cleanup_owners": ["team-a", " b"]}, ["team-a", " b"]),
        # the module refuses these, in a sentence that names the first
        ({"cleanup_owners": 7}, [7]),
        ({"cleanup_owners": [None]}, [None]),
    ],
)
def test_owners(given: dict[str, Any], names: list[Any]) -> None:
    assert taken("__cleanup_owner_names", **given) == names


def test_earlier_plans_that_cannot_be_read_are_ignored() -> None:
    results = [{"msg": "no permission"}, {"content": "e30="}]
    assert taken("__cleanup_earlier_plans", __cleanup_before={"results": results}) == ["{}"]


@pytest.mark.parametrize("given", [{"cleanup_scope": "offsets"}, {"cleanup_plan": "given"}])
def test_what_is_new_is_not_known_without_an_audit_of_groups(given: dict[str, Any]) -> None:
    assert taken("__cleanup_new", **given) is None


REVIEWED = {"digest": "0", "approved_by": "alice", "approved_at": "today"}


@pytest.mark.parametrize(
    ("plan", "skipped", "following"),
    [(REVIEWED, [], "copy"), (REVIEWED, [{}], "given"), ({"approved_by": None}, [{}], "copy")],
)
def test_the_next_run_gets_a_plan_that_is_approved(plan: dict[str, Any], skipped: list[Any], following: str) -> None:
    """A copy without the skipped entries is not."""
    known = {"cleanup_plan": "given", "__cleanup_plan_file": "copy", "__cleanup_left_alone": skipped}
    foreseen = {"__cleanup_foreseen_offsets": {"plan": plan}, "cleanup_scope": "offsets"}
    assert taken("__cleanup_next_plan", **known, **foreseen) == following


@pytest.mark.parametrize(
    ("given", "included"),
    [({}, ["*"]), ({"cleanup_include": "a*\nb"}, ["a*", "b"]), ({"cleanup_include": ["a"]}, ["a"])],
)
def test_included(given: dict[str, Any], included: list[str]) -> None:
    assert taken("__cleanup_include_patterns", **given) == included


# the module refuses an empty list
@pytest.mark.parametrize("empty", ["", "\n", []])
def test_an_empty_selection_is_not_everything(empty: Any) -> None:
    assert taken("__cleanup_include_patterns", cleanup_include=empty) == []
