# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: reset_offsets
short_description: Compute the offsets for a reset of a Streams application
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Returns the new offsets for the input topics of a Kafka Streams application, and the end offsets of its
    intermediate topics, as in C(kafka-streams-application-reset.sh). Offsets are clamped to the log.
positional: inputs, intermediates, to
options:
  _input:
    description: The C(topics) that M(kafkaops.groups.topic_info) returns with
      O(kafkaops.groups.topic_info#module:log).
    type: list
    elements: dict
    required: true
  inputs:
    description: The names of the input topics.
    type: list
    elements: str
    required: true
  intermediates:
    description: The names of the intermediate topics.
    type: list
    elements: str
    required: true
  to:
    description: The position to which to set the offsets of the input topics. With V(delete), only offsets of
      intermediate topics are returned.
    type: str
    choices: [earliest, latest, timestamp, duration, offset, shift, file, delete]
    required: true
  value:
    description: The offset for V(offset), or the number of offsets to move for V(shift).
    type: int
  known:
    description:
      - The base offsets for V(shift), or the offsets to set for V(timestamp), V(duration) and V(file), each with
        topic and partition. Results of M(kafkaops.groups.consumer_group_offsets) are valid input.
      - For partitions without a known offset, V(shift) starts from the end of the log, and the other values skip the
        partition.
    type: list
    elements: dict
    default: []
"""

EXAMPLES = r"""
- name: Set the offsets
  kafkaops.groups.consumer_group_offsets:
    group: word-count
    offsets: "{{ seen.topics | kafkaops.groups.reset_offsets(['lines'], [], 'earliest') }}"
"""

RETURN = r"""
_value:
  description: The offsets, in the format of O(kafkaops.groups.consumer_group_offsets#module:offsets).
  type: list
  elements: dict
"""

import collections.abc as c
import typing as t

Entry = c.Mapping[str, t.Any]


def reset_offsets(
    topics: c.Iterable[Entry],
    inputs: c.Container[str],
    intermediates: c.Container[str],
    to: str,
    value: int | None = None,
    known: c.Iterable[Entry] = (),
) -> list[dict[str, t.Any]]:
    """Return the new offset of each partition."""
    offsets = {(each["topic"], each["partition"]): _offset(each) for each in known}
    targets = []
    for topic in topics:
        name = topic["name"]
        if name not in inputs and name not in intermediates:
            continue
        for log in topic["log"]:
            place = (name, log["partition"])
            wanted = _wanted(log, to if name in inputs else "latest", value, offsets.get(place))
            if wanted is not None:
                offset = min(max(wanted, log["start"]), log["end"])
                targets.append({"topic": name, "partition": log["partition"], "offset": offset, "metadata": ""})
    return targets


def _offset(entry: Entry) -> int:
    return int(entry["offset"] if "offset" in entry else entry["after"]["offset"])


def _wanted(log: Entry, to: str, value: int | None, known: int | None) -> int | None:
    if to == "delete":
        return None
    if to == "shift":
        return (log["end"] if known is None else known) + (value or 0)
    return {"earliest": log["start"], "latest": log["end"], "offset": value}.get(to, known)


class FilterModule:
    """Provides the filter."""

    def filters(self) -> dict[str, c.Callable[..., t.Any]]:
        return {"reset_offsets": reset_offsets}
