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
OWNED = PLAN._replace(
    delete_groups=[entry._replace(owner="ü, team") for entry in PLAN.delete_groups[:1]] + PLAN.delete_groups[1:],
    delete_offsets=[entry._replace(owner="b") for entry in PLAN.delete_offsets],
    owners={"b": Judged(1, 3), "idle": Judged(0, 0), "ü, team": Judged(5, 2)},
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


@pytest.mark.parametrize("plan", [PLAN, OWNED], ids=["plain", "owners"])
def test_what_is_written_is_read(tmp_path: pathlib.Path, plan: Plan) -> None:
    path = tmp_path / "plan.json"
    path.write_text("an earlier one")
    plan_file.write(str(path), plan)
    assert plan_file.read(str(path), "c") == plan
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


def test_the_contract_of_owners_in_the_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plan.json"
    owned = content(
        owners={"a": {"groups": 2, "offsets": 3}},
        delete_groups=[{**GROUP, "owner": "a"}],
        delete_offsets=[{**OFFSET, "owner": "a"}, {**OFFSET, "group": "h"}],
    )
    path.write_text(json.dumps(owned))
    read = plan_file.read(str(path), "c")
    assert [entry.owner for entry in (*read.delete_groups, *read.delete_offsets)] == ["a", "a", None]
    plan_file.write(str(path), read)
    assert json.loads(path.read_text()) == owned


@pytest.mark.parametrize(
    ("owners", "groups", "offsets"),
    [
        (None, ["ü, x", "none"], ["g"]),
        (["ü, team"], ["ü, x"], []),
        (["b"], [], ["g"]),
        (["b", "ü, team"], ["ü, x"], ["g"]),
        (["idle"], [], []),
    ],
)
def test_the_entries_of_some_owners(owners: list[str] | None, groups: list[str], offsets: list[str]) -> None:
    chosen = OWNED.owned_by(owners)
    assert [entry.group for entry in chosen.delete_groups] == groups
    assert [entry.group for entry in chosen.delete_offsets] == offsets
    mine = OWNED.owners if owners is None else {name: OWNED.owners[name] for name in owners} if OWNED.owners else None
    assert chosen.owners == mine
    if owners is None:
        assert chosen is OWNED
    else:
        # a limit by share is of what these owners have
        assert mine
        assert chosen.judged == tuple(map(sum, zip(*mine.values(), strict=True)))


@pytest.mark.parametrize(
    ("plan", "owners", "words"),
    [
        (OWNED, ["b", "B"], "owner: 'B' is not an owner of the plan: its owners are b, idle, ü, team."),
        (PLAN, ["b"], "owner: 'b' is not an owner of the plan: the plan has no owners, so set owners or owners_file"),
        (
            PLAN._replace(owners={f"o{number}": Judged(0, 0) for number in range(9)}),
            ["x"],
            "its owners are o0, o1, o2, o3, o4 and 4 more. Nothing was changed.",
        ),
    ],
)
def test_owners_that_a_plan_does_not_know(plan: Plan, owners: list[str], words: str) -> None:
    with pytest.raises(TaskError, match=words):
        plan.owned_by(owners)


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
        (content(owners=None), "owners is not a dictionary"),
        (content(owners={"": {"groups": 1, "offsets": 1}}), "'' is not a text"),
        (content(owners={"a": {"groups": 1}}), "KeyError: 'offsets'"),
        (of_group(owner="a"), "owners does not contain 'a'"),
        (of_offset(owner="a"), "owners does not contain 'a'"),
        (of_group(owner=None), "None is not a text"),
        (of_offset(owner=""), "'' is not a text"),
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
