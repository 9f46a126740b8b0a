#!/usr/bin/python

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: consumer_group_offsets
short_description: Delete, set, reset and restore committed offsets
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - With O(state=absent), delete committed offsets (KIP-496), by topic and partition, or all those on topics that the
    group is not subscribed to, or those that an audit found to be needless (O(plan)).
  - With O(state=present), set committed offsets, to given offsets (O(offsets)), to a place in the log (O(reset)),
    or to those of a back-up (O(restore)).
  - Each partition has its own result.
  - A partition that has no committed offset is unchanged by O(state=absent). So is one that has the wanted offset by
    O(state=present).
extends_documentation_fragment:
  - kafkaops.groups.connection
  - kafkaops.groups.results
  - kafkaops.groups.results.guards
  - kafkaops.groups.results.plan
  - kafkaops.groups.attributes
  - kafkaops.groups.attributes.actiongroup_kafka
  - kafkaops.groups.attributes.changes
attributes:
  idempotent:
    support: partial
    details:
      - O(reset.shift_by) moves the offset at each run. O(reset.to_latest) and O(reset.by_duration) follow the log and
        the clock.
      - Everything else is idempotent.
options:
  group:
    description:
      - The group. For more than one, use O(groups).
      - A number or a boolean is refused, since YAML has already changed its spelling (V(007) is 7, V(on) is true).
        Put quotes around it. This is why the type is V(raw).
    type: raw
  topics:
    description:
      - The topics of O(group). An empty list is refused.
      - It is needed for O(state=absent) without O(unsubscribed) or O(plan), and for O(reset).
    type: list
    elements: dict
    suboptions: &topics
      name:
        description: The name of the topic. Put quotes around a number.
        type: raw
        required: true
      partitions:
        description:
          - The partitions of the topic. An empty list is refused.
          - If it is not set, O(state=absent) takes all partitions that the group has B(committed) offsets of, and
            O(reset) takes all partitions that the topic has.
        type: list
        elements: int
  groups:
    description:
      - Several groups, each with its topics. An empty list is refused.
      - With O(unsubscribed) and O(restore), the groups are given without topics.
    type: list
    elements: dict
    suboptions:
      name:
        description: The name of the group. Put quotes around a number.
        type: raw
        required: true
      topics:
        description: The topics of this group, as in O(topics).
        type: list
        elements: dict
        suboptions: *topics
  state:
    description:
      - V(absent) deletes committed offsets.
      - V(present) sets them. It needs one of O(offsets), O(reset) and O(restore).
    type: str
    choices: [absent, present]
    default: present
  unsubscribed:
    description:
      - Delete everything that a group has committed on topics that it is B(not) subscribed to. It goes with
        O(state=absent), in place of topics.
      - The subscription comes from the group's members. Nothing tells what a group without members subscribes to.
        None of its offsets is deleted then, and the task warns.
      - Where the subscription of a member cannot be known, the partitions concerned fail.
    type: bool
    default: false
  offsets:
    description:
      - The offsets to set in O(group). They are taken exactly. They are not clamped to the log.
      - Offsets that M(kafkaops.groups.consumer_group_info) returns can be given as they are.
      - An empty list is refused.
    type: list
    elements: dict
    suboptions:
      topic:
        description: The name of the topic. Put quotes around a number.
        type: raw
        required: true
      partition:
        description: The partition.
        type: int
        required: true
      offset:
        description: The offset of the next record to read.
        type: int
        required: true
      metadata:
        description:
          - The metadata to commit with it.
          - If it is not set, the metadata stays if the offset stays, and else is empty.
        type: str
      leader_epoch:
        description:
          - The leader epoch to commit with it.
          - If it is not set, the leader epoch stays if the offset stays, and else there is none.
          - A leader epoch above the current one of the partition is not committed, and one that was committed is
            removed, also by O(reset). A Java consumer that finds it waits forever.
          - V(-1) is no leader epoch.
        type: int
      log_start: &ignored
        description:
          - Ignored. It is accepted so that what M(kafkaops.groups.consumer_group_info) returns can be given as it is.
        type: int
      log_end: *ignored
      lag: *ignored
  reset:
    description:
      - Where in the log to set the offsets of O(topics), or of the topics of O(groups). Exactly one of its options is
        given. They have the names that C(kafka-consumer-groups.sh) has for them.
      - The new offset is B(clamped to the log). One before its start becomes its start, one after its end becomes its
        end.
    type: dict
    suboptions:
      to_earliest:
        description: The start of the log. V(false) is refused.
        type: bool
        choices: [true]
      to_latest:
        description: The end of the log. V(false) is refused.
        type: bool
        choices: [true]
      to_datetime:
        description:
          - The first record at or after a time. If there is none, it is the end of the log.
          - An ISO 8601 time such as V(2026-01-31T12:00:00Z), in UTC where it names no zone, or a number of milliseconds
            since 1970, of 12 digits or more. Put quotes around a time.
        type: str
      by_duration:
        description:
          - The first record that is not older than a duration. If there is none, it is the end of the log.
          - Weeks to seconds in the form of ISO 8601, such as V(P7D) or V(PT1H30M), or in short, such as V(7d) or
            V(1h30m). V(m) is minutes. There are no months, no years and no fractions.
        type: str
      to_offset:
        description: An offset from 0, the same for every partition.
        type: int
      shift_by:
        description:
          - So many records after the committed offset, or before it if the number is negative.
          - A partition without a committed offset fails.
        type: int
  restore:
    description:
      - The back-up to restore. Offsets and metadata are taken exactly. They are not clamped to the log.
      - Leader epochs are restored on the same cluster, to the same topic (by its id), and not above the current leader
        epoch of the partition. Otherwise none is committed, since a Java consumer waits for a leader epoch that it
        finds committed.
      - It restores all groups of the back-up, or only those that O(group) or O(groups) name.
      - What a group committed on other partitions since then stays.
    type: dict
    suboptions:
      path:
        description: The path of the back-up. It is a file of the host that the module runs on.
        type: path
        required: true
      any_cluster:
        description: Whether a back-up of another cluster is restored. If it is V(false), it is refused.
        type: bool
        default: false
      missing_only:
        description:
          - Whether only the partitions that have no committed offset now are set. The others stay as they are.
          - So what a group has committed since the back-up is not set back.
        type: bool
        default: false
      recreated:
        description:
          - What to do with the partitions of a topic that was deleted and created anew since the back-up, or that did
            not exist at that time. It has other records at the same offsets.
          - With V(fail), they fail as C(INCONSISTENT_TOPIC_ID).
          - With V(clamp), they are restored, clamped to the log of the new topic.
          - Topics are compared by their ids, which brokers have since Kafka 2.8, and back-ups since this collection
            writes version 2 of them. Where an id is not known, the task warns. The topics of another cluster are not
            compared.
        type: str
        choices: [fail, clamp]
        default: fail
notes:
  - >-
    Permissions for O(state=absent): DELETE on the group, and READ on each topic. Permissions for O(state=present):
    READ on the group, and READ on each topic. DESCRIBE on the groups and the topics, which is needed too, comes with
    these. O(backup) and O(unsubscribed) also need DESCRIBE on every topic that the groups have committed offsets of.
    The broker leaves out the others, and does not say so. To see the members of a KIP-848, share or streams group,
    newer brokers ask for DESCRIBE on the topics of its members.
  - With O(state=absent), a group that is in use keeps the offsets of the topics that it is subscribed to. They fail
    as C(GROUP_SUBSCRIBED_TO_TOPIC). A classic group of another protocol type, such as that of Kafka Connect, keeps
    everything as long as it is in use, and fails as C(NON_EMPTY_GROUP).
  - O(plan) goes with O(state=absent). It takes the committed offsets to delete from the plan. The groups to delete in
    it are for M(kafkaops.groups.consumer_group).
  - An offset of O(plan) is also left alone if its group subscribes to the topic by now, or may do so.
  - No broker deletes offsets on a topic that does not exist. They fail as C(UNKNOWN_TOPIC_OR_PARTITION), with O(plan)
    as without it, and go when the whole group is deleted.
  - With O(state=present), a group that has members fails before anything is sent. Stop its consumers first.
  - Setting offsets of a group that does not exist creates it as a simple group. RV(results[].creates_group) says so.
  - After its last committed offset is deleted, a group without members is removed by its coordinator.
  - A group that rebalances does not show its subscriptions. The module waits up to 10 seconds for it to come to rest.
  - A simple group (one that commits without joining) is always empty. Nothing shows that somebody uses it, and its
    next commit is written over what was set.
  - A share group has no committed offsets. C(kafka-share-groups.sh) is the tool for it.
  - O(max_changes) counts partitions.
seealso:
  - module: kafkaops.groups.consumer_group
  - module: kafkaops.groups.consumer_group_members
  - module: kafkaops.groups.consumer_group_info
  - module: kafkaops.groups.consumer_offsets_audit
  - name: KIP-496
    description: Deleting committed offsets.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-496%3A+Administrative+API+to+delete+consumer+offsets
  - name: KIP-122
    description: Resetting committed offsets, as kafka-consumer-groups.sh does.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-122%3A+Add+Reset+Consumer+Group+Offsets+tooling
"""

EXAMPLES = r"""
- name: Keep committed offsets in order
  hosts: localhost
  gather_facts: false
  module_defaults:
    group/kafkaops.groups.kafka:
      bootstrap_servers: [kafka-1.example.com:9092]
  tasks:
    - name: Delete what a group has committed on one topic, and on two partitions of another
      kafkaops.groups.consumer_group_offsets:
        group: reports
        state: absent
        topics:
          - name: orders-old
          - name: orders
            partitions: [10, 11]
        backup: "/var/backups/kafka/reports-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"

    - name: Delete what groups have committed on topics that they no longer read
      kafkaops.groups.consumer_group_offsets:
        groups:
          - name: reports
          - name: billing
        state: absent
        unsubscribed: true
        max_changes: 100

    - name: Delete what an audit found that nobody reads, as far as that is still so
      kafkaops.groups.consumer_group_offsets:
        plan: /var/lib/kafka-audit/plan.json
        state: absent
        backup: "/var/backups/kafka/offsets-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"

    - name: Set two offsets
      kafkaops.groups.consumer_group_offsets:
        group: reports
        offsets:
          - topic: orders
            partition: 0
            offset: 1200
          - topic: orders
            partition: 1
            offset: 1187
            metadata: set by hand

    - name: See where a group is
      kafkaops.groups.consumer_group_info:
        name: reports
        gather: [offsets]
      register: reports

    - name: Let a new group start where that group is
      kafkaops.groups.consumer_group_offsets:
        group: reports-v2
        offsets: "{{ reports.groups[0].offsets }}"

    - name: Read a topic again from its start
      kafkaops.groups.consumer_group_offsets:
        group: reports
        topics:
          - name: orders
        reset:
          to_earliest: true

    - name: Read again what was written since a time
      kafkaops.groups.consumer_group_offsets:
        groups:
          - name: reports
            topics:
              - name: orders
          - name: billing
            topics:
              - name: orders
              - name: invoices
                partitions: [0]
        reset:
          to_datetime: "2026-01-31T12:00:00Z"

    - name: Go back by one day
      kafkaops.groups.consumer_group_offsets:
        group: reports
        topics:
          - name: orders
        reset:
          by_duration: P1D

    - name: Skip one record
      kafkaops.groups.consumer_group_offsets:
        group: reports
        topics:
          - name: orders
            partitions: [3]
        reset:
          shift_by: 1

    - name: Restore one group of a back-up
      kafkaops.groups.consumer_group_offsets:
        group: reports
        restore:
          path: /var/backups/kafka/reports-20260131T120000Z.json
"""

RETURN = r"""
results:
  description:
    - One item a partition. A topic of which nothing is committed is one item, and so is a group whose offsets cannot
      be told.
  returned: unless the task fails before the first item
  type: list
  elements: dict
  contains:
    group:
      description: The name of the group.
      returned: success
      type: str
      sample: reports
    action:
      description:
        - What the item needs. V(delete_offset), or V(set_offset).
        - V(none) means that nothing is to do.
      returned: success
      type: str
      sample: set_offset
    changed:
      description: Whether the action was carried out, or in check mode would be.
      returned: success
      type: bool
      sample: true
    failed:
      description: Whether the item failed. RV(results[].error) says why.
      returned: success
      type: bool
      sample: false
    left_alone:
      description: How the entry of O(plan) has changed since the audit, so that nothing was done about it.
      returned: if it has
      type: str
      sample: "it subscribes to topic 'orders' now"
    topic:
      description: The name of the topic.
      returned: if the item is about a topic
      type: str
      sample: orders
    partition:
      description: The partition. V(null) if the item is about a whole topic.
      returned: if the item is about a topic
      type: int
      sample: 0
    creates_group:
      description: Whether setting this offset creates the group, since it does not exist.
      returned: if it does
      type: bool
      sample: true
    before:
      description: What was committed. V(null) if nothing was.
      returned: success
      type: dict
      contains:
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
    after:
      description: What is committed now, as in RV(results[].before). V(null) if nothing is.
      returned: success
      type: dict
    error:
      description: Why the item failed. V(null) if it did not.
      returned: success
      type: dict
      contains:
        code:
          description: Kafka's number of the error.
          returned: success
          type: int
          sample: 86
        name:
          description: Kafka's name of the error.
          returned: success
          type: str
          sample: GROUP_SUBSCRIBED_TO_TOPIC
        message:
          description: What is wrong, and what to do about it.
          returned: success
          type: str
          sample: "the classic consumer group reads topic 'orders': stop its consumers, or let them drop
            the topic"
        retriable:
          description: Whether Kafka calls the error retriable, so that the same task may work later.
          returned: success
          type: bool
          sample: false
summary:
  description: How many items there are.
  returned: when RV(results) is returned
  type: dict
  contains:
    total:
      description: All items.
      returned: success
      type: int
      sample: 2
    changed:
      description: Items that were changed, or in check mode would be.
      returned: success
      type: int
      sample: 1
    unchanged:
      description: Items that needed no change.
      returned: success
      type: int
      sample: 1
    failed:
      description: Items that failed.
      returned: success
      type: int
      sample: 0
    left_alone:
      description: Items that were left alone, since they have changed after the audit. They count as unchanged, too.
      returned: if there are any
      type: int
      sample: 1
backup_file:
  description: The path of the back-up that was written, or in check mode would be. V(null) if none was needed.
  returned: unless the task fails before the first item
  type: str
  sample: /var/backups/kafka/groups-20260131T120000Z.json
requests:
  description: How many requests of each kind were sent to the brokers, without those about topics.
  returned: unless the task fails before the first item
  type: dict
  sample:
    FindCoordinator: 1
    DescribeGroups: 1
    OffsetFetch: 1
    OffsetCommit: 1
diff:
  description: What changes, one line an item.
  returned: in diff mode, unless the task fails before the first item
  type: dict
  contains:
    before:
      description: The changed items as they were.
      returned: success
      type: str
      sample: "group 'reports', topic 'orders', partition 0: offset 1200\n"
    after:
      description: The changed items as they are now. An item that is gone has no line.
      returned: success
      type: str
      sample: "group 'reports', topic 'orders', partition 0: offset 900\n"
"""

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _offset_request, offsets

TOPICS = {
    "type": "list",
    "elements": "dict",
    "options": {
        "name": {"type": "raw", "required": True},
        "partitions": {"type": "list", "elements": "int"},
    },
}
RESETS = ("to_earliest", "to_latest", "to_datetime", "by_duration", "to_offset", "shift_by")


def main() -> None:
    run(
        {
            "group": {"type": "raw"},
            "topics": TOPICS,
            "groups": {
                "type": "list",
                "elements": "dict",
                "options": {"name": {"type": "raw", "required": True}, "topics": TOPICS},
            },
            "plan": {"type": "path"},
            "state": {"type": "str", "choices": ["absent", "present"], "default": "present"},
            "unsubscribed": {"type": "bool", "default": False},
            "offsets": {
                "type": "list",
                "elements": "dict",
                "options": {
                    "topic": {"type": "raw", "required": True},
                    "partition": {"type": "int", "required": True},
                    "offset": {"type": "int", "required": True},
                    "metadata": {"type": "str"},
                    "leader_epoch": {"type": "int"},
                    "log_start": {"type": "int"},
                    "log_end": {"type": "int"},
                    "lag": {"type": "int"},
                },
            },
            "reset": {
                "type": "dict",
                "options": {
                    "to_earliest": {"type": "bool", "choices": [True]},
                    "to_latest": {"type": "bool", "choices": [True]},
                    "to_datetime": {"type": "str"},
                    "by_duration": {"type": "str"},
                    "to_offset": {"type": "int"},
                    "shift_by": {"type": "int"},
                },
                "mutually_exclusive": [RESETS],
                "required_one_of": [RESETS],
            },
            "restore": {
                "type": "dict",
                "options": {
                    "path": {"type": "path", "required": True},
                    "any_cluster": {"type": "bool", "default": False},
                    "missing_only": {"type": "bool", "default": False},
                    "recreated": {"type": "str", "choices": ["fail", "clamp"], "default": "fail"},
                },
            },
            "backup": {"type": "path"},
            "max_changes": {"type": "int"},
        },
        _offset_request.parse,
        offsets.change_offsets,
        mutually_exclusive=[
            ("group", "groups", "plan"),
            ("plan", "offsets", "reset", "restore"),
            ("topics", "offsets"),
            ("topics", "restore"),
        ],
        required_if=[
            ("state", "absent", ("group", "groups", "plan"), True),
            ("state", "present", ("offsets", "reset", "restore"), True),
            ("unsubscribed", True, ("group", "groups"), True),
        ],
        required_by={"topics": ["group"], "offsets": ["group"]},
    )


if __name__ == "__main__":
    main()
