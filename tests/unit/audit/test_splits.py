# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is to be read of each partition, in which splits, and how far the reading got."""

from __future__ import annotations

import asyncio
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import splits
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.splits import Progress, Range
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import KafkaError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import Topic
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _read_topics

GONE = KafkaError(3, "UNKNOWN_TOPIC_OR_PARTITION", "there is no such topic", True)
LEADERLESS = KafkaError(5, "LEADER_NOT_AVAILABLE", "there is no leader", True)


Ranges = t.Callable[[Topic | KafkaError, dict[int, t.Any]], list[Range]]


@pytest.fixture
def ranges(monkeypatch: pytest.MonkeyPatch) -> Ranges:
    def of(topic: Topic | KafkaError, logs: dict[int, t.Any]) -> list[Range]:
        async def describe_topics(_session: t.Any, names: list[str]) -> dict[str, t.Any]:
            return dict.fromkeys(names, topic)

        async def read_logs(_session: t.Any, wanted: list[t.Any]) -> dict[t.Any, t.Any]:
            return {where: logs[where.partition] for where in wanted}

        monkeypatch.setattr(_read_topics, "describe_topics", describe_topics)
        monkeypatch.setattr(_read_topics, "read_logs", read_logs)
        return asyncio.run(splits.ranges(t.cast(t.Any, None), "t"))

    return of


def test_ranges(ranges: Ranges) -> None:
    topic = Topic("t", frozenset({1, 0}), frozenset())
    assert ranges(topic, {0: (0, 0), 1: (5, 9)}) == [Range(0, 0, 0), Range(1, 5, 9)]


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
    ranges: Ranges, topic: Topic | KafkaError, logs: dict[int, t.Any], message: str
) -> None:
    with pytest.raises(TaskError, match=f"^{message}$"):
        ranges(topic, logs)


@pytest.mark.parametrize(
    ("sizes", "count", "grouped"),
    [
        ([], 2, []),
        ([0, 0], 1, [[0, 1]]),
        ([5], 4, [[0]]),
        ([1, 2, 3, 4], 2, [[3, 0], [2, 1]]),
        ([9, 1, 1, 1], 2, [[0], [1, 2, 3]]),
        ([3, 3, 3], 0, [[0, 1, 2]]),
        ([0, 7, 0, 7], 2, [[1, 0, 2], [3]]),
    ],
)
def test_group(sizes: list[int], count: int, grouped: list[list[int]]) -> None:
    made = splits.group([Range(number, 10, 10 + size) for number, size in enumerate(sizes)], count)
    assert [[one.partition for one in split] for split in made] == grouped


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
            finished |= progress.add([3] * len(one), {3: one[-1]})
    assert (finished == {3}, progress.remaining) == (done, set() if done else {3})
    offset, records, problem = ended
    assert progress.ended() == [(3, offset, records, problem), (4, 8, 0, None)]


@pytest.mark.parametrize(("seen", "stuck"), [([12], {3}), ([[10]], set()), ([12, [12]], set()), ([15], set())])
def test_a_partition_is_stuck_at_the_end_of_its_log_until_more_comes(seen: Seen, stuck: set[int]) -> None:
    progress = Progress((Range(3, 10, 15),))
    for one in seen:
        if isinstance(one, int):
            progress.end_of_log(3, one)
        else:
            progress.add([3] * len(one), {3: one[-1]})
    assert progress.blocked == stuck


@pytest.mark.parametrize(("offset", "belongs"), [(10, True), (14, True), (15, False), (16, False)])
def test_records_at_the_end_or_beyond_do_not_belong_to_the_split(offset: int, belongs: bool) -> None:
    progress = Progress((Range(3, 10, 15),))
    assert progress.within(3, offset) is belongs
    assert progress.exceeds({3: offset}) is not belongs


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
        progress.add([3] * len(seen), {3: seen[-1]})
    assert progress.removed(3, start) == done
    assert progress.remaining == ({3} if not done else set())
    if not done:
        progress.end_of_log(3, 15)
    [(_partition, offset, _records, problem)] = progress.ended()
    assert (offset, problem) == (15 if not done else ended[0], ended[1])
