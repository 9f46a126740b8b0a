# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a module returns of its warnings and items, however its task ends."""

from __future__ import annotations

import collections
import json
import pathlib
import typing as t
from types import SimpleNamespace as Simple

import pytest
from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.testing import patch_module_args
from ansible_collections.kafkaops.groups.plugins.module_utils import _ansible
from ansible_collections.kafkaops.groups.plugins.module_utils._audit import audit
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import CallError, error
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.results import (
    DELETE_GROUP,
    GroupTarget,
    Item,
    Report,
)

from tests.support.modules import module_of
from tests.unit.values import group


class Session:
    """A session whose task is run without brokers."""

    def __init__(self, *_connection: object) -> None:
        self.warnings: list[str] = []
        self.wire = Simple(requests=collections.Counter(), run=lambda operation, *args: operation(*args))

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_exc: object) -> None:
        pass


def test_the_request_of_an_audit_contains_the_files(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path
) -> None:
    """The Spark process gets the request, and not the options."""
    monkeypatch.setattr(_ansible, "Session", Session)
    monkeypatch.setattr(_ansible, "collect_rarely", lambda: None)
    monkeypatch.setenv("KAFKA_SSL_CA", "the content of a CA file")

    def operation(request: audit.Settings, _session: Session) -> t.Any:
        used = request.connection
        return {"files": [pathlib.Path(str(path)).read_text("ascii") for path in (used.ssl_cafile, used.ssl_certfile)]}

    spec = module_of("consumer_offsets_audit").spec
    given = {"bootstrap_servers": ["h:1"], "output": str(tmp_path), "ssl_certificate": "certificate and key"}
    with patch_module_args(given), pytest.raises(SystemExit):
        _ansible.run(spec, audit.parse, operation)  # type: ignore[arg-type]
    printed = capsys.readouterr().out
    # a certificate may contain the key, and is hidden as the key is
    assert json.loads(printed)["files"] == ["the content of a CA file", "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"]
    assert "certificate and key" not in printed


@pytest.mark.parametrize(
    ("end", "called"),
    [({}, False), (TaskError("it failed."), True), (CallError("it failed", sent=False), True)],
    ids=["answer", "TaskError", "CallError"],
)
def test_a_module_is_told_that_it_fails(end: t.Any, called: bool, run: t.Callable[..., str]) -> None:
    failed: list[t.Any] = []
    returned = json.loads(run(end, failed.append))
    assert returned.get("failed", False) is called
    assert [request["bootstrap_servers"] for request in failed] == ([["h:1"]] if called else [])


def unchanged(name: str) -> Item[GroupTarget]:
    return Item.unchanged(GroupTarget(name))


def planned(name: str) -> Item[GroupTarget]:
    return Item.planned(GroupTarget(name), DELETE_GROUP, group(name))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> t.Callable[..., str]:
    """Return how to run a module that ends in this way: it returns what the module prints."""
    monkeypatch.setattr(_ansible, "Session", Session)
    monkeypatch.setattr(_ansible, "collect_rarely", lambda: None)

    def run_module(end: t.Any, failed: t.Any = None, **options: t.Any) -> str:
        def operation(_request: object, session: Session) -> t.Any:
            session.warnings.append("look at this")
            if isinstance(end, Exception):
                raise end
            return end

        with patch_module_args({"bootstrap_servers": ["h:1"], **options}), pytest.raises(SystemExit):
            _ansible.run(_ansible.RESULTS_SPEC, dict, operation, failed=failed)  # type: ignore[arg-type]
        return capsys.readouterr().out

    return run_module


@pytest.mark.parametrize(
    "end",
    [{}, Report([]), Report([], problem="it failed"), TaskError("it failed."), CallError("it failed", sent=False)],
    ids=["answer", "report", "failed report", "TaskError", "CallError"],
)
def test_warnings_are_shown(end: t.Any, run: t.Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    # where it ends up depends on what else of Ansible is in the process
    monkeypatch.setattr(AnsibleModule, "warn", lambda _module, warning: shown.append(warning))
    returned = json.loads(run(end))
    assert shown == ["look at this"]
    assert returned.get("msg") in ((None,) if end in ({}, Report([])) else ("it failed", "it failed."))


@pytest.mark.parametrize("end", [Report, lambda items: TaskError("it failed.", items)], ids=["report", "TaskError"])
@pytest.mark.parametrize(
    ("detail", "shown"),
    [({}, ["same", "gone", "busy", "moved"]), ({"detail": "problems"}, ["busy", "moved"]), ({"detail": "summary"}, [])],
    ids=["full", "problems", "summary"],
)
def test_detail_selects_the_results(
    end: t.Callable[..., t.Any], detail: dict[str, str], shown: list[str], run: t.Callable[..., str]
) -> None:
    gone, busy, moved = (planned(name) for name in ("gone", "busy", "moved"))
    items = [
        unchanged("same"),
        gone,
        busy.failed(error("NON_EMPTY_GROUP", "in use")),
        moved.skipped("it is Stable now"),
    ]
    returned, full = (json.loads(run(end(items), _ansible_diff=True, **given)) for given in (detail, {}))
    assert [item["group"] for item in returned["results"]] == shown
    assert returned["summary"] == {"total": 4, "changed": 1, "unchanged": 2, "failed": 1, "left_alone": 1}
    # all else is as it is with all of them
    same = full.keys() - {"results", "invocation"}
    assert {name: returned[name] for name in same} == {name: full[name] for name in same}


def test_the_output_of_a_summary_does_not_grow_with_the_items(run: t.Callable[..., str]) -> None:
    report = Report([unchanged(f"group-{number}") for number in range(10_000)])
    assert len(run(report)) > 1_000_000
    assert len(run(report, detail="summary")) < 3_000
    assert len(run(report, detail="problems")) < 3_000


@pytest.mark.parametrize("end", [Report, lambda items: TaskError("it failed.", items)], ids=["report", "TaskError"])
@pytest.mark.parametrize(
    ("detail", "number", "repeated"),
    [
        ("full", 101, [f"h:{port}" for port in range(1, 102)]),
        ("problems", 100, [f"h:{port}" for port in range(1, 101)]),
        ("problems", 101, "101 entries"),
        ("summary", 101, "101 entries"),
    ],
)
def test_a_long_list_is_repeated_only_with_all_items(
    end: t.Callable[..., t.Any], detail: str, number: int, repeated: str | list[str], run: t.Callable[..., str]
) -> None:
    servers = [f"h:{port}" for port in range(1, number + 1)]
    returned = json.loads(run(end([unchanged("same")]), bootstrap_servers=servers, detail=detail))
    assert returned["invocation"]["module_args"]["bootstrap_servers"] == repeated
    assert returned["invocation"]["module_args"]["timeout"] == 120.0
