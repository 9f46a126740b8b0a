# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real Apache Kafka clusters on loopback ports."""

from __future__ import annotations

import base64
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal
from uuid import uuid4

from kafka.errors import KafkaError

from tests.support import msk, settings
from tests.support.ca import Authority
from tests.support.jars import DEFAULT_VERSION, java
from tests.support.ports import HOST, free, listening
from tests.support.process import Process
from tests.support.proxy import Proxy
from tests.support.settings import BROKER_USER, Listener, Node
from tests.support.wire import Wire

Profile = Literal["single", "three", "secured", "old"]
USERS = {name: f"{name}-secret" for name in (BROKER_USER, "admin", "alice", "bob")}

_SECURED = {
    "PLAINTEXT": "PLAINTEXT",
    "SSL": "SSL",
    "SSL_ONE_WAY": "SSL",
    "SASL_PLAINTEXT": "SASL_PLAINTEXT",
    "SASL_SSL": "SASL_SSL",
    "EXPIRED": "SSL",
    "WRONG_HOST": "SSL",
    "SCRAM_ONLY": "SASL_PLAINTEXT",
    msk.LISTENER: "SASL_SSL",
}
#: The listeners of three brokers; LOGIN offers SCRAM-SHA-512.
_THREE = {"PLAINTEXT": "PLAINTEXT", "LOGIN": "SASL_PLAINTEXT"}


class Cluster:
    """A running cluster; `Cluster.start` makes one. A context manager: on exit everything is killed.

    `listeners` maps a listener's name to its addresses, comma separated; `bootstrap` is the first of them.
    `proxies` stand before the PROXIED listener of each broker, whose advertised address they are: a client that starts
    from there stays there. `authority` signed the certificates of the `secured` profile; `users` are its names and
    passwords.
    """

    def __init__(
        self,
        profile: Profile,
        version: str,
        folder: Path,
        *,
        proxied: bool,
        config: Mapping[str, str],
        java_options: Sequence[str],
        detached: bool,
        timeout: float,
    ) -> None:
        self.profile = profile
        self.version = version
        self.folder = folder
        self.users = dict(USERS) if profile == "secured" else {}
        self.authority = Authority(folder / "certificates") if profile == "secured" else None
        self.proxies: dict[int, Proxy] = {}
        self._java_options = java_options
        self._detached = detached
        self._timeout = timeout
        self._processes: dict[int, Process] = {}
        self._zookeeper: Process | None = None
        self._uses_zookeeper = int(version.split(".")[0]) < 3
        self._nodes = self._plan(proxied)
        for node in self._nodes.values():
            node.properties.update({**self._properties(node), **config})
        self.listeners = {
            one.name: ",".join(f"{HOST}:{node.listeners[at].advertised}" for node in self._nodes.values())
            for at, one in enumerate(self._nodes[1].listeners)
        }

    @classmethod
    def start(
        cls,
        profile: Profile = "single",
        version: str = DEFAULT_VERSION,
        folder: Path | None = None,
        *,
        proxied: bool = False,
        config: Mapping[str, str] | None = None,
        java_options: Sequence[str] = (),
        detached: bool = False,
        timeout: float = 90,
    ) -> Cluster:
        """Start a cluster and wait until its group coordinators answer.

        :param profile: `single`; `three` brokers with replicated offsets; `secured`: one broker with TLS, SASL and
            ACLs; `old`: single, for the releases before 4 (with ZooKeeper before 3).
        :param folder: where data, logs and certificates go; a temporary one that is deleted at the end when left out.
        :param proxied: add a listener PROXIED to each broker, behind a recording proxy.
        :param config: more broker properties.
        :param java_options: more options of the brokers' Java, such as ``-Dname=value``.
        :param detached: let the brokers outlive this process.
        :param timeout: seconds for the whole start.
        :raises RuntimeError: when it does not start in time; the message ends with the broker's log.
        """
        temporary = folder is None
        where = Path(tempfile.mkdtemp(prefix="kafka-")) if folder is None else folder.absolute()
        where.mkdir(parents=True, exist_ok=True)
        cluster = cls(
            profile,
            version,
            where,
            proxied=proxied,
            config=config or {},
            java_options=java_options,
            detached=detached,
            timeout=timeout,
        )
        cluster._temporary = temporary
        try:
            cluster._start()
        except BaseException:
            cluster.close()
            raise
        return cluster

    _temporary = False

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    @property
    def bootstrap(self) -> str:
        """The address of the first listener: PLAINTEXT."""
        return next(iter(self.listeners.values()))

    @property
    def proxy(self) -> Proxy | None:
        """The proxy of the first broker, if the cluster uses proxies."""
        return self.proxies.get(1)

    @property
    def pids(self) -> list[int]:
        """All running processes of the cluster, brokers first."""
        keepers = [self._zookeeper] if self._zookeeper else []
        return [process.pid for process in [*self._processes.values(), *keepers]]

    @property
    def stopped(self) -> list[int]:
        """The brokers that were killed or stopped, and not restarted."""
        return sorted(self._nodes.keys() - self._processes.keys())

    def client(
        self, listener: str | None = None, user: str = "admin", mechanism: str = "SCRAM-SHA-512"
    ) -> dict[str, str]:
        """librdkafka properties for a listener.

        The default is SASL_SSL on a secured cluster, else PLAINTEXT. On SSL the user is the client certificate's name.
        """
        name = listener or ("SASL_SSL" if self.authority else "PLAINTEXT")
        made = {"bootstrap.servers": self.listeners[name]}
        protocol = _SECURED.get(name, "PLAINTEXT")
        if protocol != "PLAINTEXT":
            made["security.protocol"] = protocol
        if protocol.endswith("SSL") and self.authority:
            made["ssl.ca.location"] = str(self.authority.certificate)
        if protocol == "SSL" and self.authority:
            certificate, key = self.authority.issue(user)
            made |= {"ssl.certificate.location": str(certificate), "ssl.key.location": str(key)}
        if protocol.startswith("SASL"):
            made["sasl.mechanism"] = mechanism
            if mechanism == "OAUTHBEARER":
                made |= {"enable.sasl.oauthbearer.unsecure.jwt": "true", "sasl.oauthbearer.config": f"principal={user}"}
            else:
                made |= {"sasl.username": user, "sasl.password": self.users[user]}
        return made

    def output(self, node: int = 1) -> str:
        """What a broker has written so far, with its log."""
        return (self._nodes[node].folder / "broker.log").read_text("utf-8", "replace")

    def refused_logins(self) -> dict[int, int]:
        """The number of failed logins of each broker, from its log."""
        return {number: self.output(number).count("Failed authentication with") for number in self._nodes}

    def kill(self, node: int = 1) -> None:
        """SIGKILL a broker."""
        self._processes.pop(node).kill()

    def stop(self, node: int = 1, timeout: float = 20) -> None:
        """Shut down a broker cleanly; it is killed after `timeout` seconds."""
        self._processes.pop(node).stop(timeout)

    def pause(self, node: int = 1) -> None:
        """SIGSTOP a broker: its connections remain open without responses."""
        os.kill(self._processes[node].pid, signal.SIGSTOP)

    def resume(self, node: int = 1) -> None:
        """Resume a broker after `pause`."""
        os.kill(self._processes[node].pid, signal.SIGCONT)

    def restart(self, node: int = 1, version: str | None = None) -> None:
        """Restart a broker, running or not, and wait until the cluster is healthy.

        :param version: upgrade this broker; its cluster keeps the features of its own version.
        """
        if node in self._processes:
            self.stop(node)
        self._launch(self._nodes[node], version)
        self.wait()

    def close(self) -> None:
        """Kill every process, and delete a temporary folder."""
        for process in self._processes.values():
            process.kill()
        self._processes.clear()
        if self._zookeeper:
            self._zookeeper.kill()
            self._zookeeper = None
        for proxy in self.proxies.values():
            proxy.close()
        if self._temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    def wait(self) -> None:
        """Wait until each started broker is in the metadata and every group coordinator answers.

        :raises RuntimeError: when a broker ended or the time is over; the message ends with its log.
        """
        deadline = time.monotonic() + self._timeout
        for node in self._processes:
            port = self._nodes[node].listeners[0].port
            self._until(lambda port=port: listening(port), deadline)  # type: ignore[misc]
        client = self.client("SASL_PLAINTEXT" if self.authority else "PLAINTEXT", mechanism="PLAIN")
        self._until(lambda: _complete(client, set(self._processes)), deadline)

    def _until(self, ready: Callable[[], bool], deadline: float) -> None:
        while not ready():
            for node, process in self._processes.items():
                if not process.alive:
                    raise RuntimeError(f"broker {node} of {self.profile} {self.version} ended:\n{process.tail()}")
            if time.monotonic() > deadline:
                logs = "\n".join(f"broker {node}:\n{one.tail()}" for node, one in self._processes.items())
                raise RuntimeError(f"{self.profile} {self.version} is not ready after {self._timeout:.0f} s:\n{logs}")
            time.sleep(0.05)

    def _start(self) -> None:
        nodes = list(self._nodes.values())
        for node in nodes:
            # From an earlier cluster in the same folder.
            shutil.rmtree(node.folder, ignore_errors=True)
        for proxy in self.proxies.values():
            proxy.start()
        if self._uses_zookeeper:
            self._zookeeper = self._launch_zookeeper(nodes[0])
        else:
            self._format(nodes)
        for node in nodes:
            self._launch(node)
        self.wait()

    def _plan(self, proxied: bool) -> dict[int, Node]:
        wanted = {"secured": _SECURED, "three": _THREE}.get(self.profile, {"PLAINTEXT": "PLAINTEXT"})
        count = 3 if self.profile == "three" else 1
        ports = iter(free(count * (len(wanted) + 3)))
        nodes = {}
        for number in range(1, count + 1):
            listeners = [
                Listener(name, protocol, port, port)
                for (name, protocol), port in zip(wanted.items(), ports, strict=False)
            ]
            if proxied:
                hidden = next(ports)
                self.proxies[number] = Proxy((HOST, hidden), next(ports))
                listeners.append(Listener("PROXIED", "PLAINTEXT", hidden, self.proxies[number].port))
            nodes[number] = Node(number, self.folder / f"node-{number}", listeners, next(ports))
        return nodes

    def _properties(self, node: Node) -> dict[str, str]:
        made = settings.common(len(self._nodes))
        made |= settings.zookeeper(node) if self._uses_zookeeper else settings.kraft(node, list(self._nodes.values()))
        if self.authority:
            made |= settings.secured(self.authority, self.users)
            # The authorizer guards the controllers too, so that they have to know who a broker is.
            made["listener.security.protocol.map"] = made["listener.security.protocol.map"].replace(
                "CONTROLLER:PLAINTEXT", "CONTROLLER:SASL_PLAINTEXT"
            )
        if self.profile == "three":
            made |= settings.scram_only("login")
        if not self.authority and self.version.startswith("3."):
            made["group.coordinator.rebalance.protocols"] = "classic,consumer"
        return made

    def _format(self, nodes: list[Node]) -> None:
        identity = base64.urlsafe_b64encode(uuid4().bytes).decode().rstrip("=").replace("-", "A")
        scram = [
            argument
            for name, password in self.users.items()
            for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512")
            for argument in ("--add-scram", f"{mechanism}=[name={name},password={password}]")
        ]
        running = []
        for node in nodes:
            format_it = ("kafka.tools.StorageTool", "format", "-t", identity, "-c", str(self._write(node)), *scram)
            command = java(self.version, 128, *format_it)
            running.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
        for process in running:
            output, _error = process.communicate()
            if process.returncode:
                raise RuntimeError(f"formatting the storage of {self.version} failed:\n{output[-2000:]}")

    def _write(self, node: Node) -> Path:
        node.folder.mkdir(parents=True, exist_ok=True)
        config = node.folder / "server.properties"
        settings.write(config, node.properties)
        return config

    def _launch(self, node: Node, version: str | None = None) -> None:
        command = java(version or self.version, 256, *self._java_options, "kafka.Kafka", str(self._write(node)))
        self._processes[node.id] = Process(
            command, node.folder / "broker.log", folder=node.folder, detached=self._detached
        )

    def _launch_zookeeper(self, node: Node) -> Process:
        node.folder.mkdir(parents=True, exist_ok=True)
        config = node.folder / "zookeeper.properties"
        settings.write(config, settings.zookeeper_server(node))
        command = java(self.version, 128, "org.apache.zookeeper.server.quorum.QuorumPeerMain", str(config))
        return Process(command, node.folder / "zookeeper.log", folder=node.folder, detached=self._detached)


def _complete(client: Mapping[str, str], nodes: set[int]) -> bool:
    try:
        with Wire(client, timeout=5) as wire:
            return nodes <= wire.brokers() and wire.answering([f"readiness-{number}" for number in range(32)])
    except KafkaError:
        return False
