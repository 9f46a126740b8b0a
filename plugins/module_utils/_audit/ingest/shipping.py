# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ship the module_utils of the collection to the Spark executors as a zip file."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pkgutil
import sys
import zipfile

from ..libraries import SparkFiles, SparkSession

_ARCHIVE = "kafkaops_groups.zip"


def ship(spark: SparkSession) -> None:
    """Ship this collection to the executors; the file exists as long as the session."""
    root = SparkFiles.getRootDirectory()
    folder = os.path.join(root, "shipped")
    if not os.path.exists(folder):
        os.mkdir(folder)
        write(os.path.join(folder, _ARCHIVE))
        spark.sparkContext.addPyFile(os.path.join(folder, _ARCHIVE))
        # this process already has the modules, and may outlive the session
        sys.path.remove(os.path.join(root, _ARCHIVE))


def write(path: str) -> None:
    """Write the zip file: the source of every module_utils module, and an C(__init__.py) in every folder.

    The sources are read from the import loaders, because Ansible also runs modules from a zip file.
    """
    root = __package__.rsplit(".", 2)[0]
    sources = {f"{folder}/__init__.py": "" for folder in _folders(root)}
    for module in pkgutil.walk_packages(importlib.import_module(root).__path__, f"{root}."):
        name = module.name.replace(".", "/") + ("/__init__.py" if module.ispkg else ".py")
        sources[name] = _source(module.name)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in sources.items():
            archive.writestr(name, source)


def _folders(package: str) -> list[str]:
    parts = package.split(".")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def _source(name: str) -> str:
    spec = importlib.util.find_spec(name)
    source = spec.loader.get_source(name) if spec and spec.loader else None  # type: ignore[attr-defined]
    if source is None:
        raise ImportError(f"no source of {name}", name=name)
    return str(source)
