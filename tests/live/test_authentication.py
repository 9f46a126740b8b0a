# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every module by every way to authenticate, and what is said of each that does not work."""

from __future__ import annotations

import asyncio
import base64
import functools
import json
import os
import re
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.engine.settings import LOG
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest import distribution, planning, scan
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.ingest.access import Access
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.judge import snapshot
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import CredentialsRefused
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.session import Session
from confluent_kafka.admin import AdminClient, ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion

from tests.live.doors import USER, Doors, Options
from tests.live.task import ansible, asked, audit_settings, connection, refusal, run, run_audit
from tests.live.test_awx import Template
from tests.support import commits, coordinators, msk, topics, truth
from tests.support.broker import Cluster
from tests.support.event_source import load

pytestmark = pytest.mark.live

TOPIC = "authentication"
SASL = ("SASL_PLAINTEXT", "SASL_SSL")

Make = Callable[[Doors], Options]


def over(listener: str, make: Make) -> Make:
    """The options of a mechanism for a SASL listener."""
    return lambda doors: doors.over(listener, make(doors))


LOGINS: dict[str, Make] = {
    "PLAIN": lambda doors: doors.sasl("PLAIN"),
    "SCRAM-SHA-256": lambda doors: doors.sasl("SCRAM-SHA-256"),
    "SCRAM-SHA-512": lambda doors: doors.sasl("SCRAM-SHA-512"),
    "token": lambda doors: doors.sasl("OAUTHBEARER", sasl_oauth_token=doors.tokens.token(USER)),
    "client-credentials": lambda doors: doors.client(doors.tokens.url),
    "GSSAPI": lambda doors: doors.sasl("GSSAPI"),
}
#: A listener, and the options to come in there.
WAYS: dict[str, tuple[str, Make]] = {
    "PLAINTEXT": ("PLAINTEXT", lambda _doors: {}),
    "SSL": ("SSL_ONE_WAY", lambda doors: doors.tls()),
    "SSL-unchecked-host": ("WRONG_HOST", lambda doors: {**doors.tls(), "ssl_check_hostname": False}),
    "mTLS": ("SSL", lambda doors: doors.tls(USER)),
    "mTLS-encrypted-key": ("SSL", lambda doors: doors.tls(USER, encrypted=True)),
    **{f"{listener}-{login}": (listener, over(listener, make)) for listener in SASL for login, make in LOGINS.items()},
    "SASL_SSL-client-credentials-https": (
        "SASL_SSL",
        over(
            "SASL_SSL",
            lambda doors: doors.client(
                doors.tokens.tls_url,
                sasl_oauth_scope="groups",
                sasl_oauth_token_url_cafile=str(doors.authority.certificate),
            ),
        ),
    ),
    "MSK": (msk.LISTENER, Doors.msk),
}
#: A module, its options (GROUP stands for a group with one committed offset), and how many items it changes (None: it
#: only reads).
TASKS: dict[str, tuple[str, dict[str, Any], int | None]] = {
    "info": ("consumer_group_info", {"names": ["GROUP"], "gather": ["members", "offsets"]}, None),
    "lag": ("consumer_group_info", {"names": ["GROUP"], "gather": ["lag"]}, None),
    "members": ("consumer_group_members", {"names": ["GROUP"], "remove_all": True}, 0),
    "set-offsets": (
        "consumer_group_offsets",
        {"group": "GROUP", "reset": {"to_latest": True}, "topics": [{"name": TOPIC, "partitions": None}]},
        1,
    ),
    "delete-offsets": (
        "consumer_group_offsets",
        {"group": "GROUP", "state": "absent", "topics": [{"name": TOPIC, "partitions": None}]},
        1,
    ),
    "delete": ("consumer_group", {"names": ["GROUP"]}, 1),
    "topic_info": ("topic_info", {"names": [TOPIC], "log": True}, None),
    "topic": ("topic", {"names": ["no-such-topic"]}, 0),
    "group_config": ("group_config", {"names": ["GROUP"], "config": {"consumer.session.timeout.ms": "50000"}}, 1),
    "share_group_offsets": (
        "share_group_offsets",
        {"group": f"{TOPIC}-no-such-group", "state": "absent", "topics": [{"name": TOPIC}]},
        0,
    ),
}


@pytest.fixture(scope="module")
def world(doors: Doors) -> Doors:
    """A topic with records, a group for each way and task, and all of that for those who have no name, too."""
    client = doors.cluster.client()
    topics.create(client, TOPIC, 1, records=3)
    offset = {(TOPIC, 0): (1, "", -1)}
    commits.commit_many(client, {f"{TOPIC}-{way}-{task}": offset for way in WAYS for task in TASKS})
    topics.allow(
        client, "ANONYMOUS", "group", TOPIC, ["read", "delete", "describe_configs", "alter_configs"], prefixed=True
    )
    topics.allow(client, "ANONYMOUS", "topic", TOPIC, ["read"])
    topics.allow(client, "ANONYMOUS", "topic", "no-such-topic", ["delete"])
    topics.allow(client, "ANONYMOUS", "topic", "__consumer_offsets", ["read"])
    return doors


@pytest.fixture
def kerberos(doors: Doors, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes this process a user of the realm."""

    def become(name: str = USER, *, stale: bool = False, **more: str) -> None:
        for variable, value in {**doors.realm.user(name, stale=stale), **more}.items():
            monkeypatch.setenv(variable, value)

    return become


@pytest.fixture(autouse=True)
def aws(monkeypatch: pytest.MonkeyPatch) -> Callable[[Mapping[str, str]], None]:
    """Gives this process an environment of AWS's; without a call, that of the user whom the broker knows."""

    def become(environment: Mapping[str, str]) -> None:
        for variable in [name for name in os.environ if name.startswith("AWS_")]:
            monkeypatch.delenv(variable)
        for variable, value in environment.items():
            monkeypatch.setenv(variable, value)

    become(msk.user())
    return become


def test_a_keytab_of_awx(world: Doors, tmp_path: Path) -> None:
    """Its credential holds it as text; the host has no ticket, and no file of it."""
    keytab = world.realm.user(USER)["KRB5_CLIENT_KTNAME"].removeprefix("FILE:")
    encoded = base64.encodebytes(Path(keytab).read_bytes()).decode()
    inputs = {
        "bootstrap_servers": world.cluster.listeners["SASL_SSL"],
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": "GSSAPI",
        "ssl_ca": world.authority.certificate.read_text(encoding="ascii"),
        "sasl_kerberos_keytab": encoded,
        "kerberos_config": world.realm.config.read_text(encoding="utf-8"),
    }
    template = Template(tmp_path, inputs, [encoded.splitlines()[0]])
    answers = {"teardown_groups": "no-such-group-*", "teardown_max_changes": 1, "teardown_settle_time": 0}
    done = template.launch("teardown", answers)
    assert (done.code, done.words, done.changed) == (0, "", [])


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("way", WAYS)
def test_it_works(world: Doors, kerberos: Callable[..., None], way: str, task: str) -> None:
    listener, make = WAYS[way]
    module, args, changes = TASKS[task]
    group = f"{TOPIC}-{way}-{task}"
    args = {
        name: [group] if value == ["GROUP"] else group if value == "GROUP" else value for name, value in args.items()
    }
    kerberos()
    outcome = run(module, world.cluster.listeners[listener], connect=make(world), **args)
    if changes is None:
        assert outcome.given["errors"] == outcome.given["missing"] == []
    else:
        assert (outcome.changed, outcome.errors) == (changes, {})


@pytest.mark.parametrize("way", WAYS)
def test_an_audit_reads(world: Doors, kerberos: Callable[..., None], way: str, tmp_path: Path) -> None:
    """By both clients, as the module does before Spark starts, and as an executor does, which has no files of it.

    A snapshot takes the requests of the module alone.
    """
    listener, make = WAYS[way]
    kerberos()
    wanted = audit_settings(tmp_path, world.cluster.listeners[listener], source="snapshots", **make(world))
    with Session(wanted.connection, check_mode=True) as session:
        taken = session.wire.run(snapshot.take, session, wanted.selection())
    known = taken.groups.filter(taken.groups["known"])["group"].to_pylist()
    assert f"{TOPIC}-{way}-info" in known
    assert f"{TOPIC}-{way}-info" in taken.offsets["group"].to_pylist()
    if way.endswith("GSSAPI"):
        sentence = refusal(world.cluster.listeners[listener], functools.partial(run_audit, tmp_path), **make(world))
        assert sentence.startswith(NO_GSSAPI)
        assert "source: snapshots" in sentence
        return
    wanted = audit_settings(tmp_path, world.cluster.listeners[listener], **make(world))
    with Session(wanted.connection, check_mode=True) as session:
        planned = distribution.distribute(session.wire.run(planning.describe, session, wanted.topic), 1)
    access, groups = Access.of(wanted.connection), set()
    for split in planned:
        for batch in scan.scan(access, wanted.topic, split, wanted.deadline):
            groups |= set(batch.column("group").to_pylist())
    assert f"{TOPIC}-{way}-info" in groups


@pytest.mark.parametrize("way", ["SASL_SSL-GSSAPI", "SASL_SSL-client-credentials"])
def test_a_whole_audit_of_snapshots(world: Doors, kerberos: Callable[..., None], way: str, tmp_path: Path) -> None:
    """The module, the process of Spark, and a plan, which the same user applies."""
    listener, make = WAYS[way]
    group, address = f"{TOPIC}-{way}-snapshots", world.cluster.listeners[listener]
    commits.commit(world.cluster.client(), group, {(TOPIC, 0): (1, "", -1)})
    kerberos()
    given: dict[str, Any] = {
        "source": "snapshots",
        "include": [group],
        "stale_after": "1s",
        "min_snapshots": 2,
        "timeout": 600,
    }
    audits = [
        ansible("consumer_offsets_audit", address, output=str(tmp_path), **given, **make(world)) for _number in range(2)
    ]
    assert [audit["rc"] for audit in audits] == [0, 0], audits
    assert [audit["stale_groups"] for audit in audits] == [[], [group]]
    plan = {"plan": audits[-1]["plan"], "backup": str(tmp_path / "backup.json")}
    applied = run("consumer_group", address, connect=make(world), **plan)
    assert ([item.target.group for item in applied.items if item.changed], applied.errors) == ([group], {})
    assert group not in truth.groups(world.cluster.client())


def oauth(**options: Any) -> Make:
    return over("SASL_SSL", lambda doors: doors.client(doors.tokens.url, **options))


def token(**claims: Any) -> Make:
    return over(
        "SASL_SSL", lambda doors: doors.sasl("OAUTHBEARER", sasl_oauth_token=doors.tokens.token(USER, **claims))
    )


def wrong_password(mechanism: str) -> Make:
    return over("SASL_SSL", lambda doors: doors.sasl(mechanism, sasl_password="wrong-secret"))


GSSAPI = over("SASL_SSL", LOGINS["GSSAPI"])
NO_GSSAPI = "This needs confluent-kafka, whose wheels come without GSSAPI"
UNTRUSTED = "the certificate is not trusted .*: check ssl_cafile or ssl_ca[.]"
UNTRUSTED_URL = "^sasl_oauth_token_url: .*certificate verify failed.*: set sasl_oauth_token_url_cafile or .*_ca[.]"
BAD_CERTIFICATE = (
    "the broker did not accept the client certificate .*check ssl_certfile and ssl_keyfile, or .*; it may be "
)
BAD_LOGIN = "authentication failed .*check sasl_username and sasl_password[.]"
BAD_TOKEN = "authentication failed .*check sasl_oauth_token, or the client and the scope"
BAD_KEY = "^ssl_certfile .* and ssl_keyfile .* cannot be used: .*look also at ssl_keyfile_password"
BAD_TICKET = "check sasl_kerberos_service_name, and the ticket or the keytab .*KRB5_CLIENT_KTNAME"

REFUSED: dict[str, tuple[str, Make, str]] = {
    **{f"password-{name}": ("SASL_SSL", wrong_password(name), BAD_LOGIN) for name in list(LOGINS)[:3]},
    "token-garbage": (
        "SASL_SSL",
        over("SASL_SSL", lambda doors: doors.sasl("OAUTHBEARER", sasl_oauth_token="x.y.z")),
        BAD_TOKEN,
    ),
    "token-stranger": ("SASL_SSL", token(stranger=True), BAD_TOKEN),
    "token-expired": ("SASL_SSL", token(exp=int(time.time()) - 600), BAD_TOKEN),
    "token-audience": ("SASL_SSL", token(aud="elsewhere"), BAD_TOKEN),
    "token-issuer": ("SASL_SSL", token(iss="http://elsewhere.example"), BAD_TOKEN),
    "client-secret": (
        "SASL_SSL",
        oauth(sasl_oauth_client_secret="wrong-secret"),
        "^sasl_oauth_token_url: .* answered 401 .*check sasl_oauth_client_id, sasl_oauth_client_secret",
    ),
    "client-scope": ("SASL_SSL", oauth(sasl_oauth_scope="all"), "answered 400 .* sasl_oauth_scope[.]"),
    "token-url-refused": (
        "SASL_SSL",
        oauth(sasl_oauth_token_url="http://127.0.0.1:1/token"),
        "^sasl_oauth_token_url: no token from .*refused.*: check the address[.]",
    ),
    "token-url-untrusted": (
        "SASL_PLAINTEXT",
        over("SASL_PLAINTEXT", lambda doors: doors.client(doors.tokens.tls_url)),
        UNTRUSTED_URL,
    ),
    "token-url-trusted-for-brokers": (
        "SASL_SSL",
        over("SASL_SSL", lambda doors: doors.client(doors.tokens.tls_url)),
        UNTRUSTED_URL,
    ),
    **{
        f"{'kerberos-' * (login == 'GSSAPI')}mechanism-{login}": (
            "SCRAM_ONLY",
            over("SASL_PLAINTEXT", make),
            f"the listener does not offer sasl_mechanism {mechanism}, only SCRAM-SHA-512: set sasl_mechanism to ",
        )
        for login, make in LOGINS.items()
        if (mechanism := "OAUTHBEARER" if login in ("token", "client-credentials") else login) != "SCRAM-SHA-512"
    },
    "untrusted-authority": (
        "SSL_ONE_WAY",
        lambda doors: {**doors.tls(), "ssl_cafile": str(doors.stranger.certificate)},
        UNTRUSTED,
    ),
    "system-authorities": (
        "SASL_SSL",
        lambda doors: {**LOGINS["PLAIN"](doors), "security_protocol": "SASL_SSL"},
        UNTRUSTED,
    ),
    "wrong-host": (
        "WRONG_HOST",
        lambda doors: doors.tls(),
        "the certificate is for another host .*: check ssl_check_hostname and the address[.]",
    ),
    "expired-server": ("EXPIRED", lambda doors: doors.tls(), "the broker's certificate has expired .*: renew it"),
    "expired-client": ("SSL", lambda doors: doors.tls("late", expired=True), BAD_CERTIFICATE),
    "missing-client": ("SSL", lambda doors: doors.tls(), BAD_CERTIFICATE),
    "strange-client": ("SSL", lambda doors: {**doors.tls(), **doors.strangers_certificate()}, BAD_CERTIFICATE),
    "key-without-password": (
        "SSL",
        lambda doors: {**doors.tls(USER, encrypted=True), "ssl_keyfile_password": None},
        BAD_KEY,
    ),
    "key-with-wrong-password": (
        "SSL",
        lambda doors: {**doors.tls(USER, encrypted=True), "ssl_keyfile_password": "wrong-secret"},
        BAD_KEY,
    ),
    "key-of-another": (
        "SSL",
        lambda doors: {**doors.tls(USER), "ssl_keyfile": doors.strangers_certificate()["ssl_keyfile"]},
        BAD_KEY,
    ),
    "kerberos-service": (
        "SASL_SSL",
        lambda doors: {**GSSAPI(doors), "sasl_kerberos_service_name": "kofka"},
        f"Kerberos failed .Server kofka/.* not found.*{BAD_TICKET}",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused(doors: Doors, kerberos: Callable[..., None], case: str) -> None:
    listener, make, words = REFUSED[case]
    kerberos()
    sentence = refusal(doors.cluster.listeners[listener], **make(doors))
    assert re.search(words, sentence), sentence
    assert "secret" not in sentence.replace("sasl_oauth_client_secret", "")


@pytest.mark.parametrize(
    ("case", "patience", "ends"),
    [
        ("password-SCRAM-SHA-512", 60, CredentialsRefused),
        ("token-garbage", 60, CredentialsRefused),
        ("client-secret", 60, CredentialsRefused),
        ("mechanism-PLAIN", 60, CredentialsRefused),
        ("token-url-refused", 3, TimeoutError),
        ("wrong-host", 3, TimeoutError),
    ],
)
def test_the_event_source_does_not_repeat_a_refused_login(
    doors: Doors, case: str, patience: float, ends: type[Exception]
) -> None:
    listener, make, _words = REFUSED[case]
    options = {"bootstrap_servers": doors.cluster.listeners[listener], "interval": 1, **make(doors)}
    with pytest.raises(ends):
        asyncio.run(asyncio.wait_for(load()["main"](asyncio.Queue(), options), patience))


@pytest.mark.parametrize("case", [case for case in REFUSED if not case.startswith("kerberos")])
def test_an_audit_is_refused_before_spark_starts(doors: Doors, case: str, tmp_path: Path) -> None:
    listener, make, words = REFUSED[case]
    sentence = refusal(doors.cluster.listeners[listener], functools.partial(run_audit, tmp_path), **make(doors))
    assert re.search(words, sentence), sentence
    assert not (tmp_path / LOG).exists()


@pytest.mark.parametrize(
    ("name", "environment", "words"),
    [
        ("stale", {}, f"Kerberos failed .Preauthentication failed.*{BAD_TICKET}"),
        (
            USER,
            {"KRB5_CLIENT_KTNAME": "FILE:/nowhere", "KRB5CCNAME": "MEMORY:none"},
            f"No Kerberos creden.*{BAD_TICKET}",
        ),
        (USER, {"KRB5_CONFIG": "/nowhere", "KRB5CCNAME": "MEMORY:none"}, "Cannot find KDC .*KRB5_CONFIG"),
    ],
    ids=["keytab", "no-ticket", "no-realm"],
)
def test_kerberos_is_refused(
    doors: Doors, kerberos: Callable[..., None], name: str, environment: Mapping[str, str], words: str
) -> None:
    kerberos(name, stale=name == "stale", **environment)
    sentence = refusal(doors.cluster.listeners["SASL_SSL"], **GSSAPI(doors))
    assert re.search(words, sentence), sentence


def test_kerberos_needs_its_library(
    doors: Doors, kerberos: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    kerberos()
    monkeypatch.setitem(sys.modules, "gssapi", None)
    sentence = refusal(doors.cluster.listeners["SASL_SSL"], **GSSAPI(doors))
    assert "GSSAPI needs the Python library gssapi: install it where the module runs" in sentence


def test_the_region_and_the_role_of_a_profile(
    world: Doors, aws: Callable[[Mapping[str, str]], None], tmp_path: Path
) -> None:
    """Through Ansible, with the keys of a program, as those of a role: with a session token."""
    keys = {"AccessKeyId": msk.ACCESS_KEY, "SecretAccessKey": msk.SECRET_KEY, "SessionToken": "of/a+session="}
    (tmp_path / "keys").write_text(json.dumps({"Version": 1, **keys}), "ascii")
    profile = f"[profile ops]\nregion = {msk.REGION}\ncredential_process = cat {tmp_path}/keys\n"
    (tmp_path / "config").write_text(profile, "ascii")
    aws({**msk.nobody(), "AWS_CONFIG_FILE": str(tmp_path / "config"), "AWS_PROFILE": "ops"})
    address = world.cluster.listeners[msk.LISTENER]
    answer = ansible("consumer_group_info", address, names=[f"{TOPIC}-MSK-info"], gather=["offsets"], **world.msk())
    assert (answer["rc"], answer.get("msg"), answer["errors"], answer["missing"]) == (0, None, [], [])
    assert answer["groups"][0]["offsets"][0]["offset"] == 1


@pytest.mark.parametrize(
    ("environment", "words", "refused"),
    [
        (
            msk.user(AWS_SECRET_ACCESS_KEY="another-aws-secret"),
            "authentication failed .*Access denied.*: check the AWS credentials, AWS_REGION, and whether an IAM policy",
            "X-Amz-Signature is ",
        ),
        (
            msk.user(AWS_REGION="eu-west-1"),
            "authentication failed .*: check the AWS credentials, AWS_REGION",
            "host is ",
        ),
    ],
    ids=["secret", "region"],
)
def test_msk_is_refused(
    doors: Doors, aws: Callable[[Mapping[str, str]], None], environment: Mapping[str, str], words: str, refused: str
) -> None:
    aws(environment)
    before = doors.cluster.output()
    sentence = refusal(doors.cluster.listeners[msk.LISTENER], **doors.msk())
    assert re.search(words, sentence), sentence
    assert "secret" not in sentence
    assert msk.REFUSED + refused in doors.cluster.output().removeprefix(before)


def test_the_modules_trust_the_system(world: Doors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(world.authority.certificate))
    connect = {"security_protocol": "SSL"}
    outcome = run("topic_info", world.cluster.listeners["SSL_ONE_WAY"], connect=connect, names=[TOPIC], log=True)
    assert outcome.given["errors"] == []


def test_the_system_trusts_the_token_url(doors: Doors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(doors.authority.certificate))
    connect = doors.over("SASL_PLAINTEXT", doors.client(doors.tokens.tls_url))
    assert run("consumer_group_info", doors.cluster.listeners["SASL_PLAINTEXT"], connect=connect).given["errors"] == []


@pytest.mark.parametrize("tells", [True, False], ids=["expires_in", "exp"])
def test_a_token_that_ends_before_the_task_is_fetched_anew(
    doors: Doors, tells: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Brokers end a connection with its token, unless it logs in with another (KIP-368)."""
    monkeypatch.setattr(doors.tokens, "life", 6)
    monkeypatch.setattr(doors.tokens, "tells_life", tells)
    connect = doors.over("SASL_PLAINTEXT", doors.client(doors.tokens.url))
    before = len(doors.tokens.issued)
    with Session(connection(doors.cluster.listeners["SASL_PLAINTEXT"], **connect), check_mode=True) as session:
        first = session.wire.requests.copy()
        for _attempt in range(8):
            request, operation = asked("consumer_group_info", {})
            answer = session.wire.run(operation, request, session)
            assert answer["errors"] == []
            session.wire.run(session.wire.sleep, 1.5)
        assert session.wire.requests != first
    assert len(doors.tokens.issued) - before > 1


WRONG: Options = {
    "security_protocol": "SASL_PLAINTEXT",
    "sasl_mechanism": "SCRAM-SHA-512",
    "sasl_password": "wrong-secret",
}


def set_password(cluster: Cluster, user: str, password: str) -> None:
    """Set it, and wait until all brokers know it."""
    known = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
    change = UserScramCredentialUpsertion(user, known, password.encode())
    admin = AdminClient({**cluster.client()})
    for future in admin.alter_user_scram_credentials([change]).values():
        future.result()
    connect = {**WRONG, "sasl_username": user, "sasl_password": password}
    deadline = time.monotonic() + 60
    while not all(comes_in(address, connect) for address in cluster.listeners["LOGIN"].split(",")):
        assert time.monotonic() < deadline
        time.sleep(0.2)


def comes_in(address: str, connect: Mapping[str, Any]) -> bool:
    try:
        with Session(connection(address, **connect), check_mode=True):
            return True
    except TaskError:
        return False


@pytest.fixture
def refusals(three: Cluster) -> Callable[[], dict[int, int]]:
    """How many logins each broker has refused in a test."""
    before = three.refused_logins()
    return lambda: {node: count - before[node] for node, count in three.refused_logins().items()}


def test_a_broker_refuses_one_login_whatever_leads_to_it(
    three: Cluster, refusals: Callable[[], dict[int, int]]
) -> None:
    addresses = three.listeners["LOGIN"]
    everything = f"{addresses},{addresses.replace('127.0.0.1', 'localhost')}"
    sentence = refusal(everything, **WRONG, sasl_username="nobody")
    assert sentence.count("authentication failed") == len(everything.split(","))
    assert refusals() == {1: 1, 2: 1, 3: 1}


@pytest.mark.parametrize(
    ("module", "args", "check"),
    [
        ("consumer_group_info", {}, False),
        ("consumer_group_info", {"names": "GROUPS", "gather": ["offsets"]}, False),
        ("consumer_group", {"names": "GROUPS"}, True),
        ("consumer_group", {"names": "GROUPS"}, False),
    ],
    ids=["list", "read", "predict", "delete"],
)
def test_a_password_that_changes_under_a_task(
    three: Cluster, module: str, args: dict[str, Any], check: bool, request: pytest.FixtureRequest
) -> None:
    """The first connection stays; each other broker refuses one login, and its groups fail at once."""
    user = f"changes-{request.node.callspec.id}"
    coordinators.prefer(three.client())
    set_password(three, user, "wrong-secret")
    names = [f"{user}-{number}" for number in range(30)]
    topics.create(three.client(), user, 1)
    offset = {(user, 0): (1, "", -1)}
    commits.commit_many(three.client(), dict.fromkeys(names, offset))
    wanted, operation = asked(module, {name: names if value == "GROUPS" else value for name, value in args.items()})
    address = three.listeners["LOGIN"].partition(",")[0]
    connect: Options = {**WRONG, "sasl_username": user, "timeout": 120.0}
    with Session(connection(address, **connect), check) as session:
        set_password(three, user, "another-secret")
        before = three.refused_logins()
        given = session.wire.run(operation, wanted, session)
        assert session.deadline.remaining > connect["timeout"] / 2
    after = three.refused_logins()
    assert [after[node] - before[node] for node in (1, 2, 3)] == [0, 1, 1]
    problems = given["errors"] if isinstance(given, dict) else [item.as_result() for item in given.items if item.error]
    assert {problem["error"]["name"] for problem in problems} == {"SASL_AUTHENTICATION_FAILED"}
    assert all("check sasl_username and sasl_password" in problem["error"]["message"] for problem in problems)
    if module == "consumer_group":
        assert 0 < len(problems) < len(names)
        left = set(truth.groups(three.client())) & set(names)
        assert left == (set(names) if check else {problem["group"] for problem in problems})
