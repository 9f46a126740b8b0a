# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The twelve steps of a change: a module in check mode, for real, again, and again in check mode; each with its result,
what it changed by what another client sees, and what comes after it.

One action in the place of a task a step, since Ansible starts a process for each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ansible.module_utils.urls import open_url
from ansible.plugins.action import ActionBase
from ansible.utils.vars import merge_hash

PREDICTED = ("results", "summary", "changed", "failed", "msg", "diff", "backup_file")


class ActionModule(ActionBase):
    """Plays a C(module) with its C(args). C(look) is an address of tests.integration.world.seen, C(mutating) names the
    requests that change something.

    C(case) has: C(watch) (groups), C(results) (of each, what matters), C(summary) (where C(results) does not hold all
    items), C(after) (of the groups, what is different), C(others) (how many groups appear besides), C(requests) (some
    of those that were sent), C(returned) (other return values), C(msg) (a regular expression: the module fails with
    it), C(warning) (another), C(goes_on) (the second time changes something, too), C(predicts) (false: only the
    brokers know the outcome).
    """

    def run(self, tmp: None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        self._task.diff = True
        case = self._task.args["case"]
        before = self._see()
        predicted = self._play(True, task_vars)
        untouched = self._see()
        done = self._play(False, task_vars)
        after = self._see()
        again = self._play(False, task_vars)
        predicted_again = self._play(True, task_vars)
        end = self._see()
        wrong = [*self._prediction(predicted, done, untouched == before), *_change(case, done, before, after)]
        if not case.get("goes_on"):
            wrong += self._second(done, {"again": again, "again in check mode": predicted_again}, end == after)
        if not wrong:
            return {"changed": bool(done["changed"])}
        sentences = "; ".join(wrong)
        return {"failed": True, "msg": f"{sentences}.", "done": done, "before": before, "after": after}

    def _see(self) -> Any:
        """What another client sees."""
        with open_url(self._task.args["look"], use_proxy=False, timeout=120) as answer:
            return json.load(answer)

    def _play(self, check: bool, task_vars: dict[str, Any] | None) -> dict[str, Any]:
        """Run the module as a task does."""
        given = self._task.args
        self._task.check_mode = check
        result = self._execute_module(given["module"], given["args"], task_vars=task_vars)
        return {"failed": False, "changed": False, **result}

    def _sent(self, result: dict[str, Any]) -> list[str]:
        """Which changes were asked for."""
        return sorted(set(self._task.args["mutating"]) & result.get("requests", {}).keys())

    def _prediction(self, predicted: dict[str, Any], done: dict[str, Any], untouched: bool) -> Iterator[str]:
        if not untouched:
            yield "check mode changed something"
        if sent := self._sent(predicted):
            yield f"check mode sent {sent}"
        for name in PREDICTED if self._task.args["case"].get("predicts", True) else ():
            if predicted.get(name) != done.get(name):
                yield f"check mode has {name} {predicted.get(name)!r}, and the change {done.get(name)!r}"

    def _second(self, done: dict[str, Any], others: dict[str, dict[str, Any]], same: bool) -> Iterator[str]:
        if not same:
            yield "the second time changed something"
        for name, result in others.items():
            if result["changed"] or result.get("summary", {}).get("changed"):
                yield f"{name}: changed is true"
            if result["failed"] != done["failed"]:
                yield f"{name}: failed is {result['failed']}"
            if any(result.get("diff", {}).get(side) for side in ("before", "after")):
                yield f"{name}: there is a diff, {result['diff']}"
            if sent := self._sent(result):
                yield f"{name}: sent {sent}"


def _counted(case: dict[str, Any], results: list[dict[str, Any]]) -> dict[str, int]:
    """The summary that these results have."""
    if "summary" in case:
        return dict(case["summary"])
    changed = sum(bool(each["changed"]) for each in results)
    failed = sum(bool(each["failed"]) for each in results)
    left = sum("left_alone" in each for each in results)
    counts = {"total": len(results), "changed": changed, "unchanged": len(results) - changed - failed, "failed": failed}
    return counts | ({"left_alone": left} if left else {})


def _change(case: dict[str, Any], done: dict[str, Any], before: Any, after: Any) -> Iterator[str]:
    results, expected = done.get("results", []), case.get("results", [])
    if len(results) != len(expected):
        yield f"{len(results)} results, not {len(expected)}"
    for result, wanted in zip(results, expected, strict=False):
        if merge_hash(result, wanted) != result:
            yield f"the result is {result}, not {wanted}"
    counts = _counted(case, results)
    if done.get("summary", counts) != counts:
        yield f"the summary is {done['summary']}, not {counts}"
    if done["changed"] != (counts["changed"] > 0):
        yield f"changed is {done['changed']}"
    if done["failed"] != ("msg" in case) or not re.search(case.get("msg", ""), done.get("msg", "")):
        yield f"failed is {done['failed']}, with {done.get('msg')!r}"
    for name, wanted in case.get("returned", {}).items():
        if done.get(name) != wanted:
            yield f"{name} is {done.get(name)}, not {wanted}"
    requests = done.get("requests", {})
    if {**requests, **case.get("requests", {})} != requests:
        yield f"the requests are {requests}, not {case['requests']}"
    warnings = " ".join(map(str, done.get("warnings", [])))
    if not re.search(case.get("warning", ""), warnings):
        yield f"the warnings are {warnings!r}"
    if "Traceback" in str(done):
        yield "there is a traceback"
    if after["groups"] != merge_hash(before["groups"], case.get("after", {})):
        yield "the groups are others"
    if after["others"] != before["others"] + case.get("others", 0):
        yield f"there are {after['others']} other groups, after {before['others']}"
    for kind in ("topics", "configs"):
        if after.get(kind, {}) != {**before.get(kind, {}), **case.get(f"after_{kind}", {})}:
            yield f"the {kind} are others"
