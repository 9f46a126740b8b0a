# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The names of groups, as tasks give them."""

from __future__ import annotations

import typing as t

from .. import _input as inputs
from .._errors import InvalidOption
from .._kafka.errors import error
from .results import NONE, GroupTarget, Item


def group_name(value: t.Any, option: str) -> str:
    """Return a group's name; an empty one is the broker's INVALID_GROUP_ID, found before anything is sent."""
    if value == "":
        problem = error("INVALID_GROUP_ID", "a group's name is never empty")
        raise InvalidOption(
            f"{option} is empty, which Kafka refuses as INVALID_GROUP_ID: set the name of a group.",
            [Item.refused(GroupTarget(""), NONE, problem)],
        )
    return inputs.text(value, option)


def group_names(value: t.Any, option: str = "names") -> list[str]:
    """Return the names of groups; see `texts`."""
    return inputs.texts(value, option, group_name)
