# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of C(fleet_report), and its operation."""

from __future__ import annotations

import dataclasses
import os
import time
import typing as t
import urllib.parse

from .. import _input as inputs
from .._errors import InvalidOption
from .._files import readable_file
from . import options
from .engine import fleet_job, process, store
from .engine.fleet import FleetSettings
from .engine.folders import LATEST, is_uri
from .engine.settings import LOG


def parse(params: dict[str, t.Any]) -> FleetSettings:
    """Return the checked options of the module; raises TaskError if an option is not valid."""
    output = options.location(params["output"])
    dest = os.path.abspath(inputs.path(inputs.needed(params["dest"], "dest"), "dest"))
    inside = os.path.relpath(dest, os.path.abspath(output)).split(os.sep)
    if inside[0] in (store.AUDITS, LATEST) or inside in ([store.PLAN], [store.REPORT], [LOG]):
        raise InvalidOption(f"dest: {dest} is a file of an audit: name another file.")
    max_age = options.age(params["max_age"], "max_age")
    if not max_age:
        raise InvalidOption("max_age must be longer than 0: set a duration, such as 7d.")
    return FleetSettings(
        output=output if is_uri(output) else os.path.abspath(output),
        dest=dest,
        names={
            inputs.text(cluster_id, "cluster_names"): inputs.text(name, f"cluster_names: {cluster_id}")
            for cluster_id, name in (params["cluster_names"] or {}).items()
        },
        max_age=str(params["max_age"]),
        max_age_ms=max_age,
        base_url=None if params["base_url"] is None else _url(params["base_url"]),
        check_mode=False,
        master=inputs.text(params["master"], "master"),
        spark_conf=options.spark_conf(params["spark_conf"]),
        deadline=time.time() + _timeout(params["timeout"]),
    )


def _timeout(value: float) -> float:
    # infinity and no number, too
    if not 0 < value <= inputs.INT32_MAX:
        raise InvalidOption(f"timeout is {value}, but must be greater than 0, and {inputs.INT32_MAX} s or less.")
    return value


def _url(value: str) -> str:
    try:
        url = urllib.parse.urlsplit(inputs.for_a_library(value, "base_url"))
        secret = url.username is not None
    except ValueError:
        raise InvalidOption("base_url is not a URL.") from None
    if secret or url.query or url.fragment:
        raise InvalidOption("base_url must not contain a login, a query or a fragment.")
    if url.scheme not in ("http", "https") or not url.netloc:
        raise InvalidOption(f"base_url is {value!r}, but must start with http:// or https:// and a host.")
    return value.rstrip("/")


def write_report(settings: FleetSettings, check_mode: bool) -> dict[str, t.Any]:
    """Write the page of the latest audits of all clusters; raises TaskError if it cannot be made."""
    readable_file.check(settings.dest, "dest")
    process.check(settings)
    return process.run(dataclasses.replace(settings, check_mode=check_mode), fleet_job.__name__)
