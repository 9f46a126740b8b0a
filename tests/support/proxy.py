# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A loopback TCP proxy that records the Kafka requests that pass, and disturbs them on demand."""

from __future__ import annotations

import contextlib
import queue
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from tests.support.ports import HOST

Action = Callable[[], object]


@dataclass(frozen=True)
class Request:
    """The header of a request."""

    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None


class Proxy:
    """Forwards plain-text Kafka between clients and one address. A context manager."""

    def __init__(self, upstream: tuple[str, int], port: int) -> None:
        self.port = port
        self._upstream = upstream
        self._lock = threading.Lock()
        self._requests: list[Request] = []
        self._drops: Counter[int] = Counter()
        self._before: dict[int, tuple[int, Action]] = {}
        self._after: dict[int, tuple[int, Action]] = {}
        self._delay = 0.0
        self._traffic = 0
        self._sockets: set[socket.socket] = set()
        self._server: socket.socket | None = None

    @property
    def address(self) -> str:
        """host:port, for bootstrap.servers."""
        return f"{HOST}:{self.port}"

    @property
    def requests(self) -> list[Request]:
        """A copy of the requests since the start or the last `clear`, in order of arrival."""
        with self._lock:
            return list(self._requests)

    @property
    def traffic(self) -> int:
        """The number of bytes of requests and responses since the start or the last `clear`."""
        with self._lock:
            return self._traffic

    def count(self, client_id: str | None = None) -> dict[int, int]:
        """The number of requests of each API key, of all clients or of one."""
        return dict(Counter(one.api_key for one in self.requests if client_id in (None, one.client_id)))

    def clear(self) -> None:
        """Reset the recorded requests and the number of bytes."""
        with self._lock:
            self._requests.clear()
            self._traffic = 0

    def drop_answers(self, api_key: int, count: int = 1) -> None:
        """Let the next `count` requests of a kind reach the broker, then close the connection instead of answering."""
        with self._lock:
            self._drops[api_key] = count

    def before(self, api_key: int, number: int, action: Action) -> None:
        """Run `action` before the proxy forwards the `number`-th request of a kind from now on."""
        with self._lock:
            self._before[api_key] = (number, action)

    def after(self, api_key: int, number: int, action: Action) -> None:
        """Run `action` after the broker has responded to that request, before the proxy forwards the response."""
        with self._lock:
            self._after[api_key] = (number, action)

    def delay(self, ms: float) -> None:
        """Delay every request by a number of milliseconds; 0 ends the delay."""
        self._delay = ms / 1000

    def reset(self) -> None:
        """Reset requests, drops, actions and delay."""
        self.clear()
        with self._lock:
            self._drops.clear()
            self._before.clear()
            self._after.clear()
        self._delay = 0.0

    def start(self) -> None:
        """Listen. ``OSError`` when the port is taken."""
        self._server = socket.create_server((HOST, self.port))
        threading.Thread(target=self._accept, args=(self._server,), daemon=True).start()

    def close(self) -> None:
        """Stop listening and close every connection."""
        if self._server:
            _shut(self._server)
        with self._lock:
            open_sockets = list(self._sockets)
        for one in open_sockets:
            _shut(one)

    def __enter__(self) -> Proxy:
        self.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def _accept(self, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _address = server.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            broker = socket.create_connection(self._upstream)
        except OSError:
            client.close()
            return
        swallow: set[int] = set()
        answered: dict[int, Action] = {}
        with client, broker:
            for one in (client, broker):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._sockets |= {client, broker}
            back = threading.Thread(target=self._answer, args=(broker, client, swallow, answered), daemon=True)
            back.start()
            line: queue.SimpleQueue[tuple[float, bytes] | None] = queue.SimpleQueue()
            forth = threading.Thread(target=_forward, args=(line, broker, client), daemon=True)
            forth.start()
            try:
                while frame := _frame(client):
                    self._record(frame, swallow, answered)
                    line.put((time.monotonic() + self._delay, frame))
            except OSError:
                pass
            finally:
                line.put(None)
                forth.join()
                _shut(broker)
                back.join()
                _shut(client)
                with self._lock:
                    self._sockets -= {client, broker}

    def _answer(
        self, broker: socket.socket, client: socket.socket, swallow: set[int], answered: dict[int, Action]
    ) -> None:
        try:
            while frame := _frame(broker):
                correlation = struct.unpack_from(">i", frame, 4)[0]
                if action := answered.pop(correlation, None):
                    _run(action)
                if correlation in swallow:
                    break
                with self._lock:
                    self._traffic += len(frame)
                client.sendall(frame)
        except OSError:
            pass
        finally:
            _shut(client)

    def _record(self, frame: bytes, swallow: set[int], answered: dict[int, Action]) -> None:
        api_key, api_version, correlation, length = struct.unpack_from(">hhih", frame, 4)
        client_id = None if length < 0 else frame[14 : 14 + length].decode("utf-8", "replace")
        with self._lock:
            self._requests.append(Request(api_key, api_version, correlation, client_id))
            self._traffic += len(frame)
            if self._drops[api_key] > 0:
                self._drops[api_key] -= 1
                swallow.add(correlation)
            now = _due(self._before, api_key)
            if later := _due(self._after, api_key):
                answered[correlation] = later
        if now:
            _run(now)


def _run(action: Action) -> None:
    """Run an action, which ends the connection with a ``ConnectionResetError``.

    :raises RuntimeError: for another ``OSError``, which would pass for one of the connection.
    """
    try:
        action()
    except ConnectionResetError:
        raise
    except OSError as error:
        raise RuntimeError(f"An action of the proxy failed: {error}") from error


def _forward(line: queue.SimpleQueue[tuple[float, bytes] | None], broker: socket.socket, client: socket.socket) -> None:
    """Send each frame at its due time, independently of later frames."""
    try:
        while item := line.get():
            due, frame = item
            time.sleep(max(0.0, due - time.monotonic()))
            broker.sendall(frame)
    except OSError:
        _shut(client)


def _due(actions: dict[int, tuple[int, Action]], api_key: int) -> Action | None:
    """Count a request; the action that waits for it."""
    number, action = actions.pop(api_key, (0, None))
    if action and number > 1:
        actions[api_key] = (number - 1, action)
    return action if number == 1 else None


def _frame(source: socket.socket) -> bytes | None:
    """One length-prefixed frame with its prefix; None at the end of the stream."""
    head = _exactly(source, 4)
    if head is None:
        return None
    body = _exactly(source, int.from_bytes(head, "big"))
    return None if body is None else head + body


def _exactly(source: socket.socket, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        part = source.recv(size - len(parts))
        if not part:
            return None
        parts += part
    return bytes(parts)


def _shut(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    # A listening socket that was shut down still holds its port until it is closed.
    with contextlib.suppress(OSError):
        one.close()
