# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One task's access to one cluster: one client, one deadline, and whether it may change anything."""

from __future__ import annotations

import types

from .driver import Driver
from .options import Connection
from .wire import Deadline, Wire


class Session:
    """Connects on entry; closes on exit.

    Args:
        connection: the connection options.
        check_mode: predict instead of changing.

    Raises:
        TaskError: there is no bearer token to be had; on entry, when no address answers.
    """

    def __init__(self, connection: Connection, check_mode: bool) -> None:
        self.check_mode = check_mode
        self.warnings: list[str] = []
        self._connection = connection
        self.deadline = Deadline(connection.timeout)
        self._tokens = connection.tokens(connection.token_ca())
        if self._tokens is not None:
            # what is wrong with the source of tokens is no matter of the brokers
            self._tokens.prepare(min(connection.request_timeout, connection.timeout))
        self.wire = Wire(connection.wire_config(), self._tokens, connection.request_timeout, self.deadline)
        self.driver = Driver(self.wire)

    def __enter__(self) -> Session:
        try:
            self.wire.run(self.wire.connect)
        except BaseException:
            self.wire.close()
            raise
        return self

    def renew(self) -> None:
        """Begin another task with the same connections: its time starts now, and brokers are looked up again."""
        self.deadline.restart()
        self.driver = Driver(self.wire)

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: types.TracebackType | None
    ) -> None:
        self.wire.close()
