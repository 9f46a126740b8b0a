# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One record of each type and version, with a value in every field."""

from __future__ import annotations

import base64
from typing import Any, NamedTuple

from tests.support import encode
from tests.support.encode import KEYS, VALUES, Kind

_KEY = {
    "group": "g-é-日本",
    "groupId": "g-é-日本",
    "memberId": "member",
    "topic": "topic",
    "partition": 2**31 - 1,
    "regularExpression": "orders-.*",
}
_UNKNOWN = {5: b"unknown", 1000: b"x" * 300}


class Sample(NamedTuple):
    """A record before encoding; the encoder does not support it if `value` is None."""

    record_type: int
    version: int
    key: dict[str, Any]
    value: dict[str, Any] | None


class _Maker:
    """Content for fields, each of it different; arrays have three elements, and every third nullable field is null."""

    def __init__(self) -> None:
        self._made = 0

    def of(self, kind: Kind, name: str = "") -> Any:
        self._made += 1
        if isinstance(kind, tuple):
            return self.of(kind[1], name)
        if isinstance(kind, dict):
            return {field: self.of(inner, field) for field, inner in kind.items()}
        if isinstance(kind, list):
            return [self.of(kind[0], name) for _each in range(3)]
        if kind == "nullable" and self._made % 3 == 0:
            return None
        if kind in ("string", "nullable"):
            return f"{name}-{self._made}-é" + "x" * (self._made % 2 * 130)
        if kind == "bytes":
            return bytes(range(self._made % 200))
        if kind == "uuid":
            return base64.urlsafe_b64encode(bytes([self._made % 251 + 1] * 16)).decode().rstrip("=")
        return self._made << {"int32": 20, "int64": 48}[kind]


def sample(record_type: int, version: int) -> Sample:
    """A record of a type and version."""
    key = {name: _KEY[name] for name in KEYS[record_type]}
    if (record_type, version) not in VALUES:
        return Sample(record_type, version, key, None)
    value = _Maker().of(VALUES[record_type, version])
    if version >= encode.FLEXIBLE:
        value[encode.UNKNOWN] = _UNKNOWN
    return Sample(record_type, version, key, value)
