# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Broker properties: common, KRaft, ZooKeeper and security."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.support import msk
from tests.support.ca import Authority
from tests.support.ports import HOST

#: The user that brokers and controllers are for each other.
BROKER_USER = "broker"
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")

_LOGIN = "org.apache.kafka.common.security"


@dataclass(frozen=True)
class Listener:
    """One address of a node; `advertised` is the port of the proxy, if there is one."""

    name: str
    protocol: str
    port: int
    advertised: int


@dataclass(frozen=True)
class Node:
    """A broker, and its share of the cluster's metadata quorum."""

    id: int
    folder: Path
    listeners: Sequence[Listener]
    quorum_port: int
    properties: dict[str, str] = field(default_factory=dict)


def common(replicas: int) -> dict[str, str]:
    """A small, fast and permissive configuration; internal topics have `replicas` replicas."""
    least = str(max(1, replicas - 1))
    copies = str(replicas)
    return {
        "default.replication.factor": copies,
        "min.insync.replicas": least,
        "offsets.topic.replication.factor": copies,
        "offsets.topic.num.partitions": "10",
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.min.isr": least,
        "transaction.state.log.num.partitions": "2",
        "share.coordinator.state.topic.replication.factor": copies,
        "share.coordinator.state.topic.min.isr": least,
        "share.coordinator.state.topic.num.partitions": "2",
        "auto.create.topics.enable": "false",
        # otherwise, Empty groups without offsets are removed every ten minutes
        "offsets.retention.check.interval.ms": "86400000",
        "group.initial.rebalance.delay.ms": "0",
        "group.streams.initial.rebalance.delay.ms": "0",
        "group.min.session.timeout.ms": "1000",
        "group.max.session.timeout.ms": "3600000",
        "group.consumer.min.heartbeat.interval.ms": "500",
        "group.consumer.heartbeat.interval.ms": "1000",
        "group.consumer.min.session.timeout.ms": "1000",
        "group.consumer.max.session.timeout.ms": "3600000",
        "group.share.min.heartbeat.interval.ms": "500",
        "group.share.heartbeat.interval.ms": "1000",
        "group.streams.min.heartbeat.interval.ms": "500",
        "group.streams.heartbeat.interval.ms": "1000",
        "num.network.threads": "2",
        "num.io.threads": "4",
        "background.threads": "2",
        "log.cleaner.dedupe.buffer.size": "8388608",
    }


def kraft(node: Node, quorum: Sequence[Node]) -> dict[str, str]:
    """A node that is broker and controller in one."""
    return {
        "process.roles": "broker,controller",
        "node.id": str(node.id),
        "broker.rack": f"rack-{node.id}",
        "controller.quorum.voters": ",".join(f"{peer.id}@{HOST}:{peer.quorum_port}" for peer in quorum),
        "controller.listener.names": "CONTROLLER",
        "log.dirs": str(node.folder / "data"),
        "inter.broker.listener.name": "PLAINTEXT",
        **_addresses(node, Listener("CONTROLLER", "PLAINTEXT", node.quorum_port, 0)),
    }


def zookeeper(node: Node) -> dict[str, str]:
    """A broker of the 2.x releases; `quorum_port` is ZooKeeper's."""
    return {
        "broker.id": str(node.id),
        "zookeeper.connect": f"{HOST}:{node.quorum_port}",
        "zookeeper.connection.timeout.ms": "30000",
        "log.dirs": str(node.folder / "data"),
        "inter.broker.listener.name": "PLAINTEXT",
        **_addresses(node),
    }


def zookeeper_server(node: Node) -> dict[str, str]:
    return {
        "dataDir": str(node.folder / "zookeeper"),
        "clientPort": str(node.quorum_port),
        "clientPortAddress": HOST,
        "admin.enableServer": "false",
        "tickTime": "500",
    }


def secured(authority: Authority, users: Mapping[str, str]) -> dict[str, str]:
    """Authentication on every listener but PLAINTEXT, and an authorizer whose super users are admin and the broker."""
    passwords = " ".join(f'user_{name}="{password}"' for name, password in users.items())
    secret = users[BROKER_USER]
    plain = f'{_LOGIN}.plain.PlainLoginModule required username="{BROKER_USER}" password="{secret}" {passwords};'
    scram = f"{_LOGIN}.scram.ScramLoginModule required;"
    logins = {
        "plain": plain,
        "scram-sha-256": scram,
        "scram-sha-512": scram,
        "oauthbearer": f"{_LOGIN}.oauthbearer.OAuthBearerLoginModule required;",
    }
    jaas = {
        f"listener.name.{listener}.{mechanism}.sasl.jaas.config": login
        for listener in ("sasl_plaintext", "sasl_ssl")
        for mechanism, login in logins.items()
    }
    return {
        "inter.broker.listener.name": "SASL_PLAINTEXT",
        "sasl.enabled.mechanisms": ",".join(MECHANISMS),
        "sasl.mechanism.inter.broker.protocol": "PLAIN",
        "sasl.mechanism.controller.protocol": "PLAIN",
        "listener.name.controller.sasl.enabled.mechanisms": "PLAIN",
        "listener.name.controller.plain.sasl.jaas.config": plain,
        **jaas,
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(authority.keystore("server")),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(authority.certificate),
        "ssl.principal.mapping.rules": "RULE:^CN=([^,]+).*$/$1/",
        "listener.name.ssl.ssl.client.auth": "required",
        **scram_only("scram_only"),
        # without the properties of msk.py, it accepts any unsigned token
        f"listener.name.{msk.LISTENER.lower()}.sasl.enabled.mechanisms": "OAUTHBEARER",
        f"listener.name.{msk.LISTENER.lower()}.oauthbearer.sasl.jaas.config": logins["oauthbearer"],
        **_keystore("expired", authority.keystore("expired-server", expired=True)),
        **_keystore("wrong_host", authority.keystore("elsewhere", hosts=("elsewhere.example",))),
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": f"User:admin;User:{BROKER_USER}",
    }


def scram_only(listener: str) -> dict[str, str]:
    """A listener that supports only SCRAM-SHA-512."""
    return {
        f"listener.name.{listener}.sasl.enabled.mechanisms": "SCRAM-SHA-512",
        f"listener.name.{listener}.scram-sha-512.sasl.jaas.config": f"{_LOGIN}.scram.ScramLoginModule required;",
    }


def _keystore(listener: str, store: Path) -> dict[str, str]:
    return {
        f"listener.name.{listener}.ssl.keystore.type": "PEM",
        f"listener.name.{listener}.ssl.keystore.location": str(store),
    }


def _addresses(node: Node, *internal: Listener) -> dict[str, str]:
    everything = [*node.listeners, *internal]
    return {
        "listeners": ",".join(f"{one.name}://{HOST}:{one.port}" for one in everything),
        "advertised.listeners": ",".join(f"{one.name}://{HOST}:{one.advertised}" for one in node.listeners),
        "listener.security.protocol.map": ",".join(f"{one.name}:{one.protocol}" for one in everything),
    }


def write(path: Path, settings: Mapping[str, str]) -> None:
    """A Java properties file."""
    path.write_text("".join(f"{key}={value}\n" for key, value in settings.items()), encoding="utf-8")
