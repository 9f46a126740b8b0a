# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: plan_review
short_description: Compare a plan with its results in check mode
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Returns what a plan of M(kafkaops.groups.consumer_offsets_audit) would delete now, with the reasons and totals,
    and the plan without the skipped groups and offsets.
positional: results, owners
options:
  _input:
    description: The content of the plan file.
    type: dict
    required: true
  results:
    description:
      - The C(results) of M(kafkaops.groups.consumer_group) and M(kafkaops.groups.consumer_group_offsets) for this plan,
        in check mode.
    type: list
    elements: dict
    required: true
  owners:
    description: The owners to which these tasks are limited. Empty for all.
    type: list
    elements: str
    default: []
"""

EXAMPLES = r"""
- name: Show planned deletions with the reasons
  ansible.builtin.debug:
    msg: "{{ (plan | kafkaops.groups.plan_review(foreseen.results)).lines }}"
"""

RETURN = r"""
_value:
  description: The review of the plan.
  type: dict
  contains:
    lines:
      description: One line with the reason for each group and offset that would be deleted or is skipped.
      type: list
      elements: str
    lost:
      description: >-
        For V(groups) and V(committed offsets), a list of two numbers: how many would be deleted (including groups
        that only lose offsets), and how many were audited, of O(owners).
      type: dict
    rest:
      description: >-
        The plan without the skipped entries. If there are any, it also lacks the approval, because it is no longer the
        plan that was approved.
      type: dict
"""

import collections.abc as c
import typing as t

from ansible_collections.kafkaops.groups.plugins.module_utils._files.plan import APPROVED

Entry = c.Mapping[str, t.Any]
Place = tuple[str, str | None, int | None]


def plan_review(plan: Entry, results: c.Sequence[Entry], owners: c.Sequence[str] = ()) -> dict[str, t.Any]:
    """Return `lines`, `lost` and `rest` of a plan, based on its results in check mode."""
    return {"lines": _lines(plan, results), "lost": _lost(plan, results, owners), "rest": _rest(plan, results)}


def _place(entry: Entry) -> Place:
    return entry["group"], entry.get("topic"), entry.get("partition")


def _lines(plan: Entry, results: c.Iterable[Entry]) -> list[str]:
    evidence = {_place(entry): entry["evidence"] for entry in (*plan["delete_groups"], *plan["delete_offsets"])}
    lines = []
    for item in results:
        group, topic, partition = _place(item)
        name = group if topic is None else f"{topic}-{partition} of group {group}"
        if item["changed"]:
            lines.append(f"{'Group' if topic is None else 'Offset of'} {name}: {evidence[_place(item)]}")
        elif "left_alone" in item:
            lines.append(f"Skipped: {name}: {item['left_alone']}")
    return lines


def _lost(plan: Entry, results: c.Iterable[Entry], owners: c.Iterable[str]) -> dict[str, list[int]]:
    judged = [plan["owners"][owner] for owner in {*owners}] or [plan["judged"]]
    committed = {entry["group"]: len(entry["offsets"]) for entry in plan["delete_groups"]}
    deleted = {"delete_group": list[str](), "delete_offset": list[str]()}
    for item in results:
        if item["action"] in deleted:
            deleted[item["action"]].append(item["group"])
    groups, others = deleted["delete_group"], deleted["delete_offset"]
    return {
        "groups": [len({*groups, *others}), sum(each["groups"] for each in judged)],
        "committed offsets": [
            sum(committed[name] for name in groups) + len(others),
            sum(each["offsets"] for each in judged),
        ],
    }


def _rest(plan: Entry, results: c.Iterable[Entry]) -> dict[str, t.Any]:
    used = {_place(item) for item in results if "left_alone" in item}
    kinds = ("delete_groups", "delete_offsets")
    rest = {**plan, **{kind: [entry for entry in plan[kind] if _place(entry) not in used] for kind in kinds}}
    return {name: value for name, value in rest.items() if not used or name not in APPROVED}


class FilterModule:
    """Provides the filter."""

    def filters(self) -> dict[str, c.Callable[..., t.Any]]:
        return {"plan_review": plan_review}
