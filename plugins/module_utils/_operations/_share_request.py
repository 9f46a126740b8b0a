# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What C(share_group_offsets) is asked for: its options, checked and put into values."""

from __future__ import annotations

import typing as t

from .. import _input as inputs
from .._errors import InvalidOption
from .._kafka.model import TopicPartition
from ._offset_request import (
    Matches,
    Reset,
    Restore,
    Topics,
    check_no_source,
    check_source,
    groups_matching,
    groups_of,
    need_topics,
    offsets_of,
    reset_of,
    restore_of,
    topics_matching,
)

_SOURCES = ("offsets", "reset", "restore")


class Request(t.NamedTuple):
    """The task: the state of which topics to delete, or which start offsets to set.

    Attributes:
        match: selects groups, instead of `groups`.
        chosen_topics: selects topics with start offsets, instead of the topics of `groups`.
    """

    state: str
    groups: dict[str, Topics]
    match: Matches | None
    chosen_topics: Matches | None
    offsets: dict[TopicPartition, int] | None
    reset: Reset | None
    restore: Restore | None
    backup: str | None
    max_changes: int | None

    @property
    def needed(self) -> str:
        """The permission that the task needs on its groups."""
        return "DELETE" if self.state == "absent" else "READ"


def parse(params: dict[str, t.Any]) -> Request:
    """Return what C(share_group_offsets) asks for; raises TaskError where an option cannot be."""
    groups = groups_of(params)
    if params["state"] == "absent":
        _check_absent(params, groups)
    else:
        check_source(params, groups, _SOURCES)
    given = None if params["offsets"] is None else offsets_of(params["offsets"])
    return Request(
        params["state"],
        groups,
        groups_matching(params),
        topics_matching(params),
        None if given is None else {where: wanted.offset for where, wanted in given.items()},
        None if params["reset"] is None else reset_of(params["reset"]),
        None if params["restore"] is None else restore_of(params["restore"]),
        inputs.optional_path(params["backup"], "backup"),
        inputs.optional_natural(params["max_changes"], "max_changes"),
    )


def _check_absent(params: dict[str, t.Any], groups: dict[str, Topics]) -> None:
    check_no_source(params, _SOURCES)
    need_topics(groups)
    for topics in groups.values():
        for name, partitions in topics.items():
            if partitions is not None:
                raise InvalidOption(
                    f"topics: Kafka deletes the start offsets of whole topics only: omit the partitions of '{name}'."
                )
