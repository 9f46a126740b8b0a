# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every tool that judges the collection without a broker, and what no tool sees of its documentation."""

from __future__ import annotations

import importlib
import json
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import CONNECTION_SPEC

from tests.checks.conftest import run
from tests.support.collection import CHECKOUT
from tests.support.event_source import RULEBOOKS, SOURCE
from tests.support.modules import CONNECTING, MODULES, RULES, connects, module_of

NAME = "kafkaops.groups"
PLUGINS = f"ansible_collections.{NAME}.plugins"
ROLES = sorted(path.name for path in (CHECKOUT / "roles").iterdir())
#: Of each type of plugin, what ansible-doc has to show.
DOCUMENTED = {
    "module": MODULES,
    "role": ROLES,
    **{
        kind: sorted(path.stem for path in (CHECKOUT / "plugins" / kind).glob("*.py"))
        for kind in ("filter", "test", "lookup")
    },
}
SHELLS = re.compile(r"\b(?:ansible\.\w+\.)?(?:shell|raw|script|command|expect):")
PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"

#: What both the argument spec and the documentation say of an option, and what holds where they do not.
DECLARED: dict[str, Any] = {
    "type": "str",
    "elements": None,
    "required": False,
    "default": None,
    "choices": None,
    "aliases": [],
}

Fields = Mapping[str, Mapping[str, Any]]

#: The plan of a task, as it is returned.
APPLIED = {"digest": "0", "approved_by": None, "approved_at": None}


@dataclass(frozen=True)
class Check:
    """A command that has to exit 0.

    Attributes:
        place: the folder to run it in, as a fixture of conftest.py.
        environment: environment variables, and the fixtures that give their values.
    """

    name: str
    command: str
    place: str = "checkout"
    environment: tuple[tuple[str, str], ...] = ()
    fast: bool = False


CHECKS = [
    Check("ruff-check", "ruff check .", fast=True),
    Check("ruff-format", "ruff format --check .", fast=True),
    # S310: only http and https get there; S311: only delays are random; S314: only our own pictures are parsed; S603: a
    # program may be started, without a shell
    Check("ruff-security", "ruff check --select S --ignore S310,S311,S314,S603 plugins", fast=True),
    # as Galaxy's container does, without its limit of line lengths; BLE001: the error of a thread is raised elsewhere
    Check(
        "ruff-event-source",
        "ruff check --isolated --target-version py311 --select ALL --ignore D100,D104,INP001,FA102,UP001,UP010,I001,"
        "FA100,PLR0913,E501,BLE001 extensions/eda/plugins",
        fast=True,
    ),
    Check("mypy", "mypy", environment=(("MYPYPATH", "linked"),), fast=True),
    Check("pre-commit", "pre-commit validate-config .pre-commit-config.yaml", fast=True),
    Check("shellcheck", "shellcheck tests/support/setup.sh .ci/run", fast=True),
    Check(
        "ansible-test-sanity",
        f"ansible-test sanity --local --color no --python {PYTHON}",
        "released",
        (("HOME", "sanity_home"),),
    ),
    Check("ansible-lint", "ansible-lint --strict", "copied", (("ANSIBLE_COLLECTIONS_PATH", "linked"),)),
    Check(
        "antsibull-docs",
        "antsibull-docs lint-collection-docs --plugin-docs --validate-collection-refs=all"
        " --disallow-unknown-collection-refs .",
        "copied",
        # it writes a log there
        (("HOME", "empty_home"),),
    ),
    Check("changelog-fragments", "antsibull-changelog lint", "copied"),
    Check("changelog", "antsibull-changelog lint-changelog-yaml changelogs/changelog.yaml", "copied"),
    Check("execution-environment", "ansible-builder introspect --sanitize .", "installed"),
    Check(
        "import",
        f"python -c 'import {', '.join(f'{PLUGINS}.modules.{module}' for module in MODULES)}'",
        "installed",
        (("PYTHONPATH", "installed"),),
    ),
]


@pytest.mark.parametrize(
    "check",
    [pytest.param(check, id=check.name, marks=[pytest.mark.fast] if check.fast else []) for check in CHECKS],
)
def test_exits_0(check: Check, request: pytest.FixtureRequest) -> None:
    environment = {name: str(request.getfixturevalue(fixture)) for name, fixture in check.environment}
    folder = request.getfixturevalue(check.place)
    try:
        run(shlex.split(check.command), folder, **environment)
    except pytest.fail.Exception as failed:
        # docutils takes the random name of a temporary folder for a link if it ends in "_"
        if 'Unknown target name: "antsibull-docs-' not in str(failed):
            raise
        run(shlex.split(check.command), folder, **environment)


@pytest.mark.parametrize("kind", DOCUMENTED)
def test_ansible_doc_shows(kind: str, installed: Path) -> None:
    names = [f"{NAME}.{name}" for name in DOCUMENTED[kind]]
    command = ["ansible-doc", "--type", kind, "--json", *names]
    assert sorted(json.loads(run(command, installed, ANSIBLE_COLLECTIONS_PATH=str(installed)))) == names


def test_ansible_doc_shows_the_event_source(released: Path) -> None:
    """As Galaxy asks for it, which takes it for a module."""
    folder = released / "extensions" / "eda"
    command: list[str | Path] = ["ansible-doc", "-M", folder / "plugins" / "event_source", "--json", SOURCE.stem]
    told = json.loads(run(command, released, ANSIBLE_COLLECTIONS_PATH=str(released.parents[2])))
    options = told[SOURCE.stem]["doc"]["options"]
    assert options.keys() > _fragment(f"{NAME}.connection")["options"].keys()
    assert told[SOURCE.stem]["examples"]
    assert sorted(path.name for path in (folder / "rulebooks").iterdir()) == [path.name for path in RULEBOOKS]


class Documented:
    """A module's documentation, its fragments included."""

    def __init__(self, module: str) -> None:
        code = importlib.import_module(f"{PLUGINS}.modules.{module}")
        documentation = yaml.safe_load(code.DOCUMENTATION)
        self.options: dict[str, Any] = {}
        for name in [f"{NAME}.{module}", *documentation["extends_documentation_fragment"]]:
            self.options.update(documentation["options"] if name.endswith(f".{module}") else _fragment(name)["options"])
        self.examples: list[dict[str, Any]] = yaml.safe_load(code.EXAMPLES)
        self.returned: Fields = yaml.safe_load(code.RETURN)


def _fragment(name: str) -> dict[str, Any]:
    file, _dot, part = name.removeprefix(f"{NAME}.").partition(".")
    fragment = importlib.import_module(f"{PLUGINS}.doc_fragments.{file}").ModuleDocFragment
    loaded: dict[str, Any] = yaml.safe_load(getattr(fragment, (part or "documentation").upper()))
    return {"options": {}, **loaded}


def _specs(module: str) -> Iterator[tuple[str, Fields, Mapping[str, Any]]]:
    """A module's options and rules, and those of each of its options that holds options."""
    spec, rules, _parse, _operation = module_of(module)
    yield module, spec, rules
    held = [(f"{module}-{name}", option) for name, option in spec.items() if "options" in option]
    for where, option in held:
        yield where, option["options"], {rule: option[rule] for rule in RULES if rule in option}
        held += [(f"{where}-{name}", each) for name, each in option["options"].items() if "options" in each]


@pytest.fixture(params=MODULES)
def module(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def documented(module: str) -> Documented:
    return Documented(module)


@pytest.mark.fast
@pytest.mark.parametrize("part", ["roles", "playbooks"])
def test_no_shell_is_started(part: str) -> None:
    for path in (CHECKOUT / part).rglob("*.yml"):
        found = SHELLS.findall(path.read_text(encoding="utf-8"))
        assert not found, path


@pytest.mark.fast
def test_every_module_that_connects_is_in_the_action_group() -> None:
    runtime = yaml.safe_load((CHECKOUT / "meta" / "runtime.yml").read_text(encoding="utf-8"))
    assert sorted(runtime["action_groups"]["kafka"]) == CONNECTING


@pytest.mark.fast
@pytest.mark.parametrize("role", ROLES)
def test_a_role_documents_its_defaults_and_has_its_playbook(role: str) -> None:
    folder = CHECKOUT / "roles" / role
    specs = yaml.safe_load((folder / "meta" / "argument_specs.yml").read_text(encoding="utf-8"))
    options = specs["argument_specs"]["main"]["options"]
    defaults = yaml.safe_load((folder / "defaults" / "main.yml").read_text(encoding="utf-8"))
    assert {name: option.get("default") for name, option in options.items() if not option.get("required")} == defaults
    assert all(name.startswith(f"{role}_") and option["description"] for name, option in options.items())
    header = (CHECKOUT / "playbooks" / f"{role}.yml").read_text(encoding="utf-8").partition("- name:")[0]
    assert "# Requirements:" in header
    assert all(name in header for name, option in options.items() if option.get("required"))


@pytest.mark.fast
def test_the_role_of_an_audit_has_the_options_of_the_module() -> None:
    specs = yaml.safe_load((CHECKOUT / "roles" / "audit" / "meta" / "argument_specs.yml").read_text(encoding="utf-8"))
    options = specs["argument_specs"]["main"]["options"]
    spec = module_of("consumer_offsets_audit").spec
    own = {name: option for name, option in spec.items() if name not in CONNECTION_SPEC or name == "timeout"}
    assert options.keys() == {f"audit_{name}" for name in own}
    assert all(options[f"audit_{name}"]["type"] in (option["type"], "raw") for name, option in own.items())
    tasks = yaml.safe_load((CHECKOUT / "roles" / "audit" / "tasks" / "audit.yml").read_text(encoding="utf-8"))
    [given] = [task[module] for task in tasks for module in task if module == "kafkaops.groups.consumer_offsets_audit"]
    assert given.keys() == own.keys()
    variables = {"include": "__audit_included", "exclude": "__audit_excluded"}
    for name, value in given.items():
        assert set(re.findall(r"\b(?:__)?audit_\w+", value)) == {variables.get(name, f"audit_{name}")}


@pytest.mark.fast
def test_the_roles_that_delete_have_scenarios() -> None:
    scenarios = {path.parent.name for path in CHECKOUT.glob("extensions/molecule/*/molecule.yml")}
    assert scenarios == {*ROLES, "demo"} - {"audit", "awx_setup", "restore"}


@pytest.mark.fast
@pytest.mark.parametrize("module", MODULES)
def test_documentation_says_what_is_declared(module: str, documented: Documented) -> None:
    assert _declared(module_of(module).spec, "options") == _declared(documented.options, "suboptions")


def _declared(options: Fields, nested: str) -> dict[str, Any]:
    """What documentation and argument spec both say of options; those of an option are in its field C(nested)."""
    return {
        name: {
            **{key: option.get(key, default) for key, default in DECLARED.items()},
            "options": _declared(option.get(nested, {}), nested),
        }
        for name, option in options.items()
    }


@pytest.mark.fast
@pytest.mark.parametrize(
    ("where", "spec", "rules"), [pytest.param(*each, id=each[0]) for name in MODULES for each in _specs(name)]
)
def test_rules_are_about_options(where: str, spec: Fields, rules: Mapping[str, Any]) -> None:
    assert _named(rules) <= spec.keys(), where
    for option, value, *_needed in rules.get("required_if", ()):
        assert value in spec[option].get("choices", (True, False)), where


def _named(rules: Mapping[str, Any]) -> set[str]:
    """The options that rules name."""
    named = {name for rule in RULES[:3] for names in rules.get(rule, ()) for name in names}
    named |= {name for option, _value, names, *_any in rules.get("required_if", ()) for name in (option, *names)}
    return named | {name for option, names in rules.get("required_by", {}).items() for name in (option, *names)}


@pytest.mark.fast
@pytest.mark.parametrize("module", CONNECTING)
def test_every_module_that_connects_has_the_connection_options(module: str) -> None:
    code = importlib.import_module(f"{PLUGINS}.module_utils._ansible")
    spec, rules, _parse, _operation = module_of(module)
    assert {name: spec.get(name) for name in code.CONNECTION_SPEC} == code.CONNECTION_SPEC
    assert set(code.CONNECTION_RULES["required_if"]) <= set(rules["required_if"])
    assert sorted(_fragment(f"{NAME}.connection")["options"]) == sorted(code.CONNECTION_SPEC)


@pytest.mark.fast
def test_connection_documentation_names_the_environment_variables() -> None:
    connection = importlib.import_module(f"{PLUGINS}.module_utils._ansible").CONNECTION_SPEC
    options = _fragment(f"{NAME}.connection")["options"]
    for name, option in connection.items():
        for variable in option["fallback"][1]:
            assert f"E({variable})" in " ".join(options[name]["description"]), name


@pytest.mark.fast
def test_examples_use_known_modules_and_options(module: str, documented: Documented) -> None:
    used = set()
    for play in documented.examples:
        defaults = play.get("module_defaults", {}).get(f"group/{NAME}.kafka", {})
        assert bool(defaults) == connects(module)
        _check_options(_fragment(f"{NAME}.connection")["options"], defaults, "module_defaults")
        for task in play["tasks"]:
            (action,) = [key for key in task if "." in key]
            name = action.removeprefix(f"{NAME}.")
            if name in MODULES:
                used.add(name)
                _check_options(Documented(name).options, task[action] or {}, task["name"])
            else:
                assert action.startswith("ansible.builtin."), task["name"]
    assert module in used


def _check_options(options: Fields, given: Mapping[str, Any], where: str) -> None:
    known = {alias: option for name, option in options.items() for alias in (name, *option.get("aliases", ()))}
    for name, value in given.items():
        assert name in known, f"{where}: {name}"
        choices = known[name].get("choices")
        for each in value if isinstance(value, list) else [value]:
            assert choices is None or each in choices, f"{where}: {name}: {each}"
            # a dictionary without suboptions takes any key, as spark_conf does
            if isinstance(each, dict) and "suboptions" in known[name]:
                _check_options(known[name]["suboptions"], each, f"{where}: {name}")


def _results() -> Iterator[tuple[str, dict[str, Any]]]:
    """The results of one item of each kind, and the module that returns it."""
    results = importlib.import_module(f"{PLUGINS}.module_utils._operations.results")
    model = importlib.import_module(f"{PLUGINS}.module_utils._kafka.model")
    errors = importlib.import_module(f"{PLUGINS}.module_utils._kafka.errors")
    error = errors.error("NON_EMPTY_GROUP")
    member = model.Member("1", "2", "3", "4", ())
    group = model.Group("g", "classic", "consumer", "Stable", members=(member,))
    commit = model.Committed(1)
    removal = results.Item.planned(results.MemberTarget("g", member), results.REMOVE_MEMBER, member).failed(error)
    of_group = results.Item.planned(results.GroupTarget("g"), results.DELETE_GROUP, group).failed(error)
    created = results.Item.planned(results.OffsetTarget("g", "t", 0), results.SET_OFFSET, commit, commit, True)
    of_offset = created._replace(error=error)
    yield "consumer_group", removal.as_result()
    yield "consumer_group", of_group.as_result()
    yield "consumer_group", of_group.skipped("it has members").as_result()
    yield "consumer_group_members", removal.as_result()
    yield "consumer_group_members", of_group.as_result()
    yield "consumer_group_offsets", of_offset.as_result()
    topic = importlib.import_module(f"{PLUGINS}.module_utils._kafka.model").Topic("t", frozenset({0}), frozenset())
    yield (
        "topic",
        results.Item.planned(results.TopicTarget("t"), results.DELETE_TOPIC, topic, topic).failed(error).as_result(),
    )
    yield "consumer_group_offsets", of_offset.skipped("it has moved").as_result()
    start = model.ShareOffset(1, 0, 2)
    set_start = results.Item.planned(results.OffsetTarget("g", "t", 0), results.SET_OFFSET, start, start, True)
    yield "share_group_offsets", set_start._replace(error=error).as_result()
    setting = model.Setting("1")
    changed = results.Item.planned(results.ConfigTarget("g", "s"), results.SET_CONFIG, setting, setting).failed(error)
    yield "group_config", changed.as_result()
    yield "consumer_group", changed._replace(action=results.DELETE_CONFIG).as_result()


@pytest.mark.fast
@pytest.mark.parametrize(
    ("module", "result"), [pytest.param(*row, id=f"{row[0]}-{row[1]['action']}") for row in _results()]
)
def test_return_documents_every_key_of_an_item(module: str, result: dict[str, Any], documented: Documented) -> None:
    _check_returned({"results": [result]}, documented.returned, documented.returned)


class _Exit(Exception):
    def __init__(self, **returned: Any) -> None:
        super().__init__()
        self.returned = returned


@pytest.mark.fast
@pytest.mark.parametrize(
    ("module", "extra"),
    [
        ("consumer_group", {"remaining_configs": {}, "plan": APPLIED}),
        ("consumer_group_members", {"rejoined": []}),
        ("consumer_group_offsets", {"plan": APPLIED}),
        ("group_config", {}),
        ("share_group_offsets", {}),
        ("topic", {}),
    ],
)
def test_return_documents_every_key_of_a_report(module: str, extra: dict[str, Any], documented: Documented) -> None:
    code = importlib.import_module(f"{PLUGINS}.module_utils._ansible")
    report = importlib.import_module(f"{PLUGINS}.module_utils._operations.results").Report([], extra=extra)

    def leave(**returned: Any) -> None:
        raise _Exit(**returned)

    with pytest.raises(_Exit) as left:
        code._exit_report(SimpleNamespace(exit_json=leave, params={"detail": "full"}, _diff=True), _session(), report)
    returned = {key: value for key, value in left.value.returned.items() if key not in ("changed", "requests")}
    assert "requests" in documented.returned
    _check_returned(returned, documented.returned, documented.returned)


def _session() -> SimpleNamespace:
    return SimpleNamespace(wire=SimpleNamespace(requests={}, address=lambda _node: "h:1", knows=lambda _node: True))


@pytest.mark.fast
@pytest.mark.parametrize("module", ["consumer_group_info"])
def test_return_documents_every_key_of_a_described_group(module: str, documented: Documented) -> None:
    info = importlib.import_module(f"{PLUGINS}.module_utils._operations.info")
    model = importlib.import_module(f"{PLUGINS}.module_utils._kafka.model")
    where = model.TopicPartition("t", 0)
    found = info._find_groups.Found(
        model.Listing("g", "classic", "consumer", "Stable", 1),
        model.Group(
            "g", "classic", "consumer", "Stable", members=(model.Member("1", None, "2", "3", ("t",), (where,)),)
        ),
        offsets={where: model.Committed(1)},
        lag=info._find_groups.GroupLag(1, 1, 0),
    )
    gather = frozenset(documented.options["gather"]["choices"])
    group = info._group_result(found, gather, {where: (0, 2)}, {1: info._address(_session(), 1)})
    _check_returned({"groups": [group]}, documented.returned, documented.returned)


def _check_returned(value: Any, fields: Fields, root: Fields, where: str = "") -> None:
    for each in value if isinstance(value, list) else [value]:
        for name, inner in each.items() if isinstance(each, dict) else ():
            place = f"{where}.{name}"
            assert name in fields, f"{place} is not documented"
            _check_returned(inner, _contained(fields[name], root), root, place)


def _contained(field: Mapping[str, Any], root: Fields) -> Fields:
    """The fields of a documented dictionary: its own, or those of the one that its description refers to."""
    reference = re.search(r"as in RV\(([^)]+)\)", str(field["description"]))
    fields: Fields = field.get("contains", {})
    if not fields and reference is not None:
        fields = root
        for name in reference[1].replace("[]", "").split("."):
            fields = fields[name].get("contains", {})
    return fields
