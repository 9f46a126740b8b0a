# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether an audit can continue the state of an earlier one, why not, and where the next one can continue."""

from __future__ import annotations

import datetime
import hashlib
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import state
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.state import Kept, Unusable
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.store import Audit
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import marks, records
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.distribution import Topic
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.executor import Origin
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.marks import Marks
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.splits import Ended, Progress, Range
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import KafkaError, error

NOW = datetime.datetime(2026, 6, 1, 12, tzinfo=datetime.UTC)
KEPT = Marks(1000.0, "id", {0: 5, 1: 0}, {0: 10, 1: 0})
# of the rows that a state has, for each version of it
FINGERPRINTS = {2: "d1862fd168517e8a"}


def topic(*ranges: tuple[int, int], name: str = "id", weights: tuple[int, ...] = ()) -> Topic:
    found = [Range(number, *pair) for number, pair in enumerate(ranges)]
    return Topic(found, dict(enumerate(weights or [0] * len(found))), True, name)


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (topic((5, 12), (0, 3)), None),
        (topic((5, 10), (0, 0)), None),
        (topic((5, 12), (0, 3), name="other"), "the topic was created anew"),
        (topic((5, 12), (0, 3), name=""), "the brokers do not have topic ids, which require Kafka 2.8 or newer"),
        (topic((5, 12)), "the topic has 1 partitions, but had 2"),
        (topic((5, 12), (0, 3), (0, 1)), "the topic has 3 partitions, but had 2"),
        # after the mark, before it, and less than before
        (topic((11, 12), (0, 3)), "the log of partition 0 starts at offset 11, but started at 5"),
        (topic((5, 12), (1, 3)), "the log of partition 1 starts at offset 1, but started at 0"),
        (topic((4, 12), (0, 3)), "the log of partition 0 starts at offset 4, but started at 5"),
        (topic((5, 9), (0, 3)), "the log of partition 0 ends at offset 9, but was read up to 10"),
    ],
)
def test_what_keeps_a_scan_from_continuing(seen: Topic, why: str | None) -> None:
    assert marks.obstacle(KEPT, seen, "3600000", KEPT.began + 3600) == why


@pytest.mark.parametrize(
    ("retention", "why"),
    [
        ("3600000", None),
        (
            "3599999",
            "tombstones may be removed before they are read, since delete.retention.ms of the topic is 3599999",
        ),
        (None, "delete.retention.ms of the topic cannot be read, which requires DESCRIBE_CONFIGS on it"),
        (
            error("TOPIC_AUTHORIZATION_FAILED"),
            "delete.retention.ms of the topic cannot be read (TOPIC_AUTHORIZATION_FAILED), which requires "
            "DESCRIBE_CONFIGS on it",
        ),
    ],
)
def test_deletions_are_not_missed(retention: str | KafkaError | None, why: str | None) -> None:
    assert marks.obstacle(KEPT, topic((5, 12), (0, 3)), retention, KEPT.began + 3600) == why


def test_marks_without_a_topic_id_are_not_continued() -> None:
    nameless = topic((5, 12), (0, 3), name="")
    assert "topic ids" in str(marks.obstacle(KEPT._replace(topic_id=""), nameless, "3600000", KEPT.began))


def test_what_remains_after_the_marks() -> None:
    seen = topic((5, 25), (0, 0), weights=(2000, 0))
    assert marks.after(KEPT, seen) == (
        [Range(0, 10, 25, continued=True), Range(1, 0, 0, continued=True)],
        {0: 1500, 1: 0},
        True,
        "id",
    )


@pytest.mark.parametrize(
    ("ranges", "offsets", "ends"),
    [
        ([(0, 0, 9), (1, 4, 4)], [(0, 9), (1, 4)], {0: 9, 1: 4}),
        # an open transaction, at which the next scan begins
        ([(0, 0, 9), (1, 4, 8)], [(0, 7), (1, 8)], {0: 7, 1: 8}),
        # in parts, whose rows have any order
        ([(1, 4, 4), (0, 5, 9), (0, 0, 5)], [(0, 9), (1, 4), (0, 5)], {0: 9, 1: 4}),
        ([(0, 0, 5), (0, 5, 9), (1, 4, 4)], [(0, 5), (0, 7), (1, 4)], {0: 7, 1: 4}),
        # the transaction ended before the second part was read, but after the first one was given up
        ([(0, 0, 5), (0, 5, 9), (1, 4, 4)], [(0, 3), (0, 9), (1, 4)], None),
        ([(0, 0, 5), (0, 5, 9), (1, 4, 4)], [(0, 3), (0, 5), (1, 4)], None),
    ],
)
def test_marks_of_a_scan(
    ranges: list[tuple[int, int, int]], offsets: list[tuple[int, int]], ends: dict[int, int] | None
) -> None:
    ended = [Ended(partition, offset, 1, None, False) for partition, offset in offsets]
    origin = Origin(7.0, "id", {0: 0, 1: 4}, False, None)
    found = marks.reached(origin, [Range(*each) for each in ranges], ended)
    assert found == (None if ends is None else Marks(7.0, "id", {0: 0, 1: 4}, ends))


def test_records_that_are_removed_after_the_mark_and_before_they_are_read() -> None:
    progress = Progress((Range(3, 10, 15, continued=True),))
    assert progress.removed(3, 12) == set()
    progress.end_of_log(3, 15)
    assert progress.ended()[0].problem == "records from offset 10 to 12 were deleted during the scan"


def audit(day: int, kept: dict[str, Any] | None) -> Audit:
    return Audit(f"audit-{day}", "c", NOW + datetime.timedelta(days=day), {}, True, {}, kept)


FILES = {"part-0": 100, "part-1": 20}
GOOD = state.document("t", KEPT, 7, FILES)
NONE = Unusable("there is no state of an earlier audit of t", expected=True)
DAMAGED = Unusable("the state of the audit audit-1 is damaged: its manifest is not valid")


@pytest.mark.parametrize(
    ("audits", "found"),
    [
        ([], NONE),
        ([audit(1, None)], NONE),
        ([audit(1, {**GOOD, "topic": "other"})], NONE),
        ([audit(1, GOOD)], Kept("audit-1", KEPT, 7, FILES)),
        ([audit(1, GOOD), audit(2, GOOD)], Kept("audit-2", KEPT, 7, FILES)),
        # audits that are not incremental, or of a copy of the topic
        ([audit(1, GOOD), audit(2, None), audit(3, {**GOOD, "topic": "other"})], Kept("audit-1", KEPT, 7, FILES)),
        (
            [audit(0, GOOD), audit(1, {**GOOD, "version": 99})],
            Unusable(f"the state of the audit audit-1 has version 99, and not {state.VERSION}"),
        ),
        (
            [audit(1, {"topic": "t"})],
            Unusable(f"the state of the audit audit-1 has version None, and not {state.VERSION}"),
        ),
        ([audit(1, {**GOOD, "partitions": {"0": [1]}})], DAMAGED),
        ([audit(1, {**GOOD, "partitions": [1]})], DAMAGED),
        ([audit(1, {**GOOD, "rows": None})], DAMAGED),
        ([audit(1, {**GOOD, "files": 2})], DAMAGED),
        ([audit(1, {key: GOOD[key] for key in ("version", "topic", "rows", "files")})], DAMAGED),
    ],
)
def test_the_newest_state(audits: list[Audit], found: Kept | Unusable) -> None:
    assert state.newest(audits, "t") == found


def test_a_change_of_the_rows_is_another_version() -> None:
    """Rows of an earlier release must not be combined with rows that are decoded in another way."""
    rows = f"{[(field.name, str(field.type)) for field in records.schema()]}{records.KINDS}"
    assert FINGERPRINTS[state.VERSION] == hashlib.sha256(rows.encode()).hexdigest()[:16]
