# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The requests that set and remove settings of groups, and what their answers mean."""

from __future__ import annotations

import types

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.handler import Done, Failed, Retry, Unmap
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.incremental_alter_configs import (
    AlterGroupConfigs,
)


def test_a_request_sets_and_removes() -> None:
    request = AlterGroupConfigs({"g": {"a": "1", "b": None}}).request(["g"])
    seen = type(request).decode(request.encode(version=1), version=1)
    assert seen.validate_only is False
    assert [
        (
            one.resource_type,
            one.resource_name,
            [(entry.name, entry.config_operation, entry.value) for entry in one.configs],
        )
        for one in seen.resources
    ] == [(32, "g", [("a", 0, "1"), ("b", 1, None)])]


@pytest.mark.parametrize(
    ("code", "outcome"),
    [(0, Done), (40, Failed), (30, Failed), (41, Unmap), (89, Retry)],
    ids=["done", "INVALID_CONFIG", "GROUP_AUTHORIZATION_FAILED", "NOT_CONTROLLER", "THROTTLING_QUOTA_EXCEEDED"],
)
def test_an_answer(code: int, outcome: type) -> None:
    answer = types.SimpleNamespace(resource_name="g", error_code=code, error_message=None)
    outcomes = AlterGroupConfigs({"g": {}}).outcomes(["g"], types.SimpleNamespace(responses=[answer]))
    assert isinstance(outcomes["g"], outcome)


def test_an_answer_without_the_group() -> None:
    with pytest.raises(ValueError, match="it does not include g"):
        AlterGroupConfigs({"g": {}}).outcomes(["g"], types.SimpleNamespace(responses=[]))
