# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way of a plan: CSV, edited CSV, approved plan."""

from __future__ import annotations

import collections.abc as c
import csv
import datetime
import io
import json
import os
import pathlib
import stat
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._files import plan as plan_file
from ansible_collections.kafkaops.groups.plugins.module_utils._files import plan_csv
from ansible_collections.kafkaops.groups.plugins.module_utils._files.plan import (
    Approval,
    Judged,
    Plan,
    PlannedGroup,
    PlannedOffset,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import plan_approval

from tests.unit.values import at

pytestmark = pytest.mark.fast

#: Names that a spreadsheet executes, converts, or reads in another way.
ODD = [
    "=HYPERLINK(0)",
    "+1",
    "-1+1",
    "@SUM(1)",
    "007",
    "1e5",
    "2024-05",
    "TRUE",
    "'",
    "''x",
    " a ",
    'say "x"',
    "a;b,c\td",
    "two\r\nlines",
    "\r",
    "\tx",
    "ü☃",
    "\ufeffx",
]


def group(name: str, evidence: str = "last commit long ago") -> PlannedGroup:
    return PlannedGroup(name, "classic", "Empty", evidence, {at(0): 5})


def offset(name: str, partition: int = 0, topic: str = "-t") -> PlannedOffset:
    return PlannedOffset(name, "consumer", "Stable", at(partition, topic), 25, "not subscribed; committed long ago")


def plan(groups: c.Iterable[PlannedGroup], offsets: c.Iterable[PlannedOffset] = (), **more: t.Any) -> Plan:
    created = datetime.datetime(2026, 1, 31, 12, tzinfo=datetime.UTC)
    return Plan("c", created, {"stale_after": "30d", "include": ["*"]}, [*groups], [*offsets], Judged(7, 9))._replace(
        **more
    )


TWO = plan([group("a"), group("b")], [offset("c"), offset("c", 1)])
HEADER = "action,group,topic,partition,owner,evidence"
WITHOUT = "action,group,topic,partition"
OWNED = TWO._replace(
    delete_groups=[group("a")._replace(owner="=x"), group("b")],
    delete_offsets=[entry._replace(owner="007") for entry in TWO.delete_offsets],
    owners={name: Judged(1, 2) for name in ("=x", "007", "idle")},
)
ALICE = Approval("alice", datetime.datetime(2026, 2, 1, 9, tzinfo=datetime.UTC))


class Files:
    """A folder with a plan."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.plan, self.csv, self.dest = (folder / name for name in ("plan.json", "review.csv", "approved.json"))

    def run(self, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        given = {
            "plan": str(self.plan),
            **dict.fromkeys(("match", "selected_csv", "approved_by", "dest")),
            "owner": "*",
        }
        request = plan_approval.parse({**given, "review_csv": None, **options})
        return plan_approval.review_or_approve(request, check)

    def review(self, check: bool = False) -> dict[str, t.Any]:
        return self.run(check, review_csv=str(self.csv))

    def approve(self, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        return self.run(check, **{"dest": str(self.dest), "approved_by": "alice", **options})

    def selected(self, content: str | bytes) -> list[str]:
        """The entries of the plan that is approved with this CSV file."""
        self.csv.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        self.approve(selected_csv=str(self.csv))
        return [str(plan_csv.key(entry)) for entry in plan_csv.entries(plan_file.load(str(self.dest), "plan"))]


@pytest.fixture
def files(tmp_path: pathlib.Path) -> Files:
    made = Files(tmp_path)
    plan_file.write(str(made.plan), TWO)
    return made


def test_the_way_from_a_plan_to_an_approved_one(files: Files) -> None:
    before = files.plan.read_bytes()
    reviewed = files.review()
    assert (reviewed["changed"], reviewed["path"]) == (True, str(files.csv))
    assert reviewed["plan"] == {"digest": plan_file.digest(TWO), "approved_by": None, "approved_at": None}
    lines = files.csv.read_bytes().decode("utf-8").split("\r\n")
    assert lines == [
        f"\ufeff{HEADER}",
        "delete_group,'a,,,,'last commit long ago",
        "delete_group,'b,,,,'last commit long ago",
        "delete_offset,'c,'-t,0,,'not subscribed; committed long ago",
        "delete_offset,'c,'-t,1,,'not subscribed; committed long ago",
        "",
    ]
    # a and an offset are kept
    files.csv.write_text("\r\n".join([lines[0], lines[4], lines[2], ""]), encoding="utf-8", newline="")
    approved = files.approve(selected_csv=str(files.csv))
    assert approved["changed"]
    assert approved["summary"] == {"delete_groups": 1, "delete_offsets": 1, "omitted": 2}
    assert approved["diff"]["after"] == "delete group 'b'\ndelete offset -t-1 of group 'c'\n"
    assert len(approved["diff"]["before"].splitlines()) == 4
    read = plan_file.read(str(files.dest), "c")
    assert read._replace(approval=None) == TWO._replace(delete_groups=[group("b")], delete_offsets=[offset("c", 1)])
    assert read.approval is not None
    assert (read.approval.by, approved["plan"]) == ("alice", plan_file.approval_result(read))
    assert json.loads(files.dest.read_text(encoding="utf-8"))["digest"] == approved["plan"]["digest"]
    assert [stat.S_IMODE(os.stat(path).st_mode) for path in (files.csv, files.dest)] == [0o600, 0o600]
    assert files.plan.read_bytes() == before


@pytest.mark.parametrize("name", ODD)
def test_odd_names_make_the_way_and_no_cell_is_a_formula(files: Files, name: str) -> None:
    files.plan.unlink()
    plan_file.write(str(files.plan), plan([group(name, name), group("other")], [offset(name)]))
    files.review()
    content = files.csv.read_bytes().decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(content, newline="")))
    assert [row[1:3] for row in rows[1:]] == [[f"'{name}", ""], ["'other", ""], [f"'{name}", "'-t"]]
    assert [cell for row in rows for cell in row if cell[:1] in ("=", "+", "-", "@", "\t", "\r")] == []
    found = files.selected(content.replace("delete_group,'other,,,,'last commit long ago\r\n", ""))
    assert found == [f"delete group '{name}'", f"delete offset -t-0 of group '{name}'"]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        pytest.param(f"{HEADER}\n", [], id="nothing"),
        pytest.param(f"{WITHOUT}\ndelete_group,a,,\n", ["a"], id="other origin"),
        pytest.param(f"\ufeff{WITHOUT}\r\ndelete_group,'b,,\r\n", ["b"], id="byte order mark"),
        pytest.param(f"{WITHOUT.replace(',', ';')}\r\ndelete_group;a;;\r\n;;;\r\n", ["a"], id="semicolons"),
        pytest.param(f"{WITHOUT}\ndelete_group,a,,".replace(",", "\t"), ["a"], id="tabs"),
        pytest.param('"action","group","topic","partition"\n"delete_group","a","",""\n', ["a"], id="quotes"),
        pytest.param(f"{WITHOUT},,\ndelete_group,a,,,,\n,,,,,\n", ["a"], id="empty columns and lines"),
        pytest.param(f"{WITHOUT}\ndelete_group,a\n", ["a"], id="short line"),
        pytest.param("group,action,partition,topic\nb,delete_group,,\na,delete_group,,\n", ["a", "b"], id="sorted"),
        pytest.param(f"{WITHOUT}\ndelete_offset,c,'-t,1\n", ["c"], id="offset"),
        pytest.param(
            f"{HEADER}\ndelete_group,a,,,,last commit long ago\ndelete_group,'b,,,','last commit long ago\n",
            ["a", "b"],
            id="apostrophes removed",
        ),
    ],
)
def test_files_as_spreadsheets_write_them(files: Files, content: str, found: list[str]) -> None:
    assert [name.split("'")[1] for name in files.selected(content)] == found


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param("", "the first line must have the columns action,group,topic,partition", id="empty"),
        pytest.param("delete_group,'a,,,\n", "the first line must have the columns", id="no header"),
        pytest.param("action,group\ndelete_group,a\n", "the first line must have the columns", id="too few columns"),
        pytest.param(f"{WITHOUT},keep?\n", "and no others", id="another column"),
        pytest.param(f"{WITHOUT},group\n", "and no others", id="column twice"),
        pytest.param(f"{WITHOUT}\ndelete_group,a,,,no!\n", "line 2 has more values than the first", id="remark"),
        pytest.param(
            f"{WITHOUT}\ndelete_group,x,,\n", "lines that are not in the plan: line 2: delete group 'x'", id="x"
        ),
        pytest.param(f"{WITHOUT}\ndelete_group,A,,\n", "line 2: delete group 'A'", id="case"),
        pytest.param(f"{WITHOUT}\ndelete_group,c,,\n", "line 2: delete group 'c'", id="group of an offset"),
        pytest.param(f"{WITHOUT}\ndelete_offset,c,-t,2\n", "line 2: delete offset -t-2 of group 'c'", id="partition"),
        pytest.param(f"{WITHOUT}\nkeep,a,,\n", "line 2: keep 'a'", id="action"),
        pytest.param(
            WITHOUT + "".join(f"\ndelete_group,x{number},," for number in range(7)),
            "lines that are not in the plan: line 2: delete group 'x0'; .*'x4'; and 2 more",
            id="many",
        ),
        pytest.param(f"{WITHOUT}\ndelete_group,a,,\ndelete_group,'a,,\n", "line 3 repeats line 2", id="twice"),
        pytest.param(f"{HEADER}\ndelete_group,a,,,,no!\n", "line 2 has another evidence than the plan", id="evidence"),
        pytest.param(f"{HEADER}\ndelete_group,a,,,,\n", "To keep a group or an offset, delete its line", id="emptied"),
        pytest.param(f"{WITHOUT},owner\ndelete_group,a,,,x\n", "line 2 has another owner than the plan", id="owner"),
        pytest.param(f'{WITHOUT}\ndelete_group,"a,,\n', "is not CSV", id="open quote"),
        pytest.param(f"{WITHOUT}\n{'x' * 200_000},a,,\n", "is not CSV", id="long cell"),
        pytest.param(
            f"{WITHOUT}\ndelete_group,ü,,\n".encode("cp1252"), "is not UTF-8: save it as CSV UTF-8", id="ansi"
        ),
        pytest.param(f"{WITHOUT}\n".encode("utf-16"), "is not UTF-8: save it as CSV UTF-8", id="utf-16"),
    ],
)
def test_files_that_approve_nothing(files: Files, content: str | bytes, words: str) -> None:
    with pytest.raises(TaskError, match=words) as refusal:
        files.selected(content)
    assert str(refusal.value).startswith(f"selected_csv: {files.csv}")
    assert str(refusal.value).endswith("Nothing was changed.")
    assert not files.dest.exists()


def test_a_name_that_begins_with_an_apostrophe_is_never_mixed_up(files: Files) -> None:
    plan_file.write(str(files.plan), plan([group("x"), group("'x")]))
    assert files.selected(f"{WITHOUT}\ndelete_group,x,,\ndelete_group,''x,,\n") == [
        "delete group 'x'",
        "delete group ''x'",
    ]
    with pytest.raises(TaskError, match="line 2 is ambiguous: delete group ''x' or delete group 'x'"):
        files.selected(f"{WITHOUT}\ndelete_group,'x,,\n")


@pytest.mark.parametrize(
    ("match", "found"),
    [(None, "abc"), ("a", "a"), (["~[ab]", "z"], "ab"), ("[b-c]", "bc"), ("A", ""), ("nobody*", "")],
)
def test_patterns(files: Files, match: t.Any, found: str) -> None:
    files.approve(match=match)
    approved = plan_file.read(str(files.dest), "c")
    assert {entry.group for entry in plan_csv.entries(approved)} == {*found}


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"owner": "=x"}, "a"),
        ({"owner": ["=x", "007"]}, "ac"),
        ({"owner": ["=x", "007"], "match": "[b-z]"}, "c"),
        ({"owner": "idle"}, ""),
        ({}, "abc"),
    ],
)
def test_owners(files: Files, options: dict[str, t.Any], found: str) -> None:
    plan_file.write(str(files.plan), OWNED)
    files.approve(**options)
    approved = plan_file.read(str(files.dest), "c")
    assert {entry.group for entry in plan_csv.entries(approved)} == {*found}
    named = options["owner"] if isinstance(options.get("owner"), list) else [options.get("owner")]
    known = OWNED.owners or {}
    assert approved.owners == ({name: known[name] for name in named} if "owner" in options else known)


def test_owners_in_the_csv_file(files: Files) -> None:
    plan_file.write(str(files.plan), OWNED)
    files.review()
    content = files.csv.read_text(encoding="utf-8-sig")
    assert [row[4] for row in csv.reader(io.StringIO(content))][1:] == ["'=x", "", "'007", "'007"]
    assert len(files.selected(content)) == 4
    # a spreadsheet has converted it
    files.dest.unlink()
    with pytest.raises(TaskError, match="line 4 has another owner than the plan: delete offset -t-0 of group 'c'"):
        files.selected(content.replace("'007", "7"))


def test_an_owner_that_the_plan_does_not_know(files: Files) -> None:
    plan_file.write(str(files.plan), OWNED)
    with pytest.raises(TaskError, match="owner: 'team-x' is not an owner of the plan: its owners are 007, =x, idle"):
        files.approve(owner="team-x")
    assert not files.dest.exists()


def test_patterns_and_lines_select_together(files: Files) -> None:
    files.csv.write_text(f"{WITHOUT}\ndelete_group,a,,\ndelete_group,b,,\n", encoding="utf-8")
    approved = files.approve(match=["b", "c"], selected_csv=str(files.csv))
    assert approved["summary"] == {"delete_groups": 1, "delete_offsets": 0, "omitted": 3}


def test_a_second_run_changes_nothing_and_another_one_overwrites_nothing(files: Files) -> None:
    first, reviewed = files.approve(match="a"), files.review()
    written = files.dest.read_bytes(), files.csv.read_bytes()
    unchanged = {"changed": False, "diff": {"before": "", "after": ""}}
    assert files.approve(match="a") == {**first, **unchanged}
    assert files.review() == {**reviewed, **unchanged}
    for options in ({"match": "b"}, {"match": "a", "approved_by": "bob"}, {"dest": str(files.plan)}):
        with pytest.raises(TaskError, match=r"dest: .*, with other content, exists already and is never overwritten"):
            files.approve(**options)
    files.csv.write_text(f"{HEADER}\n", encoding="utf-8")
    with pytest.raises(TaskError, match=r"review_csv: .*, with other content, exists already and is never overwritten"):
        files.review()
    assert files.dest.read_bytes() == written[0]


def test_check_mode_writes_nothing_and_fails_where_the_run_would(files: Files, tmp_path: pathlib.Path) -> None:
    assert (files.review(check=True)["changed"], files.approve(check=True)["changed"]) == (True, True)
    assert os.listdir(tmp_path) == ["plan.json"]
    for run, option in ((files.run, "review_csv"), (files.approve, "dest")):
        with pytest.raises(TaskError, match=f"{option}: .*nowhere is not a folder: create it first"):
            run(check=True, **{option: str(tmp_path / "nowhere" / "file")})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dest": "d", "approved_by": " "}, "approved_by is empty"),
        ({"dest": "d", "approved_by": None}, "approved_by is empty"),
        ({"dest": None}, "review_csv is null"),
        ({"dest": "d", "approved_by": "a", "match": []}, "match is an empty list"),
        ({"dest": "d", "approved_by": "a", "owner": []}, "owner is an empty list"),
        ({"dest": "d", "approved_by": "a", "owner": None}, "owner is null: set a value"),
        ({"review_csv": "r", "owner": "a"}, "owner is set, but dest is not: set dest, or omit owner"),
        ({"dest": "d", "approved_by": "a", "owner": ["a", 7]}, r"owner\[1\] is 7, which YAML reads as a number"),
        ({"dest": "", "approved_by": "a"}, "dest is empty"),
        ({"plan": None, "review_csv": "r"}, "plan is null"),
    ],
)
def test_options_that_are_refused(files: Files, options: dict[str, t.Any], words: str) -> None:
    with pytest.raises(TaskError, match=words):
        files.run(**options)


CHANGES: dict[str, c.Callable[[dict[str, t.Any]], t.Any]] = {
    "owner": lambda plan: plan.update(
        owners={"x": {"groups": 1, "offsets": 1}}, delete_groups=[{**plan["delete_groups"][0], "owner": "x"}]
    ),
    "cluster": lambda plan: plan.update(cluster_id="d"),
    "created": lambda plan: plan.update(created="2026-01-31T13:00:00+00:00"),
    "criteria": lambda plan: plan["criteria"].update(stale_after="1d"),
    "judged": lambda plan: plan["judged"].update(groups=9),
    "no judged": lambda plan: plan.pop("judged"),
    "group": lambda plan: plan["delete_groups"][0].update(group="z"),
    "evidence": lambda plan: plan["delete_groups"][0].update(evidence="?"),
    "type": lambda plan: plan["delete_groups"][0].update(type="consumer"),
    "expected offset": lambda plan: plan["delete_groups"][0]["offsets"][0].update(offset=6),
    "one less": lambda plan: plan["delete_groups"].pop(),
    "one more": lambda plan: plan["delete_groups"].append({**plan["delete_groups"][0], "group": "z"}),
    "offset": lambda plan: plan["delete_offsets"][0].update(partition=3),
    "state": lambda plan: plan["delete_offsets"][0].update(state="Empty"),
    "approver": lambda plan: plan.update(approved_by="bob"),
    "time": lambda plan: plan.update(approved_at="2026-02-01T10:00:00+00:00"),
    "digest": lambda plan: plan.update(digest="0"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_approved_plan_that_changed_is_refused(files: Files, change: c.Callable[[dict[str, t.Any]], t.Any]) -> None:
    files.approve()
    content = json.loads(files.dest.read_text(encoding="utf-8"))
    change(content)
    files.dest.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(TaskError, match=r"is not the plan that (alice|bob) approved at .*: it was changed since."):
        plan_file.load(str(files.dest), "plan")


@pytest.mark.parametrize("name", ["approved_by", "approved_at", "digest"])
def test_half_an_approval_is_none(files: Files, name: str) -> None:
    files.approve()
    content = json.loads(files.dest.read_text(encoding="utf-8"))
    del content[name]
    files.dest.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(TaskError, match=f"is damaged .KeyError: '{name}'"):
        plan_file.load(str(files.dest), "plan")


def test_the_digest_is_of_the_content_and_not_of_the_format(files: Files) -> None:
    approved = files.approve()
    content = json.loads(files.dest.read_text(encoding="utf-8"))
    content["delete_groups"].reverse()
    content["delete_offsets"].reverse()
    files.dest.write_text(json.dumps(content, indent=4, sort_keys=True, ensure_ascii=False), encoding="utf-8")
    assert plan_file.approval_result(plan_file.load(str(files.dest), "plan")) == approved["plan"]


def test_the_digest_stays_the_same_in_later_releases() -> None:
    """Plans that are approved today are read tomorrow."""
    digest = "e502675f2e04a0e5437b9e4278bed1d0124864f97b7960742315dae3fbaa6a49"
    assert plan_file.digest(TWO._replace(approval=ALICE)) == digest


def test_an_approval_replaces_an_earlier_one(files: Files, tmp_path: pathlib.Path) -> None:
    files.approve(match="[ab]")
    again = str(tmp_path / "again.json")
    second = files.approve(plan=str(files.dest), match="a", approved_by="bob", dest=again)
    assert (second["plan"]["approved_by"], second["summary"]["omitted"]) == ("bob", 1)
    assert plan_file.load(again, "plan").delete_groups == [group("a")]
