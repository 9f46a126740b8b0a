# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The event source, loaded by its path as ansible-rulebook does; tests/live/test_events.py has real brokers."""

from __future__ import annotations

import asyncio
import logging
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.kafkaops.groups.plugins.doc_fragments.connection import ModuleDocFragment
from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import CONNECTION_SPEC
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import InvalidOption, TaskError

from tests.support.event_source import SOURCE, load

PLUGIN = load()
NOWHERE = "127.0.0.1:1"


def test_documentation_says_what_is_declared() -> None:
    documentation = yaml.safe_load(PLUGIN["DOCUMENTATION"])
    shared = yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["options"]
    options = {**shared, **documentation["options"]}
    spec = {**CONNECTION_SPEC, **PLUGIN["SPEC"]}
    keys = ("type", "elements", "default", "choices", "required")
    assert documentation["name"] == SOURCE.stem
    assert {name: [option.get(key) for key in keys] for name, option in options.items()} == {
        name: [option.get(key) for key in keys] for name, option in spec.items()
    }
    for example in yaml.safe_load(PLUGIN["EXAMPLES"]):
        PLUGIN["validated"]({"bootstrap_servers": NOWHERE, **example["kafkaops.groups.consumer_groups"]})


def test_options_come_from_templates_and_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", "a:1,b:2")
    monkeypatch.setenv("KAFKA_SASL_PASSWORD", "secret")
    monkeypatch.setenv("KAFKA_TIMEOUT", "7")
    options = PLUGIN["validated"]({"max_lag": "100", "interval": "2.5"})
    assert options["bootstrap_servers"] == ["a:1", "b:2"]
    assert options["sasl_password"] == "secret"
    assert (options["timeout"], options["max_lag"], options["interval"]) == (7, 100, 2.5)
    assert PLUGIN["validated"]({"timeout": 5})["timeout"] == 5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"bootstrap_servers": None}, "missing required arguments: bootstrap_servers"),
        ({"bootstrap_server": NOWHERE}, "bootstrap_server"),
        ({"max_lag": "many"}, "max_lag"),
        ({"max_lag": -1}, "max_lag is -1: it must be 0 or greater. Nothing was sent."),
        ({"max_lag": 5, "recovered_lag": 6}, "recovered_lag is 6: it must be 5 or less."),
        ({"recovered_lag": 6}, "missing parameter(s) required by 'recovered_lag': max_lag"),
        ({"lag_for": 6}, "missing parameter(s) required by 'lag_for': max_lag"),
        ({"max_lag": 5, "lag_for": -1}, "lag_for is -1: it must be from 0 to 2592000 seconds."),
        ({"interval": 0}, "interval is 0: it must be from 1 to 2592000 seconds."),
        ({"interval": "nan"}, "interval is nan: it must be from 1"),
        ({"stuck_for": 0}, "stuck_for is 0: it must be from 1"),
        ({"match": []}, "match is an empty list"),
        ({"match": "~("}, "match: '~(' is not a regular expression"),
        ({"isolation_level": "none"}, "value of isolation_level must be one of"),
        ({"bootstrap_servers": "nowhere"}, "'nowhere' is not of the form host:port"),
        ({"security_protocol": "SASL_SSL"}, "security_protocol is SASL_SSL but all of the following are missing"),
        ({"security_protocol": "SSL", "ssl_cafile": __file__}, "contains no PEM certificate"),
        ({"security_protocol": "SSL", "ssl_ca": "none"}, "contains no PEM certificate"),
    ],
)
def test_an_invalid_option_ends_the_source(options: dict[str, Any], words: str) -> None:
    given = {key: value for key, value in {"bootstrap_servers": NOWHERE, **options}.items() if value is not None}
    with pytest.raises(TaskError) as raised:
        asyncio.run(asyncio.wait_for(PLUGIN["main"](asyncio.Queue(), given), 10))
    assert words in str(raised.value)
    assert isinstance(raised.value, InvalidOption) or options.keys() & {"bootstrap_servers", "ssl_cafile", "ssl_ca"}


def test_a_missing_library_ends_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    main = load()["main"]
    monkeypatch.setitem(main.__globals__, "KAFKA_IMPORT_ERROR", "no module named kafka")
    with pytest.raises(ImportError, match=r"library \(kafka-python>=3\.0\.12,<3\.1\) on .* Python"):
        asyncio.run(main(asyncio.Queue(), {"bootstrap_servers": NOWHERE}))


def test_a_cluster_that_is_not_there_is_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    queue: asyncio.Queue[Any] = asyncio.Queue()

    async def watch() -> None:
        await asyncio.wait_for(PLUGIN["main"](queue, {"bootstrap_servers": [NOWHERE], "interval": 1}), 2.5)

    with caplog.at_level(logging.WARNING), pytest.raises(TimeoutError):
        asyncio.run(watch())
    # said once, and not at each poll
    own = [record for record in caplog.records if record.name == "kafkaops.groups.consumer_groups"]
    (line,) = [record.getMessage() for record in own]
    assert line.startswith("Cannot connect to the cluster: 127.0.0.1:1:")
    assert line.endswith(". Waiting for the cluster.")
    assert queue.empty()


def run(path: Path, *folders: Path) -> subprocess.CompletedProcess[str]:
    """Load the file in a Python without the tests' import path, and print its options."""
    program = "import runpy, sys; print(sorted(runpy.run_path(sys.argv[1])['SPEC']))"
    return subprocess.run(
        [sys.executable, "-c", program, str(path)],
        env={"PYTHONPATH": ":".join(map(str, folders))},
        cwd=path.parent,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_collection_is_found_beside_another_package_of_collections(tmp_path: Path) -> None:
    """The package C(ansible) brings a package of its collections, in one folder."""
    (tmp_path / "ansible_collections").mkdir()
    (tmp_path / "ansible_collections" / "__init__.py").touch()
    for folders in ([tmp_path], []):
        done = run(SOURCE, *folders)
        assert "'max_lag'" in done.stdout, done.stderr


def test_a_file_without_its_collection_says_what_to_do(tmp_path: Path) -> None:
    last = run(Path(shutil.copy(SOURCE, tmp_path))).stderr.splitlines()[-1]
    assert "cannot import the collection kafkaops.groups (No module named 'ansible_collections" in last
    assert "install the collection with ansible-galaxy, and use the full name kafkaops.groups.consumer_groups" in last
