# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A broker with invalid responses to one RPC: a real broker behind a server that modifies its responses."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterable

from tests.support.ports import HOST

#: Gives what is sent in the place of a frame (with its length prefix), piece by piece; None hangs up.
Spoil = Callable[[bytes], Iterable[bytes | None]]

METADATA, FIND_COORDINATOR = 3, 10


class Hostile:
    """Forwards plain-text Kafka to a broker on this host, and modifies the responses of one RPC. A context manager.

    It tells clients that it is the only address of that broker, so that they stay.
    """

    def __init__(self, broker: str, api_key: int, spoil: Spoil, times: int = 1_000_000) -> None:
        """Listen, and forward to `broker` (host:port); modify the first `times` responses."""
        self._broker = int(broker.rpartition(":")[2])
        self._api_key = api_key
        self._spoil = spoil
        self._left = times
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._server = socket.create_server((HOST, 0))
        self._port = self._server.getsockname()[1]
        self.address = f"{HOST}:{self._port}"
        #: How many answers were spoiled.
        self.spoiled = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Hostile:
        return self

    def __exit__(self, *_exc: object) -> None:
        with self._lock:
            sockets = [self._server, *self._open]
        for one in sockets:
            _shut(one)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _address = self._server.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection((HOST, self._broker)) as broker:
            for one in (client, broker):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._open |= {client, broker}
            asked: dict[int, int] = {}
            back = threading.Thread(target=self._answer, args=(broker, client, asked), daemon=True)
            back.start()
            with contextlib.suppress(OSError):
                while frame := _frame(client):
                    api_key, _version, correlation = struct.unpack_from(">hhi", frame, 4)
                    asked[correlation] = api_key
                    broker.sendall(frame)
            _shut(broker)
            back.join()
            _shut(client)
            with self._lock:
                self._open -= {client, broker}

    def _answer(self, broker: socket.socket, client: socket.socket, asked: dict[int, int]) -> None:
        with contextlib.suppress(OSError):
            while frame := _frame(broker):
                api_key = asked.pop(struct.unpack_from(">i", frame, 4)[0])
                if api_key in (METADATA, FIND_COORDINATOR):
                    frame = frame.replace(struct.pack(">i", self._broker), struct.pack(">i", self._port))
                for piece in self._spoil(frame) if api_key == self._api_key and self._due() else (frame,):
                    if piece is None:
                        raise ConnectionAbortedError
                    client.sendall(piece)
        _shut(client)

    def _due(self) -> bool:
        with self._lock:
            due = self._left > 0
            self._left -= due
            self.spoiled += due
            return due


def _frame(source: socket.socket) -> bytes:
    """One length-prefixed frame with its prefix; nothing at the end of the stream."""
    head = source.recv(4, socket.MSG_WAITALL)
    size = int.from_bytes(head, "big") if len(head) == 4 else 0
    body = source.recv(size, socket.MSG_WAITALL)
    return head + body if size and len(body) == size else b""


def _shut(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    with contextlib.suppress(OSError):
        one.close()
