# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Review a plan as CSV, and approve the selected entries: files only, without brokers."""

from __future__ import annotations

import collections.abc as c
import contextlib
import datetime
import os
import typing as t

from .. import _input as inputs
from .._errors import TaskError
from .._files import new_file, plan_csv
from .._files import plan as plan_file
from .._files.plan import Approval, Plan
from ._plan_changes import owners

Result = dict[str, t.Any]


class Request(t.NamedTuple):
    """The task: the plan, the file to write, and for an approval who approves which entries.

    Attributes:
        review_csv: the CSV file to write, None for an approval.
        dest: the approved plan to write, None for a review.
        matches: whether a group is selected by its name.
        owners: the owners whose entries are selected, None for all.
        selected_csv: the CSV file whose lines select entries, None for all that match.
    """

    plan: str
    review_csv: str | None
    dest: str | None
    approved_by: str
    matches: c.Callable[[str], bool]
    owners: list[str] | None
    selected_csv: str | None


def parse(params: dict[str, t.Any]) -> Request:
    """Return what C(plan_approval) asks for; raises TaskError where an option cannot be."""
    dest = inputs.optional_path(params["dest"], "dest")
    review_csv = inputs.optional_path(params["review_csv"], "review_csv")
    approver = (params["approved_by"] or "").strip()
    return Request(
        inputs.path(inputs.needed(params["plan"], "plan"), "plan"),
        inputs.needed(review_csv, "review_csv") if dest is None else None,
        dest,
        approver if dest is None else inputs.text(approver, "approved_by"),
        inputs.patterns(params["match"], "match"),
        owners(params, "dest"),
        inputs.optional_path(params["selected_csv"], "selected_csv"),
    )


def review_or_approve(request: Request, check_mode: bool) -> Result:
    """Write the CSV file or the approved plan, and return the result of the module.

    Raises:
        TaskError: a file cannot be read or written, or has other content already.
    """
    plan = plan_file.load(request.plan, "plan")
    if request.review_csv is not None:
        return _review(plan, request.review_csv, check_mode)
    selected = None if request.selected_csv is None else plan_csv.read(request.selected_csv, "selected_csv", plan)
    chosen = select(plan.owned_by(request.owners), request.matches, selected)
    return _approve(plan, chosen, t.cast(str, request.dest), request.approved_by, check_mode)


def select(plan: Plan, matches: c.Callable[[str], bool], selected: set[plan_csv.Key] | None) -> Plan:
    """Return a plan with the selected entries only, which nobody has approved."""

    def included(entry: plan_csv.Entry) -> bool:
        return matches(entry.group) and (selected is None or plan_csv.key(entry) in selected)

    return plan._replace(
        delete_groups=[entry for entry in plan.delete_groups if included(entry)],
        delete_offsets=[entry for entry in plan.delete_offsets if included(entry)],
        approval=None,
    )


def _review(plan: Plan, path: str, check_mode: bool) -> Result:
    text = plan_csv.text(plan)
    written = os.path.lexists(path)
    if written and not _has(path, text):
        raise new_file.exists(path, "review_csv", ", with other content,")
    if not written:
        new_file.check(path, "review_csv")
        if not check_mode:
            new_file.write(path, [text], "review_csv")
    return _result(not written, path, plan, plan, [])


def _has(path: str, text: str) -> bool:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read() == text
    except (OSError, ValueError):
        return False


def _approve(plan: Plan, chosen: Plan, path: str, approver: str, check_mode: bool) -> Result:
    approved = _approved_before(path, chosen, approver)
    if approved is not None:
        return _result(False, path, plan, approved, [])
    approved = chosen._replace(approval=Approval(approver, datetime.datetime.now(datetime.UTC)))
    new_file.check(path, "dest")
    if not check_mode:
        plan_file.write_new(path, approved, "dest")
    return _result(True, path, plan, approved, plan_csv.entries(plan))


def _approved_before(path: str, chosen: Plan, approver: str) -> Plan | None:
    """Return what an earlier run of the task has written, None if there is no file; raises TaskError if it differs."""
    if not os.path.lexists(path):
        return None
    with contextlib.suppress(TaskError):
        existing = plan_file.load(path, "dest")
        if existing.approval is not None:
            expected = chosen._replace(approval=Approval(approver, existing.approval.at))
            if plan_file.digest(existing) == plan_file.digest(expected):
                return existing
    raise new_file.exists(path, "dest", ", with other content,")


def _result(changed: bool, path: str, plan: Plan, written: Plan, before: c.Sequence[plan_csv.Entry]) -> Result:
    """Return the result; `before` are the entries that the diff shows as they were."""
    entries = plan_csv.entries(written)
    return {
        "changed": changed,
        "path": path,
        "plan": plan_file.approval_result(written),
        "summary": {
            "delete_groups": len(written.delete_groups),
            "delete_offsets": len(written.delete_offsets),
            "omitted": len(plan_csv.entries(plan)) - len(entries),
        },
        "diff": {"before": _lines(before), "after": _lines(entries if changed else [])},
    }


def _lines(entries: c.Iterable[plan_csv.Entry]) -> str:
    return "".join(f"{plan_csv.key(entry)}\n" for entry in entries)
