# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a script as Python would, in a fork of the server: ``python -IS client.py SOCKET [FILE [ARGUMENT...]]``.

The fork has the folder, environment, input and outputs of this process; without FILE, the script is its input.
"""

import marshal
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    job = marshal.dumps((os.getcwd(), dict(os.environ), sys.argv[2:]))
    socket.send_fds(server, [len(job).to_bytes(4, "big")], [0, 1, 2])
    server.sendall(job)
    (code,) = server.recv(1)
sys.exit(code)
