# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What consumer_group_info returns is valid input of the modules that have an option of the same name."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import (
    Committed,
    Group,
    Member,
    Task,
    TopicPartition,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._operations.info import _member_result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.modules import code, module_of

_INT32, _INT64 = 2**31 - 1, 2**63 - 1
#: Kafka's texts are UTF-8.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
NAMES = TEXTS.filter(bool)
TOPICS = st.text("abcXYZ019._-", min_size=1, max_size=40).filter(lambda name: name not in (".", ".."))
PARTITIONS = st.integers(0, _INT32)
MEMBERS = st.builds(
    Member,
    member_id=NAMES,
    group_instance_id=st.none() | NAMES,
    client_id=TEXTS,
    host=TEXTS,
    topics=st.none() | st.lists(TOPICS, max_size=3).map(tuple),
    assignment=st.lists(st.builds(TopicPartition, TOPICS, PARTITIONS), max_size=3).map(tuple),
    topic_regex=st.none() | TEXTS,
    tasks=st.lists(st.builds(Task, st.sampled_from(["active", "standby", "warmup"]), NAMES, PARTITIONS)).map(tuple),
)
GROUPS = st.builds(
    Group,
    name=NAMES,
    type=st.sampled_from(["classic", "consumer", "share", "streams"]),
    protocol_type=st.just("consumer"),
    state=st.sampled_from(["Stable", "Empty", "PreparingRebalance"]),
)
COMMITTED = st.builds(Committed, st.integers(0, _INT64), st.integers(-1, _INT32), TEXTS)
LOGS = st.fixed_dictionaries(
    {name: st.none() | st.integers(0, _INT64) for name in ("log_start", "log_end", "lag", "timestamp")}
)


def parsed(module: str, **options: Any) -> Any:
    """What a module asks for, after the validation of Ansible."""
    declared = module_of(module)
    arguments = {"bootstrap_servers": ["broker:9092"], **json.loads(json.dumps(options))}
    result = ArgumentSpecValidator(declared.spec, **declared.rules).validate(arguments)
    assert result.error_messages == []
    return declared.parse(result.validated_parameters)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(MEMBERS, GROUPS), min_size=1, max_size=3))
def test_members(members: list[tuple[Member, Group]]) -> None:
    returned = [_member_result(member, group) for member, group in members]
    request = parsed("consumer_group_members", names=["g"], members=returned)
    assert request.members == [(member.group_instance_id, member.member_id) for member, _group in members]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.builds(TopicPartition, TOPICS, PARTITIONS), st.tuples(COMMITTED, LOGS), min_size=1))
def test_offsets(offsets: dict[TopicPartition, tuple[Committed, dict[str, int | None]]]) -> None:
    returned = [{**where._asdict(), **at.as_result(), **log} for where, (at, log) in offsets.items()]
    request = parsed("consumer_group_offsets", group="g", state="present", offsets=returned)
    wanted = {where: (found.offset, found.leader_epoch, found.metadata) for where, found in request.offsets.items()}
    assert wanted == {where: tuple(at) for where, (at, _log) in offsets.items()}


@pytest.mark.parametrize(
    ("returned", "module"),
    [
        ("members", "consumer_group_members"),
        ("offsets", "consumer_group_offsets"),
        ("offsets", "share_group_offsets"),
    ],
)
def test_each_documented_value_is_an_option(returned: str, module: str) -> None:
    groups = yaml.safe_load(code("consumer_group_info").RETURN)["groups"]["contains"]
    assert groups[returned]["contains"].keys() <= module_of(module).spec[returned]["options"].keys()
