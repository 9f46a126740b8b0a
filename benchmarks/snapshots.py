# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks snapshots``: comparing one year of snapshots of many groups, in bounded memory.

Spark writes the snapshots in the layout of the audit. Most groups commit each day, the others stop one day, have
members without commits until one day, or never change. A process of its own with the settings of the audit
then compares all snapshots, and writes the groups and the offsets with what the snapshots show, as an audit does before
it classifies them. The result is compared with what was generated.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks import audits
from benchmarks.document import replace_section, table
from benchmarks.processes import Took, run
from tests.support.collection import install

GROUPS, OFFSETS_A_GROUP, DAYS = 20_000, 24, 365
_CLUSTER = "benchmark"
_NOW = datetime.datetime(2026, 6, 1, 12, tzinfo=datetime.UTC)
# what a group does, by its number modulo 10; others commit each day
_STOPS, _MEMBERS, _NEVER = 7, 8, 9


class Wrong(Exception):
    """A result is not what was generated."""


def settings(folder: str) -> Any:
    """The settings of an audit."""
    return audits.settings("127.0.0.1:1", folder, source="snapshots")


def write(folder: str, groups: int, days: int) -> int:
    """Write the snapshots; return their size in bytes."""
    from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.folders import LocalFolder
    from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.snapshots import Snapshots
    from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.spark import spark_session

    with spark_session(settings(folder), folder) as spark:
        snapshots = Snapshots(LocalFolder(folder, []), _CLUSTER)

        def add(day: int) -> None:
            # the day on which a group of each kind changes its behaviour, different for each group
            turn = f"pmod(number * 7919, {days})"
            kind = "number % 10"
            each = spark.range(groups).selectExpr(
                "id as number", "format_string('team-%03d-service-%07d', id % 997, id) as group"
            )
            used = f"({kind} = {_MEMBERS} and {turn} >= {day})"
            described = each.selectExpr(
                "group",
                "'classic' as type",
                f"if({used}, 'Stable', 'Empty') as state",
                "'consumer' as protocol_type",
                f"cast(if({used}, 1, 0) as int) as members",
                "true as known",
                "hex(number) as partition_set",
            )
            committed = each.selectExpr("*", f"explode(sequence(0, {OFFSETS_A_GROUP - 1})) as partition").selectExpr(
                "group",
                "concat('topic-', number % 500) as topic",
                "partition",
                "format_string('%022d', number % 500) as topic_id",
                f"case when {kind} < {_STOPS} then {day} when {kind} = {_STOPS} then least({turn}, {day}) else 0 end "
                "* 1000 + partition as offset",
                "-1 as leader_epoch",
                "'' as metadata",
            )
            logs = committed.groupBy("topic", "partition", "topic_id").agg({"offset": "max"})
            taken_at = _NOW - datetime.timedelta(days=days - 1 - day)
            tables = {
                "groups": described,
                "offsets": committed,
                "partitions": logs.toDF("topic", "partition", "topic_id", "log_end"),
            }
            snapshots.add(taken_at, True, tables, 0)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for number, _none in enumerate(pool.map(add, range(days)), 1):
                if number % 50 == 0:
                    print(f"{number} snapshots", flush=True)
    return sum(path.stat().st_size for path in Path(folder, "snapshots").rglob("*.parquet"))


def judge(folder: str) -> None:
    """Compare the snapshots, as an audit does."""
    from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import from_snapshots
    from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.folders import LocalFolder
    from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.snapshots import OFFSETS, Snapshots
    from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.spark import spark_session

    with spark_session(settings(folder), folder) as spark:
        snapshots = Snapshots(LocalFolder(folder, []), _CLUSTER)
        known = snapshots.listed()
        size = snapshots.table(spark, known[-1:], OFFSETS).toArrow().nbytes
        found = from_snapshots.observe(spark, snapshots, known, size)
        found.offsets.write.parquet(f"{folder}/found/offsets")
        found.groups.write.parquet(f"{folder}/found/groups")


def check(folder: str, groups: int, days: int) -> None:
    """Compare the result with what was generated.

    :raises Wrong: they differ.
    """
    import pyarrow.parquet as pq

    rows = pq.read_table(f"{folder}/found/groups").to_pylist()
    found = {int(row["group"].rpartition("-")[2]): row for row in rows}
    for number in range(groups):
        kind, turn = number % 10, number * 7919 % days
        # since the first snapshot without members
        alone = min(turn + 1, days - 1)
        last = days - 1 if kind < _STOPS else 0 if kind == _NEVER else alone if kind == _MEMBERS else turn
        idle_since = _NOW - datetime.timedelta(days=days - 1 - last)
        expected = (idle_since, days - last)
        if (found[number]["idle_since"], found[number]["snapshots"]) != expected:
            raise Wrong(f"group {number}: {found[number]}, and not {expected}")
    offsets = pq.read_table(f"{folder}/found/offsets", columns=["group", "unchanged_since", "snapshots"])
    if offsets.num_rows != groups * OFFSETS_A_GROUP:
        raise Wrong(f"{offsets.num_rows} offsets, and not {groups * OFFSETS_A_GROUP}")
    unchanged = {row["group"]: row["unchanged_since"] for row in rows}
    for row in offsets.to_pylist()[:: max(1, offsets.num_rows // 10_000)]:
        if row["unchanged_since"] != unchanged[row["group"]]:
            raise Wrong(f"an offset: {row}, and not {unchanged[row['group']]}")


def measure(part: str, folder: str, *arguments: int) -> Took:
    """Run a part in a process of its own."""
    return run(
        [sys.executable, "-m", "benchmarks.snapshots", "--part", part, folder, *map(str, arguments)], Path(folder)
    )


def page(groups: int, days: int, size: float, written: Took, compared: Took) -> str:
    """The result as Markdown."""
    number = groups * OFFSETS_A_GROUP * days
    machine = f"{os.cpu_count()} cores ({platform.machine()}, Python {platform.python_version()})"
    rows = [
        ["", "time", "driver, Python", "driver, Java"],
        *(
            [name, f"{took.seconds:.0f} s", f"{took.driver:.0f} MB", f"{took.java:.0f} MB"]
            for name, took in (("generate and write the snapshots", written), ("compare the snapshots", compared))
        ),
    ]
    return (
        f"{days} daily snapshots of {groups:,} groups with {OFFSETS_A_GROUP} committed offsets each: {number:,} "
        f"offsets in {size / 1e6:,.0f} MB. On {machine}, with the start of Java and Spark; peaks of memory. "
        "Since when each group is idle is compared with what was generated.\n\n" + table(rows)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, default=GROUPS)
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    parser.add_argument("--part", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        part, folder, *numbers = given.part
        if part == "judge":
            judge(folder)
        else:
            Path(folder, "size.json").write_text(json.dumps(write(folder, *map(int, numbers))), "utf-8")
        return
    install()
    with tempfile.TemporaryDirectory(prefix="kafkaops-bench-") as folder:
        written = measure("generate", folder, given.groups, given.days)
        print(written, flush=True)
        compared = measure("judge", folder)
        print(compared, flush=True)
        check(folder, given.groups, given.days)
        text = page(
            given.groups, given.days, json.loads(Path(folder, "size.json").read_text("utf-8")), written, compared
        )
    print(text)
    if given.write:
        replace_section("snapshots", text)


if __name__ == "__main__":
    main()
