# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""CSV files of Kafka's tools."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import NothingChanged
from ansible_collections.kafkaops.groups.plugins.module_utils._files import csv_file
from ansible_collections.kafkaops.groups.plugins.module_utils._files.csv_file import Row
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import Committed, TopicPartition

LARGEST = 2**63 - 1


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", []),
        ("orders,0,5\n", [Row(None, "orders", 0, 5)]),
        ("orders,0,5\r\n\r\norders,1,0", [Row(None, "orders", 0, 5), Row(None, "orders", 1, 0)]),
        (f'"a, ""b""",orders,2147483647,{LARGEST}\n', [Row('a, "b"', "orders", 2**31 - 1, LARGEST)]),
        ('"two\nlines",orders,0,1\n', [Row("two\nlines", "orders", 0, 1)]),
    ],
)
def test_what_is_read(text: str, rows: list[Row]) -> None:
    assert csv_file.parse(text) == rows
    assert csv_file.parse("\ufeff" + text) == rows
    assert csv_file.parse(csv_file.text(rows)) == rows


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("orders,0", "line 1 has not the form TOPIC,PARTITION,OFFSET or GROUP,"),
        ("orders,0,5\norders,1,-1", "line 2 has not the form"),
        ("orders,0,5,6,7", "line 1"),
        (",0,5", "line 1"),
        ("TOPIC,PARTITION,OFFSET", "line 1"),
        (f"orders,0,{LARGEST + 1}", "line 1 has a number that is too large"),
        ("orders,2147483648,1", "line 1 has a number that is too large"),
        ("orders,0,5\norders,0,6", "it contains orders-0 of a group more than once"),
        ("orders ,0,5", "line 1 has no valid topic name"),
        ("x" * 40_000 + ",0,5", "line 1 has no valid topic name"),
        ('"' + "x" * 200_000, "line 1: field larger than field limit"),
        ("orders,0,5\ng,orders,1,5", "some lines name a group, and some do not"),
    ],
)
def test_what_is_not_read(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=words):
        csv_file.parse(text)
    file = tmp_path / "offsets.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(NothingChanged, match=f"{file} is not a CSV file of Kafka's tools: {words}"):
        csv_file.read(str(file), "g")


@pytest.mark.parametrize(
    ("text", "group", "words"),
    [
        ("", "g", "is empty"),
        ("orders,0,5", None, "does not name groups: set group to the one that it is about"),
    ],
)
def test_a_file_that_cannot_be_restored(text: str, group: str | None, words: str, tmp_path: Path) -> None:
    file = tmp_path / "offsets.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(NothingChanged, match=words):
        csv_file.read(str(file), group)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NothingChanged, match="cannot be read"):
        csv_file.read(str(tmp_path / "offsets.csv"), None)


def test_groups_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "offsets.csv"
    file.write_text("g,orders,0,5\nh,orders,0,6\ng,bills,1,7\n", encoding="utf-8")
    assert csv_file.read(str(file), "g") == {
        "g": {TopicPartition("orders", 0): Committed(5), TopicPartition("bills", 1): Committed(7)},
        "h": {TopicPartition("orders", 0): Committed(6)},
    }
