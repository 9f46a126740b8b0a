# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is replaced inside of kafka-python is still needed: a test that fails names a replacement that can go."""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import struct
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from ansible_collections.kafkaops.groups.plugins.doc_fragments.connection import ModuleDocFragment
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka import library
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.library import REQUIREMENT
from kafka import errors
from kafka.cluster import ClusterMetadata
from kafka.net.connection import KafkaConnection
from kafka.net.transport import KafkaTCPTransport
from kafka.protocol import admin, frame
from kafka.protocol.metadata import MetadataRequest
from kafka.protocol.parser import KafkaProtocol
from packaging.requirements import Requirement

from tests.support.collection import CHECKOUT

A_BROKER = "127.0.0.1:9092"


@pytest.mark.parametrize("package", ["kafka", "kafka.protocol.admin", "kafka.protocol.consumer"])
def test_a_package_imports_all_that_it_has(package: str) -> None:
    """Most of which no task uses."""
    program = f"import sys, {package}; print([name for name in sys.modules if name.startswith('{package}.')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    unused = {"kafka": "consumer", "kafka.protocol.admin": "acl", "kafka.protocol.consumer": "fetch"}[package]
    assert f"'{package}.{unused}'" in done.stdout


def test_what_is_deferred_is_there_when_somebody_asks_for_it() -> None:
    program = f"""
import sys
from {library.__name__.partition(".plugins.")[0]}.plugins.module_utils._kafka import library
library.DescribeGroupsRequest
unused = ("kafka.admin", "kafka.consumer", "kafka.protocol.admin.acl", "kafka.protocol.consumer.fetch")
assert [name for name in unused if name in sys.modules] == [], "imported by every task"
import kafka
from kafka import KafkaConsumer, errors
from kafka.protocol.admin import CreateTopicsRequest
assert kafka.errors is errors is library.kafka_errors
assert kafka.KafkaConsumer is KafkaConsumer
try:
    kafka.no_such_name
except AttributeError:
    print(KafkaConsumer.__name__, CreateTopicsRequest.__name__, kafka.__version__)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=with_path())
    assert (done.stdout, done.stderr) == (
        f"KafkaConsumer CreateTopicsRequest {importlib.metadata.version('kafka-python')}\n",
        "",
    )


def test_bits_are_read_anew_for_each_group() -> None:
    program = (
        "from kafka.protocol.schemas.fields.codecs.types import BitField; "
        "print(BitField.from_32_bit_field(328) is BitField.from_32_bit_field(328), BitField.from_32_bit_field(328))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False {8, 3, 6}\n"


def test_bits_are_read_as_kafka_python_does() -> None:
    message = admin.DescribeGroupsResponse
    for operations in (set(), {3, 6, 8}, None):
        group = message.DescribedGroup(
            error_code=0, error_message=None, group_id="g", group_state="Empty", protocol_type="", protocol_data="",
            members=[], authorized_operations=operations,
        )  # fmt: skip
        encoded = message(throttle_time_ms=0, groups=[group]).encode(version=6, header=False)
        (read,) = message.decode(encoded, version=6, header=False).groups
        assert read.authorized_operations == operations


def with_path() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_frames_take_the_memory_that_their_length_asks_for() -> None:
    assert len(frame.KafkaBytes(1000)) == 1000


@pytest.mark.parametrize(
    "brokers",
    [pytest.param(b"", id="cut off"), pytest.param(b"\x80" * 100 + b"\x01" + bytes(10), id="a number without an end")],
)
def test_an_answer_that_cannot_be_read_is_no_error_of_the_protocol(brokers: bytes) -> None:
    protocol = KafkaProtocol()
    request = MetadataRequest(topics=[])
    request.API_VERSION = 12
    answer = struct.pack(">ibi", protocol.send_request(request), 0, 0) + brokers
    with pytest.raises(IndexError):
        protocol.receive_bytes(struct.pack(">i", len(answer)) + answer)


def handshake(answer: Any) -> list[Any]:
    """Log in twice, to a broker that answers so; return what was raised."""

    async def answered(*_args: Any, **_options: Any) -> Any:
        return answer

    connection = SimpleNamespace(config={"sasl_mechanism": "PLAIN"}, _timeout_at=lambda: 0, _send_request=answered)
    raised = []
    for _login in range(2):
        with pytest.raises(errors.KafkaError) as caught:
            asyncio.run(KafkaConnection._sasl_authenticate(connection))
        raised.append(caught.value)
    return raised


def test_a_refused_mechanism_does_not_tell_what_is_offered_and_is_tried_again() -> None:
    refused = SimpleNamespace(error_code=errors.UnsupportedSaslMechanismError.errno, mechanisms=["SCRAM-SHA-512"])
    first, second = handshake(refused)
    assert "SCRAM-SHA-512" not in str(first)
    assert first is not second


def test_what_came_with_the_end_of_a_connection_is_dropped() -> None:
    received: list[bytes] = []
    transport = KafkaTCPTransport.__new__(KafkaTCPTransport)
    vars(transport).update(
        _read=True,
        _closed=False,
        _sock=None,
        _net=SimpleNamespace(wait_read=lambda _sock: asyncio.sleep(0)),
        _protocol=SimpleNamespace(data_received=received.append, _sensors=None),
        _sock_recv=lambda: (b"a refusal", errors.KafkaConnectionError("socket disconnected")),
        abort=lambda error: None,
    )
    asyncio.run(transport._read_from_sock())
    assert received == []


def test_a_first_connection_is_none_of_a_broker() -> None:
    (first,) = ClusterMetadata(bootstrap_servers=[A_BROKER]).bootstrap_brokers()
    assert not isinstance(first.node_id, int)


@pytest.mark.parametrize("kind", ["ConsumerGroup", "ShareGroup", "StreamsGroup"])
def test_messages_are_lacking(kind: str) -> None:
    assert not hasattr(admin, f"{kind}DescribeRequest")


def test_the_requirement_is_bounded_and_met() -> None:
    """What is replaced is tried with the versions up to this one only."""
    requirement = Requirement(REQUIREMENT)
    installed = importlib.metadata.version(requirement.name)
    assert installed in requirement.specifier
    major, minor = map(int, installed.split(".")[:2])
    assert f"{major}.{minor + 1}" not in requirement.specifier


def test_the_requirement_is_the_same_everywhere() -> None:
    required = (CHECKOUT / "meta" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert REQUIREMENT in required
    documented = yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["requirements"]
    assert Requirement(REQUIREMENT) in [Requirement(each) for each in documented if each.startswith("kafka-python")]
