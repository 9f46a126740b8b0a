# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The settings of a task that runs Spark, such as an audit, and the private folder that passes them to its process."""

from __future__ import annotations

import abc
import collections.abc as c
import dataclasses
import datetime
import json
import os
import typing as t

from ... import _input as inputs
from ..._files import json_file
from ..._kafka.options import Connection
from ..judge.owners import Rule

# the output of Spark and Java, in the folder of this host
LOG = "spark.log"
_SETTINGS = "settings.json"
_ANSWER = "answer.json"


class Keep(t.NamedTuple):
    """Which audits of a cluster are kept: so many, and those younger than so many ms; None for no limit of the age."""

    audits: int
    for_ms: int | None

    def of(self, earlier: list[datetime.datetime], latest: datetime.datetime) -> set[datetime.datetime]:
        """Return the audits to keep beside the latest one, by their times."""
        kept = sorted(earlier, reverse=True)[: self.audits - 1]
        if self.for_ms is None:
            return set(kept)
        oldest = latest - datetime.timedelta(milliseconds=self.for_ms)
        return {created for created in kept if created >= oldest}


class Snapshots(t.NamedTuple):
    """How snapshots are used and kept.

    Attributes:
        least: the number of snapshots that must show a group idle before it is stale.
        keep_for_ms: how long snapshots are kept that the audit does not need any longer, in ms.
    """

    least: int
    keep_for_ms: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class SparkSettings(abc.ABC):
    """How a task runs Spark.

    Attributes:
        TASK, OPTION: what messages call the task, and the option that names where it writes.
        master, spark_conf: the Spark master, and additional Spark properties.
        deadline: when the task times out, in seconds since the epoch.
    """

    TASK: t.ClassVar[str]
    OPTION: t.ClassVar[str]

    master: str
    spark_conf: dict[str, str]
    deadline: float

    @property
    @abc.abstractmethod
    def log(self) -> str:
        """Return the path of the output of Spark and Java, which is locked while the task runs."""

    @property
    @abc.abstractmethod
    def libraries(self) -> tuple[str, ...]:
        """Return the Python libraries that the task imports."""

    @property
    def local(self) -> bool:
        """Whether Spark runs on this host, in one process."""
        return self.master.startswith("local")

    @property
    def standalone(self) -> bool:
        """Whether Spark runs on a standalone master."""
        return self.master.startswith("spark://")

    def save(self, folder: str) -> None:
        """Write the settings, including secrets, to a private folder."""
        _write(os.path.join(folder, _SETTINGS), dataclasses.asdict(self))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings(SparkSettings):
    """The options of C(consumer_offsets_audit), checked.

    Attributes:
        output: the folder for audits, or the URI of another location; see `store`.
        folder: the folder of this host for the plan, the report and the log; the same as `output` unless that is a URI.
        keep: the audits that are kept.
        table_format: of the tables, see `tables`.
        stale_after: the duration as the user wrote it.
        stale_after_ms: the duration in ms.
        owners: the patterns of each owner; the first match wins.
        client_rack, read_rate: the rack of the executors, and the maximum number of bytes per second; None if not set.
        metrics_file: the path of the file of metrics, None if it is not wanted.
        incremental: whether the audit continues the state of an earlier one, see `state`.
        snapshots: for an audit of snapshots; None if the topic is read.
    """

    TASK = "audit"
    OPTION = "output"

    connection: Connection
    output: str
    folder: str
    keep: Keep
    table_format: str
    stale_after: str
    stale_after_ms: int
    include: list[str]
    exclude: list[str]
    owners: list[Rule]
    topic: str
    client_rack: str | None
    read_rate: int | None
    metrics_file: str | None
    incremental: bool
    snapshots: Snapshots | None = None

    @property
    def log(self) -> str:
        return self.path(LOG)

    @property
    def libraries(self) -> tuple[str, ...]:
        needed = ["pyspark", "pyarrow", "jinja2"]
        if not self.snapshots:
            needed.append("confluent_kafka")
        if self.metrics_file is not None:
            needed.append("prometheus_client")
        return tuple(needed)

    def path(self, name: str) -> str:
        """Return the path of a file in the folder of this host."""
        return os.path.join(self.folder, name)

    def criteria(self) -> dict[str, t.Any]:
        """Return the criteria that the plan and the report contain."""
        given = {name: getattr(self, name) for name in ("stale_after", "include", "exclude")}
        if self.snapshots:
            return {"source": "snapshots", **given, "min_snapshots": self.snapshots.least}
        return {"topic": self.topic, **given}

    def selection(self) -> c.Callable[[str], bool]:
        """Return a predicate: whether a group is included and not excluded."""
        wanted, protected = inputs.matcher(self.include, "include"), inputs.matcher(self.exclude, "exclude")
        return lambda group: wanted(group) and not protected(group)

    @classmethod
    def load(cls, folder: str) -> Settings:
        """Read the settings that `save` wrote, and remove the file."""
        values = take(folder)
        return cls(
            **{
                **values,
                "connection": Connection.from_params(values["connection"]),
                "keep": Keep(*values["keep"]),
                "owners": [Rule(*rule) for rule in values["owners"]],
                "snapshots": values["snapshots"] and Snapshots(*values["snapshots"]),
            }
        )


def take(folder: str) -> dict[str, t.Any]:
    """Read what `SparkSettings.save` wrote, and remove the file."""
    path = os.path.join(folder, _SETTINGS)
    values = _read(path)
    # secrets must not remain on disk, however the process ends
    os.unlink(path)
    return values


def save_answer(folder: str, answer: dict[str, t.Any]) -> None:
    """Write the result of the task, or C(error) with the reason for the failure; it appears whole or not at all."""
    json_file.save(os.path.join(folder, _ANSWER), answer)


def load_answer(folder: str) -> dict[str, t.Any] | None:
    """Read the result that `save_answer` wrote; None if the process ended before."""
    path = os.path.join(folder, _ANSWER)
    return _read(path) if os.path.exists(path) else None


def private_file(path: str) -> t.TextIO:
    """Create a file that only the current user can read."""
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8")


def _write(path: str, document: dict[str, t.Any]) -> None:
    with private_file(path) as file:
        json.dump(document, file)


def _read(path: str) -> dict[str, t.Any]:
    with open(path, encoding="utf-8") as file:
        document: dict[str, t.Any] = json.load(file)
    return document
