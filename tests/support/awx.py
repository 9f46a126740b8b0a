# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection awx.awx, from the package ansible, and a store that its modules can talk to.

The store is not AWX: it accepts everything, and keeps what the modules send. It shows which requests they make, not
what AWX says to them.
"""

from __future__ import annotations

import fcntl
import itertools
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.support.collection import CHECKOUT
from tests.support.ports import HOST

#: The last release that the tests know to contain awx.awx, 24.6.1, and the checksum of its wheel.
PACKAGE = "ansible==12.3.0"
CHECKSUM = "sha256:cd156f82fa87f7a899212b0efa9f7ca3a24d609212de9f78428a572eb01e5414"
CACHE = CHECKOUT / ".cache" / "awx"

Stored = dict[str, Any]


def collections() -> Path:
    """The folder with ``ansible_collections/awx/awx``; the first call downloads 52 MB, and keeps 1 MB of it.

    :raises RuntimeError: when pip cannot get the package.
    """
    folder = CACHE / PACKAGE.replace("==", "-")
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            _fetch(folder)
    return folder


def _fetch(folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        wanted = Path(scratch, "wanted.txt")
        wanted.write_text(f"{PACKAGE} --hash={CHECKSUM}\n", encoding="utf-8")
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--require-hashes", "-d", scratch]
        done = subprocess.run([*command, "-r", str(wanted)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"pip could not get {PACKAGE}:\n{(done.stdout + done.stderr)[-2000:]}")
        (wheel,) = Path(scratch).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            members = [name for name in archive.namelist() if name.startswith("ansible_collections/awx/awx/")]
            archive.extractall(Path(scratch, "taken"), members)
        shutil.move(Path(scratch, "taken"), folder)


def _name(stored: Stored) -> str:
    name: str = stored["identifier"] if "identifier" in stored else stored["name"]
    return name


class Store:
    """Paths of AWX's API, with what was posted to them, by kind and id. A context manager: on exit it is closed.

    `changes` lists the requests that changed something, by their methods and kinds. As AWX, it shows no token of a
    notification template.
    """

    def __init__(self, **objects: list[str]) -> None:
        """Begin with objects of these names."""
        self.objects: dict[str, dict[int, Stored]] = {}
        self.linked: dict[str, list[int]] = {}
        self.changes: list[str] = []
        self._ids = itertools.count(1)
        for kind, names in objects.items():
            for name in names:
                self._create(kind, {"name": name})
        self._server = self._serve()
        self.url = f"http://{HOST}:{self._server.server_port}"

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def named(self, kind: str) -> dict[str, Stored]:
        """The objects of a kind, by their names, of nodes their identifiers."""
        return {_name(each): each for each in self.objects.get(kind, {}).values()}

    def links(self, kind: str, name: str, link: str) -> list[str]:
        """The names of what an object is associated with."""
        found = self.linked.get(f"{kind}/{self.named(kind)[name]['id']}/{link}", [])
        every = {number: each for objects in self.objects.values() for number, each in objects.items()}
        return [_name(every[number]) for number in found]

    def _create(self, kind: str, given: Mapping[str, Any]) -> Stored:
        number = next(self._ids)
        url = f"/api/v2/{kind}/{number}/"
        related = {"survey_spec": f"{url}survey_spec/"}
        made = {"id": number, "url": url, "type": kind[:-1], "related": related, "summary_fields": {}, **given}
        made.setdefault("scm_revision", "")
        self.objects.setdefault(kind, {})[number] = made
        return made

    def answer(self, method: str, path: str, given: Mapping[str, Any]) -> tuple[int, Stored]:
        """Return the status and the body of a response."""
        kind, *rest = path.removeprefix("/api/v2/").strip("/").split("/")
        if method != "GET":
            self.changes.append(f"{method} {kind}")
        if not rest:
            return self._collection(method, kind, given)
        found = self.objects.get(kind, {}).get(int(rest[0]))
        if found is None:
            return 404, {}
        if len(rest) == 1:
            found.update(given if method == "PATCH" else {})
            return 200, self._shown(found)
        if rest[1] == "survey_spec":
            return 200, self._survey(found, method, given)
        if rest[1] == "create_approval_template":
            made = self._create("workflow_approval_templates", given)
            found["unified_job_template"] = made["id"]
            found["related"] = {"unified_job_template": made["url"]}
            return 201, made
        return self._associate(method, f"{kind}/{rest[0]}/{rest[1]}", given)

    def _collection(self, method: str, kind: str, given: Mapping[str, Any]) -> tuple[int, Stored]:
        if method == "POST":
            return 201, self._create(kind, given)
        kinds = ("job_templates", "workflow_job_templates") if kind == "unified_job_templates" else (kind,)
        every = [each for one in kinds for each in self.objects.get(one, {}).values()]
        wanted = [each for each in every if all(str(each.get(name)) == value for name, value in given.items())]
        return 200, {"count": len(wanted), "results": [*map(self._shown, wanted)], "next": None}

    @staticmethod
    def _shown(found: Stored) -> Stored:
        configuration = found.get("notification_configuration", {})
        if "token" not in configuration:
            return found
        return {**found, "notification_configuration": {**configuration, "token": "$encrypted$"}}

    @staticmethod
    def _survey(found: Stored, method: str, given: Mapping[str, Any]) -> Stored:
        if method == "POST":
            found["survey"] = given
        survey: Stored = found.get("survey", {})
        return survey

    def _associate(self, method: str, link: str, given: Mapping[str, Any]) -> tuple[int, Stored]:
        numbers = self.linked.setdefault(link, [])
        if method == "GET":
            return 200, {"count": len(numbers), "results": [{"id": each} for each in numbers], "next": None}
        (numbers.remove if given.get("disassociate") else numbers.append)(given["id"])
        return 204, {}

    def _serve(self) -> ThreadingHTTPServer:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                address = urlsplit(self.path)
                self._send(*owner.answer("GET", address.path, dict(parse_qsl(address.query))))

            def do_POST(self) -> None:
                given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self._send(*owner.answer(self.command, self.path, given))

            do_PATCH = do_POST

            def _send(self, status: int, answer: Stored) -> None:
                body = b"" if status == 204 else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_message: object) -> None:
                pass

        server = ThreadingHTTPServer((HOST, 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server
