# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real HDFS: a NameNode and a DataNode, from Hadoop's released jars."""

from __future__ import annotations

import contextlib
import json
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.hadoop import configure, java, servers
from tests.support.ports import HOST, free

_SERVER = "org.apache.hadoop.hdfs.server"


class Hdfs(NamedTuple):
    """The URI of a file system, and the address of its WebHDFS."""

    uri: str
    web: str

    def read(self, path: str) -> bytes:
        """Return the content of a file by WebHDFS; raises urllib.error.HTTPError."""
        with urllib.request.urlopen(f"{self.web}/webhdfs/v1{path}?op=OPEN", timeout=60) as answer:
            return bytes(answer.read())

    def names(self, path: str) -> list[str]:
        """Return the names in a folder by WebHDFS; raises urllib.error.HTTPError."""
        with urllib.request.urlopen(f"{self.web}/webhdfs/v1{path}?op=LISTSTATUS", timeout=60) as answer:
            return sorted(status["pathSuffix"] for status in json.load(answer)["FileStatuses"]["FileStatus"])


@contextlib.contextmanager
def hdfs(folder: Path, timeout: float = 180) -> Iterator[Hdfs]:
    """Start HDFS with its files in a folder, and stop it.

    :raises RuntimeError: when it does not start in `timeout` seconds; the message ends with the log.
    """
    rpc, web, *data = free(5)
    found = Hdfs(f"hdfs://{HOST}:{rpc}", f"http://{HOST}:{web}")
    configure(folder, "core-site.xml", {"fs.defaultFS": found.uri, "hadoop.tmp.dir": str(folder / "data")})
    names = ("dfs.datanode.address", "dfs.datanode.http.address", "dfs.datanode.ipc.address")
    configure(
        folder,
        "hdfs-site.xml",
        {
            "dfs.replication": "1",
            "dfs.namenode.http-address": f"{HOST}:{web}",
            "dfs.namenode.datanode.registration.ip-hostname-check": "false",
            "dfs.datanode.hostname": HOST,
            **{name: f"{HOST}:{port}" for name, port in zip(names, data, strict=True)},
        },
    )
    name_node, data_node = f"{_SERVER}.namenode.NameNode", f"{_SERVER}.datanode.DataNode"
    formatted = [*java(folder), name_node, "-format", "-nonInteractive"]
    subprocess.run(formatted, check=True, capture_output=True, timeout=timeout)
    with servers(folder, (name_node, data_node), lambda: _ready(found.web), timeout):
        yield found


def _ready(web: str) -> bool:
    """Whether a DataNode is there, and the NameNode accepts changes."""
    try:
        state, info = _bean(web, "FSNamesystemState"), _bean(web, "NameNodeInfo")
    except OSError:
        return False
    return state.get("NumLiveDataNodes") == 1 and info.get("Safemode") == ""


def _bean(web: str, name: str) -> dict[str, Any]:
    """A state of the NameNode, empty as long as it starts; raises OSError."""
    with urllib.request.urlopen(f"{web}/jmx?qry=Hadoop:service=NameNode,name={name}", timeout=10) as answer:
        beans = json.load(answer)["beans"]
    return dict(beans[0]) if beans else {}
