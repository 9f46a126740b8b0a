# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every option of every module with values that make no sense, through Ansible's own parser and then ours."""

from __future__ import annotations

import collections.abc as c
import json
import math
import os
import subprocess
import sys
import tempfile
import typing as t

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import CONNECTION_SPEC
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.options import Connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.collection import install
from tests.support.modules import CONNECTING, MODULES, answer, connects, module_of

FOLDER = tempfile.gettempdir()
SECRET = "s3cr3t-9317"
SECRETS = [name for name, option in CONNECTION_SPEC.items() if option.get("no_log")]
LONGEST = 2000
NOBODY = "127.0.0.1:1"
GROUP = {"names": ["g"]}
#: What a module needs, and nothing else.
LEAST: dict[str, dict[str, t.Any]] = {
    "consumer_group": GROUP,
    "consumer_group_info": {},
    "consumer_group_members": {**GROUP, "remove_all": True},
    "consumer_group_offsets": {"group": "g", "topics": [{"name": "t"}], "reset": {"to_earliest": True}},
    "consumer_offsets_audit": {"output": os.path.join(FOLDER, "kafkaops-odd")},
    "fleet_report": {"output": "/nowhere/audits", "dest": os.path.join(FOLDER, "kafkaops-odd.html")},
    "group_config": GROUP,
    "plan_approval": {"plan": "/nowhere/plan.json", "approved_by": "somebody", "dest": "/nowhere/approved.json"},
    "share_group_offsets": {"group": "g", "topics": [{"name": "t"}], "reset": {"to_earliest": True}},
    "topic": {"names": ["t"], "state": "absent"},
    "topic_info": {},
}
#: The login that an option is a part of.
LOGINS = {
    "sasl": {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "PLAIN",
        "sasl_username": "u",
        "sasl_password": SECRET,
    },
    "ssl": {"security_protocol": "SSL"},
}
TEXTS = (
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",
    "\udc80",
    "a\nb",
    "x" * 100_000,
    "ü☃🚀",
    "\u202e",
    "-1",
    "1e400",
    "nan",
    "inf",
    "007",
    "0x10",
    "½",
    "\uff19",
    "~(",
    "~a{99999999999}",
    "~" + "(" * 5000,
    "[",
    "$(reboot)",
    "; reboot",
    "`reboot`",
    "{{ 7 * 7 }}",
    "/",
    FOLDER,
    "/dev/null",
    "/nowhere/file",
    "../..",
    "~/x",
    "$HOME",
    "a/",
    "file:///etc/passwd",
    "http://[",
    "a:b",
    "broker:\uff19\uff10",
    "x" * 300 + ":9092",
    "[::1]:1",
    "a..b:1",
    "P1D",
    "9" * 5000,
    "9" * 5000 + "d",
    "yes",
    "null",
    "a,b",
    "SSL",
)
NUMBERS = [
    0,
    -1,
    2**31,
    2**63,
    -(2**63),
    10**300,
    math.nan,
    math.inf,
    -math.inf,
    1e308,
    5e-324,
    -0.0,
    True,
    False,
    None,
]
TEXT = st.one_of(st.sampled_from(TEXTS), st.text(st.characters(exclude_categories=()), max_size=20))
LEAF = st.one_of(st.sampled_from(NUMBERS), st.integers(), st.floats(), TEXT)
KEY = st.sampled_from(["name", "topic", "partition", "partitions", "offset", "member_id", "topics", "spark.a", "other"])
ODD = st.recursive(
    LEAF,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEY, inner, max_size=3)),
    max_leaves=6,
)


def check(name: str, args: dict[str, t.Any]) -> str | None:
    """Return why a module refuses its arguments, None if it does not: all that it does before it connects."""
    module = module_of(name)
    try:
        result = ArgumentSpecValidator(module.spec, **module.rules).validate(args)
    except (OverflowError, TypeError):
        # ansible-core fails so at infinity for an integer, and at a number for a dictionary
        return None
    if result.error_messages:
        # these words are Ansible's
        return None
    try:
        module.parse(result.validated_parameters)
        if not connects(name):
            return None
        connection = Connection.from_params(result.validated_parameters)
        connection.wire_config()
        if connection.sasl_mechanism != "GSSAPI":
            connection.cluster_config()
    except TaskError as exc:
        return str(exc)
    return None


def least(name: str) -> dict[str, t.Any]:
    """What a module needs, with brokers that do not exist if it connects."""
    return {**({"bootstrap_servers": [NOBODY]} if connects(name) else {}), **LEAST[name]}


def judge(sentence: str, options: c.Iterable[str]) -> None:
    assert any(option in sentence for option in options), sentence
    assert sentence.endswith("."), sentence
    assert len(sentence) < LONGEST, sentence
    assert sentence.isprintable(), sentence
    assert SECRET not in sentence


def test_every_module_is_tried() -> None:
    assert sorted(LEAST) == MODULES


def odd_arguments(name: str) -> st.SearchStrategy[dict[str, t.Any]]:
    """What a module needs, with some options that make no sense; secrets hold SECRET."""

    def value(option: str) -> st.SearchStrategy[t.Any]:
        known = module_of(name).spec[option]
        if option in SECRETS:
            return TEXT.map(lambda odd: SECRET + odd)
        if "choices" in known and known["type"] == "str":
            return st.one_of(st.sampled_from(known["choices"]), LEAF)
        return ODD

    # a folder that would be made
    options = sorted(set(module_of(name).spec) - {"output"})
    odd = st.lists(st.sampled_from(options), min_size=1, max_size=4, unique=True).flatmap(
        lambda chosen: st.fixed_dictionaries({option: value(option) for option in chosen})
    )
    return odd.map(lambda given: {**least(name), **given})


@pytest.mark.parametrize("name", MODULES)
def test_odd_values_get_one_sentence(name: str) -> None:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(odd_arguments(name))
    def each(args: dict[str, t.Any]) -> None:
        sentence = check(name, args)
        if sentence is not None:
            judge(sentence, module_of(name).spec)

    each()


def options_of(name: str) -> list[str]:
    """All options of a module but its folder, which would be created.

    Those of the connection are the same in all modules, and are tried in the first one, and in the audit, which passes
    them to another client, too.
    """
    shared = CONNECTION_SPEC if connects(name) and name not in (CONNECTING[0], "consumer_offsets_audit") else {}
    spec = module_of(name).spec
    return sorted(option for option in spec if option != "output" and shared.get(option) != spec[option])


@pytest.mark.parametrize("name", MODULES)
def test_each_option_with_each_odd_value(name: str) -> None:
    for option in options_of(name):
        base = {**least(name), **LOGINS.get(option.partition("_")[0], {})}
        values: list[t.Any] = [*NUMBERS, *TEXTS, [], [[]], [["a"]], {}, {"a": {}}, [None], [{}]]
        for odd in values:
            sentence = check(name, {**base, option: f"{SECRET}{odd}" if option in SECRETS else odd})
            if sentence is not None:
                judge(sentence, module_of(name).spec)


SASL = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "PLAIN", "sasl_username": "u", "sasl_password": SECRET}
TOKEN = {
    "security_protocol": "SASL_PLAINTEXT",
    "sasl_mechanism": "OAUTHBEARER",
    "sasl_oauth_token_url": "http://127.0.0.1:1/token",
    "sasl_oauth_client_id": "me",
    "sasl_oauth_client_secret": SECRET,
}
#: A module, and what is odd in what it is given; it then fails in its own words or in Ansible's.
WHOLE: list[tuple[str, dict[str, t.Any]]] = [
    ("consumer_group", {}),
    ("consumer_group", {"names": [["g"]]}),
    ("consumer_group", {"names": "\0\n\u202e"}),
    ("consumer_group", {"max_changes": 2**63}),
    ("consumer_group", {"max_changes": "1e3"}),
    ("consumer_group", {"max_changes": "9" * 5000}),
    ("consumer_group", {"max_changes": math.inf}),
    ("consumer_group", {"backup": "/tmp/\0"}),
    ("consumer_group", {"bootstrap_servers": ["x" * 300 + ":9092"]}),
    ("consumer_group", {"bootstrap_servers": ["a..b:9092", "\u2603.invalid:1"]}),
    ("consumer_group", {"bootstrap_servers": [[NOBODY]]}),
    ("consumer_group", {"timeout": "nan"}),
    ("consumer_group", {"timeout": "1e-9"}),
    ("consumer_group", {"request_timeout": 1e-9}),
    ("consumer_group", {**SASL, "sasl_password": [SECRET]}),
    ("consumer_group", {**SASL, "sasl_username": "u" * 100_000}),
    ("consumer_group", {**SASL, "client_id": "\u2603" * 300}),
    ("consumer_group", {"security_protocol": "SSL", "ssl_cafile": FOLDER}),
    ("consumer_group", {"security_protocol": "SSL", "ssl_certfile": FOLDER, "ssl_keyfile_password": SECRET}),
    ("consumer_group", {**TOKEN, "sasl_oauth_scope": "\n" * 1000}),
    ("consumer_group", {**TOKEN, "sasl_oauth_token_url": f"http://u:{SECRET}@127.0.0.1:1/token"}),
    ("consumer_group", {**TOKEN, "sasl_oauth_token_url": "http://127.0.0.1:99999/\r\n"}),
    ("consumer_group_info", {"match": "~a{99999999999}"}),
    ("consumer_group_members", {"settle_time": "nan"}),
    ("consumer_group_offsets", {"reset": {"to_offset": 10**300}}),
    ("consumer_group_offsets", {"reset": {"to_offset": "9" * 5000}}),
    ("consumer_group_offsets", {"reset": {"shift_by": -(2**63)}}),
    ("consumer_group_offsets", {"reset": {"to_datetime": "9" * 5000}}),
    ("consumer_group_offsets", {"reset": {"by_duration": "9" * 5000 + "d"}}),
    ("consumer_group_offsets", {"reset": {"to_earliest": False}}),
    ("consumer_group_offsets", {"reset": {"to_offset": math.inf}}),
    ("consumer_group_offsets", {"reset": 5}),
    ("consumer_group_offsets", {"topics": [5]}),
    ("consumer_group_offsets", {"reset": None, "restore": {"path": "/tmp/\0"}}),
    ("consumer_group_offsets", {"topics": [{"name": "t", "partitions": [2**63]}]}),
    ("consumer_offsets_audit", {"output": FOLDER + "/\0"}),
    ("plan_approval", {"plan": "/nowhere/\0"}),
    ("plan_approval", {"plan": "/nowhere/"}),
    ("plan_approval", {"approved_by": " "}),
    ("plan_approval", {"match": "~("}),
    ("plan_approval", {"selected_csv": [["x"]]}),
    ("plan_approval", {"dest": None}),
    ("topic", {"names": {"a": "b"}}),
    ("topic_info", {"names": "x" * 100_000}),
]


#: Ansible's controller, which other tests load into this process, does not hand these on.
SURROGATES: list[tuple[str, dict[str, t.Any]]] = [
    ("consumer_group", {"names": ["\ud800"]}),
    ("consumer_group", {**SASL, "sasl_password": SECRET + "\ud800"}),
    ("consumer_offsets_audit", {"spark_conf": {"spark.a": "\ud800"}}),
]


def judge_answer(returned: dict[str, t.Any]) -> None:
    assert returned["failed"]
    assert "exception" not in returned
    assert returned["msg"]
    assert len(returned["msg"]) < 3 * LONGEST
    assert SECRET not in json.dumps(returned)


@pytest.mark.parametrize(("name", "args"), SURROGATES)
def test_a_process_answers_with_one_message(name: str, args: dict[str, t.Any]) -> None:
    given = {"timeout": 5, **least(name), **args}
    done = subprocess.run(
        [sys.executable, "-m", f"ansible_collections.kafkaops.groups.plugins.modules.{name}"],
        input=json.dumps({"ANSIBLE_MODULE_ARGS": given}),
        env={**os.environ, "PYTHONPATH": str(install())},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    judge_answer(json.loads(done.stdout))
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(("name", "args"), WHOLE)
def test_a_module_answers_with_one_message(
    name: str, args: dict[str, t.Any], capfd: pytest.CaptureFixture[str]
) -> None:
    returned = answer(name, {**({"timeout": 5} if connects(name) else {}), **least(name), **args})
    judge_answer(returned)
    assert capfd.readouterr() == ("", "")
