# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An audit appears whole or not at all: killed at any moment, the one before is there, or the new one."""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import functools
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine import folders, job, process, store, tables
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.settings import Keep
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._files import json_file
from ansible_collections.kafkaops.groups.plugins.module_utils._files import plan as plan_file

from tests.live.task import audit_settings
from tests.support import commits, topics
from tests.support.broker import Cluster
from tests.support.process import Process, command_lines
from tests.support.publisher import Publisher, audit_names, wait
from tests.support.worlds import NOW

KILLS = 18
SEED = 4
WHOLE = """
import sys
from pathlib import Path
from tests.support.collection import install
install()
from tests.live.task import run_audit
run_audit(Path(sys.argv[1]), sys.argv[2], stale_after="1s", include=["stored-*"], timeout=500)
"""


def audited(output: Path) -> tuple[str, set[str]] | None:
    """The id and the groups of the audit that is there, None if there is none; all of it belongs together."""
    latest = output / folders.LATEST
    if not latest.exists():
        return None
    folder = latest.resolve()
    manifest = json_file.load(str(folder / store.MANIFEST), "manifest", store._KIND)
    assert manifest["audit_id"] == folder.name
    read = {name: pq.read_table(folder / name) for name in tables.NAMES}
    assert manifest["tables"] == {name: table.num_rows for name, table in read.items()}
    created = datetime.datetime.fromisoformat(manifest["created"])
    for table in read.values():
        assert table.column_names[:3] == ["cluster_id", "audit_id", "audited_at"]
        for row in table.select(range(3)).to_pylist():
            assert (row["cluster_id"], row["audit_id"]) == (manifest["cluster_id"], folder.name)
            assert row["audited_at"].replace(microsecond=0) == created
    stale = {row["group"] for row in read["groups"].to_pylist() if row["stale"]}
    for path in (folder / store.PLAN, output / store.PLAN):
        plan = plan_file.read(str(path), manifest["cluster_id"])
        assert {planned.group for planned in plan.delete_groups} == stale
    page = (output / store.REPORT).read_text("utf-8")
    assert page.rstrip().endswith("</html>")
    assert str(folder / store.PLAN) in page
    return folder.name, stale


def test_a_kill_leaves_the_audit_before_or_the_new_one(tmp_path: Path) -> None:
    rng, outcomes = random.Random(SEED), {"before": 0, "new": 0}
    publisher = Publisher("generated", str(tmp_path))
    try:
        assert audited(tmp_path) is None
        publisher.publish(tmp_path, "1")
        took = publisher.publish(tmp_path, "2")
        there = audited(tmp_path)
        assert there is not None
        for groups in range(3, 3 + KILLS):
            publisher.publish(tmp_path, str(groups), kill_after=rng.uniform(0, took))
            now = audited(tmp_path)
            assert now is not None
            if now == there:
                outcomes["before"] += 1
            else:
                outcomes["new"] += 1
                assert now[1] == {f"g{number}" for number in range(groups)}
            there = now
        assert outcomes["before"] > KILLS / 4, outcomes
        publisher.publish(tmp_path, "2")
        there = audited(tmp_path)
        assert there is not None
        assert audit_names(tmp_path) == {there[0]}
        assert set(os.listdir(tmp_path)) == {"audits", folders.LATEST, store.PLAN, store.REPORT}
    finally:
        publisher.close()


def test_a_kill_of_the_whole(cluster: Cluster, tmp_path: Path) -> None:
    """Of the module, whose end the processes of the audit notice; then of these, of which the module tells."""
    client, output = cluster.client(), tmp_path / "output"
    topics.create(client, "stored", 1)
    names = {f"stored-{number}" for number in range(3)}
    commits.commit_many(client, {name: {("stored", 0): (1, "", -1)} for name in names})
    time.sleep(2)
    rng, ids = random.Random(SEED), [""]
    for whom in ("module", "audit", "nobody"):
        before = audit_names(output)
        command = [sys.executable, "-c", WHOLE, str(output), cluster.bootstrap]
        module = Process(command, tmp_path / f"{whom}.log", folder=Path.cwd())
        try:
            wait(functools.partial(_began, output, before, module))
            if whom != "nobody":
                time.sleep(rng.uniform(0, 2))
                group = _audit_of(module)
                os.killpg(group if whom == "audit" else module.pid, signal.SIGKILL)
                wait(functools.partial(_ended, group))
            wait(functools.partial(_over, module))
        finally:
            module.kill()
        now = audited(output)
        assert now is None or now[1] == names
        ids.append(now[0] if now else "")
    # what the killed ones left behind is gone after one that was not
    assert ids[-1] not in ("", ids[-2])
    assert audit_names(output) == {ids[-1]}
    assert set(os.listdir(output)) == {"audits", folders.LATEST, store.PLAN, store.REPORT, "spark.log"}


def _began(output: Path, before: set[str], module: Process) -> bool:
    assert module.alive or audit_names(output) - before, module.tail()
    return bool(audit_names(output) - before)


def _audit_of(module: Process) -> int:
    """The process group of the audit that a module has started."""
    children = Path(f"/proc/{module.pid}/task/{module.pid}/children").read_text("ascii").split()
    commands = command_lines()
    return next(int(pid) for pid in children if f" {job.__name__} " in commands.get(int(pid), ""))


def _ended(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def _over(module: Process) -> bool:
    return not module.alive


def drafted(output: Path, created: datetime.datetime = NOW) -> contextlib.AbstractContextManager[store.Draft]:
    """An audit of cluster c in a folder."""
    local = folders.LocalFolder(str(output), [store.PLAN, store.REPORT])
    return store.Store(local, local, Keep(1, None)).draft("c", created)


def finish(draft: store.Draft) -> None:
    """Write the files of an audit without tables."""
    for name in (store.PLAN, store.REPORT):
        Path(draft.path(name)).write_text("{}", "utf-8")


def test_an_audit_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    def spoil() -> None:
        with drafted(tmp_path) as draft:
            Path(draft.path("half")).touch()
            raise RuntimeError("spoilt")

    with pytest.raises(RuntimeError, match="spoilt"):
        spoil()
    assert audit_names(tmp_path) == set()
    assert audited(tmp_path) is None
    with drafted(tmp_path) as earlier:
        finish(earlier)
    with pytest.raises(RuntimeError, match="spoilt"):
        spoil()
    assert audit_names(tmp_path) == {earlier.audit_id}
    assert Path(earlier.path(store.MANIFEST)).exists()


@pytest.mark.parametrize("failing", ["remote", "local"])
def test_an_audit_of_two_locations_is_in_both_or_in_none(tmp_path: Path, failing: str) -> None:
    """The tables are in one, and the plan that the next tasks read is in the other one, too."""
    remote, local = (folders.LocalFolder(str(tmp_path / name), [store.PLAN]) for name in ("remote", "local"))
    stored = store.Store(remote, local, Keep(1, None))

    def publish(fail: str | None) -> store.Draft:
        with stored.draft("c", NOW) as draft:
            finish(draft)
            if fail != "remote":
                # as Spark does, which writes the tables
                (tmp_path / "remote" / "audits" / draft.audit_id).mkdir(parents=True)
            if fail == "local":
                # in the place of the link that is renamed
                Path(f"{draft.folder}.link").mkdir()
        return draft

    earlier = publish(None)
    with pytest.raises(TaskError, match=r"output: .* cannot be written \("):
        publish(failing)
    for place in ("remote", "local"):
        assert [path.parent.name for path in (tmp_path / place).glob("audits/*/*.json")] == [earlier.audit_id] * 2
        assert (tmp_path / place / "latest").resolve().name == earlier.audit_id


def test_an_audit_is_not_one_of_the_earlier_ones(tmp_path: Path) -> None:
    """Manifests have seconds. One of another cluster, damaged ones, and one of another folder are left alone."""
    audits = tmp_path / "audits"
    with drafted(tmp_path, NOW + datetime.timedelta(microseconds=7)) as first:
        finish(first)
    assert audit_names(tmp_path) == {first.audit_id}
    manifest = json.loads((audits / first.audit_id / store.MANIFEST).read_text("utf-8"))
    others = {
        "20260101T000000Z-00000001": {**manifest, "cluster_id": "other"},
        "20260101T000000Z-00000002": {**manifest, "audit_id": "../../precious"},
        "20260101T000000Z-00000003": {**manifest, "audit_id": ""},
        "20260101T000000Z-00000004": {**manifest, "created": "yesterday"},
    }
    for name, content in others.items():
        (audits / name).mkdir()
        (audits / name / store.MANIFEST).write_text(json.dumps(content), "utf-8")
    (tmp_path.parent / "precious").mkdir()
    with drafted(tmp_path, NOW + datetime.timedelta(microseconds=9)) as second:
        finish(second)
    assert audit_names(tmp_path) == {second.audit_id, *others}
    assert second.warnings == []
    assert (tmp_path.parent / "precious").exists()


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ("audits", "/audits is not a folder of an earlier audit"),
        ("latest", "/latest is not a symbolic link of an earlier audit"),
        ("plan.json/", "/plan.json is not a file of an earlier audit"),
        ("report.html/", "/report.html is not a file of an earlier audit"),
        ("plan.json", None),
        ("audits/", None),
        ("groups/part-0.parquet", None),
    ],
)
def test_what_is_no_audit_is_not_replaced(tmp_path: Path, made: str, message: str | None) -> None:
    path = tmp_path / made
    if made.endswith("/"):
        path.mkdir()
    else:
        path.parent.mkdir(exist_ok=True)
        path.touch()
    if message is None:
        audit_settings(tmp_path)
        return
    with pytest.raises(TaskError) as refused:
        audit_settings(tmp_path)
    assert str(refused.value) == f"output: {tmp_path}{message}: set another folder. Nothing was read."


def test_other_things_in_the_folder_of_audits_stay(tmp_path: Path) -> None:
    (tmp_path / "audits" / "20260101T000000Z-0123abcd" / "groups").mkdir(parents=True)
    (tmp_path / "audits" / "20260101T000000Z-0123abcd.link").symlink_to("latest/plan.json")
    (tmp_path / "audits" / "mine").mkdir()
    (tmp_path / "plan.json").touch()
    with drafted(tmp_path) as draft:
        finish(draft)
    assert audit_names(tmp_path) == {"mine", Path(draft.folder).name}
    assert (tmp_path / "plan.json").read_text("utf-8") == "{}"
    assert draft.warnings == []


def test_two_audits_do_not_share_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_LOCK_TIMEOUT", 0.0)
    with (tmp_path / "spark.log").open("w") as log:
        log.write("of the other one")
        log.flush()
        fcntl.flock(log, fcntl.LOCK_EX)
        with pytest.raises(TaskError) as refused:
            process.run(audit_settings(tmp_path))
    assert str(refused.value) == (
        f"output: another audit is using {tmp_path}/spark.log: wait until it has finished, or set another output. "
        "Nothing was read."
    )
    assert (tmp_path / "spark.log").read_text("utf-8") == "of the other one"
