# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random logs, as a partition of ``__consumer_offsets`` might have them: few keys, each with many records."""

from __future__ import annotations

import random
import struct

from tests.support import encode
from tests.support.offsets_topic import Record

_DAY_MS = 86_400_000
_START = 1_767_225_600_000
_NUMBERS = (0, 1, -1, -2, 2**31, 2**53 + 1, 2**63 - 1, -(2**63))


def random_log(seed: int, count: int, partition: int) -> list[Record]:
    """Records of groups that are in this partition alone.

    Commits with keys of both versions, tombstones, rebalances of classic and KIP-848 groups, members, and records that
    cannot be decoded; offsets and times of all sizes, and time that does not always go forward.
    """
    rng = random.Random(seed)
    names = [f"group-{partition}-{number}" for number in range(3)]
    return [_record(rng, number, rng.choice(names), partition) for number in range(count)]


def _record(rng: random.Random, number: int, group: str, partition: int) -> Record:
    time = _START + (number // 10 + rng.randrange(-1, 2)) * _DAY_MS // 3 + rng.randrange(1000)
    time = rng.choice((time,) * 20 + (2**62, 1))
    kind = rng.choice((0, 1, 1, 1, 2, 2, 3, 5, 99))
    if kind == 99:
        key = rng.choice(
            (b"", b"\0", struct.pack(">hh", 99, 2) + b"ab", b"\0\1\0\2\xff\xfe\0\1t\0\0\0\0", b"\0\2\0\1\xff")
        )
        return Record(partition, key, rng.choice((None, b"\0", b"\0\0\0\0\0\7")), time)
    fields = {
        "group": group,
        "groupId": group,
        "topic": rng.choice("tu"),
        "partition": rng.randrange(2),
        "memberId": "m",
    }
    return Record(partition, encode.key(kind, fields), _value(rng, kind, time), time)


def _value(rng: random.Random, kind: int, time: int) -> bytes | None:
    if rng.random() < 0.25:
        return None
    if rng.random() < 0.1:
        return struct.pack(">h", rng.choice((0, 3, 7))) + rng.randbytes(rng.randrange(6))
    if kind in (0, 1):
        number = rng.choice((*_NUMBERS, rng.getrandbits(40)))
        fields = {"offset": number, "leaderEpoch": 1, "metadata": "", "commitTimestamp": rng.choice((time, number))}
        version = rng.choice((0, 1, 3, 4)) if kind else 0
        return encode.value(kind, version, {**fields, "expireTimestamp": number})
    generation = rng.randrange(3)
    if kind == 3:
        return struct.pack(">hi", 0, generation)
    member = {"memberId": "m", "groupInstanceId": None, "clientId": "", "clientHost": "", "rebalanceTimeout": 1}
    members = [{**member, "sessionTimeout": 1, "subscription": b"", "assignment": b""}] * rng.randrange(2)
    state = {"protocolType": "consumer", "generation": generation, "protocol": None, "leader": None, "members": members}
    return encode.value(2, rng.randrange(5), {**state, "currentStateTimestamp": time}) if kind == 2 else b"\0\0"
