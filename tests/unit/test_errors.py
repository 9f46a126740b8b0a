# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The messages of the exceptions that end a task."""

from __future__ import annotations

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import (
    InvalidOption,
    NothingChanged,
    NothingRead,
    TaskError,
)


@pytest.mark.parametrize(
    ("kind", "outcomes"),
    [
        (TaskError, []),
        (InvalidOption, ["Nothing was sent."]),
        (NothingChanged, ["Nothing was changed."]),
        (NothingRead, ["Nothing was read."]),
    ],
)
@pytest.mark.parametrize("message", ["names is empty.", f"{'x' * 5000}."], ids=["short", "cut"])
def test_the_outcome_ends_the_message_once(kind: type[TaskError], outcomes: list[str], message: str) -> None:
    text = str(kind(message))
    assert text.count("Nothing was ") == len(outcomes)
    assert text.endswith(tuple(outcomes) or message[-10:])
