# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the guide on security shows, at work: each connection, and the ACL commands with Kafka's own tool."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.options import FILES, write_contents
from confluent_kafka.admin import (
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from tests.checks import examples
from tests.live.doors import CLIENT_SECRET, USER, Doors, Options
from tests.live.task import look, run_audit
from tests.live.test_permissions import CASES
from tests.support import commits, jars, msk, topics
from tests.support.ca import KEY_PASSWORD
from tests.support.clients import properties
from tests.support.collection import CHECKOUT
from tests.support.modules import CONNECTING

pytestmark = pytest.mark.live

GUIDE = (CHECKOUT / "docs" / "docsite" / "rst" / "security.rst").read_text(encoding="utf-8")
CONNECTIONS: dict[str, Options] = {
    block.where.rpartition("/")[2]: yaml.safe_load(block.text)["kafka_connection"]
    for block in examples.blocks()
    if block.file.endswith(("/security.rst", "/managed_services.rst")) and block.text.startswith("kafka_connection:")
}
#: The commands below the heading of each module, and what they begin with.
COMMANDS = dict(re.findall(r"^(\w+)\n~+\n\n\.\. code-block:: bash\n\n((?: +.*\n)+)", GUIDE, re.MULTILINE))
PREFIX = re.findall(r"^ +(allow=\"(?:.*\n)+?.*\")$", GUIDE, re.MULTILINE)[0]
PASSWORD = "guides-secret"

Permissions = set[tuple[str, str]]


def of_these_doors(given: Any, doors: Doors) -> Any:
    """An option of the guide, with what is behind these doors in the place of its examples."""
    certificate, key = doors.authority.issue(USER)
    values = {
        "/etc/kafka/ca.pem": doors.authority.certificate,
        "/etc/kafka/ops.pem": certificate,
        "/etc/kafka/ops.key": key,
        "{{ lookup('ansible.builtin.file', 'files/ca.pem') }}": doors.authority.certificate.read_text("utf-8"),
        "{{ lookup('ansible.builtin.file', 'files/ops.pem') }}": certificate.read_text("utf-8"),
        "{{ vault_kafka_key }}": key.read_text("utf-8"),
        "/etc/kafka/ops-encrypted.key": doors.authority.encrypted_key(USER),
        "https://login.example.com/oauth2/token": doors.tokens.tls_url,
        "ops": USER,
        "{{ vault_kafka_client_secret }}": CLIENT_SECRET,
        "{{ vault_kafka_key_password }}": KEY_PASSWORD,
        "{{ vault_kafka_password }}": doors.cluster.users[USER],
        "{{ vault_kafka_token }}": doors.tokens.token(USER),
        "{{ vault_confluent_api_key }}": USER,
        "{{ vault_confluent_api_secret }}": doors.cluster.users[USER],
    }
    return str(values.get(given, given))


def test_every_way_to_connect_is_shown() -> None:
    shown = list(CONNECTIONS.values())
    assert {given.get("sasl_mechanism") for given in shown} >= {"PLAIN", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI", None}
    assert {name for given in shown for name in given} >= {
        *("sasl_oauth_provider", "sasl_oauth_token", "sasl_oauth_token_url", "ssl_certfile")
    }
    assert {given.get("security_protocol", "PLAINTEXT") for given in shown} == {"PLAINTEXT", "SSL", "SASL_SSL"}


@pytest.mark.parametrize("where", CONNECTIONS)
def test_a_connection_of_the_guide_works(
    doors: Doors, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = CONNECTIONS[where]
    # without ssl_cafile, and for the token URL
    system = {"SSL_CERT_FILE": str(doors.authority.certificate)}
    for variable, value in {**doors.realm.user(USER), **msk.user(), **system}.items():
        monkeypatch.setenv(variable, value)
    connect: dict[str, str | None] = dict.fromkeys([*FILES, *FILES.values(), "sasl_kerberos_keytab"])
    connect |= {name: of_these_doors(value, doors) for name, value in given.items() if name != "bootstrap_servers"}
    write_contents(connect, lambda: str(tmp_path))
    listener = connect.get("security_protocol") or "PLAINTEXT"
    if "sasl_oauth_provider" in connect:
        listener = msk.LISTENER
    if listener == "SSL" and not connect["ssl_certfile"]:
        listener = "SSL_ONE_WAY"
    outcome = look(doors.cluster.listeners[listener], **connect)
    assert outcome.given["errors"] == []
    assert outcome.requests["ListGroups"] == 1


def granted(doors: Doors, user: str) -> Permissions:
    """What a user is allowed, as the broker tells: operation and kind of resource."""
    # the types of confluent-kafka do not say that None stands for any name
    any_name: Any = None
    anything = AclBindingFilter(
        ResourceType.ANY,
        any_name,
        ResourcePatternType.ANY,
        f"User:{user}",
        "*",
        AclOperation.ANY,
        AclPermissionType.ANY,
    )
    admin = AdminClient(properties(doors.cluster.client()))
    found = admin.describe_acls(anything).result()
    return {
        (acl.operation.name, {"BROKER": "cluster"}.get(acl.restype.name, acl.restype.name.lower())) for acl in found
    }


def grant(doors: Doors, folder: Path, user: str, lines: list[str]) -> None:
    """Run lines of the guide as they stand there, but for the broker, its properties, and the user."""
    admin = doors.cluster.client("SASL_PLAINTEXT")
    login = f'username="{admin["sasl.username"]}" password="{admin["sasl.password"]}"'
    (folder / "admin.properties").write_text(
        "security.protocol=SASL_PLAINTEXT\n"
        "sasl.mechanism=SCRAM-SHA-512\n"
        f"sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required {login};\n",
        encoding="utf-8",
    )
    tool = folder / "kafka-acls.sh"
    command = jars.java(jars.DEFAULT_VERSION, 64, "org.apache.kafka.tools.AclCommand")
    tool.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
    tool.chmod(0o700)
    script = "\n".join([PREFIX, *lines])
    script = script.replace("kafka-1.example.com:9092", admin["bootstrap.servers"]).replace("User:ops", f"User:{user}")
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": os.pathsep.join([str(folder), os.environ["PATH"]])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def needs(module: str) -> list[Permissions]:
    """What each use of a module needs, as test_permissions.py proves it."""
    return [{(need.operation, need.kind) for need in case.needs} for case in CASES.values() if case.module == module]


def test_every_module_has_its_commands() -> None:
    assert sorted(COMMANDS) == CONNECTING


@pytest.mark.parametrize("module", [module for module in CONNECTING if module != "consumer_offsets_audit"])
def test_the_table_says_what_a_module_needs(module: str) -> None:
    """All but DESCRIBE on topics, which depends on what else is asked for."""
    rows = re.findall(rf"^   \* - ``{module}``.*\n     -(.*)\n     -(.*)\n     -(.*)$", GUIDE, re.MULTILINE)
    cells = [(kind, cell) for row in rows for kind, cell in zip(("group", "topic", "cluster"), row, strict=True)]
    said = {(operation, kind) for kind, cell in cells for operation in re.findall("[A-Z_]{4,}", cell)}
    assert said | {("DESCRIBE", "topic")} == set().union(*needs(module)) | {("DESCRIBE", "topic")}


@pytest.mark.parametrize("module", [module for module in CONNECTING if module != "consumer_offsets_audit"])
def test_the_commands_grant_what_a_module_needs_and_no_more(doors: Doors, tmp_path: Path, module: str) -> None:
    """The commands before the first comment are for one use, and all of them for every use."""
    lines = [line.strip() for line in COMMANDS[module].splitlines()]
    first = next((number for number, line in enumerate(lines) if line.startswith("#")), len(lines))
    grant(doors, tmp_path, f"ops-{module}", lines[:first])
    assert granted(doors, f"ops-{module}") in needs(module)
    if lines[first:]:
        grant(doors, tmp_path, f"ops-{module}", lines[first:])
    assert granted(doors, f"ops-{module}") == set().union(*needs(module))


@pytest.mark.usefixtures("lent_java")
def test_the_commands_for_the_audit_are_enough(doors: Doors, tmp_path: Path) -> None:
    user, topic, group = "ops-audit", "guides-audited", "guides-audited"
    client = doors.cluster.client()
    topics.create(client, topic, 1, records=1)
    commits.commit_many(client, {group: {(topic, 0): (1, "", -1)}})
    topics.configure_group(client, f"{group}-gone", {"share.auto.offset.reset": "earliest"})
    upsert = UserScramCredentialUpsertion(
        user, ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), PASSWORD.encode()
    )
    admin = AdminClient(properties(client))
    for answer in admin.alter_user_scram_credentials([upsert]).values():
        answer.result()
    grant(doors, tmp_path, user, [line.strip() for line in COMMANDS["consumer_offsets_audit"].splitlines()])
    connect = doors.over(
        "SASL_SSL",
        {"sasl_mechanism": "SCRAM-SHA-256", "sasl_username": user, "sasl_password": PASSWORD},
    )
    listener = doors.cluster.listeners["SASL_SSL"]
    returned = run_audit(tmp_path / "output", listener, **connect, stale_after="1s", include=[f"{group}*"])
    plan = json.loads(Path(returned["plan"]).read_text(encoding="utf-8"))
    assert [planned["group"] for planned in plan["delete_groups"]] == [group]
    found = pq.read_table(returned["tables"]["findings"]).to_pylist()
    (evidence,) = [each["evidence"] for each in found if each["kind"] == "orphaned_config"]
    assert "share.auto.offset.reset=earliest" in evidence
