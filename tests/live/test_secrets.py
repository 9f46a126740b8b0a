# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Secrets do not show: in Ansible's output at its most verbose, in command lines, in files left behind, in Spark."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterable, Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.live.doors import CLIENT_SECRET, USER, Doors, Options
from tests.support import commits, msk, s3, topics, truth
from tests.support.ca import KEY_PASSWORD
from tests.support.collection import install
from tests.support.ports import HOST, free
from tests.support.process import command_lines
from tests.support.repeating import repeatedly
from tests.support.spark import EXECUTORS, Stranger, standalone, stranger

pytestmark = pytest.mark.live

WRONG = "a-wrong-password-8461"
#: A property of Spark's that is no secret, to see that a search looks where Spark shows its properties.
MARKER = "shown-by-spark-5172"


def found(secrets: Iterable[str], text: str) -> set[str]:
    """Those secrets that a text holds, as they are or in base 64."""
    return {
        secret
        for secret in secrets
        if any(form in text for form in (secret, base64.b64encode(secret.encode()).decode().rstrip("=")))
    }


def found_in_files(secrets: Iterable[str], folder: Path) -> set[str]:
    """Those secrets that a file below a folder holds."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {one for path in files for one in found(secrets, path.read_text(encoding="utf-8", errors="replace"))}


class CommandLines:
    """Looks at the command lines of all processes with a home folder: other tests may show the same secrets."""

    def __init__(self, secrets: Iterable[str], home: Path) -> None:
        self.found: set[str] = set()
        self.looks = 0
        self._secrets = list(secrets)
        self._variable = f"HOME={home}".encode()

    def look(self) -> None:
        for pid, line in command_lines().items():
            shown = found(self._secrets, line)
            # the process may have ended
            with contextlib.suppress(OSError):
                if shown and self._variable in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                    self.found |= shown
        self.looks += 1


class TemporaryFiles:
    """Looks at the temporary files of another user's workers, which nobody else sees.

    Args:
        secrets: also those that become known later.
    """

    def __init__(self, secrets: list[str], user: Stranger) -> None:
        self.found: set[str] = set()
        self.seen: set[str] = set()
        self._secrets = secrets
        self._home = str(user.home)

    def look(self) -> None:
        for pid, line in command_lines().items():
            if "worker.Worker" not in line or self._home not in line:
                continue
            # the process may have ended
            with contextlib.suppress(OSError):
                for path in [*Path(f"/proc/{pid}/root", "tmp").rglob("*")]:
                    self._look_at(path)

    def _look_at(self, path: Path) -> None:
        # so may the file
        with contextlib.suppress(OSError):
            if path.is_file():
                self.found |= found(self._secrets, path.read_text(encoding="utf-8", errors="replace"))
                self.seen.add(str(path))


class SparkPages:
    """Fetches all that Spark's web pages and its REST API tell."""

    def __init__(self, port: int) -> None:
        self.told: dict[str, str] = {}
        self._url = f"http://{HOST}:{port}"

    def look(self) -> None:
        # Spark is not there, or is just starting
        with contextlib.suppress(OSError, ValueError, HTTPException):
            (one,) = json.loads(self._get("/api/v1/applications"))
            of_it = ("environment", "jobs", "stages?details=true", "allexecutors", "storage/rdd", "sql?details=true")
            for page in [f"/api/v1/applications/{one['id']}/{name}" for name in of_it]:
                self._get(page)
            for page in ("jobs", "stages", "environment", "executors", "SQL", "storage"):
                self._get(f"/{page}/")

    def _get(self, page: str) -> str:
        with urllib.request.urlopen(self._url + page, timeout=60) as answer:
            text: str = answer.read().decode("utf-8", "replace")
        self.told[page] = self.told.get(page, "") + text
        return text


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where everything goes that a run leaves behind: its home and its temporary folder."""
    for name in ("home", "tmp"):
        (tmp_path / "left" / name).mkdir(parents=True)
    return tmp_path / "left"


def asks_for_tokens(doors: Doors) -> Options:
    """The options of client credentials over TLS."""
    trust = {"sasl_oauth_token_url_cafile": str(doors.authority.certificate)}
    return doors.over("SASL_SSL", doors.client(doors.tokens.tls_url, **trust))


def all_secrets(doors: Doors) -> Options:
    """The options of client credentials, with an encrypted key, too."""
    key = {name: value for name, value in doors.tls(USER, encrypted=True).items() if name != "security_protocol"}
    return {**asks_for_tokens(doors), "bootstrap_servers": doors.cluster.listeners["SASL_SSL"], **key}


def named(login: str, options: Options) -> dict[str, str]:
    """The options of a login as templates of the variables of `play`."""
    return {option: f"{{{{ logins['{login}']['{option}'] }}}}" for option in options}


def tasks(logins: dict[str, Options]) -> Iterator[dict[str, Any]]:
    """A reading and a changing task for each login; each may fail, and is shown with all that it returned."""
    for login, options in logins.items():
        for module, args in (
            ("consumer_group_info", {"gather": ["state", "lag"]}),
            ("consumer_group", {"name": "no-such-group"}),
        ):
            task = {
                f"kafkaops.groups.{module}": {**named(login, options), **args},
                "register": "done",
                "ignore_errors": True,
            }
            yield {"name": f"{module} by {login}", **task}
            yield {"name": f"what {module} returned", "ansible.builtin.debug": {"var": "done"}}


def output_of(login: str) -> str:
    """A folder whose name would be commands to a shell."""
    return f"{login} $(touch shell) `touch shell` '; touch shell #"


def audits(home: Path, logins: dict[str, Options], **options: Any) -> Iterator[dict[str, Any]]:
    """An audit for each login, as `tasks` are."""
    for login, known in logins.items():
        args = {"output": str(home / output_of(login)), "master": "local[1]", "timeout": 600, **options}
        audit = {"kafkaops.groups.consumer_offsets_audit": {**named(login, known), **args}}
        yield {"name": f"audit by {login}", **audit, "register": "done", "ignore_errors": True}
        yield {"name": "what it returned", "ansible.builtin.debug": {"var": "done"}}


def play(home: Path, logins: dict[str, Options], wanted: Iterable[dict[str, Any]], **environment: str) -> str:
    """Run tasks by ansible-playbook -vvvv, and return what it wrote."""
    # the play is what its user writes; what the user keeps in a file is not what is left behind
    secret = home.parent / "secret.json"
    secret.touch(mode=0o600)
    secret.write_text(json.dumps({"logins": logins}), encoding="utf-8")
    playbook = home.parent / "play.yml"
    playbook.write_text(json.dumps([{"hosts": "localhost", "gather_facts": False, "tasks": list(wanted)}]))
    command = [str(Path(sys.executable).parent / "ansible-playbook"), "-vvvv", "-c", "local", "-i", "localhost,"]
    done = subprocess.run(
        [*command, "-e", f"@{secret}", "-e", f"ansible_python_interpreter={sys.executable}", str(playbook)],
        env={
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(install()),
            "HOME": str(home / "home"),
            "TMPDIR": str(home / "tmp"),
            **environment,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    return done.stdout


def test_secrets_do_not_show(doors: Doors, home: Path) -> None:
    token = doors.tokens.token(USER)
    ways = {
        "password": ("SASL_SSL", doors.over("SASL_SSL", doors.sasl("SCRAM-SHA-512"))),
        "wrong_password": ("SASL_SSL", doors.over("SASL_SSL", doors.sasl("PLAIN", sasl_password=WRONG))),
        "token": ("SASL_SSL", doors.over("SASL_SSL", doors.sasl("OAUTHBEARER", sasl_oauth_token=token))),
        "client": ("SASL_SSL", asks_for_tokens(doors)),
        "key": ("SSL", doors.tls(USER, encrypted=True)),
        "ticket": ("SASL_SSL", doors.over("SASL_SSL", doors.sasl("GSSAPI"))),
        "aws": (msk.LISTENER, doors.msk()),
    }
    logins = {name: {**made, "bootstrap_servers": doors.cluster.listeners[at]} for name, (at, made) in ways.items()}
    # one that comes from the environment of whoever runs Ansible
    del logins["password"]["sasl_password"]
    secrets = [doors.cluster.users[USER], WRONG, token, CLIENT_SECRET, KEY_PASSWORD, msk.SECRET_KEY]
    issued = len(doors.tokens.issued)
    lines = CommandLines(secrets, home / "home")
    with repeatedly(lines.look, 0.02):
        known = {"KAFKA_SASL_PASSWORD": doors.cluster.users[USER], **doors.realm.user(USER), **msk.user()}
        output = play(home, logins, tasks(logins), **known)
    secrets += doors.tokens.issued[issued:]
    assert len(secrets) == 8, "each task of the client asks for a token"
    assert "ignored=2 " in output, "the wrong password is refused, twice"
    assert output.count("VALUE_SPECIFIED_IN_NO_LOG_PARAMETER") >= 10, "every task shows how it was called"
    assert lines.looks > 50
    assert (found(secrets, output), lines.found, found_in_files(secrets, home)) == (set(), set(), set())


def test_an_audit_shows_no_secrets(doors: Doors, home: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """One login that has all secrets, and one that is refused; in the output, Spark's pages and its event log, too.

    What would be a command to a shell is none.
    """
    (port,) = free(1)
    made = tmp_path_factory.mktemp("shell") / "made"
    events = home / "events"
    events.mkdir()
    conf = {
        "spark.ui.enabled": "true",
        "spark.ui.port": str(port),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": events.as_uri(),
        "spark.kafkaops.marker": f"{MARKER} $(touch {made}) `touch {made}` '; touch {made} #",
    }
    way = {
        **asks_for_tokens(doors),
        "bootstrap_servers": doors.cluster.listeners["SASL_SSL"],
    }
    wrong = {**way, **doors.sasl("PLAIN", sasl_password=WRONG)}
    logins = {"all": all_secrets(doors), "wrong": {name: wrong[name] for name in wrong if "oauth" not in name}}
    secrets = [WRONG, CLIENT_SECRET, KEY_PASSWORD, *_key_lines(doors)]
    issued = len(doors.tokens.issued)
    lines, pages = CommandLines(secrets, home / "home"), SparkPages(port)
    with repeatedly(lines.look, 0.02), repeatedly(pages.look, 1):
        output = play(home, logins, audits(home, logins, spark_conf=conf))
    tokens = doors.tokens.issued[issued:]
    secrets += tokens
    assert len(tokens) >= 3, "the module, Spark's process and the executor ask for one each"
    assert "ignored=1 " in output, "the wrong password is refused"
    assert (home / output_of("all") / "report.html").exists()
    assert not (home / output_of("wrong") / "spark.log").exists()
    assert not made.exists()
    assert not list(home.rglob("shell"))
    assert not list((home / "tmp").iterdir()), "temporary files go with who made them"
    assert "/environment/" in pages.told
    # the pages fetch what they show from there
    assert MARKER in "".join(text for page, text in pages.told.items() if page.endswith("/environment"))
    assert found_in_files([MARKER], events) == {MARKER}
    assert found(secrets, "".join(pages.told.values())) == set()
    assert (found(secrets, output), lines.found, found_in_files(secrets, home)) == (set(), set(), set())


def test_an_audit_on_a_cluster_shows_no_secrets(
    doors: Doors, home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """On executors of another user, with the tables and the event log in an object store; then its plan is applied."""
    client = doors.cluster.client()
    topics.create(client, "secrets", 1)
    commits.commit(client, "secrets-of-a-group", {("secrets", 0): (3, "", -1)})
    folder = tmp_path_factory.mktemp("spark")
    with (
        s3.s3(tmp_path_factory.mktemp("s3"), "audits") as store,
        stranger() as user,
        standalone(folder, user=user) as master,
    ):
        conf = {
            **store.conf,
            "spark.pyspark.python": user.python,
            "spark.driver.host": HOST,
            **EXECUTORS,
            "spark.sql.shuffle.partitions": 2,
            # both have the same address, but not the same folders
            "spark.shuffle.readHostLocalDisk": False,
            "spark.eventLog.enabled": True,
            "spark.eventLog.compress": False,
            "spark.eventLog.dir": "s3a://audits/",
            "spark.kafkaops.marker": MARKER,
        }
        way = all_secrets(doors)
        logins = {"all": way}
        where: dict[str, Any] = {
            "output": "s3a://audits/kafka",
            "local_output": str(home / "local"),
            "master": master,
            "spark_conf": conf,
        }
        wanted = list(audits(home, logins, include=["secrets-*"], stale_after="1s", **where))
        plan = {"plan": str(home / "local" / "plan.json"), "max_changes": 1}
        wanted.append({"name": "apply the plan", "kafkaops.groups.consumer_group": {**named("all", way), **plan}})
        secrets = [CLIENT_SECRET, KEY_PASSWORD, s3.SECRET, *_key_lines(doors)]
        issued = len(doors.tokens.issued)
        lines, theirs = (CommandLines(secrets, each) for each in (home / "home", user.home))
        temporary = TemporaryFiles(secrets, user)
        with repeatedly(lines.look, 0.02), repeatedly(theirs.look, 0.1), repeatedly(temporary.look, 0.5):
            # from which Spark takes them, for the executors, too
            output = play(home, logins, wanted, AWS_ACCESS_KEY_ID=s3.KEY, AWS_SECRET_ACCESS_KEY=s3.SECRET)
        objects = store.objects("audits")
        secrets += doors.tokens.issued[issued:]
        left, logs = found_in_files(secrets, user.home), list(user.home.rglob("stderr"))
        temporary.look()
    assert "failed=0 " in output, output[-3000:]
    assert len(doors.tokens.issued) >= issued + 3, "the module, Spark's process and the executors ask for tokens"
    assert "secrets-of-a-group" not in truth.groups(client)
    assert {key.split("/")[0].partition("_")[0] for key in objects} == {"kafka", "eventlog"}
    told = {key: data.decode("utf-8", "replace") for key, data in objects.items()}
    assert {key.split("/")[0].partition("_")[0] for key in told if MARKER in told[key]} == {"eventlog"}
    # of the executors
    assert logs
    assert any("/blockmgr-" in path for path in temporary.seen)
    assert found(secrets, "".join(told.values())) == set()
    assert (left, temporary.found, theirs.found, found_in_files(secrets, folder)) == (set(), set(), set(), set())
    assert (found(secrets, output), lines.found, found_in_files(secrets, home)) == (set(), set(), set())


def _key_lines(doors: Doors) -> list[str]:
    """Some lines of the private key, which the executors get in the place of its file."""
    text = doors.authority.encrypted_key(USER).read_text("ascii")
    return text.splitlines()[1:4]


@pytest.mark.parametrize("form", [WRONG, base64.b64encode(WRONG.encode()).decode()])
def test_the_search_finds_what_is_there(form: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_bytes(b"\xff" + f"password={form}\n".encode())
    assert found_in_files([WRONG, "another"], tmp_path) == {WRONG}
    assert found([WRONG, "another"], f"a line with {form} in it") == {WRONG}
    lines, others = (CommandLines([WRONG, "another"], home) for home in (tmp_path, tmp_path / "folder"))
    sleeping = [sys.executable, "-S", "-c", "import time; time.sleep(0.5)", f"password={form}"]
    with repeatedly(lines.look, 0.02), repeatedly(others.look, 0.02):
        subprocess.run(sleeping, env={**os.environ, "HOME": str(tmp_path)}, check=True)
    assert (lines.found, others.found) == ({WRONG}, set())
