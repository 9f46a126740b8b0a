# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hadoop's servers from its released jars: their configuration, and how Java starts them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

import pyspark

from tests.support import jars

POM = Path(__file__).resolve().parent / "storage" / "pom.xml"


def java(configuration: Path) -> list[str]:
    """The command that starts a class of Hadoop with the configuration in a folder; raises as `jars.fetched` does."""
    # the rest of the classpath is in the package of PySpark
    folders = (jars.fetched(POM, "hadoop", "-Phadoop"), Path(pyspark.__file__).parent / "jars")
    classpath = ":".join([str(configuration), *(f"{folder}/*" for folder in folders)])
    return ["java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classpath]


def configure(folder: Path, name: str, properties: Mapping[str, str]) -> None:
    """Write a file of the configuration."""
    lines = [
        f"<property><name>{key}</name><value>{escape(value)}</value></property>" for key, value in properties.items()
    ]
    (folder / name).write_text("\n".join(["<configuration>", *lines, "</configuration>"]), "utf-8")
