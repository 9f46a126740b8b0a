# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks snapshots``: a whole audit of one year of snapshots of many groups, in bounded memory.

The groups exist on a broker. An audit takes a snapshot of them, and those of the days before are made from it: most
groups commit each day, the others stop one day, have members without commits until one day, or never change. Then an
audit, a process of its own, takes another snapshot, compares all of them, and writes tables, plan and report. These
are compared with what was generated.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from benchmarks.audits import audit, expect
from benchmarks.document import replace_section, table
from benchmarks.processes import Took, run
from tests.support import commits, topics
from tests.support.broker import Cluster
from tests.support.collection import install
from tests.support.jars import DEFAULT_VERSION

GROUPS, OFFSETS_A_GROUP, DAYS = 20_000, 24, 365
TOPICS = 20
#: how long a group is idle before it is stale
STALE_AFTER = datetime.timedelta(days=90)
_DAY = datetime.timedelta(days=1)
# what a group does, by its number modulo 10; others commit each day
_STOPS, _MEMBERS, _NEVER = 7, 8, 9
_BATCH = 5_000


class Made(NamedTuple):
    """The snapshots: when the one of the last day was taken, how many days there are, and their size in bytes."""

    last: datetime.datetime
    days: int
    size: int


def _name(number: int) -> str:
    return f"team-{number % 997:03d}-service-{number:07d}"


def _number(group: str) -> int:
    return int(group.rpartition("-")[2])


def _turn(number: int, days: int) -> int:
    """The day on which a group changes its behaviour."""
    return number * 7919 % (days - 1)


def _offset(number: int, day: int, days: int) -> int:
    """What a group has committed on a day, for each of its partitions."""
    kind = number % 10
    return day if kind < _STOPS else min(_turn(number, days), day) if kind == _STOPS else 0


def create(cluster: Cluster, groups: int, days: int) -> None:
    """Create the groups as they are on the last day."""
    for number in range(TOPICS):
        topics.create(cluster.client(), f"topic-{number}", OFFSETS_A_GROUP, records=OFFSETS_A_GROUP * days)
    for start in range(0, groups, _BATCH):
        batch = {
            _name(number): {
                (f"topic-{number % TOPICS}", partition): (_offset(number, days - 1, days), "", -1)
                for partition in range(OFFSETS_A_GROUP)
            }
            for number in range(start, min(groups, start + _BATCH))
        }
        commits.commit_many(cluster.client(), batch)


def extend(folder: Path, days: int) -> Made:
    """Write the snapshots of the days before the only one of an output."""
    (source,) = (folder / "snapshots").iterdir()
    manifest = json.loads((source / "manifest.json").read_text("utf-8"))
    last = datetime.datetime.fromisoformat(manifest["taken_at"])
    tables = {path.name: ds.dataset(path).to_table() for path in source.iterdir() if path.is_dir()}
    names: dict[str, list[Any]] = {name: tables[name]["group"].to_pylist() for name in ("groups", "offsets")}
    numbers = {name: [_number(group) for group in groups] for name, groups in names.items()}

    def add(day: int) -> None:
        taken_at = last - (days - 1 - day) * _DAY
        name = f"{taken_at:%Y%m%dT%H%M%SZ}-{day:08x}"
        for kind, rows in tables.items():
            target = source.parent / name / kind
            target.mkdir(parents=True)
            changed = _replaced(rows, "taken_at", [taken_at] * rows.num_rows)
            for column, values in _of_day(kind, numbers.get(kind, []), day, days):
                changed = _replaced(changed, column, values)
            pq.write_table(changed, target / "part-0.parquet")
        text = json.dumps({**manifest, "snapshot_id": name, "taken_at": taken_at.isoformat()})
        (source.parent / name / "manifest.json").write_text(text, "utf-8")

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(add, range(days - 1)))
    return Made(last, days, sum(path.stat().st_size for path in source.parent.rglob("*.parquet")))


def _of_day(kind: str, numbers: list[int], day: int, days: int) -> Iterator[tuple[str, list[Any]]]:
    """The columns of a table that are not those of the last day."""
    if kind == "offsets":
        yield "offset", [_offset(number, day, days) for number in numbers]
    if kind == "groups":
        used = [number % 10 == _MEMBERS and _turn(number, days) >= day for number in numbers]
        yield "members", [int(is_used) for is_used in used]
        yield "state", ["Stable" if is_used else "Empty" for is_used in used]


def _replaced(rows: pa.Table, column: str, values: list[Any]) -> pa.Table:
    at = rows.schema.get_field_index(column)
    return rows.set_column(at, rows.schema.field(at), pa.array(values, rows.schema.field(at).type))


def check(answer: dict[str, Any], groups: int, made: Made) -> None:
    """Compare the tables, the plan and the result with what was generated.

    :raises Wrong: they differ.
    """
    from ansible_collections.kafkaops.groups.plugins.module_utils._files import plan as plan_file

    plan = plan_file.load(answer["plan"], "plan")
    columns = ["group", "idle_since", "unchanged_since", "snapshots", "stale"]
    rows = ds.dataset(answer["tables"]["groups"]).to_table(columns).to_pylist()
    found = {row.pop("group"): row for row in rows}
    expected = {_name(number): _expected(number, made) for number in range(groups)}
    for group, row in expected.items():
        expect(group, found.get(group), row)
    expect("number of groups", len(rows), groups)
    stale = {group for group, row in expected.items() if row["stale"]}
    expect("stale groups", set(answer["stale_groups"]), stale)
    expect("planned groups", {group.group for group in plan.delete_groups}, stale)
    expect("planned offsets", sum(len(group.offsets) for group in plan.delete_groups), len(stale) * OFFSETS_A_GROUP)
    offsets = ds.dataset(answer["tables"]["offsets"]).to_table(["group", "unchanged_since"])
    expect("number of offsets", offsets.num_rows, groups * OFFSETS_A_GROUP)
    since = {(row["group"], row["unchanged_since"]) for row in offsets.to_pylist()}
    expect("offsets", since, {(group, row["unchanged_since"]) for group, row in expected.items()})


def _expected(number: int, made: Made) -> dict[str, Any]:
    """The row of a group."""
    kind, turn, end = number % 10, _turn(number, made.days), made.days - 1
    changed = end if kind < _STOPS else turn if kind == _STOPS else 0
    # since the first snapshot without members
    idle = turn + 1 if kind == _MEMBERS else changed
    idle_since, unchanged_since = (made.last - (end - day) * _DAY for day in (idle, changed))
    return {
        "idle_since": idle_since,
        "unchanged_since": unchanged_since,
        # and the one of the audit
        "snapshots": end - idle + 2,
        # the audit is later than the snapshot of the last day, by less than a day
        "stale": made.last - idle_since >= STALE_AFTER,
    }


def measure(groups: int, days: int) -> tuple[Made, Took, float]:
    """The snapshots, what the audit of them took, and the size of its report in MB."""
    with tempfile.TemporaryDirectory(prefix="kafkaops-bench-") as name, Cluster.start("single") as cluster:
        folder = Path(name)
        create(cluster, groups, days)
        # with the log of Spark
        output, answer = folder / "output", folder / "output" / "answer.json"
        command = [sys.executable, "-m", "benchmarks.snapshots", "--part", cluster.bootstrap, str(output), str(answer)]
        output.mkdir()
        run(command, output)
        made = extend(output, days)
        print(made, flush=True)
        took = run(command, output)
        given = json.loads(answer.read_text("utf-8"))
        check(given, groups, made)
        return made, took, os.path.getsize(given["report"]) / 1e6


def page(groups: int, made: Made, took: Took, report: float) -> str:
    """The result as Markdown."""
    number = groups * OFFSETS_A_GROUP * made.days
    machine = (
        f"{os.cpu_count()} cores ({platform.machine()}, Python {platform.python_version()}, Kafka {DEFAULT_VERSION})"
    )
    memory = [f"{size:.0f} MB" for size in (took.driver, took.java, took.workers)]
    rows = [
        ["", "time", "driver, Python", "driver, Java", "Python workers", "report"],
        ["audit of the snapshots", f"{took.seconds:.0f} s", *memory, f"{report:.1f} MB"],
    ]
    return (
        f"{made.days} daily snapshots of {groups:,} groups with {OFFSETS_A_GROUP} committed offsets each: {number:,} "
        f"offsets in {made.size / 1e6:,.0f} MB. On {machine}, with the start of Java and Spark; peaks of memory. "
        "Tables and plan are compared with what was generated.\n\n" + table(rows)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, default=GROUPS)
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    parser.add_argument("--part", nargs=3, metavar=("BOOTSTRAP", "OUTPUT", "ANSWER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        bootstrap, output, answer = given.part
        options = {"source": "snapshots", "stale_after": f"{STALE_AFTER.days}d", "keep_snapshots_for": "1000d"}
        Path(answer).write_text(json.dumps(audit(bootstrap, output, **options)), "utf-8")
        return
    install()
    text = page(given.groups, *measure(given.groups, given.days))
    print(text)
    if given.write:
        replace_section("snapshots", text)


if __name__ == "__main__":
    main()
