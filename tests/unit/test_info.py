# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What consumer_group_info returns of a member, and of the lag of a group."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import error
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import (
    Group,
    Listing,
    Member,
    Offsets,
    ShareOffset,
    ShareOffsets,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _selection
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._find_groups import Found, Gathered, GroupLag
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._lag import assigned, group_lag
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.info import (
    _cut,
    _group_result,
    _member_result,
)

from tests.unit.values import at, group, member, offset, topic


@pytest.mark.parametrize(
    ("one", "state", "topics"),
    [
        (member(topics=("a", "b")), "Stable", ["a", "b"]),
        (member(topics=("a",)), "Reconciling", ["a"]),
        (member(topics=None), "PreparingRebalance", None),
        (member(topics=(), topic_regex="a.*"), "Stable", []),
        (member(topics=(), topic_regex="a.*"), "Assigning", None),
    ],
)
def test_topics_that_do_not_show_are_null(one: Member, state: str, topics: list[str] | None) -> None:
    assert _member_result(one, group(state=state))["topics"] == topics


READS = member(assignment=(at(0), at(1)))
LISTED = Listing("g", "classic", "consumer", "Stable", 1)
EMPTY = LISTED._replace(state="Empty")
UNKNOWN = error("REQUEST_TIMED_OUT")
LOGS = {at(0): (0, 10), at(1): (5, 20), at(2): (7, 7), at(3): UNKNOWN}


@pytest.mark.parametrize(
    ("listing", "described", "partitions"),
    [
        (LISTED, group("g", READS, member("n", assignment=(at(2),))), {at(0), at(1), at(2)}),
        (LISTED, group("g", READS, type="consumer"), {at(0), at(1)}),
        (LISTED, group("g", READS, type="consumer", state="Reconciling"), None),
        (LISTED, group("g", READS, state="PreparingRebalance"), None),
        (LISTED, group("g", READS, member("n", topics=None)), None),
        (LISTED, group("g", member(topics=None), protocol_type="connect"), None),
        (LISTED, group("g", member(topics=("a",)), type="streams", protocol_type="streams"), {at(0), at(1), at(2)}),
        (LISTED, group("g", member(topics=("a", "b")), type="streams", protocol_type="streams"), None),
        (LISTED, group("g", READS, type="share", protocol_type="share"), {at(0), at(1)}),
        (LISTED, group(), set()),
        (LISTED, None, None),
        (LISTED._replace(state=None, type=None), None, None),
        (EMPTY, None, set()),
    ],
)
def test_what_members_read(listing: Listing, described: Group | None, partitions: set[object] | None) -> None:
    assert assigned(Found(listing, described), {"a": topic(), "b": UNKNOWN}) == partitions


@pytest.mark.parametrize(
    ("offsets", "reads", "lag", "known_lag"),
    [
        pytest.param({at(0): offset(4), at(1): offset(20)}, {at(0)}, 6, 6, id="all is known"),
        pytest.param({at(0): offset(10)}, set(), 0, 0, id="nothing is left"),
        pytest.param({at(0): offset(99)}, set(), 0, 0, id="after the end of the log"),
        pytest.param({at(1): offset(2)}, set(), 18, 18, id="before the start of the log"),
        pytest.param({at(0): offset(4), at(3): offset(1)}, set(), None, 6, id="a log that cannot be read"),
        pytest.param({at(3): offset(1)}, set(), None, None, id="only a log that cannot be read"),
        pytest.param({at(0): offset(4)}, {at(1)}, None, 6, id="read without a commit"),
        pytest.param({at(0): offset(4)}, {at(2)}, 6, 6, id="read without a commit and without records"),
        pytest.param({at(0): offset(4)}, {at(3)}, None, 6, id="read without a commit, and the log cannot be read"),
        pytest.param({at(0): offset(4)}, None, None, 6, id="nobody knows what is read"),
        pytest.param({}, {at(0)}, None, None, id="no commit at all"),
        pytest.param({}, {at(0), at(2)}, None, None, id="no commit, and records in some"),
        pytest.param({}, {at(2)}, 0, 0, id="no commit and no records"),
        pytest.param({}, set(), None, None, id="nothing committed, nothing read"),
        pytest.param(None, set(), None, None, id="offsets that cannot be told"),
    ],
)
def test_lag(offsets: Offsets | None, reads: set[object] | None, lag: int | None, known_lag: int | None) -> None:
    found = Found(LISTED, offsets=offsets, assigned=None if reads is None else frozenset(reads))  # type: ignore[arg-type]
    assert group_lag(found, LOGS)[:2] == (lag, known_lag)


@pytest.mark.parametrize(
    ("starts", "reads", "lag", "known_lag"),
    [
        pytest.param({at(0): ShareOffset(4, 0, 2)}, set(), 2, 2, id="the broker's number counts, and not the log"),
        pytest.param({at(0): ShareOffset(4, 0, 2), at(1): ShareOffset(9, 0, 0)}, {at(0)}, 2, 2, id="several"),
        pytest.param({at(0): ShareOffset(4, 0, 2), at(1): ShareOffset(9)}, set(), None, 2, id="one of them unknown"),
        pytest.param({at(0): ShareOffset(4)}, set(), None, None, id="a broker that does not tell the lag"),
        pytest.param({at(0): ShareOffset(4, 0, 2), at(1): ShareOffset(None)}, set(), None, 2, id="one not read yet"),
        pytest.param({at(0): ShareOffset(4, 0, 2), at(2): ShareOffset(None)}, set(), 2, 2, id="one without records"),
        pytest.param({at(0): ShareOffset(4, 0, 2)}, {at(1)}, None, 2, id="one that members have just got"),
        pytest.param({}, set(), None, None, id="nothing read"),
        pytest.param(None, set(), None, None, id="a broker that tells nothing"),
    ],
)
def test_lag_of_share_groups(
    starts: ShareOffsets | None, reads: set[object], lag: int | None, known_lag: int | None
) -> None:
    found = Found(LISTED, assigned=frozenset(reads))  # type: ignore[arg-type]
    if starts is not None:
        found.set_start_offsets(starts)
    assert group_lag(found, LOGS)[:2] == (lag, known_lag)


@pytest.mark.parametrize(
    ("offsets", "reads", "unknown"),
    [
        ({at(0): offset(4)}, set(), 0),
        ({at(0): offset(4)}, {at(1)}, 1),
        ({at(0): offset(4)}, {at(1), at(2), at(3)}, 2),
        ({at(3): offset(4)}, {at(1), at(3)}, 2),
        ({at(0): offset(4)}, None, None),
        (None, set(), None),
    ],
)
def test_partitions_of_unknown_lag(offsets: Offsets | None, reads: set[object] | None, unknown: int | None) -> None:
    found = Found(LISTED, offsets=offsets, assigned=None if reads is None else frozenset(reads))  # type: ignore[arg-type]
    assert group_lag(found, LOGS).unknown_partitions == unknown


BATCH = member("batch-1", client_id="batch-1", host="10.0.0.7")
SIX = Found(LISTED, group("g", BATCH, member("other")), lag=GroupLag(6, 6, 0))
NOBODY = Found(EMPTY, lag=GroupLag(None, None, 1))


@pytest.mark.parametrize(
    ("asked", "found", "included"),
    [
        ({}, SIX, True),
        ({"min_lag": 6}, SIX, True),
        ({"min_lag": 7}, SIX, False),
        ({"max_lag": 6}, SIX, True),
        ({"max_lag": 5}, SIX, False),
        ({"min_lag": 0, "max_lag": 6}, SIX, True),
        ({"min_lag": 2**63 - 1}, NOBODY, True),
        ({"max_lag": 2**63 - 1}, NOBODY, False),
        ({"min_lag": 0, "max_lag": 2**63 - 1}, NOBODY, False),
        ({"idle": True}, SIX, False),
        ({"idle": False}, SIX, True),
        ({"idle": True}, NOBODY, True),
        ({"idle": False}, NOBODY, False),
        ({"match_members": {"client_id": "batch-*", "host": None}}, SIX, True),
        ({"match_members": {"client_id": None, "host": ["192.*", "10.0.*"]}}, SIX, True),
        ({"match_members": {"client_id": "batch-?", "host": "10.0.0.8"}}, SIX, False),
        ({"match_members": {"client_id": "batch", "host": None}}, SIX, False),
        ({"match_members": {"client_id": "*", "host": None}}, NOBODY, False),
        ({"match_members": {"client_id": "batch-1", "host": None}, "min_lag": 7}, SIX, False),
    ],
)
def test_which_groups_are_returned(asked: dict[str, t.Any], found: Found, included: bool) -> None:
    given = {"min_lag": None, "max_lag": None, "idle": None, "match_members": None, **asked}
    assert _selection.parse(given).includes(found) == included


@pytest.mark.parametrize(
    ("most", "kept", "left_out"),
    [(None, ["c", "a", "b"], 0), (3, ["c", "a", "b"], 0), (2, ["a", "b"], 1), (1, ["a"], 2)],
)
def test_the_first_groups_by_name_are_kept(most: int | None, kept: list[str], left_out: int) -> None:
    gathered = Gathered({name: Found(LISTED._replace(name=name)) for name in ("c", "a", "b")}, [], [], {})
    assert (_cut(gathered, most), list(gathered.groups)) == (left_out, kept)


@pytest.mark.parametrize(
    ("gather", "shown"),
    [
        ({"state"}, set()),
        ({"lag"}, {"lag", "known_lag", "unknown_lag_partitions"}),
        ({"lag", "offsets"}, {"lag", "known_lag", "unknown_lag_partitions", "offsets"}),
        ({"timestamps"}, {"offsets"}),
    ],
)
def test_lag_alone_returns_totals(gather: set[str], shown: set[str]) -> None:
    lag = GroupLag(6, 6, 0) if "lag" in gather else None
    found = Found(LISTED, offsets={at(0): offset(4)}, lag=lag)
    returned = _group_result(found, frozenset(gather), LOGS, {1: {}})
    assert returned.keys() - {"name", "type", "protocol_type", "state", "coordinator"} == shown
