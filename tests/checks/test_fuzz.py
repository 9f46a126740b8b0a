# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever bytes the offsets topic holds, the decoder gives a row for each record, and never fails."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.checks.conftest import run

RECORDS = 1_000_000


def test_a_million_mutated_records_are_decoded(checkout: Path) -> None:
    told = run([sys.executable, "-m", "tests.fuzz_decode", "--records", str(RECORDS)], checkout)
    last = told.splitlines()[-1]
    print(last)
    done = re.fullmatch(r"(\d+) records in \d+ s: no crash", last)
    assert done, told[-4000:]
    assert int(done.group(1)) >= RECORDS
