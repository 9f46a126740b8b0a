# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An audit of records that hold whatever a client may commit, or a log may hold: it succeeds, and is right."""

from __future__ import annotations

import os
import random
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow.parquet as pq
import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.records import KINDS
from ansible_collections.kafkaops.groups.plugins.module_utils._files import json_file
from ansible_collections.kafkaops.groups.plugins.module_utils._files import plan as plan_file
from ansible_collections.kafkaops.groups.plugins.module_utils._files.plan import Plan

from tests.live.task import run_audit
from tests.support import commits, encode, offsets_topic, topics, truth
from tests.support.broker import Cluster
from tests.support.java import lent
from tests.support.offsets_topic import Record

Row = dict[str, Any]

PARTITIONS = 10
END = 20
SEED = 20260601
MOST, LEAST = 2**63 - 1, -(2**63)
# of the year 9999
LAST_TIME = 253_402_300_799_999
EDGES = (
    0,
    1,
    -1,
    -2,
    END,
    2**31 - 1,
    2**31,
    -(2**31),
    2**53 + 1,
    LAST_TIME,
    LAST_TIME + 1,
    MOST - 1,
    MOST,
    LEAST,
    LEAST + 1,
)
EPOCHS = (-1, 0, 1, 2**31 - 1, -(2**31))
VERSIONS = (0, 1, 4, 5, 15, 16, 32767, -1, -32768)
# the values of these record types are read: what is not known of them keeps its group out of the plan
NEEDED = (0, 1, 2)
NAMES = ("", "a\n", "a/b", "..", "null\0", "x" * 300, "\u202e", "topic-\N{ROCKET}", "orders")
_DAY_MS = 86_400_000


def numbers(count: int) -> list[int]:
    """The edges of 64 bits, and random ones of all sizes."""
    rng = random.Random(SEED)
    sized = [rng.getrandbits(rng.randrange(1, 64)) * rng.choice((1, -1)) for _each in range(count)]
    return [*EDGES, *sized]


@dataclass(frozen=True)
class Audited:
    """A cluster, and what the audit of it returned."""

    cluster: Cluster
    answer: dict[str, Any]
    plan: Plan

    def table(self, name: str) -> list[Row]:
        rows: list[Row] = pq.read_table(self.answer["tables"][name]).to_pylist()
        return rows


REAL = {f"real-{number}": offset for number, offset in enumerate(numbers(25))}
KEPT = {f"kept-{number}": retention for number, retention in enumerate((0, 1, 2**53, LAST_TIME, MOST - 1, MOST, LEAST))}
BESIDE = [f"beside-{record_type}" for record_type in KINDS]


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audited]:
    """Real commits, and beside them records that no broker writes; audited once."""
    config = {"log.message.timestamp.after.max.ms": str(MOST), "log.message.timestamp.before.max.ms": str(MOST)}
    with Cluster.start("single", config=config) as cluster:
        client = cluster.client()
        topics.create(client, "orders", 2, records=2 * END)
        healthy = {name: {("orders", 1): (7, "healthy", 0)} for name in (*BESIDE, "healthy")}
        epochs = {
            name: {("orders", 0): (offset, "", EPOCHS[number % len(EPOCHS)])}
            for number, (name, offset) in enumerate(REAL.items())
        }
        commits.commit_many(client, healthy | epochs)
        for name, retention in KEPT.items():
            commits.commit_many(client, {name: {("orders", 0): (3, "", -1)}}, retention)
        offsets_topic.write(client, made())
        # what was committed is older than that, then
        time.sleep(2)
        output = tmp_path_factory.mktemp("audit")
        with mock.patch.dict(os.environ, lent()):
            answer = run_audit(output, cluster.bootstrap, stale_after="1s", timeout=300)
        yield Audited(cluster, answer, plan_file.read(answer["plan"], cluster_id(answer["plan"])))


def cluster_id(plan: str) -> str:
    found: str = json_file.load(plan, "plan", plan_file.PLAN)["cluster_id"]
    return found


def made() -> list[Record]:
    """Records made by hand: old commits of all numbers, and each type of record with all versions of its value."""
    rng = random.Random(SEED)
    records = []
    given = numbers(60)

    def record(group: str, key: bytes, value: bytes | None, timestamp: int) -> None:
        where = offsets_topic.partition_of(group, PARTITIONS)
        # librdkafka takes 0 for now, and lets nothing pass that is below
        records.append(Record(where, key, value, max(1, timestamp)))

    for number in range(len(given)):
        group, version = f"made-{number}", number % 5
        offset, time_1, time_2, timestamp = rng.sample(given, 4)
        names = {"group": group, "topic": rng.choice(NAMES), "partition": rng.choice((0, 1, -1, 2**31 - 1, -(2**31)))}
        fields = {"offset": offset, "leaderEpoch": rng.choice(EPOCHS), "metadata": "", "commitTimestamp": time_1}
        value = encode.value(1, version, fields | {"expireTimestamp": time_2})
        record(group, encode.key(1, names), value, timestamp)
        member = {"memberId": "m", "groupInstanceId": None, "clientId": "", "clientHost": "", "rebalanceTimeout": -1}
        members = [{**member, "sessionTimeout": -1, "subscription": b"?", "assignment": b""}] * rng.randrange(2)
        state = {"protocolType": "consumer", "generation": -1, "protocol": None, "leader": None, "members": members}
        value = encode.value(2, version, state | {"currentStateTimestamp": time_2})
        record(group, encode.key(2, {"group": group}), value, timestamp)
    for record_type in KINDS:
        group = f"beside-{record_type}"
        names = {"group": group, "groupId": group, "memberId": "m", "regularExpression": "x"}
        # first: without more in the key than the group, the next records replace it
        gone = encode.key(record_type, names | {"topic": "t", "partition": 1, "memberId": "gone"})
        record(group, gone, None, _DAY_MS)
        for version in VERSIONS:
            key = encode.key(record_type, names | {"topic": f"t{version}", "partition": 0, "memberId": f"m{version}"})
            record(group, key, struct.pack(">h", version) + rng.randbytes(rng.randrange(40)), _DAY_MS)
    for record_type in (25, 99, 32767, -1, -32768):
        record("healthy", struct.pack(">hh", record_type, 7) + b"healthy", rng.randbytes(20), _DAY_MS)
    record("healthy", b"", b"", _DAY_MS)
    return records


def test_the_plan_is_that_of_the_groups_that_are_certain(audited: Audited) -> None:
    planned = {group.group: group.offsets for group in audited.plan.delete_groups}
    certain = {*REAL, *KEPT, *BESIDE, "healthy"} - {f"beside-{record_type}" for record_type in NEEDED}
    assert planned.keys() == certain
    client = audited.cluster.client()
    for group, offsets in planned.items():
        seen = {where: one.offset for where, one in truth.offsets(client, group).items() if one.offset >= 0}
        assert offsets == seen, group
    assert audited.plan.delete_offsets == []


def test_each_offset_is_as_it_was_committed(audited: Audited) -> None:
    table = {row["group"]: row for row in audited.table("offsets")}
    assert {name: table[name]["offset"] for name in REAL} == REAL
    assert {name: table[name]["leader_epoch"] for name in REAL} == {
        name: None if EPOCHS[number % len(EPOCHS)] == -1 else EPOCHS[number % len(EPOCHS)]
        for number, name in enumerate(REAL)
    }
    lags = {name: None if offset < 0 else max(0, END - offset) for name, offset in REAL.items()}
    assert {name: table[name]["lag"] for name in REAL} == lags
    groups = {row["group"]: row for row in audited.table("groups")}
    assert {name: (groups[name]["lag"], groups[name]["known_lag"]) for name in REAL} == {
        name: (lag, lag) for name, lag in lags.items()
    }
    assert groups["healthy"].items() >= {"lag": END - 7, "stale": True, "undecodable": 0}.items()


def test_what_is_found(audited: Audited) -> None:
    found = {(row["kind"], row["group"]) for row in audited.table("findings")}
    assert {group for kind, group in found if kind == "undecodable"} == {
        None,
        *(f"beside-{record_type}" for record_type in NEEDED),
    }
    # a group that is stale is one finding, and those made by hand are not the cluster's
    assert {group for kind, group in found if kind == "stale_group"} == {*REAL, *KEPT, *BESIDE, "healthy"}
    assert audited.answer["summary"]["undecodable"] == sum(
        row["kind"] == "undecodable" for row in audited.table("findings")
    )
    assert all(row["evidence"] and row["action"] for row in audited.table("findings"))


def test_the_audit_says_what_it_does_not_know(audited: Audited) -> None:
    page = Path(audited.answer["report"]).read_text("utf-8")
    assert "with a timestamp in the future (first: " in page
    assert '"missing":"unknown"' in page
    ages = [row["idle_since"] for row in audited.table("groups") if row["group"].startswith("made-")]
    assert len(ages) == len(numbers(60))
