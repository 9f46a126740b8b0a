# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks.stages BOOTSTRAP GROUP``: one task on one group, and where its time goes, as one line of JSON.

Milliseconds of: importing what the module imports, connecting, finding the coordinator, and the call itself.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any


def main(bootstrap: str, group: str) -> None:
    started = time.perf_counter()
    marks: dict[str, float] = {}

    def mark(stage: str) -> None:
        nonlocal started
        now = time.perf_counter()
        marks[stage], started = (now - started) * 1000, now

    import ansible.module_utils.basic  # noqa: F401

    mark("import of Ansible")
    from ansible_collections.kafkaops.groups.plugins.module_utils import _ansible
    from ansible_collections.kafkaops.groups.plugins.module_utils._operations import delete_groups
    from ansible_collections.kafkaops.groups.plugins.module_utils._options import Connection
    from ansible_collections.kafkaops.groups.plugins.module_utils._session import Session

    mark("import of the collection and its libraries")
    params: dict[str, Any] = {name: spec.get("default") for name, spec in _ansible.CONNECTION_SPEC.items()}
    params |= {"names": [group], "plan": None, "force": False, "backup": None, "max_changes": None}
    request = delete_groups.parse(params)
    connection = Connection.from_params({**params, "bootstrap_servers": bootstrap.split(",")})
    with Session(connection, check_mode=True) as session:
        mark("connect")
        session.wire.run(session.driver.lookup, [group])
        mark("find the coordinator")
        session.wire.run(delete_groups.delete_groups, request, session)
        mark("the call")
    mark("close")
    print(json.dumps(marks))


if __name__ == "__main__":
    main(*sys.argv[1:])
