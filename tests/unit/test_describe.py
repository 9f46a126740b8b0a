# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Describing groups of several partitions at a time: what tells most of a group is taken."""

from __future__ import annotations

from types import SimpleNamespace as Answer
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import Group, Task, Topology
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.consumer_group_describe import (
    ConsumerGroupDescribe,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.handler import Done, Failed, Retry
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.streams_group_describe import (
    StreamsGroupDescribe,
)

FOUND, NOT_FOUND, LOADING, DENIED = 0, 69, 14, 30


def described(code: int) -> Any:
    return Answer(
        group_id="a",
        error_code=code,
        error_message=None,
        group_state="Stable",
        assignor_name="uniform",
        members=[],
        authorized_operations=None,
    )


@pytest.mark.parametrize(
    ("codes", "kind"),
    [
        ([FOUND], Group),
        ([NOT_FOUND], None),
        ([NOT_FOUND, NOT_FOUND], None),
        ([NOT_FOUND, FOUND, NOT_FOUND], Group),
        ([FOUND, LOADING], Group),
        ([LOADING, NOT_FOUND], Retry),
        ([NOT_FOUND, LOADING], Retry),
        ([DENIED, NOT_FOUND], Failed),
    ],
)
def test_what_tells_most_is_taken(codes: list[int], kind: type | None) -> None:
    answer = Answer(groups=[described(code) for code in codes], version=1)
    outcome = ConsumerGroupDescribe().outcomes(["a"], answer)["a"]
    got = outcome.value if isinstance(outcome, Done) else outcome
    assert got is None if kind is None else isinstance(got, kind)


@pytest.mark.parametrize(("version", "removable"), [(0, False), (1, True)], ids=["3.9", "4.0"])
def test_the_coordinator_of_a_group_tells_whether_it_removes_members(version: int, removable: bool) -> None:
    outcome = ConsumerGroupDescribe().outcomes(["a"], Answer(groups=[described(0)], version=version))["a"]
    assert isinstance(outcome, Done)
    assert isinstance(outcome.value, Group)
    assert outcome.value.removable is removable


def subtopology(
    number: str, sources: list[str], changelogs: list[str], repartitions: list[str], sinks: list[str]
) -> Any:
    return Answer(
        subtopology_id=number,
        source_topics=sources,
        repartition_sink_topics=sinks,
        state_changelog_topics=[Answer(name=name) for name in changelogs],
        repartition_source_topics=[Answer(name=name) for name in repartitions],
    )


TASKS = Answer(
    active_tasks=[Answer(subtopology_id="1", partitions=[2, 0]), Answer(subtopology_id="0", partitions=[1])],
    standby_tasks=[],
    warmup_tasks=[Answer(subtopology_id="0", partitions=[0])],
)
STREAMS_MEMBER = Answer(member_id="m", instance_id=None, client_id="c", client_host="/h", assignment=TASKS)


def streams(topology: Any, members: list[Any]) -> Group:
    answer = Answer(**{**vars(described(FOUND)), "topology": topology, "members": members})
    outcome = StreamsGroupDescribe().outcomes(["a"], Answer(groups=[answer], version=0))["a"]
    assert isinstance(outcome, Done)
    assert isinstance(outcome.value, Group)
    return outcome.value


@pytest.mark.parametrize("members", [[], [STREAMS_MEMBER]])
def test_the_topology_of_a_streams_group(members: list[Any]) -> None:
    """Of which a source topic that also serves as a changelog is no internal topic."""
    parts = [
        subtopology("1", [], ["a-counts-changelog"], ["a-by-repartition"], []),
        subtopology("0", ["t", "s"], ["t"], [], ["a-by-repartition"]),
    ]
    group = streams(Answer(epoch=3, subtopologies=parts), members)
    assert isinstance(group.topology, Topology)
    assert group.topology.internal_topics == ("a-by-repartition", "a-counts-changelog")
    assert group.topology.read_topics == ("a-by-repartition", "s", "t")
    assert [sub.subtopology_id for sub in group.topology.subtopologies] == ["0", "1"]
    assert group.topology.as_result()["subtopologies"][0] == {
        "subtopology_id": "0",
        "source_topics": ["s", "t"],
        "repartition_source_topics": [],
        "repartition_sink_topics": ["a-by-repartition"],
        "state_changelog_topics": ["t"],
    }
    for member in group.members:
        assert member.topics == ("a-by-repartition", "s", "t")
        tasks = [("active", "0", 1), ("active", "1", 0), ("active", "1", 2), ("warmup", "0", 0)]
        assert member.tasks == tuple(Task(*task) for task in tasks)


@pytest.mark.parametrize("topology", [None, Answer(epoch=0, subtopologies=None)])
def test_a_streams_group_without_a_topology(topology: Any) -> None:
    group = streams(topology, [STREAMS_MEMBER])
    assert (group.topology, group.members[0].topics) == (None, None)
