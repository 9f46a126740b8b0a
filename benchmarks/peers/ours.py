# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operations of the collection's modules, without Ansible around them; garbage is collected as in a module."""

from __future__ import annotations

from functools import partial

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import collect_rarely

from benchmarks.peers.contract import Job, serve
from benchmarks.tasks import OPERATIONS, done, task
from tests.live.task import run


def _run(operation: str, job: Job) -> int:
    module, arguments = task(operation, job.groups, job.saved)
    outcome = run(module, job.bootstrap, **arguments)
    return done(operation, outcome.given) if isinstance(outcome.given, dict) else outcome.changed


if __name__ == "__main__":
    collect_rarely()
    serve({operation: partial(_run, operation) for operation in OPERATIONS})
