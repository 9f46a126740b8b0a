# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the checkout importable as ``ansible_collections.kafkaops.groups``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# ansible-test's own runner brings the collection along.
if not os.environ.get("PYTEST_PLUGINS", "").startswith("ansible_"):
    from tests.support.collection import install

    install()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is below tests/unit is fast, what is below tests/live needs brokers; files need not say so."""
    folder = Path(__file__).parent / "tests"
    for item in items:
        for name, marker in (("unit", pytest.mark.fast), ("live", pytest.mark.live)):
            if (folder / name) in item.path.parents:
                item.add_marker(marker)
