# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plan files."""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import stat
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._files import plan as plan_file
from ansible_collections.kafkaops.groups.plugins.module_utils._files.plan import (
    Judged,
    Plan,
    PlannedGroup,
    PlannedOffset,
)

from tests.unit.values import at

PLAN = Plan(
    "c",
    datetime.datetime(2026, 1, 31, 12, tzinfo=datetime.UTC),
    {"stale_after": "30d"},
    [
        PlannedGroup("ü, x", "classic", "Empty", "no commit", {at(0): 5, at(1): 0}),
        PlannedGroup("none", "streams", "Empty", "no commit", {}),
    ],
    [PlannedOffset("g", "consumer", "Stable", at(1, "b"), 25, "not subscribed")],
    Judged(7, 9),
)
ENTRY = {"topic": "a", "partition": 0, "offset": 1}
GROUP = {"group": "g", "type": "classic", "state": "Empty", "evidence": "old", "offsets": [ENTRY]}
OFFSET = {"group": "g", "type": "consumer", "state": "Stable", **ENTRY, "evidence": "not subscribed"}


def content(**more: t.Any) -> dict[str, t.Any]:
    head = {"format": "kafkaops.groups/plan", "version": 1, "cluster_id": "c", "created": "2026-01-31T12:00:00+00:00"}
    return {
        **head,
        "criteria": {},
        "judged": {"groups": 2, "offsets": 3},
        "delete_groups": [GROUP],
        "delete_offsets": [OFFSET],
        **more,
    }


def of_group(**more: t.Any) -> dict[str, t.Any]:
    return content(delete_groups=[{**GROUP, **more}])


def of_entry(**more: t.Any) -> dict[str, t.Any]:
    return of_group(offsets=[{**ENTRY, **more}])


def of_offset(**more: t.Any) -> dict[str, t.Any]:
    return content(delete_offsets=[{**OFFSET, **more}])


def without(key: str, entry: dict[str, t.Any]) -> dict[str, t.Any]:
    return {name: value for name, value in entry.items() if name != key}


def test_what_is_written_is_read(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text("an earlier one")
    plan_file.write(str(path), PLAN)
    assert plan_file.read(str(path), "c") == PLAN
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert os.listdir(tmp_path) == ["plan.json"]


def test_the_contract_of_the_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(content()))
    plan_file.write(str(path), plan_file.read(str(path), "c"))
    assert json.loads(path.read_text()) == content()


def test_a_plan_that_does_not_say_what_was_judged(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(without("judged", content())))
    read = plan_file.read(str(path), "c")
    assert read.judged is None
    plan_file.write(str(path), read)
    assert json.loads(path.read_text()) == without("judged", content())


def test_another_clusters_plan(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plan.json"
    plan_file.write(str(path), PLAN)
    with pytest.raises(TaskError, match="is a plan for cluster c, and this is cluster d: audit this cluster"):
        plan_file.read(str(path), "d")


def test_a_full_disk_leaves_the_earlier_plan(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "plan.json"
    path.write_text("an earlier one")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TaskError, match=r"plan.json cannot be written \(No space left on device\)"):
        plan_file.write(str(path), PLAN)
    assert path.read_text() == "an earlier one"
    assert os.listdir(tmp_path) == ["plan.json"]


def test_a_folder_that_cannot_be_synced(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = os.fsync

    def fsync(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(5, "Input/output error")
        synced(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    path = tmp_path / "plan.json"
    with pytest.raises(TaskError, match=r"plan.json is written but cannot be synced to disk \(Input/output error\)"):
        plan_file.write(str(path), PLAN)
    assert plan_file.read(str(path), "c") == PLAN


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("{", "is not a plan: it is not JSON"),
        ("[" * 100_000, "is not a plan: it is not JSON"),
        ("[]", "is not a plan: its format is not kafkaops.groups/plan"),
        (content(format="kafkaops.groups/backup"), "is not a plan: its format is not"),
        (content(version=2), "is of version 2, and this release reads version 1"),
        (content(cluster_id=None), "None is not a text"),
        (content(created="soon"), "Invalid isoformat"),
        (content(created="2026-01-31T12:00:00"), "names no time zone"),
        (content(criteria=[]), "criteria is not a dictionary"),
        (content(judged=None), "TypeError"),
        (content(judged={"groups": 1}), "KeyError: 'offsets'"),
        (content(judged={"groups": 1, "offsets": -1}), "-1 is not a number from 0"),
        (content(delete_groups=None), "delete_groups is not a list"),
        (content(delete_offsets={}), "delete_offsets is not a list"),
        (without("delete_offsets", content()), "KeyError: 'delete_offsets'"),
        (content(delete_groups=["g"]), "TypeError"),
        (content(delete_groups=[GROUP, GROUP]), "group 'g' stands in it twice"),
        (content(delete_groups=[without("offsets", GROUP)]), "KeyError: 'offsets'"),
        (of_group(group=""), "'' is not a text"),
        (of_group(group=7), "7 is not a text"),
        (of_group(group="x" * 32701), "is not a text"),
        (of_group(group="\ud800"), "surrogates not allowed"),
        (of_group(type="share"), "'share' is none of classic, consumer, streams"),
        (of_group(state="Stable"), "group 'g' is to be deleted, and is Stable"),
        (of_group(evidence=None), "None is not a text"),
        (of_group(offsets=""), "offsets is not a list"),
        (of_group(offsets=[ENTRY, ENTRY]), "a-0 of group 'g' stands in it twice"),
        (of_entry(topic="a b"), "'a b' is not the name of a topic"),
        (of_entry(partition=-1), "-1 is not a number from 0"),
        (of_entry(partition=2**31), "is not a number from 0"),
        (of_entry(offset=None), "None is not a number"),
        (of_entry(offset=1.0), "1.0 is not a number"),
        (of_entry(offset=True), "True is not a number"),
        (of_entry(offset=2**63), "is not a number from 0"),
        (of_offset(offset="1"), "'1' is not a number"),
        (of_offset(type="Consumer"), "'Consumer' is none of"),
        (of_offset(state=None), "None is not a text"),
        (content(delete_offsets=[OFFSET, {**OFFSET, "offset": 2}]), "a-0 of group 'g' stands in it twice"),
        (content(delete_offsets=[without("topic", OFFSET)]), "KeyError: 'topic'"),
    ],
)
def test_a_file_that_is_no_plan(tmp_path: pathlib.Path, written: t.Any, sentence: str) -> None:
    file = tmp_path / "plan.json"
    file.write_text(written if isinstance(written, str) else json.dumps(written))
    with pytest.raises(TaskError, match=sentence) as refusal:
        plan_file.read(str(file), "c")
    assert str(refusal.value).startswith(f"plan: {file} is ")
    assert str(refusal.value).endswith("Nothing was changed.")


def test_a_file_that_is_not_there(tmp_path: pathlib.Path) -> None:
    with pytest.raises(TaskError, match=r"none cannot be read \(No such file or directory\). Nothing was changed."):
        plan_file.read(str(tmp_path / "none"), "c")
