# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compile each source in a zip archive once, for all Python processes that have this folder in their PYTHONPATH.

Ansible sends each module as an archive of sources, which Python otherwise compiles anew in each process.
"""

import _imp
import importlib._bootstrap_external as bootstrap
import marshal
import os
import zipimport
from types import CodeType

_FOLDER = os.environ["KAFKAOPS_COMPILED"]
_compile = zipimport._compile_source  # type: ignore[attr-defined]


def _compile_once(path: str, source: bytes) -> CodeType:
    text = path.partition(".zip")[2].encode() + source
    # as in the names of hash-based .pyc files
    file = f"{_FOLDER}/{_imp.source_hash(bootstrap._RAW_MAGIC_NUMBER, text).hex()}"  # type: ignore[attr-defined]
    if os.path.exists(file):
        with open(file, "rb") as kept:
            return marshal.load(kept)  # type: ignore[no-any-return]
    code: CodeType = _compile(path, source)
    fresh = f"{file}.{os.getpid()}"
    with open(fresh, "wb") as kept:
        marshal.dump(code, kept)
    os.replace(fresh, file)
    return code


zipimport._compile_source = _compile_once  # type: ignore[attr-defined]
