# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""CSV files of kafka-consumer-groups.sh, with lines TOPIC,PARTITION,OFFSET or GROUP,TOPIC,PARTITION,OFFSET."""

from __future__ import annotations

import collections
import collections.abc as c
import csv
import io
import typing as t

from .. import _input as inputs
from .._errors import NothingChanged
from .._kafka.model import Committed, Offsets, TopicPartition

SUFFIX = ".csv"
_FORMS = "TOPIC,PARTITION,OFFSET or GROUP,TOPIC,PARTITION,OFFSET"


class Row(t.NamedTuple):
    """One line; `group` is None in a file of one group."""

    group: str | None
    topic: str
    partition: int
    offset: int


def parse(text: str) -> list[Row]:
    """Return the rows of a file.

    Raises:
        ValueError: a line has another form, or repeats a partition; the message names it.
    """
    # spreadsheets write a byte order mark
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    try:
        found = [_row(row, reader.line_num) for row in reader if row]
    except csv.Error as exc:
        raise ValueError(f"line {reader.line_num}: {exc}") from None
    if len({row.group is None for row in found}) > 1:
        raise ValueError("some lines name a group, and some do not")
    for place, count in collections.Counter(row[:3] for row in found).items():
        if count > 1:
            raise ValueError(f"it contains {place[1]}-{place[2]} of a group more than once")
    return found


def _row(row: list[str], line: int) -> Row:
    *names, partition, offset = row if len(row) in (3, 4) else ("", "", "")
    if not all(names) or not (partition.isdecimal() and offset.isdecimal()):
        raise ValueError(f"line {line} has not the form {_FORMS}")
    if int(partition) > inputs.INT32_MAX or int(offset) > inputs.INT64_MAX:
        raise ValueError(f"line {line} has a number that is too large")
    if not inputs.TOPIC.fullmatch(names[-1]):
        raise ValueError(f"line {line} has no valid topic name")
    return Row(names[0] if len(names) > 1 else None, names[-1], int(partition), int(offset))


def text(rows: c.Iterable[Row]) -> str:
    """Return the content of a file; without groups if they are all None."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([field for field in row if field is not None] for row in rows)
    return file.getvalue()


def read(path: str, group: str | None) -> dict[str, Offsets]:
    """Return the offsets of each group of a file.

    Args:
        group: the group that a file without groups is about.

    Raises:
        TaskError: it cannot be read, or has another form.
    """
    try:
        with open(path, encoding="utf-8") as file:
            rows = parse(file.read())
    except OSError as exc:
        raise NothingChanged(f"restore.path: {path} cannot be read ({exc.strerror}).") from exc
    except ValueError as exc:
        raise NothingChanged(f"restore.path: {path} is not a CSV file of Kafka's tools: {exc}.") from exc
    if not rows:
        raise NothingChanged(f"restore.path: {path} is empty.")
    groups: dict[str, Offsets] = {}
    for row in rows:
        name = row.group or group
        if name is None:
            raise NothingChanged(f"restore.path: {path} does not name groups: set group to the one that it is about.")
        groups.setdefault(name, {})[TopicPartition(row.topic, row.partition)] = Committed(row.offset)
    return groups
