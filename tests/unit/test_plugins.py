# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the roles compute: the filters and the tests of the collection."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.kafkaops.groups.plugins.filter.lag_above import lag_above
from ansible_collections.kafkaops.groups.plugins.filter.matching import matching
from ansible_collections.kafkaops.groups.plugins.filter.newly_stale import newly_stale
from ansible_collections.kafkaops.groups.plugins.filter.not_restored import not_restored
from ansible_collections.kafkaops.groups.plugins.filter.offsets_csv import offsets_csv
from ansible_collections.kafkaops.groups.plugins.filter.plan_review import plan_review
from ansible_collections.kafkaops.groups.plugins.filter.reset_offsets import reset_offsets
from ansible_collections.kafkaops.groups.plugins.filter.restore_review import restore_review
from ansible_collections.kafkaops.groups.plugins.filter.saved_offsets import saved_offsets
from ansible_collections.kafkaops.groups.plugins.filter.shares import shares
from ansible_collections.kafkaops.groups.plugins.filter.stale_groups import stale_groups
from ansible_collections.kafkaops.groups.plugins.filter.topics_in_use import topics_in_use
from ansible_collections.kafkaops.groups.plugins.test.broken_off import broken_off
from ansible_collections.kafkaops.groups.plugins.test.installed_collection import installed_collection
from ansible_collections.kafkaops.groups.plugins.test.matching import matching as is_matching

pytestmark = pytest.mark.fast

AT = {"topic": "t", "partition": 0}
OLD = {"group": "old", "offsets": [{}, {}, {}], "evidence": "no commit for 9 days"}
WASTE = {"group": "live", **AT, "evidence": "the topic is gone"}
PLAN = {"delete_groups": [OLD], "delete_offsets": [WASTE], "judged": {"groups": 4, "offsets": 10}, "created": "now"}
DELETE_GROUP = {"group": "old", "action": "delete_group", "changed": True}
DELETE_OFFSET = {"group": "live", **AT, "action": "delete_offset", "changed": True}
IDLE = {"action": "none", "changed": False}
USED = {**IDLE, "left_alone": "it has members"}


@pytest.mark.parametrize(
    ("results", "lines", "lost", "rest"),
    [
        ([], [], (0, 0), (1, 1)),
        ([DELETE_GROUP], ["Group old: no commit for 9 days"], (1, 3), (1, 1)),
        ([DELETE_OFFSET], ["Offset of t-0 of group live: the topic is gone"], (1, 1), (1, 1)),
        (
            [DELETE_GROUP, DELETE_OFFSET],
            ["Group old: no commit for 9 days", "Offset of t-0 of group live: the topic is gone"],
            (2, 4),
            (1, 1),
        ),
        ([{"group": "old", **USED}], ["Skipped: old: it has members"], (0, 0), (0, 1)),
        ([{"group": "live", **AT, **USED}], ["Skipped: t-0 of group live: it has members"], (0, 0), (1, 0)),
        # gone by itself: neither deleted nor left alone
        ([{"group": "old", **IDLE}], [], (0, 0), (1, 1)),
    ],
)
def test_what_check_mode_says_of_a_plan(results: list[Any], lines: list[str], lost: Any, rest: Any) -> None:
    found = plan_review(PLAN, results)
    assert found["lines"] == lines
    assert found["lost"] == {"groups": [lost[0], 4], "committed offsets": [lost[1], 10]}
    assert found["rest"] == {**PLAN, "delete_groups": [OLD][: rest[0]], "delete_offsets": [WASTE][: rest[1]]}


def test_a_plan_without_its_skipped_entries_is_no_longer_the_approved_one() -> None:
    approved = {**PLAN, "approved_by": "alice", "approved_at": "now", "digest": "0"}
    assert plan_review(approved, [DELETE_GROUP])["rest"] == approved
    assert plan_review(approved, [{"group": "old", **USED}])["rest"] == {**PLAN, "delete_groups": []}


def test_the_share_of_owners_is_of_what_they_own() -> None:
    judged = {"a": {"groups": 2, "offsets": 5}, "b": {"groups": 1, "offsets": 3}, "c": {"groups": 1, "offsets": 2}}
    plan = {**PLAN, "owners": judged}
    assert plan_review(plan, [DELETE_GROUP], ["a"])["lost"] == {"groups": [1, 2], "committed offsets": [3, 5]}
    assert plan_review(plan, [DELETE_GROUP], ["a", "b", "a"])["lost"] == {
        "groups": [1, 3],
        "committed offsets": [3, 8],
    }
    assert plan_review(plan, [DELETE_GROUP], [])["lost"] == {"groups": [1, 4], "committed offsets": [3, 10]}


def test_a_group_that_loses_two_offsets_is_one_group() -> None:
    plan = {**PLAN, "delete_offsets": [WASTE, {**WASTE, "partition": 1}]}
    assert plan_review(plan, [DELETE_OFFSET, {**DELETE_OFFSET, "partition": 1}])["lost"]["groups"] == [1, 4]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"groups": [3, 4]}, [{"share": 75.0, "words": "3 of the 4 groups (75.000 %)"}]),
        (
            {"groups": [0, 4], "topics": [1, 3]},
            [{"share": pytest.approx(100 / 3), "words": "1 of the 3 topics (33.333 %)"}],
        ),
        ({"groups": [0, 0]}, []),
        # a plan that was written by hand
        ({"groups": [2, 0]}, [{"share": 200.0, "words": "2 of the 0 groups (200.000 %)"}]),
    ],
)
def test_shares(parts: Any, expected: list[Any]) -> None:
    assert shares(parts) == expected


BACKUP = {
    "format": "kafkaops.groups/backup",
    "version": 2,
    "cluster_id": "c",
    "groups": [{"name": "g", "offsets": [{**AT, "offset": 5}]}, {"name": "h", "offsets": [{**AT, "offset": 6}]}],
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (json.dumps(BACKUP), [(0, 5)]),
        (json.dumps({**BACKUP, "version": 1}), [(0, 5)]),
        (json.dumps({**BACKUP, "groups": []}), []),
        (json.dumps({**BACKUP, "version": 3}), None),
        (json.dumps({**BACKUP, "cluster_id": "another"}), None),
        (json.dumps({**BACKUP, "format": "kafkaops.groups/plan"}), None),
        (json.dumps({**BACKUP, "groups": [{}]}), None),
        ("[]", None),
        ("t,0,5\n", [(0, 5)]),
        ('"t",0,5\r\n"t",1,7', [(0, 5), (1, 7)]),
        ("g,t,0,5\nh,t,0,6\n", [(0, 5)]),
        ("\nt,0,5\n\n", [(0, 5)]),
        ("t,0,-5\n", None),
        ("t,0,five\n", None),
        ("t,0\n", None),
        (",0,5\n", None),
        ("t,0,5\nnonsense\n", None),
        ("", None),
        ("\n", None),
    ],
)
def test_offsets_of_a_file(text: str, expected: list[tuple[int, int]] | None) -> None:
    found = saved_offsets(text, "g", "c")
    assert (None if found is None else [(each["partition"], each["offset"]) for each in found]) == expected


LOGS = [
    {"name": "in", "log": [{"partition": 0, "start": 10, "end": 20}, {"partition": 1, "start": 0, "end": 5}]},
    {"name": "between", "log": [{"partition": 0, "start": 3, "end": 9}]},
    {"name": "other", "log": [{"partition": 0, "start": 0, "end": 1}]},
]
KNOWN = [{"topic": "in", "partition": 0, "offset": 15}]


@pytest.mark.parametrize(
    ("to", "value", "known", "expected"),
    [
        ("earliest", None, [], [10, 0]),
        ("latest", None, [], [20, 5]),
        ("offset", 4, [], [10, 4]),
        ("offset", 99, [], [20, 5]),
        ("shift", -2, KNOWN, [13, 3]),
        ("shift", 100, KNOWN, [20, 5]),
        ("timestamp", None, KNOWN, [15]),
        ("duration", None, [{"topic": "in", "partition": 1, "after": {"offset": 2}}], [2]),
        ("file", None, [{"topic": "in", "partition": 0, "offset": 1}], [10]),
        ("file", None, [], []),
        ("delete", None, KNOWN, []),
    ],
)
def test_where_a_streams_application_begins_again(to: str, value: int | None, known: Any, expected: list[int]) -> None:
    found = reset_offsets(LOGS, ["in"], ["between"], to, value, known)
    assert [each["offset"] for each in found if each["topic"] == "in"] == expected
    assert [each for each in found if each["topic"] != "in"] == [
        {"topic": "between", "partition": 0, "offset": 9, "metadata": ""}
    ]


def group(name: str, *topics: str, **given: Any) -> dict[str, Any]:
    """A group with one member that subscribes to topics, or without members."""
    members = [{"topics": [*topics], "assignment": []}] if topics else []
    return {
        "name": name,
        "members": members,
        "offsets": [],
        "type": "classic",
        "protocol_type": "consumer",
        "assignor": "range",
        **given,
    }


def committed(*topics: str) -> list[dict[str, Any]]:
    return [{"topic": topic, "partition": partition} for topic in topics for partition in (0, 1)]


STREAMS = {"assignor": "stream"}
HIDDEN = [{"topics": None, "assignment": None}]
ASSIGNED = [{"topics": [], "assignment": [{"topic": "t"}]}]


@pytest.mark.parametrize(
    ("groups", "topics", "found"),
    [
        ([], ["t"], {}),
        ([group("stays", "t", "u")], ["t"], {"read": ["t"]}),
        ([group("goes", "t")], ["t"], {}),
        ([group("stays", members=ASSIGNED)], ["t"], {"read": ["t"]}),
        ([group("stays", "t", protocol_type="connect")], ["t"], {}),
        ([group("stays", offsets=committed("t", "u"))], ["t"], {"committed": ["t (stays)"]}),
        ([group("a", offsets=committed("t")), group("b", offsets=committed("t"))], ["t"], {"committed": ["t (a, b)"]}),
        ([group("goes", offsets=committed("t"))], ["t"], {}),
        ([group("stays", offsets=None)], ["t"], {}),
        ([group("stays", members=HIDDEN)], ["t"], {"hidden": ["stays"], "unknown": ["group stays is rebalancing"]}),
        # looked at again: the first counts
        ([group("stays", "u"), group("stays", members=HIDDEN)], ["t"], {}),
        # changelogs belong to the application with the longest name that they begin with
        ([group("app", "in", **STREAMS)], ["app-sums-changelog"], {"read": ["app-sums-changelog"]}),
        ([group("app", "in", type="streams")], ["app-sums-changelog"], {"read": ["app-sums-changelog"]}),
        ([group("app", "in")], ["app-sums-changelog"], {}),
        ([group("app", **STREAMS)], ["app-sums-changelog"], {}),
        ([group("app", "in", **STREAMS)], ["app-sums-repartition", "application-sums-changelog"], {}),
        ([group("app", "in", **STREAMS), group("app-two")], ["app-two-sums-changelog"], {}),
        (
            [group("app"), group("app-two", "in", **STREAMS)],
            ["app-two-a-b-changelog"],
            {"read": ["app-two-a-b-changelog"]},
        ),
    ],
)
def test_topics_that_groups_use_that_stay(groups: list[Any], topics: list[str], found: dict[str, list[str]]) -> None:
    empty: dict[str, list[str]] = {"read": [], "committed": [], "hidden": [], "unknown": [], "forbidden": []}
    assert topics_in_use(groups, topics, ["goes"]) == {**empty, **found}


@pytest.mark.parametrize(
    ("error", "unknown", "forbidden"),
    [
        ({"group": "g", "error": {"name": "COORDINATOR_NOT_AVAILABLE"}}, ["group g could not be described"], []),
        ({"address": "b:1", "error": {"name": None}}, ["the broker at b:1 did not list its groups"], []),
        ({"group": "g", "error": {"name": "GROUP_AUTHORIZATION_FAILED"}}, [], ["g"]),
        ({"group": "goes", "error": {"name": "TOPIC_AUTHORIZATION_FAILED"}}, [], []),
    ],
)
def test_what_could_not_be_asked_is_not_known(error: Any, unknown: list[str], forbidden: list[str]) -> None:
    found = topics_in_use([], ["t"], ["goes"], [error])
    assert (found["unknown"], found["forbidden"]) == (unknown, forbidden)


def restored(group: str, before: int | None, after: int, **given: Any) -> dict[str, Any]:
    """A result of a restore."""
    return {
        "group": group,
        **AT,
        "before": None if before is None else {"offset": before},
        "after": {"offset": after},
        "action": "set_offset",
        "changed": True,
        "failed": False,
        **given,
    }


FAILS = {"changed": False, "failed": True, "error": {"message": "The group has members."}}
CANNOT = "Group g, t-0: now {}, cannot be set: The group has members."


@pytest.mark.parametrize(
    ("results", "lines", "repeated", "moved"),
    [
        ([], [], [], []),
        ([restored("g", None, 5)], ["Group g, t-0: 5, now none"], [], []),
        ([restored("g", 7, 5)], ["Group g, t-0: 5, now 7"], [], ["g"]),
        ([restored("g", 7, 7, **FAILS)], [CANNOT.format(7)], [], ["g"]),
        ([restored("g", None, 5, **FAILS) | {"after": None}], [CANNOT.format("none")], [], []),
        ([restored("g", 5, 5, changed=False, action="none")] * 2, [], ["g"], []),
        (
            [restored("g", 5, 5, changed=False, action="none"), restored("h", None, 5)],
            ["Group h, t-0: 5, now none"],
            [],
            [],
        ),
    ],
)
def test_what_a_restore_would_set(results: list[Any], lines: list[str], repeated: list[str], moved: list[str]) -> None:
    assert restore_review(results) == {"lines": lines, "repeated": repeated, "moved": moved}


@pytest.mark.parametrize(
    ("done", "foreseen", "expected"),
    [
        (restored("g", None, 5), restored("g", None, 5), []),
        (restored("g", 9, 9, action="none"), restored("g", None, 5), ["g"]),
        (restored("g", 5, 5, action="none"), restored("g", None, 5), []),
        # it could not be looked at
        (restored("g", 9, 9, action="none"), restored("g", None, 9, failed=True), ["g"]),
    ],
)
def test_what_was_not_restored(done: Any, foreseen: Any, expected: list[str]) -> None:
    assert not_restored([done], [foreseen]) == expected


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"failed": True, "msg": "The task did not end in time."}, True),
        ({"failed": True}, True),
        ({"failed": True, "msg": "names is empty. Nothing was sent."}, False),
        ({"failed": True, "msg": "1 of 2 groups failed", "results": []}, False),
        ({"failed": False}, False),
        ({"skipped": True}, False),
        ({}, False),
    ],
)
def test_a_task_that_broke_off(result: dict[str, Any], expected: bool) -> None:
    assert broken_off(result) is expected


@pytest.mark.parametrize(
    ("groups", "patterns", "expected"),
    [
        (["a-1", "b-1"], "a-*", ["a-1"]),
        (["a-1", "b-1", "c"], ["b*", "~[ac]"], ["b-1", "c"]),
        ([{"name": "a"}, {"name": "b"}], "b", [{"name": "b"}]),
        (["a"], "A", []),
        ([], "*", []),
    ],
)
def test_matching(groups: list[Any], patterns: Any, expected: list[Any]) -> None:
    assert matching(groups, patterns) == expected


@pytest.mark.parametrize(
    ("groups", "patterns", "words"),
    [
        (["a"], "~(", r"matching: patterns: '~\(' is not a regular expression"),
        (["a"], [], "matching: patterns is an empty list"),
        (["a"], None, "matching: patterns is null"),
        (["a"], '["a*"]', "is a list in a string: set a list"),
        ([7], "*", "matching: 7 is not the name of a group"),
        ([{"group": "a"}], "*", "is not the name of a group, and has no name"),
    ],
)
def test_what_does_not_match(groups: list[Any], patterns: Any, words: str) -> None:
    with pytest.raises(AnsibleFilterError, match=words):
        matching(groups, patterns)


@pytest.mark.parametrize(
    ("group", "patterns", "expected"),
    [
        ("team-a", ["team-*"], True),
        ("team-a", "team-*", True),
        ("team-a", ["b", "~team-[a-c]"], True),
        ("my-team-a", ["team-*"], False),
        ("team-a-1", ["~team-[a-c]"], False),
        ("Team-a", ["team-*"], False),
        ({"name": "team-a", "state": "Empty"}, ["team-?"], True),
        ({"name": "b"}, ["team-?"], False),
    ],
)
def test_a_group_is_matching(group: Any, patterns: Any, expected: bool) -> None:
    assert is_matching(group, patterns) is expected
    assert matching([group], patterns) == [group] * expected


@pytest.mark.parametrize(
    ("group", "patterns", "words"),
    [
        ("a", "~(", r"matching: patterns: '~\(' is not a regular expression"),
        ("a", [], "matching: patterns is an empty list"),
        # the whole list, and not one of its groups
        (["a"], "*", r"matching: \['a'\] is not the name of a group"),
        (None, "*", "matching: None is not the name of a group"),
    ],
)
def test_what_is_neither_matching_nor_not(group: Any, patterns: Any, words: str) -> None:
    with pytest.raises(AnsibleFilterError, match=words):
        is_matching(group, patterns)


LAGS = [{"name": "none", "lag": None}, {"name": "even", "lag": 10}, {"name": "above", "lag": 11}]


@pytest.mark.parametrize(("unknown", "expected"), [(True, ["none", "above"]), (False, ["above"])])
def test_lag_above(unknown: bool, expected: list[str]) -> None:
    assert [group["name"] for group in lag_above(LAGS, 10, unknown)] == expected


@pytest.mark.parametrize(
    ("groups", "limit", "words"),
    [
        ([{"name": "g"}], 10, r"group 'g' has no lag: set gather to \[lag\]"),
        (LAGS, "10", "the limit is '10', and must be an integer"),
        (LAGS, None, "the limit is None"),
        # the whole result of the module, and not its groups
        ({"groups": LAGS}, 10, "'groups' is not a group: use the groups of consumer_group_info"),
    ],
)
def test_lag_that_cannot_be_compared(groups: Any, limit: Any, words: str) -> None:
    with pytest.raises(AnsibleFilterError, match=words):
        lag_above(groups, limit)


@pytest.mark.parametrize("groups", [{"groups": [{"name": "orders"}]}, "orders"])
def test_what_is_no_list_does_not_match_silently(groups: Any) -> None:
    with pytest.raises(AnsibleFilterError, match="is not a list of groups"):
        matching(groups, "*")


OFFSETS = [{"topic": "orders", "partition": 0, "offset": 5, "lag": 2}, {"topic": "bills", "partition": 1, "offset": 0}]
DONE = {
    "action": "set_offset",
    "group": "g",
    "topic": "orders",
    "partition": 2,
    "failed": False,
    "after": {"offset": 9},
}


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ([], ""),
        ([{"name": "g", "offsets": []}], ""),
        ([{"name": "g", "offsets": OFFSETS}], "orders,0,5\nbills,1,0\n"),
        (
            [{"name": "g", "offsets": OFFSETS[:1]}, {"name": "h, i", "offsets": OFFSETS[1:]}],
            'g,orders,0,5\n"h, i",bills,1,0\n',
        ),
        ([DONE, DONE | {"failed": True}, DONE | {"after": None}], "orders,2,9\n"),
        ([DONE, DONE | {"group": "h"}], "g,orders,2,9\nh,orders,2,9\n"),
        ([DONE, DONE | {"group": "h", "failed": True}], "g,orders,2,9\n"),
        ([{"name": "g", "offsets": OFFSETS[:1]}, {"name": "h", "offsets": []}], "g,orders,0,5\n"),
        ([DONE | {"partition": None, "action": "none", "after": None}], ""),
    ],
)
def test_offsets_csv(found: list[Any], text: str) -> None:
    assert offsets_csv(found) == text


@pytest.mark.parametrize("found", [[None], ["g"], [{"group": "g", "action": "set_config"}], [{"name": "g"}]])
def test_what_is_no_offsets(found: Any) -> None:
    with pytest.raises(AnsibleFilterError, match="the input must be groups of consumer_group_info with offsets"):
        offsets_csv(found)


def test_groups_that_a_file_does_not_distinguish() -> None:
    groups = [{"name": name, "type": type_, "offsets": OFFSETS} for name, type_ in (("g", "classic"), ("s", "share"))]
    with pytest.raises(AnsibleFilterError, match="contains share groups and other groups, which a CSV file does not"):
        offsets_csv(groups)
    assert offsets_csv(groups[1:]) == "orders,0,5\nbills,1,0\n"


def test_unknown_offsets_are_not_written() -> None:
    with pytest.raises(AnsibleFilterError, match="the offsets of group 'g' are unknown"):
        offsets_csv([{"name": "g", "offsets": None}])


def test_stale_groups() -> None:
    plan = {"format": "kafkaops.groups/plan", "version": 1, **PLAN, "delete_groups": [{"group": "b"}, {"group": "a"}]}
    assert stale_groups(plan) == ["a", "b"]


@pytest.mark.parametrize("other", [None, [], {}, {"format": "kafkaops.groups/plan", "version": 2}, "plan.json"])
def test_stale_groups_of_what_is_no_plan(other: Any) -> None:
    with pytest.raises(AnsibleFilterError, match="this is not a plan of version 1"):
        stale_groups(other)


NOW = {"cluster_id": "here", "criteria": {"stale_after": "30d", "include": ["*"]}, "created": "2026-01-03"}


def before(*names: str, **changed: Any) -> str:
    """The content of an earlier plan that lists these groups."""
    return json.dumps({**NOW, "created": "2026-01-02", "delete_groups": [{"group": name} for name in names], **changed})


OTHER_CLUSTER = before("a", cluster_id="there")
OTHER_CRITERIA = before("a", criteria={"stale_after": "30d", "include": ["a*"]})
APPROVED_BEFORE = before("a", approved_by="alice", approved_at="2026-01-02", digest="0")


@pytest.mark.parametrize(
    ("earlier", "new"),
    [
        ([before("old")], ["b", "a"]),
        ([before()], ["b", "old", "a"]),
        ([], None),
        *(([text], None) for text in (OTHER_CLUSTER, OTHER_CRITERIA, APPROVED_BEFORE)),
        ([OTHER_CLUSTER, before("old"), OTHER_CRITERIA, APPROVED_BEFORE], ["b", "a"]),
        # the latest, wherever it is in the list
        ([before("b", created="2026-01-01"), before("old")], ["b", "a"]),
        ([before("old"), before("b", created="2026-01-01")], ["b", "a"]),
        # a copy of the same plan without what was skipped
        ([before("old"), before("old", "b"), before()], ["a"]),
        *(([text], None) for text in ("", "{", "[]", "{}", before(delete_groups=[1]), before(delete_groups=[{}]))),
        (["", before("old")], ["b", "a"]),
    ],
)
def test_what_the_latest_comparable_plan_does_not_list(earlier: list[str], new: list[str] | None) -> None:
    assert newly_stale(["b", "old", "a"], earlier, NOW) == new


@pytest.mark.parametrize(
    ("name", "installed"), [("kafkaops.groups", True), ("kafkaops.no_such", False), ("no_such.collection", False)]
)
def test_collections_are_found(name: str, installed: bool) -> None:
    assert installed_collection(name) is installed
