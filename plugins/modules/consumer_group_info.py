#!/usr/bin/python

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: consumer_group_info
short_description: List and describe consumer groups
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - List the groups of a cluster, by name, state and type (KIP-518, KIP-848), and describe them.
  - It never changes anything.
extends_documentation_fragment:
  - kafkaops.groups.connection
  - kafkaops.groups.attributes
  - kafkaops.groups.attributes.actiongroup_kafka
  - kafkaops.groups.attributes.info
options:
  names:
    description:
      - The groups to describe, as a list of names or as one name. Without O(names) and O(match), all groups.
      - A single string is one group. It is never split, and may hold commas. This is why the type is V(raw). Ansible
        splits a string that is given for a list at its commas, and a comma may stand in a group's name.
      - A number or a boolean is refused, since YAML has already changed its spelling (V(007) is 7, V(on) is true).
        Put quotes around it.
      - An empty list is refused, and so is an empty name.
      - A group that does not exist is in RV(missing).
    type: raw
    aliases: [name]
  match:
    description:
      - Patterns, as a list or as one pattern. A group is returned if one of them matches its B(whole) name.
      - A pattern is shell-style, with V(*), V(?) and V([...]). If it starts with V(~), the rest of it is a regular
        expression.
      - A single string is one pattern. It is never split, and may hold commas. An empty list is refused.
    type: raw
  states:
    description:
      - Return only groups in one of these states.
      - Without O(names), brokers older than Kafka 2.6 cannot filter by state. The task fails then.
      - An empty list is refused.
    type: list
    elements: str
    choices: [Empty, Stable, PreparingRebalance, CompletingRebalance, Assigning, Reconciling, NotReady, Dead]
  types:
    description:
      - Return only groups of one of these types.
      - Without O(names), brokers older than Kafka 3.8 cannot filter by type. The task fails then, unless V(classic)
        is among them, and nothing else but V(consumer).
      - An empty list is refused.
    type: list
    elements: str
    choices: [classic, consumer, share, streams]
  gather:
    description:
      - What to return of each group. The more, the more requests.
      - V(state) is what is always returned, RV(groups[].name), RV(groups[].type), RV(groups[].protocol_type),
        RV(groups[].state) and RV(groups[].coordinator).
      - V(members) adds RV(groups[].members) and RV(groups[].assignor).
      - V(offsets) adds RV(groups[].offsets).
      - V(lag) adds RV(groups[].offsets) with the ends of the log, RV(groups[].lag) and RV(groups[].known_lag). It
        also describes the groups that are in use, since a partition that a member reads without a commit counts.
      - V(permissions) adds RV(groups[].permissions).
      - An empty list is refused.
    type: list
    elements: str
    choices: [state, members, offsets, lag, permissions]
    default: [state]
  partial:
    description:
      - Whether to go on if a broker or a group cannot be asked. RV(errors) says what is missing.
      - A broker that does not answer is asked again until half of O(timeout) is over, or all of it if no broker
        answers.
      - If it is V(false), the task fails then, with everything else in its result.
    type: bool
    default: false
notes:
  - >-
    Permissions: DESCRIBE on each group. To list B(all) groups, DESCRIBE on the cluster. Without it, the brokers list
    only the groups that one may describe, and do not say so. So a group that is not listed may still exist.
    V(offsets) and V(lag) also need DESCRIBE on each topic with committed offsets. The brokers leave out the others,
    and do not say so. To see the members of a KIP-848, share or streams group, newer brokers ask for DESCRIBE on the
    topics of its members.
  - The lag is read after the committed offsets. A group that commits meanwhile shows a little more lag than it has.
  - A lag that is not known is V(null), never 0. Test RV(groups[].lag) for V(none) before comparing it with a number.
  - A group without members shows the lag of what it has committed. Nothing shows which other partitions it would read.
  - A share group has no committed offsets. It keeps its positions elsewhere, and its offsets and its lag are V(null).
seealso:
  - module: kafkaops.groups.consumer_group
  - module: kafkaops.groups.consumer_group_members
  - module: kafkaops.groups.consumer_group_offsets
  - name: KIP-518
    description: Listing groups by state.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-518%3A+Allow+listing+consumer+groups+per+state
"""

EXAMPLES = r"""
- name: See what there is
  hosts: localhost
  gather_facts: false
  module_defaults:
    group/kafkaops.groups.kafka:
      bootstrap_servers: [kafka-1.example.com:9092]
  tasks:
    - name: List all groups
      kafkaops.groups.consumer_group_info:
      register: all_groups

    - name: List the empty groups of two teams
      kafkaops.groups.consumer_group_info:
        match: ["billing-*", "~shipping-(eu|us)-[0-9]+"]
        states: [Empty]
      register: empty

    - name: Describe one group, with its members and its lag
      kafkaops.groups.consumer_group_info:
        name: reports
        gather: [members, lag]
      register: reports

    - name: Fail if the group is too far behind
      ansible.builtin.assert:
        that:
          - reports.groups[0].lag is not none
          - reports.groups[0].lag < 10000
        fail_msg: "lag: {{ reports.groups[0].lag }}, known: {{ reports.groups[0].known_lag }}"

    - name: See what one may do with the groups of the KIP-848 protocol, even if a broker does not answer
      kafkaops.groups.consumer_group_info:
        types: [consumer]
        gather: [permissions]
        partial: true
"""

RETURN = r"""
groups:
  description: The groups, sorted by their names.
  returned: unless the task fails before the brokers were asked
  type: list
  elements: dict
  contains:
    name:
      description: The name of the group.
      returned: success
      type: str
      sample: reports
    type:
      description: V(classic), V(consumer), V(share) or V(streams). V(null) if a broker older than Kafka 3.8 listed
        the group.
      returned: success
      type: str
      sample: classic
    protocol_type:
      description: The protocol type, such as V(consumer) or V(connect). Empty for a simple group, which only commits.
      returned: success
      type: str
      sample: consumer
    state:
      description: The state. V(null) if a broker older than Kafka 2.6 listed the group.
      returned: success
      type: str
      sample: Stable
    coordinator:
      description: The broker that coordinates the group.
      returned: success
      type: dict
      contains:
        id:
          description: The id of the broker.
          returned: success
          type: int
          sample: 1
        host:
          description: The host of the broker, V(null) if it has left the cluster since it listed the group.
          returned: success
          type: str
          sample: kafka-1.example.com
        port:
          description: The port of the broker.
          returned: success
          type: int
          sample: 9092
    assignor:
      description: What assigns the partitions to the members. Empty if there is none, V(null) if it cannot be told.
      returned: if O(gather) holds V(members)
      type: str
      sample: range
    members:
      description: The members. V(null) if they cannot be told; RV(errors) then says why.
      returned: if O(gather) holds V(members)
      type: list
      elements: dict
      contains:
        member_id:
          description: The id that the coordinator gave the member.
          returned: success
          type: str
          sample: consumer-1-0c9f3f1e-7a5b-4a52-9d5e-3c1f7b7f6a55
        group_instance_id:
          description: The instance id of a static member (C(group.instance.id)). V(null) for a dynamic member.
          returned: success
          type: str
          sample: reports-0
        client_id:
          description: The client id of the member.
          returned: success
          type: str
          sample: consumer-1
        host:
          description: The host that the member connects from.
          returned: success
          type: str
          sample: 10.1.2.3
        topics:
          description:
            - The topics that the member subscribes to by name; of a streams group, those that its topology reads.
            - V(null) if that cannot be known, as of a group that rebalances.
          returned: success
          type: list
          elements: str
          sample: [orders]
        assignment:
          description: The partitions that the member reads.
          returned: success
          type: list
          elements: dict
          contains:
            topic:
              description: The name of the topic.
              returned: success
              type: str
              sample: orders
            partition:
              description: The partition.
              returned: success
              type: int
              sample: 0
    permissions:
      description: What the caller may do with the group. V(null) if the broker does not say.
      returned: if O(gather) holds V(permissions)
      type: list
      elements: str
      sample: [DELETE, DESCRIBE, READ]
    offsets:
      description:
        - What the group has committed, except on topics that the caller may not describe. The brokers leave these out.
        - V(null) for a share group, which keeps its positions elsewhere. V(null) also if it cannot be told;
          RV(errors) then says why.
        - It can be given to O(kafkaops.groups.consumer_group_offsets#module:offsets) as it is.
      returned: if O(gather) holds V(offsets) or V(lag)
      type: list
      elements: dict
      contains:
        topic:
          description: The name of the topic.
          returned: success
          type: str
          sample: orders
        partition:
          description: The partition.
          returned: success
          type: int
          sample: 0
        offset:
          description: The committed offset.
          returned: success
          type: int
          sample: 1200
        leader_epoch:
          description: The leader epoch that was committed with it, V(-1) if none was.
          returned: success
          type: int
          sample: 3
        metadata:
          description: The metadata that was committed with it, empty if none was.
          returned: success
          type: str
          sample: ""
        log_start:
          description: The first offset of the log. V(null) if O(gather) does not hold V(lag), or if it cannot be
            told.
          returned: success
          type: int
          sample: 800
        log_end:
          description: The offset of the next record to be written. V(null) if O(gather) does not hold V(lag), or if
            it cannot be told.
          returned: success
          type: int
          sample: 1250
        lag:
          description:
            - How many offsets the end of the log is after the committed offset. V(null) if O(gather) does not hold
              V(lag), or if the end of the log cannot be told.
            - Offsets that are no longer in the log, before RV(groups[].offsets[].log_start), count too.
            - V(0) if the committed offset is after the end of the log.
          returned: success
          type: int
          sample: 50
    lag:
      description:
        - The sum of the lags of all partitions that the group has committed or that its members read.
        - "V(null) if one of them is not known: the end of a log cannot be told, or a member reads a partition that has
          records and no committed offset."
        - V(null) also if the group has committed nothing and reads nothing, while it rebalances, if its members cannot
          be described, and for share groups.
      returned: if O(gather) holds V(lag)
      type: int
      sample: 50
    known_lag:
      description:
        - The sum of RV(groups[].offsets[].lag) as far as these are known. It is a part of the lag if RV(groups[].lag)
          is V(null).
        - V(null) if none is known.
      returned: if O(gather) holds V(lag)
      type: int
      sample: 50
missing:
  description: Those of O(names) that do not exist.
  returned: unless the task fails before the brokers were asked
  type: list
  elements: str
  sample: []
errors:
  description: What could not be asked.
  returned: unless the task fails before the brokers were asked
  type: list
  elements: dict
  contains:
    group:
      description: The group that could not be asked about.
      returned: if it is about a group
      type: str
      sample: reports
    broker:
      description: The id of the broker that could not be asked.
      returned: if it is about a broker
      type: int
      sample: 2
    topic:
      description: The topic whose log could not be read.
      returned: if it is about a partition
      type: str
      sample: orders
    partition:
      description: The partition whose log could not be read.
      returned: if it is about a partition
      type: int
      sample: 0
    address:
      description: The address of that broker.
      returned: if it is about a broker
      type: str
      sample: kafka-2.example.com:9092
    message:
      description: Why the broker did not answer.
      returned: if a broker did not answer
      type: str
      sample: "the connection was refused: nothing listens on that port"
    error:
      description: What Kafka answered.
      returned: if a broker answered with an error
      type: dict
      contains:
        code:
          description: Kafka's number of the error.
          returned: success
          type: int
          sample: 30
        name:
          description: Kafka's name of the error.
          returned: success
          type: str
          sample: GROUP_AUTHORIZATION_FAILED
        message:
          description: What is wrong, and what to do about it.
          returned: success
          type: str
          sample: "Group authorization failed."
        retriable:
          description: Whether Kafka calls the error retriable, so that the same task may work later.
          returned: success
          type: bool
          sample: false
requests:
  description: How many requests of each kind were sent to the brokers, without those about topics.
  returned: unless the task fails before the brokers were asked
  type: dict
  sample:
    ListGroups: 3
    OffsetFetch: 3
"""

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import info


def main() -> None:
    run(
        {
            "names": {"type": "raw", "aliases": ["name"]},
            "match": {"type": "raw"},
            "states": {
                "type": "list",
                "elements": "str",
                "choices": [
                    "Empty",
                    "Stable",
                    "PreparingRebalance",
                    "CompletingRebalance",
                    "Assigning",
                    "Reconciling",
                    "NotReady",
                    "Dead",
                ],
            },
            "types": {"type": "list", "elements": "str", "choices": ["classic", "consumer", "share", "streams"]},
            "gather": {
                "type": "list",
                "elements": "str",
                "choices": ["state", "members", "offsets", "lag", "permissions"],
                "default": ["state"],
            },
            "partial": {"type": "bool", "default": False},
        },
        info.parse,
        info.gather_info,
        mutually_exclusive=[("names", "match")],
    )


if __name__ == "__main__":
    main()
