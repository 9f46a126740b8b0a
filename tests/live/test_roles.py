# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What holds for every role: tags choose nothing, guards cannot be set, and several hosts do the work of one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live import task
from tests.live.playbook import Play, play, play_role, shell
from tests.support import commits, topics, truth
from tests.support.broker import Cluster

TOPIC, INTERNAL = "site-orders", "site-app-sums-changelog"
PREFIX = "kafkaops.groups."
INCLUDED = {"ansible.builtin.include_role": {"name": f"{PREFIX}teardown"}}


@pytest.fixture(scope="module")
def second() -> Iterator[Cluster]:
    """Another cluster."""
    with Cluster.start("single") as started:
        yield started


def fill(cluster: Cluster) -> None:
    there = truth.topics(cluster.bootstrap)
    for name in (TOPIC, INTERNAL):
        if name not in there:
            topics.create(cluster.bootstrap, name, records=3)
    groups = ("site-1-a", "site-2-a", "site-app")
    commits.commit_many(cluster.bootstrap, {group: {(TOPIC, 0): (1, "", -1)} for group in groups})


def state(cluster: Cluster) -> Any:
    groups = truth.all_offsets(cluster.bootstrap, truth.groups(cluster.bootstrap))
    return groups, truth.topics(cluster.bootstrap).keys()


@pytest.mark.parametrize("tag", ["groups", "topics", "offsets", "web"])
def test_a_tag_of_a_site_starts_nothing(cluster: Cluster, tmp_path: Path, tag: str) -> None:
    """A play with the roles beside tasks for Unix groups and web servers; with neither is anything sent."""
    fill(cluster)
    variables = {
        "teardown_apply": True,
        "teardown_groups": "site-*",
        "teardown_topics": "site-*",
        "teardown_max_share": 100,
        "cleanup_apply": True,
        "cleanup_stale_after": "1s",
        "cleanup_max_share": 100,
        "cleanup_output": str(tmp_path / "audit"),
        "cleanup_backup_folder": str(tmp_path),
        "streams_reset_application_id": "site-app",
        "streams_reset_input_topics": TOPIC,
    }
    tasks = [{"name": f"Tagged {name}", "ansible.builtin.debug": {}, "tags": [name]} for name in (tag, "others")]
    roles = [f"{PREFIX}{name}" for name in ("cleanup", "streams_reset", "teardown")]
    site = [{"name": "Site", "hosts": "localhost", "gather_facts": False, "roles": roles, "tasks": tasks}]
    before = state(cluster)
    assert cluster.proxy is not None
    cluster.proxy.clear()
    done = play(site, cluster.listeners["PROXIED"], variables, tags=tag)
    assert (done.code, done.changed) == (0, [])
    # Ansible itself validates arguments, whatever the tags
    assert [name for name in done.tasks if not name.startswith("Validating arguments")] == [f"Tagged {tag}"]
    assert (cluster.proxy.count(), state(cluster), list(tmp_path.iterdir())) == ({}, before, [])


@pytest.mark.parametrize(
    ("playbook", "variables", "internal"),
    [
        ("audit", {"audit_output": "/tmp/none"}, "__audit_excluded"),
        ("cleanup", {"cleanup_output": "/tmp/none", "cleanup_backup_folder": "/tmp"}, "__cleanup_protected"),
        ("restore", {"restore_from": "/tmp/none.json"}, "__restore_twice"),
        ("streams_reset", {"streams_reset_application_id": "site-app"}, "__streams_reset_foreign"),
        ("teardown", {"teardown_groups": "site-*", "teardown_apply": True}, "__teardown_committed"),
    ],
)
def test_an_extra_variable_lifts_no_guard(
    cluster: Cluster, playbook: str, variables: dict[str, Any], internal: str
) -> None:
    assert cluster.proxy is not None
    cluster.proxy.clear()
    done = play(playbook, cluster.listeners["PROXIED"], variables | {internal: []})
    assert (done.code, done.changed, cluster.proxy.count()) == (2, [], {})
    assert done.words.startswith(f"{internal}: internal variables of the ")


@pytest.mark.parametrize("entry", [{"roles": [f"{PREFIX}teardown"]}, {"tasks": [INCLUDED]}], ids=["roles", "include"])
def test_ignored_errors_lift_no_guard(cluster: Cluster, entry: dict[str, Any]) -> None:
    """The pattern is not allowed, and the play goes on after errors: what was refused is not deleted."""
    fill(cluster)
    variables = {
        "teardown_apply": True,
        "teardown_groups": "site-*",
        "teardown_allowed_patterns": ["other-*"],
        "teardown_max_share": 100,
    }
    before = state(cluster)
    done = play(
        [{"hosts": "localhost", "gather_facts": False, "ignore_errors": True, **entry}], cluster.bootstrap, variables
    )
    assert (done.code, done.changed) == (2, [])
    assert "teardown_allowed_patterns does not allow" in done.words
    assert state(cluster) == before


def test_a_zero_is_not_taken_for_an_option_that_is_not_set(cluster: Cluster, tmp_path: Path) -> None:
    """The module refuses it, before it starts Spark."""
    assert cluster.proxy is not None
    cluster.proxy.clear()
    rows: dict[str, dict[str, Any]] = {
        "stale_after is": {"audit_stale_after": 0},
        "keep_audits is 0": {"audit_keep_audits": 0},
        "read_rate is 0": {"audit_read_rate": 0},
        "min_snapshots is 0": {"audit_min_snapshots": 0, "audit_source": "snapshots"},
    }
    done = play_role("audit", cluster.listeners["PROXIED"], rows, {"audit_output": str(tmp_path)})
    assert {words: (one.changed, words in one.words) for words, one in done.items()} == dict.fromkeys(rows, ([], True))
    assert (cluster.proxy.count(), list(tmp_path.iterdir())) == ({}, [])


def site(role: str, more: dict[str, Any]) -> list[dict[str, Any]]:
    """A play of all hosts, each with its own cluster."""
    connection = {f"group/{PREFIX}kafka": {"bootstrap_servers": "{{ cluster }}"}}
    play = {
        "name": "Site",
        "hosts": "all",
        "gather_facts": False,
        "module_defaults": connection,
        "roles": [PREFIX + role],
    }
    return [{**play, **more}]


@pytest.mark.parametrize("more", [pytest.param({}, id="at once"), pytest.param({"serial": 1}, id="one by one")])
def test_a_teardown_of_several_hosts_is_one_for_each_cluster(
    cluster: Cluster, second: Cluster, more: dict[str, Any]
) -> None:
    """And for each environment: hosts that would do something else are no duplicates."""
    for each in (cluster, second):
        fill(each)
    first = {"cluster": cluster.bootstrap, "teardown_groups": "site-1-*"}
    inventory = {
        "a": first,
        "b": first,
        "c": {**first, "cluster": second.bootstrap},
        "d": {**first, "teardown_groups": "site-2-*"},
        "e": first,
    }
    variables = {"teardown_apply": True, "teardown_max_share": 100, "teardown_settle_time": 0}
    done = play(site("teardown", more), "127.0.0.1:1", variables, inventory=inventory)
    assert (done.code, done.words) == (0, "")
    assert sorted(done.hosts["Delete the groups"]) == ["a", "c", "d"]
    groups = [truth.groups(each.bootstrap).keys() & {"site-1-a", "site-2-a"} for each in (cluster, second)]
    assert groups == [set(), {"site-2-a"}]


@pytest.mark.parametrize(("check", "keyword"), [(False, True), (True, False)], ids=["in check mode", "for real"])
def test_a_keyword_of_the_play_is_check_mode(cluster: Cluster, tmp_path: Path, check: bool, keyword: bool) -> None:
    fill(cluster)
    before = state(cluster)
    variables = {
        "teardown_apply": True,
        "teardown_groups": "site-1-*",
        "teardown_max_share": 100,
        "teardown_settle_time": 0,
        "teardown_backup_folder": str(tmp_path),
    }
    asked = [{"hosts": "localhost", "gather_facts": False, "roles": [f"{PREFIX}teardown"], "check_mode": keyword}]
    done = play(asked, cluster.bootstrap, variables, check=check)
    told = done.tasks["Report"]["msg"]
    assert (done.code, done.words, done.changed) == (0, "", ["Delete the groups"])
    assert told[0] == f"{'Would delete' if keyword else 'Deleted'}: 1 of the groups, 0 of the topics."
    if keyword:
        assert (state(cluster), list(tmp_path.iterdir()), done.artifacts, len(told)) == (before, [], {}, 1)
    else:
        assert "site-1-a" not in truth.groups(cluster.bootstrap)
        assert [str(path) for path in tmp_path.iterdir()] == done.artifacts["restore_from"]
        assert "List the groups again" in done.tasks


@pytest.mark.parametrize(
    "tasks", [[INCLUDED], [INCLUDED, {**INCLUDED, "when": "inventory_hostname == 'b'"}]], ids=["once", "again"]
)
def test_a_run_on_a_host_of_the_inventory(cluster: Cluster, tmp_path: Path, tasks: list[dict[str, Any]]) -> None:
    """It happens again where it is asked for again, also without the host that was chosen first."""
    fill(cluster)
    before = state(cluster)
    variables = {
        "teardown_apply": True,
        "teardown_groups": "site-1-*",
        "teardown_max_share": 100,
        "teardown_settle_time": 0,
        "teardown_backup_folder": str(tmp_path),
    }
    inventory = {name: {"cluster": cluster.bootstrap} for name in ("a", "b")}
    plays = site("teardown", {"roles": [], "tasks": tasks})
    folder = tmp_path / "of two hosts"
    folder.mkdir()
    done = play(plays, "127.0.0.1:1", variables, inventory=inventory, folder=folder)
    assert (done.code, done.words) == (0, "")
    assert done.hosts["List all groups"] == ["a", "b"][: len(tasks)]
    (backup,) = done.artifacts["restore_from"]
    if len(tasks) == 1:
        command = done.tasks["Report"]["msg"][-1]
        assert backup in command
        assert "changed=1 " in shell(command, cluster.bootstrap)
        assert state(cluster) == before


def test_the_other_roles_of_several_hosts(cluster: Cluster, tmp_path: Path) -> None:
    """The plan of the clean-up is none, which only the host says that would apply it."""
    fill(cluster)
    inventory = {name: {"cluster": cluster.bootstrap} for name in ("a", "b")}

    def run(role: str, variables: dict[str, Any]) -> Play:
        return play(site(role, {}), "127.0.0.1:1", variables, inventory=inventory)

    reset = {"streams_reset_application_id": "site-app", "streams_reset_input_topics": TOPIC}
    done = run("streams_reset", reset)
    assert (done.code, done.words) == (0, "")
    assert done.hosts["Set the offsets of input and intermediate topics"] == ["a"]
    assert done.hosts["Delete the internal topics"] == ["a"]
    folders = {"cleanup_output": str(tmp_path), "cleanup_backup_folder": str(tmp_path)}
    done = run("cleanup", {**folders, "cleanup_plan": str(tmp_path / "none.json")})
    assert (done.code, done.hosts["Find the plan"]) == (2, ["a"])
    assert "none.json is not a readable file" in done.words
    # fail on the first host
    done = run("audit", {"audit_output": str(tmp_path / "audit"), "audit_read_rate": 0})
    assert (done.code, done.hosts["Audit"]) == (2, ["a"])
    saved = str(tmp_path / "saved.json")
    assert task.run("consumer_group", cluster.bootstrap, names=["site-1-a"], backup=saved).changed
    before = state(cluster)
    done = run("restore", {"restore_from": saved})
    assert (done.code, done.words, done.hosts["Check which offsets would be set"]) == (0, "", ["a"])
    assert state(cluster) != before
    assert "site-1-a" in truth.groups(cluster.bootstrap)
