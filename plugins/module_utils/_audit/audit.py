# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What C(consumer_offsets_audit) is asked for, and the operation behind it."""

from __future__ import annotations

import os
import time
import typing as t

from .. import _input as inputs
from .._errors import NothingRead
from .._kafka.options import Connection
from .._kafka.session import Session
from .engine import process, store
from .engine.settings import Settings

_LONGEST = 100 * 365 * 86_400_000
# these decide where Spark runs, which is what master is for
_OURS = ("spark.master", "spark.submit.deployMode")


def parse(params: dict[str, t.Any]) -> Settings:
    """Return what the module asks for; raises TaskError where an option cannot be."""
    include, exclude = (_patterns(params[option], option) for option in ("include", "exclude"))
    inputs.not_empty(include, "include")
    stale_after = inputs.duration(params["stale_after"], "stale_after")
    if not stale_after:
        raise NothingRead("stale_after is 0, which makes every idle group stale: give a duration, as 30d.")
    if stale_after > _LONGEST:
        raise NothingRead(f"stale_after is {params['stale_after']!r}, which is longer than 100 years.")
    connection = Connection.from_params(params)
    # says so if confluent-kafka cannot connect this way
    connection.cluster_config()
    return Settings(
        connection=connection,
        output=_folder(params["output"]),
        stale_after=str(params["stale_after"]),
        stale_after_ms=stale_after,
        include=include,
        exclude=exclude,
        master=inputs.text(params["master"], "master"),
        spark_conf=_conf(params["spark_conf"]),
        topic=inputs.topic_name(params["topic"], "topic"),
        deadline=time.time() + connection.timeout,
    )


def _patterns(value: t.Any, option: str) -> list[str]:
    patterns = inputs.texts(value, option) if value != [] else []
    inputs.matcher(patterns, option)
    return patterns


def _conf(value: dict[str, t.Any]) -> dict[str, str]:
    conf = {}
    for name, given in value.items():
        if name in _OURS:
            raise NothingRead(f"spark_conf: {name} cannot be set here: use master.")
        if not str(name).startswith("spark.") or isinstance(given, dict | list | type(None)):
            raise NothingRead(
                f"spark_conf: '{name}' is no property of Spark's with one value, as spark.driver.memory: 4g."
            )
        text = str(given).lower() if isinstance(given, bool) else str(given)
        conf[str(name)] = inputs.for_a_library(text, f"spark_conf: {name}")
    return conf


def _folder(value: str) -> str:
    if not value:
        raise NothingRead("output is empty: name a folder.")
    folder = os.path.abspath(inputs.for_a_library(value, "output"))
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as exc:
        raise NothingRead(f"output: {folder} cannot be created ({exc.strerror}).") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise NothingRead(f"output: no permission to write in {folder}.")
    store.check(folder)
    return folder


async def audit(settings: Settings, session: Session) -> dict[str, t.Any]:
    """Audit the topic as C(consumer_offsets_audit) asks; the session is only there to see that the brokers answer."""
    process.check(settings)
    answer = process.run(settings)
    session.warnings += answer.pop("warnings")
    return answer
