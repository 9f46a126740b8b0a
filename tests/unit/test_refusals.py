# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options that a module refuses in one sentence, before anything is sent."""

from __future__ import annotations

import re
import typing as t

import pytest

from tests.support.modules import answer

#: A file that contains no certificate.
TEXT = __file__
#: Of each module: options, and a regular expression of the message.
REFUSED: dict[str, list[tuple[dict[str, t.Any], str]]] = {
    "consumer_group": [
        ({"name": 123}, r"names\[0\] is 123, which YAML reads as a number: put quotes around it"),
        ({"names": ["a", 1.5]}, r"names\[1\] is 1.5, which YAML reads as a number"),
        ({"names": ["a", True]}, r"names\[1\] is True, which YAML reads as a truth value"),
        ({"names": ["a", None]}, r"names\[1\] is null, and must be a string"),
        ({"names": {"a": "b"}}, r"names\[0\] is a dictionary, and must be a string"),
        ({"names": []}, "names is an empty list"),
        ({"name": ""}, r"names\[0\] is empty, which Kafka refuses as INVALID_GROUP_ID"),
        ({"names": ["a", ""]}, r"names\[1\] is empty, which Kafka refuses as INVALID_GROUP_ID"),
        ({"name": "x" * 32768}, r"names\[0\] is longer than Kafka's 32700 bytes"),
        ({"name": "a", "max_changes": -1}, "max_changes is -1"),
        ({"name": "a", "state": "present"}, "value of state must be one of: absent"),
        ({}, "one of the following is required: names, plan"),
        ({"name": "a", "plan": "p"}, r"mutually exclusive: names\|plan"),
        ({"plan": "p", "force": True}, "force is True but all of the following are missing: names"),
        ({"plan": ""}, "plan is empty: set a path"),
        ({"name": "a", "owner": "x"}, "owner is set, but plan is not: set plan, or omit owner"),
        ({"plan": "p", "owner": None}, "owner is null: set a value"),
        ({"plan": "p", "owner": []}, "owner is an empty list"),
        ({"plan": "p", "owner": 7}, r"owner\[0\] is 7, which YAML reads as a number"),
        ({"plan": "p", "owner": ""}, r"owner\[0\] is empty"),
        ({"name": "a", "detail": "none"}, "value of detail must be one of: full, problems, summary"),
    ],
    "consumer_offsets_audit": [
        (
            {"output": "/o", "owners": [{"match": "a", "owner": "x"}], "owners_file": "f"},
            r"mutually exclusive: owners\|owners_file",
        ),
        ({"output": "/o", "owners": [{"match": "a"}]}, "missing required arguments: owner found in owners"),
    ],
    "consumer_group_members": [
        (
            {"name": "a", "remove_all": True, "match_members": {"host": "*"}},
            "remove_all and match_members are mutually exclusive",
        ),
        ({"name": "a", "members": [{"member_id": "m"}], "match_members": {"host": "*"}}, r"members\|match_members"),
        ({"name": "a", "match_members": {}}, "client_id, host found in match_members"),
        ({"name": "a", "match_members": {"client_id": None, "host": None}}, "match_members contains only null"),
        ({"name": "a", "match_members": {"host": None}}, "match_members contains only null"),
        ({"name": "a", "match_members": {"host": "~("}}, r"match_members.host: '~\(' is not a regular expression"),
        ({"name": "a", "match_members": {"host": []}}, "match_members.host is an empty list"),
        ({"name": "a", "remove_all": True, "max_changes": -1}, "max_changes is -1"),
        ({"name": "a"}, "remove_all is False but any of the following are missing: members, match_members"),
        ({"name": "a", "members": None}, "members is null: set a value"),
        (
            {"name": "a", "remove_all": True, "members": [{"member_id": "m"}]},
            "remove_all and members are mutually exclusive",
        ),
        ({"name": "a", "members": []}, "members is an empty list"),
        ({"names": ["a", "b"], "members": [{"member_id": "m"}]}, "members requires exactly one group"),
        (
            {"name": "a", "members": [{}]},
            "one of the following is required: group_instance_id, member_id found in members",
        ),
        ({"name": "a", "members": [{"member_id": None}]}, r"members\[0\] needs group_instance_id or member_id"),
        (
            {"name": "a", "members": [{"group_instance_id": 7}]},
            r"members\[0\].group_instance_id is 7, which YAML reads as",
        ),
        ({"name": "a", "remove_all": True, "settle_time": -1}, "settle_time is -1"),
    ],
    "consumer_group_info": [
        ({"min_lag": -1}, "min_lag is -1"),
        ({"max_lag": "many"}, "max_lag"),
        ({"min_lag": 10, "max_lag": 5}, "min_lag is 10, which is more than max_lag, 5"),
        ({"idle": True, "match_members": {"host": "*"}}, "idle and match_members are mutually exclusive"),
        ({"max_lag": 5, "wait": {"max_lag": 5}}, r"max_lag\|wait"),
        ({"idle": True, "wait": {"max_lag": 5}}, r"idle\|wait"),
        ({"match_members": {"client_id": 7}}, "match_members.client_id"),
        ({"isolation_level": "committed"}, "isolation_level"),
        ({"match": "~("}, r"match: '~\(' is not a regular expression"),
        ({"names": []}, "names is an empty list"),
        ({"match": []}, "match is an empty list"),
        ({"types": []}, "types is an empty list"),
        ({"gather": []}, "gather is an empty list"),
        ({"name": "a", "match": "b"}, r"mutually exclusive: names\|match"),
        ({"wait": {}}, "one of the following is required: states, max_lag, max_members found in wait"),
        ({"wait": {"max_lag": None}}, "wait has no condition: set states, max_lag or max_members"),
        ({"wait": {"states": []}}, "wait.states is an empty list"),
        ({"wait": {"states": ["empty"]}}, "value of states must be one or more of: Empty.* found in wait"),
        ({"wait": {"max_lag": -1}}, "wait.max_lag is -1: it must be 0 or greater"),
        ({"wait": {"max_members": -1}}, "wait.max_members is -1: it must be 0 or greater"),
        ({"wait": {"max_lag": 0}, "wait_timeout": -1}, "wait_timeout is -1: it must be 0 or greater"),
        ({"wait": {"max_lag": 0}, "wait_timeout": "nan"}, "wait_timeout is nan: it must be 0 or greater"),
        (
            {"wait": {"max_lag": 0}, "timeout": 60},
            "wait_timeout is 60 s, and the timeout of the whole task 60 s: raise timeout",
        ),
        ({"wait_timeout": 5}, "missing parameter.* required by 'wait_timeout': wait"),
        ({"states": ["Empty"], "wait": {"max_lag": 0}}, r"mutually exclusive: states\|wait"),
        ({"states": ["empty"]}, "value of states must be one or more of: Empty"),
        ({"bootstrap_servers": ["localhost"]}, "bootstrap_servers: 'localhost' is not of the form host:port"),
        ({"bootstrap_servers": ["a b:1"]}, "bootstrap_servers: 'a b:1' is not of the form host:port"),
        ({"bootstrap_servers": ["host:99999"]}, "bootstrap_servers: 'host:99999' is not of the form host:port"),
        ({"bootstrap_servers": []}, "bootstrap_servers is empty"),
        (
            {"security_protocol": "SSL", "ssl_cafile": "/nowhere/ca.pem"},
            "ssl_cafile: the file /nowhere/ca.pem does not exist",
        ),
        ({"security_protocol": "SSL", "ssl_cafile": TEXT}, r"ssl_cafile \(.*\) contains no PEM certificate"),
        ({"security_protocol": "SSL", "ssl_certfile": TEXT}, r"ssl_certfile \(.*\) and the key in it cannot be used"),
        (
            {"security_protocol": "SASL_SSL"},
            "security_protocol is SASL_SSL but all of the following are missing: sasl_mechanism",
        ),
        ({"sasl_mechanism": "GSSAPI"}, "sasl_mechanism needs security_protocol SASL_PLAINTEXT or SASL_SSL"),
        (
            {"security_protocol": "SASL_SSL", "sasl_mechanism": "PLAIN", "sasl_username": "a"},
            "sasl_mechanism is PLAIN but all of the following are missing: sasl_password",
        ),
        (
            {"security_protocol": "SASL_SSL", "sasl_mechanism": "PLAIN", "sasl_username": "a", "sasl_password": ""},
            "needs sasl_username and sasl_password",
        ),
        (
            {"security_protocol": "SASL_SSL", "sasl_mechanism": "OAUTHBEARER"},
            "any of the following are missing: sasl_oauth_provider, sasl_oauth_token, sasl_oauth_token_url",
        ),
        (
            {"security_protocol": "SASL_SSL", "sasl_mechanism": "OAUTHBEARER", "sasl_oauth_token_url": "u"},
            "OAUTHBEARER needs either sasl_oauth_provider",
        ),
        (
            {"security_protocol": "SASL_SSL", "sasl_mechanism": "OAUTHBEARER", "sasl_oauth_provider": "azure"},
            "value of sasl_oauth_provider must be one of: aws_msk_iam, got: azure",
        ),
        ({"ssl_keyfile": TEXT}, r"ssl_keyfile \(.*\) requires ssl_certfile or ssl_certificate"),
        ({"ssl_key": "no PEM"}, "^ssl_key requires ssl_certfile or ssl_certificate"),
        ({"security_protocol": "SSL", "ssl_ca": "no PEM"}, "^ssl_ca contains no PEM certificate"),
        (
            {"security_protocol": "SSL", "ssl_certificate": "no PEM"},
            "^ssl_certificate and the key in it cannot be used",
        ),
        (
            {"security_protocol": "SSL", "ssl_certfile": TEXT, "ssl_key": "no PEM"},
            r"^ssl_certfile \(.*\) and ssl_key cannot be used",
        ),
        ({"ssl_ca": "\0"}, "^ssl_ca contains the character NUL"),
        ({"timeout": 0}, "timeout is 0: it must be greater than 0"),
    ],
    "consumer_group_offsets": [
        ({"group": "a", "groups": [{"name": "b"}], "reset": {"to_latest": True}}, r"mutually exclusive: group\|groups"),
        ({"reset": {"to_latest": True}}, "group or groups is missing"),
        ({"group": "a", "reset": {"to_latest": True}}, "topics is missing for group 'a'"),
        ({"group": "a", "topics": [], "reset": {"to_latest": True}}, "topics is an empty list"),
        ({"groups": [], "reset": {"to_latest": True}}, "groups is an empty list"),
        (
            {"group": "a", "topics": [{"name": "t"}], "state": "absent", "owner": "x"},
            "owner is set, but plan is not: set plan, or omit owner",
        ),
        ({"plan": "p", "state": "absent", "owner": [None]}, r"owner\[0\] is null, and must be a string"),
        (
            {"groups": [{"name": "a"}, {"name": "a"}], "reset": {"to_latest": True}},
            r"groups\[1\] contains 'a' more than once",
        ),
        (
            {"groups": [{"name": 1}], "reset": {"to_latest": True}},
            r"groups\[0\].name is 1, which YAML reads as a number",
        ),
        ({"group": "", "topics": [{"name": "t"}], "reset": {"to_latest": True}}, "group is empty.*INVALID_GROUP_ID"),
        (
            {"group": "a", "topics": [{"name": "t"}, {"name": "t"}], "reset": {"to_latest": True}},
            r"topics\[1\] contains 't' more than once",
        ),
        (
            {"group": "a", "topics": [{"name": "a, b"}], "reset": {"to_latest": True}},
            r"topics\[0\].name is 'a, b': a topic's name has at most 249",
        ),
        (
            {"group": "a", "topics": [{"name": 8}], "reset": {"to_latest": True}},
            r"topics\[0\].name is 8, which YAML reads as",
        ),
        (
            {"group": "a", "topics": [{"name": "t", "partitions": []}], "state": "absent"},
            r"topics\[0\].partitions is an empty list",
        ),
        (
            {"group": "a", "topics": [{"name": "t", "partitions": [-1]}], "state": "absent"},
            r"topics\[0\].partitions.* is -1",
        ),
        (
            {"group": "a", "topics": [{"name": "t", "partitions": ["p"]}], "state": "absent"},
            "cannot be converted to an int",
        ),
        (
            {"group": "a", "topics": [{"name": "t"}], "state": "absent", "unsubscribed": True},
            "unsubscribed and topics are mutually exclusive",
        ),
        ({"group": "a", "state": "absent"}, "topics is missing for group 'a'"),
        ({"group": "a", "offsets": []}, "offsets is an empty list"),
        ({"group": "a", "offsets": [{"topic": "t", "partition": -1, "offset": 0}]}, r"offsets\[0\].partition is -1"),
        ({"group": "a", "offsets": [{"topic": "t", "partition": 0, "offset": -1}]}, r"offsets\[0\].offset is -1"),
        (
            {"group": "a", "offsets": [{"topic": "t", "partition": 0, "offset": 0}] * 2},
            r"offsets\[1\] contains partition t-0 more than once",
        ),
        (
            {"group": "a", "topics": [{"name": "t"}]},
            "state is present but any of the following are missing: offsets, reset, restore, copy_from",
        ),
        ({"group": "a", "offsets": None}, "state present needs one of offsets, reset, restore and copy_from"),
        (
            {"group": "a", "topics": [{"name": "t"}], "state": "absent", "reset": {"to_latest": True}},
            "reset requires state present",
        ),
        ({"group": "a", "unsubscribed": True, "reset": {"to_latest": True}}, "unsubscribed requires state absent"),
        (
            {"state": "absent", "unsubscribed": True},
            "state is absent but any of the following are missing: group, groups, plan",
        ),
        (
            {"plan": "p", "state": "absent", "unsubscribed": True},
            "unsubscribed is True but any of the following are missing: group, groups",
        ),
        (
            {"topics": [{"name": "t"}], "reset": {"to_latest": True}},
            r"missing parameter\(s\) required by 'topics': group",
        ),
        (
            {"offsets": [{"topic": "t", "partition": 0, "offset": 0}]},
            r"missing parameter\(s\) required by 'offsets': group",
        ),
        (
            {"plan": "p", "state": "absent", "topics": [{"name": "t"}]},
            r"missing parameter\(s\) required by 'topics': group",
        ),
        (
            {"group": "a", "topics": [{"name": "t"}], "offsets": [{"topic": "t", "partition": 0, "offset": 0}]},
            r"mutually exclusive: topics\|offsets",
        ),
        ({"group": "a", "topics": [{"name": "t"}], "restore": {"path": "f"}}, r"mutually exclusive: topics\|restore"),
        (
            {"groups": [{"name": "a", "topics": [{"name": "t"}]}], "restore": {"path": "f"}},
            "topics and restore are mutually exclusive: set one of them",
        ),
        (
            {"restore": {"path": "f"}, "reset": {"to_latest": True}},
            r"mutually exclusive: plan\|offsets\|reset\|restore\|copy_from",
        ),
        ({"plan": "p"}, "state is present but any of the following are missing: offsets, reset, restore"),
        (
            {"plan": "p", "state": "absent", "restore": {"path": "f"}},
            r"mutually exclusive: plan\|offsets\|reset\|restore\|copy_from",
        ),
        ({"restore": {"recreated": "clamp"}}, "missing required arguments: path found in restore"),
        ({"restore": {"path": ""}}, "restore.path is empty: set a path"),
        (
            {"group": "g", "all_topics": True, "offsets": [{"topic": "t", "partition": 0, "offset": 1}]},
            "all_topics requires reset",
        ),
        ({"group": "g", "all_topics": True, "state": "absent"}, "all_topics requires reset"),
        ({"match": "*", "reset": {"to_latest": True}}, "match requires all_topics or match_topics"),
        ({"match": "", "all_topics": True, "reset": {"to_latest": True}}, r"match\[0\] is empty"),
        ({"match": "~(", "all_topics": True, "reset": {"to_latest": True}}, "is not a regular expression"),
        ({"match": "*", "match_topics": [], "reset": {"to_latest": True}}, "match requires all_topics or match_topics"),
        (
            {"group": "g", "match_topics": "*", "all_topics": True, "reset": {"to_latest": True}},
            "all_topics and match_topics are mutually exclusive",
        ),
        ({"group": "g", "match_topics": "*", "copy_from": {"group": "h"}}, "match_topics requires reset"),
        ({"match": "*", "all_topics": True, "restore": {"path": "f"}}, "match requires reset"),
        ({"group": "g", "use_timestamps": True, "reset": {"to_latest": True}}, "use_timestamps requires offsets"),
        (
            {"group": "g", "use_timestamps": True, "offsets": [{"topic": "t", "partition": 0, "offset": 1}]},
            r"offsets\[0\].timestamp is missing: omit the partition, or gather the timestamps",
        ),
        (
            {
                "group": "g",
                "use_timestamps": True,
                "offsets": [{"topic": "t", "partition": 0, "offset": 1, "timestamp": -1}],
            },
            r"offsets\[0\].timestamp is -1",
        ),
        ({"all_topics": True, "reset": {"to_latest": True}}, "group or groups is missing"),
        (
            {"group": "g", "topics": [{"name": "t"}], "all_topics": True, "reset": {"to_latest": True}},
            "all_topics and topics are mutually exclusive",
        ),
        ({"restore": {"path": "f", "topics": {}}}, "restore.topics is an empty"),
        ({"restore": {"path": "f", "topics": {"a": 7}}}, "restore.topics.a"),
        ({"restore": {"path": "f", "topics": {"a": "c", "b": "c"}}}, "restore.topics contains 'c' more than once"),
        ({"copy_from": {"group": "h"}}, "missing parameter.* required by 'copy_from': group"),
        ({"group": "g", "copy_from": {"group": "g"}}, "copy_from.group is 'g', the group itself: set another one"),
        ({"group": "g", "copy_from": {}}, "missing required arguments: group found in copy_from"),
        (
            {"group": "g", "topics": [{"name": "t"}], "copy_from": {"group": "h"}},
            r"mutually exclusive: topics\|copy_from",
        ),
        (
            {"group": "g", "state": "absent", "unsubscribed": True, "copy_from": {"group": "h"}},
            "requires state present",
        ),
        ({"restore": {"path": "f", "force": True}}, "restore.force"),
        (
            {"group": "a", "topics": [{"name": "t"}], "reset": {}},
            "one of the following is required: to_earliest, .* found in reset",
        ),
        ({"group": "a", "topics": [{"name": "t"}], "reset": {"to_offset": None}}, "reset contains only null"),
        (
            {"group": "a", "topics": [{"name": "t"}], "reset": {"to_latest": False}},
            "value of to_latest must be one of: True, got: False found in reset",
        ),
        (
            {"group": "a", "topics": [{"name": "t"}], "reset": {"to_latest": True, "shift_by": 1}},
            r"mutually exclusive: to_earliest\|.* found in reset",
        ),
        (
            {"group": "a", "topics": [{"name": "t"}], "reset": {"shift_by": "far"}},
            "'far'.* cannot be converted to an int",
        ),
        (
            {"group": "a", "topics": [{"name": "t"}], "reset": {"shift_by": "9" * 30}},
            "reset.shift_by is a number with too many digits",
        ),
        (
            {"group": "a", "topics": [{"name": "t"}], "reset": {"shift_by": "9" * 5000}},
            "An option has a value that Ansible cannot read",
        ),
        ({"group": "a", "topics": [{"name": "t"}], "reset": 5}, "An option has a value that Ansible cannot read"),
        ({"group": "a", "topics": [{"name": "t"}], "reset": {"to_offset": -1}}, "reset.to_offset is -1"),
        (
            {"group": "a", "topics": [{"name": "t"}], "reset": {"by_duration": "soon"}},
            "reset.by_duration is 'soon': a duration is written",
        ),
        (
            {"group": "a", "topics": [{"name": "t"}], "reset": {"to_datetime": "noon"}},
            "reset.to_datetime is 'noon': a time is",
        ),
        (
            {"group": "a", "topics": [{"name": "t"}], "reset": {"to_datetime": "9" * 5000}},
            "reset.to_datetime is longer than 100 characters",
        ),
        ({"plan": "p", "state": "absent", "group": "a"}, r"mutually exclusive: group\|groups\|match\|plan"),
    ],
    "share_group_offsets": [
        ({}, "state is present but any of the following are missing: offsets, reset, restore"),
        ({"state": "absent"}, "state is absent but any of the following are missing: group, groups"),
        ({"reset": {"to_latest": True}}, "group or groups is missing"),
        ({"offsets": []}, r"missing parameter\(s\) required by 'offsets': group"),
        ({"group": "", "topics": [{"name": "t"}], "state": "absent"}, "group is empty.*INVALID_GROUP_ID"),
        ({"group": 7, "topics": [{"name": "t"}], "state": "absent"}, "group is 7, which YAML reads as a number"),
        ({"group": "a", "state": "absent"}, "topics is missing for group 'a'"),
        ({"groups": [{"name": "a"}], "state": "absent"}, "topics is missing for group 'a'"),
        ({"groups": [{"name": "a"}, {"name": "a"}], "state": "absent"}, r"groups\[1\] contains 'a' more than once"),
        (
            {"group": "a", "state": "absent", "topics": [{"name": "s"}, {"name": "t", "partitions": [0]}]},
            "topics: Kafka deletes the start offsets of whole topics only: omit the partitions of 't'",
        ),
        (
            {"group": "a", "state": "absent", "topics": [{"name": "t"}], "reset": {"to_latest": True}},
            "reset requires state present",
        ),
        (
            {"group": "a", "topics": [{"name": "t"}]},
            "state is present but any of the following are missing: offsets, reset",
        ),
        ({"group": "a", "offsets": None}, "state present needs one of offsets, reset and restore"),
        ({"group": "a", "reset": {"to_latest": True}}, "topics is missing for group 'a'"),
        (
            {"groups": [{"name": "a", "topics": [{"name": "t"}]}], "restore": {"path": "/b"}},
            "topics and restore are mutually exclusive",
        ),
        ({"group": "a", "restore": {"path": ""}}, "restore.path is empty"),
        ({"group": "a", "restore": {"path": "/b"}, "all_topics": True}, "all_topics requires reset"),
        ({"group": "a", "state": "absent", "all_topics": True}, "all_topics requires reset"),
        (
            {"group": "a", "topics": [{"name": "t"}], "all_topics": True, "reset": {"to_latest": True}},
            "all_topics and topics are mutually exclusive",
        ),
        ({"group": "a", "topics": [], "reset": {"to_latest": True}}, "topics is an empty list"),
        ({"group": "a", "offsets": []}, "offsets is an empty list"),
        ({"group": "a", "offsets": [{"topic": "t", "partition": 0, "offset": -1}]}, r"offsets\[0\].offset is -1"),
        (
            {"group": "a", "topics": [{"name": "t"}], "offsets": [{"topic": "t", "partition": 0, "offset": 0}]},
            r"mutually exclusive: topics\|offsets",
        ),
        (
            {"group": "a", "topics": [{"name": "t"}], "reset": {"shift_by": 1}},
            "following is required: to_earliest, to_latest, to_datetime, by_duration, to_offset found in reset",
        ),
        (
            {"group": "a", "topics": [{"name": "t"}], "reset": {"to_latest": True, "to_offset": 1}},
            r"mutually exclusive: to_earliest\|.* found in reset",
        ),
        ({"group": "a", "topics": [{"name": "t"}], "reset": {"by_duration": "soon"}}, "reset.by_duration is 'soon'"),
        (
            {"group": "a", "topics": [{"name": "t"}], "reset": {"to_latest": True}, "max_changes": -1},
            "max_changes is -1",
        ),
    ],
}


@pytest.mark.parametrize(
    ("module", "args", "words"),
    [
        pytest.param(module, args, words, id=f"{module}-{words[:60]}")
        for module, rows in REFUSED.items()
        for args, words in rows
    ],
)
def test_options_are_refused(module: str, args: dict[str, t.Any], words: str) -> None:
    returned = answer(module, {"bootstrap_servers": ["127.0.0.1:1"], **args})
    assert returned["failed"]
    assert not returned.get("changed")
    assert re.search(words, returned["msg"])
    assert "\n" not in returned["msg"]
    assert "requests" not in returned
    assert "exception" not in returned
    if "INVALID_GROUP_ID" in words:
        assert [item["error"]["code"] for item in returned["results"]] == [24]
