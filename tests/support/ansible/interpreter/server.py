# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Python that has imported what every module of Ansible imports, and runs scripts in forks: ``server.py SOCKET``.

The sources of the collection still come out of the archive that Ansible sends.
"""

from __future__ import annotations

import marshal
import os
import signal
import socket
import sys
import threading

import ansible.module_utils._internal._ansiballz._loader  # noqa: F401
import kafka.net.manager  # noqa: F401


def forked(address: str) -> list[str]:
    """Listen, and return in a fork for each client, as its process: the arguments of its script."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            client = listener.accept()[0]
            if os.fork() == 0:
                break
            client.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    length, streams, _flags, _sender = socket.recv_fds(client, 4, 3)
    with client.makefile("rb") as sent:
        folder, environment, arguments = marshal.loads(sent.read(int.from_bytes(length, "big")))
    script = os.fork()
    if script:
        _watch(client, script, streams)
    client.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    return list(arguments)


def _watch(client: socket.socket, script: int, streams: list[int]) -> None:
    """Tell the client how the script ended; end the script where the client has ended."""
    for stream in streams:
        os.close(stream)
    threading.Thread(target=_end_with, args=(client, script), daemon=True).start()
    code = os.waitstatus_to_exitcode(os.waitpid(script, 0)[1])
    # as shells tell of signals
    client.sendall(bytes([code if code >= 0 else 128 - code]))
    os._exit(0)


def _end_with(client: socket.socket, script: int) -> None:
    client.recv(1)
    os.kill(script, signal.SIGKILL)


if __name__ == "__main__":
    sys.argv = forked(sys.argv[1]) or [""]
    # the folder of this file
    del sys.path[0]
    if sys.argv[0]:
        with open(sys.argv[0], "rb") as file:
            source = file.read()
    else:
        source = sys.stdin.buffer.read()
    exec(compile(source, sys.argv[0] or "<stdin>", "exec"), {"__name__": "__main__", "__file__": sys.argv[0]})
