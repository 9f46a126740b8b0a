# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The errors of resources, and the messages of the exceptions that end a task."""

from __future__ import annotations

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import (
    InvalidOption,
    NothingChanged,
    NothingRead,
    TaskError,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import from_code


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


@pytest.mark.parametrize("code", [68, 74, 9999], ids=["final", "retriable", "unknown"])
def test_an_error_has_the_words_of_the_broker_where_it_sent_some(code: int) -> None:
    told, silent = from_code(code, "the group is in use"), from_code(code)
    assert told is not None
    assert silent is not None
    assert told.message == "the group is in use"
    assert told == silent._replace(message=told.message)
    assert silent.message not in ("", told.message)
