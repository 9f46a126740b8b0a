# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The metrics of an audit, as an OpenMetrics text file for the textfile collector of node_exporter.

The collector reads the text format of Prometheus. A file that only has gauges is valid in both formats, because the
last line of OpenMetrics, C(# EOF), is a comment in the other. The collector refuses files with types such as C(info).
"""

from __future__ import annotations

import collections.abc as c
import contextlib
import dataclasses
import datetime
import re
import typing as t

from ..._errors import TaskError
from ..._files import readable_file

_PREFIX = "kafkaops_audit"
_SUCCEEDED = re.compile(rf"^({_PREFIX}_success\{{.*\}}) 1\.0$", re.MULTILINE)

# name, help, and the key in the summary of the module
_TOTALS = (
    ("stale_groups", "Groups that are idle for longer than stale_after.", "stale_groups"),
    ("offsets", "Committed offsets.", "offsets"),
    ("planned_groups", "Groups that the plan deletes.", "delete_groups"),
    ("planned_offsets", "Committed offsets that the plan deletes, without those of deleted groups.", "delete_offsets"),
    ("records_read", "Records that were read from the topic.", "records"),
    ("undecodable_records", "Records that cannot be decoded.", "undecodable"),
)
_OF_OWNERS = (
    ("owner_groups", "Groups of an owner.", "groups"),
    ("owner_stale_groups", "Stale groups of an owner.", "stale"),
    ("owner_findings", "Findings of an owner.", "findings"),
    ("owner_planned_findings", "Findings of an owner that are in the plan.", "planned"),
)


@dataclasses.dataclass(frozen=True)
class Audited:
    """The data of the metrics.

    Attributes:
        created: the start of the audit.
        duration: seconds.
        complete: whether the whole topic and all groups were read.
        summary: the totals of the module, see `_TOTALS`.
        states: the number of groups in each state, None for groups that are not visible.
        findings: the number of findings of each kind.
        owners: the numbers of each owner, see `_OF_OWNERS`; none if the audit knows no owners.
    """

    cluster_id: str
    created: datetime.datetime
    duration: float
    complete: bool
    summary: c.Mapping[str, int | None]
    states: c.Mapping[str | None, int]
    findings: c.Mapping[str, int]
    owners: c.Sequence[c.Mapping[str, t.Any]]


def text(audited: Audited) -> str:
    """Return the metrics of a successful audit."""
    # imported late, because the library may be missing, which engine/process.py reports
    from prometheus_client import CollectorRegistry, Gauge
    from prometheus_client.openmetrics.exposition import generate_latest

    registry = CollectorRegistry()

    def add(name: str, meaning: str, numbers: c.Mapping[str, float], label: str | None = None) -> None:
        """Add a metric with a value for each value of a label, or one value."""
        labels = ["cluster_id"] if label is None else ["cluster_id", label]
        gauge = Gauge(f"{_PREFIX}_{name}", meaning, labels, registry=registry)
        for value, number in numbers.items():
            gauge.labels(audited.cluster_id, *([] if label is None else [value])).set(number)

    def one(name: str, meaning: str, number: float) -> None:
        add(name, meaning, {"": number})

    one("success", "Whether the last run succeeded. The other metrics are those of the last one that did.", 1)
    one("complete", "Whether the whole topic and all groups were read.", audited.complete)
    one("timestamp_seconds", "When the audit started, in seconds since 1970.", audited.created.timestamp())
    one("duration_seconds", "The duration of the audit, without the start of Spark.", audited.duration)
    states = {state or "not_visible": number for state, number in audited.states.items()}
    add("groups", "Groups by state.", states, "state")
    for name, meaning, key in _TOTALS:
        if (number := audited.summary[key]) is not None:
            one(name, meaning, number)
    add("findings", "Findings by kind.", audited.findings, "kind")
    for name, meaning, key in _OF_OWNERS if audited.owners else ():
        add(name, meaning, {row["owner"] or "": row[key] for row in audited.owners}, "owner")
    return str(generate_latest(registry).decode())


def write(path: str, audited: Audited) -> None:
    """Replace the file with the metrics of a successful audit; raises as `readable_file.write` does."""
    readable_file.write(path, text(audited), "metrics_file", readable_file.everybody_reads)


def mark_failed(path: str) -> None:
    """Tell in the file, if it is there, that the last run has failed; the cluster is not known without it."""
    # the failure of the audit is what matters
    with contextlib.suppress(OSError, TaskError, UnicodeDecodeError):
        with open(path, encoding="utf-8", newline="") as file:
            before = file.read()
        after = _SUCCEEDED.sub(r"\1 0.0", before)
        if after != before:
            readable_file.write(path, after, "metrics_file", readable_file.everybody_reads)
