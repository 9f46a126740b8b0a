# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The owners of groups, by patterns of their names: from options or a CSV file; the first match wins."""

from __future__ import annotations

import collections.abc as c
import typing as t

from ... import _input as inputs
from ..._errors import NothingRead
from ..._files import csv_lines
from ..libraries import pa

_COLUMNS = ("match", "owner")


class Rule(t.NamedTuple):
    """The patterns of one owner."""

    match: list[str]
    owner: str


def parse(params: dict[str, t.Any]) -> list[Rule]:
    """Return the rules of C(owners) or C(owners_file), none if neither is set.

    Raises:
        TaskError: an option is not valid, or the file cannot be read or has an invalid line.
    """
    if params["owners_file"] is not None:
        return _read(inputs.path(params["owners_file"], "owners_file"))
    if params["owners"] is None:
        return []
    inputs.not_empty(params["owners"], "owners")
    return [_rule(entry["match"], entry["owner"], f"owners[{index}]") for index, entry in enumerate(params["owners"])]


def _rule(match: t.Any, owner: t.Any, where: str) -> Rule:
    rule = Rule(inputs.texts(match, f"{where}.match"), inputs.text(owner, f"{where}.owner"))
    inputs.expressions(rule.match, f"{where}.match")
    return rule


def _read(path: str) -> list[Rule]:
    try:
        lines = csv_lines.read(path, _COLUMNS)
    except ValueError as exc:
        raise NothingRead(f"owners_file: {path}: {exc}.") from exc
    if not lines:
        raise NothingRead(f"owners_file: {path}: the file has no line after the first one.")
    for line in lines:
        for cell in line.cells.values():
            if cell != cell.strip() or cell.startswith("'"):
                raise NothingRead(
                    f"owners_file: {path}: line {line.number}: {cell!r} starts or ends with a blank, or starts with an "
                    "apostrophe: remove it."
                )
    return [
        _rule(line.cells["match"], line.cells["owner"], f"owners_file: {path}: line {line.number}") for line in lines
    ]


def finder(rules: c.Iterable[Rule]) -> c.Callable[[str], str | None]:
    """Return a function that returns the owner of a group, None if no pattern matches."""
    owners = [(each.fullmatch, rule.owner) for rule in rules for each in inputs.expressions(rule.match, "owners")]
    return lambda group: next((owner for matches, owner in owners if matches(group)), None)


def table(rules: c.Iterable[Rule], groups: c.Iterable[str]) -> pa.Table:
    """Return C(group) and C(owner) of the groups that have an owner."""
    owner_of = finder(rules)
    found = [{"group": group, "owner": owner} for group in groups if (owner := owner_of(group)) is not None]
    return pa.Table.from_pylist(found, schema=pa.schema([("group", pa.string()), ("owner", pa.string())]))
