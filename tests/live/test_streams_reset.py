# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role streams_reset beside Kafka's StreamsResetter: two applications alike, one for each, always left alike.

The tests of one protocol go on from each other, in their order: each resets from where the last one left both.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from confluent_kafka import Consumer as Reader
from confluent_kafka import KafkaError, Producer, TopicPartition

from tests.live.playbook import Play, play, shell
from tests.live.task import ansible, run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.clients import properties
from tests.support.consumers import Member, streams_counter

TOOL, ROLE = "by-tool", "by-role"
PARTITIONS = 3
RECORDS = 12
HOUR = 3600
EPOCH = 1_700_000_000
INTERNAL = {"-by-value-repartition", "-counts-changelog"}
# what is none of the application's, although it looks a little like that
OTHERS = {"-input", "-mid", "-output", "-notes", "-counts-changelog-2", "lication-x-changelog"}

Offsets = dict[tuple[str, int], tuple[int, str]]


def make(cluster: Cluster, name: str) -> None:
    """Make the topics of an application: 12 records each in partitions 0 and 1, an hour between two; none in 2."""
    for suffix, partitions in (("-input", PARTITIONS), ("-mid", 1), ("-output", 1)):
        topics.create(cluster.bootstrap, name + suffix, partitions, config={"retention.ms": "-1"})
    for suffix in OTHERS - {"-input", "-mid", "-output"}:
        topics.create(cluster.bootstrap, name + suffix)
    producer = Producer(properties(cluster.bootstrap))
    for number in range(RECORDS):
        for partition in range(2):
            at = int((EPOCH + number * HOUR) * 1000)
            producer.produce(f"{name}-input", f"v{number % 3}", partition=partition, timestamp=at)
    producer.flush(30)


def offsets(cluster: Cluster, name: str) -> Offsets:
    """Return what an application has committed, its topics without its name."""
    found = truth.offsets(cluster.bootstrap, name)
    return {(topic.removeprefix(name), number): at[:2] for (topic, number), at in sorted(found.items())}


def state(cluster: Cluster, name: str) -> tuple[Offsets, set[str]]:
    """Return what an application has committed, and the topics that begin with its name."""
    names = {topic.removeprefix(name) for topic in truth.topics(cluster.bootstrap) if topic.startswith(name)}
    return offsets(cluster, name), names


def output(cluster: Cluster, name: str) -> list[tuple[bytes, bytes]]:
    """Return what an application has written, in order."""
    reader = Reader({**properties(cluster.bootstrap), "group.id": "unused", "enable.partition.eof": True})
    reader.assign([TopicPartition(f"{name}-output", 0, 0)])
    found = []
    while (message := reader.poll(30)) is not None and not message.error():
        found.append((message.key() or b"", message.value() or b""))
    reader.close()
    error = None if message is None else message.error()
    assert error, f"nothing of {name}-output in 30 s"
    assert error.code() == KafkaError._PARTITION_EOF, error
    return found


def until(cluster: Cluster, names: list[str], runs: int = 1) -> None:
    """Wait until applications have counted all of their input so many times, and have committed that.

    They commit what is in the way of a record, from topic to topic, at different times.
    """
    written = runs * 2 * RECORDS
    # the repartition topic is made anew for each run
    wanted = {"-input": 2 * RECORDS, "-mid": written, "-by-value-repartition": 2 * RECORDS}
    deadline = time.monotonic() + 40
    for name in names:
        while len(output(cluster, name)) < written or not wanted.items() <= counted(cluster, name).items():
            assert time.monotonic() < deadline, (name, output(cluster, name), offsets(cluster, name))
            time.sleep(0.3)


def counted(cluster: Cluster, name: str) -> Counter[str]:
    """Return how many records of each topic an application has committed."""
    total: Counter[str] = Counter()
    for (topic, _partition), (offset, _metadata) in offsets(cluster, name).items():
        total[topic] += offset
    return total


def tool(cluster: Cluster, name: str, *options: str) -> CompletedProcess[str]:
    """Run Kafka's StreamsResetter on an application."""
    arguments = ["--application-id", name, *(option.format(name) for option in options)]
    return truth.kafka_tool(cluster, "org.apache.kafka.tools.StreamsResetter", arguments)


def role(cluster: Cluster, name: str, check: bool = False, **variables: Any) -> Play:
    """Run the role on an application and its input, whose name stands for NAME in the variables."""
    given = json.loads(json.dumps({"input_topics": ["NAME-input"], **variables}).replace("NAME", name))
    named = {f"streams_reset_{key}": value for key, value in {"application_id": name, **given}.items()}
    return play("streams_reset", cluster.bootstrap, named, check=check)


def both(
    cluster: Cluster, suffix: str, options: tuple[str, ...], check: bool = False, **variables: Any
) -> tuple[CompletedProcess[str], Play]:
    """Run both at the same time, each on its application."""
    with ThreadPoolExecutor(1) as pool:
        theirs = pool.submit(tool, cluster, TOOL + suffix, *options)
        ours = role(cluster, ROLE + suffix, check, **variables)
        return theirs.result(), ours


@pytest.fixture(scope="module")
def classic(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Member]:
    """Two live applications of the classic protocol, that are done with their input."""
    yield from started(cluster, "", tmp_path_factory.mktemp("classic"))


@pytest.fixture(scope="module")
def streams(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Member]:
    """Two live applications of the streams protocol (KIP-1071), that are done with their input."""
    yield from started(cluster, "-streams", tmp_path_factory.mktemp("streams"))


def started(cluster: Cluster, suffix: str, folder: Path) -> Iterator[Member]:
    names = [TOOL + suffix, ROLE + suffix]
    for name in names:
        make(cluster, name)
    applications = streams_counter(cluster.bootstrap, names, protocol="streams" if suffix else "classic")
    applications.start(folder)
    try:
        applications.wait(60)
        until(cluster, names)
        yield applications
    finally:
        applications.close()


INPUT = ("--input-topics", "{}-input")


def test_a_live_instance_is_refused(cluster: Cluster, classic: Member) -> None:
    before = state(cluster, ROLE)
    assert before[1] == INTERNAL | OTHERS
    theirs, ours = both(cluster, "", INPUT)
    assert (theirs.returncode, ours.code) == (1, 2)
    assert f"{ROLE}-StreamThread-1-consumer" in ours.words
    assert "streams_reset_force" in ours.words
    assert state(cluster, ROLE)[1] == before[1]
    assert {at[0] for at in offsets(cluster, ROLE).values()} == {at[0] for at in before[0].values()}


def test_by_force_a_live_instance_is_refused_when_it_comes_back(cluster: Cluster, classic: Member) -> None:
    before = state(cluster, ROLE)
    ours = role(cluster, ROLE, force=True)
    assert ours.code == 2
    assert "1 member rejoined within 5 s" in ours.words
    assert state(cluster, ROLE)[1] == before[1]
    assert {at[0] for at in offsets(cluster, ROLE).values()} == {at[0] for at in before[0].values()}


def test_check_mode_shows_what_force_would_do(cluster: Cluster, classic: Member) -> None:
    classic.kill()
    before = state(cluster, ROLE)
    ours = role(cluster, ROLE, check=True, force=True)
    assert (ours.code, ours.words) == (0, "")
    removed = ours.tasks["Remove members and verify that none rejoins"]
    assert [each["action"] for each in removed["results"]] == ["remove_member"]
    deleted = ours.tasks["Delete the internal topics"]["results"]
    assert {each["topic"].removeprefix(ROLE) for each in deleted} == INTERNAL
    targets = ours.tasks["Show the offsets to set after the members are removed"]["msg"]
    assert [target["offset"] for target in targets] == [0, 0, 0]
    assert state(cluster, ROLE) == before
    assert len(truth.members(cluster.bootstrap, ROLE)) == 1


def test_by_force_what_was_left_behind_is_removed(cluster: Cluster, classic: Member) -> None:
    # partition 2 was never committed
    assert ("-input", 2) not in offsets(cluster, ROLE)
    options = (*INPUT, "--force", "--shift-by", "-2")
    theirs, ours = both(cluster, "", options, force=True, to="shift", value=-2, settle_time=1)
    assert (theirs.returncode, ours.code, ours.words) == (0, 0, ""), theirs.stderr
    (logged,) = ours.tasks["Log the removed members"]["results"]
    assert logged["msg"].startswith(f"Removed member {ROLE}-StreamThread-1-consumer on 127.0.0.1")
    assert state(cluster, ROLE) == state(cluster, TOOL)
    assert state(cluster, ROLE)[1] == OTHERS


MIDDLE = EPOCH + 5 * HOUR
# half an hour after a record now, and half an hour before the next
AGO = f"PT{int(time.time()) - MIDDLE - HOUR // 2}S"
DATE = time.strftime("%Y-%m-%dT%H:%M:%S.000", time.gmtime(MIDDLE))
CASES: list[Any] = [
    pytest.param(("--dry-run",), {"check": True}, id="dry run"),
    pytest.param(("--to-datetime", DATE), {"to": "timestamp", "value": str(MIDDLE * 1000)}, id="datetime"),
    pytest.param(("--to-latest",), {"to": "latest"}, id="latest"),
    pytest.param(("--by-duration", AGO), {"to": "duration", "value": AGO}, id="duration"),
    pytest.param(("--from-file", "{}.csv"), {"to": "file", "file": "NAME.csv"}, id="file"),
    pytest.param(
        ("--intermediate-topics", "{}-mid"), {"intermediate_topics": ["NAME-mid"]}, id="earliest, and intermediate"
    ),
]


@pytest.mark.parametrize(("options", "variables"), CASES)
def test_reset(
    cluster: Cluster,
    classic: Member,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    variables: dict[str, Any],
) -> None:
    for name in (TOOL, ROLE):
        lines = [f"{name}-input,{partition},{offset}\n" for partition, offset in enumerate((3, 99, 0))]
        (tmp_path / f"{name}.csv").write_text("".join(lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    if "file" in variables:
        variables = {**variables, "file": str(tmp_path / variables["file"])}
    before = state(cluster, ROLE)
    theirs, ours = both(cluster, "", (*INPUT, *options), **variables)
    assert (theirs.returncode, ours.code, ours.words) == (0, 0, ""), theirs.stderr
    assert state(cluster, ROLE) == state(cluster, TOOL)
    assert (state(cluster, ROLE) == before) is ("check" in variables)
    assert ours.changed == ["Set the offsets of input and intermediate topics"]


def test_a_backup_is_a_file_with_offsets(cluster: Cluster, classic: Member, tmp_path: Path) -> None:
    before = state(cluster, ROLE)
    done = role(cluster, ROLE, to="latest", backup_folder=str(tmp_path))
    assert (done.code, state(cluster, ROLE) != before) == (0, True)
    (backup,) = tmp_path.iterdir()
    assert done.artifacts == {"restore_from": [str(backup)], "restore_moved": True}
    assert role(cluster, ROLE, to="file", file=str(backup)).code == 0
    assert state(cluster, ROLE) == before
    # a second run has a back-up of its own, and the command that it prints restores it
    again = role(cluster, ROLE, to="latest", backup_folder=str(tmp_path))
    assert (again.code, len(list(tmp_path.iterdir()))) == (0, 2)
    shell(again.tasks["Report"]["msg"][-1], cluster.bootstrap)
    assert state(cluster, ROLE) == before


@pytest.mark.parametrize("scope", ["offsets", "topics"])
def test_the_scope(cluster: Cluster, classic: Member, scope: str) -> None:
    """What is not in it is not changed, however the run is tagged."""
    internal = f"{ROLE}-scoped-changelog"
    topics.create(cluster.bootstrap, internal)
    commits.commit(cluster.bootstrap, ROLE, {(f"{ROLE}-input", 0): (1, "", -1)})
    done = role(cluster, ROLE, to="latest", scope=[scope])
    assert (done.code, len(done.changed)) == (0, 1)
    assert (internal in truth.topics(cluster.bootstrap)) is (scope == "offsets")
    assert (offsets(cluster, ROLE)["-input", 0][0] == 1) is (scope == "topics")
    assert role(cluster, ROLE, to="latest").code == 0


def test_a_file_with_quotes_and_one_without_a_topic(cluster: Cluster, classic: Member, tmp_path: Path) -> None:
    """Kafka's export puts quotes around names of more than 24 characters."""
    lines = [f'"{ROLE}-input",{partition},1' for partition in range(2)]
    path = tmp_path / "exported.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    before = state(cluster, ROLE)
    refused = role(cluster, ROLE, to="file", file=str(path), input_topics=["NAME-input", "NAME-notes"])
    assert (refused.code, refused.changed, state(cluster, ROLE)) == (2, [], before)
    assert f"exported.csv has no offsets of group {ROLE} on {ROLE}-notes: add" in refused.words
    assert role(cluster, ROLE, to="file", file=str(path)).code == 0
    assert {offsets(cluster, ROLE)["-input", number] for number in range(2)} == {(1, "")}


def test_a_backup_is_written_by_whichever_task_changes_something(
    cluster: Cluster, classic: Member, tmp_path: Path
) -> None:
    """With nothing committed on the input topic, that is the one that skips the intermediate topic to its end."""
    assert role(cluster, ROLE, to="delete").code == 0
    commits.commit(cluster.bootstrap, ROLE, {(f"{ROLE}-mid", 0): (0, "kept", -1)})
    done = role(cluster, ROLE, to="delete", intermediate_topics=["NAME-mid"], backup_folder=str(tmp_path))
    assert (done.code, done.changed) == (0, ["Set the offsets of input and intermediate topics"])
    (backup,) = tmp_path.iterdir()
    (group,) = json.loads(backup.read_text(encoding="utf-8"))["groups"]
    assert [(each["topic"], each["metadata"]) for each in group["offsets"]] == [(f"{ROLE}-mid", "kept")]


def test_who_may_not_look_at_the_group_deletes_nothing(secured: Cluster) -> None:
    """Which may have members: a listing would leave it out without a word."""
    client, name, user = secured.client(), "unseen-app", "alice"
    internal = f"{name}-counts-changelog"
    topics.create(client, internal)
    topics.allow(client, user, "topic", internal, ["DESCRIBE", "DELETE"])
    connection = {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "SCRAM-SHA-256",
        "sasl_username": user,
        "sasl_password": secured.users[user],
    }
    variables = {"streams_reset_application_id": name, "kafka_connection": connection}
    done = play("streams_reset", secured.listeners["SASL_PLAINTEXT"], variables)
    assert (done.code, done.changed) == (2, [])
    assert f"this needs DESCRIBE on group '{name}'" in done.words
    assert internal in truth.topics(client)


def test_both_process_their_input_again(cluster: Cluster, classic: Member, tmp_path: Path) -> None:
    process_again(cluster, "", tmp_path)


def process_again(cluster: Cluster, suffix: str, folder: Path) -> None:
    """Start both applications, and see that each counts all of its input from one again."""
    names = [TOOL + suffix, ROLE + suffix]
    first = {name: sorted(output(cluster, name)) for name in names}
    with closing(streams_counter(cluster.bootstrap, names, protocol="streams" if suffix else "classic")) as again:
        again.start(folder)
        again.wait(60)
        until(cluster, names, runs=2)
    for name in names:
        assert sorted(output(cluster, name)) == sorted(first[name] * 2)
    assert first[names[0]] == first[names[1]]
    assert len(first[names[0]]) == 2 * RECORDS


@pytest.mark.parametrize("force", [False, True])
def test_a_live_instance_of_the_streams_protocol_is_refused(cluster: Cluster, streams: Member, force: bool) -> None:
    before = state(cluster, f"{ROLE}-streams")
    assert before[1] == INTERNAL | OTHERS
    ours = role(cluster, f"{ROLE}-streams", force=force)
    assert ours.code == 2
    assert f"{ROLE}-streams-StreamThread-1-consumer" in ours.words
    assert ("brokers do not support removing its members" if force else "streams_reset_force") in ours.words
    assert state(cluster, f"{ROLE}-streams") == before


def test_an_application_of_the_streams_protocol(cluster: Cluster, streams: Member, tmp_path: Path) -> None:
    streams.stop()
    options = (*INPUT, "--intermediate-topics", "{}-mid")
    theirs, ours = both(cluster, "-streams", options, intermediate_topics=["NAME-mid"])
    assert (theirs.returncode, ours.code, ours.words) == (0, 0, ""), theirs.stderr
    assert state(cluster, f"{ROLE}-streams") == state(cluster, f"{TOOL}-streams")
    assert state(cluster, f"{ROLE}-streams")[1] == OTHERS
    process_again(cluster, "-streams", tmp_path)


def group_tool(cluster: Cluster, name: str, *options: str) -> CompletedProcess[str]:
    """Run Kafka's tool for streams groups on one."""
    arguments = ["--group", name, *(option.format(name) for option in options)]
    return truth.kafka_tool(cluster, "org.apache.kafka.tools.streams.StreamsGroupCommand", arguments)


@pytest.mark.parametrize(
    ("options", "variables"),
    [
        pytest.param(("--to-latest",), {"to": "latest"}, id="latest"),
        pytest.param(("--shift-by", "-2"), {"to": "shift", "value": -2}, id="shift"),
        pytest.param(("--to-datetime", DATE), {"to": "timestamp", "value": str(MIDDLE * 1000)}, id="datetime"),
        pytest.param(("--by-duration", AGO), {"to": "duration", "value": AGO}, id="duration"),
        pytest.param(("--to-offset", "7"), {"to": "offset", "value": 7}, id="offset"),
        pytest.param(("--from-file", "{}.csv"), {"to": "file", "file": "NAME.csv"}, id="file"),
        pytest.param(("--to-earliest",), {"to": "earliest"}, id="earliest"),
    ],
)
def test_reset_beside_kafkas_tool_for_streams_groups(
    cluster: Cluster, streams: Member, tmp_path: Path, options: tuple[str, ...], variables: dict[str, Any]
) -> None:
    names = [f"{TOOL}-streams", f"{ROLE}-streams"]
    for name in names:
        lines = [f"{name}-input,{partition},{offset}\n" for partition, offset in enumerate((3, 5, 0))]
        (tmp_path / f"{name}.csv").write_text("".join(lines), encoding="utf-8")
        for internal in INTERNAL:
            if name + internal not in truth.topics(cluster.bootstrap):
                topics.create(cluster.bootstrap, name + internal, PARTITIONS)
    given = [str(tmp_path / option) if option.endswith(".csv") else option for option in options]
    if "file" in variables:
        variables = {**variables, "file": str(tmp_path / variables["file"])}
    scope = [] if "file" in variables else ["--input-topic", f"{names[0]}-input"]
    with ThreadPoolExecutor(1) as pool:
        theirs = pool.submit(
            group_tool,
            cluster,
            names[0],
            "--reset-offsets",
            *scope,
            *given,
            "--execute",
            "--delete-all-internal-topics",
        )
        ours = role(cluster, names[1], **variables)
    done = theirs.result()
    assert (done.returncode, ours.code, ours.words) == (0, 0, ""), done.stdout + done.stderr
    assert state(cluster, names[1]) == state(cluster, names[0]), done.stdout
    assert state(cluster, names[1])[1] == OTHERS


def test_a_streams_group_is_deleted_with_its_internal_topics(cluster: Cluster, streams: Member) -> None:
    names = [f"{TOOL}-streams", f"{ROLE}-streams"]
    for name in names:
        for internal in INTERNAL:
            if name + internal not in truth.topics(cluster.bootstrap):
                topics.create(cluster.bootstrap, name + internal, PARTITIONS)
    (found,) = run("consumer_group_info", cluster.bootstrap, names=names[1], gather=["topology"]).given["groups"]
    assert (found["type"], found["topology"]["epoch"]) == ("streams", 0)
    assert set(found["topology"]["internal_topics"]) == {names[1] + internal for internal in INTERNAL}
    read = {topic for sub in found["topology"]["subtopologies"] for topic in sub["source_topics"]}
    assert read == {f"{names[1]}-input", f"{names[1]}-mid"}

    before = state(cluster, names[1])
    kept = run("consumer_group", cluster.bootstrap, names=names[1], internal_topics=True, max_changes=2)
    assert (kept.changed, set(kept.errors.values())) == (0, {"POLICY_VIOLATION"})
    asked: dict[str, Any] = {"names": names[1], "internal_topics": True}
    predicted, done, again = (
        ansible("consumer_group", cluster.bootstrap, check, **asked) for check in (True, False, False)
    )
    assert state(cluster, names[1])[1] == OTHERS != before[1]
    assert predicted["results"] == done["results"]
    assert [(item["action"], item.get("topic")) for item in done["results"]] == [
        ("delete_group", None),
        *(("delete_topic", topic) for topic in found["topology"]["internal_topics"]),
    ]
    assert (again["changed"], [item["action"] for item in again["results"]]) == (False, ["none"])
    theirs = group_tool(cluster, names[0], "--delete", "--delete-all-internal-topics")
    assert theirs.returncode == 0, theirs.stdout + theirs.stderr
    assert state(cluster, names[0])[1] == OTHERS
    assert not truth.groups(cluster.client()).keys() & set(names)
