# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is to be read of each partition, in which splits, and how far the reading got."""

from __future__ import annotations

import asyncio
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import distribution, planning
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.distribution import Cores
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.splits import Progress, Range
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import KafkaError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import Topic

GONE = KafkaError(3, "UNKNOWN_TOPIC_OR_PARTITION", "there is no such topic", True)
LEADERLESS = KafkaError(5, "LEADER_NOT_AVAILABLE", "there is no leader", True)


REFUSED = KafkaError(31, "CLUSTER_AUTHORIZATION_FAILED", "it is not allowed", False)


Described = t.Callable[[Topic | KafkaError, dict[int, t.Any], dict[int, t.Any]], distribution.Topic]


@pytest.fixture
def described(monkeypatch: pytest.MonkeyPatch) -> Described:
    def of(topic: Topic | KafkaError, logs: dict[int, t.Any], sizes: dict[int, t.Any]) -> distribution.Topic:
        async def describe_topics(_session: t.Any, names: list[str]) -> dict[str, t.Any]:
            return dict.fromkeys(names, topic)

        async def read_logs(_session: t.Any, wanted: list[t.Any]) -> dict[t.Any, t.Any]:
            return {where: logs[where.partition] for where in wanted}

        async def partition_sizes(_session: t.Any, wanted: list[t.Any]) -> dict[t.Any, t.Any]:
            return {where: sizes[where.partition] for where in wanted}

        monkeypatch.setattr(planning, "describe_topics", describe_topics)
        monkeypatch.setattr(planning, "read_logs", read_logs)
        monkeypatch.setattr(planning, "partition_sizes", partition_sizes)
        return asyncio.run(planning.describe(t.cast(t.Any, None), "t"))

    return of


@pytest.mark.parametrize(
    ("sizes", "weights", "exact"),
    [
        ({0: 4096, 1: 700}, {0: 0, 1: 700}, True),
        ({0: 4096, 1: REFUSED}, {0: 0, 1: 400}, False),
    ],
)
def test_ranges_and_weights(
    described: Described, sizes: dict[int, t.Any], weights: dict[int, int], exact: bool
) -> None:
    topic = Topic("t", frozenset({1, 0}), frozenset(), "id")
    found = described(topic, {0: (0, 0), 1: (5, 9)}, sizes)
    assert found == ([Range(0, 0, 0), Range(1, 5, 9)], weights, exact, "id")


@pytest.mark.parametrize(
    ("topic", "logs", "message"),
    [
        (GONE, {}, r"The topic t cannot be read \(UNKNOWN_TOPIC_OR_PARTITION: there is no such topic\)\. Check .*"),
        (Topic("t", frozenset(), frozenset()), {}, r"The topic t cannot be read: it has no partitions\. Check .*"),
        (
            Topic("t", frozenset({0, 1}), frozenset()),
            {0: (0, 1), 1: LEADERLESS},
            r"Partition 1 of t cannot be read \(LEADER_NOT_AVAILABLE: there is no leader\): check .*",
        ),
    ],
)
def test_a_topic_that_cannot_be_read(
    described: Described, topic: Topic | KafkaError, logs: dict[int, t.Any], message: str
) -> None:
    with pytest.raises(TaskError, match=f"^{message}$"):
        described(topic, logs, {})


def topic_of(weights: list[int], exact: bool = True) -> distribution.Topic:
    ranges = [Range(number, 10, 10 + 100 * weight) for number, weight in enumerate(weights)]
    return distribution.Topic(ranges, dict(enumerate(weights)), exact)


@pytest.mark.parametrize(
    ("weights", "count", "grouped"),
    [
        ([], 2, []),
        ([0, 0], 1, [[0, 1]]),
        ([5], 1, [[0]]),
        ([1, 2, 3, 4], 2, [[3, 0], [2, 1]]),
        ([5, 4, 1, 1], 2, [[0, 3], [1, 2]]),
        ([0, 7, 0, 7], 2, [[1, 0, 2], [3]]),
        ([3, 3, 3], 9, [[0], [1], [2]]),
    ],
)
def test_distribute(weights: list[int], count: int, grouped: list[list[int]]) -> None:
    made = distribution.distribute(topic_of(weights), count)
    assert [[one.partition for one in split] for split in made] == grouped
    assert not any(one.cut for split in made for one in split)


@pytest.mark.parametrize(
    ("weights", "count", "pieces"),
    [
        ([80, 10, 10], 2, {0: 2}),
        ([100], 4, {0: 4}),
        ([60, 60, 40], 4, {0: 2, 1: 2}),
        # more parts would be small
        ([45, *[1] * 40], 41, {0: 4}),
        # not more than its share
        ([50, 50], 2, {}),
        ([60, 40], 2, {}),
        ([100], 1, {}),
    ],
)
def test_a_large_partition_is_cut(
    monkeypatch: pytest.MonkeyPatch, weights: list[int], count: int, pieces: dict[int, int]
) -> None:
    topic = topic_of(weights)
    assert all(not one.cut for split in distribution.distribute(topic, count) for one in split)
    monkeypatch.setattr(distribution, "_MIN_CUT", 20)
    monkeypatch.setattr(distribution, "_MIN_SPLIT", 10)
    made = distribution.distribute(topic, count)
    every = sorted(one for split in made for one in split)
    assert {one.partition: sum(each.partition == one.partition for each in every) for one in every if one.cut} == pieces
    # each offset once, and no split with two pieces of a partition
    for whole in topic.ranges:
        parts = [one for one in every if one.partition == whole.partition]
        assert [parts[0].start, *(one.end for one in parts)] == [*(one.start for one in parts), whole.end]
    assert all(len({one.partition for one in split}) == len(split) for split in made)


MB = 1024 * 1024


@pytest.mark.parametrize(
    ("weights", "cores", "exact", "count"),
    [
        ([1] * 50, Cores(2, False), True, 1),
        ([1] * 50, Cores(2, False), False, 1),
        ([MB] * 9, Cores(2, False), True, 2),
        ([MB] * 9, Cores(2, False), False, 2),
        ([40 * MB] * 50, Cores(2, False), True, 2),
        ([40 * MB] * 50, Cores(2, False), False, 8),
        # executors that may come
        ([1] * 50, Cores(2, True), True, 50),
        ([0] * 40 + [1] * 10, Cores(2, True), True, 10),
        ([0] * 49 + [1], Cores(2, True), True, 2),
        ([4 * MB] * 50, Cores(2, True), True, 50),
        ([40 * MB] * 50, Cores(2, True), True, 50),
        ([40 * MB] * 3, Cores(2, True), True, 3),
        ([0], Cores(0, True), True, 1),
    ],
)
def test_the_number_of_splits(weights: list[int], cores: Cores, exact: bool, count: int) -> None:
    assert len(distribution.plan(topic_of(weights, exact), cores)) == count


# what is read of a partition from 10 to 15: records (their offsets), or the end of the log (its offset)
Seen = list[list[int] | int]


@pytest.mark.parametrize(
    ("seen", "done", "ended"),
    [
        ([[10, 11, 14]], True, (14 + 1, 3, None)),
        ([[10, 11], [12, 14]], True, (15, 4, None)),
        # compaction or markers of transactions at the end
        ([[10, 11], 15], True, (15, 2, None)),
        ([15], True, (15, 0, None)),
        # the log has grown since
        ([[10, 11], 20], True, (15, 2, None)),
        # an open transaction, which ends in time or not
        ([[10, 11], 12], False, (12, 2, "an open transaction at offset 12 hides the records up to offset 15")),
        ([10], False, (10, 0, "an open transaction at offset 10 hides the records up to offset 15")),
        ([[10, 11], 12, [12, 14]], True, (15, 4, None)),
        ([[10, 11], 12, [12], 14, 15], True, (15, 3, None)),
        # word of the end that the records after it overtook
        ([[10, 11, 12], 12], False, (13, 3, "an open transaction at offset 13 hides the records up to offset 15")),
    ],
)
def test_progress(seen: Seen, done: bool, ended: tuple[int, int, str | None]) -> None:
    progress = Progress((Range(3, 10, 15), Range(4, 8, 8)))
    assert progress.remaining == {3}
    finished: set[int] = set()
    for one in seen:
        if isinstance(one, int):
            finished |= progress.end_of_log(3, one)
        else:
            finished |= progress.add(3, len(one), one[-1])
    assert (finished == {3}, progress.remaining) == (done, set() if done else {3})
    offset, records, problem = ended
    assert progress.ended() == [(3, offset, records, problem, False), (4, 8, 0, None, False)]


@pytest.mark.parametrize(("seen", "stuck"), [([12], {3}), ([[10]], set()), ([12, [12]], set()), ([15], set())])
def test_a_partition_is_stuck_at_the_end_of_its_log_until_more_comes(seen: Seen, stuck: set[int]) -> None:
    progress = Progress((Range(3, 10, 15),))
    for one in seen:
        if isinstance(one, int):
            progress.end_of_log(3, one)
        else:
            progress.add(3, len(one), one[-1])
    assert progress.blocked == stuck


@pytest.mark.parametrize(("last", "reached"), [(13, 14), (14, 15), (15, 15), (99, 15)])
def test_a_record_after_the_end_ends_a_partition(last: int, reached: int) -> None:
    """Compaction may have removed the last record of a part of a partition."""
    progress = Progress((Range(3, 10, 15, cut=True),))
    assert progress.end(3) == 15
    done = progress.add(3, 2, last)
    assert (done, progress.remaining) == (({3}, set()) if reached == 15 else (set(), {3}))
    assert progress.ended()[0][:3] == (3, reached, 2)


@pytest.mark.parametrize(
    ("seen", "start", "done", "ended"),
    [
        # before the first record was read
        ([], 12, set(), (12, None)),
        ([], 15, {3}, (15, None)),
        ([], 99, {3}, (99, None)),
        # afterwards
        ([10, 11], 14, set(), (14, "records from offset 12 to 14 were deleted during the scan")),
        ([10, 11], 15, {3}, (15, "records from offset 12 to 15 were deleted during the scan")),
        # nothing that was to be read
        ([], 10, None, (10, None)),
        ([10, 11], 11, None, (12, None)),
    ],
)
def test_records_that_are_removed_while_they_are_read(
    seen: list[int], start: int, done: set[int] | None, ended: tuple[int, str | None]
) -> None:
    progress = Progress((Range(3, 10, 15),))
    if seen:
        progress.add(3, len(seen), seen[-1])
    assert progress.removed(3, start) == done
    assert progress.remaining == ({3} if not done else set())
    if not done:
        progress.end_of_log(3, 15)
    [(_partition, offset, _records, problem, _partial)] = progress.ended()
    assert (offset, problem) == (15 if not done else ended[0], ended[1])


def test_records_that_are_removed_between_two_parts_of_a_partition() -> None:
    """The records of the part before may not be the latest ones of their keys."""
    progress = Progress((Range(3, 10, 15, cut=True),))
    assert progress.removed(3, 12) == set()
    progress.end_of_log(3, 15)
    assert progress.ended()[0].problem == "records from offset 10 to 12 were deleted during the scan"
