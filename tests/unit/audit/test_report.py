# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report: what its charts count, how it spells what others named, and its file."""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
import pathlib
import re
import stat
import typing as t

import pytest
import yaml
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import tables
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.report import (
    charts,
    embedded,
    playbook,
    render,
    rows,
    since,
    wording,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.report.charts import Bar
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.report.embedded import Column
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError

from tests.support import audits

TODAY = datetime.date(2026, 3, 1)
DASH = "\N{EN DASH}"
KINDS = [
    "stale_group",
    "unsubscribed",
    "topic_gone",
    "topic_recreated",
    "negative_offset",
    "before_log_start",
    "after_log_end",
    "no_commits",
    "orphaned_config",
    "undecodable",
]


def finding(kind: str, **fields: t.Any) -> dict[str, t.Any]:
    row = {"kind": kind, "group": "g", "topic": "t", "partition": 0, "evidence": "e", "action": "a", "planned": False}
    return row | fields


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("orders", "orders"),
        ("", "(empty name)"),
        ("  two  spaces ", "  two  spaces "),
        ("tab\tline\nnull\x00", "tab\\tline\\nnull\\x00"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("a\u2028b\u200bc\u00a0d", "a\\u2028b\\u200bc\\xa0d"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("שלום 日本 🚀", "שלום 日本 🚀"),
        ("<b>&", "<b>&"),
    ],
)
def test_shown(name: str, shown: str) -> None:
    assert wording.printable(name) == shown


@pytest.mark.parametrize(
    ("text", "most", "short"),
    [("abcdef", 6, "abcdef"), ("abcdefg", 6, "abc…fg"), ("abcdefg", 5, "ab…fg"), ("", 5, "")],
)
def test_shorten(text: str, most: int, short: str) -> None:
    assert wording.shorten(text, most) == short
    assert len(short) <= most


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 groups"), (1, "1 group"), (2, "2 groups"), (12345, "12,345 groups")]
)
def test_counted(number: int, words: str) -> None:
    assert wording.pluralize(number, "group") == words


def test_moments_are_in_utc() -> None:
    there = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    assert wording.format_time(datetime.datetime(2026, 3, 1, 2, 0, tzinfo=there)) == "2026-02-28 20:30 UTC"


@pytest.mark.parametrize(
    ("include", "exclude", "sentence"),
    [
        (["*"], [], "Included groups: all."),
        (["*"], ["a-*", "b"], "Included groups: all. Excluded: a-*, b."),
        (["a-*", "~^b"], [], "Included groups: a-*, ~^b."),
        (["\u202e"], [], "Included groups: \\u202e."),
    ],
)
def test_criteria(include: list[str], exclude: list[str], sentence: str) -> None:
    sentences = wording.criteria({"stale_after": "P7D", "include": include, "exclude": exclude})
    assert sentences[0].endswith("for P7D.")
    assert sentences[1] == sentence


def test_ages() -> None:
    buckets = {**dict.fromkeys(charts.LABELS, (0, 0)), "<1h": (2, 0), "<90d": (2, 1)}
    chart = charts.ages(buckets, "30d")
    assert [label for label, _bars in chart.rows] == ["<1h", "<1d", "<7d", "<30d", "<90d", "<1y", "older", "none"]
    bars = {label: bars for label, bars in chart.rows if any(cell.number for cell in bars)}
    assert bars == {"<1h": [Bar(2, 100.0), Bar(0, 0.0, True)], "<90d": [Bar(2, 100.0), Bar(1, 50.0, True)]}
    assert chart.note.endswith("stale_after is 30d.")
    assert charts.ages(dict.fromkeys(charts.LABELS, (0, 0)), "30d").rows == []


def test_top_groups() -> None:
    chart = charts.top([audits.group(name, lag=lag) for name, lag in (("b", 108), ("a", 7))], "lag", "Most lag", "")
    assert chart.rows == [("b", [Bar(108, 100.0)]), ("a", [Bar(7, 6.48)])]
    assert charts.top([], "lag", "Most lag", "").rows == []


@pytest.mark.parametrize(
    ("numbers", "most", "expected"),
    [
        ({}, 5, {}),
        ({"a": 2, "b": 3}, 5, {"a": 2, "b": 3}),
        ({"a": 9, "b": 1}, 5, {"b": 1, "a": 4}),
        ({"a": 9, "b": 9}, 5, {"a": 2, "b": 3}),
        ({"a": 9, "b": 2, "c": 100}, 10, {"b": 2, "a": 4, "c": 4}),
    ],
)
def test_some_findings_of_each_kind(numbers: dict[str, int], most: int, expected: dict[str, int]) -> None:
    assert rows.shares(numbers, most) == expected


@pytest.mark.parametrize(
    ("lags", "words"),
    [
        ([(3, 3), (0, 0)], "most unread records.<"),
        ([(3, 3), (None, 2)], "The lag of 1 group is partly or completely unknown.<"),
        ([(None, None), (None, 2)], "The lag of 2 groups is partly or completely unknown.<"),
    ],
)
def test_the_chart_of_lag_says_how_much_is_unknown(lags: list[tuple[int | None, int | None]], words: str) -> None:
    groups = [audits.group(f"g{number}", lag=lag, known_lag=known) for number, (lag, known) in enumerate(lags)]
    assert words in render.render(audits.audit(groups, []))


def test_names_in_a_chart() -> None:
    long = "x" * 300
    names = ["$x^2$ <b>&", "\u202e", "", long, "日本語"]
    page = render.render(audits.audit([audits.group(name, lag=9 - place) for place, name in enumerate(names)], []))
    found = re.findall(
        r"<bdi( title=\"\w+\")?>([^<]+)</bdi></th><td class=\"bar\">\s*<span style=\"width: (.+)%\">", page
    )
    assert [(name, width) for _title, name, width in found if width not in ("0.0", "100.0")] == [
        ("\\u202e", "88.89"),
        ("(empty name)", "77.78"),
        (f"{'x' * 20}…{'x' * 19}", "66.67"),
        ("日本語", "55.56"),
    ]
    assert [title for title, _name, _width in found if title] == [f' title="{long}"']
    assert "<bdi>$x^2$ &lt;b&gt;&amp;</bdi>" in page


def test_activity_of_the_last_days() -> None:
    def row(day: datetime.date, commits: int) -> dict[str, t.Any]:
        return {"day": day, "commits": commits, "tombstones": 2, "rebalances": 1}

    days = [datetime.date(1970, 1, 1), TODAY - datetime.timedelta(days=90), TODAY - datetime.timedelta(days=89), TODAY]
    chart = charts.activity([row(day, 1000 + place) for place, day in enumerate(days)], TODAY)
    rows = {day: [cell.number for cell in bars] for day, bars in chart.rows}
    assert {day: numbers for day, numbers in rows.items() if any(numbers)} == {
        "2026-03-01": [1003, 2, 1],
        "2025-12-02": [1002, 2, 1],
    }
    assert len(rows) == 90
    assert [cell.percent for cell in chart.rows[-1][1]] == [99.9, 100.0, 100.0]
    assert "2,001 commits of other days are not shown" in chart.note
    assert charts.activity([], TODAY).rows == []


def test_embedded_rows() -> None:
    columns = (
        Column("group", "Group", "name"),
        Column("lag", "Lag", "number", missing="unknown"),
        Column("at", "At", "time"),
        Column("stale", "Stale", "flag"),
    )
    embedded_rows = [
        {"group": "</script><!--&", "lag": 2**40, "at": audits.CREATED, "stale": True},
        {"group": "\u2028\u202e", "lag": None, "at": None, "stale": False},
        {"group": None, "lag": 0, "at": None, "stale": False},
        {"group": "</script><!--&", "lag": 0, "at": None, "stale": False},
    ]
    text = embedded.embed("groups", columns, embedded_rows, 7)
    assert text.isascii()
    assert not re.search("[<>&]", text)
    assert json.loads(text) == {
        "noun": "groups",
        "size": 4,
        "total": 7,
        "columns": [
            {
                "key": "group",
                "kind": "name",
                "missing": DASH,
                "values": ["</script><!--&", "\\u2028\\u202e"],
                "rows": [0, 1, -1, 0],
            },
            {"key": "lag", "kind": "number", "missing": "unknown", "rows": [2**40, None, 0, 0]},
            {"key": "at", "kind": "time", "missing": DASH, "rows": [int(audits.CREATED.timestamp()), None, None, None]},
            {"key": "stale", "kind": "flag", "missing": DASH, "rows": [1, 0, 0, 0]},
        ],
    }


@pytest.mark.parametrize(
    ("groups", "total", "sentence"),
    [
        ([audits.group("g")], 1, None),
        ([audits.group("g")], 2000, "The page contains 1 of 2,000 groups. All are in this table of the audit:"),
        # names that fill the page
        ([audits.group(f"{'<' * 30_000}{n}") for n in range(16)], 16, "The page contains 8 of 16 groups. All are"),
    ],
)
def test_a_page_has_a_part_of_many_rows(groups: list[dict[str, t.Any]], total: int, sentence: str | None) -> None:
    audit = audits.audit(groups, [])
    table = audit.groups.table._replace(total=total)
    audit = dataclasses.replace(audit, groups=audit.groups._replace(table=table))
    page = render.render(audit)
    assert len(page) < 5_000_000
    assert ("The page contains" in page) == (sentence is not None)
    if sentence:
        assert sentence in page
        link = f'<a class="table path" href="groups/"><code>{table.location}</code></a>'
        assert re.search(re.escape(sentence) + r"[^.]* " + re.escape(link), page)


def test_the_page_names_all_tables() -> None:
    audit = audits.audit([], [])
    items = [f"<li>{table.name}, {table.total} row{'s' * (table.total != 1)}: " for table in audit.tables]
    assert [table.name for table in audit.tables] == list(tables.NAMES)
    page = render.render(audit)
    for item, table in zip(items, audit.tables, strict=True):
        assert f'{item}<a class="table path" href="{table.name}/"><code>{table.location}</code></a></li>' in page
    # in an object store, for example
    page = render.render(dataclasses.replace(audit, folder=None))
    assert 'class="table' not in page
    for item, table in zip(items, audit.tables, strict=True):
        assert f'{item}<code class="path">{table.location}</code></li>' in page


def test_every_kind_has_its_advice() -> None:
    assert list(wording.KINDS) == KINDS
    page = render.render(audits.audit([audits.group("g")], [finding(kind) for kind in KINDS]))
    for advice in wording.KINDS.values():
        assert f"<h3>{advice.title} <" in page


def test_hostile_names_are_text() -> None:
    groups = [audits.group(name, lag=1, stale=True) for name in audits.HOSTILE]
    nasty = audits.HOSTILE[0] + audits.HOSTILE[1] + "\u202e"
    page = render.render(
        audits.audit(
            groups,
            [finding("stale_group", group=name, topic=name, evidence=name, action=name) for name in audits.HOSTILE],
            cluster_id=nasty,
            topic=nasty,
            warnings=[nasty],
            plan=f"/tmp/{nasty}",
            criteria={"stale_after": "30d", "include": [nasty], "exclude": [nasty]},
        )
    )
    assert len(re.findall("<script", page)) == 3
    assert "<img" not in page
    assert "\u202e" not in page
    page.encode("utf-8")


@pytest.mark.parametrize(
    ("earlier", "last", "words"),
    [
        (False, False, set()),
        (True, False, {"Since the last audit", "Changes are shown only if"}),
        (True, True, {"Since the last audit", "The last audit of this cluster", "Nothing changed"}),
    ],
)
@pytest.mark.parametrize("number", [0, 2])
def test_the_section_on_the_last_audit(earlier: bool, last: bool, words: set[str], number: int) -> None:
    """It comes first; the trends are shown also without an audit of the same criteria."""
    multiples = [since.multiple("g", [(audits.CREATED, 1)], [])] * number * earlier
    page = render.render(
        audits.audit([], [], earlier=earlier, last=audits.CREATED if last else None, multiples=multiples)
    )
    known = {"Since the last audit", "Changes are shown only if", "The last audit of this cluster", "Nothing changed"}
    assert {sentence for sentence in known if sentence in page} == words
    assert ('href="#since"' in page) == earlier
    assert page.count("<polyline") == number * earlier
    sections = re.findall(r'<(?:section|dl) (?:id|class)="(\w+)"', page)
    assert sections[:3] == [*(["since"] if earlier else []), "tiles", "actions", "charts"][:3]


def test_the_section_of_owners() -> None:
    names = ["a & b/c", '"><script>', "\u202e", "ü"]
    groups = [audits.group("g", owner=name) for name in [None, *names]]
    page = render.render(audits.audit(groups, [], owners=audits.owners(groups, [])))
    links = re.findall(r'<a href="#owner=(.*?)"><bdi>(.*?)</bdi></a>', page)
    assert dict(links) == {
        "": "(no owner)",
        "%22%3E%3Cscript%3E": "&#34;&gt;&lt;script&gt;",
        "%5Cu202e": "\\u202e",
        "a%20%26%20b/c": "a &amp; b/c",
        "%C3%BC": "ü",
    }
    (table,) = [json.loads(text) for text in re.findall(r'json">(.*?)</script>', page) if '"noun":"groups"' in text]
    assert next(column for column in table["columns"] if column["key"] == "owner") == {
        "key": "owner",
        "kind": "name",
        "missing": "(no owner)",
        "rows": [-1, 0, 1, 2, 3],
        "values": ["a & b/c", '"><script>', "\\u202e", "ü"],
    }


def test_each_owner_has_a_section() -> None:
    groups = [audits.group(name, owner=owner, stale=stale) for name, owner, stale in (("a", "x", True), ("b", "y", 0))]
    found = [finding("stale_group", group=f"a{number}", topic=None, partition=None, owner="x") for number in range(7)]
    found += [finding("undecodable", group=None, owner=None)]
    owned = {**audits.first_of_owners(found), "y": []}
    page = render.render(audits.audit(groups, found, owners=audits.owners(groups, found), of_owners=owned))
    sections = [
        re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", text)).strip()
        for text in re.findall(r'<section class="card" .*?>(.*?)</section>', page, flags=re.DOTALL)
    ]
    names = " ".join(f"Stale group: a{number}" for number in range(5))
    assert sections == [
        "(no owner) 1 Groups: 0, stale: 0 Record that cannot be decoded: t 0",
        f"x 7 Groups: 1, stale: 1 {names} and 2 more",
        "y 0 Groups: 1, stale: 0 No findings.",
    ]
    assert re.findall(r'<h3 id="owner-\d"><a href="(.*?)">', page) == ["#owner=", "#owner=x", "#owner=y"]


@pytest.mark.parametrize("name", ["team", "\N{ROCKET}" * 200, "x" * 20_000])
def test_a_page_has_a_part_of_many_owners(name: str) -> None:
    """Those with a section before others; also beside tables that fill the page, it stays small."""
    groups = [audits.group(f"{'<' * 1000}{number}", owner=None) for number in range(350)]
    found = [finding("no_commits", group=row["group"], owner=None) for row in groups]
    owners = [f"{name} {number}" for number in range(2000)]
    counted = [{"owner": owner, "groups": 1, "stale": 0, "findings": 9, "planned": 0} for owner in owners]
    first = {owner: [finding("no_commits", group="\N{ROCKET}" * 200)] * 5 for owner in owners[-50:]}
    audit = audits.audit(groups, found, owners=counted, of_owners=first)
    page = render.render(audit)
    assert 4_400_000 < len(page.encode()) < 5_000_000
    markup = page.partition('id="owners"')[2].partition('id="findings"')[0]
    shown, sections = markup.count('<tr><th scope="row">'), markup.count('<section class="card"')
    assert sections == min(50, shown)
    assert 5 < shown < 1000
    assert f"The page contains {shown} of 2,000 owners. All are in this table of the audit:" in markup
    assert f"<code>{audit.groups.table.location}</code>" in markup


def test_without_owners_the_page_does_not_mention_them() -> None:
    page = render.render(audits.audit([audits.group("g")], [finding("no_commits")]))
    markup = page.partition("<style>")[0] + page.partition("</style>")[2].rpartition("<script>")[0]
    assert "wner" not in markup.replace("ask the owners of", "").replace("Ask the owner, then", "")


def test_an_empty_audit() -> None:
    page = render.render(audits.audit([], []))
    assert "No findings." in page
    assert "The plan is empty" in page
    assert page.count("No data.") == 4


@pytest.mark.parametrize(
    ("delete_groups", "delete_offsets", "modules"),
    [
        (2, 0, {"kafkaops.groups.consumer_group": 2}),
        (0, 3, {"kafkaops.groups.consumer_group_offsets": 3}),
        (2, 3, {"kafkaops.groups.consumer_group": 2, "kafkaops.groups.consumer_group_offsets": 3}),
    ],
)
def test_the_example_is_a_playbook(delete_groups: int, delete_offsets: int, modules: dict[str, int]) -> None:
    plan = '/var/lib/it\'s "here": #1/plan.json'
    (play,) = yaml.safe_load(playbook.example(plan, delete_groups, delete_offsets))
    found = {name: options for task in play["tasks"] for name, options in task.items() if name != "name"}
    assert {name: options["max_changes"] for name, options in found.items()} == modules
    assert all(options["plan"] == plan and options["backup"] for options in found.values())


def test_the_same_audit_gives_the_same_page() -> None:
    audit = audits.many(100, 200)
    assert render.render(audit) == render.render(audit)


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_the_file(tmp_path: pathlib.Path, umask: int) -> None:
    path = tmp_path / "report.html"
    path.write_text("an earlier one")
    before = os.umask(umask)
    try:
        render.write(str(path), audits.audit([], []))
    finally:
        os.umask(before)
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert stat.S_IMODE(path.stat().st_mode) == 0o644 & ~umask
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_file_that_cannot_be_written(tmp_path: pathlib.Path) -> None:
    with pytest.raises(TaskError, match=r"^report: .*none/report.html cannot be written \(No such file or directory\)"):
        render.write(str(tmp_path / "none" / "report.html"), audits.audit([], []))
    (tmp_path / "report.html").mkdir()
    with pytest.raises(TaskError, match="Is a directory"):
        render.write(str(tmp_path / "report.html"), audits.audit([], []))
    assert os.listdir(tmp_path) == ["report.html"]
