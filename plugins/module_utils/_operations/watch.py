# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Watch groups: read them again and again with the same client, also after the cluster was away."""

from __future__ import annotations

import collections.abc as c
import contextlib
import math
import typing as t

from .. import _input as inputs
from .._errors import InvalidOption, TaskError
from .._kafka.errors import CallError
from .._kafka.options import Connection
from .._kafka.rpc.list_offsets import READ_COMMITTED, READ_UNCOMMITTED
from .._kafka.session import Session
from . import info
from ._group_events import Limits, Reading
from ._selection import Selection
from .results import unread

_MOST_SECONDS = 30 * 86_400.0


class Request(t.NamedTuple):
    """Which groups to watch, how often in seconds, and what is an event."""

    groups: info.Request
    interval: float
    limits: Limits


class Answer(t.NamedTuple):
    """A reading, of which cluster, and what could not be read, in one sentence."""

    reading: Reading
    cluster_id: str
    problem: str | None


def parse(params: dict[str, t.Any]) -> Request:
    """Return what is to be watched; raises TaskError where an option cannot be."""
    max_lag, recovered_lag = params["max_lag"], params["recovered_lag"]
    if max_lag is not None:
        max_lag = inputs.natural(max_lag, "max_lag", inputs.INT64_MAX - 1)
        recovered_lag = max_lag if recovered_lag is None else recovered_lag
        inputs.natural(recovered_lag, "recovered_lag", max_lag)
    stuck_for = params["stuck_for"]
    gather = {"lag"} if max_lag is not None else {"state"}
    if stuck_for is not None:
        gather |= {"lag", "members", "offsets"}
    limits = Limits(
        max_lag,
        recovered_lag or 0,
        _seconds(params["lag_for"] or 0.0, "lag_for", 0.0),
        None if stuck_for is None else _seconds(stuck_for, "stuck_for", 1.0),
    )
    groups = info.Request(
        names=None,
        matches=inputs.patterns(params["match"], "match"),
        states=[],
        types=[],
        gather=frozenset(gather),
        isolation=READ_COMMITTED if params["isolation_level"] == "read_committed" else READ_UNCOMMITTED,
        selection=Selection(),
        max_results=None,
        wait=None,
    )
    return Request(groups, _seconds(params["interval"], "interval", 1.0), limits)


def _seconds(value: float, option: str, least: float) -> float:
    if math.isnan(value) or not least <= value <= _MOST_SECONDS:
        raise InvalidOption(f"{option} is {value:g}: it must be from {least:g} to {_MOST_SECONDS:.0f} seconds.")
    return value


class Watcher:
    """Reads groups with one client, which connects at the first read, and anew after a read that failed."""

    def __init__(self, connection: Connection, request: info.Request) -> None:
        self._connection = connection
        self._request = request
        self._session: Session | None = None

    def read(self, known: c.Collection[str]) -> Answer:
        """Read the groups, within the time of one task.

        Args:
            known: the names of groups that existed before.

        Raises:
            TaskError, CallError: no broker answers.
            CredentialsRefused: a broker or the token server refused the login.
        """
        try:
            session = self._open()
            return session.wire.run(_read, self._request, known, session)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            session, self._session = self._session, None
            session.wire.close()

    def _open(self) -> Session:
        if self._session is None:
            self._session = Session(self._connection, check_mode=True).__enter__()
        else:
            self._session.renew()
        return self._session


async def _read(request: info.Request, known: c.Collection[str], session: Session) -> Answer:
    # if no broker answers, the listing says so of each
    with contextlib.suppress(CallError):
        await session.wire.refresh()
    answer = await info.gather_info(request, session)
    errors = list(answer["errors"])
    unlisted = [each for each in errors if "broker" in each]
    if len(unlisted) == len(session.wire.nodes):
        raise TaskError(f"{unread(unlisted).rstrip('.')}.")
    groups = {group["name"]: group for group in answer["groups"]}
    unsure = {name for name, group in groups.items() if group["state"] is None}
    if not unlisted:
        # a group may be on its way to another broker, or the caller may have lost a permission
        unsure |= set(known) - groups.keys()
    missing: frozenset[str] = frozenset()
    if unsure:
        again = await info.gather_info(request._replace(names=sorted(unsure)), session)
        missing = frozenset(again["missing"])
        groups = {name: group for name, group in groups.items() if name not in missing}
        groups.update((group["name"], group) for group in again["groups"])
        errors += again["errors"]
    return Answer(
        Reading(groups, missing, not unlisted),
        session.wire.cluster_id,
        f"{unread(errors).rstrip('.')}." if errors else None,
    )
