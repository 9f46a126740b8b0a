# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of the documentation, and what the collection itself says of their options."""

from __future__ import annotations

import importlib
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import CONNECTION_RULES, CONNECTION_SPEC
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import watch
from ansible_rulebook.util import substitute_variables
from ansible_rulebook.validators import Validate
from jsonschema import ValidationError

from tests.support.collection import CHECKOUT
from tests.support.event_source import RULEBOOKS, load
from tests.support.modules import MODULES, RULES, connects, module_of

NAME = "kafkaops.groups"
ROLES = sorted(path.name for path in (CHECKOUT / "roles").iterdir())
PLAYBOOKS = sorted(path.stem for path in (CHECKOUT / "playbooks").glob("*.yml"))
PLUGINS = sorted(
    path for kind in ("filter", "lookup", "modules", "test") for path in (CHECKOUT / "plugins" / kind).glob("*.py")
)
GUIDES = sorted((CHECKOUT / "docs" / "docsite" / "rst").glob("*.rst"))
TEXTS = sorted(path for folder in (".", "docs", "awx", "roles/*") for path in CHECKOUT.glob(f"{folder}/*.md"))

_DIRECTIVE = re.compile(r"^( *)\.\. code-block:: (\S+)\n((?:\n|\1 +.*\n)+)", re.MULTILINE)
_FENCE = re.compile(r"^ *```(\S*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_HEADER = re.compile(r"^#   (ansible-(?:playbook|rulebook) .*(?:\n#    +.*)*)", re.MULTILINE)
_VARIABLE = re.compile(r"\{\{ (\w+)")
_INLINE = re.compile(r"`{1,2}((?:" + "|".join(MODULES) + r"): \{.*?\})`{1,2}(?!`)")


class Block(NamedTuple):
    """An example: the file and the line where it stands, its language, and its text."""

    where: str
    language: str
    text: str

    @property
    def file(self) -> str:
        """The file alone."""
        return self.where.partition(":")[0]


def blocks() -> Iterator[Block]:
    """Return the blocks of the guides, of the texts beside them, of the playbooks and of the plugins."""
    for path in GUIDES:
        text = path.read_text(encoding="utf-8")
        for found in _DIRECTIVE.finditer(text):
            yield Block(_place(path, text, found.start()), found[2], textwrap.dedent(found[3]).strip("\n") + "\n")
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        for found in _FENCE.finditer(text):
            yield Block(_place(path, text, found.start()), found[1], textwrap.dedent(found[2]))
    for path in (*(CHECKOUT / "playbooks" / f"{playbook}.yml" for playbook in PLAYBOOKS), *RULEBOOKS):
        text = path.read_text(encoding="utf-8")
        for found in _HEADER.finditer(text):
            command = re.sub(r"\n# +", " ", found[1])
            yield Block(_place(path, text, found.start()), "console", f"{command}\n")
    for path in PLUGINS:
        code = importlib.import_module(f"ansible_collections.{NAME}.plugins.{path.parent.name}.{path.stem}")
        yield Block(str(path.relative_to(CHECKOUT)), "yaml", code.EXAMPLES.lstrip("\n"))


def inline_tasks() -> Iterator[Block]:
    """Return the tasks in the running text, such as C(consumer_group: {name: g})."""
    for path in (*GUIDES, *TEXTS):
        text = path.read_text(encoding="utf-8")
        for found in _INLINE.finditer(text):
            yield Block(_place(path, text, found.start()), "yaml", found[1])


def _place(path: Path, text: str, start: int) -> str:
    return f"{path.relative_to(CHECKOUT)}:{text.count(chr(10), 0, start) + 1}"


def commands(block: Block) -> list[str]:
    """Return the commands of a console block: the lines after a prompt, or all if there is none."""
    lines = [line for line in block.text.replace("\\\n", "").splitlines() if line.strip()]
    return [line[2:] for line in lines if line.startswith("$ ")] or lines


def problems_of_task(module: str, given: Mapping[str, Any] | None) -> list[str]:
    """Return what is wrong with the options of a task: what Ansible, and then the module itself, say of them."""
    spec, rules, parse, _operation = module_of(module)
    # what a task leaves out stands in module_defaults or in the environment
    connection = {"bootstrap_servers": ["kafka-1.example.com:9092"]} if connects(module) else {}
    options = {**connection, **(given or {})}
    problems, params = _validate(spec, options, **rules)
    if problems or _templated(options):
        return problems
    try:
        parse(params)
    except TaskError as exc:
        return [str(exc)]
    return []


def problems_of_connection(given: Any) -> list[str]:
    """Return what is wrong with the options of a connection."""
    if _templated(given):
        given = {} if isinstance(given, str) else given
    options = {"bootstrap_servers": ["kafka-1.example.com:9092"], **given}
    return _validate(CONNECTION_SPEC, options, **CONNECTION_RULES)[0]


def problems_of_variables(given: Mapping[str, Any], *, whole: bool) -> list[str]:
    """Return what is wrong with variables for the roles and playbooks; `whole`: they have to be all that is needed."""
    problems = []
    left = dict(given)
    if "kafka_connection" in left:
        problems += problems_of_connection(left.pop("kafka_connection"))
    left.pop("kafka_host", None)
    for prefix, spec in _variable_specs().items():
        mine = {name: left.pop(name) for name in list(left) if name.startswith(f"{prefix}_")}
        if mine:
            needed = spec if whole else {name: {**option, "required": False} for name, option in spec.items()}
            problems += _validate(needed, mine)[0]
    of_rulebooks = {name for path in RULEBOOKS for name in _VARIABLE.findall(path.read_text(encoding="utf-8"))}
    return [*problems, *(f"unknown variable {name}" for name in left if name not in of_rulebooks)]


def problems_of_rulebook(rulebook: list[dict[str, Any]], variables: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with a rulebook: what ansible-rulebook, and then the event source, say of it."""
    try:
        Validate.rulebook(rulebook)
    except ValidationError as exc:
        return [exc.message]
    plugin = load()
    problems = []
    for ruleset in rulebook:
        for source in ruleset["sources"]:
            given = source.get(f"{NAME}.consumer_groups")
            if given is not None:
                options = {"bootstrap_servers": "h:1", **substitute_variables(given, dict(variables))}
                try:
                    watch.parse(plugin["validated"](options))
                except TaskError as exc:
                    problems.append(str(exc))
    return problems


def _variable_specs() -> dict[str, dict[str, Any]]:
    """The options of the roles, by their prefix."""
    specs = {}
    for role in ROLES:
        text = (CHECKOUT / "roles" / role / "meta" / "argument_specs.yml").read_text(encoding="utf-8")
        specs[role] = yaml.safe_load(text)["argument_specs"]["main"]["options"]
    return specs


def _validate(spec: Mapping[str, Any], given: Mapping[str, Any], **rules: Any) -> tuple[list[str], dict[str, Any]]:
    result = ArgumentSpecValidator(_loosened(spec, given), **rules).validate(dict(given))
    return list(result.error_messages), result.validated_parameters


def _loosened(spec: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The spec, with any value allowed where a template is given: only its result has the option's type."""
    spec = {name: {key: each for key, each in option.items() if key in _KNOWN} for name, option in spec.items()}
    return {
        name: {"type": "raw", "required": option.get("required", False)} if _templated(given.get(name)) else option
        for name, option in spec.items()
    }


#: What of a documented option is no documentation.
_KNOWN = {"type", "required", "default", "choices", "elements", "options", "aliases", "no_log", "fallback", *RULES}


def _templated(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_templated(each) for each in value.values())
    if isinstance(value, list):
        return any(_templated(each) for each in value)
    return isinstance(value, str) and "{{" in value
