# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Snapshots: what one of them knows, which are kept, which clock they need, and when they can show a stale group."""

from __future__ import annotations

import asyncio
import datetime
import json
import typing as t
from pathlib import Path

import pyarrow as pa
import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import from_snapshots
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.folders import LocalFolder
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.settings import Settings
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.snapshots import Snapshots, needed
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge import caveats, live_state, snapshot
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge.findings import Criteria
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge.observed import Observation
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.report import since, wording
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError

from tests.live.task import audit_settings
from tests.unit.audit.test_live_state import DENIED, LATE, SESSION, Chunked
from tests.unit.values import at, offset

NOW = datetime.datetime(2026, 6, 1, 12, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)


def settings(folder: Path, **given: t.Any) -> Settings:
    return audit_settings(folder, **{"source": "snapshots", "stale_after": "7d", **given})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"min_snapshots": 1}, "min_snapshots is 1, but must be at least 2"),
        ({"keep_snapshots_for": "1"}, "keep_snapshots_for is '1'"),
        ({"topic": "copy"}, "topic is only for source: topic, but source is snapshots."),
        ({"client_rack": "a"}, "client_rack is only for source: topic"),
        ({"read_rate": 20_000_000}, "read_rate is only for source: topic"),
    ],
)
def test_odd_options_are_refused(tmp_path: Path, given: dict[str, t.Any], message: str) -> None:
    with pytest.raises(TaskError) as refused:
        settings(tmp_path, **given)
    assert str(refused.value).startswith(message)


def test_options_pass_to_the_process(tmp_path: Path) -> None:
    wanted = settings(
        tmp_path, min_snapshots=3, keep_snapshots_for="2d", security_protocol="SASL_SSL", sasl_mechanism="GSSAPI"
    )
    wanted.save(str(tmp_path))
    assert Settings.load(str(tmp_path)) == wanted
    assert wanted.snapshots == (3, 2 * 86_400_000)
    # so that it is not compared with an audit of the topic
    assert wanted.criteria() == {
        "source": "snapshots",
        "stale_after": "7d",
        "include": ["*"],
        "exclude": [],
        "min_snapshots": 3,
    }


@pytest.mark.parametrize(
    ("stale_after", "least", "keep_for", "kept"),
    [
        # within keep_snapshots_for
        ("1d", 2, "100d", [0, 1, 2, 4, 8, 16, 32]),
        ("1d", 2, "5d", [0, 1, 2, 4]),
        # what stale_after needs: all within, and the last one before
        ("3d", 2, "0d", [0, 1, 2, 4]),
        ("4d", 2, "0d", [0, 1, 2, 4, 8]),
        ("20d", 2, "1d", [0, 1, 2, 4, 8, 16, 32]),
        # what min_snapshots needs
        ("1d", 5, "0d", [0, 1, 2, 4, 8]),
        ("1d", 9, "0d", [0, 1, 2, 4, 8, 16, 32]),
    ],
)
def test_snapshots_that_are_kept(tmp_path: Path, stale_after: str, least: int, keep_for: str, kept: list[int]) -> None:
    wanted = settings(tmp_path, stale_after=stale_after, min_snapshots=least, keep_snapshots_for=keep_for)
    taken = [NOW - days * DAY for days in (32, 16, 8, 4, 2, 1, 0)]
    assert needed(wanted, taken, NOW) == {NOW - days * DAY for days in kept}


def written(folder: Path, name: str, time: datetime.datetime, **more: t.Any) -> None:
    """Write a manifest."""
    manifest = {"format": "kafkaops.groups/snapshot", "version": 1, "cluster_id": "a", "complete": True}
    (folder / "snapshots" / name).mkdir(parents=True)
    text = json.dumps({**manifest, "snapshot_id": name, "taken_at": time.isoformat(), **more})
    (folder / "snapshots" / name / "manifest.json").write_text(text, "utf-8")


def test_snapshots_of_a_cluster(tmp_path: Path) -> None:
    snapshots = Snapshots(LocalFolder(str(tmp_path), []), "a")
    assert snapshots.listed() == []
    snapshots.check_clock(NOW)
    written(tmp_path, "second", NOW)
    written(tmp_path, "first", NOW - DAY, complete=False)
    # also if a later release wrote it
    written(tmp_path, "of-another", NOW + DAY, cluster_id="b", version=2)
    (tmp_path / "snapshots" / "incomplete").mkdir()
    assert [(one.snapshot_id, one.complete) for one in snapshots.listed()] == [("first", False), ("second", True)]
    # a clock that goes backwards would make groups look idle for longer
    snapshots.check_clock(NOW + datetime.timedelta(microseconds=1))
    for now in (NOW, NOW - DAY):
        with pytest.raises(TaskError, match=r"is of 2026-06-01T12:00:00\+00:00, but the clock of this host says "):
            snapshots.check_clock(now)


@pytest.mark.parametrize("more", [{"version": 2}, {"format": "x"}, {"taken_at": "yesterday"}, {"snapshot_id": "a"}])
def test_a_snapshot_that_cannot_be_read_is_not_left_out(tmp_path: Path, more: dict[str, t.Any]) -> None:
    """It could be the one that shows a group in use."""
    written(tmp_path, "odd", NOW, **more)
    with pytest.raises(
        TaskError, match=r"snapshots/odd cannot be read .*: use the release .*, or remove the folder"
    ) as failed:
        Snapshots(LocalFolder(str(tmp_path), []), "a").listed()
    assert "\n" not in str(failed.value)


def test_old_and_incomplete_snapshots_are_removed(tmp_path: Path) -> None:
    for days in (1, 20, 30):
        written(tmp_path, f"{days}", NOW - days * DAY)
    written(tmp_path, "of-another", NOW - 99 * DAY, cluster_id="b")
    (tmp_path / "snapshots" / "20260601T110000Z-0123abcd" / "groups").mkdir(parents=True)
    snapshots = Snapshots(LocalFolder(str(tmp_path), []), "a")
    assert snapshots.remove_old(settings(tmp_path, min_snapshots=2, keep_snapshots_for="0d"), NOW) == []
    assert {path.name for path in (tmp_path / "snapshots").iterdir()} == {"1", "20", "of-another"}


def test_a_snapshot_knows_what_was_described_and_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    states = {
        "a": "Empty",
        "b": "Stable",
        "same": "Empty",
        "late": "Empty",
        "denied": "Empty",
        "hidden": None,
        "s": "Empty",
    }
    rows = [
        {"group": name, "type": "share" if name == "s" else "classic", "state": state} for name, state in states.items()
    ]
    groups = live_state.pa.Table.from_pylist(rows, schema=live_state._group_schema())
    seen = live_state.Live(groups, groups, groups, None, ["earlier"], True)
    fetch = Chunked(
        {
            "a": {at(0): offset(5), at(1): offset(6)},
            "b": {},
            "same": {at(1): offset(7), at(0): offset(8)},
            "late": LATE,
            "denied": DENIED,
            "hidden": {at(0): offset(1)},
        }
    )

    async def read(_session: t.Any, _included: t.Any) -> live_state.Live:
        return seen

    async def same(_session: t.Any, live: live_state.Live) -> live_state.Live:
        return live

    async def partitions(_session: t.Any, committed: t.Any) -> t.Any:
        return sorted(committed)

    monkeypatch.setattr(live_state, "read", read)
    monkeypatch.setattr(live_state, "recheck_empty", same)
    monkeypatch.setattr(live_state, "partitions", partitions)
    monkeypatch.setattr(snapshot, "committed_now", fetch)
    taken = asyncio.run(snapshot.take(SESSION, lambda _name: True))
    found = {row["group"]: row for row in taken.groups.to_pylist()}
    assert {name for name, row in found.items() if row["known"]} == {"a", "b", "same", "s"}
    # the set of partitions, whatever their order and offsets
    sets = {name: row["partition_set"] for name, row in found.items()}
    assert sets["a"] == sets["same"] != sets["b"]
    assert sets["late"] is sets["denied"] is sets["s"] is None
    assert [(row["group"], row["partition"], row["offset"]) for row in taken.offsets.to_pylist()] == [
        ("a", 0, 5),
        ("a", 1, 6),
        ("same", 1, 7),
        ("same", 0, 8),
        ("hidden", 0, 1),
    ]
    assert taken.partitions == [at(0), at(1)]
    assert [name for chunk in fetch.asked for name in chunk] == [name for name in states if name != "s"]
    assert taken.live.warnings == [
        "earlier",
        "the committed offsets of group 'late' and 1 other group cannot be fetched, so this snapshot is no evidence "
        "for them: REQUEST_TIMED_OUT: late",
    ]


@pytest.mark.parametrize(("number", "days", "early"), [(5, 8, False), (4, 8, True), (5, 7, True), (1, 0, True)])
def test_it_is_said_that_nothing_can_be_stale_yet(number: int, days: int, early: bool) -> None:
    criteria = Criteria(NOW - 7 * DAY, "7d", (), 5)
    said = caveats.of_snapshots(Observation(number, NOW - days * DAY), criteria)
    assert bool(said) == early
    noun = "snapshot" if number == 1 else "snapshots"
    assert all(f"yet, with {number} {noun} since 2026-" in sentence for sentence in said)


def test_the_report_does_not_say_what_only_the_topic_shows() -> None:
    assert since.multiple("g", [(NOW, 1)], None).commits is None
    given = {"source": "snapshots", "stale_after": "7d", "include": ["*"], "exclude": [], "min_snapshots": 5}
    assert "was observed for 7d without members" in wording.criteria(given)[0]
    assert wording.kinds(False) == wording.KINDS
    changed = {kind for kind, advice in wording.kinds(True).items() if advice != wording.KINDS[kind]}
    assert changed == {"stale_group", "no_commits"}


def test_no_group_has_visible_offsets() -> None:
    """Spark requires a chunk also of a table without rows."""
    fetched = live_state.of_batches(
        [pa.RecordBatch.from_pylist([{"group": "g", "offsets": []}], schema=live_state.no_offsets().schema)],
        live_state.no_offsets().schema,
    )
    shown, _warnings = from_snapshots.visible((fetched, []))
    assert (shown.num_rows, shown["offsets"].num_chunks) == (0, 1)
