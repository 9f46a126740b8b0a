# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names and lists as users give them."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils import _input as inputs
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._names import group_names


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("one", ["one"]),
        ("a,b", ["a,b"]),
        (["a b", "a,b", "'q'", '"', "ü ☃", "12345", "x\ny"], ["a b", "a,b", "'q'", '"', "ü ☃", "12345", "x\ny"]),
        (["b", "a", "b"], ["b", "a"]),
        (["x" * 249], ["x" * 249]),
    ],
)
def test_names(given: t.Any, names: list[str]) -> None:
    assert group_names(given) == names


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([], "names is an empty list"),
        (["a", 7], r"names\[1\] is 7, which YAML reads as a number: put quotes around it"),
        ([True], "reads as a truth value"),
        ([1.5], "reads as a number"),
        ([None], "is null, and must be a string"),
        ([{"name": "a"}], "is a dictionary, and must be a string"),
        (7, "reads as a number"),
        (["a", ""], r"names\[1\] is empty, which Kafka refuses as INVALID_GROUP_ID"),
        ("", r"names\[0\] is empty"),
        (["\udc80"], "not valid UTF-8"),
        (["x" * 32701], "longer than Kafka's 32700 bytes"),
    ],
)
def test_refused_names(given: t.Any, sentence: str) -> None:
    with pytest.raises(TaskError, match=sentence) as refusal:
        group_names(given)
    assert str(refusal.value).endswith(".")


def test_an_empty_name_is_reported_as_a_result() -> None:
    with pytest.raises(TaskError) as refusal:
        group_names(["a", ""])
    (item,) = refusal.value.results
    assert item.as_result()["error"]["name"] == "INVALID_GROUP_ID"
    assert item.as_result()["failed"] is True


@pytest.mark.parametrize("pattern", ["~(", "~a{99999999999}", "~" + "(" * 5000])
def test_refused_patterns(pattern: str) -> None:
    with pytest.raises(TaskError, match=r"^match: '~.*' is not a regular expression \("):
        inputs.matcher([pattern], "match")


def test_a_message_is_one_line_of_bounded_length() -> None:
    words = str(TaskError("a\n\ud800\u202e" + "x" * 100_000 + "look at it."))
    assert words.startswith("a\\n\\ud800\\u202exxx")
    assert words.endswith("xxxlook at it.")
    assert len(words) < 2000
