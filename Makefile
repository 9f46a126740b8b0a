# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
PYTHON ?= python3
.PHONY: setup demo test test-matrix check bench bench-check docs lock clean

setup:
	@PYTHON="$(PYTHON)" bash tests/support/setup.sh

demo: setup
	@.venv/bin/python -m tests.support.demo

test:
	@PYTHON="$(PYTHON)" bash tests/support/setup.sh test
	@.venv/bin/pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder

test-matrix:
	@PYTHON="$(PYTHON)" bash tests/support/setup.sh test
	@.venv/bin/python -m tests.support.matrix

check: setup
	@.venv/bin/pytest -m fast

bench: setup
	@.venv/bin/python -m benchmarks

bench-check: setup
	@.venv/bin/python -m benchmarks check

docs: setup
	@.venv/bin/python -m tests.support.docsite

lock: setup
	@for kind in build dev test spark41; do .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-annotate --custom-compile-command "make lock" requirements/$$kind.txt -o requirements/$$kind.lock; done

clean:
	rm -rf .venv .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
