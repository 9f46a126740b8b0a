# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Secrets do not show: in Ansible's output at its most verbose, in a command line, in a file that is left behind."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live.doors import CLIENT_SECRET, USER, Doors, Options
from tests.support.ca import KEY_PASSWORD
from tests.support.collection import install

pytestmark = pytest.mark.live

WRONG = "a-wrong-password-8461"


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
    """Looks at the command line of every process of this machine, over and over, until it is left."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self.found: set[str] = set()
        self.looks = 0
        self._secrets = list(secrets)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> CommandLines:
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._end.is_set():
            for process in Path("/proc").glob("[0-9]*"):
                try:
                    line = (process / "cmdline").read_text(encoding="utf-8", errors="replace")
                except OSError:
                    continue  # it has ended
                self.found |= found(self._secrets, line)
            self.looks += 1
            self._end.wait(0.02)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where everything goes that a run leaves behind: its home and its temporary folder."""
    for name in ("home", "tmp"):
        (tmp_path / "left" / name).mkdir(parents=True)
    return tmp_path / "left"


def tasks(logins: dict[str, Options]) -> Iterator[dict[str, Any]]:
    """A reading and a changing task for each login; each may fail, and is shown with all that it returned."""
    for login, options in logins.items():
        for module, args in (
            ("consumer_group_info", {"gather": ["state", "lag"]}),
            ("consumer_group", {"name": "no-such-group"}),
        ):
            named = {option: f"{{{{ logins['{login}']['{option}'] }}}}" for option in options}
            task = {f"kafkaops.groups.{module}": {**named, **args}, "register": "done", "ignore_errors": True}
            yield {"name": f"{module} by {login}", **task}
            yield {"name": f"what {module} returned", "ansible.builtin.debug": {"var": "done"}}


def play(home: Path, logins: dict[str, Options], **environment: str) -> str:
    """Run the tasks by ansible-playbook -vvvv, and return what it wrote."""
    # the play is what its user writes; what the user keeps in a file is not what is left behind
    secret = home.parent / "secret.json"
    secret.touch(mode=0o600)
    secret.write_text(json.dumps({"logins": logins}), encoding="utf-8")
    playbook = home.parent / "play.yml"
    playbook.write_text(json.dumps([{"hosts": "localhost", "gather_facts": False, "tasks": list(tasks(logins))}]))
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
        timeout=120,
        check=False,
    )
    return done.stdout


def test_secrets_do_not_show(doors: Doors, home: Path) -> None:
    token = doors.tokens.token(USER)
    ways = {
        "password": ("SASL_SSL", doors.over("SASL_SSL", doors.sasl("SCRAM-SHA-512"))),
        "wrong_password": ("SASL_SSL", doors.over("SASL_SSL", doors.sasl("PLAIN", sasl_password=WRONG))),
        "token": ("SASL_SSL", doors.over("SASL_SSL", doors.sasl("OAUTHBEARER", sasl_oauth_token=token))),
        "client": ("SASL_SSL", doors.over("SASL_SSL", doors.client(doors.tokens.tls_url))),
        "key": ("SSL", doors.tls(USER, encrypted=True)),
        "ticket": ("SASL_SSL", doors.over("SASL_SSL", doors.sasl("GSSAPI"))),
    }
    logins = {name: {**made, "bootstrap_servers": doors.cluster.listeners[at]} for name, (at, made) in ways.items()}
    # one that comes from the environment of whoever runs Ansible
    del logins["password"]["sasl_password"]
    secrets = [doors.cluster.users[USER], WRONG, token, CLIENT_SECRET, KEY_PASSWORD]
    issued = len(doors.tokens.issued)
    with CommandLines(secrets) as lines:
        output = play(home, logins, KAFKA_SASL_PASSWORD=doors.cluster.users[USER], **doors.realm.user(USER))
    secrets += doors.tokens.issued[issued:]
    assert len(secrets) == 7, "each task of the client asks for a token"
    assert "ignored=3 " in output, "the wrong password is refused, twice, and by a ticket there is no lag"
    assert output.count("VALUE_SPECIFIED_IN_NO_LOG_PARAMETER") >= 10, "every task shows how it was called"
    assert lines.looks > 50
    assert (found(secrets, output), lines.found, found_in_files(secrets, home)) == (set(), set(), set())


@pytest.mark.parametrize("form", [WRONG, base64.b64encode(WRONG.encode()).decode()])
def test_the_search_finds_what_is_there(form: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_bytes(b"\xff" + f"password={form}\n".encode())
    assert found_in_files([WRONG, "another"], tmp_path) == {WRONG}
    assert found([WRONG, "another"], f"a line with {form} in it") == {WRONG}
    with CommandLines([WRONG, "another"]) as lines:
        subprocess.run([sys.executable, "-S", "-c", "import time; time.sleep(0.5)", f"password={form}"], check=True)
    assert lines.found == {WRONG}
