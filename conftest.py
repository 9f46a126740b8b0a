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
    from tests.support.jars import shared, spark_class_data, spark_options

    install()
    # of the Java of each Spark session, also of those that modules start
    os.environ.setdefault("SPARK_SUBMIT_OPTS", spark_options(*shared(spark_class_data())))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--matrix", action="store_true", help="all versions of Kafka, not only the oldest and the newest")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give tests that want `older` the older versions, and those that want `release` also the newest.

    Those that want `recent` run with ``--matrix`` alone.
    """
    if "recent" in metafunc.fixturenames:
        from tests.support.jars import RECENT

        chosen = RECENT if metafunc.config.getoption("--matrix") else ()
        metafunc.parametrize("recent", chosen, indirect=True, scope="session")
    for fixture in {"older", "release"} & set(metafunc.fixturenames):
        from tests.support.jars import VERSIONS

        *older, newest = VERSIONS if metafunc.config.getoption("--matrix") else (VERSIONS[0], VERSIONS[-1])
        versions = older if fixture == "older" else [*older, newest]
        metafunc.parametrize(fixture, versions, indirect=fixture == "release", scope="session")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is below tests/unit is fast, what is below tests/live needs brokers; files need not say so."""
    folder = Path(__file__).parent / "tests"
    for item in items:
        for name, marker in (("unit", pytest.mark.fast), ("live", pytest.mark.live)):
            if (folder / name) in item.path.parents:
                item.add_marker(marker)
