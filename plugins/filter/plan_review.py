# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: plan_review
short_description: Compare a plan with what check mode says of it
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Tells of a plan of M(kafkaops.groups.consumer_offsets_audit) what would be deleted now, why, how much of what was
    audited that is, and what is left of the plan without the groups and offsets that were used since.
positional: results
options:
  _input:
    description: The plan, as it is in its file.
    type: dict
    required: true
  results:
    description:
      - The C(results) of M(kafkaops.groups.consumer_group) and M(kafkaops.groups.consumer_group_offsets) for this plan,
        in check mode.
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Show planned deletions with the reasons
  ansible.builtin.debug:
    msg: "{{ (plan | kafkaops.groups.plan_review(foreseen.results)).lines }}"
"""

RETURN = r"""
_value:
  description: What was found.
  type: dict
  contains:
    lines:
      description: A line for each group and offset that would be deleted, or is left alone, with the reason.
      type: list
      elements: str
    lost:
      description: >-
        By V(groups) and V(committed offsets), how many would be deleted (of groups, also those that only lose offsets),
        and how many the audit judged. Each is a list of two numbers.
      type: dict
    rest:
      description: The plan, without what is left alone.
      type: dict
"""

import collections.abc as c
import typing as t

Entry = c.Mapping[str, t.Any]
Place = tuple[str, str | None, int | None]


def plan_review(plan: Entry, results: c.Sequence[Entry]) -> dict[str, t.Any]:
    """Return `lines`, `lost` and `rest` of a plan, by what check mode says of it."""
    return {"lines": _lines(plan, results), "lost": _lost(plan, results), "rest": _rest(plan, results)}


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


def _lost(plan: Entry, results: c.Iterable[Entry]) -> dict[str, list[int]]:
    committed = {entry["group"]: len(entry["offsets"]) for entry in plan["delete_groups"]}
    deleted = {"delete_group": list[str](), "delete_offset": list[str]()}
    for item in results:
        if item["action"] in deleted:
            deleted[item["action"]].append(item["group"])
    groups, others = deleted["delete_group"], deleted["delete_offset"]
    return {
        "groups": [len({*groups, *others}), plan["judged"]["groups"]],
        "committed offsets": [sum(committed[name] for name in groups) + len(others), plan["judged"]["offsets"]],
    }


def _rest(plan: Entry, results: c.Iterable[Entry]) -> dict[str, t.Any]:
    used = {_place(item) for item in results if "left_alone" in item}
    kinds = ("delete_groups", "delete_offsets")
    return {**plan, **{kind: [entry for entry in plan[kind] if _place(entry) not in used] for kind in kinds}}


class FilterModule:
    """Names the filter."""

    def filters(self) -> dict[str, c.Callable[..., t.Any]]:
        return {"plan_review": plan_review}
