# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fuzzes the decoder of ``__consumer_offsets``: ``python -m tests.fuzz_decode --records 1000000``.

One input is many records, which are decoded together, as they are in the audit; each of them is mutated. Coverage of
the decoder tells which inputs to go on with. Exits 0 after so many records; a failure ends it with a traceback, and
with the input in a file of the temporary folder.
"""

from __future__ import annotations

import argparse
import os
import random
import struct
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import atheris

from tests.support import encode
from tests.support.collection import install
from tests.support.samples import sample

install()
with atheris.instrument_imports(include=["ansible_collections.kafkaops.groups.plugins.module_utils._audit"]):
    from tests.support.rows import Raw, batch, rows

# records of one input: the decoder takes long for the first ones of each version of a type, and little for more
_BATCH = 40_000
_LENGTH = struct.Struct(">h")
_INTERESTING = [
    b"\0",
    b"\1",
    b"\xff",
    b"\x80",
    b"\x7f",
    b"\0\0",
    b"\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\xff\x0f",
]


def pack(records: list[Raw]) -> bytes:
    """Records as one input: each part behind its length, -1 if it is missing."""
    parts = (part for record in records for part in record)
    return b"".join(_LENGTH.pack(-1) if part is None else _LENGTH.pack(len(part)) + part for part in parts)


def unpack(data: bytes) -> list[Raw]:
    """The records of an input, whatever it is."""
    parts = list(_parts(data))
    return list(zip(parts[::2], parts[1::2], strict=False))


def _parts(data: bytes) -> Iterator[bytes | None]:
    at = 0
    while at + _LENGTH.size <= len(data):
        (length,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        yield data[at : at + length] if length >= 0 else None
        at += max(0, length)


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Another input: as many records, each of them mutated; they come from those of this one and from the seeds."""
    rng = random.Random(seed)
    records = unpack(data) or SEEDS
    return pack([_mutated(rng, rng.choice(rng.choice((records, SEEDS)))) for _each in range(_BATCH)])[:max_size]


def _mutated(rng: random.Random, record: Raw) -> Raw:
    key, value = record
    # most mutations of a key are unknown types: let the value have its chance
    if value is None or rng.random() < 0.3:
        return _changed(rng, key), value
    return key, _changed(rng, value)


def _changed(rng: random.Random, part: bytes | None) -> bytes | None:
    if part is None or rng.random() < 0.01:
        return None if part else bytes(rng.choices(range(256), k=rng.randrange(40)))
    changed = bytearray(part)
    for _each in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(changed) + 1)
        how = rng.randrange(4)
        if how == 0 and at < len(changed):
            changed[at] ^= 1 << rng.randrange(8)
        elif how == 1:
            some = rng.choice(_INTERESTING)
            changed[at : at + len(some)] = some
        elif how == 2:
            changed[at:at] = rng.choice(_INTERESTING)
        else:
            del changed[at : at + rng.choice((1, 1, 2, len(changed)))]
    return bytes(changed)


SEEDS: list[Raw] = [
    (encode.key(one.record_type, one.key), encode.value(one.record_type, one.version, one.value) if one.value else None)
    for one in (sample(*shape) for shape in [*encode.VALUES, *((record_type, 0) for record_type in encode.KEYS)])
]


class Fuzzer:
    """Decodes inputs until it has had enough records."""

    def __init__(self, wanted: int) -> None:
        self._wanted = wanted
        self._done = 0
        self._started = time.monotonic()

    def __call__(self, data: bytes) -> None:
        raw = unpack(data)
        together = batch(raw)
        for at in range(0, len(raw), 1000):
            assert rows(batch([raw[at]])) == rows(together.slice(at, 1)), f"record {at} depends on its neighbours"
        self._done += len(raw)
        if self._done >= self._wanted:
            print(f"{self._done} records in {time.monotonic() - self._started:.0f} s: no crash", flush=True)
            # the fuzzer knows no other way to end
            os._exit(0)


def main() -> None:
    """Run the fuzzer from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz_decode")
    parser.add_argument("--records", type=int, default=1_000_000, metavar="N", help="stop after so many")
    parser.add_argument("--seed", type=int, default=1, help="of the mutations")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as corpus:
        (Path(corpus) / "seeds").write_bytes(pack(SEEDS))
        limits = [f"-seed={given.seed}", "-max_len=16000000", "-timeout=60", "-rss_limit_mb=2048"]
        crashes = f"-artifact_prefix={tempfile.gettempdir()}/"
        atheris.Setup([sys.argv[0], *limits, crashes, corpus], Fuzzer(given.records), custom_mutator=mutate)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
