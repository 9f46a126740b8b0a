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
  - List the groups of a cluster by name, state and type (KIP-518, KIP-848), and describe them.
  - This module never changes anything.
extends_documentation_fragment:
  - kafkaops.groups.connection
  - kafkaops.groups.attributes
  - kafkaops.groups.attributes.actiongroup_kafka
  - kafkaops.groups.attributes.info
options:
  names:
    description:
      - The groups to describe, as a list of names or as one name. Without O(names) and O(match), all groups are
        returned.
      - A single string is one group name. The string is not split at commas, because group names can contain commas.
        This is why the type is V(raw).
      - Numbers and booleans are rejected, because YAML changes their spelling (V(007) becomes 7, V(on) becomes true).
        Quote them.
      - The list and the names must not be empty.
      - Groups that do not exist are listed in RV(missing).
    type: raw
    aliases: [name]
  match:
    description:
      - Patterns, as a list or as one pattern. A group is returned if a pattern matches its B(whole) name.
      - Patterns are shell-style, with V(*), V(?) and V([...]). A pattern that starts with V(~) is a regular
        expression.
      - A single string is one pattern. The string is not split at commas. The list must not be empty.
    type: raw
  states:
    description:
      - Return only groups in one of these states.
      - Without O(names), the task fails on brokers older than Kafka 2.6, which cannot filter by state.
      - The list must not be empty.
    type: list
    elements: str
    choices: [Empty, Stable, PreparingRebalance, CompletingRebalance, Assigning, Reconciling, NotReady, Dead]
  types:
    description:
      - Return only groups of one of these types.
      - Without O(names), the task fails on brokers older than Kafka 3.8, which cannot filter by type, unless the list
        is V(classic), with or without V(consumer).
      - The list must not be empty.
    type: list
    elements: str
    choices: [classic, consumer, share, streams]
  gather:
    description:
      - What to return for each group. Each value can add requests.
      - >-
        V(state) is always returned: RV(groups[].name), RV(groups[].type), RV(groups[].protocol_type),
        RV(groups[].state) and RV(groups[].coordinator).
      - V(members) adds RV(groups[].members) and RV(groups[].assignor).
      - V(offsets) adds RV(groups[].offsets).
      - V(lag) adds the totals RV(groups[].lag), RV(groups[].known_lag) and RV(groups[].unknown_lag_partitions).
        With V(offsets), it also adds the log start and end offsets and the lag to RV(groups[].offsets). It describes
        groups with members, because partitions that a member reads without a committed offset count.
      - V(permissions) adds RV(groups[].permissions).
      - V(timestamps) adds RV(groups[].offsets) with RV(groups[].offsets[].timestamp). It sends some 60 requests to each
        partition leader, for each group.
      - V(topology) adds RV(groups[].topology).
      - V(transactions) adds RV(groups[].open_transactions).
      - The list must not be empty.
    type: list
    elements: str
    choices: [state, members, offsets, lag, permissions, timestamps, topology, transactions]
    default: [state]
  isolation_level:
    description:
      - Which records count for V(lag), as for a consumer with this C(isolation.level). With V(read_committed), a log
        ends at the first record of an open transaction.
      - The lag of share groups is the brokers' own.
    type: str
    choices: [read_uncommitted, read_committed]
    default: read_uncommitted
  min_lag:
    description:
      - Return only groups whose lag is at least this number of records. Groups with an unknown lag are returned,
        because their lag can be as high.
      - With O(min_lag) or O(max_lag), V(lag) is gathered and returned even if O(gather) does not contain it.
    type: int
  max_lag:
    description:
      - Return only groups whose lag is at most this number of records. Groups with an unknown lag are not returned,
        because their lag can be higher.
    type: int
  idle:
    description:
      - V(true) returns only groups without members, V(false) only groups with members.
    type: bool
  match_members:
    description:
      - Return only groups with a member that matches. If both suboptions are set, the same member must match both.
      - V(members) is gathered and returned even if O(gather) does not contain it. All members of a group are returned.
    type: dict
    suboptions:
      client_id: &patterns
        description: Patterns, as in O(match).
        type: raw
      host: *patterns
  max_results:
    description:
      - Return at most this number of groups, the first by name. All other options apply before the limit.
      - RV(total) is the number of groups without the limit, and RV(truncated) tells whether there are more. A warning
        contains the number of groups that are left out.
      - Members, offsets and so on are gathered only for the returned groups, unless O(min_lag), O(max_lag) or
        O(match_members) depend on them.
    type: int
  partial:
    description:
      - Whether to succeed if a broker or a group cannot be read. RV(errors) lists what is missing.
      - A broker that does not respond is retried for half of O(timeout), or for all of O(timeout) if no broker
        responds.
      - If V(false), the task fails, and its result contains everything that could be read.
    type: bool
    default: false
  wait:
    description:
      - Wait until B(all) matched groups meet B(all) of these conditions, then return them. The task fails if they do
        not within O(wait_timeout); RV(unmet) then lists what is missing.
      - The groups are read after 0.5 seconds, then at increasing intervals of up to 5 seconds. Patterns are matched
        each time, so groups that are created in the meantime must meet the conditions, too.
      - What is unknown, and what cannot be read, does not meet a condition, whatever O(partial) is.
      - A group of O(names) that does not exist counts as V(Empty), without members, and with an unknown lag. A
        drained group can be deleted or expire, which is why it meets O(wait.states=Empty) and O(wait.max_members).
        A misspelled name does, too. A warning and RV(missing) list these groups.
      - If no group matches O(match), the task waits for one, unless a group that does not exist meets the conditions.
        The task then succeeds immediately with a warning.
      - A broker that joins the cluster in the meantime is read, too. If a broker leaves the cluster and does not come
        back, the conditions are not met, because its groups can be missing. With O(names), this does not matter.
      - What the conditions require is gathered and returned even if O(gather) does not contain it, V(lag) for
        O(wait.max_lag), and V(members) for O(wait.max_members).
      - In check mode, the groups are read once, because a previous task that was only simulated cannot change them. If
        the conditions are not met, the task succeeds with a warning.
      - Mutually exclusive with O(states), O(min_lag), O(max_lag), O(idle), O(match_members) and O(max_results), which
        would hide groups from the conditions.
    type: dict
    suboptions:
      states:
        description:
          - The group is in one of these states. A group that rebalances is not V(Empty).
          - The list must not be empty.
        type: list
        elements: str
        choices: [Empty, Stable, PreparingRebalance, CompletingRebalance, Assigning, Reconciling, NotReady, Dead]
      max_lag:
        description:
          - The greatest permitted value of RV(groups[].lag). An unknown lag does not meet the condition.
        type: int
      max_members:
        description:
          - The greatest permitted number of members.
        type: int
  wait_timeout:
    description:
      - How long to wait for the conditions, in seconds. The default is V(60). With V(0), the groups are read once.
      - The time counts towards O(timeout), and must be less than O(timeout).
      - A read that has started is completed, so the task can take longer, for example if a broker does not respond.
    type: float
notes:
  - >-
    Permissions: DESCRIBE on each group. To list B(all) groups, DESCRIBE on the cluster. Without it, the brokers list
      only groups with DESCRIBE permission, so a group that is not listed can still exist. V(offsets) and V(lag) also
      require DESCRIBE on each topic with committed offsets. The brokers omit other topics without an error. To list
      the members of a KIP-848, share or streams group, newer brokers require DESCRIBE on the topics of the members.
  - The log end offsets are read after the committed offsets. The lag of a group that commits in between is slightly
    too high.
  - An unknown lag is V(null), never 0. Test RV(groups[].lag) for V(none) before comparing it with a number.
  - The lag of a group without members covers only partitions with committed offsets, because its other partitions are
    unknown.
  - Share groups have no committed offsets. Their RV(groups[].offsets) are start offsets, and their lag is the number of
    records that they still have to process, as reported by the broker.
seealso:
  - module: kafkaops.groups.consumer_group
  - module: kafkaops.groups.consumer_group_members
  - module: kafkaops.groups.consumer_group_offsets
  - name: KIP-518
    description: Listing groups by state.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-518%3A+Allow+listing+consumer+groups+per+state
"""

EXAMPLES = r"""
- name: List and describe groups
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

    - name: List the groups that are more than 10000 records behind, and have no members
      kafkaops.groups.consumer_group_info:
        idle: true
        min_lag: 10001
      register: behind

    - name: List the groups with members on one host
      kafkaops.groups.consumer_group_info:
        match_members:
          host: 10.1.2.3

    - name: Count the groups that are behind, and return the first 20
      kafkaops.groups.consumer_group_info:
        min_lag: 10001
        max_results: 20

    - name: Describe one group, with its members and its lag
      kafkaops.groups.consumer_group_info:
        name: reports
        gather: [members, lag]
      register: reports

    - name: Validate the lag of the group
      ansible.builtin.assert:
        that:
          - reports.groups[0].lag is not none
          - reports.groups[0].lag < 10000
        fail_msg: "lag: {{ reports.groups[0].lag }}, known: {{ reports.groups[0].known_lag }}"

    - name: List permissions on KIP-848 groups, even if a broker does not respond
      kafkaops.groups.consumer_group_info:
        types: [consumer]
        gather: [permissions]
        partial: true

    - name: Wait until the consumers of a group are stopped
      kafkaops.groups.consumer_group_info:
        name: reports
        wait:
          states: [Empty]

    - name: Wait up to 30 minutes until the groups of a team have caught up, and print a line each minute
      kafkaops.groups.consumer_group_info:
        match: billing-*
        wait:
          max_lag: 1000
        wait_timeout: 1800
        timeout: 1900
      async: 2000
      poll: 60
"""

RETURN = r"""
groups:
  description: The groups, sorted by name.
  returned: unless the task fails before the first request
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
      description: The protocol type, such as V(consumer) or V(connect). Empty for a simple group, which commits
        without joining.
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
          description: The host of the broker. V(null) if the broker left the cluster after it listed the group.
          returned: success
          type: str
          sample: kafka-1.example.com
        port:
          description: The port of the broker.
          returned: success
          type: int
          sample: 9092
    assignor:
      description: The partition assignor of the group. Empty if there is none, V(null) if unknown.
      returned: if O(gather) contains V(members)
      type: str
      sample: range
    members:
      description: The members. V(null) if unknown; RV(errors) then has the reason.
      returned: if O(gather) contains V(members)
      type: list
      elements: dict
      contains:
        member_id:
          description: The id that the coordinator assigned to the member.
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
          description: The host from which the member connects.
          returned: success
          type: str
          sample: 10.1.2.3
        topics:
          description:
            - The topics that the member subscribes to by name. For a streams group, the source topics of the
              topology.
            - V(null) if unknown, for example while the group rebalances.
          returned: success
          type: list
          elements: str
          sample: [orders]
        assignment:
          description: The partitions that are assigned to the member.
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
        tasks:
          description: The tasks of the member of a streams group.
          returned: for streams groups
          type: list
          elements: dict
          contains:
            role:
              description: V(active), V(standby) or V(warmup).
              returned: success
              type: str
              sample: active
            subtopology_id:
              description: The subtopology that the task processes.
              returned: success
              type: str
              sample: "0"
            partition:
              description: The partition that the task processes, of each topic of the subtopology.
              returned: success
              type: int
              sample: 2
    topology:
      description: The topology of a streams group (KIP-1071). V(null) for other groups, and if unknown.
      returned: if O(gather) contains V(topology)
      type: dict
      contains:
        epoch:
          description: The epoch of the topology, which the application sets.
          returned: success
          type: int
          sample: 0
        internal_topics:
          description: The repartition and changelog topics, without source topics that also serve as a changelog.
          returned: success
          type: list
          elements: str
          sample: [reports-counts-changelog]
        subtopologies:
          description: The subtopologies.
          returned: success
          type: list
          elements: dict
          contains:
            subtopology_id:
              description: The id of the subtopology.
              returned: success
              type: str
              sample: "0"
            source_topics:
              description: The topics that the subtopology reads.
              returned: success
              type: list
              elements: str
              sample: [orders]
            repartition_source_topics:
              description: The repartition topics that the subtopology reads.
              returned: success
              type: list
              elements: str
              sample: []
            repartition_sink_topics:
              description: The repartition topics that the subtopology writes.
              returned: success
              type: list
              elements: str
              sample: []
            state_changelog_topics:
              description: The changelog topics of the state stores.
              returned: success
              type: list
              elements: str
              sample: [reports-counts-changelog]
    open_transactions:
      description:
        - The open transactions that may block the offsets of the group (KIP-664). Other clients cannot change these
          offsets until the transactions end.
        - Empty if no commit of the group is pending.
        - They are all open transactions in the partition of C(__consumer_offsets) that holds the group, so that
          transactions of other groups of this partition are included.
        - V(null) if unknown, and for share groups. This needs Kafka 2.8 and READ on C(__consumer_offsets);
          RV(errors) then has the reason.
      returned: if O(gather) contains V(transactions)
      type: list
      elements: dict
      contains:
        producer_id:
          description: The id of the producer.
          returned: success
          type: int
          sample: 4001
        producer_epoch:
          description: The epoch of the producer.
          returned: success
          type: int
          sample: 0
        start_offset:
          description: The offset of the first record of the transaction in the partition of C(__consumer_offsets).
          returned: success
          type: int
          sample: 1337
        last_timestamp:
          description: The time of the last record of the transaction in the partition, in ms since 1970.
          returned: success
          type: int
          sample: 1769860800000
        transactional_id:
          description: The transactional id (C(transactional.id)). V(null) without DESCRIBE on it, and if unknown.
          returned: success
          type: str
          sample: billing-1
        state:
          description: The state of the transaction at its coordinator, such as V(Ongoing). With another state, the
            transaction is hanging. V(null) if unknown.
          returned: success
          type: str
          sample: Ongoing
    permissions:
      description: Operations on the group for which the caller has permission. V(null) if the broker does not report
        them.
      returned: if O(gather) contains V(permissions)
      type: list
      elements: str
      sample: [DELETE, DESCRIBE, READ]
    offsets:
      description:
        - The committed offsets of the group. The brokers omit topics without DESCRIBE permission.
        - For a share group, the start offsets. Partitions that the group has not read yet are omitted.
        - V(null) if unknown; RV(errors) then has the reason. Also V(null) for a share group if the broker does not
          support its start offsets, which requires Kafka 4.2.
        - This list is valid input for O(kafkaops.groups.consumer_group_offsets#module:offsets). For a share group, it
          is valid input for O(kafkaops.groups.share_group_offsets#module:offsets).
      returned: if O(gather) contains V(offsets) or V(timestamps)
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
          description: The committed offset, or the start offset of a share group.
          returned: success
          type: int
          sample: 1200
        leader_epoch:
          description: The leader epoch of the offset. V(-1) if there is none.
          returned: success
          type: int
          sample: 3
        metadata:
          description: The metadata of the committed offset. Empty if there is none.
          returned: success
          type: str
          sample: ""
        log_start:
          description: The start offset of the log. V(null) if O(gather) does not contain V(lag), or if unknown.
          returned: success
          type: int
          sample: 800
        log_end:
          description: The end offset of the log, which the next record gets. V(null) if O(gather) does not contain
            V(lag), or if unknown.
          returned: success
          type: int
          sample: 1250
        lag:
          description:
            - The log end offset minus the committed offset. V(null) if O(gather) does not contain V(lag), or if the
              log end offset is unknown.
            - Offsets before RV(groups[].offsets[].log_start), which are no longer in the log, are included.
            - V(0) if the committed offset is greater than the log end offset.
            - For a share group, the number of records that it still has to process, as the broker reports it. The group
              can have processed some of the records after its start offset. V(null) if the broker does not report it.
          returned: success
          type: int
          sample: 50
        timestamp:
          description: The highest timestamp of the records up to this offset, itself included, in ms since 1970.
            V(null) if the log has no such record, or if unknown.
          returned: if O(gather) contains V(timestamps)
          type: int
          sample: 1769860800000
    lag:
      description:
        - The sum of the lag of all partitions that the group has committed offsets for or that its members read.
        - "V(null) if the lag of a partition is unknown: its log end offset could not be read, or a member reads it
          without a committed offset and it has records."
        - Also V(null) if the group has no committed offsets and reads no partitions, while it rebalances, and if its
          members cannot be described.
      returned: if O(gather) contains V(lag)
      type: int
      sample: 50
    known_lag:
      description:
        - The sum of the known values of RV(groups[].offsets[].lag). If RV(groups[].lag) is V(null), the actual lag
          can be higher.
        - V(null) if all of them are unknown.
      returned: if O(gather) contains V(lag)
      type: int
      sample: 50
    unknown_lag_partitions:
      description:
        - The number of partitions whose lag is unknown, because the log end offset could not be read, or because a
          member reads the partition without a committed offset.
        - V(null) if it is unknown which partitions the members read.
      returned: if O(gather) contains V(lag)
      type: int
      sample: 0
total:
  description: The number of groups that match, including those that O(max_results) leaves out. V(null) if the groups of
    a broker could not be listed, or if one of O(names) could not be read; RV(errors) then has the reason.
  returned: unless the task fails before the first request
  type: int
  sample: 1
truncated:
  description: Whether O(max_results) leaves out groups.
  returned: unless the task fails before the first request
  type: bool
  sample: false
missing:
  description: The groups of O(names) that do not exist.
  returned: unless the task fails before the first request
  type: list
  elements: str
  sample: []
waited:
  description: How long the task waited for the conditions of O(wait), in seconds.
  returned: if O(wait) is set, unless the task fails before the first request
  type: float
  sample: 12.5
attempts:
  description: How many times the conditions of O(wait) were checked.
  returned: if O(wait) is set, unless the task fails before the first request
  type: int
  sample: 6
unmet:
  description: The conditions of O(wait) that were not met, by group. Empty if all were met, or if only the groups of a
    broker could not be listed; RV(errors) then has the broker.
  returned: if O(wait) is set, unless the task fails before the first request
  type: list
  elements: dict
  contains:
    group:
      description: The name of the group.
      returned: success
      type: str
      sample: reports
    condition:
      description: The suboption of O(wait).
      returned: success
      type: str
      sample: max_lag
    required:
      description: The value of the suboption.
      returned: success
      type: raw
      sample: 1000
    actual:
      description: The state, the lag or the number of members when the group was last read. V(null) if unknown.
      returned: success
      type: raw
      sample: 52000
errors:
  description: Brokers, groups and partitions that could not be read.
  returned: unless the task fails before the first request
  type: list
  elements: dict
  contains:
    group:
      description: The group that could not be read.
      returned: for groups
      type: str
      sample: reports
    broker:
      description: The id of the broker that could not be read from.
      returned: for brokers
      type: int
      sample: 2
    topic:
      description: The topic whose log could not be read.
      returned: for partitions
      type: str
      sample: orders
    partition:
      description: The partition whose log could not be read.
      returned: for partitions
      type: int
      sample: 0
    address:
      description: The address of the broker.
      returned: for brokers
      type: str
      sample: kafka-2.example.com:9092
    message:
      description: Why the broker did not respond.
      returned: if a broker did not respond
      type: str
      sample: "the connection was refused: nothing listens on that port"
    error:
      description: The error of Kafka.
      returned: if a broker responded with an error
      type: dict
      contains:
        code:
          description: The error code of Kafka.
          returned: success
          type: int
          sample: 30
        name:
          description: The error name of Kafka.
          returned: success
          type: str
          sample: GROUP_AUTHORIZATION_FAILED
        message:
          description: The cause of the error, and how to resolve it.
          returned: success
          type: str
          sample: "Group authorization failed."
        retriable:
          description: Whether Kafka classifies the error as retriable, so that the same task may succeed later.
          returned: success
          type: bool
          sample: false
requests:
  description: The number of requests of each type that were sent to the brokers, not counting requests about topics.
  returned: unless the task fails before the first request
  type: dict
  sample:
    ListGroups: 3
    OffsetFetch: 3
"""

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import info
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._match_members import MATCH_MEMBERS_SPEC

STATES = [
    "Empty",
    "Stable",
    "PreparingRebalance",
    "CompletingRebalance",
    "Assigning",
    "Reconciling",
    "NotReady",
    "Dead",
]


def main() -> None:
    run(
        {
            "names": {"type": "raw", "aliases": ["name"]},
            "match": {"type": "raw"},
            "states": {"type": "list", "elements": "str", "choices": STATES},
            "types": {"type": "list", "elements": "str", "choices": ["classic", "consumer", "share", "streams"]},
            "gather": {
                "type": "list",
                "elements": "str",
                "choices": [
                    "state",
                    "members",
                    "offsets",
                    "lag",
                    "permissions",
                    "timestamps",
                    "topology",
                    "transactions",
                ],
                "default": ["state"],
            },
            "isolation_level": {
                "type": "str",
                "choices": ["read_uncommitted", "read_committed"],
                "default": "read_uncommitted",
            },
            "min_lag": {"type": "int"},
            "max_lag": {"type": "int"},
            "idle": {"type": "bool"},
            "match_members": MATCH_MEMBERS_SPEC,
            "max_results": {"type": "int"},
            "partial": {"type": "bool", "default": False},
            "wait": {
                "type": "dict",
                "options": {
                    "states": {"type": "list", "elements": "str", "choices": STATES},
                    "max_lag": {"type": "int"},
                    "max_members": {"type": "int"},
                },
                "required_one_of": [("states", "max_lag", "max_members")],
            },
            "wait_timeout": {"type": "float"},
        },
        info.parse,
        info.gather_info,
        mutually_exclusive=[
            ("names", "match"),
            ("states", "wait"),
            ("min_lag", "wait"),
            ("max_lag", "wait"),
            ("idle", "wait"),
            ("match_members", "wait"),
            ("max_results", "wait"),
        ],
        required_by={"wait_timeout": ["wait"]},
    )


if __name__ == "__main__":
    main()
