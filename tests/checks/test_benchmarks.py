# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the benchmarks say of what they measured, and what a task imports: without a broker."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import aims, check, document, figures, large, one_task, tables, whole_tasks
from benchmarks.check import Limit
from benchmarks.field import Call, Peer
from benchmarks.measure import Command, Took
from benchmarks.results import Case, Result, Results
from tests.support.collection import install

pytestmark = pytest.mark.fast

MODULES = "ansible_collections.kafkaops.groups.plugins.modules"
MACHINE = {"cores": 2, "memory": "1 GiB", "architecture": "x", "python": "3", "kafka": "4"}
DELETE = Case("delete", 10_000, 1, 0.0)


def took(seconds: float | None, wall: float = 1.0) -> Took:
    return Took(seconds, wall, 0.5, 0.25, 50_000_000, 1)


def result(case: Case = DELETE, /, **seconds: list[float]) -> Result:
    """What was measured of peers, whose names have underscores here."""
    return Result(case, {name.replace("_", "-"): [took(one, one) for one in runs] for name, runs in seconds.items()})


def peer(name: str, *, alone: bool = True, ours: bool = False) -> Peer:
    def nothing(_call: Call) -> Command:
        raise NotImplementedError

    return Peer(name, f"The {name}", nothing, frozenset({"delete"}), alone, ours)


@pytest.mark.parametrize(
    ("theirs", "ours", "words"),
    [
        ([2.0, 2.1, 2.2], [1.0, 1.0, 1.1], "2.1"),
        ([1.0, 1.0, 1.0], [2.0, 2.0, 2.0], "0.5"),
        ([30.0], [1.0], "30"),
        ([1.0, 1.3, 1.6], [1.0, 1.0, 1.0], "tie"),
        ([1.0, 1.0, 1.0], [0.5, 1.1, 1.2], "tie"),
        ([1.0, 1.2, 1.4], [0.7, 0.7, 0.7], "1.7"),
    ],
)
def test_a_ratio_or_a_tie(theirs: list[float], ours: list[float], words: str) -> None:
    assert figures.compared(theirs, ours) == words


@pytest.mark.parametrize(
    ("values", "words"), [([0.0123], "0.012"), ([1.234, 9, 0.1], "1.23"), ([12.34], "12.3"), ([0.1, 0.3], "0.200")]
)
def test_seconds_are_a_median(values: list[float], words: str) -> None:
    assert figures.seconds(values) == words


def test_growth_is_1_where_it_is_linear() -> None:
    assert figures.growth([1.0], [5.0], 5) == 1
    assert figures.growth([1.0], [7.5], 5) == 1.5


def test_a_table_compares_operations_with_ours_and_processes_with_the_module() -> None:
    field = [peer("ours", ours=True), peer("module", alone=False, ours=True), peer("kadm"), peer("tool", alone=False)]
    runs = {
        "ours": [took(1.0, 9.0)],
        "module": [took(None, 2.0)],
        "kadm": [took(0.5, 1.0)],
        "tool": [took(None, 8.0)],
    }
    page = tables.page(
        [Result(DELETE, runs, {"kadm": dataclasses.replace(took(0.5), requests=3, bytes=2500)})], field, MACHINE
    )
    assert "| The ours | 1.00 |" in page
    assert "| The kadm | 0.500 (0.5) |" in page
    assert "| The module | 2.00 |" in page
    assert "| The tool | 8.00 (4) |" in page
    assert "| The kadm | 3 | 2 | 50 | 0.50 | 0.25 |" in page
    assert "| The kadm | the operation alone | delete | 1 of 1 | 2.0 times, 10,000 on one broker |" in page
    assert "| The kadm | the whole process | delete | 1 of 1 | 2.0 times, 10,000 on one broker |" in page


@pytest.mark.parametrize(
    ("measured", "row"),
    [
        (
            result(ours=[1.0], kadm=[1.2]),
            "at most 1.5 times kadm | ours takes 0.83 times as long | reached |",
        ),
        (
            result(ours=[1.6], kadm=[1.0]),
            "at most 1.5 times kadm | ours takes 1.60 times as long | **missed** |",
        ),
        (
            result(task_problems=[1.2], kafka_consumer_groups=[1.0]),
            "ahead of kafka-consumer-groups.sh | ours takes 1.20 times as long | **missed** |",
        ),
        (
            result(task_problems=[0.9, 1.2, 1.3], kafka_consumer_groups=[1.0, 1.0, 1.1]),
            "ahead of kafka-consumer-groups.sh | ours takes 1.20 times as long | a tie |",
        ),
        (
            result(module=[1.0], confluent_kafka=[10.0]),
            "10 times as long | it takes 10.0 times as long | reached |",
        ),
        (
            result(module=[1.0], confluent_kafka=[9.0]),
            "10 times as long | it takes 9.0 times as long | **missed** |",
        ),
        (result(ours=[1.3], floor=[1.0]), "at most 1.3 times the floor | ours takes 1.30 times as long | reached |"),
    ],
)
def test_an_aim_is_reached_or_missed(measured: Result, row: str) -> None:
    assert row in aims.targets({DELETE: measured})


def test_growth_and_memory_at_50000_groups_are_aims() -> None:
    large = DELETE._replace(size=50_000)
    rows = aims.targets({DELETE: result(ours=[1.0]), large: result(large, ours=[6.0], module=[9.0])})
    assert "| delete: 5 times the groups take at most 5.5 times as long | 6.0 times | **missed** |" in rows
    assert "| delete: memory of the module below 500 MB | 50 MB | reached |" in rows


@pytest.mark.parametrize(
    ("measured", "sentences"),
    [
        (result(ours=[2.0, 9.0], floor=[1.0, 1.5]), []),
        (
            result(ours=[2.1, 2.2], floor=[1.0, 1.5]),
            ["delete of 10,000 groups takes 2.1 times as long as floor, and the limit is 2"],
        ),
        (Result(DELETE, failed={"ours": "no broker"}), ["delete: ours failed: no broker"]),
    ],
)
def test_a_limit_that_is_exceeded_is_a_sentence(measured: Result, sentences: list[str]) -> None:
    assert list(check.exceeded({"delete": measured}, (Limit("delete", "floor", 2.0),))) == sentences


def test_a_slow_task_is_a_sentence() -> None:
    taken = {one_task.PING: [0.2, 0.1], "fast": [0.19, 0.9], "slow": [0.3, 0.3]}
    assert list(check.slow_tasks(taken, 2.0)) == [
        "a task of slow takes 3.0 times as long as ansible.builtin.ping, and the limit is 2"
    ]


@pytest.mark.parametrize(("lag", "verdict"), [(30.0, "reached"), (30.1, "**missed**")])
def test_the_lag_of_all_groups_is_compared_with_their_list(lag: float, verdict: str) -> None:
    taken = {
        (read, kind): [large.Read(seconds, seconds / 2, 300_000_000, 400_000_000)]
        for read, seconds in (("list", 10.0), ("lag", lag))
        for kind in ("module", "playbook")
    }
    jobs = {"full": large.Event(2_000_000, 2_001_000, [3.0, 2.0, 9.0]), "problems": large.Event(2_000, 4_000, [1.0])}
    text = large.page(100_000, 10_000, taken, jobs)
    assert "| list the states | 10.0 | 5.0 | 300 MB | 10.0 | 5.0 | 400 MB |" in text
    assert "| full | 2,000.0 kB | 2,001.0 kB | 3.00 s | stored without results |" in text
    assert "| problems | 2.0 kB | 4.0 kB | 1.00 s |  |" in text
    assert f"for ansible-playbook: {verdict}." in text


def test_a_whole_playbook_is_compared_with_the_tool_of_kafka() -> None:
    listed = result(
        DELETE._replace(operation="list"), ping=[1.0], task=[1.5], module=[0.3], kafka_consumer_groups=[2.0]
    )
    deleted = result(
        task=[9.0],
        task_problems=[3.0],
        module=[9.0],
        module_problems=[1.0],
        kafka_consumer_groups=[2.0],
        ours=[1.6],
        kadm=[1.0],
    )
    failed = result(DELETE._replace(operation="backup"), kafka_consumer_groups=[2.0])
    text = whole_tasks.page([listed, deleted, failed], 10_000)
    assert "| list all groups | 2.00 | 1.50 | 0.75 | reached | 0.300 | 1.00 |" in text
    assert "| delete the groups | 2.00 | 3.00 | 1.50 | **missed** | 1.00 | 1.00 |" in text
    assert "then delete the groups |  |  |  | failed |  |  |" in text
    assert "1.60 times as long as with kadm; the aim is at most 1.5 times: **missed**." in text


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "results.json"
    written = result(ours=[1.0, 2.0])
    written.failed["kadm"] = "it broke"
    written.counted["ours"] = took(None)
    Results(file).add(written)
    assert Results(file).by_case == {DELETE: written}


def test_a_section_of_the_page_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n", encoding="utf-8")
    monkeypatch.setattr(document, "PAGE", page)
    document.replace_section("x", "n\\1ew")
    assert page.read_text(encoding="utf-8") == "a\n<!-- begin x -->\nn\\1ew\n<!-- end x -->\nb\n"
    with pytest.raises(ValueError, match="no section y"):
        document.replace_section("y", "")


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("one-task", document.PAGE),
        ("in-short", document.PAGE),
        ("whole-tasks", document.PAGE),
        ("large", document.PAGE),
        ("share-groups", document.PAGE),
        ("audit", document.PAGE),
        ("cold", document.PAGE),
        ("incremental", document.PAGE),
        ("audit-scale", document.PAGE),
        ("audit-scale-once", document.PAGE),
        ("sizing", document.PAGE),
        ("jvm-source", document.PAGE),
        ("snapshots", document.PAGE),
        ("compare", document.GROUPS),
    ],
)
def test_the_pages_have_the_sections_that_the_benchmarks_write(name: str, path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert page.count(f"<!-- begin {name} -->") == page.count(f"<!-- end {name} -->") == 1


@pytest.mark.parametrize("module", ["consumer_group", "consumer_group_info", "consumer_group_members"])
def test_a_module_imports_only_what_every_task_needs(module: str) -> None:
    script = (
        f"import sys, {MODULES}.{module}; "
        "heavy = ('confluent_kafka', 'pyspark', 'pyarrow', 'asyncio', 'http.client'); "
        "rare = ('typed_messages', '_open_transactions', '_wait', '_operations.topics', '_files.backup', 'tokens', "
        "'group_configs', 'kafka.admin', 'kafka.consumer', 'kafka.protocol.admin.configs'); "
        "print([one for one in sys.modules if one in heavy or '_audit' in one or one.endswith(rare)])"
    )
    root = str(install())
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, env={"PYTHONPATH": root}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
