# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An event source for ansible-rulebook: polls the consumer groups of a Kafka cluster."""

from __future__ import annotations

import asyncio
import concurrent.futures
import datetime as dt
import logging
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NoReturn

DOCUMENTATION = r"""
name: consumer_groups
short_description: Send events about the consumer groups of a Kafka cluster
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Polls the groups of a cluster, and sends an event when the lag of a group crosses a limit, when a group becomes
    V(Empty), appears or vanishes, and when a member makes no progress.
  - The source only reads. It never changes anything in the cluster.
  - C(event.kind) is V(lag_above), V(lag_recovered), V(group_empty), V(group_appeared), V(group_vanished) or
    V(member_stuck). The guide on events describes the other fields.
  - The first poll sends no event about groups that exist already or are already V(Empty). A lag that already exceeds
    O(max_lag) is an event.
  - If no broker responds, the source logs a warning, and waits until one does. What cannot be read, and an unknown lag,
    results in no event.
  - A login that a broker or the token server rejects when the source connects, and that no other broker accepts, ends
    the source, and with it the rulebook, because further attempts could lock the account. An invalid option does, too.
    If only some brokers reject the login, the source logs a warning, and does not retry the login on them while it is
    connected.
extends_documentation_fragment:
  - kafkaops.groups.connection
options:
  match:
    description:
      - Patterns, as a list or as one pattern. A group is watched if a pattern matches its B(whole) name. By default,
        all groups are watched.
      - Patterns are shell-style, with V(*), V(?) and V([...]). A pattern that starts with V(~) is a regular
        expression.
      - To set different limits for different groups, use several sources.
    type: raw
  interval:
    description:
      - Time from the end of a poll to the next poll, in seconds. It must be 1 or greater.
    type: float
    default: 30
  max_lag:
    description:
      - Send V(lag_above) when the lag of a group is greater than this number of records, and V(lag_recovered) when it
        has decreased again.
      - Without this option, no lag is read, and no event about the lag is sent.
    type: int
  recovered_lag:
    description:
      - Send V(lag_recovered) when the lag is at most this number of records. Only then can V(lag_above) be sent again
        for this group.
      - It must be at most O(max_lag). The default is O(max_lag). Set it lower to avoid repeated events for a lag that
        varies around O(max_lag).
    type: int
  lag_for:
    description:
      - Send V(lag_above) only when the lag has been greater than O(max_lag) for this time, in seconds. The default is
        V(0).
    type: float
  stuck_for:
    description:
      - Send V(member_stuck) when a partition that is assigned to a member has a lag, and its committed offset has not
        changed for this time, in seconds. The event lists all such partitions of the member.
      - It must be 1 or greater. Set it to several times the commit interval of the consumers.
      - Partitions without a committed offset, and share and streams groups, are not considered.
      - Without this option, members are not read.
    type: float
  isolation_level:
    description:
      - Which records count for the lag, as for a consumer with this C(isolation.level).
    type: str
    choices: [read_uncommitted, read_committed]
    default: read_uncommitted
  timeout:
    description:
      - Timeout for each poll, in seconds. A broker that does not respond is waited for during half of this time, or
        during all of it if no broker responds.
      - If it is not set, the environment variable E(KAFKA_TIMEOUT) is used.
    type: float
    default: 60
requirements:
  - ansible-core, in the Python environment of ansible-rulebook
notes:
  - O(sasl_kerberos_keytab) applies to the whole process of ansible-rulebook. All sources in it must have the same
    keytab, and C(run_playbook) and C(run_module) inherit it. For another keytab, start another process.
  - Install the collection where C(ansible-galaxy collection list) shows it, and use the name
    C(kafkaops.groups.consumer_groups) in rulebooks.
"""

EXAMPLES = r"""
- kafkaops.groups.consumer_groups:
    bootstrap_servers: [kafka-1.example.com:9092, kafka-2.example.com:9092]
    match: billing-*
    max_lag: 10000
    recovered_lag: 1000
    lag_for: 300
    stuck_for: 600

# the connection and its secrets are in environment variables such as KAFKA_SASL_PASSWORD
- kafkaops.groups.consumer_groups:
    interval: 60
"""

for _folder in Path(__file__).absolute().parents:
    if _folder.name == "ansible_collections":
        # ansible-rulebook runs this file by its path
        sys.path.append(str(_folder.parent))
        import ansible_collections

        # where the package "ansible" is installed, its collections are a package that only has one folder
        ansible_collections.__path__.append(str(_folder))
try:
    from ansible.module_utils.basic import missing_required_lib
    from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
    from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import CONNECTION_SPEC, declared
    from ansible_collections.kafkaops.groups.plugins.module_utils._errors import InvalidOption, TaskError
    from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import CallError, CredentialsRefused
    from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.library import KAFKA_IMPORT_ERROR, REQUIREMENT
    from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.options import Connection, write_contents
    from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _group_events, watch
except ImportError as exc:
    missing = "ansible-core" if (exc.name or "").partition(".")[0] == "ansible" else "the collection kafkaops.groups"
    msg = (
        f"The event source kafkaops.groups.consumer_groups cannot import {missing} ({exc}): install ansible-core in the"
        f" environment of ansible-rulebook ({sys.executable}), install the collection with ansible-galaxy, and use the"
        " full name kafkaops.groups.consumer_groups in the rulebook, without --source-dir."
    )
    raise ImportError(msg) from exc

SPEC: dict[str, Any] = {
    "match": {"type": "raw"},
    "interval": {"type": "float", "default": 30},
    "max_lag": {"type": "int"},
    "recovered_lag": {"type": "int"},
    "lag_for": {"type": "float"},
    "stuck_for": {"type": "float"},
    "isolation_level": {
        "type": "str",
        "choices": ["read_uncommitted", "read_committed"],
        "default": "read_uncommitted",
    },
    "timeout": {**CONNECTION_SPEC["timeout"], "default": 60},
}
RULES = {"required_by": {"recovered_lag": ["max_lag"], "lag_for": ["max_lag"]}}

logger = logging.getLogger("kafkaops.groups.consumer_groups")


def validated(args: dict[str, Any]) -> dict[str, Any]:
    """Return the options as a module would get them; raises InvalidOption."""
    given = declared(SPEC, RULES)
    result = ArgumentSpecValidator(given.pop("argument_spec"), **given).validate(args)
    if result.error_messages:
        msg = f"{'; '.join(result.error_messages)}."
        raise InvalidOption(msg)
    return dict(result.validated_parameters)


async def main(queue: asyncio.Queue[Any], args: dict[str, Any]) -> None:
    """Poll the groups for as long as the rulebook runs, and put events on the queue."""
    if KAFKA_IMPORT_ERROR is not None:
        raise ImportError(missing_required_lib(REQUIREMENT))
    options = validated(args)
    request = watch.parse(options)
    with tempfile.TemporaryDirectory(prefix="kafkaops-") as folder:
        write_contents(options, lambda: folder)
        connection = Connection.from_params(options)
        # what is wrong with its files is an error now, and a reason to wait later
        connection.ssl_context()
        await _poll(queue, watch.Watcher(connection, request.groups), request)


async def _poll(queue: asyncio.Queue[Any], watcher: watch.Watcher, request: watch.Request) -> NoReturn:
    memory = _group_events.Memory()
    problem: str | None = None
    poll = _start(watcher, [])
    try:
        while True:
            events: list[dict[str, Any]] = []
            found: str | None
            try:
                answer = await asyncio.wrap_future(poll)
            except CredentialsRefused:
                raise
            except (CallError, TaskError) as exc:
                found = f"{str(exc).rstrip('.')}. Waiting for the cluster."
            else:
                found = answer.problem
                memory, happened = _group_events.follow(memory, answer.reading, request.limits, time.monotonic())
                at = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
                events = [{**event, "cluster_id": answer.cluster_id, "at": at} for event in happened]
            if found != problem:
                logger.warning(found or "All groups can be read again.")
                problem = found
            for event in events:
                await queue.put(event)
            await asyncio.sleep(request.interval)
            poll = _start(watcher, list(memory.groups))
    finally:
        # after the poll that is under way, which cannot be interrupted
        poll.add_done_callback(lambda _poll: watcher.close())


def _start(watcher: watch.Watcher, known: list[str]) -> concurrent.futures.Future[watch.Answer]:
    """Begin a poll in a thread of its own, which does not keep ansible-rulebook from ending."""
    poll: concurrent.futures.Future[watch.Answer] = concurrent.futures.Future()

    def work() -> None:
        try:
            answer = watcher.read(known)
        except Exception as exc:
            poll.set_exception(exc)
        else:
            poll.set_result(answer)

    poll.set_running_or_notify_cancel()
    threading.Thread(target=work, daemon=True).start()
    return poll
