# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All imports from kafka-python: imported only here, so that a missing library is one error message.

They are most of what a small task takes, so only what it uses is imported. `import kafka` alone imports the clients for
administration, consumers and producers, and C(kafka.net) all messages: 60 of 100 ms of CPU, in each task.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import sys
import traceback
import typing as t

# patches.py replaces parts of it, and is tried with these versions
REQUIREMENT = "kafka-python>=3.0.12,<3.1"
KAFKA_IMPORT_ERROR: str | None = None

#: Packages that import all that they have, and where in them is what C(kafka.net) takes from them.
_DEFERRED: dict[str, dict[str, str]] = {
    "kafka": {},
    "kafka.protocol.admin": {"ListGroupsRequest": "groups"},
    "kafka.protocol.consumer": {"OffsetFetchRequest": "group"},
}
#: Messages, and their modules in C(kafka.protocol).
_MESSAGES = {
    "ConsumerProtocolAssignment": "consumer.metadata",
    "ConsumerProtocolSubscription": "consumer.metadata",
    "DeleteGroupsRequest": "admin.groups",
    "DeleteTopicsRequest": "admin.topics",
    "DescribeConfigsRequest": "admin.configs",
    "DescribeGroupsRequest": "admin.groups",
    "DescribeLogDirsRequest": "admin.cluster",
    "DescribeProducersRequest": "admin.transactions",
    "FindCoordinatorRequest": "metadata",
    "IncrementalAlterConfigsRequest": "admin.configs",
    "LeaveGroupRequest": "consumer.group",
    "ListConfigResourcesRequest": "admin.configs",
    "ListGroupsRequest": "admin.groups",
    "ListOffsetsRequest": "consumer.offsets",
    "ListTransactionsRequest": "admin.transactions",
    "MetadataRequest": "metadata",
    "OffsetCommitRequest": "consumer.group",
    "OffsetDeleteRequest": "consumer.group",
    "OffsetFetchRequest": "consumer.group",
}


def __getattr__(name: str) -> t.Any:
    """Import a message when it is used."""
    if name not in _MESSAGES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    message = getattr(importlib.import_module(f"kafka.protocol.{_MESSAGES[name]}"), name)
    globals()[name] = message
    return message


def _defer(name: str, known: dict[str, str]) -> None:
    """Let a package import what it has when somebody asks for it: its own code then runs as always."""
    spec = None if name in sys.modules else importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        return
    loader, package = spec.loader, importlib.util.module_from_spec(spec)

    def find(attribute: str) -> t.Any:
        if attribute in known:
            return getattr(importlib.import_module(f"{name}.{known[attribute]}"), attribute)
        if attribute.startswith("__") and attribute not in ("__all__", "__version__"):
            raise AttributeError(f"module {name!r} has no attribute {attribute!r}")
        if importlib.util.find_spec(f"{name}.{attribute}") is not None:
            return importlib.import_module(f"{name}.{attribute}")
        vars(package).pop("__getattr__", None)
        loader.exec_module(package)
        return getattr(package, attribute)

    vars(package)["__getattr__"] = find
    sys.modules[name] = package
    parent, _dot, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, package)


try:
    for _name, _known in _DEFERRED.items():
        _defer(_name, _known)
    # as its own code does: else Python prints its warnings
    logging.getLogger("kafka").addHandler(logging.NullHandler())
    import kafka.errors as kafka_errors
    from kafka.future import Future
    from kafka.net import connection as kafka_connection
    from kafka.net import manager as kafka_manager
    from kafka.net.connection import KafkaConnection
    from kafka.net.manager import KafkaConnectionManager
    from kafka.net.sasl.oauth import AbstractTokenProvider
    from kafka.net.selector import NetworkSelector
    from kafka.protocol import parser as kafka_parser
    from kafka.protocol.api_message import ApiMessage, ApiMessageData
    from kafka.protocol.parser import KafkaProtocol
    from kafka.protocol.sasl import SaslHandshakeResponse
    from kafka.protocol.schemas.fields.codecs.types import BitField
except ImportError:
    # _ansible.py reports it; until then, classes are derived from some of these
    KAFKA_IMPORT_ERROR = traceback.format_exc()
    AbstractTokenProvider = KafkaConnection = KafkaProtocol = NetworkSelector = object
    ApiMessage = ApiMessageData = BitField = Future = KafkaConnectionManager = SaslHandshakeResponse = None
    kafka_connection = kafka_errors = kafka_manager = kafka_parser = None

__all__ = [
    "KAFKA_IMPORT_ERROR",
    "REQUIREMENT",
    "AbstractTokenProvider",
    "ApiMessage",
    "ApiMessageData",
    "BitField",
    "Future",
    "KafkaConnection",
    "KafkaConnectionManager",
    "KafkaProtocol",
    "NetworkSelector",
    "SaslHandshakeResponse",
    "kafka_connection",
    "kafka_errors",
    "kafka_manager",
    "kafka_parser",
]
