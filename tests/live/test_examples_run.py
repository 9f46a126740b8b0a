# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The YAML examples of modules, plugins, roles and guides at work, in one run of Ansible: in check mode, then for real.

Those of roles are run only for real. What an example takes for granted (groups, topics, files) is made before each one,
by another client.
"""

from __future__ import annotations

import copy
import datetime
import getpass
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from ansible_collections.kafkaops.groups.plugins.module_utils._files import plan as plan_file
from ansible_collections.kafkaops.groups.plugins.module_utils._files.plan import Plan, PlannedGroup, PlannedOffset
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import TopicPartition
from confluent_kafka.admin import AdminClient

from tests.checks.examples import NAME
from tests.checks.test_examples import kind, tasks_of, yaml_blocks
from tests.live.playbook import run as run_playbook
from tests.live.task import run
from tests.support import commits, topics, truth
from tests.support.absentees import leave_behind
from tests.support.broker import Cluster
from tests.support.ca import Authority
from tests.support.clients import properties
from tests.support.modules import MODULES, answer
from tests.support.webhook import webhook

pytestmark = pytest.mark.live

#: Where the examples keep their files.
AUDITS = ("/var/lib/kafka-audit", "/data/kafka-audit")
BACKUPS = ("/var/backups/kafka", "/data/kafka-backups")
BROKERS = re.compile(r"kafka-[a-z0-9-]+\.example\.com:\d+")
CLUSTER_ID = "LqMsGZkBQkaXCRaSfF1jDg"

AUDIT = "needs Spark: tests/live/test_awx.py and test_audit*.py run the module"
INCREMENTAL = "needs Spark: tests/live/test_audit_incremental.py runs the module"
TABLE_FORMAT = "needs JARs, and the release of Spark for them: tests/live/test_table_formats.py"
FLEET = "needs Spark and audits: tests/live/test_fleet.py runs the module"
SNAPSHOTS = "needs Spark: tests/live/test_audit_snapshots.py runs the module"
SPARK = "needs a Spark cluster: tests/live/test_audit_cluster.py"
AWX = "needs AWX: tests/checks/test_awx_setup.py runs the role against a store"
SECURED = "needs TLS, SASL or Kerberos: tests/live/test_guides.py connects with each"
RULEBOOK = "needs ansible-rulebook: tests/live/test_events.py"

#: What is not run here: a task, a play, or an example by the name of its first one or its first comment.
ELSEWHERE: dict[tuple[str, str], str] = {
    ("docs/docsite/rst/audit_at_scale.rst", "Audit a large cluster on Spark's own cluster"): SPARK,
    ("docs/docsite/rst/audit_at_scale.rst", "Audit a large cluster on YARN"): SPARK,
    ("docs/docsite/rst/audit_at_scale.rst", "Audit a large cluster on Kubernetes"): SPARK,
    ("docs/docsite/rst/audit_at_scale.rst", "Audit a large cluster"): AUDIT,
    ("docs/docsite/rst/audit_at_scale.rst", "Audit a large cluster, with the tables in an object store"): (
        "needs an object store: tests/live/test_audit_storage.py"
    ),
    ("docs/docsite/rst/audit_at_scale.rst", "Audit the cluster, with the tables as Delta"): TABLE_FORMAT,
    ("docs/docsite/rst/audit_at_scale.rst", "Audit the cluster, with the tables as Iceberg"): TABLE_FORMAT,
    ("docs/docsite/rst/audit_at_scale.rst", "Audit the cluster every hour"): INCREMENTAL,
    ("docs/docsite/rst/audit_at_scale.rst", "Audit the cluster, and write a CDS archive"): (
        "writes 200 MB: tests/live/test_audit_engine.py -k archive"
    ),
    (
        "plugins/modules/consumer_offsets_audit.py",
        "Audit the cluster every hour, and read only the new records",
    ): INCREMENTAL,
    ("docs/docsite/rst/audit_fleet.rst", "Audit all clusters"): AUDIT,
    ("docs/docsite/rst/audit_fleet.rst", "Audit the cluster with metrics"): AUDIT,
    ("docs/docsite/rst/audit_fleet.rst", "Report the audits of all clusters"): FLEET,
    ("plugins/modules/fleet_report.py", "Report the audits of several clusters"): FLEET,
    ("docs/docsite/rst/cleanup.rst", "Audit the cluster"): AUDIT,
    ("plugins/modules/consumer_offsets_audit.py", "Audit the cluster"): AUDIT,
    ("plugins/modules/consumer_offsets_audit.py", "Audit the cluster with the owners of its groups"): AUDIT,
    ("plugins/modules/consumer_offsets_audit.py", "Audit the cluster with metrics for node_exporter"): AUDIT,
    ("docs/docsite/rst/audit_snapshots.rst", "Take a snapshot, and audit all snapshots"): SNAPSHOTS,
    (
        "plugins/modules/consumer_offsets_audit.py",
        "Take a snapshot each day, where the topic cannot be read",
    ): SNAPSHOTS,
    ("plugins/modules/consumer_offsets_audit.py", "Delete the stale groups of one team"): (
        "applies the plan of the audit before it: tests/live/test_plan.py"
    ),
    (
        "plugins/modules/consumer_offsets_audit.py",
        "Audit a large cluster on a Spark cluster, and keep the audits of a year",
    ): SPARK,
    ("roles/audit/README.md", "Audit the cluster"): AUDIT,
    ("docs/docsite/rst/awx.rst", "Set AWX up"): AWX,
    ("docs/docsite/rst/awx.rst", "awx_setup_image"): AWX,
    ("roles/awx_setup/README.md", "Set AWX up"): AWX,
    ("docs/docsite/rst/awx.rst", "Approve a plan"): "tests/live/test_awx.py runs it as a job of AWX",
    ("docs/docsite/rst/deploy.rst", "Deploy a consumer"): "tests/live/test_wait.py runs it with an application",
    ("docs/docsite/rst/deploy.rst", "Wait up to 10 minutes until the new version has caught up"): (
        "tests/live/test_wait.py runs it with an application"
    ),
    ("docs/docsite/rst/events.rst", "notify.yml"): RULEBOOK,
    ("docs/docsite/rst/events.rst", "audit.yml"): RULEBOOK,
    ("docs/docsite/rst/events.rst", "Watch the groups of two applications"): "tests/live/test_events.py runs it",
    ("docs/docsite/rst/events.rst", "Ask for a cleanup"): "needs AWX, in which the action starts a workflow",
    ("docs/docsite/rst/security.rst", "kafka_connection"): SECURED,
    ("docs/docsite/rst/managed_services.rst", "kafka_connection"): SECURED,
    ("docs/docsite/rst/managed_services.rst", "Clean the cluster of the region"): SECURED,
}
#: The tasks that fail, and what they say.
FAILING = {("plugins/test/installed_collection.py", "Validate that awx.awx is installed"): "Assertion failed"}
#: Playbooks of the collection whose variables an example shows, by its first comment or variable.
PLAYBOOKS = {
    "cleanup.yml": "cleanup",
    "cleanup_output": "cleanup",
    "totals.yml": "streams_reset",
    "teardown.yml": "teardown",
}
PLAN = {"plan": "{{ lookup('ansible.builtin.file', audits ~ '/plan.json') | from_json }}"}
#: A job template, with the plan of a job before it.
TEMPLATE = {
    "cleanup_output": "{{ audits }}",
    "cleanup_backup_folder": "{{ backups }}",
    "cleanup_plan": "{{ audits }}/plan.json",
    "cleanup_include": "*",
}
#: Variables that an example takes from tasks before it, or from a survey; a plan in place of the role's own audit.
VARIABLES: dict[str, dict[str, Any]] = {
    "README.md": {"cleanup_plan": "{{ audits }}/plan.json", "cleanup_max_share": 100},
    "awx/README.md": TEMPLATE,
    "docs/docsite/rst/awx.rst": TEMPLATE,
    "docs/docsite/rst/cleanup.rst": {
        "cleanup_plan": "{{ audits }}/plan.json",
        "review_plan": "{{ audits }}/plan.json",
        "audit": {
            "plan": "{{ audits }}/plan.json",
            "since_last": {"new_stale_groups": {"count": 1, "names": ["billing-old"]}},
        },
    },
    "docs/docsite/rst/security.rst": {"kafka_connection": {}},
    "docs/docsite/rst/teardown.rst": {"pull_request": 12},
    "plugins/filter/matching.py": {"audit": {"stale_groups": ["orders-1", "billing-old"]}},
    "plugins/filter/plan_review.py": PLAN,
    "plugins/modules/consumer_group.py": {"kafka_password": "secret"},
    "plugins/modules/consumer_offsets_audit.py": {"audit": {"plan": "{{ audits }}/plan.json"}},
    "plugins/modules/plan_approval.py": {"awx_user_name": "alice", "awx_job_id": 4711},
    "roles/cleanup/README.md": {"cleanup_plan": "{{ audits }}/plan.json"},
}
SAVED_REPORTS = "{{ backups }}/reports-20260131T120000Z.json"
RESTORING = {"group": "reports", "restore": {"path": SAVED_REPORTS}}
#: Tasks that stand before an example in a playbook.
BEFORE: dict[str, list[dict[str, Any]]] = {
    "plugins/filter/not_restored.py": [
        {f"{NAME}.consumer_group_offsets": RESTORING, "check_mode": True, "register": "foreseen"},
        {f"{NAME}.consumer_group_offsets": RESTORING, "register": "restored"},
    ],
    "plugins/filter/plan_review.py": [
        {
            f"{NAME}.consumer_group": {"plan": "{{ audits }}/plan.json"},
            "check_mode": True,
            "register": "foreseen",
        }
    ],
    "plugins/filter/reset_offsets.py": [
        {f"{NAME}.topic_info": {"name": "lines", "log": True}, "register": "seen"},
    ],
    "plugins/filter/restore_review.py": [
        {f"{NAME}.consumer_group_offsets": RESTORING, "check_mode": True, "register": "foreseen"},
    ],
    "plugins/filter/saved_offsets.py": [
        {"ansible.builtin.slurp": {"src": SAVED_REPORTS}, "register": "file"},
    ],
    "plugins/filter/topics_in_use.py": [
        {f"{NAME}.consumer_group_info": {"gather": ["members", "offsets"]}, "register": "found"},
    ],
    "plugins/test/broken_off.py": [
        {f"{NAME}.consumer_group": {"name": "billing-old"}, "check_mode": True, "register": "deleted"},
    ],
}
TOPICS = {
    "orders": 12,
    "orders-old": 1,
    "orders-v2": 12,
    "orders-green": 12,
    "invoices": 1,
    "payments": 1,
    "lines": 1,
    "totals-sums-changelog": 1,
    "test-4711-orders": 1,
    "test-4711-payments": 1,
    "pr-12-orders": 1,
}
RECORDS = 120
INCLUDE = "ansible.builtin.include_role"
AT = {("orders", partition): (2, "", -1) for partition in range(12)}
#: By default, and by one example.
EXCLUDED = ["connect-*", "_*", "payments-*", "~ledger-[0-9]+"]
STALE = ["billing-unused", "orders-unused"]
GROUPS: dict[str, commits.Offsets] = {
    **dict.fromkeys(["billing-old", "2024", "shipping, test", "billing", "shipping", "reports-old"], AT),
    **dict.fromkeys(["test-4711-a", "test-4711-b", "report-1", "pr-12-a", "orders-app"], AT),
    "reports": {**AT, ("orders-old", 0): (3, "", -1)},
    "totals": {**AT, ("payments", 0): (4, "", -1)},
    "word-count": {("lines", 0): (5, "", -1)},
    **{name: {("orders", 0): (1, "", -1)} for name in STALE},
}
#: Members that ended without leaving, before an example.
MEMBERS = {
    "plugins/modules/consumer_group_members.py": ["reports", "billing"],
    "plugins/modules/consumer_group.py": ["reports"],
}
#: Groups that an example restores.
RESTORED = {
    "docs/docsite/rst/getting_started.rst": ["test-4711-a", "test-4711-b"],
    "roles/restore/README.md": ["reports"],
    "plugins/filter/not_restored.py": ["reports"],
}
#: Names of files that back-ups of groups have in examples.
SAVED = (
    "reports-20260131T120000Z.json",
    "groups-20260131T120000Z.json",
    "reports-before-deploy.json",
    "20260131T120000.000000Z-groups.json",
    "20260131T120000.000000Z-streams-reset.json",
)
#: The steps of each example.
CHECK, REAL = "in check mode", "for real"


class Example(NamedTuple):
    """An example as plays, which `title` names: its file, and the name of the first play or task."""

    file: str
    title: str
    plays: list[dict[str, Any]]

    def asked(self, step: str, url: str) -> dict[str, Any]:
        """A play that asks the test for a step."""
        given = {"url": url, "method": "POST", "body_format": "json", "body": {"step": step, "file": self.file}}
        tasks = [{"name": f"{step}: {self.file}: {self.title}", "ansible.builtin.uri": given | {"timeout": 300}}]
        return {"name": step, "hosts": "localhost", "gather_facts": False, "tasks": tasks}


class Place:
    """The cluster and the folders of the examples."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.cluster = cluster
        self.client = cluster.client()
        self.audits, self.backups = folder / "audits", folder / "backups"
        for made in (self.audits, self.backups):
            made.mkdir()
        self.authority = Authority(folder / "ca")
        self.id = truth.cluster_id(self.client)
        self.before: Any = None
        self._save()

    def _save(self) -> None:
        """Make the back-ups that examples restore."""
        self._create()
        topics.configure_group(self.client, "reports", {"consumer.session.timeout.ms": "50000"})
        saved = self.backups / "first.json"
        run("consumer_group", self.cluster.bootstrap, names=[*GROUPS], configs=True, backup=str(saved))
        for name in SAVED:
            shutil.copy(saved, self.backups / name)
        self._share()
        jobs: dict[str, Any] = {"group": "jobs", "state": "absent", "topics": [{"name": "orders"}]}
        backup = str(self.backups / "jobs-20260131T120000Z.json")
        run("share_group_offsets", self.cluster.bootstrap, **jobs, backup=backup)
        for name in ("plan.json", "last-week.json"):
            self._plan(self.audits / name)
        path = str(self.audits / "review-edited.csv")
        said = answer("plan_approval", {"plan": str(self.audits / "plan.json"), "review_csv": path})
        assert not said.get("failed"), said

    def _plan(self, path: Path) -> None:
        at = {TopicPartition("orders", 0): 1}
        owners = {"team-billing": plan_file.Judged(100, 1000)}
        groups = [PlannedGroup(name, "classic", "Empty", "no commit for long", at, *owners) for name in STALE]
        where = TopicPartition("orders-old", 0)
        offsets = [PlannedOffset("reports", "classic", "Empty", where, 3, "not subscribed")]
        now = datetime.datetime.now(datetime.UTC)
        criteria = {"include": ["*"], "exclude": [*EXCLUDED], "stale_after": "90d", "topic": "__consumer_offsets"}
        judged = plan_file.Judged(1000, 10_000)
        plan_file.write(str(path), Plan(self.id, now, criteria, groups, offsets, judged, owners=owners))

    def _create(self) -> None:
        there = truth.topics(self.client)
        for name, partitions in TOPICS.items():
            if name not in there:
                topics.create(self.client, name, partitions, records=RECORDS)
        commits.commit_many(self.client, GROUPS)

    def _share(self) -> None:
        at = [{"topic": topic, "partition": 0, "offset": 1} for topic in ("orders", "orders-old")]
        run("share_group_offsets", self.cluster.bootstrap, group="jobs", offsets=at)

    def state(self) -> Any:
        """What another client sees, and the back-ups; the role cleanup saves its plan in check mode, too."""
        names = truth.groups(self.client)
        configs = truth.group_configs(self.client, ["reports", "work", "jobs"])
        files = {path.name for path in self.backups.iterdir()}
        return truth.world(self.client, ""), {*names}, truth.topics(self.client), configs, files

    def prepare(self, file: str) -> None:
        """Make what an example takes for granted."""
        self._create()
        self._share()
        if file in RESTORED:
            admin = AdminClient(properties(self.client))
            for done in admin.delete_consumer_groups(RESTORED[file]).values():
                done.result()
        if file in MEMBERS:
            leave_behind(self.client, MEMBERS[file], "orders", "reports-7")
        self.before = self.state()

    def same(self, _file: str) -> None:
        """Raise AssertionError if something changed since `prepare`."""
        assert self.state() == self.before


def title(text: str, loaded: Any) -> str:
    """The name of an example: its first comment with a file's name, else its first play, task or variable."""
    named = re.match(r"# (\S+\.yml)\n", text)
    return named[1] if named else next(iter(loaded)) if isinstance(loaded, dict) else str(loaded[0]["name"])


def here(text: str, place: Place) -> str:
    """An example with the broker and the folders of this test."""
    text = BROKERS.sub(place.cluster.bootstrap, text).replace(CLUSTER_ID, place.id)
    paths = {
        **dict.fromkeys(AUDITS, place.audits),
        **dict.fromkeys(BACKUPS, place.backups),
        "/tmp/reports.csv": place.backups / "reports.csv",
        "/etc/kafka/ca.pem": place.authority.certificate,
    }
    for name, path in paths.items():
        text = text.replace(name, str(path))
    # a task that waits longer than the groups need
    return text.replace("poll: 60", "poll: 1")


def as_plays(file: str, name: str, loaded: Any) -> list[dict[str, Any]]:
    """An example as plays: tasks in one, variables with the playbook that they are for."""
    if isinstance(loaded, dict):
        return [{"ansible.builtin.import_playbook": f"{NAME}.{PLAYBOOKS[name]}", "vars": loaded}]
    if kind(loaded) == "plays":
        return [play for play in loaded if (file, play["name"]) not in ELSEWHERE]
    return [{"name": name, "hosts": "localhost", "gather_facts": False, "tasks": loaded}]


def of_roles(play: dict[str, Any]) -> bool:
    """Whether a play, or a playbook that is imported, runs roles, whose many tasks other tests run in check mode."""
    return "tasks" not in play or any(INCLUDE in task for task in tasks_of(play["tasks"]))


def found(place: Place) -> list[Example]:
    """All examples that are run here."""
    made = []
    for block, _loaded in yaml_blocks():
        loaded = yaml.safe_load(here(block.text, place))
        name = title(block.text, loaded)
        if (block.file, name) in ELSEWHERE:
            continue
        plays = as_plays(block.file, name, copy.deepcopy(loaded))
        for play in plays:
            play.setdefault("vars", {}).update(
                {"audits": str(place.audits), "backups": str(place.backups), **VARIABLES.get(block.file, {})}
            )
            if "tasks" in play:
                before = [{"name": "Before the example", **task} for task in BEFORE.get(block.file, [])]
                play["tasks"] = before + [task for task in play["tasks"] if (block.file, task["name"]) not in ELSEWHERE]
            # the connections of secured clusters are tried elsewhere
            connection = play.get("module_defaults", {}).get(f"group/{NAME}.kafka")
            if isinstance(connection, dict):
                play["module_defaults"][f"group/{NAME}.kafka"] = {"bootstrap_servers": [place.cluster.bootstrap]}
        made.append(Example(block.file, name, plays))
    return made


class Ran(NamedTuple):
    """What a task of an example did: a key of `FAILING`, the step, and its event."""

    key: tuple[str, str]
    step: str
    event: str
    result: dict[str, Any]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[list[Example], list[Ran], list[str]]]:
    """All examples in one run of Ansible, what each task did, and what the steps between them found."""
    with pytest.MonkeyPatch.context() as patched, Cluster.start("single") as cluster:
        # who approves, in one example
        patched.setenv("USER", getpass.getuser())
        place = Place(cluster, tmp_path_factory.mktemp("examples"))
        made = found(place)
        steps: dict[str, Callable[[str], None]] = {CHECK: place.prepare, REAL: place.same}
        problems: list[str] = []

        def take(asked: dict[str, str]) -> int:
            """Prepare the place, or compare it."""
            try:
                steps[asked["step"]](asked["file"])
            except Exception as exc:
                problems.append(f"{asked['file']}: {type(exc).__name__}: {exc}")
            return 200

        with webhook(take) as url:
            playbook = []
            for example in made:
                playbook.append(example.asked(CHECK, url))
                checked = [play for play in example.plays if not of_roles(play)]
                playbook += [play | {"check_mode": True, "ignore_errors": True} for play in checked]
                playbook.append(example.asked(REAL, url))
                playbook += [play | {"ignore_errors": True} if "hosts" in play else play for play in example.plays]
            hosts = {name: {"ansible_connection": "local"} for name in ("localhost", "ops.example.com")}
            with run_playbook(playbook, cluster.bootstrap, {}, inventory={"all": {"hosts": hosts}}) as done:
                yield made, events(done), problems


def events(done: Any) -> list[Ran]:
    """What each task did, by the example that it belongs to."""
    told: list[Ran] = []
    file, step = "", ""
    for event in done.events:
        data = event.get("event_data", {})
        if event["event"] == "playbook_on_task_start" and data["task"].startswith((f"{CHECK}: ", f"{REAL}: ")):
            step, file, _title = data["task"].split(": ", 2)
        elif event["event"] in ("runner_on_ok", "runner_on_failed", "runner_on_skipped"):
            told.append(Ran((file, data["task"]), step, event["event"], data.get("res") or {}))
    return told


Result = tuple[list[Example], list[Ran], list[str]]


def test_no_example_fails(ran: Result) -> None:
    _examples, tasks, _problems = ran
    failed = [each for each in tasks if each.event == "runner_on_failed"]
    unexpected = [
        f"{each.key} {each.step}: {each.result.get('msg')}"
        for each in failed
        if each.key not in FAILING or FAILING[each.key] not in str(each.result.get("msg"))
    ]
    assert unexpected == [], "\n".join(unexpected)
    assert {each.key for each in failed} == FAILING.keys()


def test_check_mode_changes_nothing(ran: Result) -> None:
    _examples, _tasks, problems = ran
    assert problems == [], "\n".join(problems)


def test_every_example_is_run_or_listed(ran: Result) -> None:
    made, tasks, _problems = ran
    begun = {each.key for each in tasks if each.step == REAL}
    for example in made:
        for play in example.plays:
            for task in tasks_of(play.get("tasks", [])):
                # a task that includes a role is one of its tasks
                if INCLUDE not in task:
                    assert (example.file, task["name"]) in begun
    listed = {
        (block.file, name)
        for block, loaded in yaml_blocks()
        for name in [
            title(block.text, loaded),
            *([] if isinstance(loaded, dict) else [each["name"] for each in [*loaded, *tasks_of(loaded)]]),
        ]
    }
    assert ELSEWHERE.keys() - listed == set()
    assert {*VARIABLES, *BEFORE, *MEMBERS, *RESTORED} - {example.file for example in made} == set()


@pytest.mark.parametrize(
    "module",
    [name for name in MODULES if not name.endswith("_info") and name not in ("consumer_offsets_audit", "fleet_report")],
)
def test_the_examples_of_a_module_change_something(ran: Result, module: str) -> None:
    _examples, tasks, _problems = ran
    changed = {
        (each.key[1], each.step)
        for each in tasks
        if each.key[0] == f"plugins/modules/{module}.py" and each.result.get("changed")
    }
    assert {step for _task, step in changed} == {CHECK, REAL}
