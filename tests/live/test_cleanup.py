# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role cleanup, and the way back: from one audit on, the tests go on from each other in their order."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.live.playbook import Play, play, play_role, shell
from tests.live.task import ansible, run
from tests.live.test_check_mode import DELETE_GROUPS
from tests.live.test_plan import OFFSET_FETCH
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.consumers import Consumer, Member
from tests.support.modules import answer

#: Ten groups that nobody uses.
TEN = [f"ten-{number}" for number in range(10)]
COMMITS, JOINS = TEN[3], TEN[4]
#: It reads orders, and no longer payments.
MOVED = "moved-on"
STAYS = {("orders", 0): truth.Offset(3, "stays", -1)}
GOES = {("payments", 0): truth.Offset(5, "goes", 0), ("payments", 1): truth.Offset(6, "", -1)}
EXCLUDED = ["connect-*", "_*", "a-*, b-*", "never-*"]
SHOWN, REPORT = "Show stale groups and offsets", "Report"

State = dict[str, dict[tuple[str, int], truth.Offset]]


def offsets(number: int) -> dict[tuple[str, int], truth.Offset]:
    """What a group has committed: each something else, in the epoch that the topic is in."""
    return {("orders", partition): truth.Offset(number + partition, f"metadata of {number}", 0) for partition in (0, 1)}


class World:
    """A cluster with stale groups, the folders that a clean-up leaves something in, and what there was at first."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.cluster = cluster
        self.audit = folder / "audit"
        self.backups = folder / "backups"
        self.backups.mkdir()
        self.owners = folder / "owners.csv"
        self.owners.write_text(f"match,owner\nten-[0-3],team-a\n{MOVED},team-b\nten-9,team-c\nidle-*,idle\n")
        self.at_first: State = {name: offsets(number) for number, name in enumerate(TEN)} | {MOVED: STAYS | GOES}
        self.cleaned: list[Play] = []

    @property
    def plan(self) -> Path:
        return max(self.audit.glob("*Z-plan.json"))

    def state(self) -> State:
        """What another client sees of all groups."""
        client = self.cluster.client()
        return truth.all_offsets(client, truth.groups(client))

    def files(self) -> list[str]:
        return sorted(path.name for path in self.backups.iterdir())

    @property
    def variables(self) -> dict[str, Any]:
        """Those that let all stale groups go."""
        return {
            "cleanup_output": str(self.audit),
            "cleanup_backup_folder": str(self.backups),
            "cleanup_stale_after": "1s",
            "cleanup_max_share": 100,
            "cleanup_owners_file": str(self.owners),
        }

    @property
    def planned(self) -> dict[str, Any]:
        """Those that apply the plan that is there."""
        return {"cleanup_apply": True, "cleanup_plan": str(self.plan)}

    def clean(self, *, check: bool = False, **variables: Any) -> Play:
        """Run the playbook, with these variables in place of its own."""
        return play("cleanup", self.cluster.listeners["PROXIED"], self.variables | variables, check=check)

    def apply(self, *, check: bool = False, **variables: Any) -> Play:
        """Clean up by the plan that is there."""
        return self.clean(check=check, **self.planned | variables)

    def restore(self, *, check: bool = False, **variables: Any) -> Play:
        return play("restore", self.cluster.listeners["PROXIED"], variables, check=check)


@pytest.fixture(scope="module")
def member(world: World) -> Iterator[Member]:
    with Consumer(world.cluster.client(), MOVED, ["orders"]) as started:
        truth.wait_stable(world.cluster.client(), MOVED)
        yield started


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with Cluster.start("single", proxied=True) as cluster:
        made = World(cluster, tmp_path_factory.mktemp("cleanup"))
        for name in ("orders", "payments"):
            topics.create(cluster.client(), name, 2, records=40)
        commits.commit_many(
            cluster.client(),
            {
                name: {where: (at.offset, at.metadata, at.leader_epoch) for where, at in found.items()}
                for name, found in made.at_first.items()
            },
        )
        yield made


def told(done: Play) -> str:
    """The command that a run says how to undo it with."""
    command: str = done.tasks[REPORT]["msg"][-1]
    assert json.dumps(command) == f'"{command}"', "a screen shows it with backslashes"
    return command


def undo(done: Play) -> dict[str, Any]:
    """The variables of that command."""
    command = shlex.split(told(done))
    assert command[:3] == ["ansible-playbook", "kafkaops.groups.restore", "-e"]
    variables: dict[str, Any] = yaml.safe_load(command[3])
    return variables


def write_earlier(world: World, day: str, cluster: str, groups: list[str]) -> None:
    """Write what is compared with the plan of an earlier run."""
    plan = {
        "cluster_id": cluster,
        "created": f"{day}T000000Z",
        "criteria": {"topic": "__consumer_offsets", "stale_after": "1s", "include": ["*"], "exclude": EXCLUDED},
        "delete_groups": [{"group": name} for name in groups],
    }
    world.audit.mkdir(exist_ok=True)
    (world.audit / f"{day}T000000.000000Z-plan.json").write_text(json.dumps(plan), encoding="utf-8")


def test_by_default_it_shows_what_is_stale_and_does_nothing(world: World, member: Member) -> None:
    # the latest is a plan of another cluster
    write_earlier(world, "20260101", truth.cluster_id(world.cluster.client()), TEN[1:])
    write_earlier(world, "20260102", "other", TEN)
    # the short form of true, which the protection survives
    shown = world.clean(cleanup_protect="y", cleanup_keep=EXCLUDED[2:])
    assert json.loads(world.plan.read_text(encoding="utf-8"))["criteria"]["exclude"] == EXCLUDED
    assert (shown.code, shown.changed, shown.words) == (0, [], "")
    lines = shown.tasks[SHOWN]["msg"]
    assert lines[0] == " ".join(
        [
            "10 groups and 2 committed offsets of other groups are stale (after 1s).",
            "Of the audited total, 11 of the 11 groups (100.000 %) and 22 of the 23 committed offsets (95.652 %)",
            "would be deleted or lose offsets.",
        ]
    )
    assert [line.partition(":")[0] for line in lines[1:13]] == [
        *(f"Group {name}" for name in TEN),
        *(f"Offset of payments-{partition} of group {MOVED}" for partition in (0, 1)),
    ]
    assert all("last commit at" in line for line in lines[1:11])
    assert lines[-1] == "cleanup_keep: no group of the cluster matches a-*, b-*, never-*."
    assert shown.artifacts == {
        "cleanup_plan": str(world.plan),
        "kafka_summary": {
            "stale_groups": 10,
            "stale_offsets": 2,
            "skipped": 0,
            "new_groups": 1,
            "new_group_names": TEN[:1],
            "plan": str(world.plan),
            "report": str(world.plan).replace("plan.json", "report.html"),
        },
        "kafka_message": "10 groups and 2 committed offsets of other groups are stale."
        " New since the run before: 1 (ten-0).",
    }
    assert (world.state(), world.files()) == (world.at_first, [])


def aged(world: World, folder: Path) -> dict[str, Any]:
    plan = json.loads(world.plan.read_text(encoding="utf-8"))
    (folder / "old.json").write_text(json.dumps({**plan, "created": "2026-01-31T12:00:00+00:00"}), encoding="utf-8")
    return {"cleanup_plan": str(folder / "old.json"), "cleanup_output": str(folder)}


def approved(world: World, folder: Path, selected: Path | None = None) -> dict[str, str | None]:
    """Approve the plan, or the lines of a CSV file, and return what the module says of it."""
    given: dict[str, Any] = {
        "plan": str(world.plan),
        "selected_csv": selected and str(selected),
        "approved_by": "alice",
    }
    path = folder / "approved.json"
    done = ansible("plan_approval", world.cluster.bootstrap, dest=str(path), **given)
    assert (done["rc"], done["changed"], done["path"]) == (0, True, str(path))
    plan: dict[str, str | None] = done["plan"]
    return plan


def changed_since(world: World, folder: Path) -> dict[str, Any]:
    """A plan that was approved with a group less: refused, also where no approval is required."""
    approved(world, folder)
    path = folder / "approved.json"
    plan = json.loads(path.read_text(encoding="utf-8"))
    plan["delete_groups"].append({**plan["delete_groups"][0], "group": "never-reviewed"})
    path.write_text(json.dumps(plan), encoding="utf-8")
    return {"cleanup_plan": str(path), "cleanup_output": str(folder)}


def in_folder(name: str) -> Callable[[World, Path], dict[str, Any]]:
    return lambda _world, folder: {"cleanup_backup_folder": str(folder / name)}


def judged(**changed: Any) -> Callable[[World, Path], dict[str, Any]]:
    """A plan of an audit that judged something else, or does not say what."""

    def made(world: World, folder: Path) -> dict[str, Any]:
        plan = json.loads(world.plan.read_text(encoding="utf-8"))
        plan["judged"] |= changed
        path = folder / "judged.json"
        if not changed:
            del plan["judged"]
        path.write_text(json.dumps(plan), encoding="utf-8")
        return {"cleanup_plan": str(path), "cleanup_output": str(folder), "cleanup_max_share": 50}

    return made


def given(**variables: Any) -> Callable[[World, Path], dict[str, Any]]:
    return lambda _world, _folder: variables


Made = Callable[[World, Path], Mapping[str, Any]]

REFUSED: dict[str, tuple[Made, str]] = {
    "catch-all": (given(cleanup_max_share=50), "11 of the 11 groups (100.000 %)"),
    "just-too-many": (
        given(cleanup_max_share=90.9, cleanup_scope=["groups"]),
        "10 of the 11 groups (90.909 %) of the audited total would",
    ),
    "of-an-owner": (
        given(cleanup_max_share=50, cleanup_owners=["team-a", "idle"]),
        "4 of the 4 groups (100.000 %) and 8 of the 8 committed offsets (100.000 %) of the audited total would",
    ),
    "no-such-owner": (
        given(cleanup_owners="team-a\nteam-x"),
        "owner: 'team-x' is not an owner of the plan: its owners are idle, team-a, team-b, team-c. Nothing",
    ),
    "empty-answer": (
        given(cleanup_owners=" \n"),
        "cleanup_owners is empty: name an owner, or remove the variable to clean up the groups of all owners. Nothing",
    ),
    "no-owners": (
        given(cleanup_owners="team-a", cleanup_plan="", cleanup_owners_file=""),
        "cleanup_owners is team-a, but cleanup_owners_file is not set: set",
    ),
    "offsets": (given(cleanup_max_share=9, cleanup_scope="offsets"), "1 of the 11 groups ("),
    "many-offsets": (judged(groups=100), "22 of the 23 committed offsets (95.652 %) of the audited total would"),
    "nothing-judged": (judged(), "does not include how many groups and offsets were audited"),
    "max-changes": (
        given(cleanup_max_changes=9),
        "cleanup_max_changes is 9, but 10 groups and 2 committed offsets of other groups would be deleted",
    ),
    "no-folder": (in_folder("nowhere"), "nowhere is not a writable folder"),
    # a folder, whose permissions allow root to write
    "no-disk": (given(cleanup_backup_folder="/proc"), "/proc is not a writable folder"),
    "keeps-less": (given(cleanup_keep="ten-*"), "did not exclude ten-*: run the audit again"),
    "other-groups": (given(cleanup_include=["ten-[0-4]"]), "was written by an audit of *, but"),
    "commas": (given(cleanup_keep="ten-*,moved-*"), "ten-*,moved-*: commas do not separate patterns"),
    "keeps-short": (given(cleanup_keep_for="23h"), "cleanup_keep_for is 23h: it must be a number and"),
    "no-plan-to-approve": (
        given(cleanup_require_approval="y", cleanup_plan=""),
        "cleanup_require_approval is y, but cleanup_plan is not set: set cleanup_plan to an approved plan",
    ),
    "no-plan-to-apply": (
        given(cleanup_require_plan="y", cleanup_plan=""),
        "cleanup_require_plan is y, but cleanup_plan is not set: set cleanup_plan to the plan of an earlier run",
    ),
    "not-approved": (
        given(cleanup_require_approval=True),
        "is not approved: approve it with the module plan_approval",
    ),
    "changed-since-approval": (changed_since, "is not the plan that alice approved at "),
    "old-plan": (aged, "hours old, but cleanup_plan_max_age is 24: run the audit again"),
}


@pytest.fixture(scope="module")
def refused(world: World, member: Member, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Play]:
    """One run of all rows, which changes nothing."""
    rows = {name: made(world, tmp_path_factory.mktemp(name)) for name, (made, _words) in REFUSED.items()}
    done = play_role("cleanup", world.cluster.listeners["PROXIED"], rows, world.variables | world.planned)
    assert (world.state(), world.files()) == (world.at_first, [])
    return done


@pytest.mark.parametrize("row", REFUSED)
def test_refused_before_anything_is_done(refused: dict[str, Play], row: str) -> None:
    done = refused[row]
    assert (done.code, done.changed) == (2, [])
    assert REFUSED[row][1] in done.words
    assert done.words.endswith(("Nothing was read.", "Nothing was changed."))


def test_check_mode_says_what_would_be_done_and_does_nothing(world: World, member: Member) -> None:
    predicted = world.apply(check=True)
    assert predicted.changed == ["Delete the groups", "Delete the offsets of other groups"]
    told, applied = predicted.tasks[REPORT]["msg"]
    assert told.startswith("Would delete: 10 of the groups, 2 of the offsets")
    assert re.fullmatch(rf"Plan: {world.audit}/\S+-plan.json \(not approved, digest [0-9a-f]{{64}}\)", applied)
    assert world.apply(check=True, cleanup_scope="offsets", cleanup_max_share=50).changed == [predicted.changed[1]]
    idle = world.apply(check=True, cleanup_owners="idle")
    assert (idle.code, idle.changed) == (0, [])
    assert (world.state(), world.files()) == (world.at_first, [])


def test_only_what_a_person_approved_is_deleted(world: World, member: Member, tmp_path: Path) -> None:
    """Plan, CSV, a spreadsheet of a country with semicolons, approved plan, and a job of one owner."""
    review, edited = tmp_path / "review.csv", tmp_path / "edited.csv"
    ansible("plan_approval", world.cluster.bootstrap, plan=str(world.plan), review_csv=str(review))
    header, *lines = csv.reader(io.StringIO(review.read_text(encoding="utf-8-sig"), newline=""))
    assert [line[1] for line in lines] == [*(f"'{name}" for name in TEN), f"'{MOVED}", f"'{MOVED}"]
    assert [line[4] for line in lines] == [*["'team-a"] * 4, *[""] * 5, "'team-c", "'team-b", "'team-b"]
    kept = [line for line in reversed(lines) if line[1] in ("'ten-8", "'ten-9", "'ten-0")]
    with edited.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=";").writerows([header, *kept])
    plan = approved(world, tmp_path, edited)
    assert plan["approved_by"] == "alice"
    copies = {*world.audit.glob("*Z-plan.json")}
    chosen: dict[str, Any] = {"cleanup_plan": str(tmp_path / "approved.json"), "cleanup_owners": ["team-c"]}
    done = world.apply(cleanup_require_approval=True, **chosen)
    assert (done.code, done.changed, done.words) == (0, ["Delete the groups"], "")
    assert world.state() == {name: found for name, found in world.at_first.items() if name != TEN[9]}
    words = f"approved by alice at {plan['approved_at']}, digest {plan['digest']}"
    assert done.tasks[REPORT]["msg"][1] == f"Plan: {tmp_path / 'approved.json'} ({words})"
    assert [done.tasks[name]["plan"] for name in ("Delete the groups", "Delete the offsets of other groups")] == [
        plan,
        plan,
    ]
    # the tests go on with the plan for all
    shell(told(done), world.cluster.bootstrap)
    assert world.state() == world.at_first
    for path in [*({*world.audit.glob("*Z-plan.json")} - copies), *world.backups.iterdir()]:
        path.unlink()


def test_the_share_is_of_what_the_job_may_touch(world: World, member: Member) -> None:
    """All that it includes: of all groups it would be less than a third."""
    refused = world.clean(cleanup_include=["ten-[0-2]"], cleanup_apply=True, cleanup_max_share=50)
    assert (refused.code, refused.changed) == (2, [])
    assert "3 of the 3 groups (100.000 %)" in refused.words
    # the tests go on with the plan for all
    world.plan.unlink()
    assert (world.state(), world.files()) == (world.at_first, [])


def test_a_task_that_is_killed_half_way_is_undone_by_the_command_that_is_printed(world: World, member: Member) -> None:
    """It can no longer say what it deleted, nor where the back-up is."""
    proxy = world.cluster.proxy
    assert proxy is not None
    proxy.after(DELETE_GROUPS, 1, kill_module)
    failed = world.apply()
    assert failed.code == 2
    assert world.state().keys() == {MOVED}
    assert "A task was interrupted, so its deletions are unknown." in failed.tasks[REPORT]["msg"][0]
    assert undo(failed) == failed.passed_on
    assert failed.artifacts["restore_missing_only"] is True
    # one group that was deleted is at work again: it stays as it is
    commits.commit(world.cluster.client(), TEN[0], {("orders", 0): (30, "", -1)})
    shell(told(failed), world.cluster.bootstrap)
    moved = offsets(0) | {("orders", 0): truth.Offset(30, "", -1)}
    assert world.state() == world.at_first | {TEN[0]: moved}
    commits.commit(
        world.cluster.client(),
        TEN[0],
        {where: (at.offset, at.metadata, at.leader_epoch) for where, at in offsets(0).items()},
    )
    assert world.state() == world.at_first
    (backup,) = world.backups.iterdir()
    backup.unlink()


def kill_module() -> None:
    """Kill the module that a run of this process has started: the second fork below the Python that the runs share.

    What has started it would end it too, but only after it may have returned.
    """
    listed = subprocess.run(["ps", "-eww", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(maxsplit=2) for line in listed.splitlines()]
    found = {str(os.getpid())}
    for _generation in ("interpreter", "fork", "module"):
        found = {pid for pid, parent, args in rows if parent in found and "/interpreter/server.py" in args}
    assert found
    for pid in found:
        # one of the task before may have just ended
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)


def test_what_came_back_to_life_is_left_alone_and_a_failure_in_the_middle_is_told(world: World, member: Member) -> None:
    """The folder for back-ups is gone when the offsets are to be backed up: the groups are gone by then."""
    client, proxy = world.cluster.client(), world.cluster.proxy
    assert proxy is not None
    commits.commit(client, COMMITS, {("orders", 0): (20, "alive", -1)})
    away = world.backups.with_name("away")
    proxy.after(DELETE_GROUPS, 1, lambda: world.backups.rename(away))
    with Consumer(client, JOINS, ["orders"]):
        truth.wait_stable(client, JOINS)
        failed = world.apply()
    away.rename(world.backups)
    assert failed.code == 2
    assert "is not a folder: create it first. Nothing was changed." in failed.words
    assert failed.changed == ["Delete the groups"]
    assert failed.tasks[REPORT]["msg"][0] == (
        "Deleted: 8 of the groups, 0 of the offsets of other groups. Skipped: 2. Failed: 0."
    )
    assert [line for line in failed.tasks[SHOWN]["msg"] if line.startswith("Skipped")] == [
        f"Skipped: {COMMITS}: its committed offsets changed since the audit: orders-0 is at 20, and was at 3",
        f"Skipped: {JOINS}: it is Stable now, with 1 member, and was Empty",
    ]
    assert world.state() == {
        COMMITS: offsets(3) | {("orders", 0): truth.Offset(20, "alive", -1)},
        JOINS: offsets(4),
        MOVED: world.at_first[MOVED],
    }
    assert undo(failed) == failed.passed_on
    assert failed.passed_on == {"restore_from": [str(world.backups / name) for name in world.files()]}
    assert failed.artifacts["kafka_message"] == failed.tasks[REPORT]["msg"][0]
    assert failed.artifacts["kafka_summary"] == {
        "deleted_groups": 8,
        "deleted_offsets": 0,
        "skipped": 2,
        "failed": 0,
        "interrupted": False,
        "plan": str(world.plan),
        "backups": failed.passed_on["restore_from"],
    }
    world.cleaned.append(failed)


def test_the_next_run_goes_on_and_the_one_after_it_has_nothing_to_do(world: World, member: Member) -> None:
    # who was seen at work stays, also if nothing shows it any more
    truth.wait_state(world.cluster.client(), JOINS, "Empty")
    done = world.apply(cleanup_plan_max_age=24)
    assert (done.code, done.words) == (0, "")
    assert done.changed == ["Delete the offsets of other groups"]
    assert world.state().keys() == {COMMITS, JOINS, MOVED}
    assert world.state()[MOVED] == STAYS
    world.cleaned.append(done)

    files = world.files()
    again = world.apply()
    assert (again.code, again.changed, world.files()) == (0, [], files)
    assert len(files) == 2


def test_a_plan_with_nothing_in_it_is_handed_on_too(world: World, tmp_path: Path) -> None:
    """The next node of a workflow would make one of its own, which nobody has looked at."""
    plan = json.loads(world.plan.read_text(encoding="utf-8"))
    empty = tmp_path / "empty.json"
    empty.write_text(json.dumps({**plan, "delete_groups": [], "delete_offsets": []}), encoding="utf-8")
    shown = world.clean(cleanup_plan=str(empty))
    assert (shown.code, shown.changed, shown.passed_on) == (0, [], {"cleanup_plan": str(world.plan)})
    assert json.loads(world.plan.read_text(encoding="utf-8"))["delete_groups"] == []


def test_old_plans_and_reports_are_removed_and_nothing_else(world: World, tmp_path: Path) -> None:
    plan = world.plan.read_bytes()
    report = next(world.audit.glob("*Z-report.html")).read_bytes()
    said = answer(
        "plan_approval", {"plan": str(world.plan), "approved_by": "alice", "dest": str(tmp_path / "approved")}
    )
    assert not said.get("failed"), said
    approved = (tmp_path / "approved").read_bytes()
    for name, content, days in (
        ("20260101T020000.000000Z-plan.json", plan, 31),
        ("20260101T020000.000000Z-report.html", report, 31),
        ("20260102T020000.000000Z-plan.json", json.dumps(json.loads(plan)).encode(), 31),
        ("20260130T020000.000000Z-plan.json", plan, 29),
        # of the guides on AWX and on clean-up
        ("20260101T020000.000000Z-plan-approved-4711.json", approved, 31),
        ("20260102T020000.000000Z-plan-approved.json", approved, 31),
        ("20260130T020000.000000Z-plan-approved-4712.json", approved, 29),
        # of somebody else: by the content, or by the name
        ("20260101T030000.000000Z-plan.json", b'{"format": "mine"}', 31),
        ("20260101T030000.000000Z-report.html", b"<title>Holidays</title>", 31),
        ("20260101T030000.000000Z-plan-approved-4711.json", b'{"format": "mine"}', 31),
        ("20260101T020000.000000Z-plan-approved-evidence.json", plan, 31),
        ("20260101T020000.000000Z-plan-edited.json", plan, 31),
        ("20260101T020000.000000Z-plan-approved-4711.json.bak", plan, 31),
        ("20260101T020000.000000Z-plan.json.bak", plan, 31),
        ("plan.json", plan, 31),
        ("20260101T020000.000000Z-groups.json", plan, 31),
        ("audits/20260101T020000.000000Z-plan.json", plan, 31),
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (time.time() - days * 86400,) * 2)
    (tmp_path / "20260101T040000.000000Z-plan.json").symlink_to(world.plan)
    at_first = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")}
    given: dict[str, Any] = {
        "cleanup_plan": str(world.plan),
        "cleanup_output": str(tmp_path),
        "cleanup_keep_for": "30d",
    }
    predicted = world.clean(check=True, **given)
    assert (predicted.code, predicted.changed) == (0, ["Remove old plans and reports"])
    assert at_first <= {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")}
    done = world.clean(**given)
    assert (done.code, done.changed) == (0, ["Remove old plans and reports"])
    remaining = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")}
    assert at_first - remaining == {
        "20260101T020000.000000Z-plan.json",
        "20260101T020000.000000Z-report.html",
        "20260102T020000.000000Z-plan.json",
        "20260101T020000.000000Z-plan-approved-4711.json",
        "20260102T020000.000000Z-plan-approved.json",
    }
    assert world.plan.read_bytes() == plan


def test_the_way_back(world: World, member: Member) -> None:
    """By the very commands that were told; what moved on is not set back by accident."""
    member.stop()
    truth.wait_state(world.cluster.client(), MOVED, "Empty")
    first, second = map(undo, world.cleaned)
    predicted = world.restore(check=True, **first)
    assert predicted.changed == ["Restore committed offsets"]
    assert world.state().keys() == {COMMITS, JOINS, MOVED}
    for done in world.cleaned:
        shell(told(done), world.cluster.bootstrap)
    assert world.state() == world.at_first | {COMMITS: offsets(3) | {("orders", 0): truth.Offset(20, "alive", -1)}}
    assert world.restore(**second).changed == []

    moved = {("orders", 0): truth.Offset(30, "", -1)}
    commits.commit(world.cluster.client(), TEN[0], {("orders", 0): (30, "", -1)})
    refused = world.restore(**first)
    assert (refused.code, refused.changed) == (2, [])
    assert f"{TEN[0]}: the offsets of these groups changed since the back-up" in refused.words
    assert world.state()[TEN[0]] == offsets(0) | moved
    assert world.restore(restore_groups=TEN[1], **first).changed == []
    missing = [{"name": "orders", "partitions": [1]}]
    run("consumer_group_offsets", world.cluster.bootstrap, group=TEN[0], state="absent", topics=missing)
    assert world.state()[TEN[0]] == moved
    assert world.restore(restore_missing_only=True, **first).changed == ["Restore committed offsets"]
    assert world.state()[TEN[0]] == offsets(0) | moved
    assert world.restore(restore_groups=TEN[0], restore_moved=True, **first).changed == ["Restore committed offsets"]
    assert world.state()[TEN[0]] == offsets(0)

    commits.commit(world.cluster.client(), TEN[0], {("orders", 0): (30, "", -1)})
    with Consumer(world.cluster.client(), TEN[0], ["orders"]):
        refused = world.restore(**first)
    assert (refused.code, refused.changed) == (2, [])
    assert f"{TEN[0]}: the offsets of these groups changed since the back-up" in refused.words


def test_back_ups_that_hold_the_same_offsets_are_refused(world: World, tmp_path: Path) -> None:
    """The last one would win, and nobody said so."""
    path = world.backups / world.files()[0]
    backup = json.loads(path.read_text(encoding="utf-8"))
    backup["groups"] = [{**group, "offsets": group["offsets"][:1]} for group in backup["groups"][:2]]
    names = [group["name"] for group in backup["groups"]]
    other = tmp_path / "other.json"
    other.write_text(json.dumps(backup), encoding="utf-8")
    before = world.state()
    refused = world.restore(restore_from=[str(path), str(other)], restore_moved=True)
    assert (refused.code, refused.changed) == (2, [])
    assert f"{', '.join(names)}: more than one back-up holds the same offsets" in refused.words
    assert world.state() == before


def test_what_is_committed_after_the_look_stays(world: World) -> None:
    """Nobody was asked about it."""
    client, proxy = world.cluster.client(), world.cluster.proxy
    assert proxy is not None
    before = world.state()[TEN[1]]
    missing = [{"name": "orders", "partitions": [1]}]
    run("consumer_group_offsets", world.cluster.bootstrap, group=TEN[1], state="absent", topics=missing)
    proxy.before(OFFSET_FETCH, 2, lambda: commits.commit(client, TEN[1], {("orders", 0): (77, "", -1)}))
    done = world.restore(restore_groups=TEN[1], **undo(world.cleaned[0]))
    assert (done.code, done.changed) == (2, ["Restore committed offsets"])
    assert f"{TEN[1]}: the offsets of these groups changed during the restore" in done.words
    assert world.state()[TEN[1]] == before | {("orders", 0): truth.Offset(77, "", -1)}
    commits.commit(client, TEN[1], {where: (at.offset, at.metadata, at.leader_epoch) for where, at in before.items()})


def test_an_empty_list_of_groups_does_not_mean_all(world: World) -> None:
    before = world.state()
    refused = world.restore(restore_groups=[], restore_moved=True, **undo(world.cleaned[0]))
    assert (refused.code, refused.changed) == (2, [])
    assert "restore_groups is an empty list" in refused.words
    assert world.state() == before


def test_a_damaged_back_up_restores_nothing(world: World, tmp_path: Path) -> None:
    copy = tmp_path / "copy.json"
    shutil.copy(world.backups / world.files()[0], copy)
    copy.write_text(copy.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    commits.commit(world.cluster.client(), TEN[0], {("orders", 0): (31, "", -1)})
    before = world.state()
    done = world.restore(restore_from=[str(copy), str(world.backups / world.files()[0])], restore_moved=True)
    assert (done.code, done.changed) == (2, [])
    assert "is not a back-up: it is not JSON" in done.words
    assert world.state() == before
