# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The expected rows of the scan, from the content of the records."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import decode, records

Row = dict[str, Any]
#: A key and a value.
Raw = tuple[bytes | None, bytes | None]

#: The uuid that stands for none.
NO_UUID = base64.urlsafe_b64encode(bytes(16)).decode().rstrip("=")


def batch(raw: Sequence[Raw]) -> pa.RecordBatch:
    """Decode records to a batch in which every value is valid."""
    count = len(raw)
    made = decode.decode(
        pa.array([7] * count, pa.int32()),
        pa.array(range(count), pa.int64()),
        pa.array([5] * count, pa.int64()),
        pa.array([key for key, _value in raw], pa.binary()),
        pa.array([value for _key, value in raw], pa.binary()),
    )
    made.validate(full=True)
    assert made.column("source_offset").to_pylist() == list(range(count))
    return made


def rows(of: pa.RecordBatch) -> list[Row]:
    """Return the rows of a batch, without nulls or the position of the record."""
    return [
        {name: value for name, value in row.items() if value is not None}
        for row in of.drop_columns("source_offset").to_pylist()
    ]


def decoded(raw: Sequence[Raw]) -> list[Row]:
    """Decode records to `rows`."""
    return rows(batch(raw))


def expected(record_type: int, version: int | None, key: Row, value: Row) -> Row:
    """The row of a record, in the format of `decoded`.

    :param version: of the value, None for a tombstone.
    """
    columns = {
        "kind": records.KINDS[record_type],
        "source_partition": 7,
        "timestamp": 5,
        "tombstone": version is None,
        "group": key.get("group", key.get("groupId")),
        "topic": key.get("topic"),
        "partition": key.get("partition"),
        **(_content(record_type, value) if version is not None else {}),
    }
    return {name: content for name, content in columns.items() if content is not None}


def _content(record_type: int, value: Row) -> Row:
    if record_type <= 1:
        return {
            "offset": value["offset"],
            "leader_epoch": _unless(value.get("leaderEpoch"), -1),
            "metadata": value["metadata"],
            "commit_time": value["commitTimestamp"],
            "expire_time": _unless(value.get("expireTimestamp"), -1),
            "topic_id": _unless(value.get("topicId"), NO_UUID),
        }
    if record_type == 2:
        return {"state_time": _unless(value.get("currentStateTimestamp"), -1), "members": len(value["members"])}
    return {}


def _unless(value: Any, nothing: Any) -> Any:
    return None if value == nothing else value
