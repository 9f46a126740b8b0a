# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Back-up files."""

from __future__ import annotations

import errno
import json
import os
import pathlib
import re
import stat
import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._files import backup as snapshot
from ansible_collections.kafkaops.groups.plugins.module_utils._files import new_file
from ansible_collections.kafkaops.groups.plugins.module_utils._files.backup import Backup
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import GroupSnapshot

from tests.unit.values import at, offset

GROUPS = [
    GroupSnapshot("ü", "classic", "Empty", {at(0): offset(5, "m", 3), at(1): offset(0, "ü" * 40_000)}),
    GroupSnapshot("none", "consumer", "Empty", {}),
]
IDS = {"a": "AAAAAAAAAAEAAAAAAAAAAg", "gone": None}
SETTINGS = {"ü": {"consumer.session.timeout.ms": "50000"}, "deleted": {"share.auto.offset.reset": ""}}
BACKUP = Backup("cluster-1", IDS, {group.name: group for group in GROUPS}, SETTINGS)


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    file = tmp_path / "backup.json"
    snapshot.write(str(file), "cluster-1", IDS, GROUPS, SETTINGS)
    return file


def test_what_is_written_is_read(path: pathlib.Path) -> None:
    assert snapshot.read(str(path), "cluster-1", any_cluster=False) == BACKUP
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert os.listdir(path.parent) == ["backup.json"]


def test_the_contract_of_the_file(path: pathlib.Path) -> None:
    document = json.loads(path.read_text())
    assert document["format"] == "kafkaops.groups/backup"
    assert document["version"] == 2
    assert document["cluster_id"] == "cluster-1"
    assert document["topics"] == [{"name": "a", "id": IDS["a"]}, {"name": "gone", "id": None}]
    assert document["groups"][0]["offsets"][0] == {
        "topic": "a",
        "partition": 0,
        "offset": 5,
        "leader_epoch": 3,
        "metadata": "m",
    }
    assert document["settings"][0] == {"group": "deleted", "values": {"share.auto.offset.reset": ""}}


def test_each_group_has_a_line_of_its_own(path: pathlib.Path) -> None:
    named = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith('{"name": ')]
    assert len(named) == len(GROUPS) + len(IDS)


def test_a_file_of_an_earlier_release_holds_no_settings(path: pathlib.Path) -> None:
    document = json.loads(path.read_text())
    del document["settings"]
    path.write_text(json.dumps(document))
    assert snapshot.read(str(path), "cluster-1", any_cluster=False) == BACKUP._replace(settings={})


def test_another_clusters_backup(path: pathlib.Path) -> None:
    with pytest.raises(TaskError, match="back-up of cluster cluster-1, and this is cluster cluster-2: set restore"):
        snapshot.read(str(path), "cluster-2", any_cluster=False)
    assert snapshot.read(str(path), "cluster-2", any_cluster=True) == BACKUP


def test_an_existing_file_is_never_overwritten(path: pathlib.Path) -> None:
    before = path.read_bytes()
    for attempt in (lambda: snapshot.write(str(path), "c", {}, []), lambda: new_file.check(str(path), "backup")):
        with pytest.raises(TaskError, match="exists already and is never overwritten"):
            attempt()
    assert path.read_bytes() == before


@pytest.mark.parametrize("folder", ["missing", "file"])
def test_a_folder_that_is_none(tmp_path: pathlib.Path, folder: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(TaskError, match="is not a folder: create it first"):
        snapshot.write(str(tmp_path / folder / "b.json"), "c", {}, GROUPS)


def refusing(number: int, only: t.Callable[[t.Any], bool] = lambda _what: True, call: t.Any = None) -> t.Any:
    """A system call that fails with an error number, for some of its first arguments."""

    def refused(what: t.Any, *more: t.Any) -> t.Any:
        if only(what):
            raise OSError(number, os.strerror(number))
        return call(what, *more)

    return refused


def is_folder(handle: int) -> bool:
    return stat.S_ISDIR(os.fstat(handle).st_mode)


NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS)


@pytest.mark.parametrize("number", NO_LINKS)
def test_a_file_system_without_links(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(os, "link", refusing(number))
    file = tmp_path / "b.json"
    snapshot.write(str(file), "c", {}, GROUPS)
    assert list(snapshot.read(str(file), "c", any_cluster=False).groups.values()) == GROUPS
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    assert os.listdir(tmp_path) == ["b.json"]


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_meanwhile_stays(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    file = tmp_path / "b.json"
    linked = os.link

    def link(unnamed: str, path: str) -> None:
        file.write_text("theirs")
        if not links:
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))
        linked(unnamed, path)

    monkeypatch.setattr(os, "link", link)
    with pytest.raises(TaskError, match=r"cannot be written \(File exists\). Nothing was changed"):
        snapshot.write(str(file), "c", {}, GROUPS)
    assert file.read_text() == "theirs"
    assert os.listdir(tmp_path) == ["b.json"]


@pytest.mark.parametrize(
    ("calls", "sentence"),
    [
        ({"fsync": refusing(errno.ENOSPC)}, "cannot be written (No space left on device)"),
        ({"link": refusing(errno.EPERM), "replace": refusing(errno.EIO)}, "cannot be written (Input/output error)"),
        ({"fsync": refusing(errno.EIO, is_folder, os.fsync)}, "cannot be written (Input/output error)"),
    ],
)
@pytest.mark.parametrize("attempt", [snapshot.write, snapshot.rehearse])
def test_a_failure_leaves_nothing(
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    attempt: t.Callable[..., None],
    calls: dict[str, t.Any],
    sentence: str,
) -> None:
    for name, call in calls.items():
        monkeypatch.setattr(os, name, call)
    with pytest.raises(TaskError, match=re.escape(f"{sentence}. Nothing was changed")):
        attempt(str(tmp_path / "b.json"), "c", {}, GROUPS)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "calls",
    [
        {"fsync": refusing(errno.EIO, is_folder, os.fsync)},
        {"link": refusing(errno.EPERM), "replace": refusing(errno.EIO)},
    ],
)
def test_a_file_that_cannot_be_removed_is_told_of(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, calls: dict[str, t.Any]
) -> None:
    file = tmp_path / "b.json"
    for name, call in calls.items():
        monkeypatch.setattr(os, name, call)
    monkeypatch.setattr(os, "unlink", refusing(errno.EROFS, lambda path: path == str(file), os.unlink))
    with pytest.raises(TaskError, match=r"cannot be written .* and cannot be removed .*: remove the file. Nothing was"):
        snapshot.write(str(file), "c", {}, GROUPS)
    assert os.listdir(tmp_path) == ["b.json"]


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP])
def test_a_folder_that_the_file_system_never_syncs(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(os, "fsync", refusing(number, is_folder, os.fsync))
    snapshot.write(str(tmp_path / "b.json"), "c", {}, GROUPS)
    assert os.listdir(tmp_path) == ["b.json"]


def test_a_rehearsal_leaves_nothing(tmp_path: pathlib.Path) -> None:
    snapshot.rehearse(str(tmp_path / "b.json"), "c", {}, GROUPS)
    assert os.listdir(tmp_path) == []


def entry(**more: t.Any) -> dict[str, t.Any]:
    return {"topic": "a", "partition": 0, "offset": 1, "leader_epoch": -1, "metadata": "", **more}


def document(**more: t.Any) -> dict[str, t.Any]:
    return {"format": snapshot.BACKUP.format, "version": 1, "cluster_id": "c", "groups": [], **more}


def of_group(*offsets: t.Any, **more: t.Any) -> dict[str, t.Any]:
    return document(groups=[{"name": "g", "type": "classic", "state": "Empty", "offsets": list(offsets), **more}])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "it is not JSON"),
        ("{", "it is not JSON"),
        ("[]", "its format is not"),
        (document(format="other"), "its format is not kafkaops.groups/backup"),
        (document(version=3), "is of version 3, and this release reads version 1 and 2"),
        (document(version=2), "is damaged"),
        (document(version=2, topics=[{"name": "a", "id": 7}]), "7 is not a text"),
        (document(version=2, topics=[{"name": "a", "id": None}] * 2), "'a' is in it twice"),
        (document(groups=None), "is damaged"),
        (of_group(entry(offset=-1)), "-1 is not a number from 0"),
        (of_group(entry(offset="1")), "'1' is not a number"),
        (of_group(entry(partition=True)), "True is not a number"),
        (of_group(entry(topic="")), "'' is not a text"),
        (of_group(entry(metadata=None)), "None is not a text"),
        (of_group(entry(metadata="\ud800")), "is damaged"),
        (of_group(entry(), entry()), "a-0 stands twice"),
        (of_group({"topic": "a"}), "is damaged"),
        (of_group(name=5), "5 is not a text"),
        (document(groups=of_group()["groups"] * 2), "'g' is in it twice"),
        # one that is not known to be a share group would be restored as a group that commits
        (of_group(type="Share"), "'Share' is none of classic, consumer, share, streams"),
        (document(settings={}), "settings is not a list"),
        (document(settings=[{"group": "g", "values": {"a": 1}}]), "1 is not a text"),
        (document(settings=[{"group": "g", "values": []}]), "values is not a dictionary"),
        (document(settings=[{"group": "g", "values": {}}] * 2), "'g' is in it twice"),
    ],
)
def test_a_file_that_is_no_backup(tmp_path: pathlib.Path, content: t.Any, sentence: str) -> None:
    file = tmp_path / "b.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(TaskError, match=sentence) as refusal:
        snapshot.read(str(file), "c", any_cluster=False)
    assert str(refusal.value).endswith("Nothing was changed.")


def test_version_1_holds_no_ids_of_topics(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "b.json"
    file.write_text(json.dumps(of_group(entry())))
    found = snapshot.read(str(file), "c", any_cluster=False)
    assert (found.topics, found.groups["g"].offsets) == ({}, {at(0): offset(1)})


def test_a_file_that_is_not_there(tmp_path: pathlib.Path) -> None:
    with pytest.raises(TaskError, match=r"cannot be read \(No such file or directory\)"):
        snapshot.read(str(tmp_path / "none"), "c", any_cluster=False)
