# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The entries of a plan that exist one after the other: the same file and digest as of lists."""

from __future__ import annotations

import datetime
import pathlib
import tracemalloc
import typing as t

import pyarrow as pa
import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge import plan
from ansible_collections.kafkaops.groups.plugins.module_utils._files import plan as plan_file
from ansible_collections.kafkaops.groups.plugins.module_utils._files.plan import Plan, PlannedGroup, PlannedOffset

from tests.unit.values import at

CREATED = datetime.datetime(2026, 1, 31, 12, tzinfo=datetime.UTC)


def rows(*given: dict[str, t.Any]) -> pa.Table:
    offset = pa.struct(
        [("topic", pa.string()), ("partition", pa.int32()), ("offset", pa.int64()), ("evidence", pa.string())]
    )
    columns: dict[str, pa.DataType] = {
        "group": pa.string(),
        "type": pa.string(),
        "state": pa.string(),
        "owner": pa.string(),
        "stale": pa.bool_(),
        "planned": pa.bool_(),
        "evidence": pa.string(),
        "offsets": pa.list_(offset),
    }
    return pa.Table.from_pylist(list(given), schema=pa.schema(columns))


def row(group: str, planned: bool | None, *offsets: tuple[int, int, str | None], **more: t.Any) -> dict[str, t.Any]:
    entries = [{"topic": "a", "partition": one, "offset": value, "evidence": why} for one, value, why in offsets]
    named = {"group": group, "type": "classic", "state": "Empty", "owner": None}
    named |= {"stale": planned is not None, "planned": planned}
    return {**named, "evidence": None if planned is None else "old", "offsets": entries or None} | more


GIVEN = rows(
    row("ü, x", True, (0, 5, None), (1, 0, None)),
    row("z", True, type="streams"),
    row("kept", False),
    row("g", None, (1, 25, "not subscribed"), (2, 3, "recreated"), type="consumer", state="Stable"),
    row("h", None, (0, 1, "recreated")),
)
GROUPS = [
    PlannedGroup("ü, x", "classic", "Empty", "old", {at(0): 5, at(1): 0}),
    PlannedGroup("z", "streams", "Empty", "old", {}),
]
OFFSETS = [
    PlannedOffset("g", "consumer", "Stable", at(1), 25, "not subscribed"),
    PlannedOffset("g", "consumer", "Stable", at(2), 3, "recreated"),
    PlannedOffset("h", "classic", "Empty", at(0), 1, "recreated"),
]


def test_entries() -> None:
    planned = plan.planned(GIVEN)
    assert planned.stale == ["kept", "z", "ü, x"]
    assert (list(planned.groups), list(planned.offsets)) == (GROUPS, OFFSETS)
    assert (len(planned.groups), len(planned.offsets)) == (2, 3)
    assert GROUPS[0] in planned.groups
    assert OFFSETS[0] not in planned.groups


@pytest.mark.parametrize(
    ("given", "groups", "offsets"),
    [(GIVEN, GROUPS, OFFSETS), (rows(), [], []), (rows(row("kept", False)), [], []), (GIVEN.slice(3), [], OFFSETS)],
)
def test_the_file_and_the_digest_are_those_of_lists(
    tmp_path: pathlib.Path, given: pa.Table, groups: list[PlannedGroup], offsets: list[PlannedOffset]
) -> None:
    planned = plan.planned(given)
    lazy = Plan("c", CREATED, {"stale_after": "30d"}, planned.groups, planned.offsets)
    whole = lazy._replace(delete_groups=groups, delete_offsets=offsets)
    for name, each in (("lazy", lazy), ("whole", whole)):
        plan_file.write(str(tmp_path / name), each)
    assert (tmp_path / "lazy").read_bytes() == (tmp_path / "whole").read_bytes()
    assert plan_file.read(str(tmp_path / "lazy"), "c") == whole
    assert plan_file.digest(lazy) == plan_file.digest(whole)


def test_the_entries_are_never_in_memory_together(tmp_path: pathlib.Path) -> None:
    given = rows(*(row(f"group-{number}", True, *((one, 1, None) for one in range(10))) for number in range(10_000)))
    planned = plan.planned(given)
    tracemalloc.start()
    plan_file.write(str(tmp_path / "plan.json"), Plan("c", CREATED, {}, planned.groups, planned.offsets))
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (tmp_path / "plan.json").stat().st_size > 5_000_000
    assert peak < 10_000_000
