# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options that several modules with Spark have."""

from __future__ import annotations

import typing as t

from .. import _input as inputs
from .._errors import NothingRead
from .engine.folders import is_uri

# set by the option master
_RESERVED = ("spark.master", "spark.submit.deployMode")

_MAX_AGE_MS = 100 * 365 * 86_400_000

#: Documented in the fragment C(spark).
SPARK_SPEC: dict[str, t.Any] = {
    "master": {"type": "str", "default": "local[*]"},
    "spark_conf": {"type": "dict", "default": {}},
}


def spark_conf(value: dict[str, t.Any]) -> dict[str, str]:
    """Return the checked properties of Spark; raises TaskError."""
    conf = {}
    for name, given in value.items():
        if name in _RESERVED:
            raise NothingRead(f"spark_conf: {name} cannot be set here: use master.")
        if not str(name).startswith("spark.") or isinstance(given, dict | list | type(None)):
            raise NothingRead(
                f"spark_conf: '{name}' must be a Spark property with a single value, such as spark.driver.memory: 4g."
            )
        text = str(given).lower() if isinstance(given, bool) else str(given)
        conf[str(name)] = inputs.for_a_library(text, f"spark_conf: {name}")
    return conf


def location(output: str) -> str:
    """Return the location of audits: a path or URI; raises TaskError if it is empty or contains a secret."""
    if not output:
        raise NothingRead("output must not be empty: set a folder.")
    output = inputs.for_a_library(output, "output")
    if not is_uri(output):
        return output.removeprefix("file://")
    # secrets may contain slashes, so that a parser does not find them
    if "?" in output or "#" in output or ":" in output.rpartition("@")[0].partition("://")[2]:
        raise NothingRead(
            "output must not contain a password or a query: put the credentials of the file system into "
            "spark-defaults.conf."
        )
    if not output.partition("://")[2].partition("/")[2].strip("/"):
        raise NothingRead(
            f"output is {output}, but must name a folder in it, such as {output.rstrip('/')}/kafka-audit."
        )
    return output.rstrip("/")


def age(value: t.Any, option: str) -> int:
    """Return the ms of a duration that is subtracted from a time; raises TaskError if it is more than 100 years."""
    found = inputs.duration(value, option)
    if found > _MAX_AGE_MS:
        raise NothingRead(f"{option} is {value!r}, but must be 100 years or less.")
    return found
