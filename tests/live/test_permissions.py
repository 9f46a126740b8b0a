# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The least that a user of each module has to be allowed: with it, it works; with less, it says what is missing."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._files import backup as snapshot
from ansible_collections.kafkaops.groups.plugins.module_utils._files import plan as plan_file
from ansible_collections.kafkaops.groups.plugins.module_utils._files.plan import Plan, PlannedGroup
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import (
    Committed,
    GroupSnapshot,
    TopicPartition,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc import (
    describe_groups,
    describe_handler,
    metadata,
)
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc.handler import Done
from confluent_kafka.admin import (
    AdminClient,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialAlteration,
    UserScramCredentialUpsertion,
)

from tests.live.task import Outcome, run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.clients import properties
from tests.support.consumers import Consumer, share_consumer, start_many
from tests.support.topics import Acl, Kind

pytestmark = pytest.mark.live

#: What members subscribe to, and what besides is committed.
READ, OTHER = "permissions", "permissions-other"
#: The group of the case info-share.
SHARED = "permissions-info-share"
MUTATING = {
    "AlterShareGroupOffsets",
    "DeleteGroups",
    "DeleteShareGroupOffsets",
    "IncrementalAlterConfigs",
    "LeaveGroup",
    "OffsetCommit",
    "OffsetDelete",
}
SESSION_MS = 600_000


@dataclass(frozen=True)
class Need:
    """A permission that a task needs; GROUP as the name is the group of the case.

    Without it the task fails with a sentence that names it, or with `words`; or it shows `less`.
    """

    operation: str
    kind: Kind
    name: str = "GROUP"
    words: str = ""
    less: Callable[[Outcome], bool] | None = None


@dataclass(frozen=True)
class Case:
    """A task, with GROUP for its group and FOLDER for a folder of its own, and all the permissions that it needs.

    `members` is the protocol of a member that was left behind in the group; `exists` says whether it has offsets.
    """

    module: str
    args: Mapping[str, Any]
    needs: list[Need]
    members: str = ""
    exists: bool = True
    check: Callable[[Outcome], Any] = field(default=lambda outcome: outcome.changed == 1)


def shown(outcome: Outcome) -> Any:
    """What an info module returned of its one group or topic, None if it returned none."""
    (found,) = (outcome.given.get("groups") or outcome.given.get("topics")) or [None]
    return found


def without_lag(outcome: Outcome) -> bool:
    return shown(outcome)["lag"] is None


def without_offsets(outcome: Outcome) -> bool:
    return not shown(outcome)["offsets"]


def nothing(outcome: Outcome) -> bool:
    return outcome.changed == 0 and not outcome.errors


FORCED = [Need("DELETE", "group")]
MEMBERS = Need("DESCRIBE", "topic", READ, words="DESCRIBE on the topics of its members")
ON_READ = {"name": READ, "partitions": None}
OFFSET = {"topic": READ, "partition": 0, "offset": 0, "metadata": None, "leader_epoch": None}
CASES: dict[str, Case] = {
    "delete": Case("consumer_group", {"names": ["GROUP"]}, [Need("DELETE", "group")]),
    "delete-force": Case(
        "consumer_group",
        {"names": ["GROUP"], "force": True},
        [Need("READ", "group"), *FORCED],
        members="classic",
        check=lambda outcome: outcome.changed == 2,
    ),
    "delete-force-kip848": Case(
        "consumer_group",
        {"names": ["GROUP"], "force": True},
        [Need("READ", "group"), *FORCED, MEMBERS],
        members="consumer",
        check=lambda outcome: outcome.changed == 2,
    ),
    "delete-backup": Case(
        "consumer_group",
        {"names": ["GROUP"], "backup": "FOLDER/backup.json"},
        [
            Need("DELETE", "group"),
            Need("DESCRIBE", "topic", READ, less=lambda outcome: "holds no offsets" in outcome.warnings[0]),
        ],
        check=lambda outcome: outcome.changed == 1 and not outcome.warnings,
    ),
    "delete-plan": Case(
        "consumer_group",
        {"plan": "FOLDER/plan.json"},
        [
            Need("DELETE", "group"),
            Need(
                "DESCRIBE", "topic", READ, less=lambda outcome: bool(nothing(outcome) and outcome.items[0].skip_reason)
            ),
        ],
    ),
    "info": Case(
        "consumer_group_info",
        {"names": ["GROUP"], "gather": ["permissions"]},
        [Need("DESCRIBE", "group")],
        check=lambda outcome: shown(outcome)["permissions"] == ["DESCRIBE"],
    ),
    "info-all": Case(
        "consumer_group_info",
        {"match": ["GROUP"]},
        [Need("DESCRIBE", "cluster", "kafka-cluster", less=lambda outcome: not outcome.given["groups"])],
        check=shown,
    ),
    "info-members": Case(
        "consumer_group_info",
        {"names": ["GROUP"], "gather": ["members"]},
        [Need("DESCRIBE", "group"), MEMBERS],
        members="consumer",
        check=lambda outcome: shown(outcome)["members"],
    ),
    "info-share": Case(
        "consumer_group_info",
        {"names": ["GROUP"], "gather": ["members"]},
        [Need("DESCRIBE", "group"), MEMBERS],
        exists=False,
        check=lambda outcome: shown(outcome)["members"],
    ),
    "info-offsets": Case(
        "consumer_group_info",
        {"names": ["GROUP"], "gather": ["offsets"]},
        [Need("DESCRIBE", "group"), Need("DESCRIBE", "topic", READ, less=without_offsets)],
        check=lambda outcome: shown(outcome)["offsets"],
    ),
    "info-lag": Case(
        "consumer_group_info",
        {"names": ["GROUP"], "gather": ["lag"]},
        [Need("DESCRIBE", "group"), Need("DESCRIBE", "topic", READ, less=without_lag)],
        check=lambda outcome: shown(outcome)["lag"] == 1,
    ),
    "members": Case(
        "consumer_group_members",
        {"names": ["GROUP"], "remove_all": True},
        [Need("READ", "group")],
        members="classic",
    ),
    "members-kip848": Case(
        "consumer_group_members",
        {"names": ["GROUP"], "remove_all": True},
        [Need("READ", "group"), MEMBERS],
        members="consumer",
    ),
    "offsets-absent": Case(
        "consumer_group_offsets",
        {"group": "GROUP", "state": "absent", "topics": [ON_READ]},
        [Need("DELETE", "group"), Need("READ", "topic", READ)],
    ),
    "offsets-unsubscribed": Case(
        "consumer_group_offsets",
        {"group": "GROUP", "state": "absent", "unsubscribed": True},
        [Need("DELETE", "group"), Need("READ", "topic", OTHER, less=nothing), MEMBERS],
        members="consumer",
    ),
    "offsets-absent-backup": Case(
        "consumer_group_offsets",
        {"group": "GROUP", "state": "absent", "topics": [ON_READ], "backup": "FOLDER/backup.json"},
        [Need("DELETE", "group"), Need("READ", "topic", READ)],
    ),
    "offsets-present": Case(
        "consumer_group_offsets",
        {
            "group": "GROUP",
            "offsets": [{"topic": READ, "partition": 0, "offset": 0, "metadata": None, "leader_epoch": None}],
        },
        [Need("READ", "group"), Need("READ", "topic", READ)],
    ),
    "offsets-reset": Case(
        "consumer_group_offsets",
        {"group": "GROUP", "reset": {"to_latest": True}, "topics": [ON_READ]},
        [Need("READ", "group"), Need("READ", "topic", READ)],
    ),
    "offsets-restore": Case(
        "consumer_group_offsets",
        {"restore": {"path": "FOLDER/restore.json"}},
        [Need("READ", "group"), Need("READ", "topic", READ)],
        exists=False,
    ),
    "group-config": Case(
        "group_config",
        {"names": ["GROUP"], "config": {"consumer.session.timeout.ms": "50000"}},
        # ALTER_CONFIGS implies DESCRIBE_CONFIGS; see test_settings_that_one_may_only_read
        [Need("ALTER_CONFIGS", "group", words="DESCRIBE_CONFIGS on group")],
    ),
    "group-config-shown": Case(
        "group_config",
        {"names": ["GROUP"]},
        [Need("DESCRIBE_CONFIGS", "group")],
        check=nothing,
    ),
    "group-config-restored": Case(
        "group_config",
        {"names": ["GROUP"], "restore": {"path": "FOLDER/restore.json"}},
        [Need("ALTER_CONFIGS", "group", words="DESCRIBE_CONFIGS on group")],
    ),
    "start-offsets-absent": Case(
        "share_group_offsets",
        {"group": "GROUP", "state": "absent", "topics": [ON_READ]},
        [Need("DELETE", "group"), Need("READ", "topic", READ)],
        exists=False,
    ),
    "start-offsets-present": Case(
        "share_group_offsets",
        {"group": "GROUP", "offsets": [OFFSET]},
        [Need("READ", "group"), Need("READ", "topic", READ)],
        exists=False,
    ),
    "start-offsets-restored": Case(
        "share_group_offsets",
        {"restore": {"path": "FOLDER/restore.json"}},
        [Need("READ", "group"), Need("READ", "topic", READ)],
        exists=False,
    ),
    "info-start-offsets": Case(
        "consumer_group_info",
        {"names": ["GROUP"], "gather": ["offsets"]},
        [Need("DESCRIBE", "group"), Need("DESCRIBE", "topic", READ, less=without_offsets)],
        exists=False,
        check=lambda outcome: shown(outcome)["offsets"][0]["offset"] == 1,
    ),
    "topic": Case("topic", {"names": ["GROUP"]}, [Need("DELETE", "topic")]),
    "topic-info": Case(
        "topic_info",
        {"names": [READ], "log": True},
        [Need("DESCRIBE", "topic", READ)],
        check=shown,
    ),
}


@dataclass(frozen=True)
class Trial:
    """A case as a user does it that is allowed all but one of its needs; or as one with all of them."""

    case: str
    lacks: Need | None = None
    describes: bool = False

    @property
    def group(self) -> str:
        """That of the case, or one that does not mind if the task is done all the same."""
        alone = self.lacks is not None and self.lacks.less is not None and not CASES[self.case].members
        return f"{READ}-{self.case}{'-less' if alone else ''}"

    @property
    def user(self) -> str:
        return " ".join(str(self).split()).replace("/", "-").replace(" ", "-")

    def acls(self) -> Iterator[Acl]:
        """What the user is allowed; where it `describes`, DESCRIBE in place of what it lacks."""
        for need in CASES[self.case].needs:
            name = self.group if need.name == "GROUP" else need.name
            if need != self.lacks:
                yield Acl(self.user, need.kind, name, need.operation)
            elif self.describes:
                yield Acl(self.user, need.kind, name, "DESCRIBE")

    def __str__(self) -> str:
        lacks = f" without {self.lacks.operation} on {self.lacks.kind} {self.lacks.name}" if self.lacks else ""
        return f"{self.case}{lacks}{' but DESCRIBE' if self.describes else ''}"


def trials() -> Iterator[Trial]:
    """The failing trials of each case, and at last the one that does it."""
    for name, case in CASES.items():
        for need in case.needs:
            yield Trial(name, need)
            if need.operation != "DESCRIBE":
                yield Trial(name, need, describes=True)
        yield Trial(name)


TRIALS = list(trials())


@pytest.fixture(scope="module")
def world(secured: Cluster) -> Iterator[Cluster]:
    """Topics, a group (or a topic) for each case, members left behind or alive, and a user for each trial."""
    client = secured.client()
    for name in (READ, OTHER, *(f"{READ}-{name}" for name, case in CASES.items() if case.module == "topic")):
        topics.create(client, name, 1, records=2)
    offsets = {(READ, 0): (1, "", -1), (OTHER, 0): (1, "", -1)}
    groups = {trial.group: CASES[trial.case] for trial in TRIALS if CASES[trial.case].exists}
    commits.commit_many(client, {group: dict(list(offsets.items())[: 1 + ("uns" in group)]) for group in groups})
    members = []
    for group, case in groups.items():
        if case.members == "consumer":
            topics.configure_group(client, group, {"consumer.session.timeout.ms": str(SESSION_MS)})
            members.append(Consumer(client, group, [READ], protocol="consumer", instance_id="left"))
        elif case.members:
            members.append(Consumer(client, group, [READ], instance_id="left", session_timeout_ms=SESSION_MS))
    for member in start_many(members):
        member.kill()
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
    users: list[UserScramCredentialAlteration] = [
        UserScramCredentialUpsertion(one.user, info, b"trial-secret") for one in TRIALS
    ]
    admin = AdminClient(properties(client))
    for answer in admin.alter_user_scram_credentials(users).values():
        answer.result()
    topics.grant(client, [acl for one in TRIALS for acl in one.acls()])
    as_admin = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "SCRAM-SHA-256"}
    as_admin |= {"sasl_username": "admin", "sasl_password": secured.users["admin"]}
    for group in dict.fromkeys(one.group for one in TRIALS if "start-offsets" in one.case):
        start = {**OFFSET, "offset": 1}
        made = run(
            "share_group_offsets", secured.listeners["SASL_PLAINTEXT"], False, as_admin, group=group, offsets=[start]
        )
        assert made.changed == 1
    # a share group has members as long as they live
    topics.configure_group(client, SHARED, {"share.auto.offset.reset": "earliest"})
    with share_consumer(client, SHARED, READ):
        yield secured


@pytest.fixture(scope="module")
def cluster_id(world: Cluster) -> str:
    return truth.cluster_id(world.client())


def attempt(world: Cluster, trial: Trial, folder: Path, check: bool, another: Case | None = None) -> Outcome:
    """Run the task of a trial, or another one as its user."""

    def filled(value: Any) -> Any:
        if isinstance(value, list):
            return [filled(each) for each in value]
        if isinstance(value, dict):
            return {name: filled(each) for name, each in value.items()}
        return value.replace("GROUP", trial.group).replace("FOLDER", str(folder)) if isinstance(value, str) else value

    case = another or CASES[trial.case]
    connect = {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "SCRAM-SHA-256",
        "sasl_username": trial.user,
        "sasl_password": "trial-secret",
    }
    return run(case.module, world.listeners["SASL_PLAINTEXT"], check, connect, **filled(case.args))


def write_files(trial: Trial, folder: Path, cluster_id: str) -> None:
    """A plan that deletes the group of a trial, and a back-up of it."""
    planned = PlannedGroup(trial.group, "classic", "Empty", "old", {TopicPartition(READ, 0): 1})
    plan_file.write(str(folder / "plan.json"), Plan(cluster_id, datetime.datetime.now(datetime.UTC), {}, [planned], []))
    # the start offsets of share groups are 1
    type_, offset = ("share", 2) if "start-offsets" in trial.case else ("classic", 1)
    saved = GroupSnapshot(trial.group, type_, "Empty", {TopicPartition(READ, 0): Committed(offset)})
    settings = {trial.group: {"consumer.session.timeout.ms": "50000"}}
    snapshot.write(str(folder / "restore.json"), cluster_id, {}, [saved], settings)


def said(outcome: Outcome) -> str:
    """What a task says of that which failed; empty if all went well."""
    if isinstance(outcome.given, dict):
        problems = [each["error"] for each in outcome.given["errors"]]
        return " ".join(f"{problem['name']}: {problem['message']}" for problem in problems)
    return " ".join(f"{item.error.name}: {item.error.message}" for item in outcome.items if item.error)


def told(outcome: Outcome) -> Any:
    """What a task returned."""
    return outcome.given if isinstance(outcome.given, dict) else [item.as_result() for item in outcome.items]


# with force, the members would be gone before the group is refused
SENT = [
    trial
    for trial in TRIALS
    if trial.describes
    and not (trial.lacks in FORCED and "force" in trial.case)
    and not trial.case.startswith("group-config")
]


@pytest.mark.parametrize("trial", SENT, ids=str)
def test_the_broker_refuses_what_is_sent(
    world: Cluster, cluster_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trial: Trial
) -> None:
    """The permissions are needed, and not only asked for by the plan."""
    described = metadata._described
    for module in (describe_handler, describe_groups):
        monkeypatch.setattr(module, "operations", lambda _codes: None)
    everything = frozenset({"READ", "DELETE"})

    def allowed(*args: Any) -> Any:
        topic = described(*args)
        return Done(topic.value._replace(operations=everything)) if isinstance(topic, Done) else topic

    monkeypatch.setattr(metadata, "_described", allowed)
    write_files(trial, tmp_path, cluster_id)
    done = attempt(world, trial, tmp_path, check=False)
    assert "_AUTHORIZATION_FAILED: " in said(done)
    assert done.changed == 0
    assert trial.case == "topic" or done.requests.keys() & MUTATING


@pytest.mark.parametrize("trial", TRIALS, ids=str)
def test_permissions(world: Cluster, cluster_id: str, tmp_path: Path, trial: Trial) -> None:
    case = CASES[trial.case]
    write_files(trial, tmp_path, cluster_id)
    predicted, done = (attempt(world, trial, tmp_path, check) for check in (True, False))
    assert told(predicted) == told(done)
    assert predicted.requests.keys() & MUTATING == set()
    lacks = trial.lacks
    if lacks is None:
        assert said(done) == ""
        assert case.check(done)
    elif lacks.less is not None and not trial.describes:
        assert said(done) == ""
        assert lacks.less(done)
    else:
        assert not isinstance(done.given, dict) or done.given["missing"] == []
        name = trial.group if lacks.name == "GROUP" else lacks.name
        sentence = said(done)
        assert "_AUTHORIZATION_FAILED: " in sentence
        assert (lacks.words or f"{lacks.operation} on {lacks.kind} '{name}'") in sentence
        assert isinstance(done.given, dict) or done.changed == 0
        assert done.requests.keys() & MUTATING == set()


def test_settings_that_one_may_only_read(world: Cluster, tmp_path: Path) -> None:
    """Check mode cannot know that they may not be changed; and who may not read the cluster's learns of no others."""
    trial = next(one for one in TRIALS if one.case == "group-config-shown" and one.lacks is None)
    predicted, done = (attempt(world, trial, tmp_path, check, CASES["group-config"]) for check in (True, False))
    assert (predicted.changed, predicted.errors) == (1, {})
    assert done.errors == {trial.group: "GROUP_AUTHORIZATION_FAILED"}
    assert f"ALTER_CONFIGS on group '{trial.group}'" in said(done)
    deleting = next(one for one in TRIALS if one.case == "delete" and one.lacks is None)
    assert attempt(world, deleting, tmp_path, check=True).given.extra == {"remaining_configs": None}
