# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is shipped to the executors, and what is made of Spark's exceptions."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import zipfile

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import shipping, spark_read

ROOT = "ansible_collections.kafkaops.groups.plugins.module_utils"
FOLDER = ROOT.replace(".", "/")
# a Python without site-packages: what the executors need beside is theirs
AGAIN = """
import sys
sys.path.insert(0, sys.argv[1])
import importlib
importlib.import_module(sys.argv[3] + "._audit.ingest.executor")
importlib.import_module(sys.argv[3] + "._audit.ingest.datasource")
importlib.import_module(sys.argv[3] + "._audit.ingest.shipping").write(sys.argv[2])
"""


def contents(archive: pathlib.Path) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_the_package_is_whole_and_can_be_made_from_a_zip(tmp_path: pathlib.Path) -> None:
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    shipping.write(str(first))
    shipped = contents(first)
    here = pathlib.Path(str(shipping.__file__)).parents[2]
    sources = {f"{FOLDER}/{file.relative_to(here)}": file.read_bytes() for file in here.glob("_audit/**/*.py")}
    assert {name: shipped.get(name) for name in sources} == sources
    folders = {str(folder) for name in shipped for folder in pathlib.PurePosixPath(name).parents[:-1]}
    assert {f"{folder}/__init__.py" for folder in folders} <= shipped.keys()
    subprocess.run([sys.executable, "-I", "-S", "-c", AGAIN, str(first), str(second), ROOT], check=True)
    assert contents(second) == shipped


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "An exception was thrown from the Python worker:\nTraceback (most recent call last):\n"
            '  File "reader.py", line 1, in read\n    raise TaskError("...")\n'
            f"{ROOT}._errors.TaskError: Partition 1 cannot be read (why: because).\n\n\tat org.apache.spark.Some\n",
            "Partition 1 cannot be read (why: because).",
        ),
        (
            "Job aborted due to stage failure: Task 0 failed 4 times\nTraceback (most recent call last):\n"
            "  File \"x.py\", line 1\nModuleNotFoundError: No module named 'pyarrow'\n\tat org.apache\n",
            "ModuleNotFoundError: No module named 'pyarrow'",
        ),
        (
            "[UNRESOLVED_COLUMN] no such column. SQLSTATE: 42703;\n'Project [x]\n",
            "[UNRESOLVED_COLUMN] no such column. SQLSTATE: 42703;",
        ),
        ("All masters are unresponsive", "All masters are unresponsive"),
    ],
)
def test_the_cause_of_a_failure_is_one_sentence(text: str, sentence: str) -> None:
    assert spark_read.cause(Exception(text)) == sentence
