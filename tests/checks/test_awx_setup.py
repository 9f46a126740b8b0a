# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role awx_setup with the modules of awx.awx, whose requests a store keeps. AWX itself is not here."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ansible_runner
import pytest
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tests.live.playbook import Play, read
from tests.support import awx
from tests.support.collection import CHECKOUT, install, interpreter, reused

NAME = "Kafka groups"
TOKEN = "token-of-a-notification"
CREATED = [
    "Create the credential type",
    "Create the execution environment",
    "Create the project",
    "Create the inventory",
]
#: What the templates of the workflow hold.
FIXED = ("cleanup_apply", "cleanup_require_plan")
#: All that AWX passes to the message of an approval (WorkflowApproval.context): another name empties the message.
APPROVAL = dict.fromkeys(("approval_status", "approval_node_name", "workflow_url", "job_metadata"), "a value")
GIVEN: dict[str, Any] = {
    "awx_setup_image": "registry.example.com/kafkaops-ee:1",
    "awx_setup_output": "/data/audit",
    "awx_setup_backup_folder": "/data/backups",
    "awx_setup_credentials": ["kafka", "ssh"],
    "awx_setup_kafka_host": "ops.example.com",
    "awx_setup_kafka_host_variables": {"ansible_user": "ops"},
    "awx_setup_playbooks": ["audit", "cleanup", "teardown"],
    "awx_setup_variables": {
        "cleanup": {"cleanup_include": ["billing-*"], "cleanup_max_share": 20},
        "teardown": {"teardown_allowed_patterns": ["test-*"]},
    },
    "awx_setup_notifications": [
        {
            "name": "chat",
            "type": "slack",
            "configuration": {"channels": ["kafka"], "token": TOKEN},
            "events": ["approval", "error"],
        }
    ],
}


class Setup:
    """Runs of the role, and what they sent."""

    def __init__(self, store: awx.Store, folder: Path) -> None:
        self.store = store
        self.folder = folder

    def run(self, *, check: bool = False, collections: tuple[Path, ...] = (), **variables: Any) -> Play:
        done = ansible_runner.run(
            private_data_dir=tempfile.mkdtemp(dir=self.folder),
            playbook="kafkaops.groups.awx_setup",
            extravars={"ansible_python_interpreter": interpreter()} | GIVEN | variables,
            cmdline="-vvv --check" if check else "-vvv",
            envvars={
                "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
                "ANSIBLE_COLLECTIONS_PATH": os.pathsep.join(map(str, (install(), *collections))),
                "ANSIBLE_COLLECTIONS_SCAN_SYS_PATH": "false",
                "CONTROLLER_HOST": self.store.url,
                "CONTROLLER_OAUTH_TOKEN": "none",
                **reused(),
            },
            quiet=True,
            timeout=900,
        )
        assert TOKEN not in done.stdout.read()
        return read(done)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setup]:
    with awx.Store(organizations=["Default"], credentials=["kafka", "ssh"]) as store:
        yield Setup(store, tmp_path_factory.mktemp("setup"))


@pytest.fixture(scope="module")
def done(empty: Setup) -> Setup:
    """After the runs that change nothing and the one that creates all."""
    created = empty.run(collections=(awx.collections(),))
    assert (created.code, created.words) == (0, "")
    assert {*CREATED, "Connect the nodes", "Schedule the workflow"} <= {*created.changed}
    return empty


@pytest.mark.parametrize(
    ("variables", "installed", "words"),
    [
        (
            {},
            False,
            "The collection awx.awx is not installed: install it with ansible-galaxy collection install awx.awx."
            " Nothing was changed.",
        ),
        (
            {"awx_setup_variables": {}},
            True,
            "awx_setup_variables.teardown.teardown_allowed_patterns is not set: set the patterns of the groups and"
            " topics that the job template may delete. Nothing was changed.",
        ),
    ],
    ids=["no-collection", "no-limit"],
)
def test_it_is_refused(empty: Setup, variables: dict[str, Any], installed: bool, words: str) -> None:
    refused = empty.run(collections=(awx.collections(),) if installed else (), **variables)
    assert (refused.code, refused.words, empty.store.changes) == (2, words, [])


def test_check_mode_creates_nothing(empty: Setup) -> None:
    predicted = empty.run(check=True, collections=(awx.collections(),))
    assert (predicted.code, predicted.words, empty.store.changes) == (0, "", [])
    # what no_log hides does not say whether it changes something
    assert predicted.changed == CREATED
    assert "credential type, execution environment" in predicted.tasks["Explain the limits of check mode"]["msg"]


def test_a_second_run_predicts_no_changes(done: Setup) -> None:
    before = [*done.store.changes]
    again = done.run(check=True, collections=(awx.collections(),), awx_setup_notifications=[])
    assert (again.code, again.words, again.changed, done.store.changes) == (0, "", [], before)
    assert "Explain the limits of check mode" not in again.tasks


def test_a_second_run_sends_only_the_notification_templates_again(done: Setup) -> None:
    """Whose secrets it cannot compare."""
    before = len(done.store.changes)
    again = done.run(collections=(awx.collections(),))
    # what no_log hides does not say whether it changed something
    assert (again.code, again.words, again.changed) == (0, "", [])
    assert done.store.changes[before:] == ["PATCH notification_templates"]


def test_definitions_are_those_of_the_collection(done: Setup) -> None:
    defined = json.loads((CHECKOUT / "awx" / "credential_type.json").read_text(encoding="utf-8"))
    created = done.store.named("credential_types")["Apache Kafka"]
    assert {key: created[key] for key in defined} == defined
    hosts = {name: json.loads(host["variables"]) for name, host in done.store.named("hosts").items()}
    assert hosts == {
        "localhost": {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"},
        "ops.example.com": {"ansible_user": "ops"},
    }


def test_job_templates_do_not_ask_for_their_limits(done: Setup) -> None:
    templates = done.store.named("job_templates")
    assert sorted(templates) == [
        f"{NAME}: {name}"
        for name in (*sorted(GIVEN["awx_setup_playbooks"]), "workflow audit", "workflow cleanup", "workflow report")
    ]
    for name, template in templates.items():
        variables = json.loads(template["extra_vars"])
        assert variables["kafka_host"] == "ops.example.com"
        assert template["ask_variables_on_launch"] is False
        assert (CHECKOUT / template["playbook"]).is_file()
        assert done.store.links("job_templates", name, "credentials") == ["kafka", "ssh"]
        asked = {question["variable"] for question in template.get("survey", {"spec": []})["spec"]}
        assert template["survey_enabled"] is bool(asked)
        assert asked & variables.keys() == set()
        assert bool(asked) is (": workflow " not in name)


def test_the_workflow_deletes_only_after_an_approval(done: Setup) -> None:
    templates = {each["id"]: each for each in done.store.named("job_templates").values()}
    nodes = done.store.named("workflow_job_template_nodes")
    run = {name: templates.get(node["unified_job_template"]) for name, node in nodes.items()}
    found = {
        name: (Path(template["playbook"]).stem, *map(json.loads(template["extra_vars"]).get, FIXED))
        for name, template in run.items()
        if template is not None
    }
    assert found == {
        "audit": ("cleanup", False, None),
        "cleanup": ("cleanup", True, True),
        "report": ("audit", None, None),
    }
    (approval,) = done.store.objects["workflow_approval_templates"].values()
    assert nodes["approval"]["unified_job_template"] == approval["id"]
    assert approval["timeout"] == 43200
    links = {
        (name, link): done.store.links("workflow_job_template_nodes", name, f"{link}_nodes")
        for name in nodes
        for link in ("success", "failure", "always")
    }
    assert {edge: ends for edge, ends in links.items() if ends} == {
        ("audit", "success"): ["approval"],
        ("approval", "success"): ["cleanup"],
        ("cleanup", "always"): ["report"],
    }
    schedule = done.store.named("schedules")[NAME]
    assert schedule["rrule"] == "DTSTART:20260101T020000Z RRULE:FREQ=DAILY;INTERVAL=1"
    assert schedule["unified_job_template"] == done.store.named("workflow_job_templates")[NAME]["id"]


def test_notifications_are_sent_for_their_events(done: Setup) -> None:
    chat = f"{NAME}: chat"
    sent = done.store.named("notification_templates")[chat]
    assert sent["notification_configuration"] == {"channels": ["kafka"], "token": TOKEN}
    for event in ("success", "error"):
        assert "{{ job.artifacts.kafka_message" in sent["messages"][event]["message"]
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
    for approval in sent["messages"]["workflow_approval"].values():
        assert environment.from_string(approval["message"]).render(APPROVAL)
    assert done.store.links("workflow_job_templates", NAME, "notification_templates_approvals") == [chat]
    for name in done.store.named("job_templates"):
        assert done.store.links("job_templates", name, "notification_templates_error") == [chat]
        assert done.store.links("job_templates", name, "notification_templates_success") == []
