# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operations of the collection's modules, without a module or Ansible around them."""

from __future__ import annotations

from functools import partial

from benchmarks.peers.contract import Job, serve
from benchmarks.tasks import OPERATIONS, done, task
from tests.live.task import run


def _run(operation: str, job: Job) -> int:
    module, arguments = task(operation, job.groups, job.saved)
    outcome = run(module, job.bootstrap, **arguments)
    return done(operation, outcome.given) if isinstance(outcome.given, dict) else outcome.changed


if __name__ == "__main__":
    serve({operation: partial(_run, operation) for operation in OPERATIONS})
