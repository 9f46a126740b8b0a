# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbooks as AWX runs them: its credential injected by AWX's own code, its surveys answered, by ansible-runner.

The jobs go on from each other, as the nodes of a workflow do.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import ansible_runner
import pytest
import yaml
from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import CONNECTION_SPEC
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.options import FILES
from awx_plugins.interfaces._temporary_private_api import ManagedCredentialType
from awx_plugins.interfaces._temporary_private_credential_api import Credential
from awx_plugins.interfaces._temporary_private_inject_api import inject_credential
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tests.checks import examples
from tests.checks.test_awx_setup import NAME, Setup
from tests.live.playbook import Play, read
from tests.live.test_secrets import found, found_in_files
from tests.support import awx, commits, topics, truth
from tests.support.broker import Cluster
from tests.support.ca import KEY_PASSWORD
from tests.support.collection import CHECKOUT, install, reused
from tests.support.java import lent

USER = "admin"
#: Where ansible-runner's folder is in an execution environment.
IN_CONTAINER = "/runner"
ORDERS, INTERNAL = "awx-orders", "awx-app-sums-changelog"
NOTE = (3, "a note", 0)

#: What AWX runs: not the playbook that makes its templates.
PLAYBOOKS = sorted({path.stem for path in (CHECKOUT / "playbooks").glob("*.yml")} - {"awx_setup", "demo"})
SURVEYS = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((CHECKOUT / "awx/surveys").iterdir())
}
QUESTIONS = [
    pytest.param(name, question, id=question["variable"])
    for name, survey in SURVEYS.items()
    for question in survey["spec"]
]
TYPE = json.loads((CHECKOUT / "awx" / "credential_type.json").read_text(encoding="utf-8"))
FIELDS = {field["id"]: field for field in TYPE["inputs"]["fields"]}


def options(playbook: str) -> dict[str, dict[str, Any]]:
    """The variables of a playbook, which are those of its role."""
    specs = CHECKOUT / "roles" / playbook / "meta" / "argument_specs.yml"
    loaded: dict[str, dict[str, Any]] = yaml.safe_load(specs.read_text(encoding="utf-8"))["argument_specs"]["main"]
    return loaded["options"]


def written(value: Any) -> Any:
    """A default as a form shows it."""
    if isinstance(value, bool):
        return str(value).lower()
    return "\n".join(value) if isinstance(value, list) else "" if value is None else value


def test_every_playbook_has_its_survey() -> None:
    assert list(SURVEYS) == PLAYBOOKS


@pytest.mark.parametrize(("playbook", "question"), QUESTIONS)
def test_a_question_fits_its_variable(playbook: str, question: dict[str, Any]) -> None:
    option = options(playbook)[question["variable"]]
    answers = {
        "text": ("str", "raw", "list"),
        "textarea": ("raw",),
        "integer": ("int", "float"),
        "multiplechoice": ("bool", "str"),
    }
    assert option["type"] in answers[question["type"]]
    # what AWX wants of every question
    assert question["question_name"]
    assert {"question_description", "required", "default"} <= question.keys()
    assert isinstance(question["required"], bool)
    assert question["default"] == "" or isinstance(question["default"], int if question["type"] == "integer" else str)
    assert not str(question["default"]).startswith("$encrypted$")
    if question["type"] == "multiplechoice":
        assert set(question["choices"]) <= set(option.get("choices", ["true", "false"]))
        assert question["default"] in question["choices"]
    if "default" in option:
        assert question["default"] == written(option["default"])


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_a_survey_asks_for_what_is_required_but_for_folders(playbook: str) -> None:
    required = {name for name, option in options(playbook).items() if option.get("required")}
    asked = {question["variable"] for question in SURVEYS[playbook]["spec"] if question["required"]}
    assert {name for name in required - asked if options(playbook)[name]["type"] != "path"} == set()


def test_the_credential_holds_every_way_to_connect() -> None:
    """One environment variable for each option, but for those that are none of the connection's."""
    injected = {**TYPE["injectors"]["env"]}
    assert injected.pop("KRB5_CONFIG").count("kerberos_config") == 2
    assert injected.pop("AWS_REGION") == "{{ aws_region }}"
    for name, option in CONNECTION_SPEC.items():
        (variable,) = option["fallback"][1]
        template = injected.pop(variable, None)
        # contents of files are files of the job
        if name in ("client_id", "request_timeout", "timeout", *FILES.values()):
            assert template is None
            continue
        used = [field for field in FIELDS if field in template.replace("tower.filename.", "")]
        assert used, name
        if option.get("no_log"):
            assert all(FIELDS[field].get("secret") for field in used), name
        if "choices" in option:
            assert sorted(FIELDS[name]["choices"]) == sorted(option["choices"])
    assert injected == {}
    assert FIELDS["ssl_key"]["secret"]
    # which may contain the key, too
    assert FIELDS["ssl_certificate"]["secret"]


def test_the_injectors_use_what_there_is() -> None:
    """AWX renders them so when the type is created, and refuses names that it does not know."""
    files = {name.partition(".")[2]: "a file" for name in TYPE["injectors"]["file"]}
    known = dict.fromkeys(FIELDS, "a value") | {"tower": {"filename": files}}
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
    for injected in TYPE["injectors"].values():
        for name, template in injected.items():
            assert re.fullmatch(r"[a-zA-Z_]+[a-zA-Z0-9_.]*", name)
            assert not name.startswith("ANSIBLE_")
            environment.from_string(template).render(known)


#: A playbook of somebody's project, which cleans up and then calls a webhook where nobody listens.
NOTIFYING: list[dict[str, Any]] = [
    {"name": "Clean up", "ansible.builtin.import_playbook": "kafkaops.groups.cleanup"},
    {
        "name": "Notify",
        "hosts": "localhost",
        "gather_facts": False,
        "tasks": [{"name": "Notify", "ansible.builtin.uri": {"url": "http://127.0.0.1:1/", "method": "POST"}}],
    },
]


def guide(name: str) -> list[dict[str, Any]]:
    """The playbook of the guide whose first play has this name."""
    (found,) = [
        block for block in examples.blocks() if block.file.endswith("/awx.rst") and f"- name: {name}\n" in block.text
    ]
    playbook: list[dict[str, Any]] = yaml.safe_load(found.text)
    return playbook


class Template:
    """A job template: a playbook with its credential and its own variables, which no survey asks for."""

    def __init__(self, folder: Path, inputs: Mapping[str, str | bool], secrets: list[str]) -> None:
        self.folder = folder
        self.inputs = inputs
        self.secrets = secrets

    def launch(
        self,
        playbook: str | list[dict[str, Any]],
        answers: Mapping[str, Any],
        *,
        own: Mapping[str, Any] | None = None,
        survey: list[dict[str, Any]] | None = None,
        hosts: Mapping[str, Any] | None = None,
    ) -> Play:
        """Answer a survey, the rest by its defaults, run the playbook, and search all that is left for secrets.

        A survey does not ask for what the template holds (`own`), as those of awx_setup do not. A playbook that is not
        of the collection has a survey of its own, of which `answers` are all answers. `hosts` are those of the
        inventory, with their variables.
        """
        if survey is None and isinstance(playbook, str):
            survey = SURVEYS[playbook]["spec"]
        given = dict(answers) if survey is None else self._answered(survey, answers)
        given = {name: value for name, value in given.items() if name not in (own or {})}
        private = self.folder / f"job-{time.monotonic_ns()}"
        (private / "env").mkdir(parents=True)
        environment, arguments = self._inject(private)
        self._extra_vars(private, given, own or {})
        done = ansible_runner.run(
            private_data_dir=str(private),
            playbook=f"kafkaops.groups.{playbook}" if isinstance(playbook, str) else playbook,
            envvars=environment,
            cmdline=" ".join(arguments),
            inventory={"all": {"hosts": hosts}} if hosts else self._inventory(private, own or {}),
            # as AWX does, so that no file holds them
            suppress_env_files=True,
            verbosity=4,
            quiet=True,
        )
        play = read(done)
        self._search(private / "artifacts")
        return play

    def launch_created(
        self,
        store: awx.Store,
        created: Mapping[str, Any],
        answers: Mapping[str, Any] | None = None,
        before: Play | None = None,
        playbook: list[dict[str, Any]] | None = None,
    ) -> Play:
        """Launch a job template that awx_setup has created: with its variables, its survey and its inventory.

        As in a workflow, what the job before passed on overrides the variables of the template. `playbook` is one of
        somebody's own project.
        """
        return self.launch(
            playbook or Path(created["playbook"]).stem,
            answers or {},
            own={**json.loads(created["extra_vars"]), **(before.artifacts if before else {})},
            survey=created.get("survey", {"spec": []})["spec"],
            hosts={name: json.loads(host["variables"]) for name, host in store.named("hosts").items()},
        )

    @staticmethod
    def _answered(survey: list[dict[str, Any]], answers: Mapping[str, Any]) -> dict[str, Any]:
        questions = {question["variable"]: question for question in survey}
        assert answers.keys() <= questions.keys()
        given = {name: question["default"] for name, question in questions.items()} | dict(answers)
        # an integer that was not filled in is not sent
        return {name: value for name, value in given.items() if value != "" or questions[name]["type"] != "integer"}

    def _inject(self, private: Path) -> tuple[dict[str, str], list[str]]:
        kind = ManagedCredentialType(
            namespace="", **{key: TYPE[key] for key in ("name", "kind", "inputs", "injectors")}
        )
        environment: Any = {}
        shown: Any = {}
        arguments: list[str] = []
        inject_credential(kind, Credential(dict(self.inputs)), environment, shown, arguments, str(private))
        assert found(self.secrets, json.dumps(shown)) == set(), "what AWX shows of a job's environment"
        here = {name: value.replace(IN_CONTAINER, str(private)) for name, value in environment.items()}
        needed = {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "ANSIBLE_COLLECTIONS_PATH": str(install()),
            **reused(),
            **lent(),
        }
        return here | needed, [argument.replace(IN_CONTAINER, str(private)) for argument in arguments]

    @staticmethod
    def _inventory(private: Path, own: Mapping[str, Any]) -> dict[str, Any] | None:
        """The host of `kafka_host`, whose modules get no environment of the job."""
        if "kafka_host" not in own:
            return None
        python = private / "python"
        python.write_text(f'#!/bin/sh\nexec env -i HOME="$HOME" {sys.executable} "$@"\n', encoding="utf-8")
        python.chmod(0o700)
        variables = {"ansible_connection": "local", "ansible_python_interpreter": str(python)}
        return {"all": {"hosts": {own["kafka_host"]: variables}}}

    @staticmethod
    def _extra_vars(private: Path, answers: Mapping[str, Any], own: Mapping[str, Any]) -> None:
        """Write the variables as AWX does, which lets no template come in by an answer."""
        marks = {name: "!unsafe " if isinstance(value, str) else "" for name, value in answers.items()}
        lines = [f"{name}: {marks[name]}{json.dumps(value)}" for name, value in answers.items()]
        lines += [f"{name}: {json.dumps(value)}" for name, value in own.items()]
        (private / "env" / "extravars").write_text("\n".join(lines), encoding="utf-8")

    def _search(self, artifacts: Path) -> None:
        # ansible-runner's own record of how it was called, which AWX removes with the folder
        (command,) = artifacts.glob("*/command")
        assert command.stat().st_mode & 0o077 == 0
        assert found(self.secrets, command.read_text(encoding="utf-8")), "the job got no secret at all"
        command.unlink()
        assert found_in_files(self.secrets, artifacts) == set()


@pytest.fixture(scope="module")
def world(secured: Cluster) -> None:
    client = secured.client()
    for name in (ORDERS, "awx-env-orders", INTERNAL):
        topics.create(client, name, records=5)
    groups = ("awx-old-1", "awx-old-2", "awx-busy", "awx-env-1", "awx-app", "payments")
    commits.commit_many(client, {group: {(ORDERS, 0): NOTE} for group in groups})


@pytest.fixture(scope="module")
def by_password(secured: Cluster, world: None, tmp_path_factory: pytest.TempPathFactory) -> Template:
    assert secured.authority is not None
    inputs = {
        "bootstrap_servers": secured.listeners["SASL_SSL"],
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_username": USER,
        "sasl_password": secured.users[USER],
        "ssl_ca": secured.authority.certificate.read_text(encoding="ascii"),
    }
    return Template(tmp_path_factory.mktemp("password"), inputs, [secured.users[USER]])


@pytest.fixture(scope="module")
def by_certificate(secured: Cluster, world: None, tmp_path_factory: pytest.TempPathFactory) -> Template:
    assert secured.authority is not None
    certificate, _key = secured.authority.issue(USER)
    key = secured.authority.encrypted_key(USER).read_text(encoding="ascii")
    inputs = {
        "bootstrap_servers": secured.listeners["SSL"],
        "security_protocol": "SSL",
        "ssl_ca": secured.authority.certificate.read_text(encoding="ascii"),
        "ssl_certificate": certificate.read_text(encoding="ascii"),
        "ssl_key": key,
        "ssl_key_password": KEY_PASSWORD,
    }
    # the password, and a line of the key
    return Template(tmp_path_factory.mktemp("certificate"), inputs, [KEY_PASSWORD, key.splitlines()[2]])


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders that outlive a job."""
    folder = tmp_path_factory.mktemp("left")
    (folder / "backups").mkdir()
    return folder


class Created:
    """What awx_setup has created, and jobs of it."""

    def __init__(self, store: awx.Store, template: Template) -> None:
        self.store = store
        self.template = template

    def job(self, name: str, answers: Mapping[str, Any] | None = None) -> Play:
        """Launch a job template and answer its survey."""
        return self.template.launch_created(self.store, self.store.named("job_templates")[f"{NAME}: {name}"], answers)

    def node(self, name: str, before: Play | None = None, playbook: list[dict[str, Any]] | None = None) -> Play:
        """Run a node of the workflow, after the node before it."""
        node = self.store.named("workflow_job_template_nodes")[name]
        created = self.store.objects["job_templates"][node["unified_job_template"]]
        return self.template.launch_created(self.store, created, before=before, playbook=playbook)

    def refuse(self, before: Play, words: str) -> None:
        """Run the last job of a workflow with a plan that nobody approved as it is: it deletes nothing."""
        refused = self.node("cleanup", before)
        assert (refused.code, refused.changed, refused.artifacts) == (2, [], {})
        assert words in refused.words
        assert refused.words.endswith("Nothing was changed.")


@pytest.fixture(scope="module")
def created(by_password: Template, left: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Created]:
    chosen = {"include": "awx-old-*\nawx-busy", "stale_after": "1s"}
    with awx.Store(organizations=["Default"], credentials=["kafka"]) as store:
        done = Setup(store, tmp_path_factory.mktemp("setup")).run(
            collections=(awx.collections(),),
            awx_setup_output=str(left / "audit"),
            awx_setup_backup_folder=str(left / "backups"),
            awx_setup_credentials=["kafka"],
            awx_setup_kafka_host="",
            awx_setup_playbooks=["audit", "restore"],
            awx_setup_variables={
                "audit": {f"audit_{name}": value for name, value in chosen.items()},
                "cleanup": {
                    **{f"cleanup_{name}": value for name, value in chosen.items()},
                    # all that the audit judged is stale
                    "cleanup_max_share": 100,
                    "cleanup_require_approval": True,
                },
            },
            awx_setup_notifications=[],
        )
        assert (done.code, done.words) == (0, "")
        yield Created(store, by_password)


def test_the_audit_and_what_follows_it(secured: Cluster, by_password: Template, created: Created, left: Path) -> None:
    """What awx_setup creates: audit and list, ask a person, delete, notify, report, and restore."""
    client = secured.client()
    before = truth.offsets(client, "awx-old-1")
    audited = created.job("audit")
    assert (audited.code, audited.changed) == (0, [])
    assert audited.tasks["Audit"]["stale_groups"] == ["awx-busy", "awx-old-1", "awx-old-2"]
    assert audited.artifacts["kafka_summary"] == {
        **audited.tasks["Audit"]["summary"],
        "new_groups": None,
        "new_group_names": None,
        "plan": audited.tasks["Audit"]["plan"],
        "report": audited.tasks["Audit"]["report"],
    }
    message = "3 groups are stale, 3 of them can be deleted. What is new is not known."
    assert audited.artifacts["kafka_message"] == message

    shown = created.node("audit")
    assert (shown.code, shown.changed, list(shown.passed_on)) == (0, [], ["cleanup_plan"])
    assert shown.artifacts["cleanup_plan"].endswith("Z-plan.json")
    assert "approve it with the module plan_approval" in shown.tasks["Explain how to apply the plan"]["msg"]
    created.refuse(shown, f"{shown.artifacts['cleanup_plan']} is not approved")

    # a job of the person's own workflow, with the variables that AWX adds
    launched = {"awx_user_name": "alice", "awx_job_id": 4711}
    survey = {"approve_plan": shown.artifacts["cleanup_plan"], "approve_groups": "awx-old-1\nawx-busy"}
    approved = by_password.launch(guide("Approve a plan"), survey, own=launched)
    assert (approved.code, approved.changed) == (0, ["Approve the plan, or the groups that the survey asks for"])
    plan = Path(approved.artifacts["cleanup_plan"])
    assert plan.name.endswith("Z-plan-approved-4711.json")
    # somebody who can write to the folder adds what nobody approved
    edited = plan.with_name("edited.json")
    document = json.loads(plan.read_text(encoding="utf-8"))
    document["delete_groups"].append({**document["delete_groups"][0], "group": "awx-old-2"})
    edited.write_text(json.dumps(document), encoding="utf-8")
    forged = approved._replace(artifacts={"cleanup_plan": str(edited)})
    created.refuse(forged, " is not the plan that alice approved at ")
    assert {"awx-busy", "awx-old-1", "awx-old-2"} <= truth.groups(client).keys()
    assert [*(left / "backups").iterdir()] == []

    commits.commit(client, "awx-busy", {(ORDERS, 0): (4, "", 1)})
    done = created.node("cleanup", approved, NOTIFYING)
    # the job failed, after it had deleted all that was approved, and nothing else
    assert (done.code, done.changed) == (2, ["Delete the groups"])
    assert "Connection refused" in done.tasks["Notify"]["msg"]
    # the event has no item for a deleted group
    assert (done.tasks["Delete the groups"]["results"], done.tasks["Delete the groups"]["summary"]["changed"]) == (
        [],
        1,
    )
    assert done.tasks["Report"]["msg"][1].startswith(f"Plan: {plan} (approved by alice at ")
    assert done.artifacts["kafka_summary"]["deleted_groups"] == 1
    assert any(line.startswith("Skipped: awx-busy") for line in done.tasks["Show stale groups and offsets"]["msg"])
    assert truth.groups(client).keys() & {"awx-old-1", "awx-old-2", "awx-busy"} == {"awx-busy", "awx-old-2"}

    # the node that reports runs always, and gets what the failed job passed on
    reported = created.node("report", done)
    assert (reported.code, reported.changed) == (0, [])
    assert reported.tasks["Audit"]["stale_groups"] == ["awx-busy", "awx-old-2"]

    back = created.job("restore", {"restore_from": "\n".join(done.artifacts["restore_from"])})
    (restored,) = back.tasks["Restore committed offsets"]["results"]
    assert [(item["group"], item["changed"]) for item in restored["results"]] == [("awx-old-1", True)]
    assert truth.offsets(client, "awx-old-1") == before == {(ORDERS, 0): NOTE}
    assert found_in_files(by_password.secrets, left) == set()


#: What a template of teardown holds, so that whoever launches it ends no environment but those of tests.
TEARDOWN = {"teardown_allowed_patterns": ["awx-env-*"], "teardown_max_share": 100}


def test_what_a_template_of_teardown_holds_is_not_asked_for() -> None:
    """An answer would take the place of it; and there is no launch without a limit."""
    questions = {question["variable"]: question for question in SURVEYS["teardown"]["spec"]}
    assert TEARDOWN.keys() & questions.keys() == set()
    assert questions["teardown_max_changes"]["required"]
    assert questions["teardown_max_changes"]["min"] > 0
    assert "ask_variables_on_launch" in (CHECKOUT / "awx" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "answers",
    [
        {"teardown_groups": "payments*"},
        {"teardown_groups": "awx-env-*", "teardown_topics": ORDERS},
        {"teardown_groups": "~awx-(env-1)?.*"},
    ],
)
def test_the_teardown_of_what_the_template_does_not_allow(
    secured: Cluster, by_certificate: Template, answers: dict[str, str]
) -> None:
    client = secured.client()
    before = truth.groups(client).keys(), truth.topics(client).keys()
    given = {"teardown_apply": "true", "teardown_max_changes": 100, "teardown_settle_time": 0} | answers
    done = by_certificate.launch("teardown", given, own=TEARDOWN)
    assert (done.code, done.changed) == (2, [])
    assert "teardown_allowed_patterns does not allow " in done.words
    assert (truth.groups(client).keys(), truth.topics(client).keys()) == before


def test_the_teardown(secured: Cluster, by_certificate: Template) -> None:
    answers = {"teardown_groups": "awx-env-*", "teardown_topics": "awx-env-*", "teardown_settle_time": 0}
    shown = by_certificate.launch("teardown", answers | {"teardown_max_changes": 1}, own=TEARDOWN)
    assert (shown.code, shown.words, shown.changed) == (0, "", [])
    found = shown.tasks["Show matching groups and topics"]["msg"]
    assert found["Groups and states"] == ["awx-env-1: Empty"]
    assert found["Topics and partitions"] == ["awx-env-orders: 1"]
    answers |= {"teardown_apply": "true", "teardown_max_changes": 1}
    done = by_certificate.launch("teardown", answers, own=TEARDOWN)
    assert (done.code, done.words) == (0, "")
    assert [item["group"] for item in done.tasks["Delete the groups"]["results"] if item["changed"]] == ["awx-env-1"]
    assert "awx-env-1" not in truth.groups(secured.client())
    assert "awx-env-orders" not in truth.topics(secured.client())


def test_the_streams_reset_on_another_host(secured: Cluster, by_certificate: Template) -> None:
    """The credential gets there, with its key and its certificates, which are files of the job."""
    answers = {"streams_reset_application_id": "awx-app", "streams_reset_input_topics": ORDERS}
    done = by_certificate.launch("streams_reset", answers, own={"kafka_host": "ops"})
    assert (done.code, done.words) == (0, "")
    assert done.hosts["Set the offsets of input and intermediate topics"] == ["ops"]
    assert [item["changed"] for item in done.tasks["Set the offsets of input and intermediate topics"]["results"]]
    assert truth.offsets(secured.client(), "awx-app")[ORDERS, 0].offset == 0
    assert INTERNAL not in truth.topics(secured.client())


def test_an_answer_is_no_template(secured: Cluster, by_certificate: Template, tmp_path: Path) -> None:
    """What somebody types into a form is not evaluated."""
    planted = tmp_path / "planted"
    answer = "awx-{{ lookup('ansible.builtin.pipe', 'touch " + str(planted) + "') }}-*"
    answers = {"teardown_groups": answer, "teardown_settle_time": 0, "teardown_max_changes": 1}
    done = by_certificate.launch("teardown", answers, own=TEARDOWN)
    assert (done.code, done.changed) == (0, [])
    assert not planted.exists()
