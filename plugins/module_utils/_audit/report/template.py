# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pages: self-contained HTML files, with a policy that allows nothing but their own script."""

from __future__ import annotations

import base64
import hashlib
import typing as t

from . import wording

_HEAD = r"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src '{{ script_hash }}';
 base-uri 'none'; form-action 'none'">
<title>{{ title }}</title>
<style>{{ style|safe }}</style>
</head>
"""
_END = """</html>
"""


def render(body: str, style: str, script: str, title: str, **values: t.Any) -> str:
    """Return a page; texts are escaped.

    Args:
        body: the template of the body, which contains C({{ script|safe }}).
    """
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
    return environment.from_string(_HEAD + body + _END).render(
        title=title, style=style, script=script, script_hash=f"sha256-{digest}", **values
    )
