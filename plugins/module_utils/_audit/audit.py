# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of C(consumer_offsets_audit), and its operation."""

from __future__ import annotations

import os
import time
import typing as t

from .. import _input as inputs
from .._errors import NothingRead
from .._files import readable_file
from .._kafka.options import Connection
from .._kafka.session import Session
from . import options
from .engine import process, store
from .engine.folders import is_uri
from .engine.settings import Keep, Settings, Snapshots
from .ingest.records import TOPIC
from .judge import owners
from .report import metrics

_MIN_READ_RATE = 10_000
_LEAST_SNAPSHOTS = 2


def parse(params: dict[str, t.Any]) -> Settings:
    """Return the checked options of the module; raises TaskError if an option is not valid."""
    include, exclude = (_patterns(params[option], option) for option in ("include", "exclude"))
    inputs.not_empty(include, "include")
    stale_after = options.age(params["stale_after"], "stale_after")
    if not stale_after:
        raise NothingRead("stale_after must be longer than 0: set a duration, such as 30d.")
    connection = Connection.from_params(params)
    snapshots = _snapshots(params)
    if not snapshots:
        # raises TaskError if confluent-kafka does not support the options
        connection.cluster_config()
    output, folder = _locations(params["output"], params["local_output"])
    return Settings(
        connection=connection,
        output=output,
        folder=folder,
        keep=_keep(params["keep_audits"], params["keep_for"]),
        table_format=params["table_format"],
        stale_after=str(params["stale_after"]),
        stale_after_ms=stale_after,
        include=include,
        exclude=exclude,
        owners=owners.parse(params),
        master=inputs.text(params["master"], "master"),
        spark_conf=options.spark_conf(params["spark_conf"]),
        topic=inputs.topic_name(params["topic"], "topic"),
        client_rack=None if params["client_rack"] is None else _rack(params["client_rack"]),
        read_rate=_rate(params["read_rate"]),
        metrics_file=_metrics_file(params["metrics_file"]),
        incremental=params["incremental"],
        deadline=time.time() + connection.timeout,
        snapshots=snapshots,
    )


def _snapshots(params: dict[str, t.Any]) -> Snapshots | None:
    """Return how snapshots are used, None if the topic is read.

    Raises:
        TaskError: an option is not valid, or is of the other source.
    """
    keep_for = options.age(params["keep_snapshots_for"], "keep_snapshots_for")
    if params["source"] == "topic":
        return None
    for option, unset in (("topic", TOPIC), ("client_rack", None), ("read_rate", None), ("incremental", False)):
        if params[option] != unset:
            raise NothingRead(f"{option} is only for source: topic, but source is snapshots.")
    least = params["min_snapshots"]
    if least < _LEAST_SNAPSHOTS:
        raise NothingRead(
            f"min_snapshots is {least}, but must be at least {_LEAST_SNAPSHOTS}: one snapshot does not show a change."
        )
    return Snapshots(least, keep_for)


def _patterns(value: t.Any, option: str) -> list[str]:
    patterns = inputs.texts(value, option) if value != [] else []
    inputs.matcher(patterns, option)
    return patterns


def _rack(value: str) -> str:
    return inputs.for_a_library(inputs.text(value, "client_rack"), "client_rack")


def _rate(value: int | None) -> int | None:
    if value is not None and value < _MIN_READ_RATE:
        raise NothingRead(f"read_rate is {value}, but must be at least {_MIN_READ_RATE} bytes per second, such as 20M.")
    return value


def _keep(audits: int, age: str | None) -> Keep:
    if audits < 1:
        raise NothingRead(f"keep_audits is {audits}, but must be at least 1, the audit itself.")
    return Keep(audits, None if age is None else options.age(age, "keep_for"))


def _locations(output: str, local_output: str | None) -> tuple[str, str]:
    """Return the location of the tables, and the folder of this host for the plan, the report and the log."""
    output = options.location(output)
    if not is_uri(output):
        if local_output is not None:
            raise NothingRead(f"local_output is only for an output that is a URI, but output is {output}.")
        folder = _folder(output, "output")
        return folder, folder
    if not local_output:
        raise NothingRead(
            f"output is {output}: set local_output as well, the folder of this host for the plan, the report and the "
            "log of Spark."
        )
    if is_uri(local_output):
        raise NothingRead(f"local_output is {local_output}, but must be a folder of this host.")
    return output, _folder(local_output, "local_output")


def _metrics_file(value: str | None) -> str | None:
    path = inputs.optional_path(value, "metrics_file")
    return None if path is None else os.path.abspath(path)


def _folder(value: str, option: str) -> str:
    folder = os.path.abspath(inputs.for_a_library(value, option))
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as exc:
        raise NothingRead(f"{option}: {folder} cannot be created ({exc.strerror}).") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise NothingRead(f"{option}: no permission to write in {folder}.")
    store.check(folder, option)
    return folder


async def audit(settings: Settings, session: Session) -> dict[str, t.Any]:
    """Audit the cluster; the session only checks that the brokers respond, and collects warnings."""
    process.check(settings)
    if settings.metrics_file is not None:
        readable_file.check(settings.metrics_file, "metrics_file")
    answer = process.run(settings)
    session.warnings += answer.pop("warnings")
    return answer


def failed(settings: Settings) -> None:
    """Tell in the file of metrics that the last audit has failed."""
    if settings.metrics_file is not None:
        metrics.mark_failed(settings.metrics_file)
