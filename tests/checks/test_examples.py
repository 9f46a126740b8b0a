# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every example of the documentation: linted by the production profile, its options known, its commands there."""

from __future__ import annotations

import itertools
import json
import re
import shlex
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.cli.doc import DocCLI
from ansible.cli.galaxy import GalaxyCLI
from ansible.cli.playbook import PlaybookCLI
from ansible_collections.kafkaops.groups.plugins.module_utils import notebook
from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import CONNECTION_SPEC
from ansible_rulebook.cli import get_parser

from tests.checks import examples
from tests.checks.conftest import run
from tests.checks.examples import NAME, PLAYBOOKS, ROLES, Block
from tests.support.collection import CHECKOUT
from tests.support.event_source import RULEBOOKS
from tests.support.modules import MODULES

BLOCKS = list(examples.blocks())
#: Blocks that are no examples, such as the layout of the checkout, or what a tool prints.
OTHER = {"", "text"}
#: Shell scripts, which tests/live/test_guides.py runs.
SCRIPTS = {"bash"}
#: Tools that are not installed here, of which only the files that they are given can be looked for.
ELSEWHERE = ("ansible-builder", "awx", "curl")

#: Where ansible-galaxy installs the collection.
INSTALLED = "~/.ansible/collections/ansible_collections/kafkaops/groups/"

_BIN = Path(sys.executable).parent
_TARGETS = set(re.findall(r"^([\w-]+):", (CHECKOUT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
_CLI = {"ansible-playbook": PlaybookCLI, "ansible-doc": DocCLI, "ansible-galaxy": GalaxyCLI}


def kind(loaded: Any) -> str:
    """What a YAML example is: plays, tasks, variables, or a rulebook."""
    if isinstance(loaded, dict):
        return "variables"
    if any("sources" in each for each in loaded):
        return "rulebook"
    return "plays" if any("hosts" in each or "ansible.builtin.import_playbook" in each for each in loaded) else "tasks"


def yaml_blocks() -> Iterator[tuple[Block, Any]]:
    for block in BLOCKS:
        loaded = yaml.safe_load(block.text) if block.language == "yaml" else None
        # but for what ansible-galaxy reads
        if loaded and "collections" not in loaded:
            yield block, loaded


def tasks_of(loaded: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """All tasks of plays or tasks, those in blocks too."""
    for each in loaded:
        for part in ("pre_tasks", "tasks", "post_tasks", "handlers", "block", "rescue", "always"):
            yield from tasks_of(each.get(part, []))
        if "hosts" not in each:
            yield each


def problems_of_examples(loaded: Any) -> list[str]:
    """Return what is wrong with the options in one YAML example."""
    if isinstance(loaded, dict):
        return examples.problems_of_variables(loaded, whole=True)
    if kind(loaded) == "rulebook":
        return examples.problems_of_rulebook(loaded, {})
    problems = []
    for play in loaded:
        for name, given in play.get("module_defaults", {}).items():
            assert name == f"group/{NAME}.kafka"
            problems += examples.problems_of_connection(given)
        for role in play.get("roles", []):
            problems += examples.problems_of_variables(play.get("vars", {}) | role.get("vars", {}), whole=True)
    for task in tasks_of(loaded):
        for action, given in task.items():
            if action in ("ansible.builtin.include_role", "ansible.builtin.import_role"):
                assert given["name"].removeprefix(f"{NAME}.") in ROLES
                problems += examples.problems_of_variables(task.get("vars", {}), whole=True)
            elif action == "ansible.builtin.import_playbook":
                assert given.removeprefix(f"{NAME}.") in PLAYBOOKS
                problems += examples.problems_of_variables(task.get("vars", {}), whole=True)
            elif action.startswith(f"{NAME}."):
                problems += examples.problems_of_task(action.removeprefix(f"{NAME}."), given)
    return problems


@pytest.mark.fast
def test_there_are_examples() -> None:
    assert len(BLOCKS) > 50
    assert {block.language for block in BLOCKS} == {"yaml", "console", "python", *OTHER, *SCRIPTS}
    lists = [loaded for _block, loaded in yaml_blocks() if kind(loaded) in ("plays", "tasks")]
    used = {action for loaded in lists for task in tasks_of(loaded) for action in task}
    assert used >= {f"{NAME}.{module}" for module in MODULES}


@pytest.mark.fast
@pytest.mark.parametrize("block", [pytest.param(each, id=each[0].where) for each in yaml_blocks()])
def test_options_are_known_and_go_together(block: tuple[Block, Any]) -> None:
    assert problems_of_examples(block[1]) == []


@pytest.mark.fast
def test_python_uses_functions_that_exist() -> None:
    """What they do is tried in tests/live/test_audit_source.py."""
    blocks = [block.text for block in BLOCKS if block.language == "python"]
    assert blocks
    for text in blocks:
        compile(text, "the guide", "exec")
        assert all(hasattr(notebook, name) for name in re.findall(r"\bnotebook\.(\w+)\(", text))


@pytest.mark.fast
def test_what_is_passed_on_is_not_what_was_asked_for() -> None:
    """In a workflow of AWX, an answer to its survey overrides a variable of the same name that a job passes on."""
    passed_on = [
        (name, block.text)
        for block, loaded in yaml_blocks()
        if isinstance(loaded, list)
        for task in tasks_of(loaded)
        for name in task.get("ansible.builtin.set_stats", {}).get("data", {})
    ]
    assert "cleanup_plan" in dict(passed_on)
    assert [name for name, text in passed_on if re.search(rf"{{{{[^}}]*\b{name}\b", text)] == []


#: All that the rulebooks of the collection may do: tell somebody, and read.
HARMLESS = {("run_module", "ansible.builtin.uri"), ("run_playbook", f"{NAME}.audit")}


@pytest.mark.fast
@pytest.mark.parametrize("path", RULEBOOKS, ids=[path.stem for path in RULEBOOKS])
def test_a_rulebook_is_valid_and_deletes_nothing(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    rulebook = yaml.safe_load(text)
    assert examples.problems_of_rulebook(rulebook, {}) == []
    rules = [rule for ruleset in rulebook for rule in ruleset["rules"]]
    actions = [action for rule in rules for action in (rule["actions"] if "actions" in rule else [rule["action"]])]
    assert {(kind, given["name"]) for action in actions for kind, given in action.items()} <= HARMLESS
    header = text.partition("\n- name:")[0]
    variables = {name for name in re.findall(r"\{\{ (\w+)", text) if name != "event"}
    assert [name for name in variables if not re.search(rf"\b{name}\b", header)] == []


@pytest.mark.fast
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sources": [{"name": "s", f"{NAME}.consumer_groups": {"max_lags": 1}}]}, "max_lags"),
        ({"sources": [{"name": "s", f"{NAME}.consumer_groups": {"interval": 0}}]}, "interval is 0"),
        ({"rules": [{"name": "r", "condition": True, "action": {"run_it": {}}}]}, "run_it"),
    ],
)
def test_a_wrong_rulebook_is_found(change: dict[str, Any], words: str) -> None:
    rulebook = yaml.safe_load(RULEBOOKS[-1].read_text(encoding="utf-8"))
    assert words in " ".join(examples.problems_of_rulebook([rulebook[0] | change], {}))


@pytest.mark.fast
@pytest.mark.parametrize("block", [pytest.param(each, id=each.where) for each in examples.inline_tasks()])
def test_options_of_tasks_in_the_text_are_known(block: Block) -> None:
    ((module, given),) = yaml.safe_load(block.text).items()
    assert examples.problems_of_task(module, given) == []


@pytest.mark.fast
@pytest.mark.parametrize(
    ("module", "given", "words"),
    [
        ("consumer_group", {"names": ["g"], "max_change": 1}, "max_change"),
        ("consumer_group", {}, "one of the following is required: names, plan"),
        ("consumer_group", {"name": "g", "max_changes": "many"}, "unable to convert to int"),
        ("consumer_group_offsets", {"group": "g", "reset": {"to_start": True}}, "reset.to_start"),
        ("consumer_group_offsets", {"group": "g", "topics": [{"nam": "t"}]}, "nam"),
        ("consumer_group_offsets", {"group": "g", "topics": [{"name": "t"}]}, "missing: offsets, reset, restore"),
        ("consumer_group_offsets", {"group": "g", "reset": {}}, "one of the following is required: to_earliest"),
    ],
)
def test_a_wrong_option_is_found(module: str, given: dict[str, Any], words: str) -> None:
    assert words in " ".join(examples.problems_of_task(module, given))


@pytest.mark.fast
@pytest.mark.parametrize(
    "given",
    [
        {"teardown_group": ["test-*"]},
        {"teardown_topics": ["test-*"]},
        {"streams_reset_application_id": "a", "streams_reset_to": "begin"},
        {"kafka_connection": {"bootstrap": "h:1"}},
        {"restore_form": "f"},
        {"hosts": "all"},
    ],
)
def test_a_wrong_variable_is_found(given: dict[str, Any]) -> None:
    assert examples.problems_of_variables(given, whole=True) != []


def test_examples_are_in_production_quality(linked: Path, tmp_path: Path) -> None:
    """All of them as one playbook, so that one run of ansible-lint (which also checks the syntax) is enough."""
    playbook = tmp_path / "examples.yml"
    lines = ["---"]
    for block, loaded in yaml_blocks():
        if kind(loaded) in ("variables", "rulebook"):
            continue
        lines.append(f"# {block.where}")
        if kind(loaded) == "tasks":
            lines += ["- name: Run the example", "  hosts: localhost", "  gather_facts: false", "  tasks:"]
            lines += textwrap.indent(block.text, "    ").splitlines()
        else:
            lines += block.text.splitlines()
        lines.append("")
    playbook.write_text("\n".join(lines).rstrip("\n") + "\n", encoding="utf-8")
    run(
        ["ansible-lint", "--strict", "--offline", "--profile", "production", "--project-dir", tmp_path, playbook],
        tmp_path,
        ANSIBLE_COLLECTIONS_PATH=str(linked),
    )


@pytest.mark.fast
@pytest.mark.parametrize("block", [pytest.param(each, id=each.where) for each in BLOCKS if each.language == "console"])
def test_commands_are_there(block: Block) -> None:
    for line in examples.commands(block):
        words = shlex.split(line, comments=True)
        assert problem_of_command(words, block) == "", line


@pytest.mark.fast
@pytest.mark.parametrize(
    "line",
    [
        "make demonstration",
        "export KAFKA_BOOTSTRAP=kafka-1.example.com:9092",
        "ansible-playbook kafkaops.groups.clean",
        "ansible-playbook kafkaops.groups.teardown -e '{\"teardown_group\": []}'",
        "ansible-playbook kafkaops.groups.teardown -e teardown_group=test-1",
        "ansible-playbook kafkaops.groups.teardown -e @no-such-file.yml",
        "ansible-rulebook --rulebook kafkaops.groups.notify",
        "ansible-rulebook --rulebook kafkaops.groups.notify_on_lag --vars no-such-file.yml",
        "ansible-doc kafkaops.groups.groups",
        "ansible-doc --type role kafkaops.groups.topic",
        "python3 -m pip install -r requirements.txt",
        ".venv/bin/no-such-tool",
        ".venv/bin/pytest tests/no-such-file.py",
        "rm -rf /",
    ],
)
def test_a_wrong_command_is_found(line: str) -> None:
    assert problem_of_command(shlex.split(line), Block("README.md:1", "console", "")) != ""


def problem_of_command(words: list[str], block: Block) -> str:
    """Return why a command cannot work in a checkout, or with the collection installed; empty if it can."""
    tool = words[0]
    if tool == "make":
        missing = set(words[1:]) - _TARGETS
        return f"no target {missing}" if missing else ""
    if tool == "export":
        known = [name for option in CONNECTION_SPEC.values() for name in option["fallback"][1]]
        return "".join(f"no variable {word} " for word in words[1:] if word.partition("=")[0] not in known)
    if tool in _CLI:
        return _problem_of_ansible(words, block)
    if tool == "ansible-rulebook":
        return _problem_of_rulebook(words, block)
    if tool == "python3" and words[1:4] == ["-m", "pip", "install"]:
        files = [word.removeprefix(INSTALLED) for before, word in itertools.pairwise(words) if before == "-r"]
        return "".join(f"no file {name} " for name in files if not (CHECKOUT / name).is_file())
    if tool.startswith(".venv/bin/"):
        if not (_BIN / tool.removeprefix(".venv/bin/")).exists():
            return f"no tool {tool}"
        return "".join(
            f"no file {word} " for word in words[1:] if word.startswith("tests/") and not (CHECKOUT / word).exists()
        )
    if tool in ELSEWHERE:
        files = re.findall(r"[\w/-]+\.(?:json|yml)\b", " ".join(words))
        return "".join(
            f"no file {name} " for name in files if not (CHECKOUT / block.file).parent.joinpath(name).is_file()
        )
    return "" if tool == "git" else f"unknown command {tool}"


def _problem_of_rulebook(words: list[str], block: Block) -> str:
    given = get_parser().parse_args(words[1:])
    if given.rulebook not in [f"{NAME}.{path.stem}" for path in RULEBOOKS]:
        return f"no rulebook {given.rulebook}"
    # the header of a rulebook lists the variables
    shown = block.file.endswith(".yml") or any(
        each.text.startswith(f"# {given.vars}\n") for each in BLOCKS if each.file == block.file
    )
    return "" if shown else f"no example shows {given.vars}"


def _problem_of_ansible(words: list[str], block: Block) -> str:
    cli = _CLI[words[0]](words)
    cli.init_parser()
    given = cli.parser.parse_args(words[1:])
    if words[0] == "ansible-doc":
        known = {"role": ROLES, "module": MODULES}[given.type]
        return "".join(f"no {given.type} {name} " for name in given.args if name.removeprefix(f"{NAME}.") not in known)
    if words[0] == "ansible-galaxy":
        return ""
    names = [name for name in given.args if not name.endswith(".yml")]
    problems = [f"no playbook {name}" for name in names if name.removeprefix(f"{NAME}.") not in PLAYBOOKS]
    for extra in given.extra_vars or []:
        if extra.startswith("@"):
            # the parser makes the path absolute
            name = Path(extra).name
            if not any(each.text.startswith(f"# {name}\n") for each in BLOCKS if each.file == block.file):
                problems.append(f"no example shows {name}")
        elif extra.startswith("{"):
            problems += examples.problems_of_variables(json.loads(extra), whole=True)
        else:
            name, _equals, value = extra.partition("=")
            problems += examples.problems_of_variables({name: value}, whole=False)
    return ", ".join(problems)
