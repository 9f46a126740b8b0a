# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The owners of groups: from options and CSV files to the tables and the plan."""

from __future__ import annotations

import pathlib
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.settings import Settings
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge import owners
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge.owners import Rule
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError

from tests.live.task import audit_settings

RULES: list[dict[str, t.Any]] = [
    {"match": ["shop-*", "~cart[0-9]+"], "owner": "shop"},
    {"match": "shop-old-*", "owner": "nobody gets here"},
    {"match": "[b-d]", "owner": "letters"},
    {"match": "~(?i)BILLING.*", "owner": "Team, Billing"},
    {"match": "ü ☃", "owner": "ö"},
    {"match": "~.", "owner": "the rest of one character"},
]
FILE = 'match,owner\nshop-*,shop\n"a,b",team-a\n'


@pytest.mark.parametrize(
    ("group", "owner"),
    [
        ("shop-1", "shop"),
        ("shop-old-1", "shop"),
        ("my-shop-1", None),
        ("shop", None),
        ("cart42", "shop"),
        ("cart42x", None),
        ("c", "letters"),
        ("e", "the rest of one character"),
        ("\n", "the rest of one character"),
        ("billing-1", "Team, Billing"),
        ("Shop-1", None),
        ("ü ☃", "ö"),
        ("", None),
    ],
)
def test_the_first_match_of_the_whole_name_wins(group: str, owner: str | None) -> None:
    found = owners.finder(owners.parse({"owners": RULES, "owners_file": None}))(group)
    assert found == owner


def test_the_table_has_the_groups_with_an_owner() -> None:
    rules = [Rule(["a*"], "x"), Rule(["*"], "y")]
    rows = owners.table(rules, ["a1", "b"]).to_pylist()
    assert rows == [{"group": "a1", "owner": "x"}, {"group": "b", "owner": "y"}]
    empty = owners.table([], ["a1"])
    assert (empty.num_rows, empty.column_names) == (0, ["group", "owner"])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "owners is an empty list: set at least one entry"),
        ([{"match": "a", "owner": 7}], r"owners\[0\].owner is 7, which YAML reads as a number: put quotes around it"),
        ([{"match": "a", "owner": ""}], r"owners\[0\].owner is empty"),
        ([{"match": "a", "owner": None}], r"owners\[0\].owner is null, and must be a string"),
        ([{"match": [], "owner": "x"}], r"owners\[0\].match is an empty list"),
        ([{"match": "", "owner": "x"}], r"owners\[0\].match\[0\] is empty"),
        ([RULES[0], {"match": ["b", True], "owner": "x"}], r"owners\[1\].match\[1\] is True"),
        ([RULES[0], {"match": "~(", "owner": "x"}], r"owners\[1\].match: '~\(' is not a regular expression"),
    ],
)
def test_options_that_are_refused(given: t.Any, words: str) -> None:
    with pytest.raises(TaskError, match=words):
        owners.parse({"owners": given, "owners_file": None})


def read(folder: pathlib.Path, content: str | bytes) -> list[Rule]:
    path = folder / "owners.csv"
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return owners.parse({"owners": None, "owners_file": str(path)})


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(FILE, id="plain"),
        pytest.param("\ufeff" + FILE.replace("\n", "\r\n"), id="byte order mark and CRLF"),
        pytest.param("owner;match\nshop;shop-*;\nteam-a;a,b;\n;;\n", id="semicolons, other order, empty line"),
        pytest.param("match\towner\t\nshop-*\tshop\t\na,b\tteam-a\t\n", id="tabs"),
        pytest.param(FILE.rstrip("\n"), id="no end of line"),
    ],
)
def test_files_as_spreadsheets_write_them(tmp_path: pathlib.Path, content: str) -> None:
    assert read(tmp_path, content) == [Rule(["shop-*"], "shop"), Rule(["a,b"], "team-a")]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param("", "the first line must have the columns match,owner, and no others", id="empty"),
        pytest.param("shop-*,shop\n", "the first line must have the columns match,owner", id="no header"),
        pytest.param("match\nshop-*\n", "the first line must have the columns match,owner", id="one column"),
        pytest.param("match,owner,mail\na,b,c\n", "and no others", id="another column"),
        pytest.param("match,owner,owner\na,b,c\n", "and no others", id="column twice"),
        pytest.param("match,owner\n\n,\n", "the file has no line after the first one", id="no lines"),
        pytest.param(f"{FILE}x-*\n", r"line 4.owner is empty", id="no owner"),
        pytest.param(f"{FILE}x-* ,x\n", r"line 4: 'x-\* ' starts or ends with a blank", id="blank"),
        pytest.param(
            f"{FILE}x,'x\n",
            "line 4: .* starts with an apostrophe|line 4: .*or starts with an apostrophe",
            id="apostrophe",
        ),
        pytest.param(f"{FILE}\n,team-b\n", r"line 5.match\[0\] is empty", id="no pattern"),
        pytest.param(f"{FILE}x,y,z\n", "line 4 has more values than the first line has columns", id="three values"),
        pytest.param(f"{FILE}~(,x\n", r"line 4.match: '~\(' is not a regular expression", id="regex"),
        pytest.param(f'{FILE}"x,y\n', "line 4 is not CSV", id="open quote"),
        pytest.param(f"{FILE}ü,y\n".encode("cp1252"), "the file is not UTF-8: save it as CSV UTF-8", id="ansi"),
    ],
)
def test_files_that_are_refused(tmp_path: pathlib.Path, content: str | bytes, words: str) -> None:
    with pytest.raises(TaskError, match=words) as refusal:
        read(tmp_path, content)
    assert str(refusal.value).startswith(f"owners_file: {tmp_path}/owners.csv: ")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("none.csv", r"owners_file: .*none.csv: the file cannot be read \(No such file or directory\)"),
        (".", r"owners_file: .*: the file cannot be read \(Is a directory\)"),
        ("", "owners_file is empty"),
        ("a\0", "owners_file contains the character NUL"),
    ],
)
def test_paths_that_are_refused(tmp_path: pathlib.Path, path: str, words: str) -> None:
    with pytest.raises(TaskError, match=words):
        owners.parse({"owners": None, "owners_file": path and str(tmp_path / path)})


def test_the_process_of_the_audit_gets_the_rules(tmp_path: pathlib.Path) -> None:
    """And not the file, which may have changed."""
    settings = audit_settings(tmp_path, owners=RULES[:2])
    settings.save(str(tmp_path))
    assert (
        Settings.load(str(tmp_path)).owners
        == settings.owners
        == owners.parse({"owners": RULES[:2], "owners_file": None})
    )
