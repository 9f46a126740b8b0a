# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a module returns of its warnings, however its task ends."""

from __future__ import annotations

import collections
import json
import typing as t
from types import SimpleNamespace as Simple

import pytest
from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.testing import patch_module_args
from ansible_collections.kafkaops.groups.plugins.module_utils import _ansible
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import CallError
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.results import Report


class Session:
    """A session whose task is run without brokers."""

    def __init__(self, *_connection: object) -> None:
        self.warnings: list[str] = []
        self.wire = Simple(requests=collections.Counter(), run=lambda operation, *args: operation(*args))

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_exc: object) -> None:
        pass


@pytest.mark.parametrize(
    "end",
    [{}, Report([]), Report([], problem="it failed"), TaskError("it failed."), CallError("it failed", sent=False)],
    ids=["answer", "report", "failed report", "TaskError", "CallError"],
)
def test_warnings_are_shown(end: t.Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(_ansible, "Session", Session)
    monkeypatch.setattr(_ansible, "collect_rarely", lambda: None)
    shown: list[str] = []
    # where it ends up depends on what else of Ansible is in the process
    monkeypatch.setattr(AnsibleModule, "warn", lambda _module, warning: shown.append(warning))

    def operation(_request: object, session: Session) -> t.Any:
        session.warnings.append("look at this")
        if isinstance(end, Exception):
            raise end
        return end

    with patch_module_args({"bootstrap_servers": ["h:1"]}), pytest.raises(SystemExit):
        _ansible.run({}, dict, operation)  # type: ignore[arg-type]
    returned = json.loads(capsys.readouterr().out)
    assert shown == ["look at this"]
    assert returned.get("msg") in ((None,) if end in ({}, Report([])) else ("it failed", "it failed."))
