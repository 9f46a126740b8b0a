# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What one audit is asked for, and the private folder in which that travels to the process that Spark runs in."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import json
import os
import typing as t

from ... import _input as inputs
from ..._kafka.options import Connection

# what Spark and Java say, in the output folder
LOG = "spark.log"
_SETTINGS = "settings.json"
_ANSWER = "answer.json"


@dataclasses.dataclass(frozen=True)
class Settings:
    """The options of C(consumer_offsets_audit), checked.

    Attributes:
        output: the folder for audits (see `store`), and for the log.
        stale_after: the duration as the user wrote it.
        stale_after_ms: the same in ms.
        master, spark_conf: where Spark runs, and what else it is to know.
        deadline: seconds since the epoch, at which the task's time is over.
    """

    connection: Connection
    output: str
    stale_after: str
    stale_after_ms: int
    include: list[str]
    exclude: list[str]
    master: str
    spark_conf: dict[str, str]
    topic: str
    deadline: float

    @property
    def local(self) -> bool:
        """Whether Spark runs on this host, in one process."""
        return self.master.startswith("local")

    @property
    def standalone(self) -> bool:
        """Whether Spark runs on a standalone master."""
        return self.master.startswith("spark://")

    def path(self, name: str) -> str:
        """Return where a file of the output is that belongs to no audit."""
        return os.path.join(self.output, name)

    def criteria(self) -> dict[str, t.Any]:
        """Return what the plan and the report say of how groups were judged."""
        return {name: getattr(self, name) for name in ("topic", "stale_after", "include", "exclude")}

    def selection(self) -> c.Callable[[str], bool]:
        """Return whether a group is to be judged: it is included, and not excluded."""
        wanted, protected = inputs.matcher(self.include, "include"), inputs.matcher(self.exclude, "exclude")
        return lambda group: wanted(group) and not protected(group)

    def save(self, folder: str) -> None:
        """Write the settings, secrets among them, into a folder that nobody else can read."""
        _write(os.path.join(folder, _SETTINGS), dataclasses.asdict(self))

    @classmethod
    def load(cls, folder: str) -> Settings:
        """Read what `save` wrote, and remove it."""
        path = os.path.join(folder, _SETTINGS)
        values = _read(path)
        # so that secrets are gone whatever ends the process
        os.unlink(path)
        return cls(**{**values, "connection": Connection.from_params(values["connection"])})


def save_answer(folder: str, answer: dict[str, t.Any]) -> None:
    """Write what the audit found, or C(error): why it could not be done."""
    _write(os.path.join(folder, _ANSWER), answer)


def load_answer(folder: str) -> dict[str, t.Any] | None:
    """Read what `save_answer` wrote; None if the process ended before."""
    path = os.path.join(folder, _ANSWER)
    return _read(path) if os.path.exists(path) else None


def private_file(path: str) -> t.TextIO:
    """Open a new file that nobody else can read."""
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8")


def _write(path: str, document: dict[str, t.Any]) -> None:
    with private_file(path) as file:
        json.dump(document, file)


def _read(path: str) -> dict[str, t.Any]:
    with open(path, encoding="utf-8") as file:
        document: dict[str, t.Any] = json.load(file)
    return document
