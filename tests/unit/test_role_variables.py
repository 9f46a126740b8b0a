# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""No guard of a role depends on a variable that an extra variable replaces, and nothing has a tag."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.collection import CHECKOUT
from tests.support.modules import MODULES, module_of

CHANGING = [name for name in MODULES if "detail" in module_of(name).spec]
ROLES = sorted(path.name for path in (CHECKOUT / "roles").iterdir())
FILES = {role: sorted((CHECKOUT / "roles" / role / "tasks").glob("*.yml")) for role in ROLES}
ONCE = sorted(path.parents[1].name for path in CHECKOUT.glob("roles/*/tasks/choose_host.yml"))


def tasks(found: Any) -> Iterator[dict[str, Any]]:
    """Every task and block."""
    for task in found or []:
        yield task
        for inner in ("block", "rescue", "always"):
            yield from tasks(task.get(inner))


def read(path: Path) -> list[dict[str, Any]]:
    return list(tasks(yaml.safe_load(path.read_text(encoding="utf-8"))))


def made(name: str) -> set[str]:
    """The variables that a role makes by itself."""
    text = (CHECKOUT / "roles" / name / "vars" / "main.yml").read_text(encoding="utf-8")
    found: set[str] = set(yaml.safe_load(text))
    for task in (task for path in FILES[name] for task in read(path)):
        facts = task.get("ansible.builtin.set_fact", {})
        found |= {task["register"]} if "register" in task else set()
        found |= task.get("vars", {}).keys() | facts.keys()
    return found


@pytest.mark.parametrize("name", FILES)
def test_what_is_made_cannot_be_set(name: str) -> None:
    variables = made(name)
    assert variables
    assert {each for each in variables if not each.startswith(f"__{name}_")} == set()


@pytest.mark.parametrize("name", FILES)
def test_the_first_task_refuses_such_extra_variables(name: str) -> None:
    path = CHECKOUT / "roles" / name / "tasks" / "validate.yml"
    first = next(task for task in read(path) if "ansible.builtin.assert" in task)
    check = f"lookup('kafkaops.groups.extra_vars', '__{name}_') | length == 0"
    assert first["ansible.builtin.assert"]["that"] == check
    checked = read(CHECKOUT / "roles" / name / "tasks" / "validate_and_run.yml")
    assert checked[0]["ansible.builtin.import_tasks"] == "validate.yml"


@pytest.mark.parametrize("name", ROLES)
def test_no_keyword_of_a_play_goes_on_after_a_refusal(name: str) -> None:
    (entry,) = read(CHECKOUT / "roles" / name / "tasks" / "main.yml")
    apply = {"ignore_errors": False, "ignore_unreachable": False}
    assert entry["ansible.builtin.include_tasks"] == {"file": "validate_and_run.yml", "apply": apply}


@pytest.mark.parametrize("name", ONCE)
def test_hosts_with_the_same_options_are_one_run(name: str) -> None:
    folder = CHECKOUT / "roles" / name
    options = yaml.safe_load((folder / "meta" / "argument_specs.yml").read_text(encoding="utf-8"))
    variables = yaml.safe_load((folder / "vars" / "main.yml").read_text(encoding="utf-8"))
    assert variables[f"__{name}_options"] == list(options["argument_specs"]["main"]["options"])


@pytest.mark.parametrize("name", ROLES)
def test_no_role_holds_a_program(name: str) -> None:
    texts = [path.read_text(encoding="utf-8") for path in (CHECKOUT / "roles" / name).rglob("*.yml")]
    assert [text for text in texts if "{%" in text] == []


@pytest.mark.parametrize("path", [path for paths in FILES.values() for path in paths], ids=lambda path: str(path)[-30:])
def test_nothing_has_a_tag(path: Path) -> None:
    assert [task["name"] for task in read(path) if "tags" in task] == []


@pytest.mark.parametrize("role", ROLES)
def test_items_that_a_role_reads_do_not_depend_on_module_defaults(role: str) -> None:
    for task in (task for path in FILES[role] for task in read(path) if "register" in task):
        for module in (name for name in task if name.removeprefix("kafkaops.groups.") in CHANGING):
            assert "detail" in task[module], task["name"]
