# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The processes that the command line started: a state folder with a JSON file for the cluster and for each member."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.broker import Cluster
from tests.support.consumers import Member
from tests.support.process import end, started

_CLUSTER = "cluster.json"


def save_cluster(folder: Path, cluster: Cluster) -> dict[str, Any]:
    """Write and return the data to use and stop a detached cluster."""
    known: dict[str, Any] = {
        "bootstrap": cluster.bootstrap,
        "listeners": cluster.listeners,
        "profile": cluster.profile,
        "version": cluster.version,
        "users": cluster.users,
        "certificates": str(cluster.authority.folder) if cluster.authority else None,
        "client": cluster.client(),
        "processes": [_process(pid) for pid in cluster.pids],
    }
    _write(folder / _CLUSTER, known)
    return known


def stop_cluster(folder: Path) -> None:
    """Kill the cluster of a state folder, if there is one."""
    _end(folder / _CLUSTER, hard=True)


def save_member(folder: Path, name: str, member: Member) -> dict[str, Any]:
    """Write and return the data to stop a detached member."""
    known: dict[str, Any] = {"name": name, "group": member.group, "processes": [_process(member.pid)]}
    _write(_member(folder, name), known)
    return known


def end_members(folder: Path, name: str | None, *, hard: bool) -> list[str]:
    """Stop or kill one member or all members of the folder; return their names.

    :raises FileNotFoundError: when there is no member of that name.
    """
    files = sorted(folder.glob("*.member.json")) if name is None else [_member(folder, name)]
    if name is not None and not files[0].exists():
        raise FileNotFoundError(f"no member {name} in {folder}")
    for file in files:
        _end(file, hard=hard)
    return [file.name.removesuffix(".member.json") for file in files]


def _member(folder: Path, name: str) -> Path:
    return folder / f"{name}.member.json"


def _process(pid: int) -> dict[str, Any]:
    return {"pid": pid, "started": started(pid)}


def _write(file: Path, known: dict[str, Any]) -> None:
    file.touch(mode=0o600)
    file.write_text(json.dumps(known, indent=2) + "\n", encoding="utf-8")


def _end(file: Path, *, hard: bool) -> None:
    if file.exists():
        for process in json.loads(file.read_text(encoding="utf-8"))["processes"]:
            end(process["pid"], process["started"], hard=hard)
        file.unlink()
