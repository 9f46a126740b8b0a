# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which patterns the role teardown takes for those of one environment."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._input import matcher
from ansible_collections.kafkaops.groups.plugins.test.environment_pattern import environment_pattern


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "",
            "*",
            "**",
            "?",
            "?*",
            "*?*",
            "???",
            "????????",
            "[a-z]*",
            "[!a]*",
            "[]abc]*",
            "[!]abc]*",
            "[abc][def][ghi]",
        ),
        *(
            "e*",
            "en*",
            "*v-*",
            "e*n*v*-*",
            "a?b?c",
            "   *",
            "~",
            "~.*",
            "~.+",
            "~.",
            "~(.*)",
            "~[a-z]+",
            "~\\w+",
            "~en.*",
        ),
        *(None, 7, ["env"]),
        *("~env|.*", "~env-.*|.*", "~(env-.*|.*)", "~.*env", "~^env", "~(?i)env-.*", "~en?v-.*", "~env*", "~env{0}.*"),
    ],
)
def test_refused(pattern: Any) -> None:
    assert not environment_pattern(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        *("env", "env-*", "*-env-*", "*env", "env-?", "[ab]env*", "t-1*", "env-[0-9][0-9]-*", "[env-*"),
        *("~env-.*", "~env-[0-9]+", "~env-(eu.us)-.+", "~env\\.eu\\..*", "~env-v?.*", "~t-1.*", "~envs*"),
    ],
)
def test_taken(pattern: str) -> None:
    assert environment_pattern(pattern)
    # whatever is taken matches none of these
    matches = matcher([pattern], "match")
    assert not any(matches(name) for name in ("", "a", "e", "7", "-", "zz", "orders", "Payments-eu.2", "_" * 40))
