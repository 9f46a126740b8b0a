# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The errors of KIP-229, KIP-496 and KIP-571 as real brokers give them, one group each, from one run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import KafkaError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import Member, TopicPartition
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.delete_groups import DeleteGroups
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.handler import Handler
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.leave_group import LeaveGroup
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.offset_delete import OffsetDelete
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.session import Session

from tests.live.task import connection
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.consumers import Consumer, connect_like, start_many

pytestmark = pytest.mark.live

TOPIC, OTHER = "errors-read", "errors-dropped"


@pytest.fixture(scope="module")
def world(cluster: Cluster) -> Iterator[Cluster]:
    """Live groups of each kind on TOPIC, and Empty ones, all with offsets on OTHER."""
    client = cluster.client()
    for topic in (TOPIC, OTHER):
        topics.create(client, topic, 2, records=4)
    kinds = ("errors-classic", "errors-kip848", "errors-empty", "errors-connect")
    commits.commit_many(client, {name: {(OTHER, 0): (1, "", -1), (TOPIC, 0): (1, "", -1)} for name in kinds})
    started = start_many(
        [
            Consumer(client, "errors-classic", [TOPIC]),
            Consumer(client, "errors-kip848", [TOPIC], protocol="consumer"),
            connect_like(client, "errors-connect"),
        ]
    )
    yield cluster
    for member in started:
        member.close()


def change(bootstrap: str, handler: Handler[str, Any], groups: list[str]) -> dict[str, Any]:
    async def verify(lost: list[str]) -> dict[str, Any]:
        raise AssertionError(f"no answer for {lost}")

    with Session(connection(bootstrap), check_mode=False) as session:
        return session.wire.run(session.driver.change, handler, groups, verify).answers


def names(results: dict[Any, Any]) -> dict[Any, str | None]:
    return {key: value.name if isinstance(value, KafkaError) else None for key, value in results.items()}


def test_delete_groups(world: Cluster) -> None:
    # KIP-229 lists INVALID_GROUP_ID; brokers give it for the empty name, but not here (see the two tests below)
    groups = ["errors-classic", "errors-kip848", "errors-connect", "errors-missing", ""]
    assert names(change(world.bootstrap, DeleteGroups(), groups)) == {
        "errors-classic": "NON_EMPTY_GROUP",
        "errors-kip848": "NON_EMPTY_GROUP",
        "errors-connect": "NON_EMPTY_GROUP",
        "errors-missing": "GROUP_ID_NOT_FOUND",
        "": "GROUP_ID_NOT_FOUND",
    }


def test_offset_delete(world: Cluster) -> None:
    asked = [
        TopicPartition(TOPIC, 0),
        TopicPartition(OTHER, 0),
        TopicPartition(OTHER, 1),
        TopicPartition(OTHER, 9),
        TopicPartition("errors-none", 0),
    ]
    groups = ["errors-classic", "errors-kip848", "errors-connect", "errors-missing", ""]
    answers = change(world.bootstrap, OffsetDelete(dict.fromkeys(groups, asked)), groups)
    for name in ("errors-classic", "errors-kip848"):
        assert names(answers.pop(name)) == {
            asked[0]: "GROUP_SUBSCRIBED_TO_TOPIC",
            asked[1]: None,
            asked[2]: None,
            asked[3]: "UNKNOWN_TOPIC_OR_PARTITION",
            asked[4]: "UNKNOWN_TOPIC_OR_PARTITION",
        }
        assert truth.offsets(world.client(), name) == {(TOPIC, 0): (1, "", -1)}
    assert names(answers) == {
        "errors-connect": "NON_EMPTY_GROUP",
        "errors-missing": "GROUP_ID_NOT_FOUND",
        "": "INVALID_GROUP_ID",
    }


def test_a_static_member_whose_instance_was_started_again_stays(world: Cluster) -> None:
    for protocol in ("classic", "consumer"):
        name = f"errors-restarted-{protocol}"
        with Consumer(world.client(), name, [TOPIC], protocol=protocol, instance_id="i"):
            gone = Member("an-older-member-id", "i", "", "", None)
            (answer,) = change(world.bootstrap, LeaveGroup({name: [gone]}, "test"), [name]).values()
            assert names(answer) == {gone: "FENCED_INSTANCE_ID"}
            assert [member.group_instance_id for member in truth.members(world.client(), name)] == ["i"]


def test_leave_group(world: Cluster) -> None:
    gone = [Member("gone", None, "", "", None), Member("", "gone", "", "", None)]
    groups = ["errors-classic", "errors-kip848", "errors-missing"]
    answers = change(world.bootstrap, LeaveGroup(dict.fromkeys([*groups, ""], gone), "test"), [*groups, ""])
    assert names({"": answers.pop("")}) == {"": "INVALID_GROUP_ID"}
    assert {group: set(names(answer).values()) for group, answer in answers.items()} == {
        "errors-classic": {"UNKNOWN_MEMBER_ID"},
        "errors-kip848": {"UNKNOWN_MEMBER_ID"},
        "errors-missing": {"UNKNOWN_MEMBER_ID"},
    }
