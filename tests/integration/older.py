# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of a target as an older version of Kafka needs them: without the groups that it cannot have.

Cases go on without these groups; what a version does not tell is expected to be null, and what it refuses to fail.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

#: The members that brokers of every version have. librdkafka speaks the KIP-848 of 4.0 only.
CLASSIC = frozenset({"classic", "connect"})
STATES, TOPIC_IDS, TYPES, NEW_KINDS = (2, 6), (2, 8), (3, 8), (4, 0)
#: From here on a group stays for a while after its last offset went.
NEW_COORDINATOR = (3, 9)


def fit(target: str, given: Mapping[str, Any], version: str) -> dict[str, Any]:
    """Return the variables of a target for a version such as C(2.4.1)."""
    release = tuple(map(int, version.split(".")))
    if release >= NEW_KINDS:
        return dict(given)
    members = given["world"].get("members", ())
    lacking = {member["group"] for member in members if member.get("kind", "classic") not in CLASSIC}
    if release < NEW_COORDINATOR:
        # such brokers create it when somebody asks for it
        lacking.add("__transaction_state")
    # a variable may have the name of a group
    fitted: dict[str, Any] = {name: _without(value, lacking) for name, value in given.items()}
    for cases in fitted.keys() & {"cases", "planned", "restorations"}:
        fitted[cases] = [_counted(case) for case in fitted[cases] if _left(case["args"], lacking)]
    if "restored_epoch" in fitted and release < TOPIC_IDS:
        fitted["restored_epoch"] = -1
    if release < NEW_COORDINATOR:
        fitted["cases"] = [_emptied(case) for case in fitted["cases"]]
    if target == "consumer_group_info":
        fitted["cases"] = [_listed(case, release) for case in fitted["cases"]]
        untold = {"type": None} if release < TYPES else {}
        untold |= {"state": None} if release < STATES else {}
        fitted["listed"] = [{**group, **untold} for group in fitted["everything"]]
    if "topic_ids" in fitted:
        fitted["topic_ids"] = release >= TOPIC_IDS
    return fitted


def _without(value: Any, lacking: set[str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _without(one, lacking) for key, one in value.items() if key not in lacking}
    if isinstance(value, list):
        return [_without(one, lacking) for one in value if not _of(one, lacking)]
    return value


def _of(value: Any, lacking: set[str]) -> bool:
    if isinstance(value, Mapping):
        return any(value.get(key) in lacking for key in ("group", "topic", "name"))
    return isinstance(value, str) and value in lacking


def _left(args: Mapping[str, Any], lacking: set[str]) -> bool:
    """Whether a task is still about some group."""
    named = [args[option] for option in ("names", "name", "group", "groups") if option in args]
    return all(name and not _of(name, lacking) for name in named)


def _counted(case: dict[str, Any]) -> dict[str, Any]:
    """Return a case with how many of its results fail; a string is an expression, which has no such groups."""
    results = case.get("results")
    if not isinstance(results, list) or not results:
        return case
    if not any("left_alone" in result for result in results):
        case = {key: value for key, value in case.items() if key != "warning" or not value.startswith("plan: ")}
    if "msg" not in case:
        return case
    failed = sum(bool(result.get("failed") or "error" in result) for result in results)
    if not failed:
        return {key: value for key, value in case.items() if key != "msg"}
    total = case.get("summary", {}).get("total", len(results))
    return {**case, "msg": re.sub(r"^\^?\d+ of \d+ failed.*", f"^{failed} of {total} failed", case["msg"])}


def _emptied(case: dict[str, Any]) -> dict[str, Any]:
    """Return a case after which groups without members and offsets are gone."""
    after = case.get("after")
    if not isinstance(after, dict):
        return case
    return {**case, "after": {name: None if group == {"offsets": []} else group for name, group in after.items()}}


def _listed(case: dict[str, Any], release: tuple[int, ...]) -> dict[str, Any]:
    """Return a case of C(consumer_group_info) that lists: filters that the version lacks are refused, in words."""
    asked = case["args"]
    if "match" not in asked or "msg" in case:
        return case
    if asked.get("states") and release < STATES:
        return {**case, "groups": [], "msg": "UNSUPPORTED_VERSION: .* older than Kafka 2.6"}
    if "share" in asked.get("types", ()) and release < TYPES:
        return {**case, "groups": [], "msg": "UNSUPPORTED_VERSION: .* older than Kafka 3.8"}
    return case
