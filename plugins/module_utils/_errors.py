# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What ends a task: the exceptions that its user reads."""

from __future__ import annotations

import typing as t

_LONGEST = 2000


def in_one_line(text: str) -> str:
    """Return a message with whatever a user or a broker has put into it: printable, and cut in the middle."""
    return _cut("".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in _cut(text)))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} [...] {text[-_LONGEST // 4 :]}"


class TaskError(Exception):
    """The whole task cannot go on; the message is one sentence for the user, and `outcome` what follows it."""

    outcome = ""

    def __init__(self, message: str, results: t.Sequence[t.Any] = ()) -> None:
        super().__init__(in_one_line(f"{message} {self.outcome}".rstrip()))
        self.results = results


class InvalidOption(TaskError):
    """An option has an invalid value; no request was sent."""

    outcome = "Nothing was sent."


class NothingChanged(TaskError):
    """The task stopped before the first change."""

    outcome = "Nothing was changed."


class NothingRead(TaskError):
    """The audit stopped before it read the topic."""

    outcome = "Nothing was read."


class ConditionsNotMet(TaskError):
    """The task waited in vain; `answer` is what it read last."""

    def __init__(self, message: str, answer: dict[str, t.Any]) -> None:
        super().__init__(message)
        self.answer = answer


class MissingLibrary(Exception):
    """A Python library is not installed, or cannot be imported: `library` with its version, and the `trace`."""

    def __init__(self, library: str, trace: str) -> None:
        super().__init__(library)
        self.library = library
        self.trace = trace
