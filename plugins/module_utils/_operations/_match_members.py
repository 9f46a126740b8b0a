# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Members that are selected by patterns: the option C(match_members)."""

from __future__ import annotations

import collections.abc as c
import typing as t

from .. import _input as inputs
from .._errors import InvalidOption
from .._kafka.model import Member

MATCH_MEMBERS_SPEC: dict[str, t.Any] = {
    "type": "dict",
    "options": {"client_id": {"type": "raw"}, "host": {"type": "raw"}},
    "required_one_of": [("client_id", "host")],
}


class MatchMembers(t.NamedTuple):
    """Whether the client id and the host of a member match."""

    client_id: c.Callable[[str], bool]
    host: c.Callable[[str], bool]

    def matches(self, member: Member) -> bool:
        """Whether both match."""
        return self.client_id(member.client_id) and self.host(member.host)


def parse(given: dict[str, t.Any] | None) -> MatchMembers | None:
    """Return what C(match_members) asks for; raises TaskError where a pattern cannot be."""
    if given is None:
        return None
    if all(value is None for value in given.values()):
        raise InvalidOption("match_members contains only null: set client_id or host.")
    return MatchMembers(*(inputs.patterns(given[name], f"match_members.{name}") for name in ("client_id", "host")))
