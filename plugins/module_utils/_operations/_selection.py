# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which groups C(consumer_group_info) returns of those that it has read: by lag and members."""

from __future__ import annotations

import typing as t

from .. import _input as inputs
from .._errors import InvalidOption
from . import _match_members
from ._find_groups import Found
from ._match_members import MatchMembers

#: States of a group without members.
IDLE = ("Empty", "Dead")


class Selection(t.NamedTuple):
    """The conditions, None for what does not matter.

    Attributes:
        min_lag: a group whose lag is unknown may have so much.
        max_lag: a group whose lag is unknown may have more.
        idle: whether the group has no members.
        members: the group has one that matches.
    """

    min_lag: int | None = None
    max_lag: int | None = None
    idle: bool | None = None
    members: MatchMembers | None = None

    @property
    def gather(self) -> frozenset[str]:
        """What of each group the conditions are about."""
        needed = {"lag": self.min_lag is not None or self.max_lag is not None, "members": self.members is not None}
        return frozenset(name for name, is_needed in needed.items() if is_needed)

    def includes(self, found: Found) -> bool:
        """Whether a group meets the conditions; what they are about has been gathered."""
        return self._includes_lag(found) and self._includes_members(found)

    def _includes_lag(self, found: Found) -> bool:
        if "lag" not in self.gather:
            return True
        lag = found.lag.lag if found.lag else None
        if lag is None:
            return self.max_lag is None
        return (self.min_lag is None or lag >= self.min_lag) and (self.max_lag is None or lag <= self.max_lag)

    def _includes_members(self, found: Found) -> bool:
        state = found.group.state if found.group else found.listing.state
        if self.idle is not None and (state in IDLE) != self.idle:
            return False
        members = found.group.members if found.group else ()
        return self.members is None or any(self.members.matches(member) for member in members)


def parse(params: dict[str, t.Any]) -> Selection:
    """Return what the options ask for; raises TaskError where an option cannot be."""
    min_lag, max_lag = _lag(params, "min_lag"), _lag(params, "max_lag")
    if min_lag is not None and max_lag is not None and min_lag > max_lag:
        raise InvalidOption(f"min_lag is {min_lag}, which is more than max_lag, {max_lag}.")
    if params["idle"] and params["match_members"] is not None:
        raise InvalidOption("idle and match_members are mutually exclusive: set one of them.")
    return Selection(
        min_lag=min_lag,
        max_lag=max_lag,
        idle=params["idle"],
        members=_match_members.parse(params["match_members"]),
    )


def _lag(params: dict[str, t.Any], option: str) -> int | None:
    return None if params[option] is None else inputs.natural(params[option], option, inputs.INT64_MAX)
