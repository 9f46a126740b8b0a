# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which patterns the role teardown takes for those of one environment."""

from __future__ import annotations

import pytest
import yaml
from ansible.template import Templar, trust_as_template
from ansible_collections.kafkaops.groups.plugins.module_utils._input import matcher

from tests.support.collection import CHECKOUT

VARIABLES = yaml.safe_load((CHECKOUT / "roles/teardown/vars/main.yml").read_text(encoding="utf-8"))


def taken(pattern: str) -> bool:
    rule = "__teardown_regex_literals" if pattern.startswith("~") else "__teardown_shell_literals"
    return bool(Templar(variables={"item": pattern}).template(trust_as_template(VARIABLES[rule])))


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
        *("~env|.*", "~env-.*|.*", "~(env-.*|.*)", "~.*env", "~^env", "~(?i)env-.*", "~en?v-.*", "~env*", "~env{0}.*"),
    ],
)
def test_refused(pattern: str) -> None:
    assert not taken(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        *("env", "env-*", "*-env-*", "*env", "env-?", "[ab]env*", "t-1*", "env-[0-9][0-9]-*", "[env-*"),
        *("~env-.*", "~env-[0-9]+", "~env-(eu.us)-.+", "~env\\.eu\\..*", "~env-v?.*", "~t-1.*", "~envs*"),
    ],
)
def test_taken(pattern: str) -> None:
    assert taken(pattern)
    # whatever is taken matches none of these
    matches = matcher([pattern], "match")
    assert not any(matches(name) for name in ("", "a", "e", "7", "-", "zz", "orders", "Payments-eu.2", "_" * 40))
