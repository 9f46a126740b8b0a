# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Records of ``__consumer_offsets`` from plain values: schemas, and one encoder for all of them.

The schemas are those of Kafka's classes (org.apache.kafka.coordinator.group.generated), with their names. A kind of
field is a word, a list with the kind of an array's elements, a dictionary (the schema of a structure), or, of a tagged
field, a pair of its tag and its kind.
"""

from __future__ import annotations

import base64
import struct
from typing import Any

Kind = Any
Schema = dict[str, Kind]

#: Tagged fields that no schema knows: values may have them under this name, as bytes by tag.
UNKNOWN = "unknownTags"

#: The first version of a value in the compact form of KIP-482.
FLEXIBLE = 4

_INTEGERS = {"int32": ">i", "int64": ">q"}

_GROUP: Schema = {"groupId": "string"}
_MEMBER: Schema = {"groupId": "string", "memberId": "string"}
_COMMIT: Schema = {"group": "string", "topic": "string", "partition": "int32"}

#: By record type; 9, 18 and 24 are not in Kafka 4.3.
KEYS: dict[int, Schema] = {
    **dict.fromkeys((0, 1), _COMMIT),
    2: {"group": "string"},
    **dict.fromkeys((3, 4, 6, 9, 11, 12, 15, 17, 18, 20, 23, 24), _GROUP),
    **dict.fromkeys((5, 7, 8, 10, 13, 14, 19, 21, 22), _MEMBER),
    16: {"groupId": "string", "regularExpression": "string"},
}


def _commit_value(version: int) -> Schema:
    return {
        "offset": "int64",
        **({"leaderEpoch": "int32"} if version >= 3 else {}),
        "metadata": "string",
        "commitTimestamp": "int64",
        **({"expireTimestamp": "int64"} if version == 1 else {}),
        **({"topicId": (0, "uuid")} if version >= 4 else {}),
    }


def _group_value(version: int) -> Schema:
    member = {
        "memberId": "string",
        **({"groupInstanceId": "nullable"} if version >= 3 else {}),
        "clientId": "string",
        "clientHost": "string",
        **({"rebalanceTimeout": "int32"} if version >= 1 else {}),
        "sessionTimeout": "int32",
        "subscription": "bytes",
        "assignment": "bytes",
    }
    return {
        "protocolType": "string",
        "generation": "int32",
        "protocol": "nullable",
        "leader": "nullable",
        **({"currentStateTimestamp": "int64"} if version >= 2 else {}),
        "members": [member],
    }


#: By record type and version; of the other types, only the keys are read.
VALUES: dict[tuple[int, int], Schema] = {
    (0, 0): _commit_value(0),
    **{(1, version): _commit_value(version) for version in range(5)},
    **{(2, version): _group_value(version) for version in range(5)},
}


def key(record_type: int, fields: dict[str, Any]) -> bytes:
    """The key of a record."""
    return struct.pack(">h", record_type) + _encode(KEYS[record_type], fields, flexible=False)


def value(record_type: int, version: int, fields: dict[str, Any]) -> bytes:
    """The value of a record."""
    body = _encode(VALUES[record_type, version], fields, version >= FLEXIBLE)
    return struct.pack(">h", version) + body


def varint(number: int) -> bytes:
    """An unsigned varint."""
    rest = number
    encoded = bytearray()
    while rest > 0x7F:
        encoded.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*encoded, rest])


def _encode(kind: Kind, given: Any, flexible: bool) -> bytes:
    if isinstance(kind, dict):
        return _structure(kind, given, flexible)
    if isinstance(kind, list):
        return _length(len(given), ">i", flexible) + b"".join(_encode(kind[0], one, flexible) for one in given)
    if kind in _INTEGERS:
        return struct.pack(_INTEGERS[kind], given)
    if kind == "uuid":
        return base64.urlsafe_b64decode(f"{given}==")
    if kind == "bytes":
        return _length(len(given), ">i", flexible) + bytes(given)
    if given is None:
        return _length(-1, ">h", flexible)
    encoded = given if isinstance(given, bytes) else given.encode()
    return _length(len(encoded), ">h", flexible) + encoded


def _structure(schema: Schema, given: dict[str, Any], flexible: bool) -> bytes:
    plain = {name: kind for name, kind in schema.items() if not isinstance(kind, tuple)}
    body = b"".join(_encode(kind, given[name], flexible) for name, kind in plain.items())
    if not flexible:
        return body
    tags = {name: schema[name] for name in given if name in schema and name not in plain}
    tagged = {tag: _encode(kind, given[name], True) for name, (tag, kind) in tags.items()}
    tagged |= given.get(UNKNOWN, {})
    fields = (varint(tag) + varint(len(content)) + content for tag, content in sorted(tagged.items()))
    return body + varint(len(tagged)) + b"".join(fields)


def _length(length: int, classic: str, flexible: bool) -> bytes:
    return varint(length + 1) if flexible else struct.pack(classic, length)
