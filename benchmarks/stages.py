# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m benchmarks.stages < PARAMETERS``: the duration of each stage of a consumer_group task, as JSON.

PARAMETERS is what a module reads. Milliseconds of: importing what the module imports, its options, connecting, finding
the coordinators, the operation itself, and handing over its results.
"""

from __future__ import annotations

import contextlib
import io
import json
import time
from typing import Any

STAGES = (
    "import of Ansible",
    "import of the collection and its libraries",
    "options",
    "connect",
    "find the coordinators",
    "the operation",
    "results",
)


class _Marks:
    """Milliseconds of each stage."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self.taken = dict.fromkeys(STAGES, 0.0)

    def end(self, stage: str) -> None:
        now = time.perf_counter()
        self.taken[stage] += (now - self._started) * 1000
        self._started = now


def main() -> None:
    marks = _Marks()
    from ansible.module_utils import basic

    marks.end("import of Ansible")
    from ansible_collections.kafkaops.groups.plugins.module_utils import _ansible
    from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.lookup import Coordinators
    from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.session import Session
    from ansible_collections.kafkaops.groups.plugins.modules import consumer_group

    marks.end("import of the collection and its libraries")
    find = Coordinators.find

    class Module(basic.AnsibleModule):
        """Records when the module has read its options, and when it returns its results."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            marks.end("options")

        def exit_json(self, **kwargs: Any) -> None:
            marks.end("the operation")
            super().exit_json(**kwargs)

        def fail_json(self, msg: str, **_kwargs: Any) -> None:
            raise RuntimeError(msg)

    class Connected(Session):
        """Records when the session is connected."""

        def __enter__(self) -> Session:
            marks.end("options")
            session = super().__enter__()
            marks.end("connect")
            return session

    async def timed_find(coordinators: Coordinators, groups: list[str]) -> Any:
        marks.end("the operation")
        missed = await find(coordinators, groups)
        marks.end("find the coordinators")
        return missed

    replaced: tuple[tuple[object, str, object], ...] = (
        (_ansible, "AnsibleModule", Module),
        (_ansible, "Session", Connected),
        (Coordinators, "find", timed_find),
    )
    for owner, name, timed in replaced:
        setattr(owner, name, timed)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        consumer_group.main()
    marks.end("results")
    print(json.dumps(marks.taken))


if __name__ == "__main__":
    main()
