# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: topics_in_use
short_description: List topics that the remaining groups use
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Returns which of the topics to delete are used by remaining groups, which are not deleted. A member uses the
    topics that it subscribes to or is assigned, and the changelog topics of its Streams application.
positional: topics, deleted
options:
  _input:
    description:
      - The C(groups) that M(kafkaops.groups.consumer_group_info) returns for the whole cluster, with members and
        offsets. If a name occurs twice, the first entry is used.
    type: list
    elements: dict
    required: true
  topics:
    description: The names of the topics to delete.
    type: list
    elements: str
    required: true
  deleted:
    description: The names of the groups to delete.
    type: list
    elements: str
    required: true
  errors:
    description: The C(errors) that M(kafkaops.groups.consumer_group_info) returns for groups and brokers.
    type: list
    elements: dict
    default: []
"""

EXAMPLES = r"""
- name: Validate that no other group reads the topics
  ansible.builtin.assert:
    that: (found.groups | kafkaops.groups.topics_in_use(['test-1-orders'], ['test-1'])).read | length == 0
"""

RETURN = r"""
_value:
  description: The topics and groups, by type of use.
  type: dict
  contains:
    read:
      description: Topics that members of remaining groups read or own.
      type: list
      elements: str
    committed:
      description: Topics on which remaining groups have committed offsets, each with these groups in parentheses.
      type: list
      elements: str
    hidden:
      description: Names of remaining groups whose topics are unknown because they are rebalancing.
      type: list
      elements: str
    unknown:
      description: Reasons why the topics of remaining groups are unknown, except missing permissions.
      type: list
      elements: str
    forbidden:
      description: Names of remaining groups whose topics are unknown because permissions are missing.
      type: list
      elements: str
"""

import collections.abc as c
import typing as t

Entry = c.Mapping[str, t.Any]
# the members of Kafka Connect groups are workers, which read no topics as members
_CONSUMERS = ("consumer", "share", "streams")


def topics_in_use(
    groups: c.Iterable[Entry], topics: c.Sequence[str], deleted: c.Iterable[str], errors: c.Iterable[Entry] = ()
) -> dict[str, list[str]]:
    """Return `read`, `committed`, `hidden`, `unknown` and `forbidden` for the topics to delete."""
    by_name: dict[str, Entry] = {}
    for group in groups:
        by_name.setdefault(group["name"], group)
    deleted_names, failed = set(deleted), list(errors)
    remaining = [group for name, group in by_name.items() if name not in deleted_names]
    readers = [group for group in remaining if group["members"] and group["protocol_type"] in _CONSUMERS]
    members = [member for group in readers for member in group["members"]]
    read = {topic for member in members for topic in member["topics"] or ()}
    read |= {assigned["topic"] for member in members for assigned in member["assignment"] or ()}
    owners = {group["name"] for group in readers if group["type"] == "streams" or group["assignor"] == "stream"}
    hidden = [group["name"] for group in readers if any(member["topics"] is None for member in group["members"])]
    return {
        "read": [topic for topic in topics if topic in read or _owner(topic, by_name) in owners],
        "committed": _committed(remaining, set(topics)),
        "hidden": hidden,
        "unknown": [f"group {name} is rebalancing" for name in hidden] + _failed_requests(failed),
        "forbidden": sorted({each["group"] for each in failed if "group" in each and _forbidden(each)} - deleted_names),
    }


def _owner(topic: str, names: c.Container[str]) -> str | None:
    """Return the group that owns a changelog topic: the longest group name that the topic name starts with."""
    if not topic.endswith("-changelog"):
        return None
    parts = topic.split("-")
    begins = ("-".join(parts[:count]) for count in range(len(parts) - 2, 0, -1))
    return next((name for name in begins if name in names), None)


def _committed(groups: c.Iterable[Entry], topics: c.Container[str]) -> list[str]:
    by_topic: dict[str, list[str]] = {}
    for group in groups:
        for topic in {offset["topic"] for offset in group["offsets"] or ()}:
            if topic in topics:
                by_topic.setdefault(topic, []).append(group["name"])
    return [f"{topic} ({', '.join(names)})" for topic, names in sorted(by_topic.items())]


def _failed_requests(errors: c.Iterable[Entry]) -> list[str]:
    return [
        f"group {each['group']} could not be described"
        if "group" in each
        else f"the broker at {each['address']} did not list its groups"
        for each in errors
        if not _forbidden(each)
    ]


def _forbidden(error: Entry) -> bool:
    return (error["error"]["name"] or "").endswith("_AUTHORIZATION_FAILED")


class FilterModule:
    """Provides the filter."""

    def filters(self) -> dict[str, c.Callable[..., t.Any]]:
        return {"topics_in_use": topics_in_use}
