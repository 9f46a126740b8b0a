# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The peers: their programs, supported operations and builds."""

from __future__ import annotations

import functools
import importlib.metadata
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import yaml

from benchmarks import tasks
from benchmarks.measure import Command
from benchmarks.peers.contract import TOPIC
from benchmarks.results import Case
from tests.support.collection import CHECKOUT
from tests.support.jars import DEFAULT_VERSION, classpath

BUILT = CHECKOUT / ".cache" / "benchmarks"
_PEERS = Path(__file__).parent / "peers"
_CLASSES = BUILT / "java"
_KADM = BUILT / "kadm"
_MODULES = "ansible_collections.kafkaops.groups.plugins.modules"
_GROUPS_TOOL = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
_RESETTER = "org.apache.kafka.tools.StreamsResetter"
#: who waits for one group before it asks for the next is not measured where the delays (ms) of all add up to more
_LONGEST_WAIT = 20_000.0


class Call(NamedTuple):
    """A request to a peer: an operation on groups, whose names are also in a file."""

    operation: str
    bootstrap: str
    groups: list[str]
    names: Path
    saved: Path
    expected: int


@dataclass(frozen=True)
class Peer:
    """One implementation of the operations.

    `ours` are those of the collection; `alone` tells whether it measures the operation besides the whole process.
    `most` is the highest number of groups at which it is measured, for an operation or for all others (""); `in_turn`
    are the operations that it does one group after the other.
    """

    name: str
    title: str
    command: Callable[[Call], Command]
    operations: frozenset[str]
    alone: bool
    ours: bool = False
    most: tuple[tuple[str, int], ...] = ()
    in_turn: frozenset[str] = frozenset()

    def takes(self, case: Case) -> bool:
        """Whether the peer is measured in a case."""
        most = dict(self.most)
        return (
            case.operation in self.operations
            and case.size <= most.get(case.operation, most.get("", case.size))
            and (case.operation not in self.in_turn or case.size * case.delay <= _LONGEST_WAIT)
        )


def peers(names: Collection[str] = ()) -> list[Peer]:
    """The peers with these names, or all; prints the reason for each peer that cannot be built.

    :raises ValueError: there is no peer of a name; the message says which there are.
    """
    every = frozenset(tasks.OPERATIONS)
    tool = every - {"members-of-one", "members-of-many"}
    in_turn = frozenset({"delete-offsets", "members-of-many", "restore"})
    module = Peer("module", "kafkaops.groups, module", _module, every, False, ours=True)
    task = Peer("task", "kafkaops.groups, ansible-playbook", _task, every, False, ours=True)
    found = [
        Peer("ours", "kafkaops.groups, operation", _python("ours"), every, True, ours=True),
        module,
        _with_problems(module, _module),
        task,
        _with_problems(task, _task),
        # what Ansible takes for a playbook that does nothing, which is compared with nothing
        Peer("ping", "ansible-playbook, ansible.builtin.ping", _ping, frozenset({"list"}), False, ours=True),
        Peer("kadm", f"kadm {_kadm_version()}", lambda call: Command([str(_KADM), *_arguments(call)]), every, True),
        Peer("floor", "the same requests, no driver", _python("floor"), every, True),
        Peer(
            "kafka-python",
            f"kafka-python {importlib.metadata.version('kafka-python')}",
            _python("kafka_python"),
            every - {"members-of-one"},
            True,
            in_turn=in_turn,
        ),
        Peer(
            "confluent-kafka",
            f"confluent-kafka {importlib.metadata.version('confluent-kafka')}",
            _python("confluent"),
            every - {"delete-offsets", "members-of-one", "members-of-many"},
            True,
        ),
        Peer("java", f"Java Admin {DEFAULT_VERSION}", _java_admin, every, True, in_turn=in_turn),
        Peer(
            "kafka-consumer-groups",
            f"kafka-consumer-groups.sh {DEFAULT_VERSION}",
            _groups_tool,
            tool,
            False,
            # it takes one group at a time there, and there every group by its name, on one command line
            most=(("delete-offsets", 1), ("restore", 1000)),
            in_turn=frozenset({"offsets", "backup"}),
        ),
        Peer(
            "streams-resetter",
            f"StreamsResetter --force {DEFAULT_VERSION}",
            _resetter,
            frozenset({"members-of-one"}),
            False,
        ),
        Peer(
            "ansible-today",
            "one ansible.builtin.command a group",
            _ansible_today,
            frozenset({"describe", "offsets", "delete", "delete-offsets"}),
            False,
            # each of them starts a JVM
            most=(("delete", 100), ("", 1)),
        ),
    ]
    unknown = set(names) - {peer.name for peer in found}
    if unknown:
        raise ValueError(f"no such peer: {', '.join(sorted(unknown))}; there are {', '.join(p.name for p in found)}")
    return [peer for peer in found if (not names or peer.name in names) and _BUILD.get(peer.name, _ready)()]


def _with_problems(peer: Peer, command: Callable[..., Command]) -> Peer:
    """The same peer with ``detail: problems``, of operations that change groups."""
    return replace(
        peer,
        name=f"{peer.name}-problems",
        title=f"{peer.title}, detail: problems",
        command=functools.partial(command, detail="problems"),
        operations=peer.operations - frozenset(tasks.READING),
    )


def _arguments(call: Call) -> list[str]:
    return [call.bootstrap, call.operation, str(call.names), str(call.saved)]


def _python(name: str) -> Callable[[Call], Command]:
    return lambda call: Command([sys.executable, "-m", f"benchmarks.peers.{name}", *_arguments(call)])


def _java(heap: int, *arguments: str) -> list[str]:
    quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
    return ["java", f"-Xmx{heap}m", quiet, "-cp", *arguments]


def _java_admin(call: Call) -> Command:
    return Command(_java(1024, f"{_CLASSES}:{classpath()}", "AdminPeer", *_arguments(call)))


def _ready() -> bool:
    return True


def _build_java() -> bool:
    _CLASSES.mkdir(parents=True, exist_ok=True)
    compile_it = ["javac", "-d", str(_CLASSES), "-cp", classpath(), str(_PEERS / "AdminPeer.java")]
    subprocess.run(compile_it, check=True)
    return True


def _build_kadm() -> bool:
    if shutil.which("go") is None:
        print("kadm is left out: there is no go in the PATH", flush=True)
        return False
    BUILT.mkdir(parents=True, exist_ok=True)
    if subprocess.run(["go", "build", "-o", str(_KADM), "."], cwd=_PEERS / "kadm", check=False).returncode:
        print("kadm is left out: go cannot build it, see above", flush=True)
        return False
    return True


_BUILD = {"java": _build_java, "kadm": _build_kadm}


def _kadm_version() -> str:
    lines = (_PEERS / "kadm" / "go.mod").read_text(encoding="utf-8").split("\n")
    return next(line.split()[-1] for line in lines if "franz-go/pkg/kadm" in line)


def _tool(bootstrap: str, *arguments: str) -> list[str]:
    return _java(1024, classpath(), _GROUPS_TOOL, "--bootstrap-server", bootstrap, "--timeout", "300000", *arguments)


def _groups_tool(call: Call) -> Command:
    reset = ("--reset-offsets", "--all-topics", "--all-groups", "--to-current", "--export", "--dry-run")
    named = [word for name in call.groups for word in ("--group", name)]
    arguments = {
        "list": ["--list"],
        "describe": ["--describe", "--all-groups", "--state"],
        "offsets": ["--describe", "--all-groups"],
        "delete": ["--delete", "--all-groups"],
        "delete-offsets": ["--delete-offsets", *named, "--topic", TOPIC],
        "restore": ["--reset-offsets", *named, "--from-file", str(call.saved), "--execute"],
    }
    if call.operation == "backup":
        export, delete = _tool(call.bootstrap, *reset), _tool(call.bootstrap, *arguments["delete"])
        return Command(["sh", "-c", f"{shlex.join(export)} > {shlex.quote(str(call.saved))} && {shlex.join(delete)}"])
    return Command(_tool(call.bootstrap, *arguments[call.operation]))


def _resetter(call: Call) -> Command:
    (group,) = call.groups
    options = ("--bootstrap-server", call.bootstrap, "--application-id", group, "--force")
    return Command(_java(1024, classpath(), _RESETTER, *options))


def _module(call: Call, **options: str) -> Command:
    module, arguments = tasks.task(call.operation, call.groups, call.saved)
    given = {"ANSIBLE_MODULE_ARGS": {**arguments, **options, "bootstrap_servers": call.bootstrap.split(",")}}
    return Command([sys.executable, "-m", f"{_MODULES}.{module}"], json.dumps(given))


def _task(call: Call, **options: str) -> Command:
    listed = f"{{{{ lookup('ansible.builtin.file', '{call.names}').splitlines() }}}}"
    module, arguments = tasks.task(call.operation, [], call.saved)
    if "names" in arguments:
        arguments["names"] = listed
    if "groups" in arguments:
        topics = [{"name": TOPIC, "partitions": [0]}]
        arguments["groups"] = (
            f"{{{{ dict({listed[3:-3]} | product([{json.dumps(topics)}])) | dict2items(key_name='name', "
            "value_name='topics') }}"
        )
    task: dict[str, object] = {
        f"kafkaops.groups.{module}": {**arguments, **options, "bootstrap_servers": call.bootstrap.split(",")}
    }
    task |= {"name": "Do it", "register": "outcome"}
    if call.operation in tasks.READING:
        found = "outcome.groups | sum(attribute='lag')" if call.operation == "offsets" else "outcome.groups | length"
        task["failed_when"] = f"{found} != {call.expected}"
    return _playbook(call, [task])


def _ping(call: Call) -> Command:
    return _playbook(call, [{"name": "Do nothing", "ansible.builtin.ping": {}}])


def _ansible_today(call: Call) -> Command:
    options = {
        "describe": ["--describe", "--state"],
        "offsets": ["--describe"],
        "delete": ["--delete"],
        "delete-offsets": ["--delete-offsets", "--topic", TOPIC],
    }[call.operation]
    commands = [
        {
            "name": f"Do it for {name}",
            "ansible.builtin.command": {"argv": _tool(call.bootstrap, "--group", name, *options)},
            "changed_when": call.operation not in tasks.READING,
        }
        for name in call.groups
    ]
    return _playbook(call, commands)


def _playbook(call: Call, todo: list[dict[str, object]]) -> Command:
    play = {"name": "Measure", "hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": todo}
    file = call.names.with_name("play.yml")
    file.write_text(yaml.safe_dump([play], sort_keys=False), encoding="utf-8")
    ansible = Path(sys.executable).with_name("ansible-playbook")
    environment = {
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
        "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
    }
    return Command([str(ansible), str(file)], environment=environment)
