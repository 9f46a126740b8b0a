# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""CSV files, exchanged with kafka-consumer-groups.sh in both directions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.filter.offsets_csv import offsets_csv

from tests.live.task import run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster

pytestmark = pytest.mark.live

TOOL = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
TOPIC = "csv"
ODD = 'csv, "odd"'
FIRST, SECOND = {(TOPIC, 0): (1, "", -1), (TOPIC, 1): (2, "", -1)}, {(TOPIC, 1): (3, "", -1)}


@pytest.fixture
def groups(cluster: Cluster) -> list[str]:
    """Two groups with committed offsets, one of an odd name."""
    if TOPIC not in truth.topics(cluster.client()):
        topics.create(cluster.client(), TOPIC, 2, records=20)
    names = ["csv-plain", ODD]
    for name, offsets in zip(names, (FIRST, SECOND), strict=True):
        commits.commit(cluster.client(), name, offsets)
    return names


def committed(cluster: Cluster, group: str) -> dict[tuple[str, int], int]:
    return {where: one.offset for where, one in truth.offsets(cluster.client(), group).items()}


def tool(cluster: Cluster, names: list[str], *arguments: str) -> str:
    """What kafka-consumer-groups.sh --reset-offsets prints."""
    given = [argument for name in names for argument in ("--group", name)]
    done = truth.kafka_tool(cluster, TOOL, ["--reset-offsets", *given, *arguments])
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("count", [1, 2])
def test_what_the_tool_exports_is_restored(cluster: Cluster, groups: list[str], count: int, tmp_path: Path) -> None:
    file, names = tmp_path / "offsets.csv", groups[:count]
    exported = tool(cluster, names, "--all-topics", "--to-current", "--export", "--dry-run")
    file.write_text(exported, encoding="utf-8")
    before = [committed(cluster, name) for name in names]
    for name in names:
        run("consumer_group_offsets", cluster.bootstrap, group=name, all_topics=True, reset={"to_latest": True})
    assert [committed(cluster, name) for name in names] != before
    more: dict[str, Any] = {"group": names[0]} if count == 1 else {}
    restored = run("consumer_group_offsets", cluster.bootstrap, restore={"path": str(file)}, **more)
    assert (restored.changed, restored.errors) == (sum(map(len, before)), {})
    assert [committed(cluster, name) for name in names] == before


@pytest.mark.parametrize("count", [1, 2])
def test_what_the_filter_writes_the_tool_executes(
    cluster: Cluster, groups: list[str], count: int, tmp_path: Path
) -> None:
    """The prediction of a reset is executed by the tool, and is then unchanged for the module."""
    file, names = tmp_path / "offsets.csv", groups[:count]
    wanted: dict[str, Any] = {"groups": [{"name": name} for name in names], "all_topics": True}
    wanted["reset"] = {"shift_by": 2}
    predicted = run("consumer_group_offsets", cluster.bootstrap, check=True, **wanted)
    file.write_text(offsets_csv([item.as_result() for item in predicted.items]), encoding="utf-8")
    tool(cluster, names, "--from-file", str(file), "--execute")
    expected = [{(TOPIC, 0): 3, (TOPIC, 1): 4}, {(TOPIC, 1): 5}][:count]
    assert [committed(cluster, name) for name in names] == expected
