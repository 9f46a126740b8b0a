# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""JSON files with a format and a version; every value is validated when a file is read."""

from __future__ import annotations

import collections.abc as c
import contextlib
import datetime
import json
import os
import typing as t

from .. import _input as inputs
from .._errors import NothingChanged
from .._kafka.model import TopicPartition
from .atomic_write import put

Document = dict[str, t.Any]


class Kind(t.NamedTuple):
    """A kind of file: what it is called, and the `format` and `version` that it starts with.

    `earlier` are the versions that are read, too.
    """

    name: str
    format: str
    version: int
    earlier: tuple[int, ...] = ()

    def head(self, cluster_id: str, created: datetime.datetime) -> Document:
        """Return what every file of the kind starts with."""
        return {
            "format": self.format,
            "version": self.version,
            "cluster_id": cluster_id,
            "created": time_text(created),
        }


def time_text(moment: datetime.datetime) -> str:
    """Return a time as files contain it: in UTC, to the second."""
    return moment.astimezone(datetime.UTC).isoformat(timespec="seconds")


def save(path: str, document: Document) -> None:
    """Write a document with mode 0600, over an existing file; raises as `atomic_write.put` does."""
    put(path, lines(document), os.replace)


def lines(document: Document) -> c.Iterator[str]:
    """Yield a document as JSON, with each entry of its lists in a line of its own, for grep and diff.

    A list may be an iterator, whose entries are then never in memory together.
    """
    start = "{\n"
    for key, value in document.items():
        yield f"{start}{json.dumps(key)}: "
        yield from _entries(value) if isinstance(value, list | c.Iterator) else (json.dumps(value),)
        start = ",\n"
    yield "\n}\n"


def _entries(values: c.Iterable[t.Any]) -> c.Iterator[str]:
    start = "[\n"
    for value in values:
        yield start + json.dumps(value)
        start = ",\n"
    yield "[]" if start == "[\n" else "\n]"


def load(path: str, option: str, kind: Kind) -> Document:
    """Read a document of a kind.

    Args:
        option: the option that names the file, for the messages.

    Raises:
        TaskError: it cannot be read, is no JSON, or of another format or version.
    """
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except OSError as exc:
        raise NothingChanged(f"{option}: {path} cannot be read ({exc.strerror}).") from exc
    except (ValueError, RecursionError) as exc:
        raise NothingChanged(f"{option}: {path} is not a {kind.name}: it is not JSON ({exc}).") from exc
    if not isinstance(document, dict) or document.get("format") != kind.format:
        raise NothingChanged(f"{option}: {path} is not a {kind.name}: its format is not {kind.format}.")
    versions = (*kind.earlier, kind.version)
    if document.get("version") not in versions:
        raise NothingChanged(
            f"{option}: {path} is of version {document.get('version')}, and this release reads version "
            f"{' and '.join(map(str, versions))}."
        )
    return document


@contextlib.contextmanager
def undamaged(path: str, option: str) -> t.Iterator[None]:
    """Tell what `natural`, `text` and the like raise while a document is taken apart: it is damaged."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as exc:
        raise NothingChanged(f"{option}: {path} is damaged ({type(exc).__name__}: {exc}).") from exc


def natural(value: t.Any, most: int) -> int:
    """Return a number from 0 to `most`; raises ValueError."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise ValueError(f"{value!r} is not a number from 0 to {most}")
    return value


def text(value: t.Any) -> str:
    """Return a name that Kafka can hold; raises ValueError."""
    if not isinstance(value, str) or not value or len(value.encode("utf-8")) > inputs.MAX_BYTES:
        raise ValueError(f"{value!r:.60} is not a text")
    return value


def metadata(value: t.Any) -> str:
    """Return the metadata of an offset, of any length; raises ValueError."""
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.60} is not a text")
    value.encode("utf-8")
    return value


def topic(value: t.Any) -> str:
    """Return the name of a topic; raises ValueError."""
    name = text(value)
    if not inputs.TOPIC.fullmatch(name):
        raise ValueError(f"{name!r} is not the name of a topic")
    return name


def place(entry: Document) -> TopicPartition:
    """Return the topic and the partition of an entry; raises KeyError or ValueError."""
    return TopicPartition(topic(entry["topic"]), natural(entry["partition"], inputs.INT32_MAX))


def array(value: t.Any, name: str) -> list[t.Any]:
    """Return a list; raises TypeError."""
    if not isinstance(value, list):
        raise TypeError(f"{name} is not a list")
    return value
