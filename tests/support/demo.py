# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m tests.support.demo``: a broker, the groups of a small company, and the demo playbook run on them."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.support import commits, state, topics, truth
from tests.support.broker import Cluster
from tests.support.collection import CHECKOUT, install
from tests.support.consumers import Consumer

#: What stays when the demo is over.
REPORT = CHECKOUT / ".cache" / "demo"

GONE = ("report-2024", "report-2025", "etl-test-1", "etl-test-2", "audit-old")

#: For output that is pleasant to read, whatever the user's own configuration says.
ANSIBLE_CFG = """\
[defaults]
callback_result_format = yaml
localhost_warning = false
[inventory]
inventory_unparsed_warning = false
"""


def world(bootstrap: str, folder: Path, stack: ExitStack, *, detached: bool = False) -> list[Consumer]:
    """Fill a cluster: live groups (billing, shipping), a member left behind (fraud), and groups that are gone.

    Returns the live consumers, whose groups are Stable. They stop with the `stack`; `folder` is for their files.
    """
    for name, partitions, records in (("orders", 3, 300), ("payments", 2, 80), ("clicks", 1, 50)):
        topics.create(bootstrap, name, partitions, records=records)
    orders = {("orders", number): (60, "", -1) for number in range(3)}
    payments = {("payments", number): (25, "", -1) for number in range(2)}
    clicks = {("clicks", 0): (50, "", -1)}
    commits.commit_many(
        bootstrap,
        {
            "billing": orders,
            "shipping": orders | payments,
            "fraud": payments,
            **{name: clicks if name.startswith("etl") else orders | clicks for name in GONE},
        },
    )
    fraud = Consumer(
        bootstrap, "fraud", ["payments"], instance_id="fraud-1", client_id="fraud-1", session_timeout_ms=300_000
    )
    live = [
        Consumer(bootstrap, "billing", ["orders"], instance_id="billing-1", client_id="billing-1"),
        Consumer(bootstrap, "billing", ["orders"], instance_id="billing-2", client_id="billing-2"),
        Consumer(bootstrap, "shipping", ["orders"], protocol="consumer", client_id="shipping-1"),
    ]
    for member in (*live, fraud):
        stack.callback(member.close)
        member.start(folder, detached=detached)
    for member in (*live, fraud):
        member.wait()
    fraud.kill()
    for group in ("billing", "shipping"):
        truth.wait_stable(bootstrap, group)
    return live


def leave_running(folder: Path) -> None:
    """Start the cluster with its groups, for ``python -m tests.support`` to stop by this state folder."""
    with ExitStack() as stack:
        cluster = stack.enter_context(Cluster.start(folder=folder, detached=True))
        for member in world(cluster.bootstrap, folder, stack, detached=True):
            state.save_member(folder, member.name, member)
        state.save_cluster(folder, cluster)
        stack.pop_all()


def show() -> int:
    """Run the demo; returns ansible-playbook's exit code."""
    install()
    print("Starting an Apache Kafka broker, and consumers on it.", flush=True)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kafkaops-demo-")))
        cluster = stack.enter_context(Cluster.start(folder=folder / "kafka"))
        world(cluster.bootstrap, folder / "members", stack)
        (folder / "files").mkdir()
        config = folder / "ansible.cfg"
        config.write_text(ANSIBLE_CFG, encoding="utf-8")
        command = [
            str(Path(sys.executable).parent / "ansible-playbook"),
            str(CHECKOUT / "playbooks" / "demo.yml"),
            "-e",
            f"kafka_bootstrap_servers={cluster.bootstrap}",
            "-e",
            f"demo_folder={folder / 'files'}",
            "-e",
            f"demo_audit={REPORT}",
        ]
        code = subprocess.run(command, env={**os.environ, "ANSIBLE_CONFIG": str(config)}, check=False).returncode
    print("Everything that the demo started is stopped.")
    return code


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.support.demo", description="Show what the collection does.")
    parser.add_argument("--state", type=Path, help="leave broker and groups running, known to this folder")
    given = parser.parse_args()
    if given.state:
        leave_running(given.state.absolute())
        return 0
    return show()


if __name__ == "__main__":
    # A plain SIGTERM would leave the temporary folder behind, and Ctrl-C end in a traceback.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _: sys.exit(128 + received))
    sys.exit(main())
