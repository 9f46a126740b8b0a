# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The columns of tables, as a guide describes them and as a version of the tables has them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection

from tests.support.collection import CHECKOUT

#: The name and the type of each column, by table, in order.
Columns = dict[str, list[tuple[str, str]]]


def described(guide: str, names: Collection[str]) -> tuple[str, Columns]:
    """A guide, and the columns of these tables in it: those of all tables, and those in the section of each."""
    text = (CHECKOUT / "docs" / "docsite" / "rst" / guide).read_text("utf-8")
    common, *parts = re.split(rf"^({'|'.join(names)})$", text, flags=re.MULTILINE)
    tables = dict(zip(parts[::2], map(_columns, parts[1::2]), strict=True))
    return text, {name: _columns(common) + tables[name] for name in names}


def _columns(text: str) -> list[tuple[str, str]]:
    return re.findall(r"^   \* - ``(\w+)``\n     - (\w+)$", text, flags=re.MULTILINE)


def fingerprint(columns: Columns) -> str:
    return hashlib.sha256(str(sorted(columns.items())).encode()).hexdigest()[:16]
