# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Offsets that are carried over by time, to a log with the same records at other offsets."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka import TopicPartition as Place

from tests.live.task import ansible, run
from tests.support import commits, topics, truth
from tests.support.broker import Cluster
from tests.support.clients import properties

BLUE, GREEN, EMPTY = "times-blue", "times-green", "times-empty"
START = 1_700_000_000_000
#: In seconds after START, as produced: the third record is older than the second.
RECORDS = [0, 20, 10, 30, 30, 40, 50, 60]
SHIFT = 5
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def other(cluster: Cluster) -> Iterator[Cluster]:
    """Another cluster, with the topic under its own name, whose log begins elsewhere."""
    fill(cluster, BLUE, RECORDS)
    fill(cluster, GREEN, [0] * SHIFT + RECORDS)
    topics.create(cluster.client(), EMPTY)
    with Cluster.start("single") as started:
        fill(started, BLUE, [0] * SHIFT + RECORDS)
        yield started


def fill(cluster: Cluster, name: str, seconds: list[int]) -> None:
    topics.create(cluster.client(), name, config={"retention.ms": "-1", "message.timestamp.before.max.ms": str(2**62)})
    producer = Producer(properties(cluster.client()))
    for second in seconds:
        producer.produce(name, str(second), partition=0, timestamp=START + second * 1000)
        # one batch a record
        assert producer.flush(30) == 0


def record(cluster: Cluster, name: str, offset: int) -> str | None:
    """Read the record at an offset with librdkafka; None at the end of the log."""
    reader = Consumer({**properties(cluster.client()), "group.id": "unused", "enable.partition.eof": True})
    reader.assign([Place(name, 0, offset)])
    message = reader.poll(30)
    reader.close()
    assert message is not None
    return None if message.error() else (message.value() or b"").decode()


#: offset of the source, the seconds of the record that the copy reads first
CASES = [(0, "0"), (1, "20"), (2, "20"), (3, "30"), (4, "30"), (5, "40"), (7, "60"), (8, "60")]


@pytest.mark.parametrize(("offset", "first"), CASES)
def test_a_copy_by_time_skips_no_record(cluster: Cluster, other: Cluster, offset: int, first: str) -> None:
    source, target = (f"times-{next(NUMBERS)}" for _ in range(2))
    commits.commit(cluster.client(), source, {(BLUE, 0): (offset, "kept", -1)})
    asked = {"group": source, "topics": {BLUE: GREEN}, "use_timestamps": True}
    done = run("consumer_group_offsets", cluster.bootstrap, group=target, copy_from=asked)
    assert (done.changed, done.errors) == (1, {})
    (copied,) = truth.offsets(cluster.client(), target).values()
    assert copied.metadata == "kept"
    assert record(cluster, GREEN, copied.offset) == first
    # the first record of that time, or an earlier one: what the source has not read is after it
    assert copied.offset <= offset + SHIFT
    again = run("consumer_group_offsets", cluster.bootstrap, group=target, copy_from=asked)
    assert (again.changed, again.errors) == (0, {})


def test_a_group_moves_to_another_cluster(cluster: Cluster, other: Cluster) -> None:
    """With the two tasks of the guide; the offsets are given back as they are returned."""
    group = f"times-{next(NUMBERS)}"
    commits.commit(cluster.client(), group, {(BLUE, 0): (5, "kept", 0)})
    found = ansible("consumer_group_info", cluster.bootstrap, names=[group], gather=["timestamps"])
    (shown,) = found["groups"][0]["offsets"]
    assert (shown["offset"], shown["timestamp"]) == (5, START + 40_000)
    asked: dict[str, Any] = {"group": group, "offsets": [shown], "use_timestamps": True}
    predicted, done, again = (
        ansible("consumer_group_offsets", other.bootstrap, check, **asked) for check in (True, False, False)
    )
    assert predicted["results"] == done["results"]
    assert (done["changed"], again["changed"]) == (True, False)
    ((offset, metadata, _epoch),) = truth.offsets(other.client(), group).values()
    assert (record(other, BLUE, offset), metadata) == ("40", "kept")
    # without the option, the offset itself is set
    plain = run("consumer_group_offsets", cluster.bootstrap, group=group, offsets=[shown])
    assert (plain.changed, plain.errors) == (0, {})


@pytest.mark.parametrize(("topic", "offset"), [(EMPTY, 0), (EMPTY, 3)])
def test_an_offset_without_records_before_it_has_no_timestamp(
    cluster: Cluster, other: Cluster, topic: str, offset: int
) -> None:
    source = f"times-{next(NUMBERS)}"
    commits.commit(cluster.client(), source, {(topic, 0): (offset, "", -1)})
    found = run("consumer_group_info", cluster.bootstrap, names=source, gather=["timestamps"])
    assert found.given["groups"][0]["offsets"][0]["timestamp"] is None
    asked = {"group": source, "topics": {topic: GREEN}, "use_timestamps": True}
    refused = run("consumer_group_offsets", cluster.bootstrap, group=f"{source}-copy", copy_from=asked)
    assert (refused.changed, refused.errors) == (0, {f"{source}-copy": "OFFSET_OUT_OF_RANGE"})
