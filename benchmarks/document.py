# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages that the benchmarks write: docs/benchmarks.md and the pages with long tables, section by section."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
GROUPS = PAGE.with_suffix("") / "groups.md"


def replace_section(name: str, text: str, where: Path | None = None) -> None:
    """Replace a section of a page with `text`; the default page is `PAGE`.

    :raises ValueError: when the page has no such section.
    """
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    path = where or PAGE
    page = path.read_text(encoding="utf-8")
    found = re.sub(f"{begin}.*?{end}", lambda _: f"{begin}\n{text}\n{end}", page, flags=re.DOTALL)
    if end not in page:
        raise ValueError(f"{path} has no section {name}")
    path.write_text(found, encoding="utf-8")


def table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first row is the header."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])
