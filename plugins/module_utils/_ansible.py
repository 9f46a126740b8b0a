# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The only file that knows AnsibleModule: the argument spec, the check of dependencies, one way to exit."""

from __future__ import annotations

import collections.abc as c
import gc
import json
import sys
import typing as t

from ansible.module_utils.basic import AnsibleFallbackNotFound, AnsibleModule, env_fallback, missing_required_lib

# first: it ends on a Python that cannot import the rest
from . import _python  # noqa: F401 # pylint: disable=unused-import
from ._errors import ConditionsNotMet, MissingLibrary, TaskError, in_one_line
from ._kafka.errors import CallError
from ._kafka.library import KAFKA_IMPORT_ERROR, REQUIREMENT
from ._kafka.options import Connection, FromEnvironment, write_contents
from ._kafka.session import Session
from ._operations import results
from ._operations.results import Report

# of an option's value that Ansible repeats in the result of a task that does not return all items
_LONGEST_LIST = 100

R = t.TypeVar("R")
Params = dict[str, t.Any]
Outcome = Report | dict[str, t.Any]  # pylint: disable=unsupported-binary-operation


def environment(name: str) -> str:
    """Return an environment variable; an empty one counts as not set, since forms such as AWX's set all of theirs."""
    value: str = env_fallback(name)
    if not value:
        raise AnsibleFallbackNotFound
    return value


def content(name: str) -> FromEnvironment:
    """Return an environment variable as `environment` does, marked so that a path of the same file takes precedence."""
    return FromEnvironment(environment(name))


CONNECTION_SPEC: dict[str, t.Any] = {
    "bootstrap_servers": {
        "type": "list",
        "elements": "str",
        "required": True,
        "fallback": (environment, ["KAFKA_BOOTSTRAP_SERVERS"]),
    },
    "security_protocol": {
        "type": "str",
        "choices": ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"],
        "default": "PLAINTEXT",
        "fallback": (environment, ["KAFKA_SECURITY_PROTOCOL"]),
    },
    "sasl_mechanism": {
        "type": "str",
        "choices": ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI"],
        "fallback": (environment, ["KAFKA_SASL_MECHANISM"]),
    },
    "sasl_username": {"type": "str", "fallback": (environment, ["KAFKA_SASL_USERNAME"])},
    "sasl_password": {"type": "str", "no_log": True, "fallback": (environment, ["KAFKA_SASL_PASSWORD"])},
    "sasl_oauth_provider": {
        "type": "str",
        "choices": ["aws_msk_iam"],
        "fallback": (environment, ["KAFKA_SASL_OAUTH_PROVIDER"]),
    },
    "sasl_oauth_token": {"type": "str", "no_log": True, "fallback": (environment, ["KAFKA_SASL_OAUTH_TOKEN"])},
    "sasl_oauth_token_url": {
        "type": "str",
        "no_log": False,
        "fallback": (environment, ["KAFKA_SASL_OAUTH_TOKEN_URL"]),
    },
    "sasl_oauth_token_url_cafile": {
        "type": "path",
        "no_log": False,
        "fallback": (environment, ["KAFKA_SASL_OAUTH_TOKEN_URL_CAFILE"]),
    },
    "sasl_oauth_token_url_ca": {
        "type": "str",
        "no_log": False,
        "fallback": (content, ["KAFKA_SASL_OAUTH_TOKEN_URL_CA"]),
    },
    "sasl_oauth_client_id": {"type": "str", "fallback": (environment, ["KAFKA_SASL_OAUTH_CLIENT_ID"])},
    "sasl_oauth_client_secret": {
        "type": "str",
        "no_log": True,
        "fallback": (environment, ["KAFKA_SASL_OAUTH_CLIENT_SECRET"]),
    },
    "sasl_oauth_scope": {"type": "str", "fallback": (environment, ["KAFKA_SASL_OAUTH_SCOPE"])},
    "sasl_kerberos_service_name": {
        "type": "str",
        "default": "kafka",
        "fallback": (environment, ["KAFKA_SASL_KERBEROS_SERVICE_NAME"]),
    },
    "sasl_kerberos_keytab": {
        "type": "str",
        "no_log": True,
        "fallback": (environment, ["KAFKA_SASL_KERBEROS_KEYTAB"]),
    },
    "ssl_cafile": {"type": "path", "fallback": (environment, ["KAFKA_SSL_CAFILE"])},
    "ssl_certfile": {"type": "path", "fallback": (environment, ["KAFKA_SSL_CERTFILE"])},
    "ssl_keyfile": {"type": "path", "no_log": False, "fallback": (environment, ["KAFKA_SSL_KEYFILE"])},
    "ssl_ca": {"type": "str", "fallback": (content, ["KAFKA_SSL_CA"])},
    "ssl_certificate": {"type": "str", "no_log": True, "fallback": (content, ["KAFKA_SSL_CERTIFICATE"])},
    "ssl_key": {"type": "str", "no_log": True, "fallback": (content, ["KAFKA_SSL_KEY"])},
    "ssl_keyfile_password": {
        "type": "str",
        "no_log": True,
        "fallback": (environment, ["KAFKA_SSL_KEYFILE_PASSWORD"]),
    },
    "ssl_check_hostname": {
        "type": "bool",
        "default": True,
        "fallback": (environment, ["KAFKA_SSL_CHECK_HOSTNAME"]),
    },
    "client_id": {"type": "str", "default": "kafkaops.groups", "fallback": (environment, ["KAFKA_CLIENT_ID"])},
    "request_timeout": {"type": "float", "default": 30, "fallback": (environment, ["KAFKA_REQUEST_TIMEOUT"])},
    "timeout": {"type": "float", "default": 120, "fallback": (environment, ["KAFKA_TIMEOUT"])},
}

#: The options of every changing module; documented in the fragment C(results).
RESULTS_SPEC: dict[str, t.Any] = {
    "detail": {"type": "str", "choices": results.DETAILS, "default": "full"},
}

#: What belongs together whatever else is given; the environment may hold more than the chosen mechanism uses.
CONNECTION_RULES: dict[str, t.Any] = {
    "required_if": [
        ("security_protocol", "SASL_PLAINTEXT", ("sasl_mechanism",)),
        ("security_protocol", "SASL_SSL", ("sasl_mechanism",)),
        ("sasl_mechanism", "PLAIN", ("sasl_username", "sasl_password")),
        ("sasl_mechanism", "SCRAM-SHA-256", ("sasl_username", "sasl_password")),
        ("sasl_mechanism", "SCRAM-SHA-512", ("sasl_username", "sasl_password")),
        ("sasl_mechanism", "OAUTHBEARER", ("sasl_oauth_provider", "sasl_oauth_token", "sasl_oauth_token_url"), True),
    ],
}


def declared(argument_spec: dict[str, t.Any], rules: c.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return what a module declares to Ansible: its own options and rules, and those of the connection."""
    return {
        "argument_spec": {**CONNECTION_SPEC, **argument_spec},
        **rules,
        "required_if": [*CONNECTION_RULES["required_if"], *rules.get("required_if", ())],
    }


def _module(given: dict[str, t.Any]) -> AnsibleModule:
    try:
        return AnsibleModule(**given, supports_check_mode=True)
    except (OverflowError, TypeError, ValueError) as exc:
        # so ansible-core 2.19 fails at infinity for an integer, a number for a dictionary, and thousands of digits
        words = f"An option has a value that Ansible cannot read ({exc}): compare the task with the documentation."
        sys.stdout.write(json.dumps({"failed": True, "changed": False, "msg": words}) + "\n")
        raise SystemExit(1) from exc


def collect_rarely() -> None:
    """Look for garbage now and then only, in a process that ends with its task: objects rarely stand in cycles here."""
    gc.freeze()
    gc.set_threshold(1_000_000)


def run(
    argument_spec: dict[str, t.Any],
    parse: c.Callable[[Params], R],
    operation: c.Callable[[R, Session], c.Coroutine[t.Any, t.Any, Outcome]],
    failed: c.Callable[[R], None] | None = None,
    **rules: t.Any,
) -> None:
    """Run a module: its own options and the connection's, one operation, one exit.

    Args:
        argument_spec: the module's own options.
        parse: checks of the options what rules cannot say, before anything is sent, and puts them into a value.
        operation: what it does with that value: a Report of what was changed, or an answer that changes nothing.
        failed: what it does if the operation fails, or cannot connect.
        rules: mutually_exclusive and the like.
    """
    module = _module(declared(argument_spec, rules))
    collect_rarely()
    try:
        if KAFKA_IMPORT_ERROR is not None:
            raise MissingLibrary(REQUIREMENT, KAFKA_IMPORT_ERROR)
        # first: the audit's request contains the connection
        write_contents(module.params, lambda: str(module.tmpdir))
        request = parse(module.params)
        try:
            with Session(Connection.from_params(module.params), module.check_mode) as session:
                try:
                    outcome = session.wire.run(operation, request, session)
                finally:
                    for warning in session.warnings:
                        module.warn(warning)
        except (CallError, TaskError):
            if failed is not None:
                failed(request)
            raise
    except MissingLibrary as exc:
        module.fail_json(msg=missing_required_lib(exc.library), exception=exc.trace)
    except ConditionsNotMet as exc:
        module.fail_json(msg=str(exc), changed=False, requests=dict(session.wire.requests), **exc.answer)
    except TaskError as exc:
        module.fail_json(msg=str(exc), changed=False, **(_outcome(module, exc.results) if exc.results else {}))
    except CallError as exc:
        module.fail_json(msg=in_one_line(f"{exc}."), changed=False)
    if isinstance(outcome, Report):
        _exit_report(module, session, outcome)
    else:
        _exit_answer(module, session, outcome)


def run_on_files(
    argument_spec: dict[str, t.Any],
    parse: c.Callable[[Params], R],
    operation: c.Callable[[R, bool], dict[str, t.Any]],
    **rules: t.Any,
) -> None:
    """Run a module that only reads and writes files, without brokers.

    Args:
        argument_spec: all options of the module.
        parse: as in `run`.
        operation: what it does with the request, and in check mode or not; it returns the result, with its diff and its
            warnings if it has some.
        rules: mutually_exclusive and the like.
    """
    module = _module({"argument_spec": argument_spec, **rules})
    try:
        returned = operation(parse(module.params), module.check_mode)
    except TaskError as exc:
        module.fail_json(msg=str(exc), changed=False)
    if not module._diff:
        returned.pop("diff", None)
    for warning in returned.pop("warnings", ()):
        module.warn(warning)
    module.exit_json(**returned)


def _outcome(module: AnsibleModule, items: results.Items) -> dict[str, t.Any]:
    detail = module.params["detail"]
    outcome = {"results": results.returned(items, detail), "summary": results.summary(items)}
    # else Ansible repeats all options, thousands of names among them
    return outcome if detail == "full" else {**outcome, "invocation": {"module_args": _shortened(module.params)}}


def _shortened(params: Params) -> Params:
    """Return the options, with the length of a long list in its place."""
    return {
        name: f"{len(value)} entries" if isinstance(value, list) and len(value) > _LONGEST_LIST else value
        for name, value in params.items()
    }


def _exit_report(module: AnsibleModule, session: Session, report: Report) -> None:
    returned: dict[str, t.Any] = {
        "changed": any(item.changed for item in report.items),
        **_outcome(module, report.items),
        "requests": dict(session.wire.requests),
        "backup_file": report.backup_file,
        **report.extra,
    }
    if module._diff:
        returned["diff"] = results.diff(report.items)
    problems = [words for words in (results.message(report.items), report.problem) if words]
    if problems:
        module.fail_json(msg=" ".join(problems), **returned)
    module.exit_json(**returned)


def _exit_answer(module: AnsibleModule, session: Session, answer: dict[str, t.Any]) -> None:
    returned = {"changed": False, "requests": dict(session.wire.requests), **answer}
    errors = answer.get("errors")
    if errors and not module.params["partial"]:
        module.fail_json(msg=f"{results.unread(errors)}; set partial to true to continue.", **returned)
    module.exit_json(**returned)
