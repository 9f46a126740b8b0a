# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The decoder, and the tests' own encoder, against the classes of the broker."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Sequence
from typing import Any

from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import records

from tests.support import encode
from tests.support.jars import program
from tests.support.rows import decoded, expected
from tests.support.samples import Sample, sample

# what 4.3 has no more, and what a later release has
ELSEWHERE = {9, 18, 24}


def run(*arguments: str, lines: Sequence[str] = ()) -> list[list[str]]:
    """What the program writes: the words of each line."""
    done = subprocess.run(
        program("EncodeRecords", 128, *arguments),
        input="\n".join(lines),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines()]


def as_line(one: Sample) -> str:
    line = {"type": one.record_type, "version": one.version, "key": one.key}
    if one.value is not None:
        line["value"] = as_json({name: content for name, content in one.value.items() if name != encode.UNKNOWN})
        line[encode.UNKNOWN] = as_json(one.value.get(encode.UNKNOWN, {}))
    return json.dumps(line)


def as_json(given: Any) -> Any:
    """What Kafka's converters read: bytes in base64."""
    if isinstance(given, dict):
        return {str(name): as_json(content) for name, content in given.items()}
    if isinstance(given, list):
        return [as_json(content) for content in given]
    return base64.b64encode(given).decode() if isinstance(given, bytes) else given


def test_the_record_types_are_the_brokers() -> None:
    told = {int(number): name.lower() for number, _version, name in run("types")}
    assert told.pop(0) == "legacy_offset_commit"
    assert told == {number: name for number, name in records.KINDS.items() if number not in {0, *ELSEWHERE}}


def test_each_version_of_each_record_is_decoded_as_the_broker_writes_it() -> None:
    samples = [
        sample(int(record_type), version)
        for record_type, highest, _name in run("types")
        for version in range(int(highest) + 1)
    ]
    raw = [(bytes.fromhex(key), bytes.fromhex(value)) for key, value in run(lines=list(map(as_line, samples)))]
    assert decoded(raw) == [
        expected(record_type, version, key, value or {}) for record_type, version, key, value in samples
    ]
    ours = [
        (encode.key(record_type, key), encode.value(record_type, version, value) if value else theirs)
        for (record_type, version, key, value), (_key, theirs) in zip(samples, raw, strict=True)
    ]
    assert ours == raw
