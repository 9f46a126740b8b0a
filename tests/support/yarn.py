# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real YARN: a ResourceManager and a NodeManager, from Hadoop's released jars."""

from __future__ import annotations

import contextlib
import http.client
import json
import shutil
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.hadoop import configure, servers
from tests.support.ports import HOST, free

_SERVER = "org.apache.hadoop.yarn.server"


class Yarn(NamedTuple):
    """The folder with the configuration for clients (HADOOP_CONF_DIR), and the address of the ResourceManager's API."""

    configuration: Path
    web: str

    def applications(self) -> list[dict[str, Any]]:
        """Return the applications, as the ResourceManager tells them; raises OSError."""
        return list((_get(f"{self.web}/ws/v1/cluster/apps")["apps"] or {}).get("app", []))


@contextlib.contextmanager
def yarn(folder: Path, file_system: str, timeout: float = 180) -> Iterator[Yarn]:
    """Start YARN with its files in a folder, and stop it.

    :param file_system: the URI of the default file system.
    :raises RuntimeError: when it does not start in `timeout` seconds; the message ends with the log.
    """
    scheduler, tracker, admin, rpc, web, node, localizer, node_web = free(8)
    found = Yarn(folder, f"http://{HOST}:{web}")
    configure(folder, "core-site.xml", {"fs.defaultFS": file_system, "hadoop.tmp.dir": str(folder / "data")})
    configure(
        folder,
        "capacity-scheduler.xml",
        {"yarn.scheduler.capacity.root.queues": "default", "yarn.scheduler.capacity.root.default.capacity": "100"},
    )
    configure(
        folder,
        "yarn-site.xml",
        {
            "yarn.resourcemanager.scheduler.address": f"{HOST}:{scheduler}",
            "yarn.resourcemanager.resource-tracker.address": f"{HOST}:{tracker}",
            "yarn.resourcemanager.admin.address": f"{HOST}:{admin}",
            "yarn.resourcemanager.address": f"{HOST}:{rpc}",
            "yarn.resourcemanager.webapp.address": f"{HOST}:{web}",
            "yarn.nodemanager.hostname": HOST,
            "yarn.nodemanager.address": f"{HOST}:{node}",
            "yarn.nodemanager.localizer.address": f"{HOST}:{localizer}",
            "yarn.nodemanager.webapp.address": f"{HOST}:{node_web}",
            "yarn.nodemanager.local-dirs": str(folder / "local"),
            "yarn.nodemanager.log-dirs": str(folder / "containers"),
            "yarn.nodemanager.resource.memory-mb": "4096",
            "yarn.nodemanager.resource.cpu-vcores": "4",
            "yarn.nodemanager.disk-health-checker.enable": "false",
            "yarn.nodemanager.vmem-check-enabled": "false",
            "yarn.scheduler.minimum-allocation-mb": "256",
        },
    )
    command = shutil.which("java")
    if command is None:
        raise RuntimeError("Java is missing")
    # the containers have no other Java
    env = {"JAVA_HOME": str(Path(command).resolve().parents[1])}
    names = (f"{_SERVER}.resourcemanager.ResourceManager", f"{_SERVER}.nodemanager.NodeManager")
    with servers(folder, names, lambda: _ready(found.web), timeout, env):
        yield found


def _ready(web: str) -> bool:
    """Whether the NodeManager accepts containers."""
    try:
        return bool(_get(f"{web}/ws/v1/cluster/metrics")["clusterMetrics"]["activeNodes"])
    except (OSError, ValueError, KeyError, http.client.HTTPException):
        # a server that starts may answer anything
        return False


def _get(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return dict(json.load(answer))
