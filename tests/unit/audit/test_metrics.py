# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The metrics of an audit: what the file contains, and that it is valid for OpenMetrics and for Prometheus."""

from __future__ import annotations

import dataclasses
import datetime
import os
import pathlib
import stat

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.report import metrics
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics

SUMMARY = {
    "records": 900,
    "groups": 7,
    "offsets": 40,
    "stale_groups": 3,
    "findings": 5,
    "undecodable": 0,
    "delete_groups": 2,
    "delete_offsets": 1,
}
AUDITED = metrics.Audited(
    cluster_id="c-1",
    created=datetime.datetime(2026, 6, 1, 12, tzinfo=datetime.UTC),
    duration=7.25,
    complete=True,
    summary=SUMMARY,
    states={"Stable": 4, "Empty": 2, None: 1},
    findings={"stale_group": 3, "topic_gone": 2},
    owners=[],
)
OWNERS = [
    {"owner": None, "groups": 1, "stale": 0, "findings": 0, "planned": 0},
    {"owner": 'team "a"\\b\nc', "groups": 6, "stale": 3, "findings": 5, "planned": 2},
]
TOTALS = {
    ("success", ""): 1,
    ("complete", ""): 1,
    ("timestamp_seconds", ""): 1780315200,
    ("duration_seconds", ""): 7.25,
    ("groups", "Stable"): 4,
    ("groups", "Empty"): 2,
    ("groups", "not_visible"): 1,
    ("stale_groups", ""): 3,
    ("offsets", ""): 40,
    ("planned_groups", ""): 2,
    ("planned_offsets", ""): 1,
    ("records_read", ""): 900,
    ("undecodable_records", ""): 0,
    ("findings", "stale_group"): 3,
    ("findings", "topic_gone"): 2,
}
OF_OWNERS = {
    (f"owner_{name}", row["owner"] or ""): row[key]
    for name, key in (
        ("groups", "groups"),
        ("stale_groups", "stale"),
        ("findings", "findings"),
        ("planned_findings", "planned"),
    )
    for row in OWNERS
}


def read(text: str) -> dict[tuple[str, str], float]:
    """The metrics of a file, by name and the value of the label beside cluster_id."""
    families = list(openmetrics.text_string_to_metric_families(text))
    # node_exporter refuses other types than those of Prometheus
    assert {family.type for family in families} == {"gauge"}
    assert families == list(parser.text_string_to_metric_families(text))
    samples = [sample for family in families for sample in family.samples]
    assert {sample.labels["cluster_id"] for sample in samples} == {AUDITED.cluster_id}
    # node_exporter refuses timestamps
    assert {sample.timestamp for sample in samples} == {None}
    return {
        (
            sample.name.removeprefix("kafkaops_audit_"),
            "".join(value for label, value in sample.labels.items() if label != "cluster_id"),
        ): sample.value
        for sample in samples
    }


@pytest.mark.parametrize(
    ("audited", "expected"),
    [
        (AUDITED, TOTALS),
        (dataclasses.replace(AUDITED, owners=OWNERS), TOTALS | OF_OWNERS),
        (dataclasses.replace(AUDITED, complete=False), TOTALS | {("complete", ""): 0}),
    ],
)
def test_metrics(audited: metrics.Audited, expected: dict[tuple[str, str], float]) -> None:
    text = metrics.text(audited)
    assert read(text) == expected
    assert text.endswith("\n# EOF\n")


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_everybody_can_read_the_file(tmp_path: pathlib.Path, umask: int) -> None:
    path = tmp_path / "audit.prom"
    path.write_text("an earlier one", "utf-8")
    before = os.umask(umask)
    try:
        metrics.write(str(path), AUDITED)
        assert stat.S_IMODE(path.stat().st_mode) == 0o644
        metrics.mark_failed(str(path))
    finally:
        os.umask(before)
    # all others are of the last audit that succeeded
    assert read(path.read_text("utf-8")) == TOTALS | {("success", ""): 0}
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    metrics.write(str(path), AUDITED)
    assert read(path.read_text("utf-8")) == TOTALS
    assert os.listdir(tmp_path) == ["audit.prom"]


@pytest.mark.parametrize("content", [None, b"", b"\xff", b"kafkaops_audit_success 1.0\n"])
def test_a_failure_of_an_unknown_cluster_leaves_the_file(tmp_path: pathlib.Path, content: bytes | None) -> None:
    """Without the label, files of two clusters have the same metric, and node_exporter exports nothing at all."""
    path = tmp_path / "audit.prom"
    if content is not None:
        path.write_bytes(content)
    metrics.mark_failed(str(path))
    assert (path.read_bytes() if path.exists() else None) == content


def test_a_file_that_cannot_be_written(tmp_path: pathlib.Path) -> None:
    with pytest.raises(
        TaskError, match=r"^metrics_file: .*/none/a.prom cannot be written \(No such file or directory\)"
    ):
        metrics.write(str(tmp_path / "none" / "a.prom"), AUDITED)
