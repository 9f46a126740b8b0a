# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pages: self-contained HTML files, with a policy that allows nothing but their own script."""

from __future__ import annotations

import base64
import hashlib
import typing as t

from . import wording


def render(template: str, style: str, script: str, **values: t.Any) -> str:
    """Return a page; texts are escaped."""
    # imported late, because the library may be missing, which engine/process.py reports
    import jinja2

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        printable=wording.printable,
        shorten=wording.shorten,
        number=wording.format_number,
        time=wording.format_time,
    )
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.from_string(template).render(
        style=style, script=script, script_hash=f"sha256-{digest}", **values
    )
