# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fleet: which options are refused, which audits of a location can be read, and the page."""

from __future__ import annotations

import datetime
import json
import pathlib
import re
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit import fleet as options
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import fleet as engine
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import store
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.folders import LocalFolder
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.report import fleet
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError

from tests.support import fleets
from tests.support.modules import module_of

NOW = fleets.NOW
DAY = datetime.timedelta(days=1)


def parse(folder: pathlib.Path, **given: t.Any) -> engine.FleetSettings:
    defaults = {name: option.get("default") for name, option in module_of("fleet_report").spec.items()}
    return options.parse({**defaults, "output": str(folder), "dest": str(folder / "fleet.html"), **given})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"output": ""}, "output must not be empty"),
        ({"output": "s3a://key:secret@bucket/a"}, "output must not contain a password"),
        ({"output": "s3a://bucket"}, "but must name a folder in it"),
        ({"dest": ""}, "dest is empty"),
        ({"dest": "FOLDER/report.html"}, "is a file of an audit: name another file."),
        ({"dest": "FOLDER/spark.log"}, "is a file of an audit: name another file."),
        ({"dest": "FOLDER/latest/report.html"}, "is a file of an audit: name another file."),
        ({"dest": "FOLDER/audits/1/report.html"}, "is a file of an audit: name another file."),
        ({"max_age": "99999999999d"}, "max_age is '99999999999d', but must be 100 years or less."),
        ({"base_url": "ftp://u:secret@h"}, "base_url must not contain a login, a query or a fragment."),
        ({"max_age": "0d"}, "max_age must be longer than 0"),
        ({"max_age": "soon"}, "max_age is 'soon'"),
        ({"timeout": 0}, "timeout is 0"),
        ({"timeout": float("nan")}, "timeout is nan"),
        ({"cluster_names": {"a": 7}}, "cluster_names: a is 7"),
        ({"cluster_names": {7: "a"}}, "cluster_names is 7"),
        ({"base_url": "ftp://h/a"}, "must start with http:// or https://"),
        ({"base_url": "https://"}, "must start with http:// or https://"),
        ({"base_url": "http://["}, "base_url is not a URL"),
        ({"base_url": "https://u:p@h/a"}, "must not contain a login"),
        ({"base_url": "https://h/a?b"}, "must not contain a login"),
        ({"spark_conf": {"spark.master": "local"}}, "use master"),
    ],
)
def test_options_that_are_refused(tmp_path: pathlib.Path, given: dict[str, t.Any], message: str) -> None:
    given = {name: value.replace("FOLDER", str(tmp_path)) if name == "dest" else value for name, value in given.items()}
    with pytest.raises(TaskError) as refused:
        parse(tmp_path, **given)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none/fleet.html", "/none is not a folder: create it first."),
        (".", " is a folder: set the path of a file in it."),
    ],
)
def test_a_page_that_cannot_be_written_is_refused_at_once(tmp_path: pathlib.Path, name: str, message: str) -> None:
    with pytest.raises(TaskError) as refused:
        options.write_report(parse(tmp_path, dest=str(tmp_path / name)), check_mode=False)
    assert str(refused.value) == f"dest: {tmp_path}{message} Nothing was changed."


def test_settings_pass_through_the_private_folder(tmp_path: pathlib.Path) -> None:
    settings = parse(tmp_path, cluster_names={"a": "production"}, base_url="https://h/a/")
    assert (settings.base_url, settings.max_age_ms, settings.log) == (
        "https://h/a",
        7 * 86_400_000,
        f"{tmp_path}/fleet.html.log",
    )
    settings.save(str(tmp_path))
    assert engine.FleetSettings.load(str(tmp_path)) == settings
    assert list(tmp_path.iterdir()) == []


MANIFEST: dict[str, t.Any] = {
    "format": "kafkaops.groups/audit",
    "version": 1,
    "cluster_id": "a",
    "created": "2026-06-01T12:00:00+00:00",
    "criteria": {"stale_after": "30d"},
    "complete": True,
    "tables_version": store.TABLES_VERSION,
    "tables": {"groups": 3},
}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, None),
        ({"cluster_id": "b"}, None),
        (None, "it has no manifest.json: it is still running, or ended early"),
        ("", "manifest.json is damaged, or of another release"),
        ("[]", "manifest.json is damaged, or of another release"),
        ("[" * 100_000, "manifest.json is damaged, or of another release"),
        ({"version": 2}, "manifest.json is damaged, or of another release"),
        ({"tables_version": store.TABLES_VERSION + 1}, "manifest.json is damaged, or of another release"),
        ({"audit_id": "another"}, "manifest.json is damaged, or of another release"),
        ({"tables": [1]}, "manifest.json is damaged, or of another release"),
        ({"criteria": 7}, "manifest.json is damaged, or of another release"),
        ({"created": "yesterday"}, "manifest.json is damaged, or of another release"),
    ],
)
def test_audits_that_cannot_be_read_are_named(
    tmp_path: pathlib.Path, change: dict[str, t.Any] | str | None, problem: str | None
) -> None:
    name = "20260601T120000Z-00000001"
    (tmp_path / "audits" / name).mkdir(parents=True)
    (tmp_path / "audits" / "mine").mkdir()
    (tmp_path / "audits" / f"{name}.link").symlink_to("nowhere")
    text = json.dumps({**MANIFEST, "audit_id": name, **change}) if isinstance(change, dict) else change
    if text is not None:
        (tmp_path / "audits" / name / store.MANIFEST).write_text(text, "utf-8")
    audits, unreadable = store.survey(LocalFolder(str(tmp_path), []))
    if problem is None:
        assert [(audit.audit_id, audit.created, audit.rows) for audit in audits] == [(name, NOW, {"groups": 3})]
        assert unreadable == {}
    else:
        assert audits == []
        assert unreadable == {name: problem}


def test_a_manifest_without_permission_is_named(tmp_path: pathlib.Path) -> None:
    class Refusing(LocalFolder):
        def read(self, *path: str) -> str | None:
            raise PermissionError(13, "Permission denied", self.path(*path))

    name = "20260601T120000Z-00000001"
    (tmp_path / "audits" / name).mkdir(parents=True)
    assert store.survey(Refusing(str(tmp_path), [])) == (
        [],
        {name: "manifest.json cannot be read (Permission denied)"},
    )


def cells(text: str) -> list[list[str]]:
    """The texts of the rows of the page."""
    body = text.partition("<tbody>")[2].partition("</tbody>")[0]
    return [
        [" ".join(re.sub("<[^>]*>", " ", cell).split()) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr.*?</tr>", body, re.DOTALL)
    ]


def test_the_page() -> None:
    clusters = [
        fleets.cluster("zeta", [(2, 9, 1), (1, 12, 2), (0, 15, 3)], known_lag=2**64),
        fleets.cluster("alpha", [(40, 5, 5)], old=True, complete=False, link=None, known_lag=None),
        fleets.cluster("id", [(0, 1, 0)], name="Middle"),
    ]
    text = fleet.render(fleets.fleet(clusters, problems=["Audit x cannot be read: <why>."]))
    assert cells(text) == [
        [
            "alpha incomplete",
            "2026-04-22 12:00 UTC old",
            "5",
            "5",
            "10",
            "4",
            "unknown",
            "audits/20260601T120000Z-00000001/report.html",
        ],
        ["Middle", "2026-06-01 12:00 UTC old", "1", "0", "10", "4", "7", "Report"],
        ["zeta", "2026-06-01 12:00 UTC old", "15", "3", "10", "4", f"{2**64:,}", "Report"],
    ]
    assert [bool(mark) for mark in re.findall(r"<tr data-audited=\"\d+\"( class=\"old\")?>", text)] == [
        True,
        False,
        False,
    ]
    assert re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", text) == [
        ("Clusters", "3"),
        ("Old audits", "1"),
        ("Groups", "21"),
        ("Stale groups", "8"),
        ("Findings", "30"),
        ("In the plans", "12"),
    ]
    assert "Audit x cannot be read: &lt;why&gt;." in text
    # only one cluster has several audits: groups, stale groups and lag
    assert re.findall(r'<polyline points="(.*?)"', text) == [
        "0.0,12.8 60.0,6.4 120.0,0.0",
        "0.0,21.3 60.0,10.7 120.0,0.0",
        "0.0,0.0 60.0,0.0 120.0,0.0",
    ]
    assert fleet.render(fleets.fleet(clusters[::-1], problems=["Audit x cannot be read: <why>."])) == text


def test_an_empty_page() -> None:
    text = fleet.render(fleets.fleet([], problems=["Audit x cannot be read: why."]))
    assert "No audit can be read." in text
    assert "Over time" not in text


def test_hostile_names_are_text() -> None:
    nasty = "</script><script>x</script>\u202e"
    clusters = [fleets.cluster(nasty, [(0, 1, 0)], name=name, link=None, report=nasty) for name in (None, nasty)]
    text = fleet.render(fleets.fleet(clusters, problems=[nasty], location=nasty))
    assert len(re.findall("<script", text)) == 1
    assert "\u202e" not in text


@pytest.mark.parametrize(
    ("path", "folder", "url"),
    [
        ("/data/audits/1/report.html", "/data", "./audits/1/report.html"),
        ("/data/audits/1/report.html", "/srv/www", "./../../data/audits/1/report.html"),
        ("/a b/c:d/%41.html", "/a b", "./c%3Ad/%2541.html"),
        ("/data/\udcff/report.html", "/data", "./%FF/report.html"),
    ],
)
def test_links_to_reports(path: str, folder: str, url: str) -> None:
    assert fleet.relative(path, folder) == url


def test_what_the_module_returns() -> None:
    returned = fleets.cluster("a", [(1, 9, 1), (0, 12, 2)], name="n", old=True).returned()
    assert returned == {
        "cluster_id": "a",
        "name": "n",
        "audit_id": "20260601T120000Z-00000001",
        "audited_at": "2026-06-01T12:00:00+00:00",
        "old": True,
        "complete": True,
        "audits": 2,
        "report": "/data/a/report.html",
        "groups": 12,
        "stale_groups": 2,
        "findings": 10,
        "planned": 4,
        "known_lag": 7,
    }
