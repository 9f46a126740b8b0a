# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Galaxy's importer with its run of ansible-lint; ansible-test, which it runs in a container, has its own check."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from galaxy_importer.file_parser import PatternsParser
from galaxy_importer.finder import ContentFinder

from tests.checks.conftest import run
from tests.checks.examples import problems_of_variables


def test_galaxy_imports_the_collection(built: Path, tmp_path: Path) -> None:
    told = run(
        [sys.executable, "-m", "galaxy_importer.main", built], tmp_path, GALAXY_IMPORTER_RUN_ANSIBLE_TEST="false"
    )
    assert "Linting collection via ansible-lint" in told
    assert "Loading eda/plugins/event_source consumer_groups" in told
    assert told.splitlines()[-1] == "Importer processing completed successfully"
    # it gives ansible-lint 180 s, which a slow machine exceeds; tests/checks/test_static.py runs it without a limit
    assert {*re.findall("^(?:ERROR|WARNING).*", told, re.MULTILINE)} <= {"ERROR: Timeout on call to ansible-lint"}


def test_galaxy_finds_the_pattern(released: Path) -> None:
    """By the code of the importer: files, metadata and the primary playbook; its questions are those of the survey."""
    found = {item.path for item in ContentFinder().find_contents(str(released)) if item.content_type.name == "PATTERNS"}
    folder = "extensions/patterns/clean_up_consumer_groups"
    assert found == {f"{folder}/{name}" for name in ("README.md", "meta/pattern.json", "playbooks/cleanup.yml")}
    (pattern,) = PatternsParser(str(released)).get_meta_patterns()
    # no more and no fewer than what the importer passes on
    assert pattern.keys() == {
        "schema_version",
        "name",
        "title",
        "description",
        "short_description",
        "tags",
        "aap_resources",
    }
    assert f"extensions/patterns/{pattern['name']}" == folder
    (template,) = pattern["aap_resources"]["controller_job_templates"]
    assert (released / folder / "playbooks" / template["playbook"]).is_file()
    questions = {question["variable"]: question for question in template["survey"]["spec"]}
    survey = json.loads((released / "awx" / "surveys" / "cleanup.json").read_text(encoding="utf-8"))
    for question in survey["spec"]:
        asked = questions.pop(question["variable"], {})
        assert asked.items() <= question.items()
    # what a job template of AWX has in its variables
    assert questions.keys() == {"cleanup_output", "cleanup_backup_folder"}
    answers = {name: question["default"] for name, question in questions.items()}
    assert problems_of_variables(answers, whole=True) == []
